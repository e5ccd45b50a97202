//! What a packet's fields are made of (minecraft.md 2).

use super::DecodeError;
use crate::buffer::{
    Full, MAX_VAR_INT, MAX_VAR_LONG, Number, Reader, Writer, var_int_len, var_long_len,
};

/// Longest body of a packet, its id included (minecraft.md 14).
pub const MAX_BODY: usize = 2_097_152;

/// A type of fields: its bounds in bytes, and both directions.
pub trait Field<'a>: Copy {
    /// Fewest bytes of any value.
    const LEAST: usize;

    /// Most bytes of any value, at most [`MAX_BODY`].
    const MOST: usize;

    /// Bytes of this value.
    fn wire_len(&self) -> usize;

    /// Appends this value.
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full>;

    /// Takes a value; texts, lists and tags stay where they are in the body.
    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError>;
}

/// The sum of field bounds, which no body exceeds.
pub(super) const fn bounded(len: usize) -> usize {
    if len < MAX_BODY { len } else { MAX_BODY }
}

pub(super) const fn least(lens: &[usize]) -> usize {
    let mut rest = lens;
    let mut least = usize::MAX;
    while let [len, tail @ ..] = rest {
        if *len < least {
            least = *len;
        }
        rest = tail;
    }
    least
}

pub(super) const fn most(lens: &[usize]) -> usize {
    let mut rest = lens;
    let mut most = 0;
    while let [len, tail @ ..] = rest {
        if *len > most {
            most = *len;
        }
        rest = tail;
    }
    most
}

macro_rules! numbers {
    ($($number:ty)*) => {
        $(
            impl<'a> Field<'a> for $number {
                const LEAST: usize = <$number as Number>::LEN;
                const MOST: usize = <$number as Number>::LEN;

                #[inline]
                fn wire_len(&self) -> usize {
                    <$number as Number>::LEN
                }

                #[inline]
                fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
                    writer.write(*self)
                }

                #[inline]
                fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
                    Ok(reader.read()?)
                }
            }
        )*
    };
}

numbers!(u8 i8 bool u16 i16 i32 i64 f32 f64);

/// A number in one to five bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarInt(pub i32);

impl<'a> Field<'a> for VarInt {
    const LEAST: usize = 1;
    const MOST: usize = MAX_VAR_INT;

    #[inline]
    fn wire_len(&self) -> usize {
        var_int_len(self.0)
    }

    #[inline]
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.var_int(self.0)
    }

    #[inline]
    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Self(reader.var_int()?))
    }
}

/// A number in one to ten bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarLong(pub i64);

impl<'a> Field<'a> for VarLong {
    const LEAST: usize = 1;
    const MOST: usize = MAX_VAR_LONG;

    fn wire_len(&self) -> usize {
        var_long_len(self.0)
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.var_long(self.0)
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Self(reader.var_long()?))
    }
}

/// A bool, then a value if it is true.
impl<'a, T: Field<'a>> Field<'a> for Option<T> {
    const LEAST: usize = 1;
    const MOST: usize = bounded(1 + T::MOST);

    fn wire_len(&self) -> usize {
        1 + self.as_ref().map_or(0, T::wire_len)
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.bool(self.is_some())?;
        self.as_ref().map_or(Ok(()), |value| value.write(writer))
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(if reader.bool()? {
            Some(T::read(reader)?)
        } else {
            None
        })
    }
}
