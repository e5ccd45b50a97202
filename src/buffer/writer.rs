//! Checked writes into a borrowed slice.

use std::{error::Error, fmt};

/// The value did not fit; nothing of it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value does not fit")
    }
}

impl Error for Full {}

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

    /// Runs `write`; if it fails, takes back all that it wrote.
    ///
    /// Values of several fields keep the promise of [`Full`] with it.
    pub fn all_or_nothing(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<(), Full>,
    ) -> Result<(), Full> {
        let start = self.len;
        let result = write(self);
        if result.is_err() {
            self.len = start;
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_in_order_and_little_endian() {
        let mut buf = [0xEE; 12];
        let mut writer = Writer::new(&mut buf);
        assert!(writer.is_empty());
        writer.u8(1).unwrap();
        writer.u16_le(0x0302).unwrap();
        writer.u32_le(0x0706_0504).unwrap();
        writer.nul_terminated(b"ab").unwrap();
        writer.bytes(&[9]).unwrap();
        assert_eq!(writer.written(), [1, 2, 3, 4, 5, 6, 7, b'a', b'b', 0, 9]);
        assert_eq!((writer.len(), writer.remaining()), (11, 1));
        assert_eq!(buf[11], 0xEE);
    }

    #[test]
    fn a_failed_write_changes_nothing() {
        let mut buf = [0xEE; 3];
        let mut writer = Writer::new(&mut buf);
        writer.u8(1).unwrap();
        assert_eq!(writer.u32_le(7), Err(Full));
        assert_eq!(writer.bytes(b"abc"), Err(Full));
        assert_eq!(writer.nul_terminated(b"ab"), Err(Full));
        assert_eq!(writer.written(), [1]);
        assert_eq!(buf, [1, 0xEE, 0xEE]);
    }

    #[test]
    fn a_text_ends_at_its_first_zero() {
        let mut buf = [0; 8];
        let mut writer = Writer::new(&mut buf);
        writer.nul_terminated(b"ab\0cd").unwrap();
        writer.nul_terminated(b"").unwrap();
        assert_eq!(writer.written(), b"ab\0\0");
    }

    #[test]
    fn a_group_of_writes_is_taken_back_together() {
        let mut buf = [0; 4];
        let mut writer = Writer::new(&mut buf);
        writer.u8(1).unwrap();
        let refused = writer.all_or_nothing(|writer| {
            writer.u16_le(2)?;
            writer.u16_le(3)
        });
        assert_eq!(refused, Err(Full));
        assert_eq!(writer.written(), [1]);
        writer.all_or_nothing(|writer| writer.u16_le(4)).unwrap();
        assert_eq!(writer.written(), [1, 4, 0]);
    }
}
