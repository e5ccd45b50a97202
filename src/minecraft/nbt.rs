//! Named binary tags, walked over and left as they are (minecraft.md 2.4).

use super::{
    DecodeError,
    field::{Field, MAX_BODY},
};
use crate::buffer::{Full, Reader, Writer};

/// Deepest nesting of compounds and lists.
const MAX_DEPTH: usize = 512;

const END: u8 = 0;
const LIST: u8 = 9;
const COMPOUND: u8 = 10;

/// A root compound, as its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Nbt<'a>(&'a [u8]);

impl<'a> Nbt<'a> {
    /// The bytes, which are one well-formed tag.
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.0
    }
}

impl<'a> Field<'a> for Nbt<'a> {
    const LEAST: usize = 4;
    const MOST: usize = MAX_BODY;

    fn wire_len(&self) -> usize {
        self.0.len()
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.bytes(self.0)
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let mut walker = reader.clone();
        if walker.u8()? != COMPOUND {
            return Err(DecodeError::BadData);
        }
        skip_name(&mut walker)?;
        skip_payload(&mut walker, COMPOUND, MAX_DEPTH)?;
        Ok(Self(reader.bytes(walker.position() - reader.position())?))
    }
}

/// A root compound, or a single zero byte for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct OptNbt<'a>(pub Option<Nbt<'a>>);

impl<'a> Field<'a> for OptNbt<'a> {
    const LEAST: usize = 1;
    const MOST: usize = MAX_BODY;

    fn wire_len(&self) -> usize {
        self.0.map_or(1, |tag| tag.wire_len())
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        match self.0 {
            Some(tag) => tag.write(writer),
            None => writer.u8(END),
        }
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        if reader.rest().first() == Some(&END) {
            reader.skip(1)?;
            Ok(Self(None))
        } else {
            Nbt::read(reader).map(|tag| Self(Some(tag)))
        }
    }
}

fn skip_name(reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    let len = reader.u16_be()?;
    Ok(reader.skip(usize::from(len))?)
}

/// Walks over a tag's value; `depth` levels may be nested in it.
fn skip_payload(reader: &mut Reader<'_>, kind: u8, depth: usize) -> Result<(), DecodeError> {
    match kind {
        1 => reader.skip(1)?,
        2 => reader.skip(2)?,
        3 | 5 => reader.skip(4)?,
        4 | 6 => reader.skip(8)?,
        7 => skip_items(reader, 1)?,
        8 => skip_name(reader)?,
        LIST => skip_list(reader, depth)?,
        COMPOUND => {
            let depth = depth.checked_sub(1).ok_or(DecodeError::BadData)?;
            loop {
                let kind = reader.u8()?;
                if kind == END {
                    break;
                }
                skip_name(reader)?;
                skip_payload(reader, kind, depth)?;
            }
        }
        11 => skip_items(reader, 4)?,
        12 => skip_items(reader, 8)?,
        _ => return Err(DecodeError::BadData),
    }
    Ok(())
}

fn skip_items(reader: &mut Reader<'_>, width: usize) -> Result<(), DecodeError> {
    let count = usize::try_from(reader.i32_be()?).map_err(|_| DecodeError::BadLength)?;
    Ok(reader.skip(count.saturating_mul(width))?)
}

fn skip_list(reader: &mut Reader<'_>, depth: usize) -> Result<(), DecodeError> {
    let kind = reader.u8()?;
    let count = reader.i32_be()?;
    let depth = depth.checked_sub(1).ok_or(DecodeError::BadData)?;
    if kind == END && count > 0 {
        return Err(DecodeError::BadData);
    }
    // A value takes a byte at least, so a count beyond the end ends with the bytes.
    for _ in 0..count {
        skip_payload(reader, kind, depth)?;
    }
    Ok(())
}
