// Stands in for the entries' encoders until message.rs has them; goes with the merge.

use crate::buffer::{Full, Writer};

impl UserEntry<'_> {
    /// Writes the entry: name, ping, status, id, connection type.
    pub fn encode(&self, w: &mut Writer<'_>) -> Result<(), Full> {
        w.nul_terminated(self.name)?;
        w.u32_le(self.ping)?;
        w.u8(self.status)?;
        w.u16_le(self.id.0)?;
        w.u8(self.connection_type as u8)
    }
}

impl GameEntry<'_> {
    /// Writes the entry: rom, number, emulator, owner, seats, status.
    pub fn encode(&self, w: &mut Writer<'_>) -> Result<(), Full> {
        w.nul_terminated(self.rom)?;
        w.u32_le(self.game.0)?;
        w.nul_terminated(self.emulator)?;
        w.nul_terminated(self.owner)?;
        w.nul_terminated(self.seats)?;
        w.u8(self.status)
    }
}

impl PlayerEntry<'_> {
    /// Writes the entry: name, ping, id, connection type.
    pub fn encode(&self, w: &mut Writer<'_>) -> Result<(), Full> {
        w.nul_terminated(self.name)?;
        w.u32_le(self.ping)?;
        w.u16_le(self.id.0)?;
        w.u8(self.connection_type as u8)
    }
}
