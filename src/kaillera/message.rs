//! The table of messages (kaillera.md 3).
//!
//! Texts are bytes without their terminator, in whatever character set the sender uses;
//! they are relayed unchanged.

/// Number of frames a client packs into one game-data message (1..=6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ConnectionType {
    /// 60 messages per second.
    Lan = 1,
    /// 30 messages per second.
    Excellent = 2,
    /// 20 messages per second.
    Good = 3,
    /// 15 messages per second.
    Average = 4,
    /// 12 messages per second.
    Low = 5,
    /// 10 messages per second.
    Bad = 6,
}

/// What a user does, as lists show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum UserStatus {
    /// In a running game.
    Playing = 0,
    /// Logged in.
    Idle = 1,
    /// Not logged in yet.
    Connecting = 2,
}

/// What a room does, as lists show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum GameStatus {
    /// Players gather.
    Waiting = 0,
    /// Started; not everybody is ready.
    Synchronizing = 1,
    /// Everybody is ready.
    Playing = 2,
}

/// A user's number on the wire, 1..=65535.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId(pub u16);

/// A room's number on the wire, 1..=65535 in 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(pub u32);

/// A message from a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientMessage<'a> {
    /// 0x01
    Quit {
        /// Parting words; may be empty.
        message: &'a [u8],
    },
    /// 0x03: asks to log in.
    UserInformation {
        /// The user's name.
        name: &'a [u8],
        /// The emulator and its version.
        emulator: &'a [u8],
        /// Frames per message.
        connection_type: ConnectionType,
    },
    /// 0x06
    ClientAck,
    /// 0x07: a line for the lobby.
    Chat {
        /// The line.
        text: &'a [u8],
    },
    /// 0x08: a line for the room.
    GameChat {
        /// The line.
        text: &'a [u8],
    },
    /// 0x09
    KeepAlive,
    /// 0x0A
    CreateGame {
        /// The name of the game.
        rom: &'a [u8],
    },
    /// 0x0B
    QuitGame,
    /// 0x0C
    JoinGame {
        /// The room to enter.
        game: GameId,
    },
    /// 0x0F
    GameKick {
        /// The member to remove.
        user: UserId,
    },
    /// 0x11
    StartGame,
    /// 0x12
    GameData {
        /// The inputs of one message, 1..=2048 bytes.
        input: &'a [u8],
    },
    /// 0x13
    CachedGameData {
        /// Position in the sender's cache, 0 is the oldest.
        index: u8,
    },
    /// 0x14
    PlayerDrop,
    /// 0x15
    AllReady,
}

/// A message from the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerMessage<'a> {
    /// 0x01: a user left the server.
    Quit {
        /// Who.
        name: &'a [u8],
        /// Who, as a number.
        id: UserId,
        /// Parting words.
        message: &'a [u8],
    },
    /// 0x02
    UserJoined {
        /// Who.
        name: &'a [u8],
        /// Who, as a number.
        id: UserId,
        /// Round trip in milliseconds.
        ping: u32,
        /// Frames per message.
        connection_type: ConnectionType,
    },
    /// 0x04: part of the list of users and rooms.
    ServerStatus {
        /// How many [`UserEntry`] come first in `entries`.
        users: u32,
        /// How many [`GameEntry`] follow them.
        games: u32,
        /// The encoded entries.
        entries: &'a [u8],
    },
    /// 0x05
    ServerAck,
    /// 0x07
    Chat {
        /// Who speaks.
        name: &'a [u8],
        /// The line.
        text: &'a [u8],
    },
    /// 0x08
    GameChat {
        /// Who speaks; `Server` and `Error` are the server itself.
        name: &'a [u8],
        /// The line.
        text: &'a [u8],
    },
    /// 0x0A
    CreateGame {
        /// Who opened the room.
        owner: &'a [u8],
        /// The name of the game.
        rom: &'a [u8],
        /// The owner's emulator.
        emulator: &'a [u8],
        /// The room's number.
        game: GameId,
    },
    /// 0x0B
    QuitGame {
        /// Who left the room.
        name: &'a [u8],
        /// Who, as a number.
        id: UserId,
    },
    /// 0x0C
    JoinGame {
        /// The room.
        game: GameId,
        /// Who joined.
        name: &'a [u8],
        /// Round trip in milliseconds.
        ping: u32,
        /// Who, as a number.
        id: UserId,
        /// Frames per message.
        connection_type: ConnectionType,
    },
    /// 0x0D: the others in the room, for one who joins.
    PlayerInformation {
        /// How many [`PlayerEntry`] are in `entries`.
        players: u32,
        /// The encoded entries.
        entries: &'a [u8],
    },
    /// 0x0E
    GameStatus {
        /// The room.
        game: GameId,
        /// What it does.
        status: GameStatus,
        /// Members that can be seen.
        players: u8,
        /// Members it may have.
        capacity: u8,
    },
    /// 0x10
    CloseGame {
        /// The room that is gone.
        game: GameId,
    },
    /// 0x11
    StartGame {
        /// Frame delay in messages.
        delay: u16,
        /// The receiver's number, 1 is the first.
        player: u8,
        /// How many play.
        players: u8,
    },
    /// 0x12
    GameData {
        /// Everybody's inputs, interleaved by frame.
        input: &'a [u8],
    },
    /// 0x13
    CachedGameData {
        /// Position in the receiver's cache, 0 is the oldest.
        index: u8,
    },
    /// 0x14
    PlayerDrop {
        /// Who stopped playing.
        name: &'a [u8],
        /// That player's number, 1 is the first.
        player: u8,
    },
    /// 0x15
    AllReady,
    /// 0x16
    ConnectionRejected {
        /// `server`.
        name: &'a [u8],
        /// The number the user would have had.
        id: UserId,
        /// Why.
        reason: &'a [u8],
    },
    /// 0x17
    InformationMessage {
        /// `server`.
        source: &'a [u8],
        /// The line.
        text: &'a [u8],
    },
}

/// A user in [`ServerMessage::ServerStatus`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserEntry<'a> {
    /// The user's name.
    pub name: &'a [u8],
    /// Round trip in milliseconds.
    pub ping: u32,
    /// The status byte: a [`UserStatus`], or another value for a client that expects one.
    pub status: u8,
    /// The user's number.
    pub id: UserId,
    /// Frames per message.
    pub connection_type: ConnectionType,
}

/// A room in [`ServerMessage::ServerStatus`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameEntry<'a> {
    /// The name of the game.
    pub rom: &'a [u8],
    /// The room's number.
    pub game: GameId,
    /// The owner's emulator.
    pub emulator: &'a [u8],
    /// The owner's name.
    pub owner: &'a [u8],
    /// `members/capacity` in decimal.
    pub seats: &'a [u8],
    /// The status byte: a [`GameStatus`], or another value for a client that expects one.
    pub status: u8,
}

/// A member in [`ServerMessage::PlayerInformation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayerEntry<'a> {
    /// The user's name.
    pub name: &'a [u8],
    /// Round trip in milliseconds.
    pub ping: u32,
    /// The user's number.
    pub id: UserId,
    /// Frames per message.
    pub connection_type: ConnectionType,
}

include!("message_stub.rs");
