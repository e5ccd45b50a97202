//! The entries of the two lists a server sends.

use super::{ConnectionType, GameId, UserId};
use crate::{
    buffer::{Full, Reader, Writer},
    kaillera::DecodeError,
};

/// A user in [`super::ServerMessage::ServerStatus`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserEntry<'a> {
    /// The user's name.
    pub name: &'a [u8],
    /// Round trip in milliseconds.
    pub ping: u32,
    /// The status byte: a [`super::UserStatus`], or another value for a client that expects one.
    pub status: u8,
    /// The user's number.
    pub id: UserId,
    /// Frames per message.
    pub connection_type: ConnectionType,
}

impl<'a> UserEntry<'a> {
    /// Reads an entry.
    ///
    /// # Errors
    ///
    /// A list with an entry that cannot be read has no end: its message is to be ignored.
    pub fn decode(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Self {
            name: reader.nul_terminated()?,
            ping: reader.u32_le()?,
            status: reader.u8()?,
            id: UserId(reader.u16_le()?),
            connection_type: ConnectionType::decode(reader)?,
        })
    }

    /// Writes the entry.
    ///
    /// # Errors
    ///
    /// [`Full`], and nothing is written, if it does not fit.
    pub fn encode(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.all_or_nothing(|writer| {
            writer.nul_terminated(self.name)?;
            writer.u32_le(self.ping)?;
            writer.u8(self.status)?;
            writer.u16_le(self.id.0)?;
            self.connection_type.encode(writer)
        })
    }
}

/// A room in [`super::ServerMessage::ServerStatus`].
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
    /// The status byte: a [`super::GameStatus`], or another value for a client that expects one.
    pub status: u8,
}

impl<'a> GameEntry<'a> {
    /// Reads an entry.
    ///
    /// # Errors
    ///
    /// A list with an entry that cannot be read has no end: its message is to be ignored.
    pub fn decode(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Self {
            rom: reader.nul_terminated()?,
            game: GameId(reader.u32_le()?),
            emulator: reader.nul_terminated()?,
            owner: reader.nul_terminated()?,
            seats: reader.nul_terminated()?,
            status: reader.u8()?,
        })
    }

    /// Writes the entry.
    ///
    /// # Errors
    ///
    /// [`Full`], and nothing is written, if it does not fit.
    pub fn encode(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.all_or_nothing(|writer| {
            writer.nul_terminated(self.rom)?;
            writer.u32_le(self.game.0)?;
            writer.nul_terminated(self.emulator)?;
            writer.nul_terminated(self.owner)?;
            writer.nul_terminated(self.seats)?;
            writer.u8(self.status)
        })
    }
}

/// A member in [`super::ServerMessage::PlayerInformation`].
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

impl<'a> PlayerEntry<'a> {
    /// Reads an entry.
    ///
    /// # Errors
    ///
    /// A list with an entry that cannot be read has no end: its message is to be ignored.
    pub fn decode(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Self {
            name: reader.nul_terminated()?,
            ping: reader.u32_le()?,
            id: UserId(reader.u16_le()?),
            connection_type: ConnectionType::decode(reader)?,
        })
    }

    /// Writes the entry.
    ///
    /// # Errors
    ///
    /// [`Full`], and nothing is written, if it does not fit.
    pub fn encode(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.all_or_nothing(|writer| {
            writer.nul_terminated(self.name)?;
            writer.u32_le(self.ping)?;
            writer.u16_le(self.id.0)?;
            self.connection_type.encode(writer)
        })
    }
}
