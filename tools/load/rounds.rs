//! Setups that are measured in turns, and what one is to the other.
//!
//! Machines drift: they warm up, and others use them. So each setup is measured in every round,
//! in an order that changes, and ratios are made within a round.

use crate::{
    measure::{Outcome, Times},
    record::{Compared, Comparison, Sample, Unit},
    run::Step,
};
use std::{cmp::Ordering, io};

/// One number of a setup in one round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) unit: Unit,
    /// NaN if it is not known.
    pub(crate) value: f64,
}

/// All rounds: per setup and round what became of its sides.
pub(crate) struct Rounds {
    setups: Vec<Vec<Vec<Outcome>>>,
    /// Samples of all in the order they were made.
    pub(crate) series: Vec<Sample>,
}

/// Measures each of the `setups`, named, once in every round.
///
/// # Errors
///
/// Those of `measure`; and when it is cut short before the first round is whole.
pub(crate) fn take_turns(
    rounds: u32,
    setups: &[&'static str],
    mut measure: impl FnMut(usize, Step) -> io::Result<Vec<Outcome>>,
) -> io::Result<Rounds> {
    let mut all = Rounds {
        setups: setups.iter().map(|_| Vec::new()).collect(),
        series: Vec::new(),
    };
    let mut passed = 0.0;
    let of = rounds * setups.len() as u32;
    for number in 0..of {
        let setup = turn(number as usize, setups.len());
        let (Some(name), Some(kept)) = (setups.get(setup), all.setups.get_mut(setup)) else {
            continue;
        };
        let number = number + 1;
        let outcomes = measure(setup, Step { number, of, name })?;
        if outcomes.iter().any(|it| it.cut_short) {
            break;
        }
        all.series.extend(in_row(name, &outcomes, passed));
        passed += outcomes.first().map_or(0.0, |it| it.seconds);
        kept.push(outcomes);
    }
    let whole = all.setups.iter().map(Vec::len).min().unwrap_or(0);
    if whole == 0 {
        let told = "ended before everything was measured once";
        return Err(io::Error::new(io::ErrorKind::Interrupted, told));
    }
    // What has no counterpart is not compared.
    all.setups.iter_mut().for_each(|it| it.truncate(whole));
    Ok(all)
}

/// Whose turn it is; each round begins with another setup.
fn turn(number: usize, setups: usize) -> usize {
    let (round, place) = (number / setups, number % setups);
    (round + place) % setups
}

/// The samples of all sides, which were made at the same times, in one.
fn in_row(name: &str, outcomes: &[Outcome], passed: f64) -> Vec<Sample> {
    let (first, others) = match outcomes {
        [first, others @ ..] => (first, others),
        [] => return Vec::new(),
    };
    let joined = |(number, sample): (usize, &Sample)| {
        let mut joined = Sample {
            at: passed + sample.at,
            part: Some(name.to_owned()),
            ..sample.clone()
        };
        for other in others.iter().filter_map(|it| it.series.get(number)) {
            joined.stream_delay = joined.stream_delay.or(other.stream_delay);
            joined.packets_out += other.packets_out;
            joined.packets_in += other.packets_in;
        }
        joined
    };
    first.series.iter().enumerate().map(joined).collect()
}

impl Rounds {
    /// What became of one side of a setup, per round.
    pub(crate) fn of(&self, setup: usize, side: usize) -> impl Iterator<Item = &Outcome> {
        let rounds = self.setups.get(setup).into_iter().flatten();
        rounds.filter_map(move |it| it.get(side))
    }
}

/// Holds two setups against each other, by the figures of each in each round; both have the same
/// figures.
pub(crate) fn compare(
    [name, base, other]: [&str; 3],
    bases: &[Vec<Figure>],
    others: &[Vec<Figure>],
) -> Comparison {
    let figures = bases.first().into_iter().flatten().enumerate();
    let compared = |(place, figure): (usize, &Figure)| {
        let values = |rounds: &[Vec<Figure>]| -> Vec<f64> {
            let values = rounds.iter().filter_map(|it| it.get(place));
            values.map(|it| it.value).collect()
        };
        let (base, other) = (values(bases), values(others));
        let pairs = base.iter().zip(&other);
        let mut ratios: Vec<f64> = pairs.map(|(base, other)| other / base).collect();
        ratios.retain(|it| it.is_finite());
        let all = match figure.unit {
            Unit::Count => |values: &[f64]| values.iter().sum(),
            _ => median,
        };
        Compared {
            name: figure.name.to_owned(),
            unit: figure.unit,
            base: all(&base),
            other: all(&other),
            ratio: median(&ratios),
            least: ratios.iter().copied().fold(f64::NAN, f64::min),
            most: ratios.iter().copied().fold(f64::NAN, f64::max),
        }
    };
    Comparison {
        name: name.to_owned(),
        base: base.to_owned(),
        other: other.to_owned(),
        rounds: bases.len().min(others.len()) as u32,
        figures: figures.map(compared).collect(),
    }
}

/// NaN of nothing.
fn median(values: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|it| !it.is_nan()).collect();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    let at = |place: usize| sorted.get(place).copied().unwrap_or(f64::NAN);
    let middle = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) {
        (at(middle.wrapping_sub(1)) + at(middle)) / 2.0
    } else {
        at(middle)
    }
}

/// The percentiles of what was measured, which is called `names`.
pub(crate) fn percentiles(names: [&'static str; 3], times: &Times) -> [Figure; 3] {
    let all = times.distribution("");
    let values = all.map_or([f64::NAN; 3], |it| [it.p50, it.p99, it.p999]);
    let [p50, p99, p999] = names;
    let [a, b, c] = values;
    [(p50, a), (p99, b), (p999, c)].map(|(name, value)| Figure {
        name,
        unit: Unit::Micros,
        value,
    })
}

/// Cores that the server used.
pub(crate) fn cores(outcome: &Outcome) -> Figure {
    let used = outcome.server.as_ref().map(|it| it.cpu_seconds);
    Figure {
        name: "cores used",
        unit: Unit::Cores,
        value: used.map_or(f64::NAN, |seconds| seconds / outcome.seconds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Tally;

    fn outcome(packets_in: f64) -> Outcome {
        Outcome {
            tally: Tally::new().unwrap(),
            began: 1,
            seconds: 2.0,
            series: vec![Sample {
                at: 2.0,
                packets_in,
                ..Sample::default()
            }],
            server: None,
            cut_short: false,
        }
    }

    fn round(value: f64) -> Vec<Figure> {
        let figure = |name, unit| Figure { name, unit, value };
        vec![figure("p99", Unit::Micros), figure("lost", Unit::Count)]
    }

    #[test]
    fn everybody_begins_once() {
        let order: Vec<_> = (0..9).map(|number| turn(number, 3)).collect();
        assert_eq!(order, [0, 1, 2, 1, 2, 0, 2, 0, 1]);
    }

    #[test]
    fn all_are_measured_in_each_round() {
        let mut seen = Vec::new();
        let rounds = take_turns(2, &["one", "both"], |setup, step| {
            seen.push((setup, step.number, step.name));
            Ok((0..=setup).map(|_| outcome(5.0)).collect())
        })
        .unwrap();
        let expected = [(0, 1, "one"), (1, 2, "both"), (1, 3, "both"), (0, 4, "one")];
        assert_eq!(seen, expected);
        let count = |setup, side| rounds.of(setup, side).count();
        assert_eq!(
            (count(0, 0), count(0, 1), count(1, 0), count(1, 1)),
            (2, 0, 2, 2)
        );
        let samples = rounds.series.iter();
        let samples: Vec<_> = samples
            .map(|it| (it.at, it.packets_in, it.part.as_deref().unwrap()))
            .collect();
        let expected = [
            (2.0, 5.0, "one"),
            (4.0, 10.0, "both"),
            (6.0, 10.0, "both"),
            (8.0, 5.0, "one"),
        ];
        assert_eq!(samples, expected);
    }

    #[test]
    fn only_whole_rounds_are_compared() {
        let mut left = 3;
        let mut measure = |_, _| {
            let mut outcome = outcome(1.0);
            outcome.cut_short = left == 0;
            left -= 1;
            Ok(vec![outcome])
        };
        let rounds = take_turns(5, &["a", "b"], &mut measure).unwrap();
        assert_eq!((rounds.of(0, 0).count(), rounds.of(1, 0).count()), (1, 1));
        let cut = |_, _| {
            let mut outcome = outcome(1.0);
            outcome.cut_short = true;
            Ok(vec![outcome])
        };
        assert!(take_turns(5, &["a", "b"], cut).is_err());
    }

    #[test]
    fn ratios_are_made_within_a_round() {
        let bases = [10.0, 20.0, 1000.0].map(round);
        let others = [20.0, 30.0, 1000.0].map(round);
        let compared = compare(["maple", "alone", "together"], &bases, &others);
        assert_eq!(compared.rounds, 3);
        let [p99, lost] = compared.figures.as_slice() else {
            panic!("{compared:?}");
        };
        assert_eq!((p99.base, p99.other), (20.0, 30.0));
        assert_eq!((p99.ratio, p99.least, p99.most), (1.5, 1.0, 2.0));
        assert_eq!((lost.base, lost.other), (1030.0, 1050.0));
    }

    #[test]
    fn nothing_has_no_ratio() {
        let rounds = [round(0.0)];
        let compared = compare(["maple", "alone", "together"], &rounds, &rounds);
        assert!(compared.figures.iter().all(|it| it.ratio.is_nan()));
        assert!(median(&[]).is_nan());
        assert_eq!(median(&[4.0, f64::NAN, 1.0, 3.0, 2.0]), 2.5);
    }
}
