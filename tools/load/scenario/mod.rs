//! The scenarios: what the clients of a run do.

mod churn;
mod demo;
mod games;
mod idle;
mod lobby;
mod noise;
mod pings;
mod together;

pub(crate) use noise::GARBAGE_CLIENTS;

use crate::{
    client::{Heard, SILENCE, Stage, Visitor},
    crowd::Party,
    measure::{About, Answers, Limits, Outcome, Tally},
    options::{Asked, Clients, Command},
    player::Told,
    record::Record,
    run::{self, Part, Plan, Side, Signals},
    wire::Outgoing,
};
use samara::{
    kaillera::message::{ClientMessage, ConnectionType},
    net::Clock,
    timer::{Deadlines, Time},
};
use std::{io, time::Duration};

/// From when all have arrived to when it begins to count.
const SETTLE: Duration = Duration::from_secs(2);
/// The same where nobody has to arrive.
const SHORT_SETTLE: Duration = Duration::from_millis(200);

/// The second bytes of the addresses of clients that make noise; threads have those from 1 on.
const NOISE_NETWORK: u8 = 100;

/// A run that took place.
pub(crate) struct Report {
    pub(crate) record: Record,
    /// Whether it was as it should be.
    pub(crate) held: bool,
}

/// Runs the scenario that was asked for.
///
/// # Errors
///
/// When the run cannot take place.
pub(crate) fn run(asked: &Asked) -> io::Result<Report> {
    match &asked.command {
        Command::Kaillera(games) => games::run(asked, games, "kaillera", None),
        Command::Flood(flood) => {
            let noise = noise::Noise::Flood {
                flooders: flood.flooders,
                rate: flood.rate,
            };
            games::run(asked, &flood.games, "flood", Some(noise))
        }
        Command::Garbage(garbage) => {
            let noise = noise::Noise::Garbage { rate: garbage.rate };
            games::run(asked, &garbage.games, "garbage", Some(noise))
        }
        Command::Churn(churn) => churn::run(asked, churn),
        Command::Lobby(lobby) => lobby::run(asked, lobby),
        Command::Idle(idle) => idle::run(asked, idle),
        Command::Pps(pps) => pings::run_pps(asked, pps),
        Command::Echo(echo) => pings::run_echo(asked, echo),
        Command::Maple(maple) => crate::maple::run(asked, maple),
        Command::Together(together) => together::run(asked, together),
        Command::Demo(demo) => demo::run(asked, demo),
        Command::Compare(_) => Err(io::Error::other("nothing runs to compare what did")),
    }
}

/// What a scenario says of itself.
pub(crate) struct Title {
    pub(crate) scenario: &'static str,
    /// The name of what it measures.
    pub(crate) delay: &'static str,
    pub(crate) answers: Answers,
}

impl Title {
    pub(crate) fn report(&self, asked: &Asked, limits: Limits, outcome: &Outcome) -> Report {
        let about = About {
            scenario: self.scenario,
            delay: self.delay,
            answers: self.answers,
            options: asked.options.clone(),
            limits,
        };
        Report {
            record: outcome.record(&about),
            held: limits.hold(&outcome.tally),
        }
    }
}

/// One clock and one set of signals for all threads of a run.
pub(crate) struct Venue {
    pub(crate) clock: Clock,
    pub(crate) signals: Signals,
}

impl Venue {
    pub(crate) fn new() -> Self {
        Self {
            clock: Clock::start(),
            signals: Signals::new(),
        }
    }

    fn run(&self, plan: &Plan, parties: Vec<Party<'_>>) -> io::Result<Outcome> {
        let outcome = self.run_sides(plan, vec![parts(parties)])?.pop();
        outcome.ok_or_else(|| io::Error::other("nothing ran"))
    }

    /// Runs several sides at the same time; what became of each.
    pub(crate) fn run_sides(&self, plan: &Plan, sides: Vec<Side<'_>>) -> io::Result<Vec<Outcome>> {
        run::run(plan, self.clock, &self.signals, sides)
    }
}

fn parts(parties: Vec<Party<'_>>) -> Side<'_> {
    let boxed = |party| Box::new(party) as Box<dyn Part + '_>;
    parties.into_iter().map(boxed).collect()
}

/// The numbers of one thread's clients: every `threads`th from `thread` on.
fn numbers(clients: &Clients, thread: u32) -> impl Iterator<Item = u32> + use<> {
    (thread..clients.users).step_by(clients.threads as usize)
}

/// When each of those is due to log in.
fn login_due(start: Time, number: u32, login_rate: u32) -> Time {
    start + Duration::from_secs(number.into()) / login_rate
}

/// The clients of one thread, on their way.
fn guests(clients: &Clients, login_rate: u32, thread: u32, start: Time) -> Guests {
    let visitor = |(client, number): (usize, u32)| {
        let name = format!("user {number}");
        let visitor = Visitor::new(client, &name, ConnectionType::Lan);
        (visitor, login_due(start, number, login_rate))
    };
    Guests::new(numbers(clients, thread).enumerate().map(visitor))
}

/// How many times are due before `end`, of those `rate` in a second from `begin` on of which
/// this is every `threads`th from the `thread`th.
fn due_before(end: Duration, rate: u32, thread: u32, threads: u32) -> u64 {
    let all = (end.as_nanos() * u128::from(rate)).div_ceil(1_000_000_000) as u64;
    all.saturating_sub(thread.into()).div_ceil(threads.into())
}

/// Clients that come, and then are there.
struct Guests {
    visitors: Vec<Visitor>,
    deadlines: Deadlines,
}

/// What a datagram changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Arrived,
    Left,
}

impl Guests {
    /// Guests who each come at a time.
    fn new(guests: impl Iterator<Item = (Visitor, Time)>) -> Self {
        let (visitors, times): (Vec<_>, Vec<_>) = guests.unzip();
        let mut deadlines = Deadlines::new(visitors.len());
        for (key, at) in (0..).zip(times) {
            deadlines.set(key, Some(at));
        }
        Self {
            visitors,
            deadlines,
        }
    }

    /// One of the guests inside for whom it is time; the others get on with coming.
    fn pop_due(&mut self, now: Time, out: &mut Outgoing) -> Option<usize> {
        while let Some(key) = self.deadlines.pop_due(now) {
            let client = key as usize;
            let Some(visitor) = self.visitors.get_mut(client) else {
                continue;
            };
            match visitor.stage() {
                Stage::Inside => return Some(client),
                Stage::Gone => {}
                _ => {
                    visitor.nudge(out);
                    self.deadlines.set(key, Some(now + SILENCE));
                }
            }
        }
        None
    }

    fn set(&mut self, client: usize, at: Time) {
        self.deadlines.set(client as u32, Some(at));
    }

    fn say(&mut self, client: usize, message: &ClientMessage<'_>, out: &mut Outgoing) {
        if let Some(visitor) = self.visitors.get_mut(client) {
            visitor.say(message, out);
        }
    }

    fn receive(
        &mut self,
        client: usize,
        datagram: &[u8],
        out: &mut Outgoing,
        tally: &mut Tally,
        mut each: impl FnMut(&mut Tally, Told<'_>),
    ) -> Option<Change> {
        let visitor = self.visitors.get_mut(client)?;
        let mut change = None;
        let heard = visitor.receive(datagram, out, |told| match told {
            Told::LoggedIn => change = Some(Change::Arrived),
            Told::Out => change = Some(Change::Left),
            Told::Lost(count) => tally.miss(count.into()),
            told => each(tally, told),
        });
        if heard == Heard::Malformed {
            tally.miss(1);
        }
        change
    }

    fn inside(&self) -> usize {
        self.visitors.iter().filter(|it| it.is_inside()).count()
    }

    fn leave(&mut self, client: usize, out: &mut Outgoing) -> bool {
        let visitor = self.visitors.get_mut(client);
        visitor.is_some_and(|visitor| visitor.leave(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_share_what_is_due() {
        for (millis, rate, threads) in [(1_000, 50, 1), (1_001, 50, 3), (10, 7, 4), (999, 1, 2)] {
            let end = Duration::from_millis(millis);
            let part = |thread| due_before(end, rate, thread, threads);
            let due = |&n: &u32| Duration::from_secs(n.into()) / rate < end;
            let all = (0..1_000).filter(due).count() as u64;
            assert_eq!((0..threads).map(part).sum::<u64>(), all, "{millis} {rate}");
        }
    }
}
