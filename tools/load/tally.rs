//! What one thread's players saw.

use hdrhistogram::{CreationError, Histogram};
use std::time::Duration;

/// Times, in nanoseconds, to three digits.
#[derive(Clone, Debug)]
pub(crate) struct Times(Histogram<u64>);

/// No time is noted as longer.
const LONGEST: u64 = 60_000_000_000;

impl Times {
    pub(crate) fn new() -> Result<Self, CreationError> {
        Histogram::new_with_bounds(1, LONGEST, 3).map(Self)
    }

    pub(crate) fn note(&mut self, time: Duration) {
        self.0.saturating_record(time.as_nanos() as u64);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        let added = self.0.add(&other.0);
        debug_assert!(added.is_ok(), "all have the same bounds");
    }

    pub(crate) fn at(&self, quantile: f64) -> Duration {
        Duration::from_nanos(self.0.value_at_quantile(quantile))
    }

    pub(crate) fn max(&self) -> Duration {
        Duration::from_nanos(self.0.max())
    }
}

/// Everything counted; only what was due within the run is.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    /// Frames that were due.
    pub(crate) expected: u64,
    /// Frames that came.
    pub(crate) received: u64,
    /// Of them, those that came too late.
    pub(crate) late: u64,
    /// Messages the server had numbered and that never came.
    pub(crate) gaps: u64,
    /// Frames that differ from what another player of the room got.
    pub(crate) unequal: u64,
    /// Lines that say somebody is out of sync.
    pub(crate) desyncs: u64,
    /// Users that were never let in or did not get to play.
    pub(crate) absent: u64,
    /// Users that were sent away.
    pub(crate) dropped: u64,
    pub(crate) datagrams_out: u64,
    pub(crate) datagrams_in: u64,
    /// From when an input was due to when its frame came.
    pub(crate) round_trip: Times,
    /// From when a frame's last input left to when it came.
    pub(crate) added: Times,
    /// From when an input was due to when it left, unless it had to wait for a frame.
    pub(crate) own_lag: Times,
}

impl Tally {
    pub(crate) fn new() -> Result<Self, CreationError> {
        Ok(Self {
            expected: 0,
            received: 0,
            late: 0,
            gaps: 0,
            unequal: 0,
            desyncs: 0,
            absent: 0,
            dropped: 0,
            datagrams_out: 0,
            datagrams_in: 0,
            round_trip: Times::new()?,
            added: Times::new()?,
            own_lag: Times::new()?,
        })
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.expected += other.expected;
        self.received += other.received;
        self.late += other.late;
        self.gaps += other.gaps;
        self.unequal += other.unequal;
        self.desyncs += other.desyncs;
        self.absent += other.absent;
        self.dropped += other.dropped;
        self.datagrams_out += other.datagrams_out;
        self.datagrams_in += other.datagrams_in;
        self.round_trip.add(&other.round_trip);
        self.added.add(&other.added);
        self.own_lag.add(&other.own_lag);
    }

    /// Frames that never came.
    pub(crate) fn lost(&self) -> u64 {
        self.expected - self.received.min(self.expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tallies_add_up() {
        let mut one = Tally::new().unwrap();
        one.expected = 10;
        one.received = 9;
        one.added.note(Duration::from_micros(100));
        let mut sum = Tally::new().unwrap();
        sum.add(&one);
        sum.add(&one);
        assert_eq!((sum.expected, sum.lost()), (20, 2));
        let median = sum.added.at(0.5).as_nanos();
        assert!((99_900..=100_100).contains(&median), "{median}");
        assert!(sum.added.max() >= Duration::from_nanos(99_900));
    }

    #[test]
    fn absurd_times_are_noted_as_long() {
        let mut times = Times::new().unwrap();
        times.note(Duration::from_secs(1 << 20));
        assert!(times.max() >= Duration::from_nanos(LONGEST));
    }
}
