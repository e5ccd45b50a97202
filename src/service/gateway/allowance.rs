//! How much one client may say: two buckets that fill with time.

use crate::timer::Time;
use std::time::Duration;

/// Packets and bytes of one client per second; 0 is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// Packets per second.
    pub packets: u32,
    /// Bytes per second, headers included.
    pub bytes: u32,
}

impl Rate {
    /// Whether there is a limit at all.
    pub fn is_limited(self) -> bool {
        self.packets > 0 || self.bytes > 0
    }
}

/// What one client has left of its [`Rate`]: what it did not use in the last second it may use
/// at once.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    packets: Bucket,
    bytes: Bucket,
}

impl Allowance {
    /// A full one.
    pub fn new(rate: Rate, now: Time) -> Self {
        Self {
            packets: Bucket::new(rate.packets, now),
            bytes: Bucket::new(rate.bytes, now),
        }
    }

    /// Takes a packet of so many bytes out of it. Fails with the time to wait if it is used up;
    /// a packet longer than what is left is let through, and paid for afterwards.
    pub fn spend(&mut self, now: Time, bytes: usize) -> Result<(), Duration> {
        self.packets.fill(now);
        self.bytes.fill(now);
        let wait = self.packets.wait().max(self.bytes.wait());
        if wait > Duration::ZERO {
            return Err(wait);
        }
        self.packets.take(1);
        self.bytes.take(bytes);
        Ok(())
    }
}

/// Counts in billionths, so that a short time at a low rate is not lost.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    per_second: u32,
    /// Below zero while what was taken is not yet paid for.
    billionths: i128,
    filled: Time,
}

const BILLION: i128 = 1_000_000_000;

impl Bucket {
    fn new(per_second: u32, now: Time) -> Self {
        Self {
            per_second,
            billionths: i128::from(per_second) * BILLION,
            filled: now,
        }
    }

    fn fill(&mut self, now: Time) {
        let passed = now.since(self.filled).as_nanos() as i128;
        let most = i128::from(self.per_second) * BILLION;
        self.billionths = (self.billionths + passed * i128::from(self.per_second)).min(most);
        self.filled = now;
    }

    fn take(&mut self, amount: usize) {
        if self.per_second > 0 {
            self.billionths -= amount as i128 * BILLION;
        }
    }

    fn wait(&self) -> Duration {
        if self.per_second == 0 || self.billionths > 0 {
            return Duration::ZERO;
        }
        let nanos = (BILLION - self.billionths) / i128::from(self.per_second);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spent(allowance: &mut Allowance, now: Time, bytes: usize) -> usize {
        (0..10_000)
            .take_while(|_| allowance.spend(now, bytes).is_ok())
            .count()
    }

    #[test]
    fn packets_are_limited_and_come_back() {
        let rate = Rate {
            packets: 100,
            bytes: 0,
        };
        let mut allowance = Allowance::new(rate, Time::ZERO);
        assert_eq!(spent(&mut allowance, Time::ZERO, 9000), 100);
        let wait = allowance.spend(Time::ZERO, 1).unwrap_err();
        assert_eq!(wait, Duration::from_millis(10));
        assert_eq!(spent(&mut allowance, Time::ZERO + wait, 1), 1);
        let later = Time::from_millis(5000);
        assert_eq!(spent(&mut allowance, later, 1), 100);
    }

    #[test]
    fn a_long_packet_is_paid_for_afterwards() {
        let rate = Rate {
            packets: 0,
            bytes: 1000,
        };
        let mut allowance = Allowance::new(rate, Time::ZERO);
        assert!(allowance.spend(Time::ZERO, 3000).is_ok());
        let wait = allowance.spend(Time::ZERO, 1).unwrap_err();
        assert!(wait > Duration::from_secs(2), "{wait:?}");
        assert!(allowance.spend(Time::ZERO + wait, 1).is_ok());
    }

    #[test]
    fn no_limit_is_none() {
        let mut allowance = Allowance::new(Rate::default(), Time::ZERO);
        assert_eq!(spent(&mut allowance, Time::ZERO, usize::MAX >> 40), 10_000);
        assert!(!Rate::default().is_limited());
    }
}
