//! Values of variable length: seven bits of a number per byte, and bytes and texts that begin
//! with their length in it (minecraft.md 2.1, 2.2).

use super::{Full, Reader, Truncated, Writer};
use std::{error::Error, fmt};

/// Most bytes of a 32-bit number.
pub const MAX_VAR_INT: usize = 5;

/// Most bytes of a 64-bit number.
pub const MAX_VAR_LONG: usize = 10;

/// Why a value of variable length is none; nothing was consumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadValue {
    /// The bytes ended before the value did.
    Truncated,
    /// A number of more bytes than its width has, or a text longer than allowed.
    TooLong,
    /// A negative length.
    BadLength,
    /// A text that is not UTF-8.
    BadText,
}

impl fmt::Display for BadValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => Truncated.fmt(f),
            Self::TooLong => f.write_str("the value is longer than allowed"),
            Self::BadLength => f.write_str("the length is negative"),
            Self::BadText => f.write_str("the text is not UTF-8"),
        }
    }
}

impl Error for BadValue {}

impl From<Truncated> for BadValue {
    fn from(_: Truncated) -> Self {
        Self::Truncated
    }
}

/// How many bytes [`Writer::var_int`] takes for `value`; a negative one takes all five.
pub const fn var_int_len(value: i32) -> usize {
    groups(value.cast_unsigned() as u64)
}

/// How many bytes [`Writer::var_long`] takes for `value`; a negative one takes all ten.
pub const fn var_long_len(value: i64) -> usize {
    groups(value.cast_unsigned())
}

const fn groups(value: u64) -> usize {
    let bits = u64::BITS - (value | 1).leading_zeros();
    bits.div_ceil(7) as usize
}

impl<'a> Reader<'a> {
    /// A 32-bit number of one to five bytes, least significant first. Surplus bits of the fifth
    /// are dropped; a form longer than need be is a number, too.
    #[inline]
    pub const fn var_int(&mut self) -> Result<i32, BadValue> {
        match self.var(MAX_VAR_INT) {
            Ok(value) => Ok((value as u32).cast_signed()),
            Err(error) => Err(error),
        }
    }

    /// A 64-bit number of one to ten bytes, in the same form.
    #[inline]
    pub const fn var_long(&mut self) -> Result<i64, BadValue> {
        match self.var(MAX_VAR_LONG) {
            Ok(value) => Ok(value.cast_signed()),
            Err(error) => Err(error),
        }
    }

    /// A length, and so many bytes.
    pub const fn var_bytes(&mut self) -> Result<&'a [u8], BadValue> {
        self.limited_bytes(i32::MAX as usize)
    }

    /// A length in bytes, and so much text of at most `units` UTF-16 code units.
    pub fn var_string(&mut self, units: usize) -> Result<&'a str, BadValue> {
        self.all_or_nothing(|reader| {
            let bytes = reader.limited_bytes(units.saturating_mul(4))?;
            let text = str::from_utf8(bytes).map_err(|_| BadValue::BadText)?;
            let fits = bytes.len() <= units || text.encode_utf16().count() <= units;
            if fits {
                Ok(text)
            } else {
                Err(BadValue::TooLong)
            }
        })
    }

    const fn limited_bytes(&mut self, most: usize) -> Result<&'a [u8], BadValue> {
        let mut ahead = Self::new(self.rest());
        let len = match ahead.var_int() {
            Ok(len) if len < 0 => return Err(BadValue::BadLength),
            Ok(len) if len.cast_unsigned() as usize > most => return Err(BadValue::TooLong),
            Ok(len) => len.cast_unsigned() as usize,
            Err(error) => return Err(error),
        };
        let Ok(bytes) = ahead.bytes(len) else {
            return Err(BadValue::Truncated);
        };
        let used = ahead.position();
        match self.bytes(used) {
            Ok(_) => Ok(bytes),
            Err(_) => Err(BadValue::Truncated),
        }
    }

    #[inline]
    const fn var(&mut self, most: usize) -> Result<u64, BadValue> {
        match self.rest() {
            [] => Err(BadValue::Truncated),
            [byte @ ..0x80, ..] => {
                let value = *byte as u64;
                match self.bytes(1) {
                    Ok(_) => Ok(value),
                    Err(_) => Err(BadValue::Truncated),
                }
            }
            _ => self.long_var(most),
        }
    }

    const fn long_var(&mut self, most: usize) -> Result<u64, BadValue> {
        let mut rest = self.rest();
        let mut value = 0;
        let mut len = 0;
        while let [byte, tail @ ..] = rest {
            value |= (*byte as u64 & 0x7F) << (7 * len);
            len += 1;
            if *byte < 0x80 {
                return match self.bytes(len) {
                    Ok(_) => Ok(value),
                    Err(_) => Err(BadValue::Truncated),
                };
            }
            if len == most {
                return Err(BadValue::TooLong);
            }
            rest = tail;
        }
        Err(BadValue::Truncated)
    }
}

impl Writer<'_> {
    /// Appends a number in one to five bytes, as few as it needs.
    #[inline]
    pub const fn var_int(&mut self, value: i32) -> Result<(), Full> {
        self.var(value.cast_unsigned() as u64)
    }

    /// Appends a number in one to ten bytes, as few as it needs.
    #[inline]
    pub const fn var_long(&mut self, value: i64) -> Result<(), Full> {
        self.var(value.cast_unsigned())
    }

    /// Appends a length and `bytes`; fails if an `i32` cannot say the length.
    pub fn var_bytes(&mut self, bytes: &[u8]) -> Result<(), Full> {
        let len = i32::try_from(bytes.len()).map_err(|_| Full)?;
        self.all_or_nothing(|writer| {
            writer.var_int(len)?;
            writer.bytes(bytes)
        })
    }

    /// Appends a length in bytes and `text`.
    pub fn var_string(&mut self, text: &str) -> Result<(), Full> {
        self.var_bytes(text.as_bytes())
    }

    #[inline]
    const fn var(&mut self, value: u64) -> Result<(), Full> {
        if value < 0x80 {
            self.u8(value as u8)
        } else {
            self.long_var(value)
        }
    }

    const fn long_var(&mut self, mut value: u64) -> Result<(), Full> {
        let len = groups(value);
        let mut bytes = [0; MAX_VAR_LONG];
        let (used, _) = bytes.split_at_mut(len);
        let mut left: &mut [u8] = used;
        while let [byte, tail @ ..] = left {
            let more = if tail.is_empty() { 0 } else { 0x80 };
            *byte = (value & 0x7F) as u8 | more;
            value >>= 7;
            left = tail;
        }
        let (used, _) = bytes.split_at(len);
        self.bytes(used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Writer<'_>) -> Result<(), Full>) -> Vec<u8> {
        let mut buf = [0xEE; 600];
        let mut writer = Writer::new(&mut buf);
        write(&mut writer).unwrap();
        writer.written().to_vec()
    }

    #[test]
    fn a_form_longer_than_need_be_is_read_and_surplus_bits_are_dropped() {
        assert_eq!(Reader::new(&[0x80, 0]).var_int(), Ok(0));
        assert_eq!(
            Reader::new(&[0xFF, 0xFF, 0xFF, 0xFF, 0x7F]).var_int(),
            Ok(-1)
        );
        let mut long = [0xFF; 10];
        long[9] = 0x7F;
        assert_eq!(Reader::new(&long).var_long(), Ok(-1));
    }

    #[test]
    fn a_failed_read_consumes_nothing() {
        for bytes in [&[0xFF_u8; 11][..], &[0xFF], &[], &[3, b'a']] {
            let mut reader = Reader::new(bytes);
            assert!(reader.var_string(10).is_err());
            assert!(reader.var_bytes().is_err());
            assert_eq!(reader.rest(), bytes);
        }
        let mut reader = Reader::new(&[0xFF; 11]);
        assert_eq!(reader.var_int(), Err(BadValue::TooLong));
        assert_eq!(reader.var_long(), Err(BadValue::TooLong));
        assert_eq!(reader.remaining(), 11);
    }

    #[test]
    fn lengths_are_known_before() {
        for shift in 0..64 {
            let power = 1_i64 << shift;
            for value in [power, power.wrapping_sub(1), power.wrapping_neg()] {
                assert_eq!(written(|w| w.var_long(value)).len(), var_long_len(value));
                let value = value as i32;
                assert_eq!(written(|w| w.var_int(value)).len(), var_int_len(value));
            }
        }
    }

    #[test]
    fn a_text_is_limited_in_utf_16_units() {
        let text = "\u{1F600}\u{1F600}";
        let bytes = written(|w| w.var_string(text));
        assert_eq!(Reader::new(&bytes).var_string(4), Ok(text));
        assert_eq!(Reader::new(&bytes).var_string(3), Err(BadValue::TooLong));
        assert_eq!(Reader::new(&bytes).var_string(1), Err(BadValue::TooLong));
        assert_eq!(Reader::new(&[0]).var_string(0), Ok(""));
    }

    #[test]
    fn numbers_are_written_when_the_program_is_compiled() {
        const BYTES: [u8; 3] = {
            let mut bytes = [0; 3];
            let mut writer = Writer::new(&mut bytes);
            assert!(writer.var_int(25_565).is_ok());
            bytes
        };
        const VALUE: i32 = match Reader::new(&BYTES).var_int() {
            Ok(value) => value,
            Err(_) => 0,
        };
        assert_eq!((BYTES, VALUE), ([0xDD, 0xC7, 0x01], 25_565));
    }
}
