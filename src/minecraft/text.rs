//! Texts and bytes of limited length.

use super::{
    DecodeError,
    field::{Field, MAX_BODY, bounded},
};
use crate::buffer::{Full, MAX_VAR_INT, Reader, Writer, var_int_len};
use std::fmt;

/// A text of at most `UNITS` UTF-16 code units, where it lies.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Text<'a, const UNITS: usize>(&'a str);

/// A text as long as any may be.
pub type LongText<'a> = Text<'a, 32_767>;

/// A chat component: a JSON object, or a JSON string.
pub type Json<'a> = Text<'a, 32_767>;

impl<'a, const UNITS: usize> Text<'a, UNITS> {
    /// `text`, if it is short enough.
    pub fn new(text: &'a str) -> Option<Self> {
        let fits = text.len() <= UNITS || text.encode_utf16().count() <= UNITS;
        fits.then_some(Self(text))
    }

    /// As much of `text` as is short enough.
    pub fn cut(text: &'a str) -> Self {
        let mut units = 0;
        let end = text.char_indices().find(|(_, c)| {
            units += c.len_utf16();
            units > UNITS
        });
        let end = end.map_or(text.len(), |(at, _)| at);
        Self(text.get(..end).unwrap_or_default())
    }

    /// The text.
    pub const fn as_str(&self) -> &'a str {
        self.0
    }
}

impl<const UNITS: usize> fmt::Debug for Text<'_, UNITS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'a, const UNITS: usize> Field<'a> for Text<'a, UNITS> {
    const LEAST: usize = 1;
    const MOST: usize = bounded(var_int_len((4 * UNITS) as i32) + 4 * UNITS);

    fn wire_len(&self) -> usize {
        prefixed(self.0.len())
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.var_string(self.0)
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Self(reader.var_string(UNITS)?))
    }
}

/// Bytes behind their length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Field<'a> for Bytes<'a> {
    const LEAST: usize = 1;
    const MOST: usize = bounded(MAX_VAR_INT + MAX_BODY);

    fn wire_len(&self) -> usize {
        prefixed(self.0.len())
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.var_bytes(self.0)
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Self(reader.var_bytes()?))
    }
}

/// Everything to the end of the body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rest<'a>(pub &'a [u8]);

impl<'a> Field<'a> for Rest<'a> {
    const LEAST: usize = 0;
    const MOST: usize = MAX_BODY;

    fn wire_len(&self) -> usize {
        self.0.len()
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.bytes(self.0)
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Self(reader.bytes(reader.remaining())?))
    }
}

fn prefixed(len: usize) -> usize {
    var_int_len(i32::try_from(len).unwrap_or(i32::MAX)) + len
}
