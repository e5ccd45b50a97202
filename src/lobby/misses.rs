//! Wrong passwords of a room, by address: guessing takes long.

use crate::timer::Time;
use std::{collections::BTreeMap, net::IpAddr, time::Duration};

/// Wrong passwords of one address until it has to wait.
const TRIES: u32 = 5;
/// How long it has to wait, from the last one on.
const WAIT: Duration = Duration::from_secs(60);
/// Most addresses that are remembered; with more, all have to wait.
const MOST: usize = 1000;

/// Who gave wrong passwords, how many, and when the last one.
#[derive(Debug, Default)]
pub(super) struct Misses(BTreeMap<IpAddr, (u32, Time)>);

impl Misses {
    /// One more of `address`.
    pub(super) fn add(&mut self, now: Time, address: IpAddr) {
        self.0.retain(|_, (_, last)| now.since(*last) < WAIT);
        if self.0.len() < MOST || self.0.contains_key(&address) {
            let (tries, last) = self.0.entry(address).or_insert((0, now));
            *tries += 1;
            *last = now;
        }
    }

    /// Whether `address` has to wait.
    pub(super) fn are_too_many(&self, now: Time, address: IpAddr) -> bool {
        let is_recent = |last: Time| now.since(last) < WAIT;
        match self.0.get(&address) {
            Some((tries, last)) => *tries >= TRIES && is_recent(*last),
            None => self.0.len() >= MOST,
        }
    }
}
