//! A run, or two, as one page that needs nothing beside it.

use super::{
    compare::{self, Pair, Verdict},
    figures::{Figure, figures, is_headline, named_times, totals},
    file,
    plot::Plot,
    plots::{plots, plots_of_both},
    table::{cells, columns, headline, limit, printable, summary},
    units::Unit,
};
use crate::record::{Comparison, Record};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::{io, path::Path};

const STYLE: &str = include_str!("page.css");
/// Whatever is in the page, it fetches and runs nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// Writes one self-contained page with plots.
///
/// # Errors
///
/// When the file cannot be made; the error names it, and what was there before is left.
pub(crate) fn write_html(record: &Record, file: &Path) -> io::Result<()> {
    let page = of_one(record)?.into_string();
    file::write(file, page.as_bytes())
}

/// Two runs side by side, as a page.
///
/// # Errors
///
/// When the file cannot be made; the error names it, and what was there before is left.
pub(crate) fn write_comparison(before: &Record, after: &Record, file: &Path) -> io::Result<()> {
    let page = of_both(before, after)?.into_string();
    file::write(file, page.as_bytes())
}

pub(super) fn of_one(record: &Record) -> io::Result<Markup> {
    let all = figures(record);
    let first = all
        .iter()
        .filter(|it| is_headline(record, &it.group, &it.name));
    let content = html! {
        header {
            h1 { (printable(&record.scenario)) }
            p.quiet { (summary(record)) }
        }
        section.tiles {
            @for figure in first {
                div {
                    b { (figure.unit.show(figure.value)) }
                    span { (title(&figure.group, &figure.name)) }
                }
            }
            @if !record.limits.is_empty() {
                @let held = record.limits.iter().all(|it| it.held);
                div {
                    b class=(goodness(held)) { (words(held)) }
                    span { "limits" }
                }
            }
        }
        @for comparison in &record.comparisons { (compared(comparison)) }
        (drawings(&plots(record)))
        h2 { "All numbers" }
        @if !record.times.is_empty() { (times(record)) }
        div.numbers {
            @if !record.limits.is_empty() { (limits(record)) }
            @for group in totals(record).chunk_by(|a, b| a.group == b.group) { (numbers(group)) }
            @if !record.options.is_empty() { (options(record)) }
        }
        footer {
            "The record of this run, in JSON, is part of this page: the element "
            code { "record" } "."
        }
        (data("record", record)?)
    };
    Ok(page(&record.scenario, &content))
}

pub(super) fn of_both(before: &Record, after: &Record) -> io::Result<Markup> {
    let pairs = compare::pairs(before, after);
    let first = pairs
        .iter()
        .filter(|it| is_headline(before, &it.group, &it.name));
    let title = if before.scenario == after.scenario {
        format!("{}: two runs", before.scenario)
    } else {
        format!("{} and {}", before.scenario, after.scenario)
    };
    let content = html! {
        header {
            h1 { (printable(&title)) }
            @for (run, colour, record) in [("A", "c0", before), ("B", "c1", after)] {
                p.quiet {
                    b class={ "run " (colour) } { (run) }
                    " " (headline(record)) "; " (compare::limits(record))
                }
            }
        }
        section.tiles {
            @for pair in first {
                div {
                    b.run.c0 { (pair.unit.show(pair.before)) }
                    b.run.c1 { (pair.unit.show(pair.after)) }
                    span { (self::title(&pair.group, &pair.name)) }
                }
            }
        }
        (drawings(&plots_of_both(before, after)))
        h2 { "All numbers" }
        (comparison(before, after, &pairs))
        @for note in compare::notes(before, after) { p.quiet { (note) } }
        footer {
            "The records of both runs, in JSON, are part of this page: the elements "
            code { "record-a" } " and " code { "record-b" } "."
        }
        (data("record-a", before)?)
        (data("record-b", after)?)
    };
    Ok(page(&title, &content))
}

fn page(title: &str, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (printable(title)) " – samara-load" }
                style { (PreEscaped(STYLE)) }
            }
            body { main { (content) } }
        }
    }
}

/// `record` in JSON that no reader of HTML, or of XML, takes for markup.
fn data(id: &str, record: &Record) -> io::Result<Markup> {
    let json = serde_json::to_string(record)?
        .replace('&', "\\u0026")
        .replace('<', "\\u003c")
        .replace('>', "\\u003e");
    Ok(html! {
        script type="application/json" id=(id) { (PreEscaped(json)) }
    })
}

fn drawings(plots: &[Plot]) -> Markup {
    html! {
        section.plots {
            @for plot in plots { (plot.draw()) }
        }
    }
}

fn title(group: &str, name: &str) -> String {
    printable(&format!("{group}, {name}"))
}

fn times(record: &Record) -> Markup {
    html! {
        div.scroll {
            table {
                thead {
                    tr {
                        th scope="col" { "times" }
                        th.number scope="col" { "count" }
                        @for (name, _) in record.times.iter().take(1).flat_map(named_times) {
                            th.number scope="col" { (name) }
                        }
                    }
                }
                tbody {
                    @for times in &record.times {
                        tr {
                            th scope="row" { (printable(&times.name)) }
                            td.number { (Unit::Count.show(times.count as f64)) }
                            @for (_, value) in named_times(times) {
                                td.number { (Unit::Micros.show(value)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn compared(comparison: &Comparison) -> Markup {
    let [name, numbers @ ..] = columns(comparison);
    html! {
        div.scroll {
            table {
                thead {
                    tr {
                        th scope="col" { (printable(&name)) }
                        @for column in numbers { th.number scope="col" { (printable(&column)) } }
                    }
                }
                tbody {
                    @for figure in &comparison.figures {
                        tr {
                            th scope="row" { (printable(&figure.name)) }
                            @for cell in cells(figure) { td.number { (cell) } }
                        }
                    }
                }
            }
        }
    }
}

fn limits(record: &Record) -> Markup {
    html! {
        div.scroll {
            table {
                caption { "limits" }
                @for it in &record.limits {
                    @let [name, most, was] = limit(it);
                    tr {
                        th scope="row" { (name) }
                        td { (was) ", " (most) }
                        td class=(goodness(it.held)) { (words(it.held)) }
                    }
                }
            }
        }
    }
}

fn goodness(held: bool) -> &'static str {
    if held { "good" } else { "bad" }
}

fn words(held: bool) -> &'static str {
    if held { "held" } else { "not held" }
}

fn numbers(group: &[Figure]) -> Markup {
    html! {
        div.scroll {
            table {
                caption { @if let Some(figure) = group.first() { (figure.group) } }
                @for figure in group {
                    tr {
                        th scope="row" { (printable(&figure.name)) }
                        td.number { (figure.unit.show(figure.value)) }
                    }
                }
            }
        }
    }
}

fn options(record: &Record) -> Markup {
    html! {
        div.scroll {
            table {
                caption { "asked for" }
                @for (name, value) in &record.options {
                    tr {
                        th scope="row" { (printable(name)) }
                        td.number { (printable(value)) }
                    }
                }
            }
        }
    }
}

fn comparison(before: &Record, after: &Record, pairs: &[Pair]) -> Markup {
    html! {
        div.scroll {
            table {
                thead {
                    tr {
                        th scope="col" {}
                        @for column in ["A", "B", "ratio"] {
                            th.number scope="col" { (column) }
                        }
                        th scope="col" { "better" }
                    }
                }
                tbody {
                    @for [name, a, b] in compare::differences(before, after) {
                        tr {
                            th scope="row" { (title("asked", &name)) }
                            td.number { (printable(&a)) }
                            td.number { (printable(&b)) }
                            td {}
                            td {}
                        }
                    }
                    @for pair in pairs {
                        tr {
                            th scope="row" { (title(&pair.group, &pair.name)) }
                            td.number { (pair.unit.show(pair.before)) }
                            td.number { (pair.unit.show(pair.after)) }
                            td.number { (pair.ratio()) }
                            td { (better(pair)) }
                        }
                    }
                }
            }
        }
    }
}

fn better(pair: &Pair) -> Markup {
    let colour = match pair.verdict {
        Some(Verdict::A) => "c0",
        Some(Verdict::B) => "c1",
        _ => "even",
    };
    html! { span class={ "run " (colour) } { (pair.better()) } }
}
