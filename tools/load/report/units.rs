//! Numbers as people read them.

pub(super) use crate::record::Unit;

/// Stands for a number that is not known.
pub(super) const UNKNOWN: &str = "–";

/// From the largest down: how many of the base unit, and the name.
const TIMES: [(f64, &str); 4] = [(1e6, "s"), (1e3, "ms"), (1.0, "µs"), (1e-3, "ns")];
const SIZES: [(f64, &str); 4] = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")];
const RATES: [(f64, &str); 4] = [(1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")];

impl Unit {
    /// `value` to about three digits, or whole if it is a count.
    pub(super) fn show(self, value: f64) -> String {
        if !value.is_finite() {
            return UNKNOWN.to_owned();
        }
        match self {
            Self::Count => grouped(value, 0),
            Self::Number => shortest(value, 2),
            Self::PerSecond => format!("{}/s", grouped(value, decimals(value, 10.0))),
            Self::Seconds => format!("{} s", grouped(value, 1)),
            Self::Cores => grouped(value, 2),
            Self::Share => percent(value),
            Self::Micros | Self::Bytes | Self::BytesPerSecond => {
                let (factor, name) = self.scale(value);
                let scaled = value / factor;
                let whole = factor == 1.0 && self != Self::Micros;
                let digits = if whole { 0 } else { significant(scaled) };
                format!("{} {name}", grouped(scaled, digits))
            }
        }
    }

    /// A mark on an axis: without the zeros after the point.
    pub(super) fn mark(self, value: f64) -> String {
        match self {
            Self::Micros | Self::Bytes | Self::BytesPerSecond => {
                let (factor, name) = self.scale(value);
                format!("{} {name}", shortest(value / factor, 3))
            }
            Self::Share => percentile(value),
            Self::Seconds => format!("{} s", shortest(value, 1)),
            _ => shortest(value, 6),
        }
    }

    /// What an axis up to `high` is divided by, and the name of what is left.
    pub(super) fn scale(self, high: f64) -> (f64, &'static str) {
        let scales = match self {
            Self::Micros => TIMES,
            Self::Bytes => SIZES,
            Self::BytesPerSecond => RATES,
            Self::PerSecond => return (1.0, "per second"),
            Self::Seconds => return (1.0, "seconds"),
            Self::Cores => return (1.0, "cores"),
            Self::Count | Self::Number | Self::Share => return (1.0, ""),
        };
        // What would be rounded up to a thousand is one of the next unit.
        let fits = |(factor, _): &&(f64, &str)| high.abs() >= 0.9995 * factor;
        let base = if self == Self::Micros { 2 } else { 3 };
        let smallest = if high == 0.0 { base } else { 3 };
        let found = scales.iter().find(fits).or_else(|| scales.get(smallest));
        found.copied().unwrap_or((1.0, ""))
    }
}

/// `quantile` as a percentile, with as many nines as it has.
pub(super) fn percentile(quantile: f64) -> String {
    shortest(100.0 * quantile, 6)
}

/// `value` with a comma for each thousand.
pub(super) fn grouped(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return UNKNOWN.to_owned();
    }
    if value.abs() >= 1e15 {
        return format!("{value:.2e}");
    }
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text.as_str(), None),
    };
    let is_zero = text.chars().all(|it| matches!(it, '0' | '.'));
    let mut grouped = String::with_capacity(text.len() + text.len() / 3 + 1);
    if value < 0.0 && !is_zero {
        grouped.push('-');
    }
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if let Some(fraction) = fraction {
        grouped.push('.');
        grouped.push_str(fraction);
    }
    grouped
}

/// At most `decimals`, and no zeros at the end.
fn shortest(value: f64, decimals: usize) -> String {
    let text = grouped(value, decimals);
    if text.contains('.') && !text.contains('e') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent.abs() {
        it if it > 0.0 && it < 0.0001 => "< 0.0001 %".to_owned(),
        it if it < 1.0 => format!("{} %", shortest(percent, 4)),
        _ => format!("{} %", shortest(percent, 2)),
    }
}

/// Digits after the point for three in all.
fn significant(value: f64) -> usize {
    match value.abs() {
        it if it >= 99.95 => 0,
        it if it >= 9.995 => 1,
        _ => 2,
    }
}

/// One digit after the point below `whole`.
fn decimals(value: f64, whole: f64) -> usize {
    usize::from(value != 0.0 && value.abs() < whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_sensible_units() {
        for (micros, text) in [
            (0.0, "0.00 µs"),
            (0.25, "250 ns"),
            (1.0, "1.00 µs"),
            (48.04, "48.0 µs"),
            (310.2, "310 µs"),
            (999.4, "999 µs"),
            (999.6, "1.00 ms"),
            (8_312.0, "8.31 ms"),
            (2_500_000.0, "2.50 s"),
            (-48.0, "-48.0 µs"),
        ] {
            assert_eq!(Unit::Micros.show(micros), text, "{micros}");
        }
        assert_eq!(Unit::Micros.mark(200.0), "200 µs");
        assert_eq!(Unit::Micros.mark(5000.0), "5 ms");
        assert_eq!(Unit::Micros.mark(0.0), "0 µs");
    }

    #[test]
    fn counts_are_grouped_by_thousands() {
        for (value, text) in [
            (0.0, "0"),
            (999.0, "999"),
            (1000.0, "1,000"),
            (1_234_567.0, "1,234,567"),
            (-1_234.0, "-1,234"),
        ] {
            assert_eq!(Unit::Count.show(value), text);
        }
        assert_eq!(Unit::PerSecond.show(60_012.3), "60,012/s");
        assert_eq!(Unit::PerSecond.show(0.25), "0.2/s");
        assert_eq!(Unit::Number.show(99.70), "99.7");
        assert_eq!(Unit::Number.show(-0.001), "0");
    }

    #[test]
    fn sizes_are_decimal() {
        assert_eq!(Unit::Bytes.show(0.0), "0 B");
        assert_eq!(Unit::Bytes.show(512.0), "512 B");
        assert_eq!(Unit::Bytes.show(50_331_648.0), "50.3 MB");
        assert_eq!(Unit::BytesPerSecond.show(1_260_000.0), "1.26 MB/s");
    }

    #[test]
    fn shares_are_percentages() {
        for (share, text) in [
            (0.0, "0 %"),
            (0.000_000_5, "< 0.0001 %"),
            (0.000_007, "0.0007 %"),
            (0.0123, "1.23 %"),
            (1.0, "100 %"),
        ] {
            assert_eq!(Unit::Share.show(share), text);
        }
        assert_eq!(percentile(0.999), "99.9");
        assert_eq!(percentile(1.0 - 1e-5), "99.999");
    }

    #[test]
    fn no_unit_shows_what_is_no_number() {
        let units = [
            Unit::Count,
            Unit::Number,
            Unit::Micros,
            Unit::Seconds,
            Unit::Bytes,
            Unit::PerSecond,
            Unit::BytesPerSecond,
            Unit::Share,
            Unit::Cores,
        ];
        for unit in units {
            for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                assert_eq!(unit.show(value), UNKNOWN);
            }
            for value in [0.0, -0.0, 1e300, f64::MIN_POSITIVE] {
                let texts = [unit.show(value), unit.mark(value)];
                assert!(texts.iter().all(|it| it.len() < 24), "{texts:?}");
            }
        }
    }
}
