//! One player's side of frame sync.

use super::{
    Input, Sensitivity, SyncEvent, SyncSink,
    autofire::Detector,
    backlog::{Backlog, Full},
};
use crate::{kaillera::InputCache, timer::Time};
use std::{mem, time::Duration};

/// Least time between two words about one player's autofire.
const AUTOFIRE_PAUSE: Duration = Duration::from_secs(60);

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
    /// When the payload for the next frames was there.
    pub(super) ready: Time,
    inputs: InputCache,
    backlog: Backlog,
    zeros: usize,
    zeros_left: usize,
    told_bad_index: bool,
    told_odd_length: bool,
    detector: Detector,
    told_autofire: Option<Time>,
}

impl Player {
    /// Starts a game whose first `zeros` messages of this player are answered with zeros.
    pub(super) fn begin(&mut self, zeros: usize, sensitivity: Sensitivity) {
        self.active = true;
        self.heard = Time::ZERO;
        self.nudged = Time::ZERO;
        self.inputs.reset(0);
        self.backlog.clear();
        self.zeros = zeros;
        self.zeros_left = zeros;
        self.told_bad_index = false;
        self.told_odd_length = false;
        self.detector.begin(sensitivity);
        self.told_autofire = None;
    }

    /// Takes part again, with neutral inputs for the messages it waits for an answer to.
    pub(super) fn rejoin(&mut self, now: Time, owed: usize) {
        self.active = true;
        self.heard = now;
        self.nudged = now;
        self.ready = now;
        self.zeros_left = 0;
        self.backlog.clear();
        for _ in 0..owed {
            let _ = self.backlog.feed(&[]);
        }
    }

    pub(super) fn forget_inputs(&mut self, payload_len: usize) {
        self.inputs.reset(payload_len);
    }

    pub(super) fn overhear(&mut self, payload: &[u8]) {
        self.inputs.push(payload);
    }

    /// Makes room for payloads of `payload_len` bytes.
    pub(super) fn make_room(&mut self, payload_len: usize) {
        self.detector.make_room(payload_len);
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

    /// Looks at the payload for the next frames; tells of autofire, but not all the time.
    pub(super) fn look_for_autofire(
        &mut self,
        now: Time,
        index: usize,
        input_len: usize,
        sink: &mut impl SyncSink,
    ) {
        if self.detector.is_off() {
            return;
        }
        for input in self
            .backlog
            .front()
            .unwrap_or_default()
            .chunks_exact(input_len)
        {
            let told = self.told_autofire;
            if let Some(rhythm) = self.detector.observe(input)
                && told.is_none_or(|told| now.since(told) >= AUTOFIRE_PAUSE)
            {
                self.told_autofire = Some(now);
                sink.event(SyncEvent::Autofire {
                    player: index,
                    rhythm,
                });
            }
        }
    }

    /// Removes the payload for the next frames; the one after it may be there already.
    pub(super) fn pop(&mut self, now: Time) {
        self.backlog.pop();
        self.ready = now;
    }
}
