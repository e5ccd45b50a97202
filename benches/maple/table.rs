//! One row per measurement: time, rate, and how both compare.

use std::time::{Duration, Instant};

const RUN: Duration = Duration::from_millis(12);
const RUNS: usize = 9;

/// Nanoseconds of one of the `ops` operations of `work`, at best.
pub(crate) fn time(ops: usize, mut work: impl FnMut()) -> f64 {
    work();
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        let mut calls = 0_u32;
        while start.elapsed() < RUN {
            for _ in 0..4 {
                work();
            }
            calls += 4;
        }
        let each = start.elapsed().as_nanos() as f64 / f64::from(calls) / ops as f64;
        best = best.min(each);
    }
    best
}

pub(crate) struct Table {
    filter: Option<String>,
    others: &'static str,
}

impl Table {
    /// A table of the rows whose name holds `filter`, beside what `others` do.
    pub(crate) fn new(filter: Option<String>, others: &'static str) -> Self {
        Self { filter, others }
    }

    pub(crate) fn head(&self) {
        println!(
            "\n{:<44} {:>10} {:>12} {:>10} {:>7} {:>11} {:>7}",
            "", "ns/op", "ops/s", "limit ns", "limit", self.others, "factor"
        );
    }

    /// Measures a row: `limit` in nanoseconds per operation, `others` in operations per second.
    pub(crate) fn row(
        &self,
        name: &str,
        limit: Option<f64>,
        others: Option<f64>,
        ops: usize,
        work: impl FnMut(),
    ) {
        if self.has(name) {
            self.show(name, limit, others, time(ops, work));
        }
    }

    /// Whether a row of this name is asked for.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.filter.as_ref().is_none_or(|word| name.contains(word))
    }

    /// Prints a row that was measured.
    pub(crate) fn show(&self, name: &str, limit: Option<f64>, others: Option<f64>, ns: f64) {
        let rate = 1e9 / ns;
        let limit_ns = limit.map_or_else(String::new, |it| format!("{it:.1}"));
        let of_limit = limit.map_or_else(String::new, |it| format!("{:.0}%", it / ns * 100.0));
        let theirs = others.map_or_else(String::new, |it| format!("{it:.0}"));
        let factor = others.map_or_else(String::new, |it| format!("{:.1}x", rate / it));
        println!(
            "{name:<44} {ns:>10.1} {rate:>12.0} {limit_ns:>10} {of_limit:>7} {theirs:>11} {factor:>7}"
        );
    }
}
