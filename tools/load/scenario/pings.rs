//! Datagrams that are answered by themselves: pings of a server, and a bare echo.

use super::{Report, SHORT_SETTLE, Title, Venue, due_before, numbers};
use crate::{
    crowd::{Crowd, Party},
    measure::{Answers, Observed, Outcome, Tally},
    options::{self, Asked, Clients, MAX_RATE, Rate},
    run::{Plan, Signals},
    wire::{self, Outgoing, Wire},
};
use samara::{
    kaillera::connect::{self, Reply},
    timer::{Deadlines, Time},
};
use std::{collections::VecDeque, io, net::SocketAddr, time::Duration};

/// What is not answered by then is lost.
const PATIENCE: Duration = Duration::from_secs(1);
/// Datagrams that leave before answers are looked for.
const BURST: usize = 512;

pub(super) fn run_pps(asked: &Asked, pps: &options::Pps) -> io::Result<Report> {
    let game = Game {
        clients: &pps.clients,
        rate: pps.rate,
        datagram: connect::PING,
        is_answer: |datagram| connect::parse_reply(datagram) == Some(Reply::Pong),
    };
    let outcome = game.run(pps.server.target, pps.server.observed(), pps.output.quiet)?;
    let limits = pps.limits.stated(None);
    Ok(title("pps", "pings").report(asked, limits, &outcome))
}

pub(super) fn run_echo(asked: &Asked, echo: &options::Echo) -> io::Result<Report> {
    let datagram = vec![0; echo.size as usize];
    let server = wire::Echo::start(echo.loops as usize, datagram.len())?;
    let game = Game {
        clients: &echo.clients,
        rate: echo.rate,
        datagram: &datagram,
        is_answer: |_| true,
    };
    let outcome = game.run(server.address, None, echo.output.quiet)?;
    let limits = echo.limits.stated(None);
    Ok(title("echo", "echoes").report(asked, limits, &outcome))
}

fn title(scenario: &'static str, answers: &'static str) -> Title {
    Title {
        scenario,
        delay: "round trip",
        answers: Answers::Named(answers),
    }
}

/// What is thrown, how often, and what comes back.
#[derive(Clone, Copy)]
struct Game<'a> {
    clients: &'a Clients,
    rate: Rate,
    datagram: &'a [u8],
    is_answer: fn(&[u8]) -> bool,
}

impl Game<'_> {
    fn run(self, target: SocketAddr, server: Option<Observed>, quiet: bool) -> io::Result<Outcome> {
        let venue = Venue::new();
        let plan = Plan {
            logins: Duration::ZERO,
            settle: SHORT_SETTLE,
            duration: self.clients.duration,
            server,
            quiet,
            step: None,
        };
        let party = |thread| {
            let crowd = Pings::new(self, thread, &venue.signals)?;
            Ok(Party {
                wire: Wire::new(target, thread as u8 + 1, crowd.waits.len())?,
                crowd: Box::new(crowd),
            })
        };
        let parties: io::Result<Vec<_>> = (0..self.clients.threads).map(party).collect();
        venue.run(&plan, parties?)
    }
}

struct Pings<'a> {
    game: Game<'a>,
    thread: u32,
    waits: Vec<Wait>,
    /// Clients with nothing under way.
    free: VecDeque<usize>,
    deadlines: Deadlines,
    sent: u64,
    signals: &'a Signals,
    tally: Tally,
}

/// What a client waits for.
#[derive(Clone, Copy, Debug)]
enum Wait {
    /// Nothing, since then.
    Free(Time),
    /// The answer to what was due then.
    Answer(Time),
}

impl<'a> Pings<'a> {
    fn new(game: Game<'a>, thread: u32, signals: &'a Signals) -> io::Result<Self> {
        let clients = numbers(game.clients, thread).count();
        let mut tally = Tally::new()?;
        tally.users.asked = clients as u64;
        Ok(Self {
            game,
            thread,
            waits: vec![Wait::Free(Time::ZERO); clients],
            free: (0..clients).collect(),
            deadlines: Deadlines::new(clients),
            sent: 0,
            signals,
            tally,
        })
    }

    /// When the next datagram is due; nothing before the beginning and after the end.
    fn due(&self) -> Option<Time> {
        let (begin, end) = (self.signals.begin(), self.signals.end());
        let due = match self.game.rate {
            Rate::Max => self.freed().map_or(begin, |freed| freed.max(begin)),
            Rate::PerSecond(rate) => {
                let threads = u64::from(self.game.clients.threads);
                let number = u64::from(self.thread) + self.sent * threads;
                let nanos = u128::from(number) * 1_000_000_000 / u128::from(rate);
                begin + Duration::from_nanos(nanos as u64)
            }
        };
        (due < end).then_some(due)
    }

    /// Since when the client that is next has nothing under way.
    fn freed(&self) -> Option<Time> {
        match self.waits.get(*self.free.front()?)? {
            Wait::Free(since) => Some(*since),
            Wait::Answer(_) => None,
        }
    }

    fn free(&mut self, client: usize, now: Time) {
        if let Some(wait) = self.waits.get_mut(client) {
            *wait = Wait::Free(now);
            self.free.push_back(client);
        }
    }
}

impl Crowd for Pings<'_> {
    fn clients(&self) -> usize {
        self.waits.len()
    }

    fn awaited(&self) -> usize {
        0
    }

    fn turn(&mut self, now: Time, out: &mut Outgoing) {
        while let Some(key) = self.deadlines.pop_due(now) {
            self.free(key as usize, now);
        }
        for _ in 0..BURST {
            let (Some(due), Some(freed)) = (self.due(), self.freed()) else {
                return;
            };
            if due > now {
                return;
            }
            let Some(client) = self.free.pop_front() else {
                return;
            };
            if let Some(wait) = self.waits.get_mut(client) {
                *wait = Wait::Answer(due);
            }
            self.deadlines.set(client as u32, Some(now + PATIENCE));
            self.tally.own_lag.note(now.since(due.max(freed)));
            self.sent += 1;
            out.send(client, self.game.datagram);
        }
    }

    fn receive(&mut self, client: usize, datagram: &[u8], now: Time, _: &mut Outgoing) {
        let Some(&Wait::Answer(due)) = self.waits.get(client) else {
            return;
        };
        if (self.game.is_answer)(datagram) {
            self.deadlines.set(client as u32, None);
            self.tally.received += 1;
            self.tally.note(now.since(due));
            self.free(client, now);
        }
    }

    fn next(&self) -> Option<Time> {
        let due = self.due().filter(|_| !self.free.is_empty());
        due.into_iter().chain(self.deadlines.next()).min()
    }

    fn is_done(&self) -> bool {
        self.due().is_none() && self.free.len() == self.waits.len()
    }

    fn sum_up(&mut self) {
        let lasted = self.signals.end().since(self.signals.begin());
        let threads = self.game.clients.threads;
        self.tally.expected = match self.game.rate {
            Rate::Max => self.sent,
            Rate::PerSecond(rate) => {
                debug_assert!(rate <= MAX_RATE);
                due_before(lasted, rate, self.thread, threads)
            }
        };
    }

    fn leave(&mut self, _: usize, _: &mut Outgoing) -> bool {
        false
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}
