//! Users that talk to everybody.

use super::{Change, Guests, Report, SETTLE, Title, Venue, guests};
use crate::{
    crowd::{Crowd, Party},
    measure::{Answers, Tally},
    options::{self, Asked},
    player::Told,
    run::{Plan, Signals},
    wire::{Outgoing, Wire},
};
use samara::{kaillera::message::ClientMessage, timer::Time};
use std::{io, time::Duration};

/// Who has arrived asks so often whether it begins.
const LOOK: Duration = Duration::from_millis(100);

pub(super) fn run(asked: &Asked, lobby: &options::Lobby) -> io::Result<Report> {
    let venue = Venue::new();
    let (clients, login_rate) = (&lobby.clients, lobby.logins.login_rate);
    let plan = Plan {
        logins: Duration::from_secs(clients.users.into()) / login_rate,
        settle: SETTLE,
        duration: clients.duration,
        server: lobby.server.observed(),
        quiet: lobby.output.quiet,
        step: None,
    };
    let timetable = Timetable {
        users: clients.users,
        every: lobby.every,
    };
    let party = |thread| {
        let guests = guests(clients, login_rate, thread, venue.clock.now());
        let mut tally = Tally::new()?;
        tally.users.asked = guests.visitors.len() as u64;
        Ok(Party {
            wire: Wire::new(lobby.server.target, thread as u8 + 1, guests.visitors.len())?,
            crowd: Box::new(Lobby {
                lines: vec![0; guests.visitors.len()],
                guests,
                first: thread,
                step: clients.threads,
                timetable,
                arrived: 0,
                signals: &venue.signals,
                tally,
            }),
        })
    };
    let parties: io::Result<Vec<_>> = (0..clients.threads).map(party).collect();
    let mut outcome = venue.run(&plan, parties?)?;
    // Each line was due at everybody who had come.
    outcome.tally.expected *= outcome.tally.users.asked - outcome.tally.users.absent;
    let title = Title {
        scenario: "lobby",
        delay: "delivery",
        answers: Answers::Named("lines"),
    };
    let limits = lobby.limits.stated(None);
    Ok(title.report(asked, limits, &outcome))
}

/// When each user says what.
#[derive(Clone, Copy, Debug)]
struct Timetable {
    users: u32,
    every: Duration,
}

/// A line, as it is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    user: u32,
    number: u32,
}

impl Timetable {
    /// When a line is due; users are spread evenly.
    fn due(&self, begin: Time, line: Line) -> Time {
        let turn = self.every.as_nanos() as u64 * u64::from(line.user % self.users.max(1));
        let first = Duration::from_nanos(turn / u64::from(self.users.max(1)));
        begin + first + self.every.saturating_mul(line.number)
    }
}

impl Line {
    fn text(self) -> String {
        format!("line {} {}", self.user, self.number)
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let rest = str::from_utf8(text).ok()?.strip_prefix("line ")?;
        let (user, number) = rest.split_once(' ')?;
        Some(Self {
            user: user.parse().ok()?,
            number: number.parse().ok()?,
        })
    }
}

struct Lobby<'a> {
    guests: Guests,
    /// Lines each has said.
    lines: Vec<u32>,
    /// Its users are every `step`th from `first` on.
    first: u32,
    step: u32,
    timetable: Timetable,
    arrived: u64,
    signals: &'a Signals,
    tally: Tally,
}

impl Lobby<'_> {
    /// A user says the line that is due, and waits for the next.
    fn speak(&mut self, client: usize, now: Time, out: &mut Outgoing) {
        let (begin, end) = (self.signals.begin(), self.signals.end());
        let Some(number) = self.lines.get_mut(client) else {
            return;
        };
        if end == Time::from_nanos(u64::MAX) {
            self.guests.set(client, now + LOOK);
            return;
        }
        let user = self.first + client as u32 * self.step;
        let line = |number| Line { user, number };
        let due = self.timetable.due(begin, line(*number));
        if due > now {
            self.guests.set(client, due);
        } else if due < end {
            let text = line(*number).text();
            let chat = ClientMessage::Chat {
                text: text.as_bytes(),
            };
            self.guests.say(client, &chat, out);
            self.tally.own_lag.note(now.since(due));
            self.tally.expected += 1;
            *number += 1;
            let next = self.timetable.due(begin, line(*number));
            self.guests.set(client, next);
        }
    }
}

impl Crowd for Lobby<'_> {
    fn clients(&self) -> usize {
        self.guests.visitors.len()
    }

    fn turn(&mut self, now: Time, out: &mut Outgoing) {
        while let Some(client) = self.guests.pop_due(now, out) {
            self.speak(client, now, out);
        }
    }

    fn receive(&mut self, client: usize, datagram: &[u8], now: Time, out: &mut Outgoing) {
        let (signals, timetable) = (self.signals, self.timetable);
        let hear = |tally: &mut Tally, told: Told<'_>| {
            let Told::Chat(text) = told else {
                return;
            };
            if let Some(line) = Line::parse(text) {
                let due = timetable.due(signals.begin(), line);
                if signals.counts(due) {
                    tally.received += 1;
                    tally.note(now.since(due));
                }
            }
        };
        let change = self
            .guests
            .receive(client, datagram, out, &mut self.tally, hear);
        match change {
            Some(Change::Arrived) => {
                self.arrived += 1;
                self.signals.arrive(1);
                self.guests.set(client, now);
            }
            Some(Change::Left) => self.tally.users.dropped += 1,
            None => {}
        }
    }

    fn next(&self) -> Option<Time> {
        self.guests.deadlines.next()
    }

    /// What was said last is still on its way to everybody.
    fn is_done(&self) -> bool {
        false
    }

    fn sum_up(&mut self) {
        self.tally.users.absent = self.clients() as u64 - self.arrived;
    }

    fn leave(&mut self, client: usize, out: &mut Outgoing) -> bool {
        self.guests.leave(client, out)
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_when_it_was_due() {
        let timetable = Timetable {
            users: 4,
            every: Duration::from_secs(2),
        };
        let begin = Time::from_millis(100);
        let line = Line { user: 1, number: 3 };
        assert_eq!(line.text(), "line 1 3");
        assert_eq!(Line::parse(b"line 1 3"), Some(line));
        assert_eq!(
            timetable.due(begin, line),
            Time::from_millis(100 + 500 + 6_000)
        );
        for text in ["", "line", "line 1", "line 1 x", "hello", "line -1 2"] {
            assert_eq!(Line::parse(text.as_bytes()), None, "{text}");
        }
        let strange = Line {
            user: u32::MAX,
            number: u32::MAX,
        };
        assert!(timetable.due(begin, strange) > begin, "does not overflow");
    }
}
