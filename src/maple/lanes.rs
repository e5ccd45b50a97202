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
    keystream::{BLOCK, MAX_BLOCKS},
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

/// The blocks of a few steps of `N` lanes, row by row.
#[derive(Debug)]
pub(super) struct Tile<const N: usize> {
    rows: [[Block; N]; STEPS],
}

impl<const N: usize> Tile<N> {
    pub(super) fn new() -> Self {
        Self {
            rows: [[Block::default(); N]; STEPS],
        }
    }

    /// Runs the chains that begin at `starts`, the first `N` of them: chain `i` for `blocks[i]`
    /// blocks, which never grow from one lane to the next.
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
        let lanes = starts.len().min(blocks.len()).min(N);
        let blocks = blocks.get(..lanes).unwrap_or_default();
        debug_assert!(blocks.is_sorted_by(|a, b| a >= b));
        let (rows, stride) = (self.rows.as_flattened_mut(), N);
        schedule.run(Run {
            rows,
            stride,
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
    rows: &'a [Block],
    stride: usize,
}

impl Column<'_> {
    /// Copies the blocks to the front of `places`.
    #[inline(always)]
    pub(super) fn copy_to(self, places: &mut [[u8; BLOCK]]) {
        let blocks = self.rows.iter().step_by(self.stride);
        for (place, block) in places.iter_mut().zip(blocks) {
            *place = block.0;
        }
    }
}

/// A run of the AES backend over a tile, for as many tiles as it takes.
pub(super) struct Run<'a, S> {
    rows: &'a mut [Block],
    stride: usize,
    blocks: &'a [usize],
    sink: &'a mut S,
}

impl<S> BlockSizeUser for Run<'_, S> {
    type BlockSize = U16;
}

impl<S: Sink> BlockCipherEncClosure for Run<'_, S> {
    #[inline(always)]
    fn call<B: BlockCipherEncBackend<BlockSize = U16>>(self, backend: &B) {
        let Run {
            rows,
            stride,
            blocks,
            sink,
        } = self;
        let most = blocks.first().copied().unwrap_or_default();
        let mut active = blocks.len();
        let mut done = 0;
        while done < most {
            while active > 1 && blocks.get(active - 1).is_some_and(|&need| need <= done) {
                active -= 1;
            }
            let steps = STEPS.min(most - done);
            let width = width::<B>(active, stride);
            for step in 0..steps {
                encrypt_row(backend, rows, stride, width, step);
            }
            for (lane, &need) in blocks.iter().take(active).enumerate() {
                let end = steps.min(need - done) * stride;
                let rows = rows.get(lane..end).unwrap_or_default();
                sink.take(lane, done, Column { rows, stride });
            }
            if steps < STEPS {
                break;
            }
            done += STEPS;
        }
    }
}

/// How many blocks of a row to encrypt: a wide call over unused lanes beats many narrow ones.
#[inline(always)]
fn width<B: BlockCipherEncBackend<BlockSize = U16>>(active: usize, stride: usize) -> usize {
    let wide = B::ParBlocksSize::USIZE;
    if wide <= stride && active > wide / 2 {
        active.next_multiple_of(wide).min(stride)
    } else {
        active
    }
}

/// Makes row `step` out of the row before it; the last row is before the first.
#[inline(always)]
fn encrypt_row<B: BlockCipherEncBackend<BlockSize = U16>>(
    backend: &B,
    rows: &mut [Block],
    stride: usize,
    width: usize,
    step: usize,
) {
    let (before, after) = rows.split_at_mut(step * stride);
    let (from, to): (&[Block], &mut [Block]) = if step == 0 {
        let (first, last) = after.split_at_mut((STEPS - 1) * stride);
        (last, first)
    } else {
        let from = before.get((step - 1) * stride..).unwrap_or_default();
        (from, after)
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

/// Puts each lane's blocks into a row of its own.
pub(super) struct IntoRows<'a> {
    pub(super) rows: &'a mut [Row],
}

impl Sink for IntoRows<'_> {
    #[inline(always)]
    fn take(&mut self, lane: usize, at: usize, column: Column<'_>) {
        let row = self.rows.get_mut(lane).and_then(|row| row.get_mut(at..));
        column.copy_to(row.unwrap_or_default());
    }
}

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
