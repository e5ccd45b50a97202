//! Where things are, which way they look, and who they are (minecraft.md 2.3, 2).

use super::{DecodeError, Text, field::Field};
use crate::buffer::{Full, Reader, Writer};
use md5::{Digest, Md5};
use std::fmt;

/// A block: 26, 12 and 26 bits of one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Blocks to the east, -2^25 to 2^25 - 1.
    pub x: i32,
    /// Blocks up, -2,048 to 2,047.
    pub y: i32,
    /// Blocks to the south, -2^25 to 2^25 - 1.
    pub z: i32,
}

impl<'a> Field<'a> for Position {
    const LEAST: usize = 8;
    const MOST: usize = 8;

    fn wire_len(&self) -> usize {
        8
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let [x, y, z] = [self.x, self.y, self.z].map(i64::from);
        writer.i64_be((x & 0x3FF_FFFF) << 38 | (y & 0xFFF) << 26 | (z & 0x3FF_FFFF))
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let packed = reader.i64_be()?;
        Ok(Self {
            x: (packed >> 38) as i32,
            y: (packed << 26 >> 52) as i32,
            z: (packed << 38 >> 38) as i32,
        })
    }
}

/// A direction in 256ths of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Angle(pub u8);

impl Angle {
    /// The direction at `degrees`, rounded down; turns wrap around.
    pub fn from_degrees(degrees: f32) -> Self {
        Self((degrees / 360.0 * 256.0).floor() as i64 as u8)
    }
}

impl<'a> Field<'a> for Angle {
    const LEAST: usize = 1;
    const MOST: usize = 1;

    fn wire_len(&self) -> usize {
        1
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(self.0)
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Self(reader.u8()?))
    }
}

/// Who an account or an entity is.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid(pub u128);

impl Uuid {
    /// Bytes of the text with dashes.
    pub const TEXT_LEN: usize = 36;

    /// What a server without accounts gives to `name` (minecraft.md 6.2).
    pub fn offline(name: &str) -> Self {
        let mut hash = Md5::new();
        hash.update(b"OfflinePlayer:");
        hash.update(name);
        let number = u128::from_be_bytes(hash.finalize().into());
        let version = number & !(0xF << 76) | 3 << 76;
        Self(version & !(0b11 << 62) | 0b10 << 62)
    }

    /// Reads the text with dashes.
    pub fn parse(text: &str) -> Option<Self> {
        let mut number = 0;
        for (at, byte) in text.bytes().enumerate() {
            if matches!(at, 8 | 13 | 18 | 23) {
                if byte != b'-' {
                    return None;
                }
            } else {
                let digit = char::from(byte).to_digit(16)?;
                number = number << 4 | u128::from(digit);
            }
        }
        (text.len() == Self::TEXT_LEN).then_some(Self(number))
    }

    /// Lends the text with dashes, written into `place`.
    pub fn text(self, place: &mut [u8; Self::TEXT_LEN]) -> Text<'_, { Self::TEXT_LEN }> {
        let mut left = self.0;
        for (at, byte) in place.iter_mut().enumerate() {
            *byte = if matches!(at, 8 | 13 | 18 | 23) {
                b'-'
            } else {
                let digit = (left >> 124) as u32;
                left <<= 4;
                char::from_digit(digit, 16).map_or(b'0', |digit| digit as u8)
            };
        }
        Text::cut(str::from_utf8(place).unwrap_or_default())
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text(&mut [0; Self::TEXT_LEN]).as_str())
    }
}

impl fmt::Debug for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<'a> Field<'a> for Uuid {
    const LEAST: usize = 16;
    const MOST: usize = 16;

    fn wire_len(&self) -> usize {
        16
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u128_be(self.0)
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Self(reader.u128_be()?))
    }
}
