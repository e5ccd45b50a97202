//! What a run may at most come to, and whether it held.

use super::Tally;
use crate::record::Limit;
use std::time::Duration;

/// What was stated; nothing else is looked at if anything is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Limits {
    pub(crate) p99: Option<Duration>,
    pub(crate) p999: Option<Duration>,
    pub(crate) lost: Option<u64>,
    pub(crate) late: Option<Late>,
}

/// How many answers may be late.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Late {
    Count(u64),
    /// In a hundred of those that were due.
    Percent(f64),
}

impl Limits {
    /// Holds each stated limit against a run, in the order of the options.
    pub(crate) fn check(&self, tally: &Tally) -> Vec<Limit> {
        let times = tally.delay.distribution("");
        // Without a single time none is known, and none below a limit.
        let time = |name: &str, limit: Option<Duration>, value: Option<f64>| {
            limit.map(|limit| {
                let limit = limit.as_nanos() as f64 / 1000.0;
                Limit {
                    name: name.to_owned(),
                    limit,
                    value: value.unwrap_or(f64::NAN),
                    held: value.is_some_and(|value| value <= limit),
                }
            })
        };
        let number = |name: &str, limit: f64, value: f64| Limit {
            name: name.to_owned(),
            limit,
            value,
            held: value <= limit,
        };
        let late = tally.frames.late as f64;
        [
            time("max-p99", self.p99, times.as_ref().map(|it| it.p99)),
            time("max-p999", self.p999, times.as_ref().map(|it| it.p999)),
            self.lost
                .map(|lost| number("max-lost", lost as f64, tally.lost() as f64)),
            self.late.map(|limit| match limit {
                Late::Count(count) => number("max-late", count as f64, late),
                Late::Percent(percent) => {
                    let value = 100.0 * late / tally.expected.max(1) as f64;
                    number("max-late-percent", percent, value)
                }
            }),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Whether a run was as it should be: something was measured, and every limit held, or
    /// without any the run was clean.
    pub(crate) fn hold(&self, tally: &Tally) -> bool {
        if *self == Self::default() {
            return tally.is_clean();
        }
        tally.expected > 0 && self.check(tally).iter().all(|limit| limit.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally() -> Tally {
        let mut tally = Tally::new().unwrap();
        tally.expected = 1000;
        tally.received = 998;
        tally.frames.late = 5;
        (0..1000).for_each(|n| tally.note(Duration::from_micros(100 + n)));
        tally
    }

    #[test]
    fn each_limit_is_held_against_its_value() {
        let limits = Limits {
            p99: Some(Duration::from_millis(2)),
            p999: Some(Duration::from_micros(1050)),
            lost: Some(2),
            late: Some(Late::Percent(0.4)),
        };
        let checked = limits.check(&tally());
        let held: Vec<_> = checked
            .iter()
            .map(|it| (it.name.as_str(), it.held))
            .collect();
        let expected = [
            ("max-p99", true),
            ("max-p999", false),
            ("max-lost", true),
            ("max-late-percent", false),
        ];
        assert_eq!(held, expected);
        assert_eq!((checked[0].limit, checked[2].value), (2000.0, 2.0));
        assert!((checked[3].value - 0.5).abs() < 1e-9);
        assert!(!limits.hold(&tally()));
    }

    #[test]
    fn stated_limits_are_all_that_counts() {
        let lost = |lost| Limits {
            lost: Some(lost),
            ..Limits::default()
        };
        assert!(lost(2).hold(&tally()));
        assert!(!lost(1).hold(&tally()));
        assert!(!Limits::default().hold(&tally()), "two were lost");
        let late = Limits {
            late: Some(Late::Count(5)),
            ..Limits::default()
        };
        assert!(late.hold(&tally()));
        assert_eq!(late.check(&tally())[0].name, "max-late");
    }

    #[test]
    fn nothing_holds_no_limit() {
        let nothing = Tally::new().unwrap();
        let p99 = Limits {
            p99: Some(Duration::from_secs(1)),
            ..Limits::default()
        };
        assert!(!p99.check(&nothing)[0].held);
        let lost = Limits {
            lost: Some(0),
            ..Limits::default()
        };
        assert!(lost.check(&nothing)[0].held);
        assert!(!lost.hold(&nothing), "nothing was due");
    }
}
