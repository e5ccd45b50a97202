//! What the figures have to be, beside what they are.

use super::{BARE_READ, BARE_WRITE, FRAMES, FRESH, LIMIT, REUSED};

/// Factor over the dynamic way that the design's first, unchecked version reached.
const SCRIPT: f64 = 625.0;
/// Least share of what is possible at all.
const LIMIT_SHARE: f64 = 0.95;

/// Where both can be at the limit: as fast as each other, but for the noise.
const NO_SLOWER: f64 = 0.95;

/// Results of a run.
pub(crate) struct Targets {
    script: Option<f64>,
    times: Vec<(&'static str, f64)>,
}

impl Targets {
    /// `script`: packets per second of the dynamic way, if it was measured.
    pub(crate) const fn new(script: Option<f64>) -> Self {
        Self {
            script,
            times: Vec::new(),
        }
    }

    /// Adds the results of a group.
    pub(crate) fn note(&mut self, times: Vec<(&'static str, f64)>) {
        self.times.extend(times);
    }

    pub(crate) fn show(&self) {
        println!("\n{:<58} {:>8} {:>8}", "targets", "is", "at least");
        for name in [REUSED, FRESH] {
            let factor = self.script.zip(self.ns(name));
            let factor = factor.map(|(rate, ns)| 1e9 / ns / rate);
            line(&format!("{name}, times the script"), factor, SCRIPT);
        }
        let share = self.times_as_fast(REUSED, LIMIT);
        line(&format!("{REUSED}, of the limit"), share, LIMIT_SHARE);
        for peer in ["valence_protocol", "mc_protocol"] {
            for (ours, theirs, least) in [
                (REUSED, "write: {}, a frame", 1.0),
                (FRAMES, "read: {}, frames of a stream", 1.0),
                (BARE_WRITE, "write: {}, no frame", NO_SLOWER),
                (BARE_READ, "read: {}, no frame", NO_SLOWER),
            ] {
                let factor = self.times_as_fast(ours, &theirs.replace("{}", peer));
                line(&format!("{ours}, times {peer}"), factor, least);
            }
        }
    }

    /// How many times as fast as `theirs` `ours` is.
    fn times_as_fast(&self, ours: &str, theirs: &str) -> Option<f64> {
        Some(self.ns(theirs)? / self.ns(ours)?)
    }

    /// Nanoseconds of the first result of this name.
    fn ns(&self, name: &str) -> Option<f64> {
        let found = self.times.iter().find(|it| it.0 == name);
        found.map(|it| it.1)
    }
}

fn line(name: &str, is: Option<f64>, least: f64) {
    let (figure, verdict) = match is {
        Some(is) => (
            format!("{is:.2}"),
            if is >= least { "met" } else { "MISSED" },
        ),
        None => ("-".to_owned(), "not measured"),
    };
    println!("{name:<58} {figure:>8} {least:>8} {verdict}");
}
