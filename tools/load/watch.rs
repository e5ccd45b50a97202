//! Looks at a run while it goes: what its clients see, and what the server takes.

use crate::{
    measure::{Interval, Live, Observed, Usage},
    record::{Process, Sample},
};
use samara::timer::Time;
use std::{io, time::Duration};

const SAMPLE_EVERY: Duration = Duration::from_secs(1);
/// A shorter rest of a run is no interval of its own.
const SHORTEST_SAMPLE: Duration = Duration::from_millis(300);

/// Looks at one side of a run once in a second.
pub(crate) struct Watch {
    lives: Vec<Live>,
    observed: Option<Observed>,
    begin: Time,
    /// When the current interval began, and what the server had used by then.
    since: Time,
    before: Option<Usage>,
    first: Option<Usage>,
    /// What all threads saw in the last interval, and the way it is collected.
    interval: Interval,
    spare: Interval,
    pub(crate) missing: u64,
    pub(crate) series: Vec<Sample>,
    pub(crate) server: Option<Process>,
}

impl Watch {
    pub(crate) fn new(lives: Vec<Live>, observed: Option<Observed>) -> io::Result<Self> {
        Ok(Self {
            lives,
            observed,
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

    pub(crate) fn begin(&mut self, begin: Time) {
        self.begin = begin;
        self.since = begin;
        self.first = self.look();
        self.before = self.first;
    }

    pub(crate) fn is_due(&self, now: Time) -> bool {
        now.since(self.since) >= SAMPLE_EVERY
    }

    pub(crate) fn end(&mut self, now: Time) {
        if now.since(self.since) >= SHORTEST_SAMPLE || self.series.is_empty() {
            self.sample(now);
        }
    }

    pub(crate) fn sample(&mut self, now: Time) {
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
            resident: usage.and_then(|it| it.resident),
            ..Sample::default()
        });
        self.note_server(usage);
        self.since = now;
        self.before = usage.or(self.before);
    }

    fn look(&self) -> Option<Usage> {
        self.observed.and_then(|it| it.look().ok())
    }

    fn note_server(&mut self, usage: Option<Usage>) {
        let Some((first, last)) = self.first.zip(usage) else {
            return;
        };
        let resident = last.resident.unwrap_or(0);
        let peak = match &self.server {
            Some(server) => server.resident_peak,
            None => first.resident.unwrap_or(0),
        };
        self.server = Some(Process {
            cpu_seconds: last.cpu.saturating_sub(first.cpu).as_secs_f64(),
            sleeps: last.slept.saturating_sub(first.slept),
            interruptions: last.interrupted.saturating_sub(first.interrupted),
            resident,
            resident_peak: peak.max(resident),
            threads: last.threads,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Traffic;
    use std::time::Duration;

    #[test]
    fn samples_are_rates_of_all_threads() {
        let lives = vec![Live::new().unwrap(), Live::new().unwrap()];
        let mut watch =
            Watch::new(lives.clone(), Some(Observed::Process(std::process::id()))).unwrap();
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
