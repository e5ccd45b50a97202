//! One run: everybody comes, plays for a while, and goes.

use crate::{
    options::Load,
    process::{self, Usage},
    swarm::Swarm,
    tally::Tally,
};
use samara::{net::Clock, timer::Time};
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

/// From when all play to when it begins to count.
const SETTLE: Duration = Duration::from_secs(2);
/// Beyond the time the logins take; then it goes on without those who do not play.
const LOGIN_PATIENCE: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What the threads of a run tell each other.
#[derive(Debug)]
pub(crate) struct Signals {
    playing: AtomicU32,
    begin: AtomicU64,
    end: AtomicU64,
}

impl Signals {
    pub(crate) fn new() -> Self {
        Self {
            playing: AtomicU32::new(0),
            begin: AtomicU64::new(u64::MAX),
            end: AtomicU64::new(u64::MAX),
        }
    }

    /// So many more users play.
    pub(crate) fn play(&self, users: u32) {
        self.playing.fetch_add(users, Ordering::Relaxed);
    }

    /// From when on inputs count; far away until that is known.
    pub(crate) fn begin(&self) -> Time {
        Time::from_nanos(self.begin.load(Ordering::Relaxed))
    }

    /// When the last inputs are due.
    pub(crate) fn end(&self) -> Time {
        Time::from_nanos(self.end.load(Ordering::Relaxed))
    }

    /// Whether what is due at `at` counts.
    pub(crate) fn counts(&self, at: Time) -> bool {
        self.begin() <= at && at < self.end()
    }

    fn set(&self, begin: Time, end: Time) {
        self.begin.store(begin.as_nanos(), Ordering::Relaxed);
        self.end.store(end.as_nanos(), Ordering::Relaxed);
    }
}

/// What became of a run.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) load: Load,
    pub(crate) tally: Tally,
    pub(crate) played: Duration,
    pub(crate) before: Option<Usage>,
    pub(crate) after: Option<Usage>,
}

impl Outcome {
    /// Whether every frame came, in step, and nobody was dropped.
    pub(crate) fn is_clean(&self) -> bool {
        let tally = &self.tally;
        let bad = [
            tally.lost(),
            tally.gaps,
            tally.unequal,
            tally.desyncs,
            tally.absent,
            tally.dropped,
        ];
        tally.expected > 0 && bad.iter().all(|&count| count == 0)
    }
}

/// Runs `load` until its time is up, or Ctrl-C.
///
/// # Errors
///
/// When sockets, threads or the server's process are not to be had.
pub(crate) fn run(load: &Load) -> io::Result<Outcome> {
    let stop = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGINT, stop.clone())?;
    if let Some(pid) = load.pid {
        process::look(pid)?;
    }
    let clock = Clock::start();
    let signals = Signals::new();
    let swarms: io::Result<Vec<_>> = (0..load.threads)
        .map(|first| Swarm::new(load, first, clock, &signals))
        .collect();
    let swarms = swarms?;
    thread::scope(|scope| {
        let threads: Vec<_> = swarms
            .into_iter()
            .map(|swarm| scope.spawn(|| swarm.run()))
            .collect();
        let failed = || threads.iter().any(thread::ScopedJoinHandle::is_finished);
        let over = || stop.load(Ordering::Relaxed) || failed();

        let logins = Duration::from_secs(load.seated().into()) / load.login_rate;
        let patience = clock.now() + logins + LOGIN_PATIENCE;
        let all = || signals.playing.load(Ordering::Relaxed) == load.seated();
        wait(|| all() || over() || clock.now() >= patience);

        let begin = clock.now() + SETTLE;
        signals.set(begin, begin + load.duration);
        wait(|| over() || clock.now() >= begin);
        let before = load.pid.and_then(|pid| process::look(pid).ok());
        wait(|| over() || clock.now() >= signals.end());
        let after = load.pid.and_then(|pid| process::look(pid).ok());
        if clock.now() < signals.end() {
            // A little later, so that nobody has counted beyond it.
            signals.set(begin, clock.now() + LOOK_EVERY);
        }
        let played = signals.end().since(begin);

        let mut tally = Tally::new().map_err(io::Error::other)?;
        for thread in threads {
            let part = thread
                .join()
                .map_err(|_| io::Error::other("a thread failed"))??;
            tally.add(&part);
        }
        Ok(Outcome {
            load: load.clone(),
            tally,
            played,
            before,
            after,
        })
    })
}

fn wait(done: impl Fn() -> bool) {
    while !done() {
        thread::sleep(LOOK_EVERY);
    }
}
