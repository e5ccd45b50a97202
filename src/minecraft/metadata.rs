//! What an entity looks like and does: numbered values of numbered kinds (minecraft.md 2.6).

use super::{
    DecodeError, LongText, Nbt, Position, Slot, Uuid, VarInt,
    field::{Field, MAX_BODY},
};
use crate::buffer::{Full, Reader, Writer};
use std::fmt;

/// Ends the list.
const END: u8 = 0xFF;

/// Metadata of one entity, as its bytes without the end.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Metadata<'a>(&'a [u8]);

/// One value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// What it is about; not 255.
    pub index: u8,
    /// The index, the kind and the value, as they are on the wire.
    pub bytes: &'a [u8],
}

impl<'a> Metadata<'a> {
    /// The values in their order.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        let mut reader = Reader::new(self.0);
        std::iter::from_fn(move || entry(&mut reader).ok())
    }
}

impl fmt::Debug for Metadata<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries()).finish()
    }
}

impl<'a> Field<'a> for Metadata<'a> {
    const LEAST: usize = 1;
    const MOST: usize = MAX_BODY;

    fn wire_len(&self) -> usize {
        self.0.len() + 1
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.bytes(self.0)?;
        writer.u8(END)
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let mut walker = reader.clone();
        loop {
            match walker.rest().first() {
                None => return Err(DecodeError::Truncated),
                Some(&END) => break,
                Some(_) => entry(&mut walker).map(drop)?,
            }
        }
        let entries = reader.bytes(walker.position() - reader.position())?;
        reader.skip(1)?;
        Ok(Self(entries))
    }
}

fn entry<'a>(reader: &mut Reader<'a>) -> Result<Entry<'a>, DecodeError> {
    let start = reader.clone();
    let index = reader.u8()?;
    match reader.var_int()? {
        0 | 6 => reader.skip(1)?,
        1 | 10 | 12 => VarInt::read(reader).map(drop)?,
        2 => reader.skip(4)?,
        3 | 4 => LongText::read(reader).map(drop)?,
        5 => Slot::read(reader).map(drop)?,
        7 => reader.skip(12)?,
        8 => reader.skip(8)?,
        9 => Option::<Position>::read(reader).map(drop)?,
        11 => Option::<Uuid>::read(reader).map(drop)?,
        13 => Nbt::read(reader).map(drop)?,
        _ => return Err(DecodeError::BadData),
    }
    let len = reader.position() - start.position();
    let bytes = start.rest().get(..len).unwrap_or_default();
    Ok(Entry { index, bytes })
}
