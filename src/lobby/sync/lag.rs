//! How far a game falls behind, and who keeps it (kaillera.md 10).
//!
//! ```text
//!   step k at t0                     what player 1 owes     step k + 1 at t
//!   ----+--------------------------------+---------------------+---------->
//!       |<------- player 1's own ------->|                     |
//!       |<---------------- player 2's own, and the game's ---->|
//! ```
//!
//! A step should take `frames / rate`. Each account earns that and pays for its own time; it
//! saves one step at most, and what it cannot pay is its lag. A player whose input was there
//! in time pays little, so only those that the others waited for fall behind.

use crate::timer::Time;
use std::time::Duration;

/// How often the accounts are noted for the window.
const SAMPLE_EVERY: Duration = Duration::from_secs(5);

/// Frames per second, in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRate(u32);

impl FrameRate {
    /// What most emulators show.
    pub const USUAL: Self = Self(60_000);

    /// A rate of so many thousandths, if it is from 0.1 to 100 frames per second.
    pub fn from_thousandths(rate: u32) -> Option<Self> {
        (100..=100_000).contains(&rate).then_some(Self(rate))
    }

    /// The rate in frames per second, rounded.
    pub fn rounded(self) -> u32 {
        (self.0 + 500) / 1000
    }

    /// How long a step of so many frames should take, in nanoseconds.
    fn step_nanos(self, frames: usize) -> i64 {
        frames as i64 * 1_000_000_000_000 / i64::from(self.0)
    }
}

/// How much time a game and each of its players lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LagReport {
    /// How far back the figures go.
    pub window: Duration,
    /// What the game lost.
    pub game: Duration,
    /// What is due to each player, by its index.
    pub players: Box<[Duration]>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Account {
    /// What early inputs have earned; at most one step.
    leeway: i64,
    /// What could not be paid, since the start.
    lag: i64,
}

impl Account {
    fn settle(&mut self, step: i64, took: i64) {
        self.leeway += step - took;
        if self.leeway < 0 {
            self.lag -= self.leeway;
        }
        self.leeway = self.leeway.clamp(0, step);
    }
}

/// The accounts of one game and its players. All its memory is made by [`begin`](Self::begin).
#[derive(Debug)]
pub(super) struct Lag {
    frames: usize,
    step: i64,
    /// The game's own, then the players'.
    accounts: Vec<Account>,
    /// When the step before was made; none before the first.
    last: Option<Time>,
    samples: Samples,
}

impl Lag {
    pub(super) fn new(window: Duration) -> Self {
        Self {
            frames: 1,
            step: 0,
            accounts: Vec::new(),
            last: None,
            samples: Samples::new(window),
        }
    }

    pub(super) fn begin(&mut self, frames: usize, rate: FrameRate, players: usize) {
        self.accounts.clear();
        self.accounts.resize(1 + players, Account::default());
        self.samples.make_room(1 + players);
        self.frames = frames;
        self.set_rate(rate);
    }

    /// Keeps samples for another window once the next game [begins](Self::begin).
    pub(super) fn set_window(&mut self, window: Duration) {
        self.samples.rows = Samples::rows(window);
        self.samples.clear();
    }

    /// Measures against another rate, from here on.
    pub(super) fn set_rate(&mut self, rate: FrameRate) {
        self.step = rate.step_nanos(self.frames);
        self.restart();
    }

    /// Forgets what was measured.
    pub(super) fn restart(&mut self) {
        self.accounts.fill(Account::default());
        self.samples.clear();
        self.last = None;
    }

    /// A step is made; its players are charged next.
    pub(super) fn step(&mut self, now: Time) {
        if let (Some(last), Some(game)) = (self.last, self.accounts.first_mut()) {
            game.settle(self.step, nanos(now.since(last)));
        }
    }

    /// The input of `player` for this step was there from `ready` on.
    pub(super) fn charge(&mut self, player: usize, ready: Time) {
        if let (Some(last), Some(account)) = (self.last, self.accounts.get_mut(1 + player)) {
            account.settle(self.step, nanos(ready.since(last)));
        }
    }

    /// All players of a step are charged.
    pub(super) fn finish(&mut self, now: Time) {
        self.last = Some(now);
        self.samples.note(now, &self.accounts);
    }

    /// What was lost within the window; none before the first step.
    pub(super) fn report(&self) -> Option<LagReport> {
        let since = self.samples.since()?;
        let mut lost = self
            .accounts
            .iter()
            .zip(self.samples.oldest())
            .map(|(account, before)| Duration::from_nanos((account.lag - before) as u64));
        Some(LagReport {
            window: self.last?.since(since),
            game: lost.next().unwrap_or_default(),
            players: lost.collect(),
        })
    }
}

fn nanos(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX / 4)
}

/// What the accounts had lost at the last moments of the window, a row each.
#[derive(Debug)]
struct Samples {
    rows: usize,
    width: usize,
    lags: Vec<i64>,
    times: Vec<Time>,
    /// Rows that were noted; the last `rows` of them are kept.
    noted: usize,
}

impl Samples {
    fn new(window: Duration) -> Self {
        Self {
            rows: Self::rows(window),
            width: 0,
            lags: Vec::new(),
            times: Vec::new(),
            noted: 0,
        }
    }

    fn rows(window: Duration) -> usize {
        let steps = window.as_secs() / SAMPLE_EVERY.as_secs();
        1 + usize::try_from(steps).unwrap_or(0).max(1)
    }

    fn make_room(&mut self, width: usize) {
        self.width = width;
        self.lags.clear();
        self.lags.resize(self.rows * width, 0);
        self.times.resize(self.rows, Time::ZERO);
        self.clear();
    }

    fn clear(&mut self) {
        self.noted = 0;
    }

    /// Adds a row if the last one is old enough.
    fn note(&mut self, now: Time, accounts: &[Account]) {
        let newest = self.noted.checked_sub(1).map(|noted| noted % self.rows);
        let newest = newest.and_then(|row| self.times.get(row));
        if newest.is_some_and(|newest| now.since(*newest) < SAMPLE_EVERY) {
            return;
        }
        let row = self.noted % self.rows;
        let lags = self.lags.get_mut(row * self.width..);
        for (place, account) in lags.unwrap_or_default().iter_mut().zip(accounts) {
            *place = account.lag;
        }
        if let Some(time) = self.times.get_mut(row) {
            *time = now;
        }
        self.noted += 1;
    }

    fn oldest_row(&self) -> usize {
        self.noted.saturating_sub(self.rows) % self.rows
    }

    fn since(&self) -> Option<Time> {
        let time = self.times.get(self.oldest_row()).copied();
        time.filter(|_| self.noted > 0)
    }

    fn oldest(&self) -> impl Iterator<Item = i64> {
        let row = self.lags.get(self.oldest_row() * self.width..);
        row.unwrap_or_default().iter().copied()
    }
}

#[cfg(test)]
mod tests;
