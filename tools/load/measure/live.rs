//! What one thread saw in the current interval, for whoever watches the run.

use super::Times;
use crate::record::Traffic;
use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// What was seen in one interval.
#[derive(Clone, Debug)]
pub(crate) struct Interval {
    /// What the scenario measures.
    pub(crate) delay: Times,
    pub(crate) traffic: Traffic,
    /// Messages found missing.
    pub(crate) gaps: u64,
}

/// One thread's interval; clones are the same.
#[derive(Clone, Debug)]
pub(crate) struct Live(Arc<Mutex<Interval>>);

impl Interval {
    /// An interval in which nothing happened.
    ///
    /// # Errors
    ///
    /// As for [`Times::new`].
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            delay: Times::coarse()?,
            traffic: Traffic::default(),
            gaps: 0,
        })
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.delay.add(&other.delay);
        self.traffic.add(&other.traffic);
        self.gaps += other.gaps;
    }

    pub(crate) fn clear(&mut self) {
        self.delay.clear();
        self.traffic = Traffic::default();
        self.gaps = 0;
    }
}

impl Traffic {
    pub(crate) fn add(&mut self, other: &Self) {
        self.packets_out += other.packets_out;
        self.packets_in += other.packets_in;
        self.bytes_out += other.bytes_out;
        self.bytes_in += other.bytes_in;
    }
}

impl Live {
    /// # Errors
    ///
    /// As for [`Times::new`].
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(Arc::new(Mutex::new(Interval::new()?))))
    }

    pub(crate) fn delay(&self, time: Duration) {
        self.interval().delay.note(time);
    }

    pub(crate) fn traffic(&self, traffic: &Traffic) {
        self.interval().traffic.add(traffic);
    }

    pub(crate) fn gaps(&self, gaps: u64) {
        self.interval().gaps += gaps;
    }

    /// Begins the next interval in `spare`, which is empty, and leaves the last one there. The
    /// thread never waits longer than that exchange takes.
    pub(crate) fn swap(&self, spare: &mut Interval) {
        std::mem::swap(&mut *self.interval(), spare);
    }

    fn interval(&self) -> MutexGuard<'_, Interval> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_ends_when_it_is_taken() {
        let live = Live::new().unwrap();
        live.delay(Duration::from_micros(300));
        live.traffic(&Traffic {
            packets_in: 2,
            ..Traffic::default()
        });
        let mut spare = Interval::new().unwrap();
        live.swap(&mut spare);
        live.gaps(7);
        assert_eq!((spare.traffic.packets_in, spare.gaps), (2, 0));
        assert!(spare.delay.delay().is_some());
        let mut sum = Interval::new().unwrap();
        sum.add(&spare);
        sum.add(&spare);
        assert_eq!(sum.traffic.packets_in, 4);
        spare.clear();
        live.swap(&mut spare);
        assert_eq!((spare.traffic.packets_in, spare.gaps), (0, 7));
        assert!(spare.delay.is_empty());
    }
}
