//! The table of messages (kaillera.md 3).
//!
//! [`Kind`] is the table: numbers, names, directions and wire forms. What a client says is a
//! [`ClientMessage`], what a server says a [`ServerMessage`]; both borrow the bytes they were
//! read from.
//!
//! Texts are bytes without their terminator, in whatever character set the sender uses;
//! they are relayed unchanged.

mod client;
mod entry;
mod kind;
mod server;

pub use client::ClientMessage;
pub use entry::{GameEntry, PlayerEntry, UserEntry};
pub use kind::{Direction, Kind};
pub use server::ServerMessage;

use super::DecodeError;
use crate::buffer::{Full, Reader, Writer};

/// Most bytes of input in one message of game data from a client.
pub const MAX_INPUT: usize = 2048;

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

impl ConnectionType {
    /// The type with this number; `None` outside 1..=6.
    pub const fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            1 => Self::Lan,
            2 => Self::Excellent,
            3 => Self::Good,
            4 => Self::Average,
            5 => Self::Low,
            6 => Self::Bad,
            _ => return None,
        })
    }

    /// How many frames one message of game data carries, 1..=6.
    pub const fn frames(self) -> usize {
        self as usize
    }

    /// The name that clients show.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lan => "LAN",
            Self::Excellent => "Excellent",
            Self::Good => "Good",
            Self::Average => "Average",
            Self::Low => "Low",
            Self::Bad => "Bad",
        }
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Self::from_byte(reader.u8()?).ok_or(DecodeError::BadValue)
    }

    fn encode(self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(self as u8)
    }
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

impl UserStatus {
    /// The status with this number; `None` above 2.
    pub const fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            0 => Self::Playing,
            1 => Self::Idle,
            2 => Self::Connecting,
            _ => return None,
        })
    }
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

impl GameStatus {
    /// The status with this number; `None` above 2.
    pub const fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            0 => Self::Waiting,
            1 => Self::Synchronizing,
            2 => Self::Playing,
            _ => return None,
        })
    }
}

/// A user's number on the wire, 1..=65535.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId(pub u16);

/// A room's number on the wire, 1..=65535 in 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(pub u32);

/// Writes what both acks say; nobody checks it.
fn encode_ack(writer: &mut Writer<'_>) -> Result<(), Full> {
    (0..4).try_for_each(|value| writer.u32_le(value))
}

/// Reads the counted bytes of game data; they are never empty.
fn decode_input<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], DecodeError> {
    match reader.u16_le()? {
        0 => Err(DecodeError::BadValue),
        count => Ok(reader.bytes(usize::from(count))?),
    }
}

fn encode_input(input: &[u8], writer: &mut Writer<'_>) -> Result<(), Full> {
    debug_assert!(!input.is_empty(), "game data is never empty");
    writer.u16_le(u16::try_from(input.len()).map_err(|_| Full)?)?;
    writer.bytes(input)
}

#[cfg(test)]
mod tests;
