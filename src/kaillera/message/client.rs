//! What a client says.

use super::{
    ConnectionType, GameId, Kind, MAX_INPUT, UserId, decode_input, encode_ack, encode_input,
};
use crate::{
    buffer::{Full, Reader, Truncated, Writer},
    kaillera::DecodeError,
};

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

impl<'a> ClientMessage<'a> {
    /// Its line in the table of messages.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Quit { .. } => Kind::Quit,
            Self::UserInformation { .. } => Kind::UserInformation,
            Self::ClientAck => Kind::ClientAck,
            Self::Chat { .. } => Kind::Chat,
            Self::GameChat { .. } => Kind::GameChat,
            Self::KeepAlive => Kind::KeepAlive,
            Self::CreateGame { .. } => Kind::CreateGame,
            Self::QuitGame => Kind::QuitGame,
            Self::JoinGame { .. } => Kind::JoinGame,
            Self::GameKick { .. } => Kind::GameKick,
            Self::StartGame => Kind::StartGame,
            Self::GameData { .. } => Kind::GameData,
            Self::CachedGameData { .. } => Kind::CachedGameData,
            Self::PlayerDrop => Kind::PlayerDrop,
            Self::AllReady => Kind::AllReady,
        }
    }

    /// Reads what follows the kind byte of a message; bytes left over are ignored.
    ///
    /// Fields that only a server fills in are skipped, whatever they hold, and where nothing
    /// behind them matters the body may end early (kaillera.md 2.3, 14).
    ///
    /// # Errors
    ///
    /// The message is to be ignored, but its number counts as received.
    pub fn decode(kind: u8, body: &'a [u8]) -> Result<Self, DecodeError> {
        let kind = Kind::from_byte(kind)
            .filter(|kind| kind.sent_by_client())
            .ok_or(DecodeError::UnknownKind)?;
        let mut reader = Reader::new(body);
        Ok(match kind {
            Kind::Quit => Self::Quit {
                message: decode_parting_words(&mut reader).unwrap_or_default(),
            },
            Kind::UserInformation => Self::UserInformation {
                name: reader.nul_terminated()?,
                emulator: reader.nul_terminated()?,
                connection_type: ConnectionType::decode(&mut reader)?,
            },
            // One client sends its acks a byte short.
            Kind::ClientAck => reader.u8().map(|_| Self::ClientAck)?,
            Kind::Chat => Self::Chat {
                text: decode_line(&mut reader)?,
            },
            Kind::GameChat => Self::GameChat {
                text: decode_line(&mut reader)?,
            },
            Kind::KeepAlive => Self::KeepAlive,
            Kind::CreateGame => {
                let rom = decode_line(&mut reader)?;
                reader.nul_terminated()?;
                reader.u32_le()?;
                Self::CreateGame { rom }
            }
            Kind::QuitGame => Self::QuitGame,
            Kind::JoinGame => {
                reader.nul_terminated()?;
                Self::JoinGame {
                    game: GameId(reader.u32_le()?),
                }
            }
            Kind::GameKick => {
                reader.nul_terminated()?;
                Self::GameKick {
                    user: UserId(reader.u16_le()?),
                }
            }
            Kind::StartGame => Self::StartGame,
            Kind::GameData => {
                reader.nul_terminated()?;
                let input = decode_input(&mut reader)?;
                if input.len() > MAX_INPUT {
                    return Err(DecodeError::BadValue);
                }
                Self::GameData { input }
            }
            Kind::CachedGameData => {
                reader.nul_terminated()?;
                Self::CachedGameData {
                    index: reader.u8()?,
                }
            }
            Kind::PlayerDrop => reader.u8().map(|_| Self::PlayerDrop)?,
            Kind::AllReady => Self::AllReady,
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
            Self::UserInformation { name, .. } => writer.nul_terminated(name)?,
            _ => writer.u8(0)?,
        }
        match *self {
            Self::Quit { message } => {
                writer.u16_le(u16::MAX)?;
                writer.nul_terminated(message)
            }
            Self::UserInformation {
                emulator,
                connection_type,
                ..
            } => {
                writer.nul_terminated(emulator)?;
                connection_type.encode(writer)
            }
            Self::Chat { text } | Self::GameChat { text } => writer.nul_terminated(text),
            Self::CreateGame { rom } => {
                writer.nul_terminated(rom)?;
                writer.u8(0)?;
                writer.u32_le(u32::MAX)
            }
            Self::QuitGame => writer.u16_le(u16::MAX),
            Self::JoinGame { game } => {
                writer.u32_le(game.0)?;
                writer.u8(0)?;
                writer.u32_le(0)?;
                writer.u16_le(u16::MAX)?;
                // Servers use the type of the login.
                ConnectionType::Lan.encode(writer)
            }
            Self::GameKick { user } => writer.u16_le(user.0),
            Self::StartGame => writer.u32_le(u32::MAX),
            Self::GameData { input } => encode_input(input, writer),
            Self::CachedGameData { index } => writer.u8(index),
            Self::PlayerDrop => writer.u8(0),
            Self::ClientAck => encode_ack(writer),
            Self::KeepAlive | Self::AllReady => Ok(()),
        }
    }
}

/// A text behind the empty user name.
fn decode_line<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], Truncated> {
    reader.nul_terminated()?;
    reader.nul_terminated()
}

fn decode_parting_words<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], Truncated> {
    reader.nul_terminated()?;
    reader.u16_le()?;
    reader.nul_terminated()
}
