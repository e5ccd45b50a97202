//! Counted values of one type.

use super::{
    DecodeError, VarInt,
    field::{Field, MAX_BODY},
};
use crate::buffer::{Full, Reader, Writer};
use std::{fmt, marker::PhantomData};

/// A number that says how many values follow.
pub trait Count: Field<'static> {
    /// The number for `count`; `None` if it cannot say it.
    fn from_usize(count: usize) -> Option<Self>;

    /// What the number says; `None` if it is negative.
    fn to_usize(self) -> Option<usize>;

    /// Takes the number.
    fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError>;
}

macro_rules! counts {
    ($($count:ty: $make:expr, $read:expr;)*) => {
        $(
            impl Count for $count {
                fn from_usize(count: usize) -> Option<Self> {
                    count.try_into().ok().map($make)
                }

                fn to_usize(self) -> Option<usize> {
                    $read(self).try_into().ok()
                }

                fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                    Field::read(reader)
                }
            }
        )*
    };
}

counts! {
    VarInt: VarInt, |it: VarInt| it.0;
    i16: |it| it, |it: i16| it;
    i32: |it| it, |it: i32| it;
}

/// Values behind their number, `C`: given as a slice, or left in the body they were read from.
#[derive(Clone, Copy)]
pub struct List<'a, C, T> {
    values: Values<'a, T>,
    count: PhantomData<C>,
}

#[derive(Clone, Copy)]
enum Values<'a, T> {
    Given(&'a [T]),
    /// So many values, which were all read once.
    Read(usize, &'a [u8]),
}

impl<'a, C: Count, T: Field<'a>> List<'a, C, T> {
    /// A list of `values`.
    pub const fn of(values: &'a [T]) -> Self {
        Self {
            values: Values::Given(values),
            count: PhantomData,
        }
    }

    /// A list of `count` values that have been encoded before, one after the other.
    ///
    /// Fails if `bytes` are anything else.
    pub fn encoded(count: usize, bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let list = Self::take(&mut reader, count)?;
        if reader.is_empty() {
            Ok(list)
        } else {
            Err(DecodeError::TrailingBytes)
        }
    }

    /// How many values there are.
    pub const fn count(&self) -> usize {
        match self.values {
            Values::Given(values) => values.len(),
            Values::Read(count, _) => count,
        }
    }

    /// The values in their order.
    pub fn iter(&self) -> impl Iterator<Item = T> + use<'a, C, T> {
        let (mut given, bytes) = match self.values {
            Values::Given(values) => (values.iter(), &[][..]),
            Values::Read(_, bytes) => ([].iter(), bytes),
        };
        let mut left = self.count();
        let mut reader = Reader::new(bytes);
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            given.next().copied().or_else(|| T::read(&mut reader).ok())
        })
    }

    fn take(reader: &mut Reader<'a>, count: usize) -> Result<Self, DecodeError> {
        if count > reader.remaining() / T::LEAST.max(1) {
            return Err(DecodeError::BadLength);
        }
        let mut walker = reader.clone();
        for _ in 0..count {
            T::read(&mut walker)?;
        }
        let bytes = reader.bytes(walker.position() - reader.position())?;
        Ok(Self {
            values: Values::Read(count, bytes),
            count: PhantomData,
        })
    }
}

impl<'a, C: Count, T: Field<'a>> Field<'a> for List<'a, C, T> {
    const LEAST: usize = C::LEAST;
    const MOST: usize = MAX_BODY;

    fn wire_len(&self) -> usize {
        let count = C::from_usize(self.count()).map_or(C::MOST, |count| count.wire_len());
        count
            + match self.values {
                Values::Given(values) => values.iter().map(T::wire_len).sum(),
                Values::Read(_, bytes) => bytes.len(),
            }
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        C::from_usize(self.count()).ok_or(Full)?.write(writer)?;
        match self.values {
            Values::Given(values) => values.iter().try_for_each(|value| value.write(writer)),
            Values::Read(_, bytes) => writer.bytes(bytes),
        }
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let count = C::take(reader)?.to_usize().ok_or(DecodeError::BadLength)?;
        Self::take(reader, count)
    }
}

impl<'a, C: Count, T: Field<'a> + fmt::Debug> fmt::Debug for List<'a, C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a, C: Count, T: Field<'a> + PartialEq> PartialEq for List<'a, C, T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}
