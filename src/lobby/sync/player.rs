//! One player's side of frame sync.

use super::{
    Input, SyncEvent, SyncSink,
    backlog::{Backlog, Full},
};
use crate::{kaillera::InputCache, timer::Time};
use std::mem;

/// What a message of a player leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing: it names no payload, and the length of payloads is not known yet.
    Ignored,
    /// The zero phase: it is answered at once.
    FirstZeros,
    /// The zero phase goes on: it is answered at once.
    Zeros,
    /// One more payload is ready for the next frames.
    Ready,
    /// Too many are.
    Flooded,
}

/// A player of the running game, and the memory it leaves to the player of its number in
/// the next one.
#[derive(Debug, Default)]
pub(super) struct Player {
    /// Whether its inputs count and the game waits for them.
    pub(super) active: bool,
    /// When its last message came.
    pub(super) heard: Time,
    /// When its link was last asked to repeat itself.
    pub(super) nudged: Time,
    inputs: InputCache,
    backlog: Backlog,
    zeros: usize,
    zeros_left: usize,
    told_bad_index: bool,
    told_odd_length: bool,
}

impl Player {
    /// Starts a game whose first `zeros` messages of this player are answered with zeros.
    pub(super) fn begin(&mut self, zeros: usize) {
        self.active = true;
        self.heard = Time::ZERO;
        self.nudged = Time::ZERO;
        self.inputs.reset(0);
        self.backlog.clear();
        self.zeros = zeros;
        self.zeros_left = zeros;
        self.told_bad_index = false;
        self.told_odd_length = false;
    }

    /// Makes room for payloads of `payload_len` bytes.
    pub(super) fn make_room(&mut self, payload_len: usize) {
        self.inputs.reset(payload_len);
        self.backlog.reset(self.zeros, payload_len);
    }

    /// Tells whether the game waits for this player.
    pub(super) fn is_awaited(&self) -> bool {
        self.active && !self.backlog.is_ready()
    }

    /// Takes a message; `index` is the player's own, `payload_len` is 0 before it is known.
    pub(super) fn take(
        &mut self,
        index: usize,
        input: Input<'_>,
        payload_len: usize,
        sink: &mut impl SyncSink,
    ) -> Step {
        let payload = match input {
            Input::Data(payload) => {
                if payload.len() != payload_len && !mem::replace(&mut self.told_odd_length, true) {
                    sink.event(SyncEvent::OddLength { player: index });
                }
                let payload = payload.get(..payload_len).unwrap_or(payload);
                self.inputs.push(payload);
                payload
            }
            Input::Cached(place) => self.inputs.get(place).unwrap_or_else(|| {
                if !mem::replace(&mut self.told_bad_index, true) {
                    sink.event(SyncEvent::BadIndex { player: index });
                }
                &[]
            }),
        };
        if payload_len == 0 {
            return Step::Ignored;
        }
        if self.zeros_left > 0 {
            self.backlog.store(payload);
            let first = self.zeros_left == self.zeros;
            self.zeros_left -= 1;
            return if first { Step::FirstZeros } else { Step::Zeros };
        }
        match self.backlog.feed(payload) {
            Ok(()) => Step::Ready,
            Err(Full) => Step::Flooded,
        }
    }

    /// Answers the payload for the next frames.
    pub(super) fn front(&self) -> Option<&[u8]> {
        self.backlog.front()
    }

    /// Removes the payload for the next frames.
    pub(super) fn pop(&mut self) {
        self.backlog.pop();
    }
}
