//! Item stacks (minecraft.md 2.5).

use super::{
    DecodeError, OptNbt,
    field::{Field, bounded},
};
use crate::buffer::{Full, Reader, Writer};

/// What an empty place has for an item.
const NOTHING: i16 = -1;

/// A place in an inventory: empty, or items of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot<'a>(pub Option<Item<'a>>);

/// Items of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item<'a> {
    /// Which item or block; not -1.
    pub id: i16,
    /// How many.
    pub count: i8,
    /// Damage, or the variant.
    pub damage: i16,
    /// Enchantments, a name and the like.
    pub tag: OptNbt<'a>,
}

impl<'a> Field<'a> for Slot<'a> {
    const LEAST: usize = 2;
    const MOST: usize = bounded(5 + OptNbt::MOST);

    fn wire_len(&self) -> usize {
        self.0.map_or(2, |item| 5 + item.tag.wire_len())
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let Some(item) = self.0 else {
            return writer.i16_be(NOTHING);
        };
        writer.i16_be(item.id)?;
        writer.i8(item.count)?;
        writer.i16_be(item.damage)?;
        item.tag.write(writer)
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let id = reader.i16_be()?;
        if id == NOTHING {
            return Ok(Self(None));
        }
        Ok(Self(Some(Item {
            id,
            count: reader.i8()?,
            damage: reader.i16_be()?,
            tag: OptNbt::read(reader)?,
        })))
    }
}
