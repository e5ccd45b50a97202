//! Those who watch a game, or come back into it, and are shown all of it.
//!
//! An emulator is in step only if it was fed every frame from the first one on, so one that
//! comes late is shown the recording: one message for each of its own, as players are, and as
//! fast as it asks. Once it has caught up it gets each step after the players did. Nobody
//! waits for a watcher; what it sends only asks for the next frames.
//!
//! ```text
//!   sends     1 ..= Z     Z + 1 ..                      caught up ..
//!   answer    zeros       the recording, at most eight  each step of the game,
//!                         times as fast as it was       behind the players
//! ```
//!
//! The zeros are fewer than a player's, as a watcher has no inputs to even out; with them it
//! has shown as many neutral frames as everybody (kaillera.md 8.3).

use super::{
    Desync, MAX_PLAYERS, Output, SyncEvent, SyncSink,
    replay::{Reading, Replay},
};
use crate::{kaillera::message::ConnectionType, timer::Time};
use std::time::Duration;

/// The first watcher's index; below are the players'.
pub const FIRST_WATCHER: usize = MAX_PLAYERS;

/// Most who can watch a game: its room takes no more members.
pub const MAX_WATCHERS: usize = 100;

/// How much faster than it was played a game is shown at most.
const SPEED: u32 = 8;

/// Messages that may wait for an answer; clients have fewer on their way.
const OWED_MAX: usize = 64;

/// A watcher that has caught up and takes its place in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Return {
    /// Its index as a watcher.
    pub watcher: usize,
    /// Its index as a player.
    pub player: usize,
    /// How many answers it waits for.
    pub owed: usize,
}

/// The recording of a game and whoever is shown it.
#[derive(Debug, Default)]
pub struct Gallery {
    replay: Replay,
    /// Bytes of frames sent in full; 0 before it is known.
    len: usize,
    /// Least time between two steps shown to one watcher.
    pause: Duration,
    /// By index, less [`FIRST_WATCHER`].
    watchers: Vec<Option<Box<Watcher>>>,
    count: usize,
}

#[derive(Debug)]
struct Watcher {
    zeros: usize,
    was_sent: bool,
    reading: Reading,
    /// Messages without an answer.
    owed: usize,
    /// When the next step may be shown.
    next: Time,
    /// The player it was, if it comes back to play.
    player: Option<usize>,
}

impl Gallery {
    /// Begins to record a game, in `capacity` bytes; with none, nobody can watch.
    pub fn begin(&mut self, connection_type: ConnectionType, capacity: usize) {
        self.end();
        self.replay.begin(capacity);
        self.pause = Duration::from_secs(1) * connection_type as u32 / 60 / SPEED;
    }

    /// Ends the game and gives the memory back.
    pub fn end(&mut self) {
        self.replay.clear();
        self.watchers.clear();
        self.count = 0;
        self.len = 0;
    }

    /// Says how long frames are that are sent in full, if that is known.
    pub fn make_room(&mut self, len: usize) {
        if self.len != len {
            self.len = len;
            self.replay.make_room(len);
        }
    }

    /// Tells whether a newcomer can be shown the game from its start.
    pub fn is_open(&self) -> bool {
        self.replay.is_whole()
    }

    /// Tells whether anybody watches.
    pub fn is_watched(&self) -> bool {
        self.count > 0
    }

    /// Records the next frames of the game.
    pub fn record(&mut self, output: Output<'_>) {
        self.replay.record(output);
    }

    /// Lets one in at the game's start, after so many zero messages; with `player`, to take
    /// that place when it has caught up. Answers whether it can.
    pub fn add(&mut self, index: usize, zeros: usize, player: Option<usize>) -> bool {
        let place = index.checked_sub(FIRST_WATCHER);
        let place = place.filter(|place| *place < MAX_WATCHERS);
        // Caches begin with a zero message.
        let Some(place) = place.filter(|_| self.is_open() && zeros > 0) else {
            return false;
        };
        self.remove(index);
        if self.watchers.len() <= place {
            self.watchers.resize_with(place + 1, || None);
        }
        let watcher = Watcher {
            zeros,
            was_sent: false,
            reading: Reading::default(),
            owed: 0,
            next: Time::ZERO,
            player,
        };
        if let Some(place) = self.watchers.get_mut(place) {
            *place = Some(Box::new(watcher));
            self.count += 1;
        }
        true
    }

    /// Takes one out; what it sends later is ignored.
    pub fn remove(&mut self, index: usize) {
        let place = index.checked_sub(FIRST_WATCHER);
        let watcher = place.and_then(|place| self.watchers.get_mut(place));
        self.count -= usize::from(watcher.and_then(Option::take).is_some());
    }

    /// The place in the game that a watcher waits for.
    pub fn player(&self, index: usize) -> Option<usize> {
        let watcher = self.watchers.get(index.checked_sub(FIRST_WATCHER)?)?;
        watcher.as_ref()?.player
    }

    /// Handles a data message of a watcher: it asks for the next frames.
    pub fn input(&mut self, index: usize, sink: &mut impl SyncSink) {
        let place = index.checked_sub(FIRST_WATCHER);
        let watcher = place.and_then(|place| self.watchers.get_mut(place)?.as_mut());
        let Some(watcher) = watcher else {
            return;
        };
        watcher.owed += 1;
        if watcher.owed > OWED_MAX {
            self.remove(index);
            sink.event(SyncEvent::Flooded { player: index });
        }
    }

    /// Handles messages of a watcher that were lost for good: nobody knows how many frames it
    /// asked for.
    pub fn gap(&mut self, index: usize, sink: &mut impl SyncSink) {
        let count = self.count;
        self.remove(index);
        if self.count < count {
            let cause = Desync::Gap;
            let player = index;
            sink.event(SyncEvent::Desynchronised { player, cause });
        }
    }

    /// Shows everybody what it asked for, as far as it is there.
    pub fn serve(&mut self, now: Time, sink: &mut impl SyncSink) {
        if self.count == 0 || self.len == 0 {
            return;
        }
        for (place, slot) in self.watchers.iter_mut().enumerate() {
            let Some(watcher) = slot else {
                continue;
            };
            let index = FIRST_WATCHER + place;
            while watcher.is_due(now, &self.replay) {
                if !watcher.answer(index, &self.replay, self.len, sink) {
                    *slot = None;
                    self.count -= 1;
                    sink.event(SyncEvent::Outrun { player: index });
                    break;
                }
                watcher.next = watcher.next.max(now) + self.pause;
            }
        }
    }

    /// Takes out one that has caught up with the game it comes back into.
    pub fn returned(&mut self) -> Option<Return> {
        if self.count == 0 {
            return None;
        }
        let replay = &self.replay;
        let waits = |watcher: &Watcher| watcher.owed > 0 && !watcher.is_behind(replay);
        let returned = self.watchers.iter().enumerate().find_map(|(place, slot)| {
            let watcher = slot.as_deref().filter(|watcher| waits(watcher))?;
            Some(Return {
                watcher: FIRST_WATCHER + place,
                player: watcher.player?,
                owed: watcher.owed,
            })
        })?;
        self.remove(returned.watcher);
        Some(returned)
    }

    /// Answers when [`serve`](Self::serve) is due without a message or a step.
    pub fn poll_timeout(&self) -> Option<Time> {
        if self.count == 0 || self.len == 0 {
            return None;
        }
        let waiting = self.watchers.iter().flatten();
        let waiting = waiting.filter(|it| it.owed > 0 && it.is_behind(&self.replay));
        waiting.map(|watcher| watcher.next).min()
    }
}

impl Watcher {
    /// Whether there is something to show.
    fn is_behind(&self, replay: &Replay) -> bool {
        self.zeros > 0 || self.reading.is_behind(replay)
    }

    fn is_due(&self, now: Time, replay: &Replay) -> bool {
        self.owed > 0 && self.next <= now && self.is_behind(replay)
    }

    /// Answers one message; false if what is next is gone.
    fn answer(
        &mut self,
        index: usize,
        replay: &Replay,
        len: usize,
        sink: &mut impl SyncSink,
    ) -> bool {
        self.owed -= 1;
        if self.zeros > 0 {
            self.zeros -= 1;
            if std::mem::replace(&mut self.was_sent, true) {
                sink.output(index, Output::Cached(0));
            } else {
                sink.output(index, Output::Data(self.reading.blank(len)));
            }
            return true;
        }
        match self.reading.next(replay, len) {
            Ok(Some(output)) => sink.output(index, output),
            Ok(None) => {}
            Err(_) => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests;
