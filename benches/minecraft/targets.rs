//! What the figures have to be, beside what they are.

use super::{FRAMES, FRESH, LIMIT, READ, REUSED};

/// Factor over the dynamic way that the design's first, unchecked version reached.
const SCRIPT: f64 = 625.0;
/// Least share of what is possible at all.
const LIMIT_SHARE: f64 = 0.95;

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
            let factor = self.script.map(|rate| 1e9 / self.ns(name) / rate);
            line(&format!("{name}, times the script"), factor, SCRIPT);
        }
        let share = self.ns(LIMIT) / self.ns(REUSED);
        line(&format!("{REUSED}, of the limit"), Some(share), LIMIT_SHARE);
        for (ours, kind) in [(REUSED, "write:"), (READ, "read:"), (FRAMES, "read:")] {
            for peer in ["valence_protocol", "mc_protocol"] {
                let name = format!("{ours}, times {peer}");
                line(&name, self.over(ours, &format!("{kind} {peer}")), 1.0);
            }
        }
    }

    /// Nanoseconds of the first result of this name.
    fn ns(&self, name: &str) -> f64 {
        let found = self.times.iter().find(|it| it.0 == name);
        found.map_or(f64::NAN, |it| it.1)
    }

    /// How much faster ours is than the peer at its fastest; frames are compared with frames.
    fn over(&self, ours: &str, peer: &str) -> Option<f64> {
        let frames = ours == FRAMES;
        let theirs = self
            .times
            .iter()
            .filter(|(name, _)| name.starts_with(peer) && (!frames || name.contains("frames of")));
        let fastest = theirs.map(|it| it.1).min_by(f64::total_cmp)?;
        Some(fastest / self.ns(ours))
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
