//! Keystreams of a direction's next packets, made before the packets exist (maple.md 3.1).

#![forbid(unsafe_code)]

use super::{
    Iv, IvUpdate, KeySchedule, StartBlock,
    keystream::{BLOCK, Keystream, MAX_BLOCKS},
    lanes::{Group, Lane},
};

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
        let mut group = Group::new();
        for lane in self.vacancies(recipe) {
            group.push(recipe.schedule, lane);
        }
        group.run();
    }

    /// Gives vacant slots their IVs; they count as ready, so that their lanes must run at once.
    pub(super) fn vacancies<'a>(
        &'a mut self,
        recipe: Recipe<'a>,
    ) -> impl Iterator<Item = Lane<'a>> {
        let Self {
            slots,
            blocks,
            head,
            ready,
            next,
        } = self;
        let (before, after) = slots.split_at_mut(*head);
        let vacant = after.iter_mut().chain(before).skip(*ready);
        vacant.map(move |slot| {
            slot.iv = *next;
            *next = recipe.update.next(slot.iv);
            *ready += 1;
            slot.keystream.lane(recipe.start.bytes(slot.iv), *blocks)
        })
    }
}
