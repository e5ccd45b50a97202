//! Time as the cores see it.
//!
//! No core reads a clock: whoever drives it passes a [`Time`] in. The net room makes
//! them from a monotonic clock, the simulation from a counter.

#![forbid(unsafe_code)]

use std::{
    cmp::Ordering,
    ops::{Add, AddAssign},
    time::Duration,
};

/// A moment on the server's monotonic clock, in nanoseconds since the process started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Time {
    /// The moment the process started.
    pub const ZERO: Self = Self(0);

    /// The moment `nanos` nanoseconds after the start.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// The moment `millis` milliseconds after the start.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// Nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The time that passed since `earlier`; zero if `earlier` is later.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Time {
    type Output = Self;

    fn add(self, rhs: Duration) -> Self {
        let nanos = u64::try_from(rhs.as_nanos()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(nanos))
    }
}

impl AddAssign<Duration> for Time {
    fn add_assign(&mut self, rhs: Duration) {
        *self = *self + rhs;
    }
}

/// Deadlines of a fixed set of keys, at most one each, ordered by time.
///
/// A binary heap that knows where each key is, so moving or removing a deadline costs
/// the same as adding one and leaves nothing stale behind. Keeps the memory for as many
/// deadlines as there ever were at a time.
#[derive(Debug)]
pub struct Deadlines {
    heap: Vec<Entry>,
    /// Place of each key in `heap`.
    places: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    at: Time,
    key: u32,
}

const NOWHERE: u32 = u32::MAX;

impl Deadlines {
    /// For the keys `0..keys`.
    pub fn new(keys: usize) -> Self {
        Self {
            heap: Vec::new(),
            places: vec![NOWHERE; keys],
        }
    }

    /// The earliest deadline.
    pub fn next(&self) -> Option<Time> {
        self.heap.first().map(|entry| entry.at)
    }

    /// Gives `key` the deadline `at` in place of the one it has, or takes it away.
    /// A key outside the set is ignored.
    pub fn set(&mut self, key: u32, at: Option<Time>) {
        let Some(&place) = self.places.get(key as usize) else {
            return;
        };
        match (at, place) {
            (None, NOWHERE) => {}
            (None, place) => self.remove(place as usize),
            (Some(at), NOWHERE) => {
                self.heap.push(Entry { at, key });
                self.sift_up(self.heap.len() - 1);
            }
            (Some(at), place) => {
                let place = place as usize;
                let Some(entry) = self.heap.get_mut(place) else {
                    return;
                };
                let before = std::mem::replace(&mut entry.at, at);
                match at.cmp(&before) {
                    Ordering::Less => self.sift_up(place),
                    // Most turns leave their actor's deadline as it was.
                    Ordering::Equal => {}
                    Ordering::Greater => self.sift_down(place),
                }
            }
        }
    }

    /// Takes one key whose deadline is not after `now`, the earliest first.
    pub fn pop_due(&mut self, now: Time) -> Option<u32> {
        let first = *self.heap.first()?;
        if first.at > now {
            return None;
        }
        self.remove(0);
        Some(first.key)
    }

    fn remove(&mut self, place: usize) {
        let Some(last) = self.heap.pop() else { return };
        let removed = match self.heap.get_mut(place) {
            Some(entry) => std::mem::replace(entry, last),
            None => last,
        };
        if let Some(slot) = self.places.get_mut(removed.key as usize) {
            *slot = NOWHERE;
        }
        if place < self.heap.len() {
            self.sift_up(place);
            self.sift_down(place);
        }
    }

    fn sift_up(&mut self, mut place: usize) {
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.at(parent) <= self.at(place) {
                break;
            }
            self.heap.swap(parent, place);
            self.note(place);
            place = parent;
        }
        self.note(place);
    }

    fn sift_down(&mut self, mut place: usize) {
        loop {
            let left = 2 * place + 1;
            if left >= self.heap.len() {
                break;
            }
            let right = left + 1;
            let child = if right < self.heap.len() && self.at(right) < self.at(left) {
                right
            } else {
                left
            };
            if self.at(place) <= self.at(child) {
                break;
            }
            self.heap.swap(place, child);
            self.note(place);
            place = child;
        }
        self.note(place);
    }

    fn at(&self, place: usize) -> Time {
        self.heap
            .get(place)
            .map_or(Time::from_nanos(u64::MAX), |entry| entry.at)
    }

    fn note(&mut self, place: usize) {
        if let Some(entry) = self.heap.get(place)
            && let Some(slot) = self.places.get_mut(entry.key as usize)
        {
            *slot = place as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn deadlines_agree_with_a_sorted_map(
            steps in prop::collection::vec((0u32..20, prop::option::of(0u64..50), 0u64..50), 0..300)
        ) {
            let mut deadlines = Deadlines::new(20);
            let mut model: BTreeMap<u32, u64> = BTreeMap::new();
            for (key, at, now) in steps {
                deadlines.set(key, at.map(Time::from_nanos));
                match at {
                    Some(at) => model.insert(key, at),
                    None => model.remove(&key),
                };
                prop_assert_eq!(
                    deadlines.next(),
                    model.values().min().copied().map(Time::from_nanos)
                );
                if now % 5 == 0 {
                    let mut due = Vec::new();
                    while let Some(key) = deadlines.pop_due(Time::from_nanos(now)) {
                        let at = model.remove(&key);
                        prop_assert!(at.is_some_and(|at| at <= now));
                        due.push(at);
                    }
                    prop_assert!(due.is_sorted());
                    prop_assert!(model.values().all(|&at| at > now));
                }
            }
        }
    }

    #[test]
    fn a_key_outside_the_set_is_ignored() {
        let mut deadlines = Deadlines::new(1);
        deadlines.set(1, Some(Time::ZERO));
        assert_eq!(deadlines.next(), None);
    }
}
