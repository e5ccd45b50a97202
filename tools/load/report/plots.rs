//! Which plots are made of a record, and of two.

use super::{
    plot::{Axis, Line, Paint, Plot},
    scale::Scale,
    units::Unit,
};
use crate::record::{Distribution, Record, Sample};

/// What is drawn over a run's time.
struct Kind {
    title: &'static str,
    label: &'static str,
    unit: Unit,
    logarithmic: bool,
    curves: &'static [Curve],
}

struct Curve {
    name: &'static str,
    value: fn(&Sample) -> Option<f64>,
}

/// Named after the first distribution of the run, whose times these are.
const DELAY: &str = "delay";

const KINDS: [Kind; 5] = [
    Kind {
        title: DELAY,
        label: "time",
        unit: Unit::Micros,
        logarithmic: true,
        curves: &[
            Curve {
                name: "p50",
                value: |it| it.delay.map(|delay| delay.p50),
            },
            Curve {
                name: "p99",
                value: |it| it.delay.map(|delay| delay.p99),
            },
            Curve {
                name: "max",
                value: |it| it.delay.map(|delay| delay.max),
            },
        ],
    },
    Kind {
        title: "added delay of streams",
        label: "time",
        unit: Unit::Micros,
        logarithmic: true,
        curves: &[
            Curve {
                name: "p50",
                value: |it| it.stream_delay.map(|delay| delay.p50),
            },
            Curve {
                name: "p99",
                value: |it| it.stream_delay.map(|delay| delay.p99),
            },
            Curve {
                name: "max",
                value: |it| it.stream_delay.map(|delay| delay.max),
            },
        ],
    },
    Kind {
        title: "packets",
        label: "packets",
        unit: Unit::PerSecond,
        logarithmic: false,
        curves: &[
            Curve {
                name: "to the server",
                value: |it| Some(it.packets_out),
            },
            Curve {
                name: "from the server",
                value: |it| Some(it.packets_in),
            },
        ],
    },
    Kind {
        title: "processor time of the server",
        label: "used",
        unit: Unit::Cores,
        logarithmic: false,
        curves: &[Curve {
            name: "cores",
            value: |it| it.cpu,
        }],
    },
    Kind {
        title: "memory of the server",
        label: "resident",
        unit: Unit::Bytes,
        logarithmic: false,
        curves: &[Curve {
            name: "resident",
            value: |it| it.resident.map(|bytes| bytes as f64),
        }],
    },
];

/// The plots of one run: those there is something to draw in.
pub(super) fn plots(record: &Record) -> Vec<Plot> {
    let lines = record.times.iter().enumerate();
    let lines = lines.map(|(number, times)| Line {
        name: times.name.clone(),
        paint: Paint {
            colour: number,
            dash: number,
        },
        points: quantiles(times),
    });
    let count = record.times.iter().map(|it| it.count).max();
    let latency = latency("times, by percentile", lines.collect(), count.unwrap_or(0));
    let over_time = KINDS.iter().map(|kind| {
        let curves = kind.curves.iter().enumerate();
        let lines = curves.map(|(number, curve)| Line {
            name: curve.name.to_owned(),
            paint: Paint {
                colour: number,
                dash: number,
            },
            points: samples(record, curve),
        });
        timeline(kind, record, lines.collect())
    });
    [latency].into_iter().chain(over_time).flatten().collect()
}

/// The plots of two runs: each has a colour, and A's lines are drawn first.
pub(super) fn plots_of_both(before: &Record, after: &Record) -> Vec<Plot> {
    let runs = [("A", before), ("B", after)];
    let mut names: Vec<&str> = Vec::new();
    for times in runs.iter().flat_map(|(_, record)| &record.times) {
        if !names.contains(&times.name.as_str()) {
            names.push(&times.name);
        }
    }
    let latencies = names.into_iter().map(|name| {
        let mut most = 0;
        let mut lines = Vec::new();
        for (colour, (run, record)) in runs.iter().enumerate() {
            for times in record.times.iter().filter(|it| it.name == name) {
                most = most.max(times.count);
                lines.push(Line {
                    name: (*run).to_owned(),
                    paint: Paint { colour, dash: 0 },
                    points: quantiles(times),
                });
            }
        }
        latency(&format!("{name}, by percentile"), lines, most)
    });
    let over_time = KINDS.iter().map(|kind| {
        let mut lines = Vec::new();
        for (colour, (run, record)) in runs.iter().enumerate() {
            for (dash, curve) in kind.curves.iter().enumerate() {
                lines.push(Line {
                    name: match kind.curves {
                        [_] => (*run).to_owned(),
                        _ => format!("{run} {}", curve.name),
                    },
                    paint: Paint { colour, dash },
                    points: samples(record, curve),
                });
            }
        }
        timeline(kind, before, lines)
    });
    latencies.chain(over_time).flatten().collect()
}

fn latency(title: &str, lines: Vec<Line>, count: u64) -> Option<Plot> {
    let lines = drawable(lines)?;
    Some(Plot {
        title: title.to_owned(),
        x: Axis {
            label: "percentile".to_owned(),
            scale: Scale::nines(count),
            unit: Unit::Share,
        },
        y: Axis {
            label: "time".to_owned(),
            scale: Scale::logarithmic(coordinates(&lines, |it| it.1)),
            unit: Unit::Micros,
        },
        lines,
    })
}

fn timeline(kind: &Kind, record: &Record, lines: Vec<Line>) -> Option<Plot> {
    let lines = drawable(lines)?;
    let measured = record.times.first().filter(|_| kind.title == DELAY);
    // What several setups have in common is before the comma.
    let named = |name: &str| name.split(',').next().unwrap_or_default().to_owned();
    let measured = measured.map_or_else(|| kind.title.to_owned(), |times| named(&times.name));
    let values = coordinates(&lines, |it| it.1);
    Some(Plot {
        title: format!("{measured}, over time"),
        x: Axis {
            label: "since counting began".to_owned(),
            scale: Scale::exact(coordinates(&lines, |it| it.0)),
            unit: Unit::Seconds,
        },
        y: Axis {
            label: kind.label.to_owned(),
            scale: if kind.logarithmic {
                Scale::logarithmic(values)
            } else {
                Scale::linear(values)
            },
            unit: kind.unit,
        },
        lines,
    })
}

/// `lines` without those that have no point; nothing if none has.
fn drawable(mut lines: Vec<Line>) -> Option<Vec<Line>> {
    lines.retain(|line| line.points.iter().any(Option::is_some));
    (!lines.is_empty()).then_some(lines)
}

fn coordinates(
    lines: &[Line],
    of: impl Fn((f64, f64)) -> f64 + Clone,
) -> impl Iterator<Item = f64> + Clone {
    let points = lines.iter().flat_map(|line| &line.points);
    points.flatten().copied().map(of)
}

/// The curve of `times`, or what its percentiles tell of it.
fn quantiles(times: &Distribution) -> Vec<Option<(f64, f64)>> {
    if times.count == 0 {
        return Vec::new();
    }
    let few = [
        (0.0, times.min),
        (0.5, times.p50),
        (0.9, times.p90),
        (0.99, times.p99),
        (0.999, times.p999),
        (1.0, times.max),
    ];
    let points = if times.curve.is_empty() {
        &few[..]
    } else {
        &times.curve
    };
    points.iter().copied().filter(is_known).map(Some).collect()
}

/// The values of `curve`, with a gap where another part of the run begins.
fn samples(record: &Record, curve: &Curve) -> Vec<Option<(f64, f64)>> {
    let mut points = Vec::with_capacity(record.series.len());
    for parts in record.series.chunk_by(|a, b| a.part == b.part) {
        if !points.is_empty() {
            points.push(None);
        }
        let values = parts.iter().map(|sample| {
            let value = (curve.value)(sample)?;
            Some((sample.at, value)).filter(is_known)
        });
        points.extend(values);
    }
    points
}

fn is_known(point: &(f64, f64)) -> bool {
    point.0.is_finite() && point.1.is_finite()
}
