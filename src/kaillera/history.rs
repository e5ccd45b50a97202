//! The last messages sent to one user, for repeating them.

use std::ops::Range;

/// Messages kept (kaillera.md 2.2).
pub(super) const KEPT: usize = 16;

/// Room for two of the largest messages, so that the newest always fits.
const CAPACITY: usize = 2 * super::MAX_MESSAGE;

/// Beyond this the ring starts over as soon as nothing is in the way: a game's small messages
/// stay within a few cache lines.
const SNUG: usize = 1024;

/// The last [`KEPT`] messages, fewer when they are very large; the newest is always there.
///
/// Their bytes lie in one ring, each in one piece; an entry goes when its bytes are needed.
#[derive(Debug, Default)]
pub(super) struct History {
    bytes: Box<[u8]>,
    /// Where the next message goes.
    write: usize,
    /// Ring of places, `newest` is the last one filled.
    places: [Place; KEPT],
    newest: usize,
    len: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    start: u16,
    len: u16,
}

impl Place {
    fn range(self) -> Range<usize> {
        let start = usize::from(self.start);
        start..start + usize::from(self.len)
    }
}

impl History {
    pub(super) fn new() -> Self {
        Self {
            bytes: vec![0; CAPACITY].into_boxed_slice(),
            ..Self::default()
        }
    }

    pub(super) fn clear(&mut self) {
        self.write = 0;
        self.len = 0;
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The message sent `age` messages before the newest.
    pub(super) fn get(&self, age: usize) -> Option<&[u8]> {
        if age >= self.len {
            return None;
        }
        let place = self.places.get((self.newest + KEPT - age) % KEPT)?;
        self.bytes.get(place.range())
    }

    /// Adds the newest message; one longer than half the ring is cut, which no caller does.
    pub(super) fn push(&mut self, message: &[u8]) {
        debug_assert!(message.len() <= super::MAX_MESSAGE);
        let message = message
            .get(..message.len().min(super::MAX_MESSAGE))
            .unwrap_or_default();
        if self.write >= SNUG && self.oldest_start() >= message.len() {
            self.write = 0;
        } else if self.write + message.len() > CAPACITY {
            self.forget_within(self.write, CAPACITY);
            self.write = 0;
        }
        let end = self.write + message.len();
        self.forget_within(self.write, end);
        if let Some(place) = self.bytes.get_mut(self.write..end) {
            place.copy_from_slice(message);
        }
        self.newest = (self.newest + 1) % KEPT;
        if let Some(place) = self.places.get_mut(self.newest) {
            *place = Place {
                start: self.write as u16,
                len: message.len() as u16,
            };
        }
        self.len = (self.len + 1).min(KEPT);
        self.write = end;
    }

    fn oldest(&self) -> Place {
        let oldest = (self.newest + KEPT + 1 - self.len) % KEPT;
        self.places.get(oldest).copied().unwrap_or_default()
    }

    /// Where the oldest message begins, if none lies before it; else 0.
    fn oldest_start(&self) -> usize {
        let start = self.oldest().range().start;
        if start < self.write { start } else { 0 }
    }

    /// Forgets the oldest messages while their bytes lie in `start..end`.
    fn forget_within(&mut self, start: usize, end: usize) {
        while self.len > 0 {
            let oldest = self.oldest().range();
            if oldest.end <= start || end <= oldest.start {
                return;
            }
            self.len -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_list(
            lengths in prop::collection::vec(
                prop_oneof![4 => 1usize..40, 1 => 300usize..=crate::kaillera::MAX_MESSAGE], 1..200)
        ) {
            let mut history = History::new();
            let mut model: Vec<Vec<u8>> = Vec::new();
            for (n, length) in lengths.into_iter().enumerate() {
                let message: Vec<u8> = (0..length).map(|i| (n * 31 + i) as u8).collect();
                history.push(&message);
                model.push(message);
                prop_assert!(history.len() >= 1);
                let small = model.iter().rev().take(KEPT).all(|m| m.len() < 40);
                if small {
                    prop_assert_eq!(history.len(), model.len().min(KEPT));
                }
                for age in 0..history.len() {
                    prop_assert_eq!(history.get(age).unwrap(), &model[model.len() - 1 - age][..]);
                }
                prop_assert_eq!(history.get(history.len()), None);
            }
        }
    }
}
