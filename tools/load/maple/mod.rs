//! Clients of Maple sessions, and what a gateway in front of them makes of it.

mod client;
mod crowd;
mod stage;
mod world;

pub(crate) use client::LEAST;
pub(crate) use crowd::Talk;
pub(crate) use stage::{Through, config, first, start_world};

use crate::{
    measure::{Answers, Outcome},
    options::{self, Asked},
    record::{Record, Unit},
    rounds::{self, Figure},
    run::{Plan, Step},
    scenario::{Report, Title, Venue},
};
use stage::Stage;
use std::{io, net::SocketAddr, time::Duration};

/// From when all are served to when it begins to count.
const SETTLE: Duration = Duration::from_millis(200);
/// How long it takes until one client is served that waits for a hello.
const GREETING: Duration = Duration::from_millis(10);

/// Runs the scenario.
///
/// # Errors
///
/// When the stage cannot be set up, or all clients are cut off.
pub(crate) fn run(asked: &Asked, maple: &options::Maple) -> io::Result<Report> {
    match maple.rounds {
        None => {
            let outcome = measure(maple, maple.through, None)?;
            Ok(report(asked, maple, &outcome))
        }
        Some(rounds) => run_rounds(asked, maple, rounds),
    }
}

/// Takes turns with the bare relay.
fn run_rounds(asked: &Asked, maple: &options::Maple, rounds: u32) -> io::Result<Report> {
    let setups = [Through::Relay, maple.through];
    let names = setups.map(Through::name);
    let rounds = rounds::take_turns(rounds, &names, |setup, step| {
        let through = setups.get(setup).copied().unwrap_or(maple.through);
        Ok(vec![measure(maple, through, Some(step))?])
    })?;
    let [relay, front] = [0, 1].map(|setup| {
        let outcomes = rounds.of(setup, 0);
        outcomes.map(|it| figures(maple, it)).collect::<Vec<_>>()
    });
    let mut outcome = Outcome::pooled(rounds.of(1, 0))?;
    let limit = Outcome::pooled(rounds.of(0, 0))?;
    outcome.series.clone_from(&rounds.series);
    let mut report = report(asked, maple, &outcome);
    let of_limit = format!("{}, relay", delay(maple));
    let of_limit = limit.tally.delay.distribution(&of_limit);
    report.record.times.extend(of_limit);
    let [base, other] = names;
    let compared = rounds::compare(["maple", base, other], &relay, &front);
    report.record.comparisons.push(compared);
    report.held &= limit.tally.is_clean();
    Ok(report)
}

fn measure(maple: &options::Maple, through: Through, step: Option<Step>) -> io::Result<Outcome> {
    let stage = match maple.target {
        Some(_) => None,
        None => Some(Stage::start(maple, through)?),
    };
    let target = maple.target.or(stage.as_ref().map(|stage| stage.address));
    let talk = maple.talk(target.ok_or(io::ErrorKind::AddrNotAvailable)?);
    let plan = Plan {
        logins: talk.arrival(),
        settle: SETTLE,
        duration: maple.clients.duration,
        server: match &stage {
            Some(stage) => stage.thread,
            None => maple.observed(),
        },
        quiet: maple.output.quiet,
        step,
    };
    let venue = Venue::new();
    let shared = talk.shared();
    let outcomes = venue.run_sides(&plan, vec![talk.side(&shared)?])?;
    let outcome = outcomes.into_iter().next();
    outcome.ok_or_else(|| io::Error::other("nothing ran"))
}

/// The name of what is measured.
fn delay(maple: &options::Maple) -> &'static str {
    if maple.talk.broadcast {
        "delivery"
    } else {
        "added delay"
    }
}

fn report(asked: &Asked, maple: &options::Maple, outcome: &Outcome) -> Report {
    let title = Title {
        scenario: "maple",
        delay: delay(maple),
        answers: Answers::Named("packets"),
    };
    let mut report = title.report(asked, maple.limits.stated(None), outcome);
    note_extra(&mut report.record, maple, outcome);
    report
}

fn note_extra(record: &mut Record, maple: &options::Maple, outcome: &Outcome) {
    let extra = &mut record.extra;
    if maple.talk.broadcast {
        let users = f64::from(maple.clients.users);
        let said = outcome.tally.expected as f64 / users;
        extra.insert("receivers of each packet".to_owned(), users);
        extra.insert(
            "broadcasts per second".to_owned(),
            said / outcome.seconds.max(f64::MIN_POSITIVE),
        );
    }
    let micros = micros_per_packet(outcome);
    if micros.is_finite() {
        let name = "processor time per packet, microseconds";
        extra.insert(name.to_owned(), micros);
    }
}

/// Of the thread or process in between, for each packet that passed it one way; NaN if unknown.
fn micros_per_packet(outcome: &Outcome) -> f64 {
    let traffic = &outcome.tally.traffic;
    let packets = (traffic.packets_out + traffic.packets_in) as f64;
    let spent = outcome.server.as_ref().map(|it| it.cpu_seconds);
    spent.map_or(f64::NAN, |seconds| 1e6 * seconds / packets)
}

/// What the relay and what is measured beside it are compared by.
fn figures(maple: &options::Maple, outcome: &Outcome) -> Vec<Figure> {
    let figure = |name, unit, value| Figure { name, unit, value };
    let mut figures = vec![
        figure(
            "processor time per packet",
            Unit::Micros,
            micros_per_packet(outcome),
        ),
        figure(
            "packets of one core",
            Unit::PerSecond,
            1e6 / micros_per_packet(outcome),
        ),
        packets_per_second(outcome),
    ];
    let names = if maple.talk.broadcast {
        ["delivery p50", "delivery p99", "delivery p99.9"]
    } else {
        ["added delay p50", "added delay p99", "added delay p99.9"]
    };
    figures.extend(rounds::percentiles(names, &outcome.tally.delay));
    figures.push(rounds::cores(outcome));
    figures.push(packets_lost(outcome));
    figures
}

/// Packets that came back, in each second.
pub(crate) fn packets_per_second(outcome: &Outcome) -> Figure {
    Figure {
        name: "packets received",
        unit: Unit::PerSecond,
        value: outcome.tally.traffic.packets_in as f64 / outcome.seconds,
    }
}

pub(crate) fn packets_lost(outcome: &Outcome) -> Figure {
    Figure {
        name: "packets lost",
        unit: Unit::Count,
        value: outcome.tally.lost() as f64,
    }
}

impl options::Maple {
    fn talk(&self, target: SocketAddr) -> Talk {
        Talk::new(
            target,
            &self.talk,
            self.rate,
            self.clients.users,
            self.clients.threads,
        )
    }
}

impl Talk {
    /// How long it takes until all are served.
    pub(crate) fn arrival(&self) -> Duration {
        GREETING * self.clients
    }
}
