//! The bounded queue in front of an actor.

use crossbeam_queue::ArrayQueue;

/// A bounded queue of messages; anybody may push, the actor's worker pops.
///
/// Part of it is kept free for those who may not be refused because of what the actor's
/// peer does: [`Inbox::offer`] stops at the reserve, [`Inbox::push`] at the end. A peer
/// that floods thus fills its own inbox and delays only itself.
#[derive(Debug)]
pub struct Inbox<M> {
    queue: ArrayQueue<M>,
    open_places: usize,
}

impl<M> Inbox<M> {
    /// An inbox for `capacity` messages (at least 4), three quarters of it reserved.
    pub fn new(capacity: usize) -> Self {
        let capacity = capacity.max(4);
        Self {
            queue: ArrayQueue::new(capacity),
            open_places: capacity / 4,
        }
    }

    /// Adds a message from the actor's own peer; gives it back when only the reserve is left.
    pub fn offer(&self, message: M) -> Result<(), M> {
        if self.queue.len() >= self.open_places {
            return Err(message);
        }
        self.queue.push(message)
    }

    /// Adds a message from within the server; gives it back when the inbox is full.
    pub fn push(&self, message: M) -> Result<(), M> {
        self.queue.push(message)
    }

    /// Takes the oldest message.
    pub fn pop(&self) -> Option<M> {
        self.queue.pop()
    }

    /// Whether no message waits.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flooding_peer_leaves_the_reserve_free() {
        let inbox = Inbox::new(8);
        let accepted = (0..100).filter(|&n| inbox.offer(n).is_ok()).count();
        assert_eq!(accepted, 2);
        for n in 100..106 {
            assert_eq!(inbox.push(n), Ok(()));
        }
        assert_eq!(inbox.push(106), Err(106));
        let order: Vec<_> = std::iter::from_fn(|| inbox.pop()).collect();
        assert_eq!(order, [0, 1, 100, 101, 102, 103, 104, 105]);
        assert!(inbox.is_empty());
    }
}
