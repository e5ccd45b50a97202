//! Frame sync (kaillera.md 7.2, 8, 9): all emulators of a game see the same inputs in the
//! same frame.
//!
//! A client plays its first frames without data, more of them the farther away it is. The
//! server makes up the difference: with `d` the delay sent to a player, `H` the highest of
//! the game and `Z = H + (H - d) + 5`, a player's messages lead to
//!
//! ```text
//!   messages   1 ..= Z         Z + 1 ..= 2Z              2Z + 1 ..
//!   answer     zeros, at once  the game's next frames    the game's next frames
//!   input      is stored       is thrown away; the       is queued
//!                              oldest stored is queued
//! ```
//!
//! and as soon as every active player has something queued, one payload of each makes the
//! next frames, for everybody.
//!
//! Each player's link has an output cache of its own (8.2), yet one serves the whole game: a
//! player's first zeros are the first entry of its cache, its later zeros add nothing, and
//! no frames are combined while an active player still gets zeros. From then on all active
//! players are sent the same, and the others nothing.

mod autofire;
mod backlog;
mod gallery;
mod lag;
mod player;
mod replay;
#[cfg(test)]
mod tests;

pub use autofire::{Rhythm, Sensitivity};
pub use gallery::{FIRST_WATCHER, Gallery, MAX_WATCHERS, Return};
pub use lag::{FrameRate, LagReport};

use self::{
    lag::Lag,
    player::{Player, Step},
};
use crate::kaillera::InputCache;
use crate::{kaillera::message::ConnectionType, timer::Time};
use std::time::Duration;

/// Most players of a game.
pub const MAX_PLAYERS: usize = 100;

/// Longest output in bytes; longer inputs are cut so that everybody's fit (2.6).
pub const MAX_OUTPUT: usize = 4096;

/// Zero messages beyond those that even out the delays.
const EXTRA_ZEROS: usize = 5;

/// Silence after which a player's link repeats itself, and between repeats.
const REPEAT_AFTER: Duration = Duration::from_millis(300);

/// One game-data message of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input<'a> {
    /// The inputs themselves.
    Data(&'a [u8]),
    /// A position in the player's input cache, 0 is the oldest.
    Cached(u8),
}

/// One game-data message for a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output<'a> {
    /// Everybody's inputs, interleaved by frame.
    Data(&'a [u8]),
    /// A position in the receiver's output cache, 0 is the oldest.
    Cached(u8),
}

/// Why a player is out of step for the rest of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Desync {
    /// Messages of it were lost for good.
    Gap,
    /// It kept the others waiting for this long.
    Stall(Duration),
}

/// Something about a player that its room or its link should know. `player` counts from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncEvent {
    /// The player is inactive from here on, but still counts as playing (9.3, 9.4).
    Desynchronised {
        /// Who.
        player: usize,
        /// Why.
        cause: Desync,
    },
    /// The player named a cache entry that does not exist and was taken to have sent zeros
    /// (8.2). Told once per game.
    BadIndex {
        /// Who.
        player: usize,
    },
    /// The player sent far more than the game can take, is inactive from here on and should
    /// be dropped (8.4).
    Flooded {
        /// Who.
        player: usize,
    },
    /// The player sent an input of another length than the game's; it was cut or padded
    /// (8.5). Told once per game.
    OddLength {
        /// Who.
        player: usize,
    },
    /// The game waits for the player and nothing new came for 300 ms: its link should repeat
    /// its last messages (9.3). Told every 300 ms.
    Silent {
        /// Who.
        player: usize,
    },
    /// Two inputs of the player take turns like a machine's (11). Told once a minute at most.
    Autofire {
        /// Who.
        player: usize,
        /// For how many frames each is held.
        rhythm: Rhythm,
    },
    /// What a watcher would be shown next is not kept any more.
    Outrun {
        /// Who: [`FIRST_WATCHER`] or more.
        player: usize,
    },
}

/// Receives what frame sync has to say, in the order in which it happens.
pub trait SyncSink {
    /// The game's next frames, once for all players, before they go to each of them.
    fn step(&mut self, _output: Output<'_>) {}

    /// `output` goes to the player with this index (0 is the first).
    fn output(&mut self, player: usize, output: Output<'_>);

    /// `event` happened.
    fn event(&mut self, event: SyncEvent);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Idle,
    Synchronizing,
    Playing,
}

/// The inputs of one game at a time.
///
/// The first data message of a game fixes the length of all inputs, and with it the memory:
/// nothing is allocated after that message, nor in a later game that needs no more. Since
/// [`MAX_OUTPUT`] bounds all players' inputs together, that is below 4 MB for any game whose
/// delays come from pings of up to a second.
#[derive(Debug)]
pub struct FrameSync {
    desync_after: Duration,
    phase: Phase,
    /// Frames per message.
    frames: usize,
    /// Bytes per frame and player; 0 before the first data message.
    input_len: usize,
    /// The first `count` play; the others keep their memory for a larger game.
    players: Vec<Player>,
    count: usize,
    active: usize,
    /// Active players with nothing queued.
    awaited: usize,
    outputs: InputCache,
    combined: Vec<u8>,
    highest_delay: u16,
    lag: Lag,
    rate: FrameRate,
    sensitivity: Sensitivity,
    /// When the game last stopped waiting for somebody, or began to.
    progress: Time,
    /// Not later than the first moment at which a player's silence matters.
    recheck: Time,
}

impl FrameSync {
    /// Creates one without a game and without memory for it. Who keeps others waiting for
    /// `desync_after`, at least 300 ms, is desynchronised. Lag is told for `lag_window`.
    pub fn new(desync_after: Duration, lag_window: Duration) -> Self {
        Self {
            desync_after: desync_after.max(REPEAT_AFTER),
            phase: Phase::Idle,
            frames: 1,
            input_len: 0,
            players: Vec::new(),
            count: 0,
            active: 0,
            awaited: 0,
            outputs: InputCache::new(),
            combined: Vec::new(),
            highest_delay: 1,
            lag: Lag::new(lag_window),
            rate: FrameRate::USUAL,
            sensitivity: Sensitivity::default(),
            progress: Time::ZERO,
            recheck: Time::ZERO,
        }
    }

    /// Starts a game of at most [`MAX_PLAYERS`] and forgets the one before. `delays` are those
    /// sent to the players, in the order of their numbers. No data is accepted yet.
    pub fn begin(&mut self, connection_type: ConnectionType, delays: &[u16]) {
        debug_assert!(delays.len() <= MAX_PLAYERS);
        let delays = delays.get(..MAX_PLAYERS).unwrap_or(delays);
        self.phase = Phase::Synchronizing;
        self.frames = usize::from(connection_type as u8);
        self.input_len = 0;
        self.count = delays.len();
        self.active = self.count;
        self.awaited = self.count;
        if self.players.len() < self.count {
            self.players.resize_with(self.count, Player::default);
        }
        let highest = delays.iter().copied().max().unwrap_or(1).max(1);
        self.highest_delay = highest;
        self.lag.begin(self.frames, self.rate, self.count);
        for (player, delay) in self.players.iter_mut().zip(delays) {
            let zeros = usize::from(highest) + usize::from(highest - delay) + EXTRA_ZEROS;
            player.begin(zeros, self.sensitivity);
        }
    }

    /// Sets how soon autofire is told of, from the next game on.
    pub fn detect_autofire(&mut self, sensitivity: Sensitivity) {
        self.sensitivity = sensitivity;
    }

    /// Measures lag against another rate, from here on.
    pub fn set_rate(&mut self, rate: FrameRate) {
        self.rate = rate;
        self.lag.set_rate(rate);
    }

    /// Tells lag for another window, from the next game on.
    pub fn set_lag_window(&mut self, window: Duration) {
        self.lag.set_window(window);
    }

    /// Forgets the lag measured so far.
    pub fn reset_lag(&mut self) {
        self.lag.restart();
    }

    /// Answers who lost how much time; none before the first frames.
    pub fn lag(&self) -> Option<LagReport> {
        self.lag.report()
    }

    /// Bytes of an output; 0 before the first data message.
    pub fn output_len(&self) -> usize {
        self.count * self.payload_len()
    }

    /// How many zero messages bring one into step that was told `delay` and begins with the
    /// game's first frames.
    pub fn zeros_for(&self, delay: u16) -> usize {
        let zeros = 2 * usize::from(self.highest_delay) + EXTRA_ZEROS;
        zeros.saturating_sub(delay.into())
    }

    /// Lets data count from here on: everybody has been told that all are ready.
    pub fn play(&mut self, now: Time) {
        if self.phase == Phase::Synchronizing {
            self.phase = Phase::Playing;
            self.progress = now;
            self.recheck = now + REPEAT_AFTER;
        }
    }

    /// Ends the game and keeps its memory for the next one.
    pub fn end(&mut self) {
        self.phase = Phase::Idle;
        self.count = 0;
        self.active = 0;
        self.awaited = 0;
    }

    /// Tells whether data counts.
    pub fn is_playing(&self) -> bool {
        self.phase == Phase::Playing
    }

    /// Tells whether the game takes inputs of this player and sends it the others'.
    pub fn is_active(&self, player: usize) -> bool {
        self.game().get(player).is_some_and(|player| player.active)
    }

    /// Handles a data message. Those of inactive players and outside of a game are ignored.
    pub fn input(&mut self, now: Time, player: usize, input: Input<'_>, sink: &mut impl SyncSink) {
        if !self.is_playing() || !self.is_active(player) {
            return;
        }
        if let (0, Input::Data(payload)) = (self.input_len, input) {
            self.learn(payload.len());
        }
        let payload_len = self.payload_len();
        let Some(state) = self.players.get_mut(player) else {
            return;
        };
        state.heard = now;
        let was_awaited = state.is_awaited();
        match state.take(player, input, payload_len, sink) {
            Step::Ignored => {}
            Step::FirstZeros => {
                if let Some(zeros) = self.outputs.get(0) {
                    sink.output(player, Output::Data(zeros));
                }
            }
            Step::Zeros => sink.output(player, Output::Cached(0)),
            Step::Ready if was_awaited => {
                state.ready = now;
                if self.awaited == self.active {
                    self.progress = now;
                }
                self.awaited -= 1;
                self.advance(now, sink);
            }
            Step::Ready => {}
            Step::Flooded => {
                self.deactivate(player);
                sink.event(SyncEvent::Flooded { player });
                self.advance(now, sink);
            }
        }
    }

    /// Handles messages of a player that were lost for good: while the game runs they may
    /// have been inputs, so the player is desynchronised and the others go on (9.4).
    pub fn gap(&mut self, now: Time, player: usize, sink: &mut impl SyncSink) {
        if self.is_playing() && self.is_active(player) {
            self.desynchronise(player, Desync::Gap, sink);
            self.advance(now, sink);
        }
    }

    /// Handles a player's drop or quit: what it has queued is discarded, and the others go on
    /// with zeros in its place (9.1).
    pub fn remove(&mut self, now: Time, player: usize, sink: &mut impl SyncSink) {
        if self.deactivate(player) {
            self.advance(now, sink);
        }
    }

    /// Lets a player that is gone take part again: one that was sent all frames there were and
    /// asks for `owed` more. Zeros are queued for those, as what it sent with them is gone.
    pub fn rejoin(&mut self, now: Time, player: usize, owed: usize) {
        let payload_len = self.payload_len();
        if !self.is_playing() || payload_len == 0 || self.is_active(player) {
            return;
        }
        let Some(state) = self.players.get_mut(player).filter(|_| player < self.count) else {
            return;
        };
        state.rejoin(now, owed);
        self.active += 1;
        self.awaited += usize::from(state.is_awaited());
    }

    /// Begins to follow the input cache of a player that may [`rejoin`](Self::rejoin).
    pub fn forget_inputs(&mut self, player: usize) {
        let payload_len = self.payload_len();
        if let Some(player) = self.players.get_mut(player) {
            player.forget_inputs(payload_len);
        }
    }

    /// Notes data of a player that does not take part yet, which fills its input cache.
    pub fn overhear(&mut self, player: usize, payload: &[u8]) {
        let payload_len = self.payload_len();
        if let Some(player) = self.players.get_mut(player).filter(|it| !it.active) {
            player.overhear(payload.get(..payload_len).unwrap_or(payload));
        }
    }

    /// Answers when [`handle_timeout`](Self::handle_timeout) is due.
    pub fn poll_timeout(&self) -> Option<Time> {
        (self.is_playing() && self.active > 0).then_some(self.recheck)
    }

    /// Looks for players the game waits for (9.3).
    ///
    /// A player's silence counts from its last message or from when the game began to wait
    /// for it, whichever is later. It desynchronises only a player that keeps another's
    /// input waiting: where all are silent, nobody is harmed by a pause.
    pub fn handle_timeout(&mut self, now: Time, sink: &mut impl SyncSink) {
        if !self.is_playing() || now < self.recheck {
            return;
        }
        let harmful = self.awaited < self.active;
        let mut recheck = now + REPEAT_AFTER;
        for index in 0..self.count {
            let Some(player) = self.players.get_mut(index).filter(|it| it.is_awaited()) else {
                continue;
            };
            let since = player.heard.max(self.progress);
            let stalls = since + self.desync_after;
            if harmful && stalls <= now {
                let cause = Desync::Stall(self.desync_after);
                self.desynchronise(index, cause, sink);
                continue;
            }
            if since.max(player.nudged) + REPEAT_AFTER <= now {
                player.nudged = now;
                sink.event(SyncEvent::Silent { player: index });
            }
            recheck = recheck.min(since.max(player.nudged) + REPEAT_AFTER);
            if harmful {
                recheck = recheck.min(stalls);
            }
        }
        self.recheck = recheck;
        self.advance(now, sink);
    }

    /// Fixes the length of inputs by a first message of `len` bytes and makes room for them.
    fn learn(&mut self, len: usize) {
        let longest = MAX_OUTPUT / (self.count * self.frames);
        self.input_len = (len / self.frames).min(longest).max(1);
        let payload_len = self.payload_len();
        for player in self.players.iter_mut().take(self.count) {
            player.make_room(payload_len);
        }
        let combined_len = self.count * payload_len;
        self.combined.clear();
        self.combined.reserve_exact(combined_len);
        self.combined.resize(combined_len, 0);
        self.outputs.reset(combined_len);
        self.outputs.push(&self.combined);
    }

    /// Sends frames while every active player has something queued (8.4).
    fn advance(&mut self, now: Time, sink: &mut impl SyncSink) {
        while self.awaited == 0 && self.active > 0 {
            self.progress = now;
            self.combine(now, sink);
            let output = match self.outputs.find_or_push(&self.combined) {
                Some(place) => Output::Cached(place),
                None => Output::Data(&self.combined),
            };
            sink.step(output);
            for (index, player) in self.game().iter().enumerate() {
                if player.active {
                    sink.output(index, output);
                }
            }
        }
    }

    /// Moves one payload of each active player into `combined`, frame by frame (8.1).
    fn combine(&mut self, now: Time, sink: &mut impl SyncSink) {
        let input_len = self.input_len;
        let frame_len = self.count * input_len;
        self.combined.fill(0);
        self.lag.step(now);
        for (index, player) in self.players.iter_mut().take(self.count).enumerate() {
            if !player.active {
                continue;
            }
            let frames = self.combined.chunks_exact_mut(frame_len);
            let inputs = player.front().unwrap_or_default().chunks_exact(input_len);
            for (frame, input) in frames.zip(inputs) {
                if let Some(slot) = frame.chunks_exact_mut(input_len).nth(index) {
                    slot.copy_from_slice(input);
                }
            }
            self.lag.charge(index, player.ready);
            player.look_for_autofire(now, index, input_len, sink);
            player.pop(now);
            self.awaited += usize::from(player.is_awaited());
        }
        self.lag.finish(now);
    }

    fn desynchronise(&mut self, player: usize, cause: Desync, sink: &mut impl SyncSink) {
        self.deactivate(player);
        sink.event(SyncEvent::Desynchronised { player, cause });
    }

    /// Answers whether the player was active.
    fn deactivate(&mut self, player: usize) -> bool {
        if !self.is_active(player) {
            return false;
        }
        let Some(player) = self.players.get_mut(player) else {
            return false;
        };
        self.awaited -= usize::from(player.is_awaited());
        self.active -= 1;
        player.active = false;
        true
    }

    fn game(&self) -> &[Player] {
        self.players.get(..self.count).unwrap_or_default()
    }

    fn payload_len(&self) -> usize {
        self.frames * self.input_len
    }
}
