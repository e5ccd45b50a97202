//! The 4 or 8 bytes before each payload (maple.md 2).
//!
//! ```text
//! Standard   0      2      4          A = IV bytes 2 and 3 XOR V;  B = A XOR length
//!          +------+------+-- payload  V = the version to the server, its complement to the client
//!          |  A   |  B   |            integers are little-endian
//!          +------+------+--
//! Extended   0      2               4                8          for payloads from 65,280 bytes on
//!          +------+---------------+----------------+-- payload
//!          |  A   | A XOR 0xFF00  | length XOR A   |
//!          +------+---------------+----------------+--
//! Old        0      2      4
//!          +------+--------+-- payload
//!          |  A   | length |
//!          +------+--------+--
//! ```

#![forbid(unsafe_code)]

use super::{DecodeError, EncodeError, Iv};
use std::ops::Deref;

/// Bytes of the header of all packets but the longest of newer clients.
pub const HEADER_LEN: usize = 4;

/// Bytes of the longest header.
pub const MAX_HEADER_LEN: usize = 8;

/// The short length that says that a longer one follows; payloads from here on take it.
pub const EXTENDED_MARKER: usize = 0xFF00;

/// Which way packets go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the client to the server.
    ToServer,
    /// From the server to the client.
    ToClient,
}

impl Direction {
    /// What the header's first field is XORed with.
    pub const fn mask(self, version: u16) -> u16 {
        match self {
            Self::ToServer => version,
            Self::ToClient => !version,
        }
    }
}

/// How a header tells the length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeaderForm {
    /// 4 bytes.
    #[default]
    Standard,
    /// 4 bytes, or 8 from [`EXTENDED_MARKER`] on; cannot be told from the other by looking.
    Extended,
    /// 4 bytes, the length in clear (2004).
    Old,
}

impl HeaderForm {
    /// The longest payload the header can announce.
    pub const fn max_len(self) -> usize {
        match self {
            Self::Standard | Self::Old => u16::MAX as usize,
            Self::Extended => i32::MAX as usize,
        }
    }

    /// Bytes of the header of a payload of `len` bytes.
    pub const fn header_len(self, len: usize) -> usize {
        if self.is_long(len) {
            MAX_HEADER_LEN
        } else {
            HEADER_LEN
        }
    }

    /// Whether a payload of `len` bytes takes the 8-byte header.
    pub const fn is_long(self, len: usize) -> bool {
        matches!(self, Self::Extended) && len >= EXTENDED_MARKER
    }
}

/// A header to be sent; reads as its bytes.
// Aligned, so that its bytes are moved as one: in pieces they could not be read again at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(8))]
pub struct Header {
    bytes: [u8; MAX_HEADER_LEN],
    len: u8,
}

impl Header {
    /// The header of a payload of `len` bytes; fails if the form cannot say that.
    #[inline]
    pub fn new(form: HeaderForm, mask: u16, iv: Iv, len: usize) -> Result<Self, EncodeError> {
        if len > form.max_len() {
            return Err(EncodeError::TooLong);
        }
        let a = iv.sequence() ^ mask;
        // Within the limit just checked, so no bits are lost.
        let (b, c) = match form {
            HeaderForm::Old => (len as u16, 0),
            _ if form.is_long(len) => (a ^ EXTENDED_MARKER as u16, len as u32 ^ u32::from(a)),
            _ => (a ^ len as u16, 0),
        };
        let all = u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32;
        Ok(Self {
            bytes: all.to_le_bytes(),
            len: form.header_len(len) as u8,
        })
    }

    /// Writes itself over `room`, which is as long as it is.
    #[inline]
    pub(super) fn fill(self, room: &mut [u8]) {
        if let (Ok(room), Some(short)) = (
            <&mut [u8; HEADER_LEN]>::try_from(&mut *room),
            self.bytes.first_chunk(),
        ) {
            *room = *short;
        } else {
            room.copy_from_slice(&self);
        }
    }
}

impl Deref for Header {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }
}

/// What a received header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Announced {
    /// Bytes of the header.
    pub header_len: usize,
    /// Bytes of the payload.
    pub len: usize,
}

impl Announced {
    /// Reads the header at the start of `bytes`; `None` while it is incomplete.
    ///
    /// Fails if it was not made with this mask and IV: 16 bits of proof, so no authentication.
    pub fn parse(
        form: HeaderForm,
        mask: u16,
        iv: Iv,
        bytes: &[u8],
    ) -> Result<Option<Self>, DecodeError> {
        let Some((&[a0, a1, b0, b1], rest)) = bytes.split_first_chunk::<HEADER_LEN>() else {
            return Ok(None);
        };
        let a = u16::from_le_bytes([a0, a1]);
        if a ^ mask != iv.sequence() {
            return Err(DecodeError::BadHeader);
        }
        let b = u16::from_le_bytes([b0, b1]);
        let short = usize::from(if form == HeaderForm::Old { b } else { a ^ b });
        if form != HeaderForm::Extended || short != EXTENDED_MARKER {
            return Ok(Some(Self {
                header_len: HEADER_LEN,
                len: short,
            }));
        }
        // The top bit is a flag of some servers (maple.md 2.3).
        Ok(rest.first_chunk::<4>().map(|&field| Self {
            header_len: MAX_HEADER_LEN,
            len: ((u32::from_le_bytes(field) ^ u32::from(a)) & 0x7FFF_FFFF) as usize,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IV: Iv = Iv::new([0x52, 0x30, 0x78, 0x73]);

    #[test]
    fn the_specs_example() {
        let to_client = Direction::ToClient.mask(83);
        let header = Header::new(HeaderForm::Standard, to_client, IV, 2);
        assert_eq!(header.as_deref(), Ok([0xD4, 0x8C, 0xD6, 0x8C].as_slice()));
        let to_server = Direction::ToServer.mask(83);
        let header = Header::new(HeaderForm::Standard, to_server, IV, 2);
        assert_eq!(header.as_deref(), Ok([0x2B, 0x73, 0x29, 0x73].as_slice()));
    }

    #[test]
    fn the_old_form_shows_the_length() {
        let header = Header::new(HeaderForm::Old, 0, IV, 0x1234).unwrap();
        assert_eq!(*header, [0x78, 0x73, 0x34, 0x12]);
        let announced = Announced::parse(HeaderForm::Old, 0, IV, &header).unwrap();
        assert_eq!(announced.map(|it| it.len), Some(0x1234));
    }

    #[test]
    fn a_form_refuses_what_it_cannot_say() {
        for form in [HeaderForm::Standard, HeaderForm::Old] {
            assert!(Header::new(form, 0, IV, 65_535).is_ok());
            assert_eq!(Header::new(form, 0, IV, 65_536), Err(EncodeError::TooLong));
        }
        assert!(Header::new(HeaderForm::Extended, 0, IV, 65_536).is_ok());
    }

    #[test]
    fn a_flag_in_the_long_length_is_ignored() {
        let mut header = Header::new(HeaderForm::Extended, 9, IV, 0x1_0000).unwrap();
        header.bytes[7] ^= 0x80;
        let announced = Announced::parse(HeaderForm::Extended, 9, IV, &header).unwrap();
        assert_eq!(announced.map(|it| it.len), Some(0x1_0000));
    }

    #[test]
    fn a_header_is_awaited_whole() {
        let header = Header::new(HeaderForm::Extended, 9, IV, 0x1_0000).unwrap();
        for len in 0..header.len() {
            let parsed = Announced::parse(HeaderForm::Extended, 9, IV, &header[..len]);
            assert_eq!(parsed, Ok(None), "{len} bytes");
        }
        let other = Iv::new([0x52, 0x30, 0x78, 0x74]);
        assert_eq!(
            Announced::parse(HeaderForm::Extended, 9, other, &header),
            Err(DecodeError::BadHeader)
        );
    }
}
