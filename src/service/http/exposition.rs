//! What the server counts, in Prometheus's text format.

use crate::{
    metrics::{Drops, Histogram, Metrics, Reason},
    timer::Time,
};
use std::{
    fmt,
    io::{self, Write},
    sync::Arc,
};

/// Everything `/metrics` shows.
#[derive(Debug)]
pub struct Exposition {
    /// What only grows.
    pub metrics: Arc<Metrics>,
    /// What was dropped.
    pub drops: Arc<Drops>,
    /// What goes up and down; those of one name one behind another.
    pub gauges: Vec<Gauge>,
    /// How long the turns of each event loop take.
    pub turns: Vec<Arc<Histogram>>,
}

/// A number that goes up and down, asked for when it is shown.
pub struct Gauge {
    /// What follows `samara_`.
    pub name: &'static str,
    /// One sentence.
    pub help: &'static str,
    /// Tells those of one name apart: a label and its value.
    pub label: Option<(&'static str, &'static str)>,
    /// The number.
    pub read: Box<dyn Fn() -> u64 + Send + Sync>,
}

impl Exposition {
    /// Of a server that has counted nothing.
    pub fn empty() -> Self {
        Self {
            metrics: Arc::default(),
            drops: Arc::default(),
            gauges: Vec::new(),
            turns: Vec::new(),
        }
    }

    /// Writes all of it as it is at `now`.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&self, now: Time, out: &mut impl Write) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        header(out, "build_info", "gauge", "Which server this is.")?;
        writeln!(out, "samara_build_info{{version=\"{version}\"}} 1")?;
        let uptime = now.since(Time::ZERO).as_secs_f64();
        header(out, "uptime_seconds", "gauge", "Time since the start.")?;
        writeln!(out, "samara_uptime_seconds {uptime:.3}")?;
        self.write_gauges(out)?;
        for (name, help, value) in self.metrics.described() {
            header(out, format_args!("{name}_total"), "counter", help)?;
            writeln!(out, "samara_{name}_total {value}")?;
        }
        header(out, "drops_total", "counter", "What was dropped, and why.")?;
        for &reason in Reason::ALL {
            let (text, count) = (reason.text(), self.drops.count(reason));
            writeln!(out, "samara_drops_total{{reason=\"{text}\"}} {count}")?;
        }
        self.write_turns(out)
    }

    fn write_gauges(&self, out: &mut impl Write) -> io::Result<()> {
        let mut before = "";
        for gauge in &self.gauges {
            let name = gauge.name;
            if name != before {
                header(out, name, "gauge", gauge.help)?;
                before = name;
            }
            write!(out, "samara_{name}")?;
            if let Some((label, value)) = gauge.label {
                write!(out, "{{{label}=\"{value}\"}}")?;
            }
            writeln!(out, " {}", (gauge.read)())?;
        }
        Ok(())
    }

    fn write_turns(&self, out: &mut impl Write) -> io::Result<()> {
        let help =
            "How long event loops took from reading what had come in to sending the answers.";
        header(out, "turn_seconds", "histogram", help)?;
        let mut count = 0;
        for (bucket, bound) in Histogram::bounds().enumerate() {
            count += self.turns.iter().map(|it| it.bucket(bucket)).sum::<u64>();
            let bound = bound.as_secs_f64();
            writeln!(out, "samara_turn_seconds_bucket{{le=\"{bound}\"}} {count}")?;
        }
        count += self.turns.iter().map(|it| it.beyond()).sum::<u64>();
        let nanos: u64 = self.turns.iter().map(|it| it.sum_nanos()).sum();
        let sum = nanos as f64 / 1e9;
        writeln!(out, "samara_turn_seconds_bucket{{le=\"+Inf\"}} {count}")?;
        writeln!(out, "samara_turn_seconds_sum {sum}")?;
        writeln!(out, "samara_turn_seconds_count {count}")
    }
}

fn header(out: &mut impl Write, name: impl fmt::Display, kind: &str, help: &str) -> io::Result<()> {
    writeln!(out, "# HELP samara_{name} {help}")?;
    writeln!(out, "# TYPE samara_{name} {kind}")
}

impl fmt::Debug for Gauge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gauge")
            .field("name", &self.name)
            .field("label", &self.label)
            .finish_non_exhaustive()
    }
}
