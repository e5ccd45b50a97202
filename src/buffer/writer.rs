//! Checked writes into a borrowed slice.

use super::Number;
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

/// A write of each number: its width, its order, its name.
macro_rules! numbers {
    ($($name:ident: $number:ty = $encode:path, $doc:literal;)*) => {
        $(
            #[doc = $doc]
            #[inline]
            pub const fn $name(&mut self, value: $number) -> Result<(), Full> {
                self.array($encode(value))
            }
        )*
    };
}

impl<'a> Writer<'a> {
    /// A writer that starts at the first byte of `buf` and never goes past its end.
    #[inline]
    pub const fn new(buf: &'a mut [u8]) -> Self {
        Self { buf, len: 0 }
    }

    /// How many bytes have been written.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing has been written.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many bytes still fit.
    pub const fn remaining(&self) -> usize {
        self.buf.len() - self.len
    }

    /// The bytes written so far.
    pub fn written(&self) -> &[u8] {
        self.buf.get(..self.len).unwrap_or_default()
    }

    /// Appends `bytes` as they are.
    #[inline]
    pub const fn bytes(&mut self, bytes: &[u8]) -> Result<(), Full> {
        let Some((_, free)) = self.buf.split_at_mut_checked(self.len) else {
            return Err(Full);
        };
        let Some((place, _)) = free.split_at_mut_checked(bytes.len()) else {
            return Err(Full);
        };
        place.copy_from_slice(bytes);
        self.len += bytes.len();
        Ok(())
    }

    /// Appends the bytes of an array as they are.
    #[inline]
    pub const fn array<const N: usize>(&mut self, bytes: [u8; N]) -> Result<(), Full> {
        let Some((_, free)) = self.buf.split_at_mut_checked(self.len) else {
            return Err(Full);
        };
        let Some(place) = free.first_chunk_mut() else {
            return Err(Full);
        };
        *place = bytes;
        self.len += N;
        Ok(())
    }

    /// Appends a number in big-endian order.
    #[inline]
    pub fn write<T: Number>(&mut self, value: T) -> Result<(), Full> {
        value.write_be(self)
    }

    /// Appends a number in little-endian order.
    #[inline]
    pub fn write_le<T: Number>(&mut self, value: T) -> Result<(), Full> {
        value.write_le(self)
    }

    /// Claims the next `count` bytes and has `write` fill them, all of them; if it fails, nothing
    /// is appended.
    ///
    /// The length is checked once: writes of fixed widths within it cost no further check.
    #[inline]
    pub fn exactly(
        &mut self,
        count: usize,
        write: impl FnOnce(&mut Writer<'_>) -> Result<(), Full>,
    ) -> Result<(), Full> {
        let (_, free) = self.buf.split_at_mut_checked(self.len).ok_or(Full)?;
        let (place, _) = free.split_at_mut_checked(count).ok_or(Full)?;
        let mut inner = Writer::new(place);
        write(&mut inner)?;
        if inner.len != count {
            return Err(Full);
        }
        self.len += count;
        Ok(())
    }

    /// Appends `count` zero bytes.
    pub fn zeros(&mut self, count: usize) -> Result<(), Full> {
        self.fill(0, count)
    }

    /// Appends `count` times `byte`.
    pub fn fill(&mut self, byte: u8, count: usize) -> Result<(), Full> {
        let end = self.len.checked_add(count).ok_or(Full)?;
        let place = self.buf.get_mut(self.len..end).ok_or(Full)?;
        place.fill(byte);
        self.len = end;
        Ok(())
    }

    /// Appends `bytes` and zeros, `width` bytes in all; fails if that cuts `bytes`.
    pub fn padded(&mut self, bytes: &[u8], width: usize) -> Result<(), Full> {
        let zeros = width.checked_sub(bytes.len()).ok_or(Full)?;
        self.all_or_nothing(|writer| {
            writer.bytes(bytes)?;
            writer.zeros(zeros)
        })
    }

    /// Appends one byte: 1 for true, 0 for false.
    pub const fn bool(&mut self, value: bool) -> Result<(), Full> {
        self.u8(value as u8)
    }

    /// Writes over what was written from `position` on, and no further.
    ///
    /// A length is filled in with it once it is known.
    pub fn overwrite(
        &mut self,
        position: usize,
        write: impl FnOnce(&mut Writer<'_>) -> Result<(), Full>,
    ) -> Result<(), Full> {
        let place = self.buf.get_mut(position..self.len).ok_or(Full)?;
        write(&mut Writer::new(place))
    }

    numbers! {
        u8: u8 = u8::to_le_bytes, "Appends one byte.";
        i8: i8 = i8::to_le_bytes, "Appends one byte, signed.";
        u16_le: u16 = u16::to_le_bytes, "Appends two bytes, little-endian.";
        u16_be: u16 = u16::to_be_bytes, "Appends two bytes, big-endian.";
        i16_le: i16 = i16::to_le_bytes, "Appends two bytes, signed, little-endian.";
        i16_be: i16 = i16::to_be_bytes, "Appends two bytes, signed, big-endian.";
        u32_le: u32 = u32::to_le_bytes, "Appends four bytes, little-endian.";
        u32_be: u32 = u32::to_be_bytes, "Appends four bytes, big-endian.";
        i32_le: i32 = i32::to_le_bytes, "Appends four bytes, signed, little-endian.";
        i32_be: i32 = i32::to_be_bytes, "Appends four bytes, signed, big-endian.";
        u64_le: u64 = u64::to_le_bytes, "Appends eight bytes, little-endian.";
        u64_be: u64 = u64::to_be_bytes, "Appends eight bytes, big-endian.";
        i64_le: i64 = i64::to_le_bytes, "Appends eight bytes, signed, little-endian.";
        i64_be: i64 = i64::to_be_bytes, "Appends eight bytes, signed, big-endian.";
        u128_le: u128 = u128::to_le_bytes, "Appends sixteen bytes, little-endian.";
        u128_be: u128 = u128::to_be_bytes, "Appends sixteen bytes, big-endian.";
        f32_le: f32 = f32::to_le_bytes, "Appends an IEEE single, little-endian.";
        f32_be: f32 = f32::to_be_bytes, "Appends an IEEE single, big-endian.";
        f64_le: f64 = f64::to_le_bytes, "Appends an IEEE double, little-endian.";
        f64_be: f64 = f64::to_be_bytes, "Appends an IEEE double, big-endian.";
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
    #[inline]
    pub fn all_or_nothing<T, E>(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
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
    fn each_number_is_written_in_its_order_and_sign() {
        fn written(write: impl FnOnce(&mut Writer<'_>) -> Result<(), Full>) -> Vec<u8> {
            let mut buf = [0xEE; 8];
            let mut writer = Writer::new(&mut buf);
            write(&mut writer).unwrap();
            writer.written().to_vec()
        }
        assert_eq!(written(|w| w.bool(true)), [1]);
        assert_eq!(written(|w| w.i8(-2)), [0xFE]);
        assert_eq!(written(|w| w.u16_be(0x0102)), [1, 2]);
        assert_eq!(written(|w| w.i16_le(-2)), [0xFE, 0xFF]);
        assert_eq!(written(|w| w.i16_be(-2)), [0xFF, 0xFE]);
        assert_eq!(written(|w| w.u32_be(0x0102_0304)), [1, 2, 3, 4]);
        assert_eq!(written(|w| w.i32_le(0x0403_0201)), [1, 2, 3, 4]);
        assert_eq!(written(|w| w.i32_be(0x0102_0304)), [1, 2, 3, 4]);
        let eight = [1, 2, 3, 4, 5, 6, 7, 8];
        assert_eq!(written(|w| w.u64_le(0x0807_0605_0403_0201)), eight);
        assert_eq!(written(|w| w.u64_be(0x0102_0304_0506_0708)), eight);
        assert_eq!(written(|w| w.i64_le(0x0807_0605_0403_0201)), eight);
        assert_eq!(written(|w| w.i64_be(0x0102_0304_0506_0708)), eight);
        assert_eq!(written(|w| w.f32_le(1.0)), [0, 0, 0x80, 0x3F]);
        assert_eq!(written(|w| w.f32_be(1.0)), [0x3F, 0x80, 0, 0]);
        assert_eq!(written(|w| w.f64_le(1.0)), [0, 0, 0, 0, 0, 0, 0xF0, 0x3F]);
        assert_eq!(written(|w| w.f64_be(1.0)), [0x3F, 0xF0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn padding_fills_a_field_and_cuts_nothing() {
        let mut buf = [0xEE; 5];
        let mut writer = Writer::new(&mut buf);
        assert_eq!(writer.padded(b"abc", 2), Err(Full));
        assert_eq!(writer.padded(b"abc", 6), Err(Full));
        assert!(writer.is_empty());
        writer.padded(b"ab", 4).unwrap();
        writer.zeros(1).unwrap();
        assert_eq!(writer.fill(1, usize::MAX), Err(Full));
        assert_eq!(writer.written(), b"ab\0\0\0");
    }

    #[test]
    fn only_what_was_written_is_overwritten() {
        let mut buf = [0xEE; 6];
        let mut writer = Writer::new(&mut buf);
        writer.u32_le(0).unwrap();
        writer.overwrite(1, |writer| writer.u16_le(0x0201)).unwrap();
        assert_eq!(writer.overwrite(3, |writer| writer.u16_le(7)), Err(Full));
        assert_eq!(writer.overwrite(5, |writer| writer.bytes(&[])), Err(Full));
        assert_eq!(writer.written(), [0, 1, 2, 0]);
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
