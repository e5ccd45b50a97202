//! Packets that send a client to another server, and the one it introduces itself with there
//! (maple.md 12).
//!
//! ```text
//! select     opcode   0   0   address ×4   port   character
//! migrate    opcode   1       address ×4   port
//! come in    opcode           character                       (KMS from 197 on: ×4, character)
//!                     each may be followed by more
//! ```

#![forbid(unsafe_code)]

use super::{Opcodes, Profile, Region};
use crate::buffer::{Reader, Truncated, Writer};
use std::net::{Ipv4Addr, SocketAddrV4};

/// A character of one server, as it numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CharacterId(pub u32);

/// What a server's packet tells its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migration {
    /// Where to go.
    pub to: SocketAddrV4,
    /// Whose move it is, if the packet says.
    pub character: Option<CharacterId>,
    /// Where in the payload the address begins; the port follows it.
    address_at: usize,
}

/// Finds and rewrites migrations in the payloads of one version.
#[derive(Clone, Copy, Debug)]
pub struct Migrations {
    opcodes: Opcodes,
    opcode_len: usize,
    /// Where the character is in the client's first packet.
    character_at: usize,
    /// Lengths of the select and migrate packets where the version has one only.
    exact: Option<(usize, usize)>,
}

impl Migrations {
    /// For the clients of `profile`, whose opcodes are `opcodes`.
    pub fn new(profile: &Profile, opcodes: Opcodes) -> Self {
        let opcode_len = profile.opcode_len;
        let has_prefix = profile.region == Region::Kms && profile.version >= 197;
        // Later versions add something at the end of each (maple.md 12).
        let is_plain = profile.region == Region::Gms && profile.version <= 95;
        Self {
            opcodes,
            opcode_len,
            character_at: opcode_len + if has_prefix { 4 } else { 0 },
            exact: is_plain.then_some((opcode_len + 17, opcode_len + 7)),
        }
    }

    /// Whether a packet to the client can be a migration by its length alone.
    pub fn can_be(&self, len: usize) -> bool {
        match self.exact {
            Some((select, migrate)) => len == select || len == migrate,
            None => len >= self.opcode_len + 7,
        }
    }

    /// Whether `opcode` is one of a packet that can be a migration.
    pub fn is_opcode(&self, opcode: u16) -> bool {
        let Opcodes {
            select_result,
            select_by_vac_result,
            migrate_command,
            ..
        } = self.opcodes;
        [select_result, select_by_vac_result, migrate_command].contains(&Some(opcode))
    }

    /// What a packet to the client says, if it is a migration and no refusal of one.
    pub fn read(&self, payload: &[u8]) -> Option<Migration> {
        self.try_read(payload).ok().flatten()
    }

    fn try_read(&self, payload: &[u8]) -> Result<Option<Migration>, Truncated> {
        let mut reader = Reader::new(payload);
        let opcode = self.opcode(&mut reader)?;
        let is_select = match Some(opcode) {
            it if it == self.opcodes.migrate_command => false,
            it if it == self.opcodes.select_result => true,
            it if it == self.opcodes.select_by_vac_result => true,
            _ => return Ok(None),
        };
        let goes = match is_select {
            true => reader.array()? == [0, 0],
            false => reader.array()? == [1],
        };
        let address_at = payload.len() - reader.remaining();
        let address = Ipv4Addr::from(reader.array::<4>()?);
        let port = reader.u16_le()?;
        let character = match is_select {
            true => Some(CharacterId(reader.u32_le()?)),
            false => None,
        };
        // Nowhere: one server says so that there is nowhere to go (maple.md 12.1).
        let goes = goes && port != 0;
        Ok(goes.then_some(Migration {
            to: SocketAddrV4::new(address, port),
            character,
            address_at,
        }))
    }

    /// Sends the client of a migration's `payload` to `public` instead; its length stays.
    pub fn redirect(&self, payload: &mut [u8], migration: Migration, public: SocketAddrV4) {
        let place = payload.get_mut(migration.address_at..);
        let mut writer = Writer::new(place.unwrap_or_default());
        // It was read from there, so there is room.
        let _ = writer.bytes(&public.ip().octets());
        let _ = writer.u16_le(public.port());
    }

    /// Whose first packet on a game server `payload` is; `None` if it is another packet.
    pub fn comes_in(&self, payload: &[u8]) -> Option<CharacterId> {
        let opcode = self.opcode(&mut Reader::new(payload)).ok()?;
        if Some(opcode) != self.opcodes.migrate_in {
            return None;
        }
        let mut reader = Reader::new(payload.get(self.character_at..)?);
        Some(CharacterId(reader.u32_le().ok()?))
    }

    /// Whether `opcode` is that of a client's first packet on a game server.
    pub fn is_arrival(&self, opcode: u16) -> bool {
        self.opcodes.migrate_in == Some(opcode)
    }

    fn opcode(&self, reader: &mut Reader<'_>) -> Result<u16, Truncated> {
        match self.opcode_len {
            1 => Ok(u16::from(reader.u8()?)),
            _ => reader.u16_le(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLIC: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(203, 0, 113, 10), 8484);

    fn bytes(hex: &str) -> Vec<u8> {
        let bytes = hex.split(' ').map(|byte| u8::from_str_radix(byte, 16));
        bytes.collect::<Result<_, _>>().unwrap()
    }

    fn migrations(profile: &Profile) -> Migrations {
        let opcodes = Opcodes::find(profile.region, profile.version).unwrap();
        Migrations::new(profile, opcodes)
    }

    #[track_caller]
    fn redirected(profile: &Profile, plain: &str, becomes: &str) -> Migration {
        let migrations = migrations(profile);
        let mut payload = bytes(plain);
        assert!(migrations.can_be(payload.len()));
        let migration = migrations.read(&payload).unwrap();
        migrations.redirect(&mut payload, migration, PUBLIC);
        assert_eq!(payload, bytes(becomes));
        migration
    }

    #[test]
    fn the_examples_are_redirected() {
        let migration = redirected(
            &Profile::GMS_83,
            "0C 00 00 00 7F 00 00 01 97 1D 31 75 00 00 00 00 00 00 00",
            "0C 00 00 00 CB 00 71 0A 24 21 31 75 00 00 00 00 00 00 00",
        );
        assert_eq!(migration.character, Some(CharacterId(30_001)));
        assert_eq!(migration.to.to_string(), "127.0.0.1:7575");
        redirected(
            &Profile::GMS_83,
            "10 00 01 7F 00 00 01 97 1D",
            "10 00 01 CB 00 71 0A 24 21",
        );
        let migration = redirected(
            &Profile::GMS_28,
            "0F 01 7F 00 00 01 ED 21",
            "0F 01 CB 00 71 0A 24 21",
        );
        assert_eq!(migration.to.port(), 8685);
    }

    #[test]
    fn refusals_and_strangers_are_left_alone() {
        let migrations = migrations(&Profile::GMS_83);
        for hex in [
            "0C 00 01 00",
            "0C 00 06 00 7F 00 00 01 97 1D 31 75 00 00 00 00 00 00 00",
            "0C 00 00 00 00 00 00 00 00 00 31 75 00 00 00 00 00 00 00",
            "10 00 00 7F 00 00 01 97 1D",
            "10 00 01 7F 00 00 01 97",
            "11 00 01 7F 00 00 01 97 1D",
            "0C",
        ] {
            assert_eq!(migrations.read(&bytes(hex)), None, "{hex}");
        }
    }

    #[test]
    fn the_first_packet_says_who_comes() {
        let id = Some(CharacterId(30_001));
        let v83 = migrations(&Profile::GMS_83);
        assert_eq!(v83.comes_in(&bytes("14 00 31 75 00 00")), id);
        assert_eq!(v83.comes_in(&bytes("14 00 31 75 00 00 00 00")), id);
        assert_eq!(v83.comes_in(&bytes("14 00 31 75 00")), None);
        assert_eq!(v83.comes_in(&bytes("01 00 31 75 00 00")), None);
        let v28 = migrations(&Profile::GMS_28);
        assert_eq!(v28.comes_in(&bytes("0C 31 75 00 00")), id);
    }
}
