//! Rivals take turns in short rounds, so that whatever else the machine does hits them all.

use std::time::Instant;

const ROUNDS: usize = 301;

/// Something alone on its cache lines: where a stack or a heap puts it must not decide a race.
#[repr(align(64))]
pub(crate) struct Alone<T>(pub(crate) T);

/// Works that are measured beside each other.
#[derive(Default)]
pub(crate) struct Rivals<'a> {
    names: Vec<&'static str>,
    works: Vec<Box<dyn FnMut() + 'a>>,
}

impl<'a> Rivals<'a> {
    /// Adds `work`, which does as many operations at each call as all others.
    pub(crate) fn add(&mut self, name: &'static str, work: impl FnMut() + 'a) {
        self.names.push(name);
        self.works.push(Box::new(work));
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.iter().copied()
    }

    /// Nanoseconds of one operation of each: the median of its rounds of `calls` calls of `ops`
    /// operations.
    pub(crate) fn race(mut self, calls: usize, ops: usize) -> Vec<(&'static str, f64)> {
        let mut times = vec![Vec::with_capacity(ROUNDS); self.works.len()];
        for round in 0..ROUNDS {
            // Whoever goes first goes last in the next round.
            let order: Vec<usize> = match round % 2 {
                0 => (0..self.works.len()).collect(),
                _ => (0..self.works.len()).rev().collect(),
            };
            for rival in order {
                let work = &mut self.works[rival];
                // Another's code and data have filled the caches.
                work();
                let start = Instant::now();
                (0..calls).for_each(|_| work());
                let ns = start.elapsed().as_nanos() as f64;
                times[rival].push(ns / (calls * ops) as f64);
            }
        }
        let medians = times.into_iter().map(median);
        self.names.into_iter().zip(medians).collect()
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
