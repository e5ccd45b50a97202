//! Keystreams kept for the day their IV comes again (maple.md 4.1).

#![forbid(unsafe_code)]

use super::{
    Iv, KeySchedule, StartBlock,
    keystream::{BLOCK, MAX_BLOCKS},
};
use std::fmt;

/// IVs that share a place in the cache's index.
const WAYS: usize = 8;

/// A bounded cache of keystreams of one key, shared by as many sessions as one thread has.
///
/// It pays where IVs repeat: servers that start at `46 72 7A rr` and `52 30 78 rr` ever see
/// about two million of them, and those of [`IvPolicy::ShortCycle`](super::IvPolicy) or
/// [`IvPolicy::Fixed`](super::IvPolicy) a handful. With random IVs it only costs. All memory is
/// taken by [`KeystreamCache::new`].
pub struct KeystreamCache {
    schedule: KeySchedule,
    start: StartBlock,
    /// `WAYS` entries per set.
    entries: Box<[Entry]>,
    /// `stride` blocks per entry.
    blocks: Box<[[u8; BLOCK]]>,
    stride: usize,
    victim: usize,
    hits: u64,
    misses: u64,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    iv: Option<Iv>,
    ready: usize,
}

impl KeystreamCache {
    /// A cache of at least `entries` keystreams of up to `bytes` bytes each (1,472 at most);
    /// longer packets go past it.
    pub fn new(schedule: KeySchedule, start: StartBlock, entries: usize, bytes: usize) -> Self {
        let stride = bytes.div_ceil(BLOCK).clamp(1, MAX_BLOCKS);
        let entries = entries.max(1).next_multiple_of(WAYS);
        Self {
            schedule,
            start,
            entries: vec![Entry::default(); entries].into(),
            blocks: vec![[0; BLOCK]; entries.saturating_mul(stride)].into(),
            stride,
            victim: 0,
            hits: 0,
            misses: 0,
        }
    }

    /// How often a keystream was there, and how often it was not.
    pub fn hits_and_misses(&self) -> (u64, u64) {
        (self.hits, self.misses)
    }

    /// Whether it keeps the keystreams of this key.
    pub(super) fn serves(&self, schedule: &KeySchedule, start: StartBlock) -> bool {
        self.start == start && self.schedule.same(schedule)
    }

    /// The keystream of `iv`, at least `blocks` blocks of it; `None` if that exceeds an entry.
    pub(super) fn keystream(&mut self, iv: Iv, blocks: usize) -> Option<&[u8]> {
        if blocks > self.stride {
            return None;
        }
        let index = self.find(iv);
        let entry = self.entries.get_mut(index)?;
        let first = index * self.stride;
        let place = self.blocks.get_mut(first..first + self.stride)?;
        if entry.ready < blocks {
            let last = entry.ready.checked_sub(1).and_then(|last| place.get(last));
            let state = last.copied().unwrap_or_else(|| self.start.bytes(iv));
            let rest = place.get_mut(entry.ready..blocks)?;
            self.schedule.chain(state, rest);
            entry.ready = blocks;
        }
        let ready = place.get(..entry.ready)?;
        Some(ready.as_flattened())
    }

    /// The entry of `iv`, emptied for it if it has none.
    fn find(&mut self, iv: Iv) -> usize {
        let hash = u32::from_le_bytes(iv.bytes()).wrapping_mul(0x9E37_79B1) >> 8;
        let set = hash as usize % (self.entries.len() / WAYS) * WAYS;
        let ways = self.entries.get(set..set + WAYS).unwrap_or_default();
        if let Some(way) = ways.iter().position(|entry| entry.iv == Some(iv)) {
            self.hits += 1;
            return set + way;
        }
        self.misses += 1;
        let free = ways.iter().position(|entry| entry.iv.is_none());
        self.victim = self.victim.wrapping_add(1);
        let index = set + free.unwrap_or(self.victim % WAYS);
        if let Some(entry) = self.entries.get_mut(index) {
            *entry = Entry {
                iv: Some(iv),
                ready: 0,
            };
        }
        index
    }
}

impl fmt::Debug for KeystreamCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeystreamCache")
            .field("entries", &self.entries.len())
            .field("bytes", &(self.stride * BLOCK))
            .field("hits", &self.hits)
            .field("misses", &self.misses)
            .finish_non_exhaustive()
    }
}
