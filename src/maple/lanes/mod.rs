//! Many chains at once: while one packet's next block is under way, so are the others'
//! (maple.md 3.1).
//!
//! ```text
//!          lane 0        lane 1        ...  lane 15
//! step 0   X1 ^ input    X1 ^ input         X1 ^ input     -> the first 16 bytes of each out
//! step 1   X2 ^ input    X2 ^ input         X2 ^ input     -> the next
//! ```
//!
//! A chain's next block waits for AES's whole latency, in which the unit could begin a block of
//! each of many other chains; the XOR that puts the last step's blocks to their payloads runs
//! beside it. A lane of two chains takes the sum of their blocks: a payload that goes from one
//! stream into another is touched once.

#[cfg(target_arch = "x86_64")]
pub(super) mod vaes;

use super::{
    KeySchedule,
    keystream::{BLOCK, xor, xor_block},
};
use aes::{
    Aes256Enc, Block,
    cipher::{
        BlockCipherEncBackend, BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser,
        consts::U16,
    },
};
use arrayvec::ArrayVec;

/// Chains that run side by side.
pub(super) const WIDTH: usize = 16;

/// Chains that the portable twin has under way: as many as a narrow AES unit overlaps.
const NARROW: usize = 8;

/// Chains of blocks, and the bytes that their sum is for: as many as there is room for.
pub(super) struct Lane<'a, const CHAINS: usize = 1> {
    /// The chains' starts, themselves not part of the keystream.
    pub(super) starts: [[u8; BLOCK]; CHAINS],
    pub(super) input: Input<'a>,
    pub(super) out: &'a mut [u8],
}

/// What a keystream is XORed with on its way out.
#[derive(Clone, Copy)]
pub(super) enum Input<'a> {
    /// What was there.
    InPlace,
    /// Other bytes; where they end, so does the lane.
    Bytes(&'a [u8]),
    /// Nothing: the keystream itself goes out.
    Nothing,
}

impl<const CHAINS: usize> Lane<'_, CHAINS> {
    /// Bytes that are written.
    fn len(&self) -> usize {
        match self.input {
            Input::Bytes(bytes) => bytes.len().min(self.out.len()),
            Input::InPlace | Input::Nothing => self.out.len(),
        }
    }

    /// Takes block number `at`.
    #[inline(always)]
    fn take(&mut self, at: usize, block: &[u8; BLOCK]) {
        let end = self.len();
        let begin = (at * BLOCK).min(end);
        let end = (begin + BLOCK).min(end);
        let Some(place) = self.out.get_mut(begin..end) else {
            return;
        };
        match self.input {
            Input::InPlace => {}
            Input::Bytes(bytes) => {
                place.copy_from_slice(bytes.get(begin..end).unwrap_or_default());
            }
            Input::Nothing => place.fill(0),
        }
        match <&mut [u8; BLOCK]>::try_from(&mut *place) {
            Ok(whole) => xor_block(whole, block),
            Err(_) => xor(place, block),
        }
    }
}

/// Lanes of one key that wait to be run together.
pub(super) struct Group<'a, const CHAINS: usize = 1> {
    schedule: Option<KeySchedule>,
    lanes: ArrayVec<Lane<'a, CHAINS>, WIDTH>,
}

impl<'a, const CHAINS: usize> Group<'a, CHAINS> {
    pub(super) fn new() -> Self {
        Self {
            schedule: None,
            lanes: ArrayVec::new(),
        }
    }

    /// Takes a lane; it is run now, or with others later.
    pub(super) fn push(&mut self, schedule: &KeySchedule, lane: Lane<'a, CHAINS>) {
        let other = self.schedule.as_ref().is_some_and(|it| !it.same(schedule));
        if other || self.lanes.is_full() {
            self.run();
        }
        self.schedule.get_or_insert_with(|| schedule.clone());
        self.lanes.push(lane);
    }

    /// Runs the lanes that wait.
    pub(super) fn run(&mut self) {
        if let Some(schedule) = self.schedule.take() {
            schedule.run(&mut self.lanes);
        }
        self.lanes.clear();
    }
}

/// Runs lanes on any machine.
pub(super) fn portable<const CHAINS: usize>(aes: &Aes256Enc, lanes: &mut [Lane<'_, CHAINS>]) {
    for lanes in lanes.chunks_mut((NARROW / CHAINS).max(1)) {
        aes.encrypt_with_backend(Interleaved { lanes });
    }
}

struct Interleaved<'l, 'a, const CHAINS: usize> {
    lanes: &'l mut [Lane<'a, CHAINS>],
}

impl<const CHAINS: usize> BlockSizeUser for Interleaved<'_, '_, CHAINS> {
    type BlockSize = U16;
}

impl<const CHAINS: usize> BlockCipherEncClosure for Interleaved<'_, '_, CHAINS> {
    #[inline(always)]
    fn call<B: BlockCipherEncBackend<BlockSize = U16>>(self, backend: &B) {
        let mut states = [[Block::default(); CHAINS]; NARROW];
        for (states, lane) in states.iter_mut().zip(&*self.lanes) {
            *states = lane.starts.map(Block::from);
        }
        let states = states.get_mut(..self.lanes.len()).unwrap_or_default();
        let longest = self.lanes.iter().map(Lane::len).max().unwrap_or_default();
        for at in 0..longest.div_ceil(BLOCK) {
            for state in states.as_flattened_mut() {
                backend.encrypt_block_inplace(state);
            }
            for (lane, states) in self.lanes.iter_mut().zip(&*states) {
                let mut sum = [0; BLOCK];
                for state in states {
                    xor_block(&mut sum, &state.0);
                }
                lane.take(at, &sum);
            }
        }
    }
}

#[cfg(test)]
mod tests;
