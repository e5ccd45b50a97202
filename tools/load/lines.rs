//! What a run came to, in lines.

use crate::{run::Outcome, tally::Times};
use std::{fmt, time::Duration};

/// The report of one run.
pub(crate) struct Report<'a>(pub(crate) &'a Outcome);

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcome {
            load,
            tally,
            played,
            ..
        } = self.0;
        let seconds = played.as_secs_f64().max(f64::MIN_POSITIVE);
        writeln!(
            f,
            "{} users in {} rooms of {}, connection type {} ({}), {seconds:.1} s",
            load.seated(),
            load.rooms(),
            load.players,
            load.conn as u8,
            load.conn.name(),
        )?;
        writeln!(
            f,
            "frames      expected {}, received {}, lost {}, late {} ({:.4} %)",
            tally.expected,
            tally.received,
            tally.lost(),
            tally.late,
            100.0 * tally.late as f64 / tally.expected.max(1) as f64,
        )?;
        writeln!(
            f,
            "streams     gaps {}, unequal frames {}, out-of-sync lines {}",
            tally.gaps, tally.unequal, tally.desyncs
        )?;
        writeln!(
            f,
            "users       never played {}, dropped {}",
            tally.absent, tally.dropped
        )?;
        writeln!(
            f,
            "datagrams   {:.0} per second sent, {:.0} received",
            tally.datagrams_out as f64 / seconds,
            tally.datagrams_in as f64 / seconds,
        )?;
        writeln!(f, "microseconds          p50       p99     p99.9       max")?;
        times(f, "added delay", &tally.added)?;
        times(f, "round trip", &tally.round_trip)?;
        times(f, "own lateness", &tally.own_lag)?;
        self.process(f, seconds)
    }
}

impl Report<'_> {
    fn process(&self, f: &mut fmt::Formatter<'_>, seconds: f64) -> fmt::Result {
        let (Some(before), Some(after)) = (self.0.before, self.0.after) else {
            return Ok(());
        };
        let cpu = after.cpu.saturating_sub(before.cpu).as_secs_f64();
        let rate = |after: u64, before: u64| after.saturating_sub(before) as f64 / seconds;
        writeln!(
            f,
            "server      {cpu:.2} s of processor time ({:.1} % of one core), {} threads",
            100.0 * cpu / seconds,
            after.threads,
        )?;
        writeln!(
            f,
            "            {:.1} MB in memory; per second {:.0} sleeps, {:.0} interruptions",
            after.resident as f64 / 1024.0,
            rate(after.slept, before.slept),
            rate(after.interrupted, before.interrupted),
        )
    }
}

fn times(f: &mut fmt::Formatter<'_>, name: &str, times: &Times) -> fmt::Result {
    let micros = |time: Duration| time.as_nanos() as f64 / 1000.0;
    writeln!(
        f,
        "  {name:<14}{:>9.1} {:>9.1} {:>9.1} {:>9.1}",
        micros(times.at(0.5)),
        micros(times.at(0.99)),
        micros(times.at(0.999)),
        micros(times.max()),
    )
}
