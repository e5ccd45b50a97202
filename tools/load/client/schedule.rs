//! When inputs are due, and the dice.

use samara::{kaillera::message::ConnectionType, timer::Time};
use std::time::Duration;

/// One player's times, fixed when its game begins and never moved by what happens in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Schedule {
    /// When message 1 is due.
    first: Time,
    connection_type: ConnectionType,
}

impl Schedule {
    pub(crate) fn new(first: Time, connection_type: ConnectionType) -> Self {
        Self {
            first,
            connection_type,
        }
    }

    /// When message `number` is due; the first is 1.
    pub(crate) fn due(&self, number: u64) -> Time {
        self.first + times_of(number.saturating_sub(1), self.connection_type)
    }

    /// How many messages are due before `end`.
    pub(crate) fn due_before(&self, end: Time) -> u64 {
        if end <= self.first {
            return 0;
        }
        let passed = end.since(self.first).as_nanos();
        // Rounded up: the first is due at once, the others after whole periods.
        let frames = passed * 60;
        let period = u128::from(self.connection_type as u8) * 1_000_000_000;
        frames.div_ceil(period) as u64
    }
}

/// How long one message's frames take.
pub(crate) fn period(connection_type: ConnectionType) -> Duration {
    times_of(1, connection_type)
}

/// Not a multiple of a rounded period: a 60th of a second is no whole number of nanoseconds.
fn times_of(messages: u64, connection_type: ConnectionType) -> Duration {
    let frames = u128::from(messages) * u128::from(connection_type as u8);
    Duration::from_nanos((frames * 1_000_000_000 / 60) as u64)
}

/// Numbers that look random and are the same for the same seed (splitmix64).
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Dice of their own for each `stream` of one seed.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let mut dice = Self(seed ^ stream.wrapping_mul(0xD134_2543_DE82_EF95));
        dice.roll();
        dice
    }

    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    /// A part of `whole`.
    pub(crate) fn part_of(&mut self, whole: Duration) -> Duration {
        Duration::from_nanos(self.roll() % (whole.as_nanos() as u64).max(1))
    }

    /// True so many times in a hundred.
    pub(crate) fn percent(&mut self, percent: u32) -> bool {
        self.roll() % 100 < u64::from(percent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ConnectionType::{Bad, Good, Lan};

    #[test]
    fn times_do_not_drift() {
        let schedule = Schedule::new(Time::from_millis(100), Lan);
        assert_eq!(schedule.due(1), Time::from_millis(100));
        assert_eq!(schedule.due(2), Time::from_nanos(116_666_666));
        assert_eq!(schedule.due(61), Time::from_millis(1_100));
        assert_eq!(schedule.due(1 + 60 * 86_400), Time::from_millis(86_400_100));
        let schedule = Schedule::new(Time::ZERO, Good);
        assert_eq!(schedule.due(21), Time::from_millis(1_000));
        assert_eq!(period(Bad), Duration::from_millis(100));
    }

    #[test]
    fn counts_what_is_due() {
        for connection_type in [Lan, Good, Bad] {
            let schedule = Schedule::new(Time::from_millis(50), connection_type);
            assert_eq!(schedule.due_before(Time::from_millis(50)), 0);
            assert_eq!(schedule.due_before(Time::from_millis(51)), 1);
            for number in 1..500 {
                let due = schedule.due(number);
                // Times are cut to whole nanoseconds, the count is exact: at most one apart.
                assert!(schedule.due_before(due) <= number);
                assert!(schedule.due_before(due) >= number - 1);
                assert_eq!(schedule.due_before(due + Duration::from_nanos(1)), number);
            }
        }
        let schedule = Schedule::new(Time::ZERO, Lan);
        assert_eq!(schedule.due_before(Time::from_millis(30_000)), 1800);
    }

    #[test]
    fn dice_repeat_and_streams_differ() {
        let rolls = |seed, stream| {
            let mut dice = Dice::new(seed, stream);
            [(); 4].map(|()| dice.roll())
        };
        assert_eq!(rolls(1, 1), rolls(1, 1));
        assert_ne!(rolls(1, 1), rolls(1, 2));
        assert_ne!(rolls(1, 1), rolls(2, 1));
    }
}
