//! A record, for people.

use crate::record::{Phase, Process, Record, Site};
use std::fmt;

/// Sites that are shown.
const TOP: usize = 20;

/// What the JVM server took for the reference, as its author found on his desktop.
const OTHERS: [(&str, &str, &str); 3] = [
    ("JVM, before its rewrite", "103 MB", "1.9 s"),
    ("JVM, with coroutines", "230 MB", "3.4 s"),
    ("JVM, with Netty (35 MB core logic)", "74.7 MB", "2.5 s"),
];

/// Prints a record.
pub(crate) struct Report<'a>(pub(crate) &'a Record);

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let record = self.0;
        phases(f, record)?;
        if let Some(process) = &record.process {
            reference(f, record, process)?;
        }
        if !record.sites.is_empty() {
            sites(f, &record.sites)?;
        }
        Ok(())
    }
}

fn phases(f: &mut fmt::Formatter<'_>, record: &Record) -> fmt::Result {
    writeln!(
        f,
        "{:18} {:>17}  {:>11} {:>9}  {:>13} {:>9}  {:>9} {:>9}",
        "", "messages", "allocations", "bytes", "per message:", "bytes", "live", "peak"
    )?;
    for phase in record.phases.iter().chain([&record.total]) {
        line(f, phase)?;
    }
    for phase in record.phases.iter().filter(|phase| phase.is_broken()) {
        writeln!(f, "{} has to do without allocations", phase.name)?;
    }
    Ok(())
}

fn line(f: &mut fmt::Formatter<'_>, phase: &Phase) -> fmt::Result {
    let messages = match phase.messages {
        0 => String::new(),
        1 => format!("1 {}", phase.message),
        many => format!("{} {}s", Count(many), phase.message),
    };
    let (allocations, bytes) = match phase.per_message() {
        Some((allocations, bytes)) => (Mean(allocations).to_string(), Mean(bytes).to_string()),
        None => Default::default(),
    };
    let mark = if phase.steady { "*" } else { "" };
    let name = format!("{}{mark}", phase.name);
    writeln!(
        f,
        "{name:18} {messages:>17}  {:>11} {:>9}  {allocations:>13} {bytes:>9}  {:>9} {:>9}",
        Count(phase.allocations).to_string(),
        Size(phase.bytes).to_string(),
        Size(phase.live.max(0) as u64).to_string(),
        Size(phase.peak.max(0) as u64).to_string(),
    )
}

fn reference(f: &mut fmt::Formatter<'_>, record: &Record, process: &Process) -> fmt::Result {
    let option = |name| record.options.get(name).map_or("", String::as_str);
    let (duration, speed) = (option("duration"), option("speed"));
    let unknown = || "unknown".to_owned();
    let resident = |bytes: Option<u64>| bytes.map_or_else(unknown, |it| Size(it).to_string());
    writeln!(
        f,
        "\n{duration} of play at {speed} times its speed: {:.1} s in all",
        process.seconds
    )?;
    writeln!(f, "\n{:38} {:>9} {:>9}", "", "allocated", "processor")?;
    let cpu = process.cpu_seconds.map(|it| format!("{it:.2} s"));
    let cpu = cpu.unwrap_or_else(unknown);
    let ours = Size(record.total.bytes).to_string();
    writeln!(f, "{:38} {ours:>9} {cpu:>9}", "this server")?;
    for (server, allocated, cpu) in OTHERS {
        writeln!(f, "{server:38} {allocated:>9} {cpu:>9}")?;
    }
    writeln!(
        f,
        "The JVM's were taken on its author's desktop: its seconds do not compare with ours.\n\
         resident peak of the whole process {}, of it before the start {}",
        resident(process.resident_peak),
        resident(process.resident_before),
    )
}

fn sites(f: &mut fmt::Formatter<'_>, sites: &[Site]) -> fmt::Result {
    writeln!(f, "\n{:>9}  {:>11}  who asked", "bytes", "allocations")?;
    for site in sites.iter().take(TOP) {
        let bytes = Size(site.bytes).to_string();
        let allocations = Count(site.allocations).to_string();
        writeln!(
            f,
            "{bytes:>9}  {allocations:>11}  {} ({})",
            site.function, site.place
        )?;
    }
    if let Some(others) = sites.len().checked_sub(TOP).filter(|&others| others > 0) {
        writeln!(f, "and {others} others")?;
    }
    Ok(())
}

/// A number with its thousands apart.
struct Count(u64);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 / 1000 {
            0 => write!(f, "{}", self.0),
            thousands => write!(f, "{},{:03}", Count(thousands), self.0 % 1000),
        }
    }
}

/// An amount of memory, with three digits or more.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        match self.0 {
            0..1000 => write!(f, "{} B", self.0),
            1000..1_000_000 => write!(f, "{} kB", Mean(bytes / 1e3)),
            _ => write!(f, "{} MB", Mean(bytes / 1e6)),
        }
    }
}

/// A number with as many decimals as three digits leave it.
struct Mean(f64);

impl fmt::Display for Mean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0.0 => write!(f, "0"),
            it if it < 10.0 => write!(f, "{it:.2}"),
            it if it < 100.0 => write!(f, "{it:.1}"),
            it => write!(f, "{}", Count(it.round() as u64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_exact_enough() {
        let counts = [0, 999, 1000, 54_000, 1_002_003].map(|it| Count(it).to_string());
        assert_eq!(counts, ["0", "999", "1,000", "54,000", "1,002,003"]);
        let sizes = [0, 999, 1234, 99_960, 904_000, 1_250_000, 58_300_000];
        let sizes = sizes.map(|it| Size(it).to_string());
        let expected = [
            "0 B", "999 B", "1.23 kB", "100.0 kB", "904 kB", "1.25 MB", "58.3 MB",
        ];
        assert_eq!(sizes, expected);
    }

    fn record() -> Record {
        let phase = |name: &str, messages, allocations| Phase {
            name: name.into(),
            message: "input".into(),
            messages,
            allocations,
            bytes: 100 * allocations,
            steady: messages > 0,
            ..Phase::default()
        };
        Record {
            format: crate::record::FORMAT,
            program: String::new(),
            scenario: "reference".into(),
            options: Default::default(),
            began: 0,
            phases: vec![phase("start", 0, 70), phase("game", 2000, 0)],
            total: phase("total", 0, 70),
            process: None,
            sites: Vec::new(),
        }
    }

    #[test]
    fn every_phase_has_a_line() {
        let text = Report(&record()).to_string();
        let lines: Vec<_> = text.lines().map(|line| line.split_whitespace()).collect();
        let words: Vec<Vec<_>> = lines.into_iter().map(Iterator::collect).collect();
        assert_eq!(words[1], ["start", "70", "7.00", "kB", "0", "B", "0", "B"]);
        assert_eq!(words[2][..6], ["game*", "2,000", "inputs", "0", "0", "B"]);
        assert_eq!(words.len(), 4);
    }

    #[test]
    fn a_steady_phase_that_allocates_is_named() {
        let mut record = record();
        record.phases[1].allocations = 3;
        let text = Report(&record).to_string();
        assert!(
            text.ends_with("game has to do without allocations\n"),
            "{text}"
        );
    }

    #[test]
    fn the_reference_stands_beside_the_others() {
        let mut record = record();
        record.process = Some(Process {
            seconds: 9.0,
            cpu_seconds: Some(0.5),
            resident_before: None,
            resident_peak: Some(5_000_000),
        });
        let text = Report(&record).to_string();
        assert!(text.contains("7.00 kB    0.50 s"), "{text}");
        assert!(text.contains("74.7 MB     2.5 s"), "{text}");
    }
}
