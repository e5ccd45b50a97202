//! Values whose encoded size is bounded when the program is compiled.

use super::{Full, Writer};

/// A value with bounds on the bytes it takes.
///
/// [`super::ByteBuf::encode`] refuses to compile if its buffer could be too small.
pub trait Encode {
    /// Fewest bytes of any value.
    const MIN_LEN: usize;

    /// Most bytes of any value; equal to [`Encode::MIN_LEN`] if all take the same.
    const MAX_LEN: usize;

    /// Bytes of this value.
    fn encoded_len(&self) -> usize;

    /// Appends this value, all of it or nothing.
    fn encode(&self, writer: &mut Writer<'_>) -> Result<(), Full>;
}

impl<T: Encode> Encode for &T {
    const MIN_LEN: usize = T::MIN_LEN;
    const MAX_LEN: usize = T::MAX_LEN;

    #[inline]
    fn encoded_len(&self) -> usize {
        T::encoded_len(self)
    }

    #[inline]
    fn encode(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        T::encode(self, writer)
    }
}
