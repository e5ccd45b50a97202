//! Two runs beside each other.

use super::{
    figures::{Figure, figures},
    table::{align, headline, plain, printable},
    units::{UNKNOWN, Unit, grouped},
};
use crate::record::Record;
use std::{
    collections::BTreeSet,
    fmt::{Display, Write},
};

/// Ratios this near to one may be chance.
const EVEN: f64 = 0.05;

/// One number of both runs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) group: String,
    pub(super) name: String,
    pub(super) unit: Unit,
    /// NaN in a run that has no such number.
    pub(super) before: f64,
    pub(super) after: f64,
    pub(super) verdict: Option<Verdict>,
}

/// Which run is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    A,
    B,
    Even,
}

impl Pair {
    /// B as a multiple of A.
    pub(super) fn ratio(&self) -> String {
        if self.before == 0.0 && self.after == 0.0 {
            return "1.00".to_owned();
        }
        match self.after / self.before {
            ratio if !ratio.is_finite() => UNKNOWN.to_owned(),
            ratio if ratio >= 1000.0 => "> 1,000".to_owned(),
            ratio => grouped(ratio, 2),
        }
    }

    pub(super) fn better(&self) -> &'static str {
        match self.verdict {
            Some(Verdict::A) => "A",
            Some(Verdict::B) => "B",
            Some(Verdict::Even) => "even",
            None => "",
        }
    }
}

/// All numbers of two runs, with those first that `before` has.
pub(super) fn pairs(before: &Record, after: &Record) -> Vec<Pair> {
    let comparable = is_even(before.seconds, after.seconds);
    let (mine, others) = (figures(before), figures(after));
    let find = |all: &[Figure], it: &Figure| {
        let found = all
            .iter()
            .find(|other| other.group == it.group && other.name == it.name);
        found.map(|it| it.value)
    };
    let missing = others.iter().filter(|it| find(&mine, it).is_none());
    let mut all: Vec<&Figure> = mine.iter().chain(missing).collect();
    let mut groups: Vec<&str> = Vec::new();
    for figure in &all {
        if !groups.contains(&figure.group.as_str()) {
            groups.push(&figure.group);
        }
    }
    all.sort_by_key(|figure| groups.iter().position(|it| *it == figure.group));
    let pair = |figure: &Figure| {
        let value = |all| find(all, figure).unwrap_or(f64::NAN);
        let (before, after) = (value(&mine), value(&others));
        let judged = figure.less_is_better && (comparable || figure.unit != Unit::Count);
        Pair {
            group: figure.group.clone(),
            name: figure.name.clone(),
            unit: figure.unit,
            before,
            after,
            verdict: judged.then(|| verdict(before, after)).flatten(),
        }
    };
    all.into_iter().map(pair).collect()
}

/// Which of two numbers is better if less is.
fn verdict(before: f64, after: f64) -> Option<Verdict> {
    if !before.is_finite() || !after.is_finite() {
        None
    } else if is_even(before, after) {
        Some(Verdict::Even)
    } else if after < before {
        Some(Verdict::B)
    } else {
        Some(Verdict::A)
    }
}

fn is_even(a: f64, b: f64) -> bool {
    (a - b).abs() <= EVEN * a.abs().max(b.abs())
}

/// The options that differ: name, A's and B's.
pub(super) fn differences(before: &Record, after: &Record) -> Vec<[String; 3]> {
    let names: BTreeSet<_> = before.options.keys().chain(after.options.keys()).collect();
    let value = |record: &Record, name| record.options.get(name).cloned();
    let rows = names.into_iter().filter_map(|name| {
        let (a, b) = (value(before, name), value(after, name));
        let shown = |it: Option<String>| it.unwrap_or_else(|| UNKNOWN.to_owned());
        (a != b).then(|| [name.clone(), shown(a), shown(b)])
    });
    rows.collect()
}

/// What a reader of the comparison has to know.
pub(super) fn notes(before: &Record, after: &Record) -> Vec<String> {
    let mut notes = vec![format!(
        "Ratio is B to A. Within {:.0} % two numbers are even: run both more than once.",
        100.0 * EVEN
    )];
    if before.scenario != after.scenario {
        notes.push("The runs are of different scenarios.".to_owned());
    }
    if !is_even(before.seconds, after.seconds) {
        notes.push("The runs are not equally long, so counts are not judged.".to_owned());
    }
    notes
}

/// Limits in a few words.
pub(super) fn limits(record: &Record) -> String {
    let held = record.limits.iter().filter(|it| it.held).count();
    match record.limits.len() {
        0 => "no limits set".to_owned(),
        all => format!("{held} of {all} limits held"),
    }
}

/// Two runs side by side, for the terminal.
pub(crate) fn compare(before: &Record, after: &Record) -> impl Display {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for (run, record) in [("A", before), ("B", after)] {
        let _ = writeln!(text, "{run}  {}; {}", headline(record), limits(record));
    }
    let mut table = plain();
    table.add_row(["", "", "A", "B", "ratio", "better"]);
    for [name, a, b] in differences(before, after) {
        table.add_row(["asked", &name, &a, &b].map(printable));
    }
    let mut group = "";
    let pairs = pairs(before, after);
    for pair in &pairs {
        let title = if pair.group == group { "" } else { &pair.group };
        group = &pair.group;
        table.add_row([
            printable(title),
            printable(&pair.name),
            pair.unit.show(pair.before),
            pair.unit.show(pair.after),
            pair.ratio(),
            pair.better().to_owned(),
        ]);
    }
    align(&mut table, |column| (2..=4).contains(&column));
    let _ = writeln!(text, "\n{}\n", table.trim_fmt());
    for note in notes(before, after) {
        let _ = writeln!(text, "{note}");
    }
    text
}
