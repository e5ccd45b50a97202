//! When lists are told, and when a failure is worth a line in the log.

use crate::timer::Time;
use std::time::Duration;

/// A failure that was told of is not told of again for this long.
const SILENCE: Duration = Duration::from_secs(6 * 60 * 60);

/// Times that come round at a pace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounds {
    next: Time,
    every: Duration,
}

impl Rounds {
    pub(super) fn new(first: Time, every: Duration) -> Self {
        Self { next: first, every }
    }

    /// Whether it is time; if so, the next time is a pace from `now`, however late this one was.
    pub(super) fn is_due(&mut self, now: Time) -> bool {
        let due = self.next <= now;
        if due {
            self.next = now + self.every;
        }
        due
    }

    pub(super) fn next(&self) -> Time {
        self.next
    }
}

/// Says which failures the log is told of: the first, and then one in six hours.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Grumble {
    silent_until: Option<Time>,
}

impl Grumble {
    pub(super) fn is_due(&mut self, now: Time) -> bool {
        let due = self.silent_until.is_none_or(|until| until <= now);
        if due {
            self.silent_until = Some(now + SILENCE);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_a_pace_apart_however_late_one_is() {
        let minute = Duration::from_secs(60);
        let mut rounds = Rounds::new(Time::from_millis(10_000), minute);
        let mut due = Vec::new();
        for second in 0..200 {
            // From 70 to 99 the thread is in a call.
            if !(70..100).contains(&second) && rounds.is_due(Time::from_millis(second * 1000)) {
                due.push(second);
            }
        }
        assert_eq!(due, [10, 100, 160]);
        assert_eq!(rounds.next(), Time::from_millis(220_000));
    }

    #[test]
    fn failures_are_told_of_every_six_hours() {
        let mut grumble = Grumble::default();
        let hour = |hour: u64| Time::from_millis(hour * 3_600_000);
        let due: Vec<_> = (0..20).filter(|&it| grumble.is_due(hour(it))).collect();
        assert_eq!(due, [0, 6, 12, 18]);
    }
}
