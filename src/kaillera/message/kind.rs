//! The kinds of messages: number, name, direction, wire forms.

/// Who may send a kind of message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Clients.
    ToServer,
    /// Servers.
    ToClient,
    /// Both, in a form of their own each.
    Both,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $number:literal $name:ident $direction:ident)*) => {
        /// A kind of message.
        ///
        /// The diagrams show bodies, which follow the kind byte: a `str` ends with one zero
        /// byte, integers are little-endian, and `00` stands where a user's name could: clients
        /// leave it empty, and a server skips what it finds there.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Kind {
            $($(#[$doc])* $name = $number,)*
        }

        impl Kind {
            /// Every kind, by number.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The kind with this number; `None` outside 0x01..=0x17.
            pub const fn from_byte(byte: u8) -> Option<Self> {
                match byte {
                    $($number => Some(Self::$name),)*
                    _ => None,
                }
            }

            /// The name the protocol's documents use.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }

            /// Who may send it.
            pub const fn direction(self) -> Direction {
                match self {
                    $(Self::$name => Direction::$direction,)*
                }
            }
        }
    };
}

kinds! {
    /// A user leaves the server.
    ///
    /// ```text
    /// to server | 00       | u16 ffff | str message |
    /// to client | str name | u16 id   | str message |
    /// ```
    0x01 Quit Both

    /// A user entered the server.
    ///
    /// ```text
    /// to client | str name | u16 id | u32 ping | u8 connection type |
    /// ```
    0x02 UserJoined ToClient

    /// A user asks to log in.
    ///
    /// ```text
    /// to server | str name | str emulator | u8 connection type |
    /// ```
    0x03 UserInformation ToServer

    /// Who is there, and which rooms; a long list comes in several messages.
    ///
    /// ```text
    /// to client | 00 | u32 users | u32 games | users x user | games x game |
    /// user      | str name | u32 ping | u8 status | u16 id | u8 connection type |
    /// game      | str rom | u32 game | str emulator | str owner | str seats | u8 status |
    /// ```
    0x04 ServerStatus ToClient

    /// Asks a client that logs in for a [`Kind::ClientAck`].
    ///
    /// ```text
    /// to client | 00 | u32 0 | u32 1 | u32 2 | u32 3 |
    /// ```
    0x05 ServerAck ToClient

    /// Answers a [`Kind::ServerAck`] at once, which measures the ping.
    ///
    /// ```text
    /// to server | 00 | u32 0 | u32 1 | u32 2 | u32 3 |
    /// ```
    0x06 ClientAck ToServer

    /// A line for the lobby.
    ///
    /// ```text
    /// to server | 00       | str text |
    /// to client | str name | str text |
    /// ```
    0x07 Chat Both

    /// A line for the room.
    ///
    /// ```text
    /// to server | 00       | str text |
    /// to client | str name | str text |
    /// ```
    0x08 GameChat Both

    /// A sign of life outside games.
    ///
    /// ```text
    /// to server | u8 any |
    /// ```
    0x09 KeepAlive ToServer

    /// Opens a room.
    ///
    /// ```text
    /// to server | 00        | str rom | 00           | u32 ffffffff |
    /// to client | str owner | str rom | str emulator | u32 game     |
    /// ```
    0x0A CreateGame Both

    /// A member leaves its room.
    ///
    /// ```text
    /// to server | 00       | u16 ffff |
    /// to client | str name | u16 id   |
    /// ```
    0x0B QuitGame Both

    /// A user enters a room.
    ///
    /// ```text
    /// to server | 00 | u32 game | 00       | u32 0    | u16 ffff | u8 connection type |
    /// to client | 00 | u32 game | str name | u32 ping | u16 id   | u8 connection type |
    /// ```
    0x0C JoinGame Both

    /// Who is in the room, for one who enters.
    ///
    /// ```text
    /// to client | 00 | u32 players | players x player |
    /// player    | str name | u32 ping | u16 id | u8 connection type |
    /// ```
    0x0D PlayerInformation ToClient

    /// How a room stands.
    ///
    /// ```text
    /// to client | 00 | u32 game | u8 status | u8 players | u8 capacity |
    /// ```
    0x0E GameStatus ToClient

    /// A room's owner removes a member.
    ///
    /// ```text
    /// to server | 00 | u16 id |
    /// ```
    0x0F GameKick ToServer

    /// A room is gone.
    ///
    /// ```text
    /// to client | 00 | u32 game |
    /// ```
    0x10 CloseGame ToClient

    /// A game starts.
    ///
    /// ```text
    /// to server | 00 | u16 ffff  | u8 ff     | u8 ff      |
    /// to client | 00 | u16 delay | u8 player | u8 players |
    /// ```
    0x11 StartGame Both

    /// Inputs: a client's own, or everybody's interleaved by frame.
    ///
    /// ```text
    /// both      | 00 | u16 n | n bytes |
    /// ```
    0x12 GameData Both

    /// Inputs that were sent before, as their place in a cache of 256.
    ///
    /// ```text
    /// both      | 00 | u8 index |
    /// ```
    0x13 CachedGameData Both

    /// A player stops playing and stays in the room.
    ///
    /// ```text
    /// to server | 00       | u8 0      |
    /// to client | str name | u8 player |
    /// ```
    0x14 PlayerDrop Both

    /// A player is ready; all are ready.
    ///
    /// ```text
    /// both      | 00 |
    /// ```
    0x15 AllReady Both

    /// A login is refused.
    ///
    /// ```text
    /// to client | str name | u16 id | str reason |
    /// ```
    0x16 ConnectionRejected ToClient

    /// A line from the server itself.
    ///
    /// ```text
    /// to client | str source | str text |
    /// ```
    0x17 InformationMessage ToClient
}

impl Kind {
    /// Whether a client may send it.
    pub const fn sent_by_client(self) -> bool {
        matches!(self.direction(), Direction::ToServer | Direction::Both)
    }

    /// Whether a server may send it.
    pub const fn sent_by_server(self) -> bool {
        matches!(self.direction(), Direction::ToClient | Direction::Both)
    }
}
