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
}

impl Table {
    /// A table of the rows whose name holds `filter`.
    pub(crate) fn new(filter: Option<String>) -> Self {
        Self { filter }
    }

    pub(crate) fn head(&self) {
        println!(
            "\n{:<44} {:>10} {:>12} {:>10} {:>7} {:>11} {:>7}",
            "", "ns/op", "ops/s", "limit ns", "limit", "published", "factor"
        );
    }

    /// Measures a row: `limit` in nanoseconds per operation, `published` in operations per
    /// second.
    pub(crate) fn row(
        &self,
        name: &str,
        limit: Option<f64>,
        published: Option<f64>,
        ops: usize,
        work: impl FnMut(),
    ) {
        if self
            .filter
            .as_ref()
            .is_some_and(|word| !name.contains(word))
        {
            return;
        }
        let ns = time(ops, work);
        let rate = 1e9 / ns;
        let limit_ns = limit.map_or_else(String::new, |it| format!("{it:.1}"));
        let of_limit = limit.map_or_else(String::new, |it| format!("{:.0}%", it / ns * 100.0));
        let java = published.map_or_else(String::new, |it| format!("{it:.0}"));
        let factor = published.map_or_else(String::new, |it| format!("{:.1}x", rate / it));
        println!(
            "{name:<44} {ns:>10.1} {rate:>12.0} {limit_ns:>10} {of_limit:>7} {java:>11} {factor:>7}"
        );
    }
}
