//! Keystreams of a direction's next packets, made before the packets exist (maple.md 3.1).

#![forbid(unsafe_code)]

use super::{
    Iv, IvUpdate, KeySchedule, StartBlock,
    keystream::{BLOCK, Keystream, MAX_BLOCKS},
    lanes::{Column, Few},
};
use aes::Block;
use std::array;

/// How far one direction looks ahead. The default is not at all.
///
/// Takes about 1.5 kB per packet, allocated when the direction is made. A packet longer than
/// `bytes` finishes its keystream when it comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lookahead {
    /// Packets whose keystream is kept ready; [`Lookahead::MAX_PACKETS`] at most.
    pub packets: usize,
    /// Bytes of each keystream that are made ahead; a packet never needs more than 1,460.
    pub bytes: usize,
}

impl Lookahead {
    /// The most packets one direction prepares.
    pub const MAX_PACKETS: usize = 64;

    /// Nothing is prepared.
    pub const OFF: Self = Self {
        packets: 0,
        bytes: 0,
    };
}

/// Chains that a direction runs side by side by itself: as many as narrow AES units overlap.
const OWN_LANES: usize = 8;

/// A ring of prepared keystreams; the front one is the current packet's.
#[derive(Debug)]
pub(super) struct Ahead {
    slots: Box<[Slot]>,
    blocks: usize,
    head: usize,
    ready: usize,
    /// The IV of the first packet that has no keystream yet.
    next: Iv,
}

#[derive(Clone, Debug)]
struct Slot {
    iv: Iv,
    keystream: Keystream,
}

/// What the keystreams of a direction are made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recipe<'a> {
    pub(super) schedule: &'a KeySchedule,
    pub(super) start: StartBlock,
    pub(super) update: IvUpdate,
}

impl Ahead {
    pub(super) fn new(lookahead: Lookahead, iv: Iv) -> Self {
        let slot = Slot {
            iv,
            keystream: Keystream::new(),
        };
        let packets = lookahead.packets.min(Lookahead::MAX_PACKETS);
        Self {
            slots: vec![slot; packets].into(),
            blocks: lookahead.bytes.div_ceil(BLOCK).clamp(1, MAX_BLOCKS),
            head: 0,
            ready: 0,
            next: iv,
        }
    }

    pub(super) fn is_off(&self) -> bool {
        self.slots.is_empty()
    }

    /// Packets whose keystream is ready.
    pub(super) fn ready(&self) -> usize {
        self.ready
    }

    /// Slots without a keystream.
    pub(super) fn vacant(&self) -> usize {
        self.slots.len() - self.ready
    }

    /// Blocks that a keystream gets ahead of its packet.
    pub(super) fn blocks(&self) -> usize {
        self.blocks
    }

    /// The current packet's keystream, `blocks` long at least; `None` if none is ready.
    pub(super) fn front(&mut self, schedule: &KeySchedule, blocks: usize) -> Option<&Keystream> {
        if self.ready == 0 {
            return None;
        }
        let slot = self.slots.get_mut(self.head)?;
        schedule.extend(&mut slot.keystream, blocks);
        Some(&slot.keystream)
    }

    /// Whether the current packet's keystream has `blocks` blocks already.
    pub(super) fn covers(&self, blocks: usize) -> bool {
        let slot = self.slots.get(self.head);
        self.ready > 0 && slot.is_some_and(|slot| slot.keystream.blocks() >= blocks)
    }

    /// Ends the packet that has `iv` and gives the IV of the one after it.
    pub(super) fn pop(&mut self, iv: Iv, update: IvUpdate) -> Iv {
        if self.ready == 0 {
            return self.restart(update.next(iv));
        }
        self.ready -= 1;
        self.head = (self.head + 1) % self.slots.len().max(1);
        match self.slots.get(self.head) {
            Some(slot) if self.ready > 0 => slot.iv,
            _ => self.next,
        }
    }

    /// Goes on with the packet that has `iv`, of which no keystream is ready.
    pub(super) fn restart(&mut self, iv: Iv) -> Iv {
        self.next = iv;
        iv
    }

    /// Fills all slots.
    pub(super) fn fill(&mut self, recipe: Recipe<'_>) {
        while self.vacant() > 0 {
            let mut starts = [[0; BLOCK]; OWN_LANES];
            let first = self.ready;
            match self.reserve(recipe, &mut starts) {
                1 => self.run_few::<1>(recipe, starts, first),
                2 => self.run_few::<2>(recipe, starts, first),
                3 | 4 => self.run_few::<4>(recipe, starts, first),
                _ => self.run_few::<OWN_LANES>(recipe, starts, first),
            }
            self.finish(first);
        }
    }

    fn run_few<const N: usize>(
        &mut self,
        recipe: Recipe<'_>,
        starts: [[u8; BLOCK]; OWN_LANES],
        first: usize,
    ) {
        let (before, after) = self.slots.split_at_mut(self.head);
        let mut slots = after.iter_mut().chain(before);
        let mut slots = slots.by_ref().skip(first).take(self.ready - first);
        let mut states = [Block::default(); N];
        for (state, start) in states.iter_mut().zip(starts) {
            *state = start.into();
        }
        recipe.schedule.run_few(Few {
            states,
            out: array::from_fn(|_| {
                let slot = slots.next();
                slot.map_or(&mut [][..], |slot| &mut slot.keystream.blocks)
            }),
            blocks: self.blocks,
        });
    }

    /// Gives vacant slots their IVs, as many as there are `starts`, and writes their start
    /// blocks; says how many. The slots count as ready, so their keystreams must follow at once.
    pub(super) fn reserve(&mut self, recipe: Recipe<'_>, starts: &mut [[u8; BLOCK]]) -> usize {
        let vacant = self.vacant();
        let mut reserved = 0;
        for start in starts.iter_mut().take(vacant) {
            let iv = self.next;
            *start = recipe.start.bytes(iv);
            let index = self.index(self.ready);
            if let Some(slot) = self.slots.get_mut(index) {
                slot.iv = iv;
                slot.keystream.begin(*start);
            }
            self.next = recipe.update.next(iv);
            self.ready += 1;
            reserved += 1;
        }
        reserved
    }

    /// Takes blocks of the slot `place` after the front one.
    pub(super) fn take(&mut self, place: usize, at: usize, column: Column<'_>) {
        let index = self.index(place);
        let Some(slot) = self.slots.get_mut(index) else {
            return;
        };
        column.copy_to(slot.keystream.blocks.get_mut(at..).unwrap_or_default());
    }

    /// Declares the keystreams of all ready slots from `first` on made.
    pub(super) fn finish(&mut self, first: usize) {
        for place in first..self.ready {
            let index = self.index(place);
            if let Some(slot) = self.slots.get_mut(index) {
                slot.keystream.end(self.blocks);
            }
        }
    }

    fn index(&self, place: usize) -> usize {
        (self.head + place) % self.slots.len().max(1)
    }
}
