//! The inputs of one player that no frame has taken yet.

/// Payloads that may wait for the other players' inputs.
pub(super) const QUEUE_MAX: usize = 64;

/// More payloads wait than a player in step can have sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

/// A ring of payloads of one length: those ready for the next frames, then those the zero
/// phase stored, in the order in which they came.
///
/// ```text
///   first            first + ready          first + len
///   +--------+- ... -+----------+- ... -----+
///   | ready  |       | stored   |           |   free
///   +--------+- ... -+----------+- ... -----+
/// ```
///
/// A message that arrives while stored ones are left makes the oldest of those ready and is
/// itself thrown away (kaillera.md 8.3), so both fit into one ring of `max(stored, 64)`.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    bytes: Vec<u8>,
    payload_len: usize,
    capacity: usize,
    first: usize,
    len: usize,
    ready: usize,
}

impl Backlog {
    /// Empties the ring and makes room for `stored` payloads of the zero phase, then for the
    /// queue, each of `payload_len` bytes. Allocates only if it never had as much.
    pub(super) fn reset(&mut self, stored: usize, payload_len: usize) {
        self.clear();
        self.payload_len = payload_len;
        self.capacity = stored.max(QUEUE_MAX);
        let needed = self.capacity * payload_len;
        if self.bytes.len() < needed {
            self.bytes.clear();
            self.bytes.reserve_exact(needed);
            self.bytes.resize(needed, 0);
        }
    }

    /// Empties the ring.
    pub(super) fn clear(&mut self) {
        self.first = 0;
        self.len = 0;
        self.ready = 0;
    }

    /// Stores `payload`, cut or padded with zeros to the common length.
    pub(super) fn store(&mut self, payload: &[u8]) {
        debug_assert!(self.len < self.capacity);
        let start = self.place(self.len) * self.payload_len;
        let Some(place) = self.bytes.get_mut(start..start + self.payload_len) else {
            return;
        };
        let input = payload.get(..self.payload_len).unwrap_or(payload);
        let (head, tail) = place.split_at_mut(input.len());
        head.copy_from_slice(input);
        tail.fill(0);
        self.len += 1;
    }

    /// Makes one more payload ready: the oldest stored one if any is left, else `payload`.
    ///
    /// # Errors
    ///
    /// [`Full`] if [`QUEUE_MAX`] payloads are ready; nothing changes then.
    pub(super) fn feed(&mut self, payload: &[u8]) -> Result<(), Full> {
        if self.ready == QUEUE_MAX {
            return Err(Full);
        }
        if self.ready == self.len {
            self.store(payload);
        }
        self.ready += 1;
        Ok(())
    }

    /// Tells whether a payload is ready.
    pub(super) fn is_ready(&self) -> bool {
        self.ready > 0
    }

    /// Answers the next payload.
    pub(super) fn front(&self) -> Option<&[u8]> {
        let start = self.first * self.payload_len;
        let payload = self.bytes.get(start..start + self.payload_len)?;
        self.is_ready().then_some(payload)
    }

    /// Removes the next payload.
    pub(super) fn pop(&mut self) {
        debug_assert!(self.ready > 0);
        self.first = self.place(1);
        self.len = self.len.saturating_sub(1);
        self.ready = self.ready.saturating_sub(1);
    }

    fn place(&self, index: usize) -> usize {
        let place = self.first + index;
        if place < self.capacity {
            place
        } else {
            place - self.capacity
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(stored: usize) -> Backlog {
        let mut backlog = Backlog::default();
        backlog.reset(stored, 2);
        for value in 0..stored {
            backlog.store(&[value as u8]);
        }
        backlog
    }

    #[test]
    fn stored_payloads_come_first_and_replace_what_arrives() {
        let mut backlog = fed(3);
        assert_eq!(backlog.front(), None);
        for value in 100..105 {
            assert_eq!(backlog.feed(&[value, 9, 9]), Ok(()));
        }
        for expected in [[0, 0], [1, 0], [2, 0], [103, 9], [104, 9]] {
            assert_eq!(backlog.front(), Some(&expected[..]));
            backlog.pop();
        }
        assert!(!backlog.is_ready());
    }

    #[test]
    fn is_full_at_the_limit_whatever_was_stored() {
        for stored in [6, 63, 64, 65, 130] {
            let mut backlog = fed(stored);
            for round in 0..200 {
                while backlog.feed(&[round, 1]) == Ok(()) {}
                assert_eq!(backlog.ready, QUEUE_MAX);
                for _ in 0..1 + round % 64 {
                    backlog.pop();
                }
            }
        }
    }

    #[test]
    fn keeps_its_memory() {
        let mut backlog = fed(100);
        let memory = backlog.bytes.as_ptr();
        for (stored, payload_len) in [(6, 2), (30, 3), (100, 1), (100, 2)] {
            backlog.reset(stored, payload_len);
            assert_eq!(backlog.front(), None);
            assert_eq!(backlog.bytes.as_ptr(), memory);
        }
    }
}
