//! Users that log in, stay a little, and leave again.

use super::{Report, SHORT_SETTLE, Title, Venue, due_before, numbers};
use crate::{
    client::{Heard, SILENCE, Visitor},
    crowd::{Crowd, Party},
    measure::{Answers, Tally},
    options::{self, Asked},
    player::Told,
    run::{Plan, Signals},
    wire::{Outgoing, Wire},
};
use samara::{
    kaillera::message::{ClientMessage, ConnectionType},
    timer::{Deadlines, Time},
};
use std::{collections::VecDeque, io, time::Duration};

/// A visit in which nothing moves for so long is over.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn run(asked: &Asked, churn: &options::Churn) -> io::Result<Report> {
    let venue = Venue::new();
    let plan = Plan {
        logins: Duration::ZERO,
        settle: SHORT_SETTLE,
        duration: churn.clients.duration,
        server: churn.server.observed(),
        quiet: churn.output.quiet,
        step: None,
    };
    let party = |thread| {
        let crowd = Churn::new(churn, thread, &venue.signals)?;
        Ok(Party {
            wire: Wire::new(churn.server.target, thread as u8 + 1, crowd.visits.len())?,
            crowd: Box::new(crowd),
        })
    };
    let parties: io::Result<Vec<_>> = (0..churn.clients.threads).map(party).collect();
    let outcome = venue.run(&plan, parties?)?;
    let title = Title {
        scenario: "churn",
        delay: "login",
        answers: Answers::Named("logins"),
    };
    let limits = churn.limits.stated(None);
    Ok(title.report(asked, limits, &outcome))
}

struct Churn<'a> {
    churn: &'a options::Churn,
    thread: u32,
    visits: Vec<Visit>,
    /// Who may come next.
    free: VecDeque<usize>,
    deadlines: Deadlines,
    /// Logins that were begun.
    begun: u32,
    coming: usize,
    signals: &'a Signals,
    tally: Tally,
}

struct Visit {
    name: String,
    visitor: Visitor,
    state: State,
    /// When this state began.
    since: Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Free,
    Coming { due: Time },
    Staying,
    Leaving,
}

impl<'a> Churn<'a> {
    fn new(churn: &'a options::Churn, thread: u32, signals: &'a Signals) -> io::Result<Self> {
        let visits: Vec<_> = numbers(&churn.clients, thread)
            .enumerate()
            .map(|(client, number)| Visit::new(client, number))
            .collect();
        let mut tally = Tally::new()?;
        tally.users.asked = visits.len() as u64;
        Ok(Self {
            churn,
            thread,
            free: (0..visits.len()).collect(),
            deadlines: Deadlines::new(visits.len()),
            begun: 0,
            coming: 0,
            visits,
            signals,
            tally,
        })
    }

    /// When the next login is due; nothing before the beginning and after the end.
    fn due(&self) -> Option<Time> {
        let (begin, end) = (self.signals.begin(), self.signals.end());
        let number = self.thread + self.begun * self.churn.clients.threads;
        let due = begin + Duration::from_secs(number.into()) / self.churn.rate;
        (due < end).then_some(due)
    }

    /// Whoever is free begins the logins that are due.
    fn begin(&mut self, now: Time, out: &mut Outgoing) {
        while let Some(due) = self.due().filter(|&due| due <= now) {
            let Some(client) = self.free.pop_front() else {
                return;
            };
            let Some(visit) = self.visits.get_mut(client) else {
                return;
            };
            self.begun += 1;
            self.coming += 1;
            self.tally.own_lag.note(now.since(due.max(visit.since)));
            visit.visitor = Visitor::new(client, &visit.name, ConnectionType::Lan);
            visit.visitor.nudge(out);
            visit.enter(State::Coming { due }, now);
            self.deadlines.set(client as u32, Some(now + SILENCE));
        }
    }

    /// Somebody waited long enough, for an answer or before it leaves.
    fn move_on(&mut self, client: usize, now: Time, out: &mut Outgoing) {
        let Some(visit) = self.visits.get_mut(client) else {
            return;
        };
        match visit.state {
            State::Free => {}
            State::Coming { .. } | State::Leaving if now.since(visit.since) >= PATIENCE => {
                self.end(client, now);
            }
            State::Coming { .. } | State::Leaving => {
                visit.visitor.nudge(out);
                self.deadlines.set(client as u32, Some(now + SILENCE));
            }
            State::Staying => {
                visit
                    .visitor
                    .say(&ClientMessage::Quit { message: b"" }, out);
                visit.enter(State::Leaving, now);
                self.deadlines.set(client as u32, Some(now + SILENCE));
            }
        }
    }

    fn end(&mut self, client: usize, now: Time) {
        if let Some(visit) = self.visits.get_mut(client) {
            self.coming -= usize::from(matches!(visit.state, State::Coming { .. }));
            visit.enter(State::Free, now);
            self.deadlines.set(client as u32, None);
            self.free.push_back(client);
        }
    }

    fn arrived(&mut self, client: usize, now: Time) {
        let Some(visit) = self.visits.get_mut(client) else {
            return;
        };
        if let State::Coming { due } = visit.state {
            self.coming -= 1;
            self.tally.received += 1;
            self.tally.note(now.since(due));
            visit.enter(State::Staying, now);
            let until = now + self.churn.stay;
            self.deadlines.set(client as u32, Some(until));
        }
    }
}

impl Visit {
    fn new(client: usize, number: u32) -> Self {
        let name = format!("visitor {number}");
        Self {
            visitor: Visitor::new(client, &name, ConnectionType::Lan),
            name,
            state: State::Free,
            since: Time::ZERO,
        }
    }

    fn enter(&mut self, state: State, now: Time) {
        self.state = state;
        self.since = now;
    }
}

impl Crowd for Churn<'_> {
    fn clients(&self) -> usize {
        self.visits.len()
    }

    fn awaited(&self) -> usize {
        0
    }

    fn turn(&mut self, now: Time, out: &mut Outgoing) {
        while let Some(key) = self.deadlines.pop_due(now) {
            self.move_on(key as usize, now, out);
        }
        self.begin(now, out);
    }

    fn receive(&mut self, client: usize, datagram: &[u8], now: Time, out: &mut Outgoing) {
        let Some(visit) = self.visits.get_mut(client) else {
            return;
        };
        let (mut is_in, mut is_out) = (false, false);
        let tally = &mut self.tally;
        let heard = visit.visitor.receive(datagram, out, |told| match told {
            Told::LoggedIn => is_in = true,
            Told::Out => is_out = true,
            Told::Lost(count) => tally.miss(count.into()),
            _ => {}
        });
        if heard == Heard::Malformed {
            self.tally.miss(1);
        }
        if is_in {
            self.arrived(client, now);
        }
        let state = self.visits.get(client).map(|visit| visit.state);
        if is_out && state != Some(State::Free) {
            self.tally.users.dropped += u64::from(state != Some(State::Leaving));
            self.end(client, now);
        }
    }

    fn next(&self) -> Option<Time> {
        let due = self.due().filter(|_| !self.free.is_empty());
        due.into_iter().chain(self.deadlines.next()).min()
    }

    fn is_done(&self) -> bool {
        self.due().is_none() && self.coming == 0
    }

    fn sum_up(&mut self) {
        let lasted = self.signals.end().since(self.signals.begin());
        let (rate, threads) = (self.churn.rate, self.churn.clients.threads);
        self.tally.expected = due_before(lasted, rate, self.thread, threads);
    }

    fn leave(&mut self, client: usize, out: &mut Outgoing) -> bool {
        let staying =
            |visit: &&mut Visit| matches!(visit.state, State::Coming { .. } | State::Staying);
        let visit = self.visits.get_mut(client).filter(staying);
        visit.is_some_and(|visit| visit.visitor.leave(out))
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}
