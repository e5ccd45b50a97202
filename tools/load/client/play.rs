//! A player in a running game: what it has sent and what has come back.

use super::{Room, Schedule};
use crate::{measure::Tally, run::Signals};
use samara::timer::Time;
use std::time::Duration;

/// Clients that play say again what they said last when nothing comes for so long.
const STALL: Duration = Duration::from_millis(250);

/// A player's place in its game.
#[derive(Debug)]
pub(crate) struct Play {
    schedule: Schedule,
    /// Messages it may send beyond those answered.
    ahead: u64,
    /// Messages that are answered with zeros.
    zeros: u64,
    sent: u64,
    answered: u64,
    /// When an answer made way for the next message, if its own time is not what it waits for.
    open_since: Option<Time>,
    heard: Time,
}

/// A message that is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    /// Its frame, if it is not one of those answered with zeros.
    pub(crate) frame: Option<u64>,
    pub(crate) at: Time,
    /// When it could have been sent.
    pub(crate) possible: Time,
}

impl Play {
    pub(crate) fn new(schedule: Schedule, delay: u16, zeros: u64, now: Time) -> Self {
        Self {
            schedule,
            ahead: u64::from(delay) + 1,
            zeros,
            sent: 0,
            answered: 0,
            open_since: None,
            heard: now,
        }
    }

    /// Takes the next message, if it is due and may be sent.
    pub(crate) fn next(&mut self, now: Time) -> Option<Due> {
        let at = self.schedule.due(self.sent + 1);
        if at > now || self.is_waiting() {
            return None;
        }
        self.sent += 1;
        let possible = self.open_since.take().map_or(at, |open| open.max(at));
        let frame = self.frame(self.sent);
        Some(Due {
            frame,
            at,
            possible,
        })
    }

    /// Whether it waits for so long that it says its last message again; once per interval.
    pub(crate) fn is_stalled(&mut self, now: Time) -> bool {
        let stalled = self.is_waiting() && self.heard + STALL <= now;
        if stalled {
            self.heard = now;
        }
        stalled
    }

    /// When there is something to do if nothing comes.
    pub(crate) fn deadline(&self) -> Time {
        if self.is_waiting() {
            self.heard + STALL
        } else {
            self.schedule.due(self.sent + 1)
        }
    }

    /// Messages due from `begin` to `end`.
    pub(crate) fn due_between(&self, begin: Time, end: Time) -> u64 {
        self.schedule.due_before(end) - self.schedule.due_before(begin.min(end))
    }

    /// Whether everything due before `end` was answered.
    pub(crate) fn is_done(&self, end: Time) -> bool {
        self.answered >= self.schedule.due_before(end)
    }

    fn is_waiting(&self) -> bool {
        self.sent - self.answered >= self.ahead
    }

    fn frame(&self, message: u64) -> Option<u64> {
        message.checked_sub(self.zeros).filter(|&frame| frame > 0)
    }
}

/// Listens to a player in its game.
pub(crate) struct Ear<'a> {
    pub(crate) now: Time,
    pub(crate) play: Option<&'a mut Play>,
    pub(crate) room: &'a mut Room,
    /// A frame is late when it comes so long after its last input was due.
    pub(crate) late_after: Duration,
    pub(crate) signals: &'a Signals,
    pub(crate) tally: &'a mut Tally,
}

impl Ear<'_> {
    pub(crate) fn frames(&mut self, content: &[u8]) {
        let Some(play) = self.play.as_deref_mut().filter(|it| it.answered < it.sent) else {
            self.tally.frames.unequal += 1;
            return;
        };
        if play.is_waiting() {
            play.open_since = Some(self.now);
        }
        play.answered += 1;
        play.heard = self.now;
        let due = play.schedule.due(play.answered);
        let counts = self.signals.counts(due);
        self.tally.received += u64::from(counts);
        let Some(frame) = play.frame(play.answered) else {
            return;
        };
        let seen = self.room.received(frame, content, self.now);
        self.tally.frames.unequal += u64::from(!seen.equal);
        if counts {
            self.tally.frames.late += u64::from(seen.since_due > self.late_after);
            self.tally.note(seen.added);
            self.tally.round_trip.note(self.now.since(due));
        }
    }

    pub(crate) fn line(&mut self, text: &[u8]) {
        // What the server's catalogue says of a lost packet and of a stall.
        let lost = text.starts_with(b"A packet from ");
        let stalled = text.ends_with(b" does not answer.");
        self.tally.frames.desyncs += u64::from(lost || stalled);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use samara::kaillera::message::ConnectionType;

    fn at(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    fn play() -> Play {
        let schedule = Schedule::new(at(0), ConnectionType::Bad);
        Play::new(schedule, 1, 6, at(0))
    }

    fn answer(play: &mut Play, now: Time) {
        let signals = Signals::new();
        let mut ear = Ear {
            now,
            play: Some(play),
            room: &mut Room::new(),
            late_after: Duration::ZERO,
            signals: &signals,
            tally: &mut Tally::new().unwrap(),
        };
        ear.frames(b"");
        assert_eq!(ear.tally.frames.unequal, 0);
    }

    #[test]
    fn a_player_is_at_most_its_delay_ahead() {
        let mut play = play();
        assert_eq!(play.next(at(0)).unwrap().at, at(0));
        assert_eq!(play.next(at(99)), None, "not due yet");
        assert_eq!(play.deadline(), at(100));
        assert!(play.next(at(100)).is_some());
        assert_eq!(play.next(at(200)), None, "two are not answered");
        answer(&mut play, at(250));
        let due = play.next(at(260)).unwrap();
        assert_eq!((due.at, due.possible), (at(200), at(250)));
        assert_eq!(due.frame, None, "answered with zeros");
    }

    #[test]
    fn frames_begin_after_the_zeros() {
        let mut play = play();
        for n in 0..7 {
            let due = play.next(at(n * 100)).unwrap();
            assert_eq!(due.frame, (n == 6).then_some(1));
            answer(&mut play, at(n * 100 + 1));
        }
        assert!(play.is_done(at(700)));
        assert!(!play.is_done(at(701)));
        assert_eq!(play.due_between(at(100), at(700)), 6);
    }

    #[test]
    fn a_stall_is_noticed_once_per_interval() {
        let mut play = play();
        play.next(at(0));
        assert!(!play.is_stalled(at(1000)), "it may send");
        play.next(at(100));
        assert!(play.is_stalled(at(1000)));
        assert!(!play.is_stalled(at(1001)));
        assert_eq!(play.deadline(), at(1250));
    }

    #[test]
    fn an_answer_to_nothing_is_wrong() {
        let signals = Signals::new();
        let mut tally = Tally::new().unwrap();
        let mut ear = Ear {
            now: at(1),
            play: Some(&mut play()),
            room: &mut Room::new(),
            late_after: Duration::ZERO,
            signals: &signals,
            tally: &mut tally,
        };
        ear.frames(b"");
        assert_eq!(tally.frames.unequal, 1);
    }
}
