//! Parts of packets whose form depends on a field that lies elsewhere than before them.

use crate::{
    buffer::{Full, Reader, Writer},
    minecraft::{
        Bytes, DecodeError, Json, Text, VarInt,
        field::{Field, bounded},
    },
};

/// The kind of window that belongs to an entity.
const HORSE: &str = "EntityHorse";

record! {
    /// What all windows have.
    WindowFrame<'a> {
        /// What it is for.
        kind: Text<'a, 32>,
        title: Json<'a>,
        /// How many places it has.
        slots: u8,
    }
}

/// A window that opens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window<'a> {
    /// What all windows have.
    pub frame: WindowFrame<'a>,
    /// Whose it is; on the wire if the kind is `EntityHorse`, and only then.
    pub entity: Option<i32>,
}

impl Window<'_> {
    fn has_entity(frame: &WindowFrame<'_>) -> bool {
        frame.kind.as_str() == HORSE
    }
}

impl<'a> Field<'a> for Window<'a> {
    const LEAST: usize = WindowFrame::LEAST;
    const MOST: usize = bounded(WindowFrame::MOST + 4);

    fn wire_len(&self) -> usize {
        self.frame.wire_len() + if Self::has_entity(&self.frame) { 4 } else { 0 }
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        self.frame.write(writer)?;
        if Self::has_entity(&self.frame) {
            writer.i32_be(self.entity.unwrap_or_default())?;
        }
        Ok(())
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let frame = WindowFrame::read(reader)?;
        let entity = if Self::has_entity(&frame) {
            Some(reader.i32_be()?)
        } else {
            None
        };
        Ok(Self { frame, entity })
    }
}

/// A changed part of a map; nothing if it has no columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapPatch<'a> {
    /// How wide it is.
    pub columns: i8,
    /// How high it is.
    pub rows: i8,
    /// Where it begins.
    pub x: i8,
    /// Where it begins.
    pub z: i8,
    /// Its colours, row by row.
    pub data: Bytes<'a>,
}

impl MapPatch<'_> {
    /// No change.
    pub const NONE: Self = Self {
        columns: 0,
        rows: 0,
        x: 0,
        z: 0,
        data: Bytes(&[]),
    };
}

impl<'a> Field<'a> for MapPatch<'a> {
    const LEAST: usize = 1;
    const MOST: usize = bounded(4 + Bytes::MOST);

    fn wire_len(&self) -> usize {
        if self.columns == 0 {
            1
        } else {
            4 + self.data.wire_len()
        }
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.i8(self.columns)?;
        if self.columns != 0 {
            writer.i8(self.rows)?;
            writer.i8(self.x)?;
            writer.i8(self.z)?;
            self.data.write(writer)?;
        }
        Ok(())
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let columns = reader.i8()?;
        if columns == 0 {
            return Ok(Self::NONE);
        }
        Ok(Self {
            columns,
            rows: reader.i8()?,
            x: reader.i8()?,
            z: reader.i8()?,
            data: Bytes::read(reader)?,
        })
    }
}

record! {
    /// What all particles have.
    Cloud {
        id: i32,
        long_distance: bool,
        x: f32,
        y: f32,
        z: f32,
        offset_x: f32,
        offset_y: f32,
        offset_z: f32,
        data: f32,
        count: i32,
    }
}

/// Particles that appear, and for some kinds what they are of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particles {
    /// Kind, place, spread and number.
    pub cloud: Cloud,
    /// Two numbers for kind 36, one for 37 and 38, none on the wire for others.
    pub of: [VarInt; 2],
}

impl Particles {
    fn numbers(id: i32) -> usize {
        match id {
            36 => 2,
            37 | 38 => 1,
            _ => 0,
        }
    }

    fn of(&self) -> impl Iterator<Item = &VarInt> {
        self.of.iter().take(Self::numbers(self.cloud.id))
    }
}

impl<'a> Field<'a> for Particles {
    const LEAST: usize = Cloud::LEAST;
    const MOST: usize = Cloud::MOST + 2 * VarInt::MOST;

    fn wire_len(&self) -> usize {
        self.cloud.wire_len() + self.of().map(|number| number.wire_len()).sum::<usize>()
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        self.cloud.write(writer)?;
        self.of().try_for_each(|number| number.write(writer))
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let cloud = Cloud::read(reader)?;
        let mut of = [VarInt::default(); 2];
        for number in of.iter_mut().take(Self::numbers(cloud.id)) {
            *number = VarInt::read(reader)?;
        }
        Ok(Self { cloud, of })
    }
}
