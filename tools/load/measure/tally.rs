//! What one thread's clients saw.

use super::{Live, Times};
use crate::record::{Frames, Traffic, Users};
use std::{io, time::Duration};

/// Everything counted; only what was due within the run is.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    /// Answers that were due: frames, logins, lines.
    pub(crate) expected: u64,
    /// Answers that came.
    pub(crate) received: u64,
    pub(crate) users: Users,
    /// What only games count; its own expected, received and lost are not used.
    pub(crate) frames: Frames,
    pub(crate) traffic: Traffic,
    /// Inputs sent, and those that travelled as one byte.
    pub(crate) inputs: u64,
    pub(crate) cached: u64,
    /// Datagrams that are no load but noise beside it.
    pub(crate) noise: u64,
    /// Of those who make it, the ones that were sent away.
    pub(crate) noise_ended: u64,
    /// What the scenario measures.
    pub(crate) delay: Times,
    /// From when an input was due to when its frame came.
    pub(crate) round_trip: Times,
    /// From when a broadcast left to when the last client had it.
    pub(crate) to_all: Times,
    /// From when something was due to when it left, unless it had to wait for an answer.
    pub(crate) own_lag: Times,
    live: Live,
}

impl Tally {
    /// # Errors
    ///
    /// As for [`Times::new`].
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            expected: 0,
            received: 0,
            users: Users::default(),
            frames: Frames::default(),
            traffic: Traffic::default(),
            inputs: 0,
            cached: 0,
            noise: 0,
            noise_ended: 0,
            delay: Times::new()?,
            round_trip: Times::new()?,
            to_all: Times::new()?,
            own_lag: Times::new()?,
            live: Live::new()?,
        })
    }

    /// For whoever watches.
    pub(crate) fn live(&self) -> Live {
        self.live.clone()
    }

    /// Something came that is what the scenario measures.
    pub(crate) fn note(&mut self, delay: Duration) {
        self.delay.note(delay);
        self.live.delay(delay);
    }

    /// Messages are missing.
    pub(crate) fn miss(&mut self, messages: u64) {
        self.frames.gaps += messages;
        if messages > 0 {
            self.live.gaps(messages);
        }
    }

    pub(crate) fn count(&mut self, traffic: &Traffic) {
        self.traffic.add(traffic);
        self.live.traffic(traffic);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.expected += other.expected;
        self.received += other.received;
        self.users.asked += other.users.asked;
        self.users.absent += other.users.absent;
        self.users.dropped += other.users.dropped;
        self.frames.late += other.frames.late;
        self.frames.stalls += other.frames.stalls;
        self.frames.desyncs += other.frames.desyncs;
        self.frames.gaps += other.frames.gaps;
        self.frames.unequal += other.frames.unequal;
        self.frames.resends += other.frames.resends;
        self.traffic.add(&other.traffic);
        self.inputs += other.inputs;
        self.cached += other.cached;
        self.noise += other.noise;
        self.noise_ended += other.noise_ended;
        self.delay.add(&other.delay);
        self.round_trip.add(&other.round_trip);
        self.to_all.add(&other.to_all);
        self.own_lag.add(&other.own_lag);
    }

    /// Answers that never came.
    pub(crate) fn lost(&self) -> u64 {
        self.expected - self.received.min(self.expected)
    }

    /// Whether every answer came, in step, and nobody was dropped.
    pub(crate) fn is_clean(&self) -> bool {
        let bad = [
            self.lost(),
            self.frames.gaps,
            self.frames.unequal,
            self.frames.desyncs,
            self.users.absent,
            self.users.dropped,
        ];
        self.expected > 0 && bad.iter().all(|&count| count == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Interval;

    #[test]
    fn tallies_add_up() {
        let mut one = Tally::new().unwrap();
        one.expected = 10;
        one.received = 9;
        one.miss(1);
        one.note(Duration::from_micros(100));
        one.count(&Traffic {
            bytes_out: 7,
            ..Traffic::default()
        });
        let mut sum = Tally::new().unwrap();
        sum.add(&one);
        sum.add(&one);
        assert_eq!((sum.expected, sum.lost(), sum.frames.gaps), (20, 2, 2));
        assert_eq!(sum.traffic.bytes_out, 14);
        let median = sum.delay.delay().unwrap().p50;
        assert!((99.9..=100.1).contains(&median), "{median}");
        let mut interval = Interval::new().unwrap();
        one.live().swap(&mut interval);
        assert_eq!((interval.gaps, interval.traffic.bytes_out), (1, 7));
    }

    #[test]
    fn only_a_run_without_loss_is_clean() {
        let mut tally = Tally::new().unwrap();
        assert!(!tally.is_clean(), "nothing was measured");
        tally.expected = 2;
        tally.received = 2;
        tally.frames.stalls = 1;
        tally.frames.late = 1;
        assert!(tally.is_clean());
        tally.users.dropped = 1;
        assert!(!tally.is_clean());
        tally.users.dropped = 0;
        tally.received = 1;
        assert!(!tally.is_clean());
    }
}
