//! Checked writes into a borrowed slice.

#![forbid(unsafe_code)]

/// The value did not fit; nothing of it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// Appends values to the front of a slice; every integer write names its byte order.
#[derive(Debug)]
pub struct Writer<'a> {
    buf: &'a mut [u8],
    len: usize,
}

impl<'a> Writer<'a> {
    /// A writer that starts at the first byte of `buf` and never goes past its end.
    pub fn new(buf: &'a mut [u8]) -> Self {
        Self { buf, len: 0 }
    }

    /// How many bytes have been written.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing has been written.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many bytes still fit.
    pub fn remaining(&self) -> usize {
        self.buf.len() - self.len
    }

    /// The bytes written so far.
    pub fn written(&self) -> &[u8] {
        self.buf.get(..self.len).unwrap_or_default()
    }

    /// Appends `bytes` as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Full> {
        let end = self.len.checked_add(bytes.len()).ok_or(Full)?;
        let place = self.buf.get_mut(self.len..end).ok_or(Full)?;
        place.copy_from_slice(bytes);
        self.len = end;
        Ok(())
    }

    /// Appends one byte.
    pub fn u8(&mut self, value: u8) -> Result<(), Full> {
        self.bytes(&[value])
    }

    /// Appends two bytes, little-endian.
    pub fn u16_le(&mut self, value: u16) -> Result<(), Full> {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends four bytes, little-endian.
    pub fn u32_le(&mut self, value: u32) -> Result<(), Full> {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends `text` up to its first zero byte, then one zero byte.
    pub fn nul_terminated(&mut self, text: &[u8]) -> Result<(), Full> {
        let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
        if self.remaining() < text.len() + 1 {
            return Err(Full);
        }
        self.bytes(text)?;
        self.u8(0)
    }
}
