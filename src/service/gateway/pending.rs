//! What the loops know together: who is on the way from one server to another, and how many
//! clients have not said yet what they want (maple.md 13.3).

use crate::{maple::CharacterId, timer::Time};
use foldhash::fast::RandomState;
use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// A character that was told to come back and will be taken to another server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The server it is expected at.
    pub to: SocketAddr,
    /// The client that was told.
    pub client: IpAddr,
    /// Until when it may come.
    pub until: Time,
}

/// Characters on their way, one move each; bounded.
#[derive(Debug)]
pub struct Pending {
    moves: HashMap<CharacterId, Move, RandomState>,
    most: usize,
}

impl Pending {
    /// Room for `most` moves at a time.
    pub fn new(most: usize) -> Self {
        Self {
            moves: HashMap::default(),
            most,
        }
    }

    /// Remembers a move in place of the character's last one; false if there is no room.
    pub fn record(&mut self, now: Time, character: CharacterId, to: Move) -> bool {
        let is_full = self.moves.len() >= self.most;
        if is_full && !self.moves.contains_key(&character) {
            self.moves.retain(|_, it| it.until > now);
            if self.moves.len() >= self.most {
                return false;
            }
        }
        self.moves.insert(character, to);
        true
    }

    /// The move of a character that `client` says it is, once; with `any_client` whoever the
    /// client is. A move that is another client's stays.
    pub fn claim(
        &mut self,
        now: Time,
        character: CharacterId,
        client: IpAddr,
        any_client: bool,
    ) -> Option<SocketAddr> {
        let found = *self.moves.get(&character)?;
        if found.until <= now {
            self.moves.remove(&character);
            return None;
        }
        if found.client != client && !any_client {
            return None;
        }
        self.moves.remove(&character);
        Some(found.to)
    }

    /// How many are on their way, or were and did not come.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether nobody is.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }
}

/// How long somebody who was sent away may take to come back.
pub(super) const ON_THE_WAY: Duration = Duration::from_secs(60);

/// Moves that there may be at a time.
const MOST_MOVES: usize = 16_384;

/// Both tables, one for all loops. Touched when somebody comes, goes or moves, never for a
/// packet.
#[derive(Debug)]
pub struct Shared {
    pending: Mutex<Pending>,
    unattached: Mutex<HashMap<IpAddr, usize, RandomState>>,
    clients: AtomicU64,
}

impl Shared {
    /// Nobody is there.
    pub fn new() -> Self {
        Self {
            pending: Mutex::new(Pending::new(MOST_MOVES)),
            unattached: Mutex::default(),
            clients: AtomicU64::new(0),
        }
    }

    /// What the next client is called.
    pub(super) fn next_number(&self) -> u64 {
        self.clients.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(super) fn pending(&self) -> MutexGuard<'_, Pending> {
        // No change to the table is left half done by a panic, so poison means nothing.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a client that has not said what it wants; false if its address has `most`
    /// already.
    pub(super) fn enter(&self, client: IpAddr, most: usize) -> bool {
        let mut unattached = self.unattached();
        let count = unattached.entry(client).or_default();
        let enters = *count < most;
        if enters {
            *count += 1;
        }
        enters
    }

    /// It has said it, or is gone.
    pub(super) fn leave(&self, client: IpAddr) {
        let mut unattached = self.unattached();
        if let Some(count) = unattached.get_mut(&client) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                unattached.remove(&client);
            }
        }
    }

    fn unattached(&self) -> MutexGuard<'_, HashMap<IpAddr, usize, RandomState>> {
        let unattached = &self.unattached;
        unattached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Shared {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const BOB: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    fn to(port: u16, until: u64) -> Move {
        Move {
            to: SocketAddr::from(([127, 0, 0, 1], port)),
            client: ANN,
            until: Time::from_millis(until),
        }
    }

    fn claim(pending: &mut Pending, now: u64, who: u32, client: IpAddr) -> Option<u16> {
        let now = Time::from_millis(now);
        let to = pending.claim(now, CharacterId(who), client, false);
        to.map(|to| to.port())
    }

    #[test]
    fn a_move_is_used_once_by_whom_it_is_for() {
        let mut pending = Pending::new(8);
        assert!(pending.record(Time::ZERO, CharacterId(1), to(7575, 100)));
        assert!(pending.record(Time::ZERO, CharacterId(1), to(7576, 100)));
        assert_eq!(claim(&mut pending, 1, 2, ANN), None);
        assert_eq!(claim(&mut pending, 1, 1, BOB), None);
        assert_eq!(claim(&mut pending, 1, 1, ANN), Some(7576));
        assert_eq!(claim(&mut pending, 1, 1, ANN), None);
        assert!(pending.is_empty());
    }

    #[test]
    fn a_move_ends_and_makes_room() {
        let mut pending = Pending::new(2);
        for who in 0..2 {
            assert!(pending.record(Time::ZERO, CharacterId(who), to(7575, 100)));
        }
        let at = Time::from_millis;
        assert!(!pending.record(at(50), CharacterId(2), to(7575, 150)));
        assert!(pending.record(at(50), CharacterId(1), to(7577, 150)));
        assert_eq!(claim(&mut pending, 100, 0, ANN), None);
        assert!(pending.record(at(100), CharacterId(2), to(7575, 200)));
        assert!(!pending.record(at(100), CharacterId(3), to(7575, 200)));
        assert!(pending.record(at(151), CharacterId(3), to(7575, 200)));
        assert_eq!(pending.len(), 2);
    }

    #[test]
    fn the_undecided_are_counted_by_address() {
        let shared = Shared::new();
        assert!(shared.enter(ANN, 2) && shared.enter(ANN, 2) && shared.enter(BOB, 2));
        assert!(!shared.enter(ANN, 2));
        shared.leave(ANN);
        assert!(shared.enter(ANN, 2));
        for _ in 0..3 {
            shared.leave(ANN);
            shared.leave(BOB);
        }
        assert!(shared.unattached().is_empty());
    }
}
