//! Numbers by their type, for reads and writes that are generic over them.

use super::{Full, Reader, Truncated, Writer};

/// A number of fixed width: which of the [`Reader`]'s and [`Writer`]'s words it is.
pub trait Number: Copy + sealed::Sealed {
    /// Its width in bytes.
    const LEN: usize;

    /// Takes it from `reader`, big-endian.
    fn read_be(reader: &mut Reader<'_>) -> Result<Self, Truncated>;

    /// Takes it from `reader`, little-endian.
    fn read_le(reader: &mut Reader<'_>) -> Result<Self, Truncated>;

    /// Appends it to `writer`, big-endian.
    fn write_be(self, writer: &mut Writer<'_>) -> Result<(), Full>;

    /// Appends it to `writer`, little-endian.
    fn write_le(self, writer: &mut Writer<'_>) -> Result<(), Full>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! numbers {
    ($($number:ty: $be:ident, $le:ident;)*) => {
        $(
            impl sealed::Sealed for $number {}

            impl Number for $number {
                const LEN: usize = size_of::<$number>();

                #[inline]
                fn read_be(reader: &mut Reader<'_>) -> Result<Self, Truncated> {
                    reader.$be()
                }

                #[inline]
                fn read_le(reader: &mut Reader<'_>) -> Result<Self, Truncated> {
                    reader.$le()
                }

                #[inline]
                fn write_be(self, writer: &mut Writer<'_>) -> Result<(), Full> {
                    writer.$be(self)
                }

                #[inline]
                fn write_le(self, writer: &mut Writer<'_>) -> Result<(), Full> {
                    writer.$le(self)
                }
            }
        )*
    };
}

numbers! {
    u8: u8, u8;
    i8: i8, i8;
    bool: bool, bool;
    u16: u16_be, u16_le;
    i16: i16_be, i16_le;
    u32: u32_be, u32_le;
    i32: i32_be, i32_le;
    u64: u64_be, u64_le;
    i64: i64_be, i64_le;
    u128: u128_be, u128_le;
    f32: f32_be, f32_le;
    f64: f64_be, f64_le;
}
