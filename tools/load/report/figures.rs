//! A record as a list of numbers with names and units, which every table is made of.

use super::units::Unit;
use crate::record::{Compared, Comparison, Distribution, Frames, Process, Record, Traffic};

/// One number of a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    pub(super) group: String,
    pub(super) name: String,
    pub(super) value: f64,
    pub(super) unit: Unit,
    /// Whether less of it is better; if not, neither less nor more is.
    pub(super) less_is_better: bool,
}

/// All numbers of `record`, those of a group together.
pub(super) fn figures(record: &Record) -> Vec<Figure> {
    let mut figures = Figures(Vec::new());
    for times in &record.times {
        of_times(&mut figures, times);
    }
    figures.0.append(&mut totals(record));
    for comparison in &record.comparisons {
        of_comparison(&mut figures, comparison);
    }
    figures.0
}

/// All but those of distributions and comparisons.
pub(super) fn totals(record: &Record) -> Vec<Figure> {
    let mut figures = Figures(Vec::new());
    let users = &record.users;
    let mut group = figures.group("users");
    group.count("asked", users.asked);
    group.bad_count("absent", users.absent);
    group.bad_count("dropped", users.dropped);
    if let Some(frames) = &record.frames {
        of_frames(&mut figures, frames);
    }
    of_traffic(&mut figures, &record.traffic, record.seconds);
    if let Some(server) = &record.server {
        of_process(&mut figures, server, record.seconds);
    }
    let mut group = figures.group("other");
    for (name, &value) in &record.extra {
        group.add(name, value, Unit::Number);
    }
    figures.0
}

fn of_frames(figures: &mut Figures, frames: &Frames) {
    let share = |count: u64| count as f64 / frames.expected as f64;
    let mut group = figures.group("frames");
    group.count("expected", frames.expected);
    group.count("received", frames.received);
    group.bad_count("lost", frames.lost);
    group.bad("lost share", share(frames.lost), Unit::Share);
    group.bad_count("late", frames.late);
    group.bad("late share", share(frames.late), Unit::Share);
    group.bad_count("stalls", frames.stalls);
    group.bad_count("desyncs", frames.desyncs);
    group.bad_count("gaps", frames.gaps);
    group.bad_count("unequal", frames.unequal);
    group.bad_count("resends", frames.resends);
}

fn of_traffic(figures: &mut Figures, traffic: &Traffic, seconds: f64) {
    let rate = |count: u64| count as f64 / seconds;
    let mut group = figures.group("traffic");
    group.add("packets sent", rate(traffic.packets_out), Unit::PerSecond);
    group.add(
        "packets received",
        rate(traffic.packets_in),
        Unit::PerSecond,
    );
    group.add("bytes sent", rate(traffic.bytes_out), Unit::BytesPerSecond);
    group.add(
        "bytes received",
        rate(traffic.bytes_in),
        Unit::BytesPerSecond,
    );
}

fn of_times(figures: &mut Figures, times: &Distribution) {
    let mut group = figures.group(&times.name);
    group.count("count", times.count);
    for (name, value) in named_times(times) {
        group.bad(name, value, Unit::Micros);
    }
}

/// The numbers of a distribution in the order they are shown.
pub(super) fn named_times(times: &Distribution) -> [(&'static str, f64); 7] {
    // Of nothing there is no time, whatever the record has there.
    let time = |value: f64| if times.count > 0 { value } else { f64::NAN };
    [
        ("min", time(times.min)),
        ("mean", time(times.mean)),
        ("p50", time(times.p50)),
        ("p90", time(times.p90)),
        ("p99", time(times.p99)),
        ("p99.9", time(times.p999)),
        ("max", time(times.max)),
    ]
}

fn of_process(figures: &mut Figures, server: &Process, seconds: f64) {
    let mut group = figures.group("server");
    group.bad("cores used", server.cpu_seconds / seconds, Unit::Cores);
    group.add("processor time", server.cpu_seconds, Unit::Seconds);
    group.add("threads", server.threads as f64, Unit::Number);
    if server.resident_peak > 0 {
        group.bad("memory", server.resident as f64, Unit::Bytes);
        group.bad("memory peak", server.resident_peak as f64, Unit::Bytes);
    }
    group.add("sleeps", server.sleeps as f64 / seconds, Unit::PerSecond);
    let interruptions = server.interruptions as f64 / seconds;
    group.add("interruptions", interruptions, Unit::PerSecond);
}

fn of_comparison(figures: &mut Figures, comparison: &Comparison) {
    let Comparison {
        name, base, other, ..
    } = comparison;
    let mut group = figures.group(name);
    for figure in &comparison.figures {
        let Compared {
            name, unit, ratio, ..
        } = figure;
        group.add(&format!("{name}, {base}"), figure.base, *unit);
        group.add(&format!("{name}, {other}"), figure.other, *unit);
        group.add(&ratio_of(name), *ratio, Unit::Number);
    }
}

fn ratio_of(figure: &str) -> String {
    format!("{figure}, ratio")
}

struct Figures(Vec<Figure>);

impl Figures {
    fn group<'a>(&'a mut self, name: &'a str) -> Group<'a> {
        Group {
            figures: &mut self.0,
            name,
        }
    }
}

struct Group<'a> {
    figures: &'a mut Vec<Figure>,
    name: &'a str,
}

impl Group<'_> {
    fn add(&mut self, name: &str, value: f64, unit: Unit) {
        self.push(name, value, unit, false);
    }

    fn bad(&mut self, name: &str, value: f64, unit: Unit) {
        self.push(name, value, unit, true);
    }

    fn count(&mut self, name: &str, count: u64) {
        self.add(name, count as f64, Unit::Count);
    }

    fn bad_count(&mut self, name: &str, count: u64) {
        self.bad(name, count as f64, Unit::Count);
    }

    fn push(&mut self, name: &str, value: f64, unit: Unit, less_is_better: bool) {
        self.figures.push(Figure {
            group: self.name.to_owned(),
            name: name.to_owned(),
            value,
            unit,
            less_is_better,
        });
    }
}

/// The few numbers a reader looks for first, of those the run has.
pub(super) fn is_headline(record: &Record, group: &str, name: &str) -> bool {
    let first = record.comparisons.iter().find(|it| it.name == group);
    if let Some(figure) = first.and_then(|it| it.figures.first()) {
        return name == ratio_of(&figure.name);
    }
    let times = record.times.first().map_or("", |it| &it.name);
    match name {
        "p50" | "p99" | "p99.9" => group == times,
        "lost" | "late share" => group == "frames",
        "packets received" => group == "traffic",
        "cores used" | "memory peak" => group == "server",
        _ => record.frames.is_none() && group == "other" && name.ends_with(" per second"),
    }
}
