//! What an operator may change while the server runs and threads other than the lobby's look at.

use crate::lobby::rules::Rules;
use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

/// Copies of some of the lobby's rules; each stands alone, so that nobody has to wait for another.
#[derive(Debug, Default)]
pub(super) struct Live {
    keepalive_ms: AtomicU64,
    idle_ms: AtomicU64,
    lag_window_ms: AtomicU64,
    watching: AtomicBool,
}

impl Live {
    pub(super) fn new(rules: &Rules) -> Self {
        let live = Self::default();
        live.set(rules);
        live
    }

    pub(super) fn set(&self, rules: &Rules) {
        let Rules {
            keepalive_timeout,
            idle_timeout,
            lag_window,
            watching,
            ..
        } = rules;
        for (target, time) in [
            (&self.keepalive_ms, keepalive_timeout),
            (&self.idle_ms, idle_timeout),
            (&self.lag_window_ms, lag_window),
        ] {
            let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            target.store(millis, Ordering::Relaxed);
        }
        self.watching.store(*watching, Ordering::Relaxed);
    }

    /// A user without any new message for this long is gone.
    pub(super) fn keepalive_timeout(&self) -> Duration {
        read(&self.keepalive_ms)
    }

    /// A user without activity for this long is sent away; `None` is never.
    pub(super) fn idle_timeout(&self) -> Option<Duration> {
        Some(read(&self.idle_ms)).filter(|time| !time.is_zero())
    }

    /// How far back a game that begins tells lag.
    pub(super) fn lag_window(&self) -> Duration {
        read(&self.lag_window_ms)
    }

    /// Whether a game that begins can be watched.
    pub(super) fn watching(&self) -> bool {
        self.watching.load(Ordering::Relaxed)
    }
}

fn read(millis: &AtomicU64) -> Duration {
    Duration::from_millis(millis.load(Ordering::Relaxed))
}
