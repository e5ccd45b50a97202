//! A line an hour about how the server is (kaillera-server.md 6.5).

use crate::service::kaillera::Census;
use std::{
    fmt,
    time::{Duration, Instant},
};

const HOUR: Duration = Duration::from_secs(60 * 60);

/// Says when an hour is over.
#[derive(Debug)]
pub(super) struct Hourly {
    next: Instant,
}

impl Hourly {
    pub(super) fn new(now: Instant) -> Self {
        Self { next: now + HOUR }
    }

    /// Whether one is over; hours that nobody asked in are one.
    pub(super) fn is_due(&mut self, now: Instant) -> bool {
        let due = self.next <= now;
        if due {
            self.next = now + HOUR;
        }
        due
    }
}

/// How many there are of what.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    users: usize,
    users_playing: usize,
    rooms: usize,
    /// Whose game runs or is about to.
    rooms_busy: usize,
    rooms_synchronizing: usize,
}

impl State {
    pub(super) fn of(census: &Census) -> Self {
        let (rooms_busy, users_playing) = census.playing();
        Self {
            users: census.users(),
            users_playing,
            rooms: census.games(),
            rooms_busy,
            rooms_synchronizing: census.synchronizing(),
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The numbers are read one by one, while they change.
        let idle = self.users.saturating_sub(self.users_playing);
        let waiting = self.rooms.saturating_sub(self.rooms_busy);
        let playing = self.rooms_busy.saturating_sub(self.rooms_synchronizing);
        let Self {
            users,
            users_playing,
            rooms,
            rooms_synchronizing,
            ..
        } = self;
        write!(
            f,
            "users: {users} ({idle} idle, {users_playing} playing), rooms: {rooms} \
             ({waiting} waiting, {rooms_synchronizing} synchronizing, {playing} playing)"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_is_told_once() {
        let begin = Instant::now();
        let mut hourly = Hourly::new(begin);
        let minute = |minute: u64| begin + Duration::from_secs(minute * 60);
        let due: Vec<u64> = (0..200).filter(|&it| hourly.is_due(minute(it))).collect();
        assert_eq!(due, [60, 120, 180]);
        assert!(hourly.is_due(minute(1000)));
        assert!(!hourly.is_due(minute(1059)));
        assert!(hourly.is_due(minute(1060)));
    }

    #[test]
    fn rooms_are_told_by_what_they_do() {
        let state = State {
            users: 9,
            users_playing: 5,
            rooms: 4,
            rooms_busy: 3,
            rooms_synchronizing: 1,
        };
        assert_eq!(
            state.to_string(),
            "users: 9 (4 idle, 5 playing), rooms: 4 (1 waiting, 1 synchronizing, 2 playing)"
        );
    }
}
