//! A run as a table for the terminal.

use super::{
    figures::{named_times, totals},
    units::{UNKNOWN, Unit, grouped},
};
use crate::record::{Compared, Comparison, Limit, Record};
use comfy_table::{CellAlignment, Table, presets::NOTHING};
use std::fmt::{Display, Write};

/// Figures beside each other.
const ACROSS: usize = 3;

/// The table that is printed at the end of a run.
pub(crate) fn table(record: &Record) -> impl Display {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}", headline(record));
    if !record.options.is_empty() {
        let _ = writeln!(text, "asked for {}", asked(record));
    }
    let _ = writeln!(text, "\n{}", grid(record).trim_fmt());
    if !record.times.is_empty() {
        let _ = writeln!(text, "\n{}", times(record).trim_fmt());
    }
    for comparison in &record.comparisons {
        let _ = writeln!(text, "\n{}", comparison_table(comparison).trim_fmt());
    }
    if !record.limits.is_empty() {
        let _ = writeln!(text, "\n{}", limits(&record.limits).trim_fmt());
    }
    text
}

/// What ran, how long and when.
pub(super) fn headline(record: &Record) -> String {
    printable(&format!("{}: {}", record.scenario, summary(record)))
}

/// How many, how long and when.
pub(super) fn summary(record: &Record) -> String {
    let began = i64::try_from(record.began).ok();
    let began = began.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    let began = began.map_or_else(String::new, |time| format!(", from {time}"));
    let line = format!(
        "{} users for {}{began}, measured by {}",
        Unit::Count.show(record.users.asked as f64),
        Unit::Seconds.show(record.seconds),
        record.program,
    );
    printable(&line)
}

fn asked(record: &Record) -> String {
    let options = record.options.iter();
    let options: Vec<_> = options
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    printable(&options.join(", "))
}

/// `text` without what a terminal would obey.
pub(super) fn printable(text: &str) -> String {
    let shown = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().map(shown).collect()
}

/// A limit in words.
pub(super) fn limit(limit: &Limit) -> [String; 3] {
    let unit = unit_of(limit);
    [
        printable(&limit.name),
        format!("at most {}", unit.show(limit.limit)),
        format!("was {}", unit.show(limit.value)),
    ]
}

/// Limits on a percentile are times.
fn unit_of(limit: &Limit) -> Unit {
    let percentile = limit.name.strip_prefix("max-p");
    if percentile.is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit())) {
        Unit::Micros
    } else {
        Unit::Number
    }
}

/// All but the times, a few in each line.
fn grid(record: &Record) -> Table {
    let mut table = plain();
    for group in totals(record).chunk_by(|a, b| a.group == b.group) {
        for (line, part) in group.chunks(ACROSS).enumerate() {
            let title = part.first().filter(|_| line == 0);
            let mut row = vec![title.map_or("", |it| &it.group).to_owned()];
            for figure in part {
                row.push(printable(&figure.name));
                row.push(figure.unit.show(figure.value));
            }
            table.add_row(row);
        }
    }
    align(&mut table, |column| column > 0 && column % 2 == 0);
    table
}

fn times(record: &Record) -> Table {
    let mut table = plain();
    let names = record.times.iter().take(1).flat_map(named_times);
    let names = names.map(|(name, _)| name.to_owned());
    let header = ["times".to_owned(), "count".to_owned()].into_iter();
    table.add_row(header.chain(names));
    for times in &record.times {
        let numbers = named_times(times).map(|(_, value)| Unit::Micros.show(value));
        let name = [printable(&times.name), Unit::Count.show(times.count as f64)];
        table.add_row(name.into_iter().chain(numbers));
    }
    align(&mut table, |column| column > 0);
    table
}

fn limits(limits: &[Limit]) -> Table {
    let mut table = plain();
    for (line, it) in limits.iter().enumerate() {
        let title = if line == 0 { "limits" } else { "" };
        let [name, most, was] = limit(it);
        let held = if it.held { "held" } else { "NOT HELD" };
        table.add_row([title, &name, &most, &was, held]);
    }
    align(&mut table, |_| false);
    table
}

fn comparison_table(comparison: &Comparison) -> Table {
    let mut table = plain();
    let columns = columns(comparison);
    table.add_row(columns.map(|it| printable(&it)));
    for figure in &comparison.figures {
        let [base, other, ratio, range] = cells(figure);
        table.add_row([printable(&figure.name), base, other, ratio, range]);
    }
    align(&mut table, |column| column > 0);
    table
}

/// The head of a comparison's table.
pub(super) fn columns(comparison: &Comparison) -> [String; 5] {
    let Comparison {
        name, base, other, ..
    } = comparison;
    let rounds = comparison.rounds;
    let of = if rounds == 1 { "round" } else { "rounds" };
    [
        format!("{name}, {rounds} {of}"),
        base.clone(),
        other.clone(),
        "ratio".to_owned(),
        "from, to".to_owned(),
    ]
}

/// Both values of a figure, their ratio and its range.
pub(super) fn cells(figure: &Compared) -> [String; 4] {
    let unit = figure.unit;
    let [ratio, least, most] = [figure.ratio, figure.least, figure.most].map(|it| grouped(it, 2));
    let range = if figure.least.is_finite() {
        format!("{least}, {most}")
    } else {
        UNKNOWN.to_owned()
    };
    [
        unit.show(figure.base),
        unit.show(figure.other),
        ratio,
        range,
    ]
}

/// A table without lines.
pub(super) fn plain() -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table
}

/// Puts numbers to the right, and no blanks before the first column.
pub(super) fn align(table: &mut Table, is_number: impl Fn(usize) -> bool) {
    if let Some(first) = table.column_mut(0) {
        first.set_padding((0, 1));
    }
    for (number, column) in table.column_iter_mut().enumerate() {
        if is_number(number) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}
