//! What a server says.

use super::{
    ConnectionType, GameEntry, GameId, GameStatus, Kind, PlayerEntry, UserEntry, UserId,
    decode_input, encode_ack, encode_input,
};
use crate::{
    buffer::{Full, Reader, Writer},
    kaillera::DecodeError,
};

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

impl<'a> ServerMessage<'a> {
    /// Its line in the table of messages.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Quit { .. } => Kind::Quit,
            Self::UserJoined { .. } => Kind::UserJoined,
            Self::ServerStatus { .. } => Kind::ServerStatus,
            Self::ServerAck => Kind::ServerAck,
            Self::Chat { .. } => Kind::Chat,
            Self::GameChat { .. } => Kind::GameChat,
            Self::CreateGame { .. } => Kind::CreateGame,
            Self::QuitGame { .. } => Kind::QuitGame,
            Self::JoinGame { .. } => Kind::JoinGame,
            Self::PlayerInformation { .. } => Kind::PlayerInformation,
            Self::GameStatus { .. } => Kind::GameStatus,
            Self::CloseGame { .. } => Kind::CloseGame,
            Self::StartGame { .. } => Kind::StartGame,
            Self::GameData { .. } => Kind::GameData,
            Self::CachedGameData { .. } => Kind::CachedGameData,
            Self::PlayerDrop { .. } => Kind::PlayerDrop,
            Self::AllReady => Kind::AllReady,
            Self::ConnectionRejected { .. } => Kind::ConnectionRejected,
            Self::InformationMessage { .. } => Kind::InformationMessage,
        }
    }

    /// The users of a [`ServerMessage::ServerStatus`]; none for any other message.
    ///
    /// All of them, if the message was decoded; of entries put together otherwise, those up to
    /// the first that cannot be read.
    pub fn users(&self) -> impl Iterator<Item = UserEntry<'a>> + use<'a> {
        let (count, entries) = match *self {
            Self::ServerStatus { users, entries, .. } => (users, entries),
            _ => (0, [].as_slice()),
        };
        let mut reader = Reader::new(entries);
        (0..count).map_while(move |_| UserEntry::decode(&mut reader).ok())
    }

    /// The rooms of a [`ServerMessage::ServerStatus`], as [`ServerMessage::users`].
    pub fn games(&self) -> impl Iterator<Item = GameEntry<'a>> + use<'a> {
        let (users, games, entries) = match *self {
            Self::ServerStatus {
                users,
                games,
                entries,
            } => (users, games, entries),
            _ => (0, 0, [].as_slice()),
        };
        let mut reader = Reader::new(entries);
        let readable = (0..users).all(|_| UserEntry::decode(&mut reader).is_ok());
        let count = if readable { games } else { 0 };
        (0..count).map_while(move |_| GameEntry::decode(&mut reader).ok())
    }

    /// The members of a [`ServerMessage::PlayerInformation`], as [`ServerMessage::users`].
    pub fn players(&self) -> impl Iterator<Item = PlayerEntry<'a>> + use<'a> {
        let (count, entries) = match *self {
            Self::PlayerInformation { players, entries } => (players, entries),
            _ => (0, [].as_slice()),
        };
        let mut reader = Reader::new(entries);
        (0..count).map_while(move |_| PlayerEntry::decode(&mut reader).ok())
    }

    /// Reads what follows the kind byte of a message; bytes left over are ignored.
    ///
    /// # Errors
    ///
    /// The message is to be ignored, but its number counts as received.
    pub fn decode(kind: u8, body: &'a [u8]) -> Result<Self, DecodeError> {
        let kind = Kind::from_byte(kind)
            .filter(|kind| kind.sent_by_server())
            .ok_or(DecodeError::UnknownKind)?;
        if kind == Kind::AllReady {
            return Ok(Self::AllReady);
        }
        let mut reader = Reader::new(body);
        let name = reader.nul_terminated()?;
        match kind {
            Kind::ServerStatus
            | Kind::ServerAck
            | Kind::JoinGame
            | Kind::PlayerInformation
            | Kind::GameStatus
            | Kind::CloseGame
            | Kind::StartGame
            | Kind::GameData
            | Kind::CachedGameData => Self::decode_nameless(kind, &mut reader),
            _ => Self::decode_named(kind, name, &mut reader),
        }
    }

    fn decode_named(
        kind: Kind,
        name: &'a [u8],
        reader: &mut Reader<'a>,
    ) -> Result<Self, DecodeError> {
        Ok(match kind {
            Kind::Quit => Self::Quit {
                name,
                id: UserId(reader.u16_le()?),
                message: reader.nul_terminated()?,
            },
            Kind::UserJoined => Self::UserJoined {
                name,
                id: UserId(reader.u16_le()?),
                ping: reader.u32_le()?,
                connection_type: ConnectionType::decode(reader)?,
            },
            Kind::Chat => Self::Chat {
                name,
                text: reader.nul_terminated()?,
            },
            Kind::GameChat => Self::GameChat {
                name,
                text: reader.nul_terminated()?,
            },
            Kind::CreateGame => Self::CreateGame {
                owner: name,
                rom: reader.nul_terminated()?,
                emulator: reader.nul_terminated()?,
                game: GameId(reader.u32_le()?),
            },
            Kind::QuitGame => Self::QuitGame {
                name,
                id: UserId(reader.u16_le()?),
            },
            Kind::PlayerDrop => Self::PlayerDrop {
                name,
                player: reader.u8()?,
            },
            Kind::ConnectionRejected => Self::ConnectionRejected {
                name,
                id: UserId(reader.u16_le()?),
                reason: reader.nul_terminated()?,
            },
            Kind::InformationMessage => Self::InformationMessage {
                source: name,
                text: reader.nul_terminated()?,
            },
            _ => return Err(DecodeError::UnknownKind),
        })
    }

    fn decode_nameless(kind: Kind, reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(match kind {
            Kind::ServerStatus => {
                let (users, games) = (reader.u32_le()?, reader.u32_le()?);
                let entries = decode_entries(reader, |reader| {
                    (0..users).try_for_each(|_| UserEntry::decode(reader).map(drop))?;
                    (0..games).try_for_each(|_| GameEntry::decode(reader).map(drop))
                })?;
                Self::ServerStatus {
                    users,
                    games,
                    entries,
                }
            }
            Kind::ServerAck => Self::ServerAck,
            Kind::JoinGame => Self::JoinGame {
                game: GameId(reader.u32_le()?),
                name: reader.nul_terminated()?,
                ping: reader.u32_le()?,
                id: UserId(reader.u16_le()?),
                connection_type: ConnectionType::decode(reader)?,
            },
            Kind::PlayerInformation => {
                let players = reader.u32_le()?;
                let entries = decode_entries(reader, |reader| {
                    (0..players).try_for_each(|_| PlayerEntry::decode(reader).map(drop))
                })?;
                Self::PlayerInformation { players, entries }
            }
            Kind::GameStatus => Self::GameStatus {
                game: GameId(reader.u32_le()?),
                status: GameStatus::from_byte(reader.u8()?).ok_or(DecodeError::BadValue)?,
                players: reader.u8()?,
                capacity: reader.u8()?,
            },
            Kind::CloseGame => Self::CloseGame {
                game: GameId(reader.u32_le()?),
            },
            Kind::StartGame => Self::StartGame {
                delay: reader.u16_le()?,
                player: reader.u8()?,
                players: reader.u8()?,
            },
            Kind::GameData => Self::GameData {
                input: decode_input(reader)?,
            },
            Kind::CachedGameData => Self::CachedGameData {
                index: reader.u8()?,
            },
            _ => return Err(DecodeError::UnknownKind),
        })
    }

    /// Writes the kind byte and the body, which a bundle's length field counts.
    ///
    /// # Errors
    ///
    /// [`Full`], and nothing is written, if it does not fit.
    pub fn encode(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.all_or_nothing(|writer| {
            writer.u8(self.kind() as u8)?;
            self.encode_body(writer)
        })
    }

    fn encode_body(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        match *self {
            Self::Quit {
                name,
                id,
                message: text,
            }
            | Self::ConnectionRejected {
                name,
                id,
                reason: text,
            } => {
                writer.nul_terminated(name)?;
                writer.u16_le(id.0)?;
                writer.nul_terminated(text)
            }
            Self::UserJoined {
                name,
                id,
                ping,
                connection_type,
            } => {
                writer.nul_terminated(name)?;
                writer.u16_le(id.0)?;
                writer.u32_le(ping)?;
                connection_type.encode(writer)
            }
            Self::Chat { name, text }
            | Self::GameChat { name, text }
            | Self::InformationMessage { source: name, text } => {
                writer.nul_terminated(name)?;
                writer.nul_terminated(text)
            }
            Self::CreateGame {
                owner,
                rom,
                emulator,
                game,
            } => {
                writer.nul_terminated(owner)?;
                writer.nul_terminated(rom)?;
                writer.nul_terminated(emulator)?;
                writer.u32_le(game.0)
            }
            Self::QuitGame { name, id } => {
                writer.nul_terminated(name)?;
                writer.u16_le(id.0)
            }
            Self::PlayerDrop { name, player } => {
                writer.nul_terminated(name)?;
                writer.u8(player)
            }
            _ => {
                writer.u8(0)?;
                self.encode_nameless(writer)
            }
        }
    }

    fn encode_nameless(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        match *self {
            Self::ServerStatus {
                users,
                games,
                entries,
            } => {
                writer.u32_le(users)?;
                writer.u32_le(games)?;
                writer.bytes(entries)
            }
            Self::ServerAck => encode_ack(writer),
            Self::JoinGame {
                game,
                name,
                ping,
                id,
                connection_type,
            } => {
                writer.u32_le(game.0)?;
                writer.nul_terminated(name)?;
                writer.u32_le(ping)?;
                writer.u16_le(id.0)?;
                connection_type.encode(writer)
            }
            Self::PlayerInformation { players, entries } => {
                writer.u32_le(players)?;
                writer.bytes(entries)
            }
            Self::GameStatus {
                game,
                status,
                players,
                capacity,
            } => {
                writer.u32_le(game.0)?;
                writer.bytes(&[status as u8, players, capacity])
            }
            Self::CloseGame { game } => writer.u32_le(game.0),
            Self::StartGame {
                delay,
                player,
                players,
            } => {
                writer.u16_le(delay)?;
                writer.bytes(&[player, players])
            }
            Self::GameData { input } => encode_input(input, writer),
            Self::CachedGameData { index } => writer.u8(index),
            _ => Ok(()),
        }
    }
}

/// The bytes that `check` reads: entries that can be read again without fail.
fn decode_entries<'a>(
    reader: &mut Reader<'a>,
    check: impl FnOnce(&mut Reader<'a>) -> Result<(), DecodeError>,
) -> Result<&'a [u8], DecodeError> {
    let mut ahead = reader.clone();
    check(&mut ahead)?;
    Ok(reader.bytes(reader.remaining() - ahead.remaining())?)
}
