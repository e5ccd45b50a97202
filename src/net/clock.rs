//! Where [`Time`] comes from.

use crate::timer::Time;
use std::time::Instant;

/// The process's monotonic clock; copies agree.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    /// A clock that starts at [`Time::ZERO`].
    pub fn start() -> Self {
        Self {
            start: Instant::now(),
        }
    }

    /// The time it is.
    pub fn now(&self) -> Time {
        Time::ZERO + self.start.elapsed()
    }
}
