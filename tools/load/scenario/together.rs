//! Players and Maple sessions at one port of one server: each alone, and both at once; and, to tell
//! what they owe to the machine, both at once at a server of their own each.

use super::{
    Report, Title, Venue,
    games::{DELAY, Lineup},
    parts,
};
use crate::{
    maple::{self, Talk},
    measure::{Answers, Observed, Outcome, Tally},
    options::{self, Asked},
    record::{Comparison, Distribution, Unit},
    rounds::{self, Figure, Rounds},
    run::Plan,
    server::ServerProcess,
};
use samara::server::Server;
use std::{io, net::SocketAddr, time::Duration};

/// From when all have arrived to when it begins to count.
const SETTLE: Duration = Duration::from_secs(1);

/// The setups, in the order of the first round; the last needs two servers of ours.
const SETUPS: [&str; 4] = ["kaillera alone", "maple alone", "together", "two servers"];
const KAILLERA: usize = 0;
const MAPLE: usize = 1;
const TOGETHER: usize = 2;
const APART: usize = 3;

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
    let names = SETUPS.get(..stage.setups()).unwrap_or_default();
    let rounds = rounds::take_turns(together.rounds, names, |setup, step| {
        let talk = Talk::new(
            stage.target_of_sessions(setup),
            &together.talk,
            together.rate,
            together.sessions,
            together.clients.threads,
        );
        let plan = Plan {
            logins: lineup.logins() + talk.arrival(),
            settle: SETTLE,
            duration: together.clients.duration,
            server: stage.observed(setup),
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
    /// A server's that is not ours.
    observed: Option<Observed>,
    /// Ours, and another one like it.
    processes: Option<[ServerProcess; 2]>,
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
                processes: None,
                _world: world,
            });
        }
        let toml = configuration(together, maple::first(world.addresses())?);
        let program = together.server.as_deref();
        let start = || ServerProcess::start(program, together.loops, &toml);
        let processes = [start()?, start()?];
        let [first, _] = &processes;
        Ok(Self {
            target: first.address,
            observed: None,
            processes: Some(processes),
            _world: world,
        })
    }

    fn setups(&self) -> usize {
        match self.processes {
            Some(_) => SETUPS.len(),
            None => APART,
        }
    }

    fn target_of_sessions(&self, setup: usize) -> SocketAddr {
        match &self.processes {
            Some([_, second]) if setup == APART => second.address,
            _ => self.target,
        }
    }

    /// Whom to look at, where the system tells of anybody.
    fn observed(&self, setup: usize) -> Option<Observed> {
        let Some([first, second]) = &self.processes else {
            return self.observed;
        };
        let observed = match setup {
            APART => Observed::Processes(first.pid(), second.pid()),
            _ => Observed::Process(first.pid()),
        };
        observed.look().is_ok().then_some(observed)
    }

    fn check(&mut self) -> io::Result<()> {
        let mut processes = self.processes.iter_mut().flatten();
        processes.try_for_each(ServerProcess::check)
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
    let sides = Sides::new(rounds)?;
    let players = of_all(&sides.players)?;
    let sessions = of_all(&sides.sessions)?;
    let mut all = Outcome::pooled((0..SETUPS.len()).flat_map(|setup| rounds.of(setup, 0)))?;
    all.tally = joined(&players, &sessions);
    let title = Title {
        scenario: "together",
        delay: DELAY,
        answers: Answers::Frames,
    };
    let limits = together.limits.stated(together.play.max_late);
    let mut report = title.report(asked, limits, &all);
    // What a limit holds for: the players' time together, and the losses of all.
    let mut limited = all.tally;
    limited.delay = sides.together()?.tally.delay.clone();
    limited.received -= sessions.lost().min(limited.received);
    report.held = limits.hold(&limited) && sessions.expected > 0;
    let record = &mut report.record;
    record.limits = limits.check(&limited);
    record.series.clone_from(&rounds.series);
    let lateness = [
        ("own lateness, kaillera", &players.own_lag),
        ("own lateness, maple", &sessions.own_lag),
    ];
    let lateness = lateness.map(|(name, times)| times.distribution(name));
    record.times = sides.delays();
    record.times.extend(lateness.into_iter().flatten());
    for (name, count) in [
        ("packets due", sessions.expected),
        ("packets done", sessions.received),
        ("packets lost", sessions.lost()),
    ] {
        record.extra.insert(name.to_owned(), count as f64);
    }
    record.comparisons = comparisons(rounds);
    Ok(report)
}

/// What became of the players and of the sessions in all rounds, by setup: alone, together, and
/// at a server each if that was measured.
struct Sides {
    players: Vec<Outcome>,
    sessions: Vec<Outcome>,
}

impl Sides {
    fn new(rounds: &Rounds) -> io::Result<Self> {
        let pooled = |places: [(usize, usize); 3]| {
            let places = places.into_iter();
            let measured = places.filter(|&(setup, side)| rounds.of(setup, side).next().is_some());
            let pooled = measured.map(|(setup, side)| Outcome::pooled(rounds.of(setup, side)));
            pooled.collect::<io::Result<Vec<_>>>()
        };
        Ok(Self {
            players: pooled([(KAILLERA, 0), (TOGETHER, 0), (APART, 0)])?,
            sessions: pooled([(MAPLE, 0), (TOGETHER, 1), (APART, 1)])?,
        })
    }

    /// What became of the players while both were there.
    fn together(&self) -> io::Result<&Outcome> {
        let outcome = self.players.get(1);
        outcome.ok_or_else(|| io::Error::other("nothing was measured together"))
    }

    fn delays(&self) -> Vec<Distribution> {
        let mut all = Vec::new();
        for (who, outcomes) in [("kaillera", &self.players), ("maple", &self.sessions)] {
            for (setup, outcome) in ["alone", "together", "two servers"].iter().zip(outcomes) {
                let name = format!("added delay, {who} {setup}");
                all.extend(outcome.tally.delay.distribution(&name));
            }
        }
        all
    }
}

fn of_all(outcomes: &[Outcome]) -> io::Result<Tally> {
    Ok(Outcome::pooled(outcomes.iter())?.tally)
}

/// The players' tally, with everybody's traffic and users.
fn joined(players: &Tally, sessions: &Tally) -> Tally {
    let mut all = players.clone();
    all.traffic.add(&sessions.traffic);
    all.users.asked += sessions.users.asked;
    all.users.absent += sessions.users.absent;
    all.users.dropped += sessions.users.dropped;
    all
}

/// What the others beside them are to the players, to the sessions and to the server, and then
/// what is left of that if all that they share is the machine.
fn comparisons(rounds: &Rounds) -> Vec<Comparison> {
    let each = |setup, side, figures: fn(&Outcome) -> Vec<Figure>| -> Vec<Vec<Figure>> {
        rounds.of(setup, side).map(figures).collect()
    };
    let cores: fn(&Outcome) -> Vec<Figure> = |outcome| vec![rounds::cores(outcome)];
    let mut sums = each(KAILLERA, 0, cores);
    let sessions = each(MAPLE, 0, cores);
    for (sum, more) in sums.iter_mut().flatten().zip(sessions.iter().flatten()) {
        sum.value += more.value;
    }
    let players = each(TOGETHER, 0, of_games);
    let sessions = each(TOGETHER, 1, of_streams);
    let server = each(TOGETHER, 0, cores);
    let alone = "alone";
    let mut all = vec![
        (["kaillera", alone], each(KAILLERA, 0, of_games), &players),
        (["maple", alone], each(MAPLE, 0, of_streams), &sessions),
        (["processor", "sum of both alone"], sums, &server),
    ];
    if rounds.of(APART, 0).next().is_some() {
        let apart = "two servers";
        all.extend([
            (
                ["kaillera apart", apart],
                each(APART, 0, of_games),
                &players,
            ),
            (
                ["maple apart", apart],
                each(APART, 1, of_streams),
                &sessions,
            ),
            (["processor apart", apart], each(APART, 0, cores), &server),
        ]);
    }
    let compared = all.into_iter().map(|([name, base], bases, others)| {
        rounds::compare([name, base, "together"], &bases, others)
    });
    compared.collect()
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
