//! Checked reads from a borrowed slice.

use super::Number;
use std::{error::Error, fmt};

/// The slice ended before the value did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncated;

impl fmt::Display for Truncated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes ended before the value did")
    }
}

impl Error for Truncated {}

/// Reads values from the front of a slice; every integer read names its byte order.
///
/// A read that fails with [`Truncated`] consumes nothing.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    all: &'a [u8],
}

/// A read of each number: its width, its order, its name.
macro_rules! numbers {
    ($($name:ident: $number:ty = $decode:path, $doc:literal;)*) => {
        $(
            #[doc = $doc]
            #[inline]
            pub const fn $name(&mut self) -> Result<$number, Truncated> {
                match self.array() {
                    Ok(bytes) => Ok($decode(bytes)),
                    Err(truncated) => Err(truncated),
                }
            }
        )*
    };
}

impl<'a> Reader<'a> {
    /// A reader over all of `bytes`.
    #[inline]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            all: bytes,
        }
    }

    /// The bytes not read yet.
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// How many bytes are left.
    pub const fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Whether everything has been read.
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// How many bytes lie before the next one to be read.
    pub const fn position(&self) -> usize {
        self.all.len() - self.rest.len()
    }

    /// Reads on at `position`, counted from the first byte; the end itself is allowed.
    pub fn seek(&mut self, position: usize) -> Result<(), Truncated> {
        self.rest = self.all.get(position..).ok_or(Truncated)?;
        Ok(())
    }

    /// Passes over the next `count` bytes.
    pub fn skip(&mut self, count: usize) -> Result<(), Truncated> {
        self.bytes(count).map(drop)
    }

    /// The next `count` bytes.
    #[inline]
    pub const fn bytes(&mut self, count: usize) -> Result<&'a [u8], Truncated> {
        match self.rest.split_at_checked(count) {
            Some((head, tail)) => {
                self.rest = tail;
                Ok(head)
            }
            None => Err(Truncated),
        }
    }

    /// The next `N` bytes as an array.
    #[inline]
    pub const fn array<const N: usize>(&mut self) -> Result<[u8; N], Truncated> {
        match self.rest.split_first_chunk::<N>() {
            Some((head, tail)) => {
                self.rest = tail;
                Ok(*head)
            }
            None => Err(Truncated),
        }
    }

    /// A number in big-endian order.
    #[inline]
    pub fn read<T: Number>(&mut self) -> Result<T, Truncated> {
        T::read_be(self)
    }

    /// A number in little-endian order.
    #[inline]
    pub fn read_le<T: Number>(&mut self) -> Result<T, Truncated> {
        T::read_le(self)
    }

    /// One byte; anything but zero is true.
    #[inline]
    pub const fn bool(&mut self) -> Result<bool, Truncated> {
        match self.u8() {
            Ok(byte) => Ok(byte != 0),
            Err(truncated) => Err(truncated),
        }
    }

    /// Runs `read` on the next `count` bytes, which it has to use up; if it fails, nothing is
    /// consumed.
    ///
    /// The length is checked once: reads of fixed widths within it cost no further check.
    #[inline]
    pub fn exactly<T, E: From<Truncated>>(
        &mut self,
        count: usize,
        read: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let (head, tail) = self.rest.split_at_checked(count).ok_or(Truncated)?;
        let mut inner = Self::new(head);
        let value = read(&mut inner)?;
        if !inner.is_empty() {
            return Err(E::from(Truncated));
        }
        self.rest = tail;
        Ok(value)
    }

    /// Runs `read`; if it fails, nothing is consumed.
    #[inline]
    pub fn all_or_nothing<T, E>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let start = self.rest;
        let result = read(self);
        if result.is_err() {
            self.rest = start;
        }
        result
    }

    numbers! {
        u8: u8 = u8::from_le_bytes, "One byte.";
        i8: i8 = i8::from_le_bytes, "One byte, signed.";
        u16_le: u16 = u16::from_le_bytes, "Two bytes, little-endian.";
        u16_be: u16 = u16::from_be_bytes, "Two bytes, big-endian.";
        i16_le: i16 = i16::from_le_bytes, "Two bytes, signed, little-endian.";
        i16_be: i16 = i16::from_be_bytes, "Two bytes, signed, big-endian.";
        u32_le: u32 = u32::from_le_bytes, "Four bytes, little-endian.";
        u32_be: u32 = u32::from_be_bytes, "Four bytes, big-endian.";
        i32_le: i32 = i32::from_le_bytes, "Four bytes, signed, little-endian.";
        i32_be: i32 = i32::from_be_bytes, "Four bytes, signed, big-endian.";
        u64_le: u64 = u64::from_le_bytes, "Eight bytes, little-endian.";
        u64_be: u64 = u64::from_be_bytes, "Eight bytes, big-endian.";
        i64_le: i64 = i64::from_le_bytes, "Eight bytes, signed, little-endian.";
        i64_be: i64 = i64::from_be_bytes, "Eight bytes, signed, big-endian.";
        u128_le: u128 = u128::from_le_bytes, "Sixteen bytes, little-endian.";
        u128_be: u128 = u128::from_be_bytes, "Sixteen bytes, big-endian.";
        f32_le: f32 = f32::from_le_bytes, "An IEEE single, little-endian.";
        f32_be: f32 = f32::from_be_bytes, "An IEEE single, big-endian.";
        f64_le: f64 = f64::from_le_bytes, "An IEEE double, little-endian.";
        f64_be: f64 = f64::from_be_bytes, "An IEEE double, big-endian.";
    }

    /// The bytes before the next zero byte; the zero is consumed and left out.
    pub fn nul_terminated(&mut self) -> Result<&'a [u8], Truncated> {
        let end = self
            .rest
            .iter()
            .position(|&byte| byte == 0)
            .ok_or(Truncated)?;
        let text = self.bytes(end)?;
        self.u8()?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_in_order_and_little_endian() {
        let mut reader = Reader::new(&[1, 2, 3, 4, 5, 6, 7, b'a', 0, 9]);
        assert_eq!(reader.u8(), Ok(1));
        assert_eq!(reader.u16_le(), Ok(0x0302));
        assert_eq!(reader.u32_le(), Ok(0x0706_0504));
        assert_eq!(reader.nul_terminated(), Ok(b"a".as_slice()));
        assert_eq!(reader.remaining(), 1);
        assert_eq!(reader.bytes(1), Ok([9].as_slice()));
        assert!(reader.is_empty());
        assert_eq!(reader.bytes(0), Ok([].as_slice()));
    }

    #[test]
    fn a_failed_read_consumes_nothing() {
        let bytes = [1, 2, 3];
        let mut reader = Reader::new(&bytes);
        assert_eq!(reader.u32_le(), Err(Truncated));
        assert_eq!(reader.bytes(4), Err(Truncated));
        assert_eq!(reader.bytes(usize::MAX), Err(Truncated));
        assert_eq!(reader.array::<4>(), Err(Truncated));
        assert_eq!(reader.nul_terminated(), Err(Truncated));
        assert_eq!(reader.rest(), bytes);
    }

    #[test]
    fn each_number_is_read_in_its_order_and_sign() {
        let bytes = [0xFE, 1, 2, 3, 4, 5, 6, 7];
        let reader = || Reader::new(&bytes);
        assert_eq!(reader().i8(), Ok(-2));
        assert_eq!(reader().bool(), Ok(true));
        assert_eq!(reader().u16_be(), Ok(0xFE01));
        assert_eq!(reader().i16_le(), Ok(0x01FE));
        assert_eq!(reader().i16_be(), Ok(-0x01FF));
        assert_eq!(reader().u32_be(), Ok(0xFE01_0203));
        assert_eq!(reader().i32_le(), Ok(0x0302_01FE));
        assert_eq!(reader().i32_be(), Ok(-0x01FE_FDFD));
        assert_eq!(reader().u64_le(), Ok(0x0706_0504_0302_01FE));
        assert_eq!(reader().u64_be(), Ok(0xFE01_0203_0405_0607));
        assert_eq!(reader().i64_le(), Ok(0x0706_0504_0302_01FE));
        assert_eq!(reader().i64_be(), Ok(-0x01FE_FDFC_FBFA_F9F9));
        assert_eq!(reader().f32_le().map(f32::to_bits), Ok(0x0302_01FE));
        assert_eq!(reader().f32_be().map(f32::to_bits), Ok(0xFE01_0203));
        assert_eq!(
            reader().f64_le().map(f64::to_bits),
            Ok(0x0706_0504_0302_01FE)
        );
        assert_eq!(
            reader().f64_be().map(f64::to_bits),
            Ok(0xFE01_0203_0405_0607)
        );
    }

    #[test]
    fn a_position_can_be_kept_and_sought() {
        let mut reader = Reader::new(&[1, 2, 3, 4]);
        reader.skip(3).unwrap();
        assert_eq!(reader.position(), 3);
        assert_eq!(reader.seek(5), Err(Truncated));
        assert_eq!(reader.skip(2), Err(Truncated));
        assert_eq!(reader.position(), 3);
        reader.seek(1).unwrap();
        assert_eq!(reader.rest(), [2, 3, 4]);
        reader.seek(4).unwrap();
        assert!(reader.is_empty());
    }

    #[test]
    fn nothing_can_be_read_from_nothing() {
        let mut reader = Reader::new(&[]);
        assert_eq!(reader.u8(), Err(Truncated));
        assert_eq!(reader.u16_le(), Err(Truncated));
        assert_eq!(reader.nul_terminated(), Err(Truncated));
    }

    #[test]
    fn an_empty_text_is_only_its_terminator() {
        let mut reader = Reader::new(&[0, 0]);
        assert_eq!(reader.nul_terminated(), Ok([].as_slice()));
        assert_eq!(reader.remaining(), 1);
    }
}
