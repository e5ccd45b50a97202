//! The world's columns: frames as they came, and what changed since.

use super::{Dropped, Kept, Limits, replay::Script};
use crate::minecraft::{
    List, Position, VarInt,
    packets::play::{
        BlockRecord,
        clientbound::{Explosion, MultiBlockChange},
    },
};
use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

/// Where a column is, in columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Chunk {
    pub(super) x: i32,
    pub(super) z: i32,
}

impl Chunk {
    pub(super) fn of(x: i32, z: i32) -> Self {
        Self {
            x: x >> 4,
            z: z >> 4,
        }
    }

    fn distance(self, other: Self) -> u64 {
        let part = |a: i32, b: i32| u64::from(a.abs_diff(b)).pow(2);
        part(self.x, other.x).saturating_add(part(self.z, other.z))
    }
}

/// What the front of Chunk Data says.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkHead {
    pub(super) chunk: Chunk,
    pub(super) ground_up: bool,
    pub(super) sections: i32,
}

impl ChunkHead {
    fn covers(&self, y: i32) -> bool {
        let section = u32::try_from(y >> 4).unwrap_or(u32::MAX);
        self.ground_up || self.sections.checked_shr(section).unwrap_or(0) & 1 == 1
    }
}

#[derive(Debug, Default)]
pub(super) struct Columns {
    columns: BTreeMap<Chunk, Column>,
    bytes: usize,
    /// Numbers changes, so that the oldest is known.
    clock: u64,
}

#[derive(Debug)]
struct Column {
    /// The whole column, then sections of it.
    frames: Vec<Arc<[u8]>>,
    changes: BTreeMap<Cell, Change>,
    /// Newest packet of each.
    block_entities: BTreeMap<Position, Kept>,
}

/// A block of a column: y, z and x of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    y: u8,
    z: u8,
    x: u8,
}

#[derive(Clone, Copy, Debug)]
struct Change {
    state: i32,
    at: u64,
}

impl Column {
    fn bytes(&self) -> usize {
        let frames: usize = self.frames.iter().map(|frame| frame.len()).sum();
        let bodies: usize = self.block_entities.values().map(|body| body.len()).sum();
        frames + bodies
    }
}

impl Columns {
    /// A column or some of its sections, as the frame it came in.
    pub(super) fn load(
        &mut self,
        head: ChunkHead,
        frame: &[u8],
        center: Chunk,
        limits: &Limits,
        dropped: &mut Dropped,
    ) {
        let frame: Arc<[u8]> = frame.into();
        self.bytes += frame.len();
        match (self.columns.entry(head.chunk), head.ground_up) {
            (Entry::Vacant(place), true) => {
                place.insert(Column {
                    frames: vec![frame],
                    changes: BTreeMap::new(),
                    block_entities: BTreeMap::new(),
                });
            }
            (Entry::Occupied(mut place), true) => {
                self.bytes -= place.get().bytes();
                place.insert(Column {
                    frames: vec![frame],
                    changes: BTreeMap::new(),
                    block_entities: BTreeMap::new(),
                });
            }
            (Entry::Vacant(_), false) => self.bytes -= frame.len(),
            (Entry::Occupied(mut place), false) => {
                let column = place.get_mut();
                let bytes = column.bytes();
                column
                    .changes
                    .retain(|cell, _| !head.covers(i32::from(cell.y)));
                column.block_entities.retain(|at, _| !head.covers(at.y));
                self.bytes -= bytes - column.bytes();
                column.frames.push(frame);
                if column.frames.len() > 1 + limits.partial_frames {
                    dropped.columns += 1;
                    self.bytes -= place.remove().bytes();
                }
            }
        }
        self.shrink(center, limits, dropped);
    }

    pub(super) fn unload(&mut self, chunk: Chunk) {
        if let Some(column) = self.columns.remove(&chunk) {
            self.bytes -= column.bytes();
        }
    }

    pub(super) fn clear(&mut self) {
        self.columns.clear();
        self.bytes = 0;
    }

    /// A block changes; blocks of columns that are not there say nothing.
    pub(super) fn set_block(
        &mut self,
        at: Position,
        state: i32,
        limits: &Limits,
        dropped: &mut Dropped,
    ) {
        let Ok(y) = u8::try_from(at.y) else {
            return;
        };
        let Some(column) = self.columns.get_mut(&Chunk::of(at.x, at.z)) else {
            return;
        };
        let cell = Cell {
            y,
            z: (at.z & 0xF) as u8,
            x: (at.x & 0xF) as u8,
        };
        self.clock += 1;
        let at = self.clock;
        column.changes.insert(cell, Change { state, at });
        if column.changes.len() > limits.block_changes {
            let oldest = column.changes.iter().min_by_key(|(_, change)| change.at);
            if let Some((&oldest, _)) = oldest {
                column.changes.remove(&oldest);
                dropped.blocks += 1;
            }
        }
    }

    pub(super) fn set_blocks(
        &mut self,
        changes: &MultiBlockChange<'_>,
        limits: &Limits,
        dropped: &mut Dropped,
    ) {
        for record in changes.records.iter() {
            let at = Position {
                x: changes.chunk_x.wrapping_mul(16) + i32::from(record.horizontal >> 4),
                y: i32::from(record.y),
                z: changes.chunk_z.wrapping_mul(16) + i32::from(record.horizontal & 0xF),
            };
            self.set_block(at, record.state.0, limits, dropped);
        }
    }

    pub(super) fn explode(
        &mut self,
        explosion: &Explosion<'_>,
        limits: &Limits,
        dropped: &mut Dropped,
    ) {
        let center = [explosion.x, explosion.y, explosion.z].map(|it| it.trunc() as i32);
        let [x, y, z] = center;
        for offset in explosion.blocks.iter() {
            let at = Position {
                x: x.saturating_add(i32::from(offset.x)),
                y: y.saturating_add(i32::from(offset.y)),
                z: z.saturating_add(i32::from(offset.z)),
            };
            self.set_block(at, 0, limits, dropped);
        }
    }

    /// What a block holds, as the packet's body.
    pub(super) fn set_block_entity(
        &mut self,
        at: Position,
        body: &[u8],
        center: Chunk,
        limits: &Limits,
        dropped: &mut Dropped,
    ) {
        let Some(column) = self.columns.get_mut(&Chunk::of(at.x, at.z)) else {
            return;
        };
        let is_new = !column.block_entities.contains_key(&at);
        if is_new && column.block_entities.len() >= limits.block_entities {
            dropped.blocks += 1;
            return;
        }
        self.bytes += body.len();
        if let Some(old) = column.block_entities.insert(at, body.into()) {
            self.bytes -= old.len();
        }
        self.shrink(center, limits, dropped);
    }

    /// Appends the columns to a replay, nearest first, each with what changed.
    pub(super) fn replay(&self, center: Chunk, script: &mut Script<'_>) {
        let mut nearest: Vec<_> = self.columns.iter().collect();
        nearest.sort_by_key(|(chunk, _)| chunk.distance(center));
        for (chunk, column) in nearest {
            column.frames.iter().for_each(|frame| script.frame(frame));
            let record = |(cell, change): (&Cell, &Change)| BlockRecord {
                horizontal: cell.x << 4 | cell.z,
                y: cell.y,
                state: VarInt(change.state),
            };
            let records: Vec<_> = column.changes.iter().map(record).collect();
            if !records.is_empty() {
                script.packet(&MultiBlockChange {
                    chunk_x: chunk.x,
                    chunk_z: chunk.z,
                    records: List::of(&records),
                });
            }
            let bodies = column.block_entities.values();
            bodies.for_each(|body| script.body(body));
        }
    }

    /// How many there are, and bytes kept with them.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.columns.len(), self.bytes)
    }

    fn shrink(&mut self, center: Chunk, limits: &Limits, dropped: &mut Dropped) {
        while self.columns.len() > limits.columns || self.bytes > limits.column_bytes {
            let farthest = self.columns.keys().max_by_key(|it| it.distance(center));
            let Some(&farthest) = farthest else {
                return;
            };
            self.unload(farthest);
            dropped.columns += 1;
        }
    }
}
