//! One user's link: order, redundancy, repeats and pace (kaillera.md 2).
//!
//! ```text
//!  datagram --> Bundle --> accept(number): is it new? is something missing?
//!
//!  message --> send ------------------+--> history (numbered) --> poll_transmit --> datagram
//!  Backlog --> feed (4 per 20 ms) ----+         |
//!                                               +--> repeats: nothing new came, a lost tail,
//!                                                    AllReady, a stalled game
//! ```

use super::{
    Backlog, Kind, MAX_DATAGRAM,
    bundle::{BundleWriter, MessageNumber, Order},
    history::History,
};
use crate::timer::Time;
use std::time::Duration;

/// Older messages that go along with a new one.
const REDUNDANCY: usize = 4;
/// Messages in the first answer to a client that repeats itself, and in the later ones.
const REPEATED: [usize; 2] = [5, 9];
/// Answers to a client that repeats itself and says nothing new; then it is left alone.
const ANSWERS: usize = 250;
/// Least time between two answers to a client that repeats itself.
const REPEAT_EVERY: Duration = Duration::from_millis(50);
/// The same before the login is done.
const REPEAT_EVERY_LOGIN: Duration = Duration::from_millis(250);
/// When the last bundle is repeated without being asked: after this, and once more after that.
const TAIL: [Duration; 2] = [Duration::from_millis(250), Duration::from_millis(750)];
/// The same after AllReady: first after this, then at this interval, so many times in all.
const READY_FIRST: Duration = Duration::from_millis(100);
const READY_EVERY: Duration = Duration::from_millis(250);
const READY_REPEATS: u8 = 20;
/// Messages that may follow AllReady before the first game data comes, so that the repeats
/// still carry it.
const AFTER_READY: u8 = REDUNDANCY as u8;
/// A player that sends nothing for this long while its game waits for it gets a repeat.
const STALL: Duration = Duration::from_millis(300);
/// New messages per interval; a game's data is not counted.
const PACE_INTERVAL: Duration = Duration::from_millis(20);
const PACE_LOBBY: usize = 4;
const PACE_GAME: usize = 8;
/// Messages that may wait for an address to earn their bytes; the history keeps more.
const UNSENT: usize = 8;
/// Numbers whose repeats one client takes for new messages (kaillera.md 2.6, SUP).
const UNREPEATABLE: u16 = 65515;
/// Bytes that may be sent per byte received from an address that has not proven itself.
const UNPROVEN_FACTOR: usize = 3;
/// Bytes that may be sent to a user that has said nothing since its login: room for the lists of a
/// crowded server and a minute of its lobby. A login for somebody else's address has no more sent
/// there, unless whoever forged it goes on and forges a message, too (kaillera-server.md 15, 3).
const UNHEARD: usize = 256 * 1024;

/// One user's numbering, history and timers. Knows no socket and no clock.
#[derive(Debug)]
pub struct Channel {
    received: Option<MessageNumber>,
    heard: Time,
    heard_new: Time,
    /// The number of the next message sent.
    next: MessageNumber,
    history: History,
    /// Of the newest messages in the history, how many were in no datagram yet.
    unsent: usize,
    /// Several unsent messages share a datagram, because more wait behind them.
    pack: bool,
    /// A repeat of so many messages is due.
    repeat: Option<usize>,
    answers: usize,
    answered: Option<Time>,
    timer: Repeats,
    pace: Pace,
    /// Messages that may still go out before the first game data.
    hold: Option<u8>,
    phase: Phase,
    /// What may be sent to an address that has not proven itself, or said nothing since.
    credit: Option<usize>,
}

/// What the user does, as far as its link is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Login,
    Lobby,
    /// In a game, from StartGame to the first data.
    Starting,
    /// In a game that exchanges data.
    Playing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repeats {
    Idle,
    Tail { at: Time, step: usize },
    Ready { at: Time, left: u8 },
}

/// When the last messages of the backlog got their numbers; any interval, wherever it begins,
/// has only as many as are allowed.
#[derive(Clone, Copy, Debug, Default)]
struct Pace {
    times: [Option<Time>; PACE_GAME],
    oldest: usize,
}

impl Channel {
    /// The link of a user whose first datagram came at `now`.
    pub fn new(now: Time) -> Self {
        Self {
            history: History::new(),
            ..Self::blank(now)
        }
    }

    /// Forgets everything but its memory, for a user that starts over.
    pub fn reset(&mut self, now: Time) {
        let mut history = std::mem::take(&mut self.history);
        history.clear();
        *self = Self {
            history,
            ..Self::blank(now)
        };
    }

    fn blank(now: Time) -> Self {
        Self {
            received: None,
            heard: now,
            heard_new: now,
            next: MessageNumber(0),
            history: History::default(),
            unsent: 0,
            pack: false,
            repeat: None,
            answers: 0,
            answered: None,
            timer: Repeats::Idle,
            pace: Pace::default(),
            hold: None,
            phase: Phase::Login,
            credit: Some(0),
        }
    }

    /// Notes that a datagram of `bytes` came from the user's address.
    pub fn heard(&mut self, now: Time, bytes: usize) {
        self.heard = now;
        if let Some(credit) = &mut self.credit {
            *credit = credit.saturating_add(bytes.saturating_mul(UNPROVEN_FACTOR));
        }
    }

    /// When the last datagram came, new or not.
    pub fn last_heard(&self) -> Time {
        self.heard
    }

    /// When the last new message came.
    pub fn last_new(&self) -> Time {
        self.heard_new
    }

    /// Where a received number stands; a new one becomes the last one received.
    pub fn accept(&mut self, now: Time, number: MessageNumber) -> Order {
        let order = number.order_after(self.received);
        if order.is_new() {
            self.received = Some(number);
            self.heard_new = now;
            self.answers = 0;
            if self.phase != Phase::Login {
                self.credit = None;
            }
        }
        order
    }

    /// A bundle brought nothing new: its sender waits for something that was lost. Answers
    /// with a repeat, not too often and not for ever.
    pub fn nothing_new(&mut self, now: Time, ping: Duration) {
        let every = match self.phase {
            Phase::Login => REPEAT_EVERY_LOGIN,
            _ => REPEAT_EVERY.max(ping),
        };
        if self.answers < ANSWERS && self.answered.is_none_or(|at| now.since(at) >= every) {
            self.answered = Some(now);
            self.repeat = Some(self.repeat_length());
            self.answers += 1;
        }
    }

    /// The user's game waits for it: repeats what it may have missed if it is silent.
    pub fn nudge(&mut self, now: Time) {
        if now.since(self.heard) >= STALL && !self.is_unrepeatable() {
            self.repeat = Some(self.repeat_length());
            self.answers += 1;
        }
    }

    /// The login is done: the address may be sent what the lobby has to say, for as long as a
    /// client may be silent.
    pub fn logged_in(&mut self) {
        self.phase = Phase::Lobby;
        self.credit = Some(UNHEARD);
    }

    /// Whether anything new came since the login was done.
    pub fn has_spoken(&self) -> bool {
        self.phase != Phase::Login && self.credit.is_none()
    }

    /// The first data of a game came, so its AllReady has arrived.
    pub fn game_data(&mut self) {
        if self.phase == Phase::Starting || matches!(self.timer, Repeats::Ready { .. }) {
            self.phase = Phase::Playing;
            self.timer = Repeats::Idle;
            self.hold = None;
        }
    }

    /// The user does not play any more.
    pub fn game_over(&mut self) {
        if matches!(self.phase, Phase::Starting | Phase::Playing) {
            self.phase = Phase::Lobby;
        }
        self.hold = None;
    }

    /// Gives `message` (kind and body) the next number, ahead of what the backlog holds.
    pub fn send(&mut self, now: Time, message: &[u8]) {
        match message.first().copied().and_then(Kind::from_byte) {
            Some(Kind::StartGame) => self.phase = Phase::Starting,
            // Late for a game that is over, it is a message like any other.
            Some(Kind::AllReady) if self.phase == Phase::Starting => {
                self.timer = Repeats::Ready {
                    at: now + READY_FIRST,
                    left: READY_REPEATS,
                };
                self.hold = Some(AFTER_READY);
            }
            _ => self.hold = self.hold.map(|left| left.saturating_sub(1)),
        }
        self.history.push(message);
        self.next = self.next.next();
        self.unsent = (self.unsent + 1).min(self.history.len());
    }

    /// Numbers as many messages of `backlog` as the pace allows.
    pub fn feed(&mut self, now: Time, backlog: &mut Backlog) {
        while self.pace.next(self.allowed()).is_none_or(|at| at <= now)
            && self.unsent < UNSENT
            && self.hold != Some(0)
            && let Some(message) = backlog.front()
        {
            self.send(now, message);
            backlog.pop_front();
            self.pace.note(now);
        }
        self.pack = !backlog.is_empty();
    }

    /// Whether [`Channel::poll_transmit`] may have something to write.
    pub fn has_transmit(&self) -> bool {
        self.unsent > 0 || self.repeat.is_some()
    }

    /// Writes the next datagram into `buf` and says how long it is.
    ///
    /// `buf` has room for [`MAX_DATAGRAM`] bytes or one message of [`MAX_MESSAGE`], whichever
    /// is more.
    ///
    /// [`MAX_MESSAGE`]: super::MAX_MESSAGE
    pub fn poll_transmit(&mut self, now: Time, buf: &mut [u8]) -> Option<usize> {
        if self.unsent > 0 {
            let fresh = self.fresh();
            let length = self.write_bundle(buf, self.unsent - fresh, fresh + REDUNDANCY)?;
            self.unsent -= fresh;
            self.expect_loss(now);
            return Some(length);
        }
        let count = self.repeat.take()?;
        self.write_bundle(buf, 0, count)
    }

    /// Takes what waits as sent and lost: there is no buffer for it now, and the next bundle or
    /// repeat carries it along.
    pub fn skip_transmit(&mut self, now: Time) {
        if self.unsent > 0 {
            self.expect_loss(now);
        }
        self.unsent = 0;
        self.repeat = None;
    }

    /// When [`Channel::handle_timeout`] and [`Channel::feed`] want to be called;
    /// `waiting` says whether the backlog holds something.
    pub fn poll_timeout(&self, waiting: bool) -> Option<Time> {
        let timer = match self.timer {
            Repeats::Idle => None,
            Repeats::Tail { at, .. } | Repeats::Ready { at, .. } => Some(at),
        };
        let paced = waiting && self.hold != Some(0) && self.unsent < UNSENT;
        let pace = self.pace.next(self.allowed()).filter(|_| paced);
        timer.into_iter().chain(pace).min()
    }

    /// Does what is due at `now`.
    pub fn handle_timeout(&mut self, now: Time) {
        let (at, next) = match self.timer {
            Repeats::Idle => return,
            Repeats::Tail { at, step: 0 } => {
                let [_, second] = TAIL;
                (
                    at,
                    Repeats::Tail {
                        at: now + second,
                        step: 1,
                    },
                )
            }
            Repeats::Tail { at, .. } | Repeats::Ready { at, left: 0 } => (at, Repeats::Idle),
            Repeats::Ready { at, left } => (
                at,
                Repeats::Ready {
                    at: now + READY_EVERY,
                    left: left - 1,
                },
            ),
        };
        if at > now {
            return;
        }
        if matches!(self.timer, Repeats::Ready { .. }) && next == Repeats::Idle {
            self.hold = None;
        } else if !self.is_unrepeatable() {
            let [usual, _] = REPEATED;
            self.repeat = Some(match self.phase {
                // Whoever gets an answer to its login has all before it, or asked for none;
                // more would use up what may be sent to an address that has proven nothing.
                Phase::Login => 1,
                _ => usual,
            });
        }
        self.timer = next;
    }

    /// What has just gone out may be the last for a while, and get lost.
    fn expect_loss(&mut self, now: Time) {
        if self.phase != Phase::Playing && !matches!(self.timer, Repeats::Ready { .. }) {
            let [first, _] = TAIL;
            self.timer = Repeats::Tail {
                at: now + first,
                step: 0,
            };
        }
    }

    /// New messages of the backlog per interval.
    fn allowed(&self) -> usize {
        match self.phase {
            Phase::Login | Phase::Lobby => PACE_LOBBY,
            Phase::Starting | Phase::Playing => PACE_GAME,
        }
    }

    fn repeat_length(&self) -> usize {
        let [first, later] = REPEATED;
        if self.answers == 0 { first } else { later }
    }

    fn is_unrepeatable(&self) -> bool {
        let MessageNumber(next) = self.next;
        self.history.len() == 0 || next.wrapping_sub(1) >= UNREPEATABLE
    }

    /// How many of the unsent messages go into the next datagram, the oldest first.
    fn fresh(&self) -> usize {
        let size = |age: usize| BundleWriter::ENTRY + self.history.get(age).map_or(0, <[u8]>::len);
        let mut fresh = 1;
        let mut total = BundleWriter::HEADER + size(self.unsent - 1);
        while self.pack && fresh < self.unsent {
            total += size(self.unsent - 1 - fresh);
            if total > self.longest(0) {
                break;
            }
            fresh += 1;
        }
        fresh
    }

    /// The longest datagram that may leave, if one of `least` bytes must.
    fn longest(&self, least: usize) -> usize {
        let credit = self.credit.unwrap_or(usize::MAX);
        least.max(MAX_DATAGRAM).min(credit)
    }

    /// Writes up to `count` messages, the newest being the one sent `age` messages ago.
    fn write_bundle(&mut self, buf: &mut [u8], age: usize, count: usize) -> Option<usize> {
        let newest = self.history.get(age)?;
        let least = BundleWriter::HEADER + BundleWriter::ENTRY + newest.len();
        let limit = self.longest(least).min(buf.len());
        let mut bundle = BundleWriter::new(buf.get_mut(..limit)?);
        let MessageNumber(next) = self.next;
        for age in age..age + count {
            let Some(message) = self.history.get(age) else {
                break;
            };
            let number = MessageNumber(next.wrapping_sub(1).wrapping_sub(age as u16));
            if bundle.push(number, message).is_err() {
                break;
            }
        }
        if bundle.is_empty() {
            return None;
        }
        let length = bundle.finish();
        if let Some(credit) = &mut self.credit {
            *credit -= length.min(*credit);
        }
        Some(length)
    }
}

impl Pace {
    /// When one more may go, with so many per interval; `None` is at any time.
    fn next(&self, allowed: usize) -> Option<Time> {
        let place = (self.oldest + PACE_GAME).checked_sub(allowed)? % PACE_GAME;
        let last = self.times.get(place).copied().flatten()?;
        Some(last + PACE_INTERVAL)
    }

    fn note(&mut self, now: Time) {
        if let Some(oldest) = self.times.get_mut(self.oldest) {
            *oldest = Some(now);
        }
        self.oldest = (self.oldest + 1) % PACE_GAME;
    }
}

#[cfg(test)]
mod tests;
