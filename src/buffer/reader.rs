//! Checked reads from a borrowed slice.

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
}

impl<'a> Reader<'a> {
    /// A reader over all of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The bytes not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// How many bytes are left.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Whether everything has been read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next `count` bytes.
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], Truncated> {
        let (head, tail) = self.rest.split_at_checked(count).ok_or(Truncated)?;
        self.rest = tail;
        Ok(head)
    }

    /// The next `N` bytes as an array.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Truncated> {
        let (head, tail) = self.rest.split_first_chunk::<N>().ok_or(Truncated)?;
        self.rest = tail;
        Ok(*head)
    }

    /// One byte.
    pub fn u8(&mut self) -> Result<u8, Truncated> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// Two bytes, little-endian.
    pub fn u16_le(&mut self) -> Result<u16, Truncated> {
        self.array().map(u16::from_le_bytes)
    }

    /// Four bytes, little-endian.
    pub fn u32_le(&mut self) -> Result<u32, Truncated> {
        self.array().map(u32::from_le_bytes)
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
