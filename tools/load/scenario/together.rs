//! Players and Maple sessions at one port of one server: each alone, and both at once.

use super::{
    Report, Title, Venue,
    games::{DELAY, Lineup},
    parts,
};
use crate::{
    maple::{self, Talk},
    measure::{Answers, Observed, Outcome, Tally},
    options::{self, Asked},
    record::{Comparison, Unit},
    rounds::{self, Figure, Rounds},
    run::Plan,
    server::ServerProcess,
};
use samara::server::Server;
use std::{io, net::SocketAddr, time::Duration};

/// From when all have arrived to when it begins to count.
const SETTLE: Duration = Duration::from_secs(1);

/// The setups, in the order of the first round.
const SETUPS: [&str; 3] = ["kaillera alone", "maple alone", "together"];
const KAILLERA: usize = 0;
const MAPLE: usize = 1;
const TOGETHER: usize = 2;

pub(super) fn run(asked: &Asked, together: &options::Together) -> io::Result<Report> {
    let mut stage = Stage::start(together)?;
    let lineup = Lineup {
        target: stage.target,
        users: together.clients.users,
        players: together.play.players,
        conn: together.play.conn,
        inputs: asked.inputs.clone(),
        seed: together.clients.seed,
        threads: together.clients.threads,
        login_rate: together.logins.login_rate,
    };
    let talk = Talk::new(
        stage.target,
        &together.talk,
        together.rate,
        together.sessions,
        together.clients.threads,
    );
    let rounds = rounds::take_turns(together.rounds, &SETUPS, |setup, step| {
        let plan = Plan {
            logins: lineup.logins() + talk.arrival(),
            settle: SETTLE,
            duration: together.clients.duration,
            server: stage.observed,
            quiet: together.output.quiet,
            step: Some(step),
        };
        let outcomes = measure(setup, &plan, &lineup, &talk);
        stage.check().and(outcomes)
    })?;
    report(asked, together, &rounds)
}

/// One setup: the players' outcome, the sessions', or both in this order.
fn measure(setup: usize, plan: &Plan, lineup: &Lineup, talk: &Talk) -> io::Result<Vec<Outcome>> {
    let venue = Venue::new();
    let shared = talk.shared();
    let mut sides = Vec::new();
    if setup != MAPLE {
        sides.push(parts(lineup.parties(venue.clock, &venue.signals)?));
    }
    if setup != KAILLERA {
        sides.push(talk.side(&shared)?);
    }
    let mut outcomes = venue.run_sides(plan, sides)?;
    if let Some(sessions) = outcomes.last_mut().filter(|_| setup != KAILLERA) {
        for sample in &mut sessions.series {
            sample.stream_delay = sample.delay.take();
        }
    }
    Ok(outcomes)
}

/// The server, and the world that its gateway leads to.
struct Stage {
    target: SocketAddr,
    observed: Option<Observed>,
    process: Option<ServerProcess>,
    _world: Server,
}

impl Stage {
    fn start(together: &options::Together) -> io::Result<Self> {
        let mut config = maple::config(places(together));
        if let Some(world) = together.world {
            config.net.set_bind([world.ip()]);
            config.net.port = world.port();
        }
        let world = maple::start_world(&config)?;
        if let Some(target) = together.target {
            return Ok(Self {
                target,
                observed: together.observed(),
                process: None,
                _world: world,
            });
        }
        let toml = configuration(together, maple::first(world.addresses())?);
        let process = ServerProcess::start(together.server.as_deref(), together.loops, &toml)?;
        let observed = Observed::Process(process.pid());
        Ok(Self {
            target: process.address,
            observed: observed.look().is_ok().then_some(observed),
            process: Some(process),
            _world: world,
        })
    }

    fn check(&mut self) -> io::Result<()> {
        self.process.as_mut().map_or(Ok(()), ServerProcess::check)
    }
}

/// Connections there may be: those of a run may come before those of the last have been seen to
/// leave.
fn places(together: &options::Together) -> u32 {
    2 * together.sessions + 64
}

/// What our own server is told: where the world is, and that one address is many users.
fn configuration(together: &options::Together, world: SocketAddr) -> String {
    let places = places(together);
    let users = (2 * together.clients.users).max(1024);
    format!(
        "[limits]\nsessions = {users}\n\n[tcp]\nconnections = {places}\n\
         connections_per_address = {places}\nsniff_delay_ms = 10\n\n\
         [gateway]\nlogin = \"{world}\"\nundecided_per_address = {places}\n"
    )
}

fn report(asked: &Asked, together: &options::Together, rounds: &Rounds) -> io::Result<Report> {
    let pooled = |setup, side| Outcome::pooled(rounds.of(setup, side));
    let [players_alone, players] = [pooled(KAILLERA, 0)?, pooled(TOGETHER, 0)?];
    let [sessions_alone, sessions] = [pooled(MAPLE, 0)?, pooled(TOGETHER, 1)?];
    let mut of_players = players_alone.tally.clone();
    of_players.add(&players.tally);
    let mut of_sessions = sessions_alone.tally.clone();
    of_sessions.add(&sessions.tally);

    let mut all = Outcome::pooled((0..SETUPS.len()).flat_map(|setup| rounds.of(setup, 0)))?;
    all.tally = joined(&of_players, &of_sessions, [&players, &sessions]);
    let title = Title {
        scenario: "together",
        delay: DELAY,
        answers: Answers::Frames,
    };
    let limits = together.limits.stated(together.play.max_late);
    let mut report = title.report(asked, limits, &all);
    // What a limit holds for: the players' time together, and the losses of all.
    let mut limited = all.tally.clone();
    limited.delay = players.tally.delay.clone();
    limited.received -= of_sessions.lost().min(limited.received);
    report.held = limits.hold(&limited) && of_sessions.expected > 0;
    let record = &mut report.record;
    record.limits = limits.check(&limited);
    record.series.clone_from(&rounds.series);
    let times = [
        ("added delay, kaillera alone", &players_alone.tally.delay),
        ("added delay, kaillera together", &players.tally.delay),
        ("added delay, maple alone", &sessions_alone.tally.delay),
        ("added delay, maple together", &sessions.tally.delay),
        ("own lateness, kaillera", &of_players.own_lag),
        ("own lateness, maple", &of_sessions.own_lag),
    ];
    let times = times.map(|(name, times)| times.distribution(name));
    record.times = times.into_iter().flatten().collect();
    for (name, count) in [
        ("packets due", of_sessions.expected),
        ("packets done", of_sessions.received),
        ("packets lost", of_sessions.lost()),
    ] {
        record.extra.insert(name.to_owned(), count as f64);
    }
    record.comparisons = comparisons(rounds);
    Ok(report)
}

/// The players' tally, with everybody's traffic; `last` are the runs of both.
fn joined(of_players: &Tally, of_sessions: &Tally, last: [&Outcome; 2]) -> Tally {
    let mut all = of_players.clone();
    all.traffic.add(&of_sessions.traffic);
    all.users.asked = last.iter().map(|it| it.tally.users.asked).sum();
    all.users.absent += of_sessions.users.absent;
    all.users.dropped += of_sessions.users.dropped;
    all
}

/// What the others beside them are to the players, to the sessions and to the server.
fn comparisons(rounds: &Rounds) -> Vec<Comparison> {
    let each = |setup, side, figures: fn(&Outcome) -> Vec<Figure>| -> Vec<Vec<Figure>> {
        rounds.of(setup, side).map(figures).collect()
    };
    let cores = |outcome: &Outcome| vec![rounds::cores(outcome)];
    let alone = [each(KAILLERA, 0, cores), each(MAPLE, 0, cores)];
    let [mut sums, sessions] = alone;
    for (sum, more) in sums.iter_mut().flatten().zip(sessions.iter().flatten()) {
        sum.value += more.value;
    }
    vec![
        rounds::compare(
            ["kaillera", "alone", "together"],
            &each(KAILLERA, 0, of_games),
            &each(TOGETHER, 0, of_games),
        ),
        rounds::compare(
            ["maple", "alone", "together"],
            &each(MAPLE, 0, of_streams),
            &each(TOGETHER, 1, of_streams),
        ),
        rounds::compare(
            ["processor", "sum of both alone", "together"],
            &sums,
            &each(TOGETHER, 0, cores),
        ),
    ]
}

fn of_games(outcome: &Outcome) -> Vec<Figure> {
    let figure = |name, unit, value| Figure { name, unit, value };
    let tally = &outcome.tally;
    let names = ["added delay p50", "added delay p99", "added delay p99.9"];
    let mut figures = rounds::percentiles(names, &tally.delay).to_vec();
    let frames = tally.received as f64 / outcome.seconds;
    let late = tally.frames.late as f64 / tally.expected as f64;
    figures.push(figure("frames received", Unit::PerSecond, frames));
    figures.push(figure("frames late", Unit::Share, late));
    figures.push(figure("frames lost", Unit::Count, tally.lost() as f64));
    figures.push(rounds::cores(outcome));
    figures
}

fn of_streams(outcome: &Outcome) -> Vec<Figure> {
    let names = ["added delay p50", "added delay p99", "added delay p99.9"];
    let mut figures = rounds::percentiles(names, &outcome.tally.delay).to_vec();
    figures.push(maple::packets_per_second(outcome));
    figures.push(maple::packets_lost(outcome));
    figures.push(rounds::cores(outcome));
    figures
}
