//! Checked reads from a borrowed slice.

#![forbid(unsafe_code)]

/// The slice ended before the value did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncated;

/// Reads values from the front of a slice; every integer read names its byte order.
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
