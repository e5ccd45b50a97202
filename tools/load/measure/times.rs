//! Times, as full histograms of little, fixed memory.

use crate::record::{Delay, Distribution};
use hdrhistogram::Histogram;
use std::{io, time::Duration};

/// No time is noted as longer.
const LONGEST: u64 = 60_000_000_000;
/// Steps of a curve each time that what is above it halves.
const STEPS: u32 = 5;

/// Times, in nanoseconds.
#[derive(Clone, Debug)]
pub(crate) struct Times(Histogram<u64>);

impl Times {
    /// To three digits.
    ///
    /// # Errors
    ///
    /// Never: the bounds are constants that a histogram can have.
    pub(crate) fn new() -> io::Result<Self> {
        Self::with(1, 3)
    }

    /// To two digits and no finer than a sixteenth of a microsecond, in a tenth of the memory.
    ///
    /// # Errors
    ///
    /// As for [`Times::new`].
    pub(crate) fn coarse() -> io::Result<Self> {
        Self::with(64, 2)
    }

    fn with(shortest: u64, digits: u8) -> io::Result<Self> {
        let histogram = Histogram::new_with_bounds(shortest, LONGEST, digits);
        histogram.map(Self).map_err(io::Error::other)
    }

    pub(crate) fn note(&mut self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.0.saturating_record(nanos);
    }

    /// Adds times that were noted as finely.
    pub(crate) fn add(&mut self, other: &Self) {
        let added = self.0.add(&other.0);
        debug_assert!(added.is_ok(), "all have the same bounds");
    }

    pub(crate) fn clear(&mut self) {
        self.0.reset();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Its percentiles, in microseconds; nothing if no time was noted.
    pub(crate) fn delay(&self) -> Option<Delay> {
        (!self.is_empty()).then(|| Delay {
            p50: self.at(0.5),
            p99: self.at(0.99),
            max: micros(self.0.max()),
        })
    }

    /// All there is to say of it, in microseconds; nothing if no time was noted.
    pub(crate) fn distribution(&self, name: &str) -> Option<Distribution> {
        let points = self.0.iter_quantiles(STEPS);
        let curve = points.map(|it| (it.quantile_iterated_to(), micros(it.value_iterated_to())));
        (!self.is_empty()).then(|| Distribution {
            name: name.to_owned(),
            count: self.0.len(),
            min: micros(self.0.min()),
            mean: self.0.mean() / 1000.0,
            p50: self.at(0.5),
            p90: self.at(0.9),
            p99: self.at(0.99),
            p999: self.at(0.999),
            max: micros(self.0.max()),
            curve: curve.collect(),
        })
    }

    /// Microseconds that so large a part of the times are not above.
    fn at(&self, quantile: f64) -> f64 {
        micros(self.0.value_at_quantile(quantile))
    }
}

fn micros(nanos: u64) -> f64 {
    nanos as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_about(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 0.011, "{value}");
    }

    #[test]
    fn merged_times_have_the_percentiles_of_all() {
        for new in [Times::new, Times::coarse] {
            // Every second time is one thread's, and the slowest are all another's.
            let mut parts = [(); 3].map(|()| new().unwrap());
            for micros in 1..=10_000 {
                let part = if micros > 9_900 { 2 } else { micros % 2 };
                parts[part as usize].note(Duration::from_micros(micros));
            }
            let mut sum = new().unwrap();
            parts.iter().for_each(|part| sum.add(part));
            let all = sum.distribution("all").unwrap();
            assert_eq!(all.count, 10_000);
            for (value, expected) in [
                (all.p50, 5_000.0),
                (all.p90, 9_000.0),
                (all.p99, 9_900.0),
                (all.p999, 9_990.0),
                (all.max, 10_000.0),
                (all.mean, 5_000.5),
            ] {
                is_about(value, expected);
            }
            let delay = sum.delay().unwrap();
            assert_eq!(
                (delay.p50, delay.p99, delay.max),
                (all.p50, all.p99, all.max)
            );
        }
    }

    #[test]
    fn a_curve_rises_to_the_longest_time() {
        let mut times = Times::new().unwrap();
        (1..=1000).for_each(|micros| times.note(Duration::from_micros(micros)));
        let all = times.distribution("all").unwrap();
        let rises = |pair: &[(f64, f64)]| pair[0].0 <= pair[1].0 && pair[0].1 <= pair[1].1;
        assert!(all.curve.windows(2).all(rises), "{:?}", all.curve);
        assert!((20..200).contains(&all.curve.len()));
        is_about(all.curve.last().unwrap().1, 1000.0);
    }

    #[test]
    fn absurd_times_are_noted_as_long() {
        let mut times = Times::new().unwrap();
        times.note(Duration::from_secs(1 << 20));
        times.note(Duration::MAX);
        let all = times.distribution("all").unwrap();
        assert!(all.max >= LONGEST as f64 / 1000.0);
    }

    #[test]
    fn nothing_has_no_percentiles() {
        let mut times = Times::coarse().unwrap();
        assert_eq!(times.delay(), None);
        times.note(Duration::from_micros(1));
        assert!(times.delay().is_some());
        times.clear();
        assert_eq!(times.distribution("none"), None);
    }
}
