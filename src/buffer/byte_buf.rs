//! Bytes inline, with one index to read at and one to write at.

use super::{BadValue, Encode, Full, Number, Reader, Truncated, Writer, var_int_len, var_long_len};
use std::{error::Error, fmt};

/// A buffer of `N` bytes that moves with its owner: no heap, no growth, no sharing.
///
/// It is written at its end and read from its front; what is not written yet cannot be seen,
/// whatever was there before. Bytes are inline, so a large one is cheap to reuse and dear to
/// make: [`ByteBuf::clear`] it instead of making another. In `const` contexts arrays and slices
/// are written and read, numbers by way of their own `to_be_bytes`.
///
/// ```
/// use samara::buffer::ByteBuf;
///
/// let mut buf = ByteBuf::<16>::new();
/// buf.write(0x0102_u16)?;
/// buf.write_le(0.5_f32)?;
/// buf.write_var_int(300)?;
/// assert_eq!(buf.unread(), [1, 2, 0, 0, 0, 0x3F, 0xAC, 2]);
/// assert_eq!(buf.read::<u16>()?, 0x0102);
/// assert_eq!(buf.read_le::<f32>()?, 0.5);
/// assert_eq!(buf.read_var_int()?, 300);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A value whose size has a bound needs a buffer with room for it, or nothing is compiled:
///
/// ```compile_fail
/// use samara::{buffer::ByteBuf, minecraft::packets::play::serverbound::PositionLook};
///
/// let (x, y, z, yaw, pitch, on_ground) = (0.0, 0.0, 0.0, 0.0, 0.0, true);
/// let packet = PositionLook { x, y, z, yaw, pitch, on_ground };
/// // It takes 34 bytes.
/// let _ = ByteBuf::<33>::new().encode(&packet);
/// ```
// The indices lie before the bytes, so that the front of the buffer shares their cache line.
#[repr(C)]
pub struct ByteBuf<const N: usize> {
    read: usize,
    write: usize,
    bytes: [u8; N],
}

impl<const N: usize> ByteBuf<N> {
    /// An empty buffer.
    pub const fn new() -> Self {
        Self {
            read: 0,
            write: 0,
            bytes: [0; N],
        }
    }

    /// How many bytes are left to be read.
    #[inline]
    pub const fn readable(&self) -> usize {
        self.write - self.read
    }

    /// How many bytes can still be written.
    #[inline]
    pub const fn free(&self) -> usize {
        N - self.write
    }

    /// Whether all that was written has been read.
    pub const fn is_empty(&self) -> bool {
        self.read == self.write
    }

    /// Everything written, read or not.
    #[inline]
    pub const fn written(&self) -> &[u8] {
        let (written, _) = self.bytes.split_at(self.write);
        written
    }

    /// What was written and not read: a look ahead.
    #[inline]
    pub const fn unread(&self) -> &[u8] {
        let (_, unread) = self.written().split_at(self.read);
        unread
    }

    /// Forgets everything; the bytes are left as they are, and out of sight.
    #[inline]
    pub const fn clear(&mut self) {
        self.read = 0;
        self.write = 0;
    }

    /// Reads from the start again.
    pub const fn rewind(&mut self) {
        self.read = 0;
    }

    /// Moves what is unread to the front, so that there is room behind it.
    pub fn compact(&mut self) {
        self.bytes.copy_within(self.read..self.write, 0);
        self.write -= self.read;
        self.read = 0;
    }

    /// Appends `bytes` as they are.
    #[inline]
    pub const fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), Overflow> {
        let mut writer = self.writer();
        match writer.bytes(bytes) {
            Ok(()) => {
                self.write += bytes.len();
                Ok(())
            }
            Err(Full) => Err(self.overflow(bytes.len())),
        }
    }

    /// Appends the bytes of an array as they are.
    #[inline]
    pub const fn write_array<const K: usize>(&mut self, bytes: [u8; K]) -> Result<(), Overflow> {
        let mut writer = self.writer();
        match writer.array(bytes) {
            Ok(()) => {
                self.write += K;
                Ok(())
            }
            Err(Full) => Err(self.overflow(K)),
        }
    }

    /// The next `count` bytes, where they are.
    #[inline]
    pub const fn read_bytes(&mut self, count: usize) -> Result<&[u8], Underflow> {
        if self.readable() < count {
            return Err(self.underflow(count));
        }
        let start = self.read;
        self.read += count;
        let (_, tail) = self.bytes.split_at(start);
        let (bytes, _) = tail.split_at(count);
        Ok(bytes)
    }

    /// The next `K` bytes as an array.
    #[inline]
    pub const fn read_array<const K: usize>(&mut self) -> Result<[u8; K], Underflow> {
        match Reader::new(self.unread()).array() {
            Ok(bytes) => {
                self.read += K;
                Ok(bytes)
            }
            Err(Truncated) => Err(self.underflow(K)),
        }
    }

    /// Passes over the next `count` bytes.
    pub const fn skip(&mut self, count: usize) -> Result<(), Underflow> {
        match self.read_bytes(count) {
            Ok(_) => Ok(()),
            Err(underflow) => Err(underflow),
        }
    }

    /// Appends a number, big-endian.
    #[inline]
    pub fn write<T: Number>(&mut self, value: T) -> Result<(), Overflow> {
        self.append(T::LEN, |writer| writer.write(value))
    }

    /// Appends a number, little-endian.
    #[inline]
    pub fn write_le<T: Number>(&mut self, value: T) -> Result<(), Overflow> {
        self.append(T::LEN, |writer| writer.write_le(value))
    }

    /// Takes a number, big-endian.
    #[inline]
    pub fn read<T: Number>(&mut self) -> Result<T, Underflow> {
        self.take(T::LEN, |reader| reader.read())
    }

    /// Takes a number, little-endian.
    #[inline]
    pub fn read_le<T: Number>(&mut self) -> Result<T, Underflow> {
        self.take(T::LEN, |reader| reader.read_le())
    }

    /// Appends a number of one to five bytes.
    #[inline]
    pub fn write_var_int(&mut self, value: i32) -> Result<(), Overflow> {
        self.append(var_int_len(value), |writer| writer.var_int(value))
    }

    /// Takes a number of one to five bytes.
    #[inline]
    pub fn read_var_int(&mut self) -> Result<i32, BadValue> {
        self.read_with(|reader| reader.var_int())
    }

    /// Appends a number of one to ten bytes.
    #[inline]
    pub fn write_var_long(&mut self, value: i64) -> Result<(), Overflow> {
        self.append(var_long_len(value), |writer| writer.var_long(value))
    }

    /// Takes a number of one to ten bytes.
    #[inline]
    pub fn read_var_long(&mut self) -> Result<i64, BadValue> {
        self.read_with(|reader| reader.var_long())
    }

    /// Appends a length in bytes and `text`.
    pub fn write_string(&mut self, text: &str) -> Result<(), Overflow> {
        let len = i32::try_from(text.len()).unwrap_or(i32::MAX);
        let needed = var_int_len(len).saturating_add(text.len());
        self.append(needed, |writer| writer.var_string(text))
    }

    /// Takes a text of at most `units` UTF-16 code units, where it is.
    pub fn read_string(&mut self, units: usize) -> Result<&str, BadValue> {
        self.read_with(|reader| reader.var_string(units))
    }

    /// Appends `value`; a buffer that could never hold one is refused by the compiler.
    #[inline]
    pub fn encode<T: Encode>(&mut self, value: &T) -> Result<(), Overflow> {
        const { assert!(T::MAX_LEN <= N, "the buffer is too small for some values") };
        let free = self.free();
        self.write_with(|writer| value.encode(writer))
            .map_err(|Full| Overflow {
                needed: value.encoded_len(),
                free,
            })
    }

    /// Lends a writer over what is free; appends what `write` wrote unless it fails.
    #[inline]
    pub fn write_with<T, E>(
        &mut self,
        write: impl FnOnce(&mut Writer<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut writer = self.writer();
        let value = write(&mut writer)?;
        let len = writer.len();
        self.write += len;
        Ok(value)
    }

    /// Lends a reader over what is unread; consumes what `read` took unless it fails.
    #[inline]
    pub fn read_with<'a, T, E>(
        &'a mut self,
        read: impl FnOnce(&mut Reader<'a>) -> Result<T, E>,
    ) -> Result<T, E> {
        let (written, _) = self.bytes.split_at(self.write);
        let (_, unread) = written.split_at(self.read);
        let mut reader = Reader::new(unread);
        let value = read(&mut reader)?;
        self.read += reader.position();
        Ok(value)
    }

    #[inline]
    const fn writer(&mut self) -> Writer<'_> {
        let (_, free) = self.bytes.split_at_mut(self.write);
        Writer::new(free)
    }

    #[inline]
    fn append(
        &mut self,
        needed: usize,
        write: impl FnOnce(&mut Writer<'_>) -> Result<(), Full>,
    ) -> Result<(), Overflow> {
        let free = self.free();
        self.write_with(write)
            .map_err(|Full| Overflow { needed, free })
    }

    #[inline]
    fn take<T>(
        &mut self,
        needed: usize,
        read: impl FnOnce(&mut Reader<'_>) -> Result<T, Truncated>,
    ) -> Result<T, Underflow> {
        let readable = self.readable();
        self.read_with(read)
            .map_err(|Truncated| Underflow { needed, readable })
    }

    const fn overflow(&self, needed: usize) -> Overflow {
        Overflow {
            needed,
            free: self.free(),
        }
    }

    const fn underflow(&self, needed: usize) -> Underflow {
        Underflow {
            needed,
            readable: self.readable(),
        }
    }
}

impl<const N: usize> Default for ByteBuf<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> fmt::Debug for ByteBuf<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByteBuf")
            .field("capacity", &N)
            .field("read", &self.read)
            .field("written", &self.written())
            .finish()
    }
}

/// A write that does not fit; nothing of it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow {
    /// Bytes the value takes.
    pub needed: usize,
    /// Bytes that were free.
    pub free: usize,
}

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { needed, free } = self;
        write!(f, "{needed} bytes do not fit into the {free} that are free")
    }
}

impl Error for Overflow {}

impl From<Overflow> for Full {
    fn from(_: Overflow) -> Self {
        Self
    }
}

/// A read of more than there is; nothing was consumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Underflow {
    /// Bytes the value takes.
    pub needed: usize,
    /// Bytes that were unread.
    pub readable: usize,
}

impl fmt::Display for Underflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { needed, readable } = self;
        write!(f, "{needed} bytes are wanted and {readable} are left")
    }
}

impl Error for Underflow {}

impl From<Underflow> for Truncated {
    fn from(_: Underflow) -> Self {
        Self
    }
}

#[cfg(test)]
mod tests;
