//! Many chains at once: while one packet's next block is under way, so are 63 others'
//! (maple.md 3.1).
//!
//! ```text
//!          lane 0   lane 1   ...  lane 63
//! step 0   X1       X1            X1         a row is one call of the AES backend, and the
//! step 1   X2       X2            X2         next row's input
//!  ...
//! step 7   X8       X8            X8         a column goes to its lane, then the tile is reused
//! ```

#![forbid(unsafe_code)]

use super::{
    KeySchedule,
    keystream::{BLOCK, MAX_BLOCKS, xor, xor_block},
};
use aes::{
    Block,
    cipher::{
        BlockCipherEncBackend, BlockCipherEncClosure, BlockSizeUser, consts::U16, inout::InOutBuf,
        typenum::Unsigned,
    },
};

/// Chains that run side by side: what the widest AES backend takes in one call.
pub(super) const LANES: usize = 64;

/// Blocks of each chain between two visits to its lane.
const STEPS: usize = 8;

/// The blocks of a few steps, row by row; aligned, so that no register's worth of them lies in
/// two lines of the cache.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct Tile {
    rows: [TileRow; STEPS],
}

/// One block of each lane.
type TileRow = [Block; LANES];

impl Tile {
    pub(super) fn new() -> Self {
        Self {
            rows: [[Block::default(); LANES]; STEPS],
        }
    }

    /// Runs the chains that begin at `starts`, [`LANES`] of them at most: chain `i` for
    /// `blocks[i]` blocks, which never grow from one lane to the next.
    pub(super) fn run(
        &mut self,
        schedule: &KeySchedule,
        starts: &[[u8; BLOCK]],
        blocks: &[usize],
        sink: &mut impl Sink,
    ) {
        let [.., last] = &mut self.rows;
        for (place, &start) in last.iter_mut().zip(starts) {
            *place = start.into();
        }
        let lanes = starts.len().min(blocks.len()).min(LANES);
        let blocks = blocks.get(..lanes).unwrap_or_default();
        debug_assert!(blocks.is_sorted_by(|a, b| a >= b));
        schedule.run(Run {
            rows: &mut self.rows,
            blocks,
            sink,
        });
    }
}

/// Takes the blocks of a lane, a few at a time and in order.
pub(super) trait Sink {
    /// Takes the blocks of `lane` from number `at` on.
    fn take(&mut self, lane: usize, at: usize, column: Column<'_>);
}

/// A lane's blocks of one tile.
#[derive(Clone, Copy)]
pub(super) struct Column<'a> {
    rows: &'a [TileRow],
    lane: usize,
}

impl Column<'_> {
    /// Copies the blocks to the front of `places`.
    #[inline(always)]
    pub(super) fn copy_to(self, places: &mut [[u8; BLOCK]]) {
        if let Some(places) = places.first_chunk_mut::<STEPS>()
            && let Some(rows) = self.rows.first_chunk::<STEPS>()
        {
            for (place, row) in places.iter_mut().zip(rows) {
                *place = of_lane(row, self.lane).0;
            }
        } else {
            for (place, row) in places.iter_mut().zip(self.rows) {
                *place = of_lane(row, self.lane).0;
            }
        }
    }

    /// XORs the front of `bytes` with the blocks.
    #[inline(always)]
    pub(super) fn xor(self, bytes: &mut [u8]) {
        let (places, tail) = bytes.as_chunks_mut::<BLOCK>();
        if let Some(places) = places.first_chunk_mut::<STEPS>()
            && let Some(rows) = self.rows.first_chunk::<STEPS>()
        {
            for (place, row) in places.iter_mut().zip(rows) {
                xor_block(place, &of_lane(row, self.lane).0);
            }
            return;
        }
        for (place, row) in places.iter_mut().zip(self.rows) {
            xor_block(place, &of_lane(row, self.lane).0);
        }
        if let Some(row) = self.rows.get(places.len()) {
            xor(tail, &of_lane(row, self.lane).0);
        }
    }

    /// Writes the front of `from`, XORed with the blocks, to the front of `out`.
    #[inline(always)]
    pub(super) fn xor_into(self, from: &[u8], out: &mut [u8]) {
        let len = (self.rows.len() * BLOCK).min(from.len()).min(out.len());
        if let (Some(from), Some(out)) = (from.get(..len), out.get_mut(..len)) {
            out.copy_from_slice(from);
            self.xor(out);
        }
    }
}

#[inline(always)]
#[expect(
    clippy::indexing_slicing,
    reason = "the remainder is within the row, which saves a branch per block"
)]
fn of_lane(row: &TileRow, lane: usize) -> &Block {
    &row[lane % LANES]
}

/// A run of the AES backend over a tile, for as many tiles as it takes.
pub(super) struct Run<'a, S> {
    rows: &'a mut [TileRow; STEPS],
    blocks: &'a [usize],
    sink: &'a mut S,
}

impl<S> BlockSizeUser for Run<'_, S> {
    type BlockSize = U16;
}

impl<S: Sink> BlockCipherEncClosure for Run<'_, S> {
    #[inline(always)]
    fn call<B: BlockCipherEncBackend<BlockSize = U16>>(self, backend: &B) {
        let Run { rows, blocks, sink } = self;
        let most = blocks.first().copied().unwrap_or_default();
        let mut active = blocks.len();
        let mut done = 0;
        while done < most {
            while active > 1 && blocks.get(active - 1).is_some_and(|&need| need <= done) {
                active -= 1;
            }
            let steps = STEPS.min(most - done);
            let width = width::<B>(active);
            for step in 0..steps {
                encrypt_row(backend, rows, width, step);
            }
            for (lane, &need) in blocks.iter().take(active).enumerate() {
                let rows = rows.get(..steps.min(need - done)).unwrap_or_default();
                sink.take(lane, done, Column { rows, lane });
            }
            done += steps;
        }
    }
}

/// How many blocks of a row to encrypt: a wide call over unused lanes beats many narrow ones.
#[inline(always)]
fn width<B: BlockCipherEncBackend<BlockSize = U16>>(active: usize) -> usize {
    let wide = B::ParBlocksSize::USIZE;
    if wide <= LANES && active > wide / 2 {
        active.next_multiple_of(wide).min(LANES)
    } else {
        active
    }
}

/// Makes row `step` out of the row before it; the last row is before the first.
#[inline(always)]
fn encrypt_row<B: BlockCipherEncBackend<BlockSize = U16>>(
    backend: &B,
    rows: &mut [TileRow; STEPS],
    width: usize,
    step: usize,
) {
    let (before, after) = rows.split_at_mut(step);
    let ends = match (before, after) {
        ([.., from], [to, ..]) => Some((&*from, to)),
        ([], [to, .., from]) => Some((&*from, to)),
        _ => None,
    };
    let Some((from, to)) = ends else {
        return;
    };
    let from = from.get(..width).unwrap_or_default();
    let to = to.get_mut(..width).unwrap_or_default();
    let Ok(row) = InOutBuf::new(from, to) else {
        return;
    };
    let (wide, narrow) = row.into_chunks::<B::ParBlocksSize>();
    for blocks in wide {
        backend.encrypt_par_blocks(blocks);
    }
    for block in narrow {
        backend.encrypt_block(block);
    }
}

/// The blocks of a lane, contiguous.
pub(super) type Row = [[u8; BLOCK]; MAX_BLOCKS];

/// A few chains straight into their places, their states in registers.
pub(super) struct Few<'a, const N: usize> {
    pub(super) states: [Block; N],
    pub(super) out: [&'a mut [[u8; BLOCK]]; N],
    pub(super) blocks: usize,
}

impl<const N: usize> BlockSizeUser for Few<'_, N> {
    type BlockSize = U16;
}

impl<const N: usize> BlockCipherEncClosure for Few<'_, N> {
    #[inline(always)]
    fn call<B: BlockCipherEncBackend<BlockSize = U16>>(self, backend: &B) {
        let mut states = self.states;
        let mut out = self.out;
        for at in 0..self.blocks {
            for state in &mut states {
                backend.encrypt_block_inplace(state);
            }
            for (out, state) in out.iter_mut().zip(&states) {
                if let Some(place) = out.get_mut(at) {
                    *place = state.0;
                }
            }
        }
    }
}
