//! One run: everybody comes, takes part for a while, and goes.

use crate::{
    crowd::Party,
    measure::{self, Interval, Live, Outcome, Tally, Usage},
    progress::Progress,
    record::{Process, Sample},
};
use samara::{net::Clock, timer::Time};
use signal_hook::{consts::SIGINT, flag};
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Beyond the time the logins take; then it goes on without those who have not arrived.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(20);
const SAMPLE_EVERY: Duration = Duration::from_secs(1);
/// A shorter rest of a run is no interval of its own.
const SHORTEST_SAMPLE: Duration = Duration::from_millis(300);

/// How a run goes, whatever its clients do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// How long it takes until all have arrived if they all do.
    pub(crate) logins: Duration,
    /// From when all have arrived to when it begins to count.
    pub(crate) settle: Duration,
    pub(crate) duration: Duration,
    /// The server's process.
    pub(crate) pid: Option<u32>,
    /// Whether nobody wants to watch.
    pub(crate) quiet: bool,
}

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

/// Lets the parties take part until the time is up, or Ctrl-C.
///
/// # Errors
///
/// When sockets, threads or the server's process are not to be had.
pub(crate) fn run(
    plan: &Plan,
    clock: Clock,
    signals: &Signals,
    mut parties: Vec<Party<'_>>,
) -> io::Result<Outcome> {
    let stop = Arc::new(AtomicBool::new(false));
    // The first Ctrl-C ends the run early, the second one ends the program.
    flag::register_conditional_shutdown(SIGINT, 128 + SIGINT, stop.clone())?;
    flag::register(SIGINT, stop.clone())?;
    if let Some(pid) = plan.pid {
        measure::look(pid)?;
    }
    let awaited: usize = parties.iter().map(|it| it.crowd.awaited()).sum();
    let lives = parties.iter_mut().map(|it| it.crowd.tally().live());
    let mut watch = Watch::new(lives.collect(), plan.pid)?;
    let progress = Progress::new(plan.quiet);
    thread::scope(|scope| {
        let threads: Vec<_> = parties
            .into_iter()
            .map(|party| scope.spawn(move || party.attend(clock, signals)))
            .collect();
        let failed = || threads.iter().any(thread::ScopedJoinHandle::is_finished);
        let over = || stop.load(Ordering::Relaxed) || failed();

        let patience = clock.now() + plan.logins + PATIENCE;
        while !over() && signals.arrived() < awaited as u64 && clock.now() < patience {
            progress.arriving(signals.arrived(), awaited as u64);
            thread::sleep(LOOK_EVERY);
        }
        let begin = clock.now() + plan.settle;
        signals.set(begin, begin + plan.duration);
        while !over() && clock.now() < begin {
            progress.settling();
            thread::sleep(LOOK_EVERY.min(begin.since(clock.now())));
        }
        let began = SystemTime::now().duration_since(UNIX_EPOCH);
        watch.begin(begin);
        while !over() && clock.now() < signals.end() {
            let now = clock.now();
            if watch.is_due(now) {
                watch.sample(now);
            }
            progress.counting(now.since(begin), plan.duration, &watch);
            thread::sleep(LOOK_EVERY.min(signals.end().since(now)));
        }
        if clock.now() < signals.end() {
            // A little later, so that nobody has counted beyond it.
            signals.set(begin, clock.now() + LOOK_EVERY);
        }
        watch.end(signals.end());
        progress.finish();

        let mut tally = Tally::new()?;
        for thread in threads {
            let part = thread
                .join()
                .map_err(|_| io::Error::other("a thread failed"))??;
            tally.add(&part);
        }
        let Watch { series, server, .. } = watch;
        Ok(Outcome {
            tally,
            began: began.map_or(0, |it| it.as_secs()),
            seconds: signals.end().since(begin).as_secs_f64(),
            series,
            server,
        })
    })
}

/// Looks at a run once in a second.
pub(crate) struct Watch {
    lives: Vec<Live>,
    pid: Option<u32>,
    begin: Time,
    /// When the current interval began, and what the server had used by then.
    since: Time,
    before: Option<Usage>,
    first: Option<Usage>,
    /// What all threads saw in the last interval, and the way it is collected.
    interval: Interval,
    spare: Interval,
    pub(crate) missing: u64,
    series: Vec<Sample>,
    server: Option<Process>,
}

impl Watch {
    fn new(lives: Vec<Live>, pid: Option<u32>) -> io::Result<Self> {
        Ok(Self {
            lives,
            pid,
            begin: Time::ZERO,
            since: Time::ZERO,
            before: None,
            first: None,
            interval: Interval::new()?,
            spare: Interval::new()?,
            missing: 0,
            series: Vec::new(),
            server: None,
        })
    }

    /// The last sample.
    pub(crate) fn last(&self) -> Option<&Sample> {
        self.series.last()
    }

    fn begin(&mut self, begin: Time) {
        self.begin = begin;
        self.since = begin;
        self.first = self.look();
        self.before = self.first;
    }

    fn is_due(&self, now: Time) -> bool {
        now.since(self.since) >= SAMPLE_EVERY
    }

    fn end(&mut self, now: Time) {
        if now.since(self.since) >= SHORTEST_SAMPLE || self.series.is_empty() {
            self.sample(now);
        }
    }

    fn sample(&mut self, now: Time) {
        let seconds = now.since(self.since).as_secs_f64().max(f64::MIN_POSITIVE);
        self.interval.clear();
        for live in &self.lives {
            self.spare.clear();
            live.swap(&mut self.spare);
            self.interval.add(&self.spare);
        }
        let Interval {
            delay,
            traffic,
            gaps,
        } = &self.interval;
        self.missing += gaps;
        let usage = self.look();
        let cpu = usage.zip(self.before).map(|(now, before)| {
            let spent = now.cpu.saturating_sub(before.cpu);
            spent.as_secs_f64() / seconds
        });
        self.series.push(Sample {
            at: now.since(self.begin).as_secs_f64(),
            delay: delay.delay(),
            packets_out: traffic.packets_out as f64 / seconds,
            packets_in: traffic.packets_in as f64 / seconds,
            cpu,
            resident: usage.map(|it| it.resident),
        });
        self.note_server(usage);
        self.since = now;
        self.before = usage.or(self.before);
    }

    fn look(&self) -> Option<Usage> {
        self.pid.and_then(|pid| measure::look(pid).ok())
    }

    fn note_server(&mut self, usage: Option<Usage>) {
        let Some((first, last)) = self.first.zip(usage) else {
            return;
        };
        let peak = self
            .server
            .as_ref()
            .map_or(first.resident, |it| it.resident_peak);
        self.server = Some(Process {
            cpu_seconds: last.cpu.saturating_sub(first.cpu).as_secs_f64(),
            sleeps: last.slept.saturating_sub(first.slept),
            interruptions: last.interrupted.saturating_sub(first.interrupted),
            resident: last.resident,
            resident_peak: peak.max(last.resident),
            threads: last.threads,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Traffic;

    #[test]
    fn counts_from_the_beginning_to_the_end() {
        let signals = Signals::new();
        assert!(!signals.counts(Time::from_millis(5)));
        signals.set(Time::from_millis(5), Time::from_millis(9));
        let counts = [4, 5, 8, 9].map(|millis| signals.counts(Time::from_millis(millis)));
        assert_eq!(counts, [false, true, true, false]);
    }

    #[test]
    fn samples_are_rates_of_all_threads() {
        let lives = vec![Live::new().unwrap(), Live::new().unwrap()];
        let mut watch = Watch::new(lives.clone(), Some(std::process::id())).unwrap();
        watch.begin(Time::from_millis(1_000));
        assert!(!watch.is_due(Time::from_millis(1_999)));
        assert!(watch.is_due(Time::from_millis(2_000)));
        for (live, micros) in lives.iter().zip([100, 300]) {
            live.delay(Duration::from_micros(micros));
            live.gaps(1);
            live.traffic(&Traffic {
                packets_out: 10,
                packets_in: 30,
                ..Traffic::default()
            });
        }
        watch.sample(Time::from_millis(3_000));
        watch.sample(Time::from_millis(4_000));
        let [first, second] = watch.series.as_slice() else {
            panic!("{:?}", watch.series);
        };
        assert_eq!((first.at, second.at), (2.0, 3.0));
        assert_eq!((first.packets_out, first.packets_in), (10.0, 30.0));
        let delay = first.delay.unwrap();
        assert!((99.0..101.0).contains(&delay.p50), "{delay:?}");
        assert!((297.0..303.0).contains(&delay.max), "{delay:?}");
        assert_eq!((second.delay, second.packets_in), (None, 0.0));
        assert_eq!(watch.missing, 2);
        if cfg!(target_os = "linux") {
            assert!(second.resident.unwrap() > 1 << 16);
            let server = watch.server.unwrap();
            assert!(server.resident_peak >= server.resident);
        }
    }

    #[test]
    fn a_short_rest_is_no_sample() {
        let mut watch = Watch::new(Vec::new(), None).unwrap();
        watch.begin(Time::ZERO);
        watch.end(Time::from_millis(200));
        assert_eq!(watch.series.len(), 1, "but one there is always");
        watch.end(Time::from_millis(400));
        assert_eq!(watch.series.len(), 1);
        watch.end(Time::from_millis(600));
        assert_eq!(watch.series.len(), 2);
    }
}
