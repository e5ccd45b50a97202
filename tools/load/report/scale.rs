//! Where a number is on an axis, and which places are marked.

use super::units::{Unit, grouped, percentile};

/// Beyond so many nines no run has enough to tell.
const MOST_NINES: f64 = 8.0;
/// Decades that leave room for marks between them.
const FEW_DECADES: f64 = 2.5;
const MARKS: f64 = 5.0;
/// No axis begins below or ends above these, whatever a file has.
const LEAST: f64 = 1e-6;
const MOST: f64 = 1e15;

/// How numbers are spread over an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scale {
    /// From zero.
    Linear {
        high: f64,
    },
    Logarithmic {
        low: f64,
        high: f64,
    },
    /// Quantiles: each nine takes as much room as the one before.
    Nines {
        most: f64,
    },
}

/// A marked place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mark {
    /// From 0, where the axis begins, to 1.
    pub(super) at: f64,
    pub(super) text: String,
}

impl Scale {
    /// From zero to exactly the highest of `values`.
    pub(super) fn exact(values: impl Iterator<Item = f64>) -> Self {
        Self::Linear { high: top(values) }
    }

    /// From zero to a mark not below any of `values`.
    pub(super) fn linear(values: impl Iterator<Item = f64>) -> Self {
        let high = top(values);
        let step = step(high);
        Self::Linear {
            high: step * (high / step - 1e-9).ceil(),
        }
    }

    /// Between marks around all of `values` above zero.
    pub(super) fn logarithmic(values: impl Iterator<Item = f64> + Clone) -> Self {
        let positive = values
            .filter(|&it| it > 0.0)
            .map(|it| it.clamp(LEAST, MOST));
        let high = highest(positive.clone()).unwrap_or(1.0);
        let low = -highest(positive.map(|it| -it)).unwrap_or(-high);
        let (low, high) = (round_down(low), round_up(high));
        Self::Logarithmic {
            low,
            high: if low < high {
                high
            } else {
                round_up(high * 1.5)
            },
        }
    }

    /// As deep as `count` numbers go.
    pub(super) fn nines(count: u64) -> Self {
        Self::Nines {
            most: (count as f64).log10().clamp(1.0, MOST_NINES),
        }
    }

    /// From 0, where the axis begins, to 1; what is beyond either is there.
    pub(super) fn place(&self, value: f64) -> f64 {
        let place = match *self {
            Self::Linear { high } => value / high,
            Self::Logarithmic { low, high } => (value / low).log10() / (high / low).log10(),
            Self::Nines { most } => -(1.0 - value).log10() / most,
        };
        // Of a logarithm of nothing, too.
        if place.is_nan() {
            0.0
        } else {
            place.clamp(0.0, 1.0)
        }
    }

    /// The marks, rising, as texts in `unit`.
    pub(super) fn marks(&self, unit: Unit) -> Vec<Mark> {
        let mark = |value, text| Mark {
            at: self.place(value),
            text,
        };
        match *self {
            Self::Linear { high } => {
                let (factor, _) = unit.scale(high);
                let step = step(high);
                let decimals = (factor / step).log10().ceil().clamp(0.0, 6.0) as usize;
                let steps = (high / step + 1e-9).min(2.0 * MARKS) as u32;
                let values = (0..=steps).map(|number| f64::from(number) * step);
                values
                    .map(|value| mark(value, grouped(value / factor, decimals)))
                    .collect()
            }
            Self::Logarithmic { low, high } => {
                let few = (high / low).log10() <= FEW_DECADES;
                let digits: &[f64] = if few { &[1.0, 2.0, 5.0] } else { &[1.0] };
                let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
                decades
                    .flat_map(|decade| digits.iter().map(move |it| it * 10_f64.powi(decade)))
                    .filter(|&it| it > low * 0.999 && it < high * 1.001)
                    .map(|value| mark(value, unit.mark(value)))
                    .collect()
            }
            Self::Nines { most } => {
                let quantiles = (1..=most as i32).map(|nines| 1.0 - 10_f64.powi(-nines));
                [0.5]
                    .into_iter()
                    .chain(quantiles)
                    .map(|quantile| mark(quantile, percentile(quantile)))
                    .collect()
            }
        }
    }
}

/// The highest of `values`, or one if none is above zero.
fn top(values: impl Iterator<Item = f64>) -> f64 {
    let high = highest(values).filter(|&it| it > 0.0);
    high.map_or(1.0, |it| it.clamp(LEAST, MOST))
}

fn highest(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.filter(|it| it.is_finite()).reduce(f64::max)
}

/// The distance of about [`MARKS`] marks up to `high`.
fn step(high: f64) -> f64 {
    round_up(high / MARKS)
}

/// The next 1, 2 or 5 with zeros.
fn round_up(value: f64) -> f64 {
    let decade = 10_f64.powf(value.log10().floor());
    let digits = [1.0, 2.0, 5.0];
    let fits = digits
        .iter()
        .find(|&digit| digit * decade >= value * 0.999_999);
    fits.unwrap_or(&10.0) * decade
}

/// The 1, 2 or 5 with zeros before it.
fn round_down(value: f64) -> f64 {
    let decade = 10_f64.powf(value.log10().floor());
    let digits = [5.0, 2.0, 1.0];
    let fits = digits
        .iter()
        .find(|&digit| digit * decade <= value * 1.000_001);
    fits.unwrap_or(&1.0) * decade
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(scale: &Scale, unit: Unit) -> Vec<String> {
        scale.marks(unit).into_iter().map(|it| it.text).collect()
    }

    #[test]
    fn linear_axes_begin_at_zero_and_end_on_a_mark() {
        let scale = Scale::linear([61_234.0, 12.0, f64::NAN].into_iter());
        assert_eq!(scale, Scale::Linear { high: 80_000.0 });
        assert_eq!(
            texts(&scale, Unit::PerSecond),
            ["0", "20,000", "40,000", "60,000", "80,000"]
        );
        assert_eq!(scale.place(20_000.0), 0.25);
        let memory = Scale::linear([49_200_000.0].into_iter());
        assert_eq!(
            texts(&memory, Unit::Bytes),
            ["0", "10", "20", "30", "40", "50"]
        );
        let cores = Scale::linear([0.71].into_iter());
        assert_eq!(
            texts(&cores, Unit::Cores),
            ["0.0", "0.2", "0.4", "0.6", "0.8"]
        );
    }

    #[test]
    fn logarithmic_axes_lie_between_round_numbers() {
        let scale = Scale::logarithmic([48.0, 8310.0, 0.0, f64::NAN].into_iter());
        assert_eq!(
            scale,
            Scale::Logarithmic {
                low: 20.0,
                high: 10_000.0
            }
        );
        assert_eq!(texts(&scale, Unit::Micros), ["100 µs", "1 ms", "10 ms"]);
        let narrow = Scale::logarithmic([48.0, 310.0].into_iter());
        assert_eq!(
            texts(&narrow, Unit::Micros),
            ["20 µs", "50 µs", "100 µs", "200 µs", "500 µs"]
        );
        assert!((narrow.place(100.0) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn each_nine_takes_as_much_room() {
        let scale = Scale::nines(1_000_000);
        assert_eq!(
            texts(&scale, Unit::Share),
            ["50", "90", "99", "99.9", "99.99", "99.999", "99.9999"]
        );
        assert!((scale.place(0.999) - 0.5).abs() < 1e-9);
        assert_eq!((scale.place(0.0), scale.place(1.0)), (0.0, 1.0));
    }

    #[test]
    fn nothing_to_show_still_makes_an_axis() {
        let none = || std::iter::empty::<f64>();
        let zeros = || [0.0, 0.0].into_iter();
        for scale in [
            Scale::linear(none()),
            Scale::linear(zeros()),
            Scale::exact(none()),
            Scale::logarithmic(none()),
            Scale::logarithmic(zeros()),
            Scale::logarithmic([100.0].into_iter()),
            Scale::linear([f64::MAX].into_iter()),
            Scale::exact([f64::MIN_POSITIVE].into_iter()),
            Scale::logarithmic([f64::MIN_POSITIVE, f64::MAX].into_iter()),
            Scale::nines(u64::MAX),
            Scale::nines(0),
            Scale::nines(1),
        ] {
            let marks = scale.marks(Unit::Number);
            assert!((2..30).contains(&marks.len()), "{scale:?} {marks:?}");
            assert!(
                marks.is_sorted_by(|a, b| a.at < b.at),
                "{scale:?} {marks:?}"
            );
            for value in [0.0, 1.0, f64::NAN, f64::INFINITY, -1.0] {
                assert!((0.0..=1.0).contains(&scale.place(value)), "{scale:?}");
            }
        }
    }
}
