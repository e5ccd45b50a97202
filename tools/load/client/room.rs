//! What the players of one room share: when a frame's last input left, and what was in it.

use samara::timer::Time;
use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hasher},
    time::Duration,
};

/// Frames that may be under way; a player has at most its delay and a few more.
const UNDER_WAY: usize = 1024;

/// The zero messages before the first common frame, beyond those that even out the delays
/// (kaillera.md 8.3).
const EXTRA_ZEROS: u64 = 5;

/// One game.
#[derive(Debug)]
pub(crate) struct Room {
    /// The newest, by number.
    frames: BTreeMap<u64, Frame>,
    highest_delay: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    last_sent: Time,
    last_due: Time,
    content: Option<u64>,
}

/// What a player received, seen from its room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Time since the last input it needed was sent.
    pub(crate) added: Duration,
    /// Time since the last input it needed was due.
    pub(crate) since_due: Duration,
    /// The first player of the room to get it got the same.
    pub(crate) equal: bool,
}

impl Room {
    pub(crate) fn new() -> Self {
        Self {
            frames: BTreeMap::new(),
            highest_delay: 1,
        }
    }

    /// A player was told its delay.
    pub(crate) fn delay(&mut self, delay: u16) {
        self.highest_delay = self.highest_delay.max(delay.into());
    }

    /// How many of a player's messages are answered with zeros.
    pub(crate) fn zeros(&self, delay: u16) -> u64 {
        2 * self.highest_delay - u64::from(delay).min(self.highest_delay) + EXTRA_ZEROS
    }

    /// A player's input for frame `number` left.
    pub(crate) fn sent(&mut self, number: u64, due: Time, now: Time) {
        let frame = self.frame(number);
        frame.last_sent = frame.last_sent.max(now);
        frame.last_due = frame.last_due.max(due);
    }

    /// A player received frame `number`.
    pub(crate) fn received(&mut self, number: u64, content: &[u8], now: Time) -> Seen {
        let mut hasher = DefaultHasher::new();
        hasher.write(content);
        let content = hasher.finish();
        let frame = self.frame(number);
        Seen {
            added: now.since(frame.last_sent),
            since_due: now.since(frame.last_due),
            equal: *frame.content.get_or_insert(content) == content,
        }
    }

    fn frame(&mut self, number: u64) -> &mut Frame {
        if self.frames.len() > UNDER_WAY {
            self.frames.pop_first();
        }
        self.frames.entry(number).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    #[test]
    fn a_frame_waits_for_its_last_input() {
        let mut room = Room::new();
        room.sent(1, at(10), at(11));
        room.sent(1, at(14), at(15));
        let seen = room.received(1, b"ab", at(18));
        assert_eq!(seen.added, Duration::from_millis(3));
        assert_eq!(seen.since_due, Duration::from_millis(4));
        assert!(seen.equal);
    }

    #[test]
    fn players_of_a_room_get_the_same() {
        let mut room = Room::new();
        assert!(room.received(7, b"ab", at(1)).equal);
        assert!(room.received(7, b"ab", at(2)).equal);
        assert!(!room.received(7, b"ba", at(2)).equal);
        assert!(room.received(8, b"ba", at(3)).equal);
    }

    #[test]
    fn old_frames_are_forgotten() {
        let mut room = Room::new();
        (0..10 * UNDER_WAY as u64).for_each(|number| room.sent(number, at(0), at(0)));
        assert!(room.frames.len() <= UNDER_WAY + 1);
    }

    #[test]
    fn zeros_even_out_the_delays() {
        let mut room = Room::new();
        assert_eq!(room.zeros(1), 6);
        room.delay(4);
        assert_eq!((room.zeros(4), room.zeros(1)), (9, 12));
    }
}
