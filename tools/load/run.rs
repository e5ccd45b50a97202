//! One run: everybody comes, takes part for a while, and goes.

use crate::{
    measure::{Live, Observed, Outcome, Tally},
    progress::Progress,
    watch::Watch,
};
use samara::{net::Clock, timer::Time};
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, ScopedJoinHandle},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Beyond the time the logins take; then it goes on without those who have not arrived.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How a run goes, whatever its clients do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// How long it takes until all have arrived if they all do.
    pub(crate) logins: Duration,
    /// From when all have arrived to when it begins to count.
    pub(crate) settle: Duration,
    pub(crate) duration: Duration,
    /// Whose processor time is looked at.
    pub(crate) server: Option<Observed>,
    /// Whether nobody wants to watch.
    pub(crate) quiet: bool,
    /// Which of several runs it is.
    pub(crate) step: Option<Step>,
}

/// One of several runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// From 1 on.
    pub(crate) number: u32,
    pub(crate) of: u32,
    /// What is measured in it.
    pub(crate) name: &'static str,
}

/// One thread's part in a run.
pub(crate) trait Part: Send {
    /// How many clients say to [`Signals::arrive`] that the run may begin.
    fn awaited(&self) -> usize;

    /// For whoever watches.
    fn live(&mut self) -> Live;

    /// Lets the clients do what they do until the run is over.
    ///
    /// # Errors
    ///
    /// When the system fails a socket.
    fn attend(self: Box<Self>, clock: Clock, signals: &Signals) -> io::Result<Tally>;
}

/// The threads whose clients are counted together.
pub(crate) type Side<'a> = Vec<Box<dyn Part + 'a>>;

/// What the threads of a run tell each other.
#[derive(Debug)]
pub(crate) struct Signals {
    arrived: AtomicU64,
    begin: AtomicU64,
    end: AtomicU64,
}

impl Signals {
    pub(crate) fn new() -> Self {
        Self {
            arrived: AtomicU64::new(0),
            begin: AtomicU64::new(u64::MAX),
            end: AtomicU64::new(u64::MAX),
        }
    }

    /// So many more clients are where the scenario wants them.
    pub(crate) fn arrive(&self, clients: usize) {
        self.arrived.fetch_add(clients as u64, Ordering::Relaxed);
    }

    pub(crate) fn arrived(&self) -> u64 {
        self.arrived.load(Ordering::Relaxed)
    }

    /// From when on things count; far away until that is known.
    pub(crate) fn begin(&self) -> Time {
        Time::from_nanos(self.begin.load(Ordering::Relaxed))
    }

    /// When nothing is due any more.
    pub(crate) fn end(&self) -> Time {
        Time::from_nanos(self.end.load(Ordering::Relaxed))
    }

    /// Whether what is due at `at` counts.
    pub(crate) fn counts(&self, at: Time) -> bool {
        self.begin() <= at && at < self.end()
    }

    pub(crate) fn set(&self, begin: Time, end: Time) {
        self.begin.store(begin.as_nanos(), Ordering::Relaxed);
        self.end.store(end.as_nanos(), Ordering::Relaxed);
    }
}

/// Lets all sides take part at the same time until it is up, or Ctrl-C; what each saw.
///
/// # Errors
///
/// When sockets, threads or the server's process are not to be had.
pub(crate) fn run<'a>(
    plan: &Plan,
    clock: Clock,
    signals: &Signals,
    mut sides: Vec<Side<'a>>,
) -> io::Result<Vec<Outcome>> {
    let stop = stop_at_signal()?;
    if let Some(server) = plan.server {
        server.look()?;
    }
    let awaited: usize = sides.iter().flatten().map(|it| it.awaited()).sum();
    let mut watches = Vec::new();
    for side in &mut sides {
        let lives = side.iter_mut().map(|part| part.live());
        watches.push(Watch::new(lives.collect(), plan.server)?);
    }
    thread::scope(|scope| {
        let start = |part: Box<dyn Part + 'a>| scope.spawn(move || part.attend(clock, signals));
        let threads: Vec<Vec<_>> = sides
            .into_iter()
            .map(|side| side.into_iter().map(start).collect())
            .collect();
        let failed = || threads.iter().flatten().any(ScopedJoinHandle::is_finished);
        let over = || stop.load(Ordering::Relaxed) || failed();
        let began = oversee(plan, clock, signals, &mut watches, awaited as u64, over);
        let mut outcomes = Vec::new();
        for (watch, threads) in watches.into_iter().zip(threads) {
            outcomes.push(Outcome {
                tally: sum(threads)?,
                began,
                seconds: signals.end().since(signals.begin()).as_secs_f64(),
                series: watch.series,
                server: watch.server,
                cut_short: stop.load(Ordering::Relaxed),
            });
        }
        Ok(outcomes)
    })
}

/// The first Ctrl-C, or SIGTERM, ends the run early, the second one ends the program.
fn stop_at_signal() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, 128 + signal, stop.clone())?;
        flag::register(signal, stop.clone())?;
    }
    Ok(stop)
}

/// Says when the run begins and ends, and looks at it; gives the seconds since 1970 at its
/// beginning.
fn oversee(
    plan: &Plan,
    clock: Clock,
    signals: &Signals,
    watches: &mut [Watch],
    awaited: u64,
    over: impl Fn() -> bool,
) -> u64 {
    let progress = Progress::new(plan.quiet, plan.step);
    let patience = clock.now() + plan.logins + PATIENCE;
    while !over() && signals.arrived() < awaited && clock.now() < patience {
        progress.arriving(signals.arrived(), awaited);
        thread::sleep(LOOK_EVERY);
    }
    let begin = clock.now() + plan.settle;
    signals.set(begin, begin + plan.duration);
    while !over() && clock.now() < begin {
        progress.settling();
        thread::sleep(LOOK_EVERY.min(begin.since(clock.now())));
    }
    let began = SystemTime::now().duration_since(UNIX_EPOCH);
    watches.iter_mut().for_each(|watch| watch.begin(begin));
    while !over() && clock.now() < signals.end() {
        let now = clock.now();
        if watches.iter().any(|watch| watch.is_due(now)) {
            watches.iter_mut().for_each(|watch| watch.sample(now));
        }
        progress.counting(now.since(begin), plan.duration, watches);
        thread::sleep(LOOK_EVERY.min(signals.end().since(now)));
    }
    if clock.now() < signals.end() {
        // A little later, so that nobody has counted beyond it.
        signals.set(begin, clock.now() + LOOK_EVERY);
    }
    watches
        .iter_mut()
        .for_each(|watch| watch.end(signals.end()));
    progress.finish();
    began.map_or(0, |it| it.as_secs())
}

/// What the threads of one side saw in all, once they are done.
fn sum(threads: Vec<ScopedJoinHandle<'_, io::Result<Tally>>>) -> io::Result<Tally> {
    let mut tally = Tally::new()?;
    for thread in threads {
        let part = thread.join();
        tally.add(&part.map_err(|_| io::Error::other("a thread failed"))??);
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_from_the_beginning_to_the_end() {
        let signals = Signals::new();
        assert!(!signals.counts(Time::from_millis(5)));
        signals.set(Time::from_millis(5), Time::from_millis(9));
        let counts = [4, 5, 8, 9].map(|millis| signals.counts(Time::from_millis(millis)));
        assert_eq!(counts, [false, true, true, false]);
    }
}
