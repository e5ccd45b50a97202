//! Messages to one user that wait for their number.

use crate::buffer::Full;

/// A bounded first-in first-out queue of encoded messages (kind and body).
///
/// It grows as far as its limit when many messages wait and keeps a small piece of memory
/// when none does.
#[derive(Debug)]
pub struct Backlog {
    /// Two bytes of length, then the message, over and over; read from `head`.
    bytes: Vec<u8>,
    head: usize,
    limit: usize,
}

/// What an empty backlog keeps for the next messages, in bytes.
const KEPT: usize = 2048;

impl Backlog {
    /// A backlog that holds at most `limit` bytes, two per message included.
    pub const fn new(limit: usize) -> Self {
        Self {
            bytes: Vec::new(),
            head: 0,
            limit,
        }
    }

    /// Whether no message waits.
    pub fn is_empty(&self) -> bool {
        self.head == self.bytes.len()
    }

    /// How many bytes wait.
    pub fn len(&self) -> usize {
        self.bytes.len() - self.head
    }

    /// Appends `message`.
    ///
    /// # Errors
    ///
    /// [`Full`] when the limit would be passed; nothing is appended.
    pub fn push(&mut self, message: &[u8]) -> Result<(), Full> {
        let length = u16::try_from(message.len()).map_err(|_| Full)?;
        if self.len() + 2 + message.len() > self.limit {
            return Err(Full);
        }
        if self.head > 0 && self.bytes.len() + 2 + message.len() > self.bytes.capacity() {
            self.bytes.drain(..self.head);
            self.head = 0;
        }
        self.bytes.extend_from_slice(&length.to_le_bytes());
        self.bytes.extend_from_slice(message);
        Ok(())
    }

    /// The oldest message.
    pub fn front(&self) -> Option<&[u8]> {
        let (length, rest) = self.bytes.get(self.head..)?.split_first_chunk::<2>()?;
        rest.get(..usize::from(u16::from_le_bytes(*length)))
    }

    /// Removes the oldest message.
    pub fn pop_front(&mut self) {
        let Some(length) = self.front().map(<[u8]>::len) else {
            return;
        };
        self.head += 2 + length;
        if self.is_empty() {
            self.clear();
        }
    }

    /// Removes the oldest messages until at most `most` are left.
    pub fn keep_last(&mut self, most: usize) {
        let mut count = 0;
        let mut rest = self.bytes.get(self.head..).unwrap_or_default();
        while let Some((length, after)) = rest.split_first_chunk::<2>() {
            rest = after
                .get(usize::from(u16::from_le_bytes(*length))..)
                .unwrap_or_default();
            count += 1;
        }
        for _ in most..count {
            self.pop_front();
        }
    }

    /// Removes all messages.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.head = 0;
        if self.bytes.capacity() > KEPT {
            self.bytes.shrink_to(KEPT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn agrees_with_a_queue_of_vectors(
            steps in prop::collection::vec(prop::option::weighted(0.6, 0usize..300), 0..400)
        ) {
            let mut backlog = Backlog::new(4096);
            let mut model: VecDeque<Vec<u8>> = VecDeque::new();
            for (n, step) in steps.into_iter().enumerate() {
                match step {
                    Some(length) => {
                        let message = vec![n as u8; length];
                        let size: usize = model.iter().map(|m| m.len() + 2).sum();
                        let fits = size + 2 + length <= 4096;
                        prop_assert_eq!(backlog.push(&message).is_ok(), fits);
                        if fits {
                            model.push_back(message);
                        }
                    }
                    None => {
                        prop_assert_eq!(backlog.front(), model.front().map(Vec::as_slice));
                        backlog.pop_front();
                        model.pop_front();
                    }
                }
                prop_assert_eq!(backlog.is_empty(), model.is_empty());
            }
        }
    }

    #[test]
    fn keeps_the_last() {
        let mut backlog = Backlog::new(1000);
        for n in 0..9 {
            backlog.push(&[n; 3]).unwrap();
        }
        backlog.pop_front();
        backlog.keep_last(2);
        assert_eq!(backlog.front(), Some(&[7; 3][..]));
        backlog.keep_last(5);
        backlog.pop_front();
        assert_eq!(backlog.front(), Some(&[8; 3][..]));
        backlog.keep_last(0);
        assert!(backlog.is_empty());
    }

    #[test]
    fn gives_memory_back() {
        let mut backlog = Backlog::new(1 << 18);
        while backlog.push(&[7; 100]).is_ok() {}
        assert!(backlog.bytes.capacity() > 100_000);
        while !backlog.is_empty() {
            backlog.pop_front();
        }
        assert!(backlog.bytes.capacity() <= KEPT);
    }
}
