//! Who may have a seat: decided before any state is made for a stranger.

use super::{
    Limits,
    origins::{Origins, holder},
};
use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Sessions of the whole server, whatever loop they are on.
#[derive(Debug)]
pub(super) struct Admission {
    limits: Limits,
    max_users: AtomicUsize,
    /// Logged in, as the lobby last said.
    users: AtomicUsize,
    /// Rooms, as the lobby last said.
    games: AtomicUsize,
    games_playing: AtomicUsize,
    users_playing: AtomicUsize,
    games_synchronizing: AtomicUsize,
    unfinished: Mutex<Unfinished>,
}

#[derive(Debug)]
struct Unfinished {
    sessions: usize,
    logins: usize,
    /// By [`holder`].
    per_address: HashMap<IpAddr, usize>,
    origins: Origins,
}

/// Why a stranger gets no seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Denied {
    NoSeat,
    TooManyLogins,
    TooManySessions,
}

impl Admission {
    pub(super) fn new(limits: Limits, max_users: u32) -> Self {
        let unfinished = Unfinished {
            sessions: 0,
            logins: 0,
            per_address: HashMap::new(),
            origins: Origins::default(),
        };
        Self {
            limits,
            max_users: AtomicUsize::new(max_users as usize),
            users: AtomicUsize::new(0),
            games: AtomicUsize::new(0),
            games_playing: AtomicUsize::new(0),
            users_playing: AtomicUsize::new(0),
            games_synchronizing: AtomicUsize::new(0),
            unfinished: Mutex::new(unfinished),
        }
    }

    /// Whether a HELLO from `address` is answered with TOO. Who has not logged in does not make
    /// the server full, or strangers could (kaillera-server.md 6.1).
    pub(super) fn is_full(&self, address: IpAddr) -> bool {
        let users = self.users.load(Ordering::Relaxed);
        let most = self.max_users.load(Ordering::Relaxed);
        let state = self.unfinished();
        (most > 0 && users >= most)
            || state.sessions >= self.limits.sessions
            || state.origins.are_full(address, &self.limits)
    }

    /// Counts a new session with an unfinished login, or says why it may not be. The privileged
    /// may be any number from one address.
    pub(super) fn open(&self, address: IpAddr, is_privileged: bool) -> Result<(), Denied> {
        let mut state = self.unfinished();
        if state.sessions >= self.limits.sessions {
            return Err(Denied::NoSeat);
        }
        if !is_privileged && state.origins.are_full(address, &self.limits) {
            return Err(Denied::TooManySessions);
        }
        state.begin_login(address, &self.limits)?;
        state.sessions += 1;
        state.origins.add(address);
        Ok(())
    }

    /// Counts a session whose login was done as unfinished again, or says why it may not be.
    pub(super) fn reopen(&self, address: IpAddr) -> Result<(), Denied> {
        self.unfinished().begin_login(address, &self.limits)
    }

    /// A login is decided or given up.
    pub(super) fn login_finished(&self, address: IpAddr) {
        let mut state = self.unfinished();
        state.logins = state.logins.saturating_sub(1);
        let holder = holder(address);
        if let Some(count) = state.per_address.get_mut(&holder) {
            *count -= 1;
            if *count == 0 {
                state.per_address.remove(&holder);
            }
        }
    }

    /// A session from `address` is over.
    pub(super) fn close(&self, address: IpAddr) {
        let mut state = self.unfinished();
        state.sessions = state.sessions.saturating_sub(1);
        state.origins.remove(address);
    }

    /// Users at a time; 0 is no limit of its own.
    pub(super) fn set_max_users(&self, max_users: u32) {
        self.max_users.store(max_users as usize, Ordering::Relaxed);
    }

    pub(super) fn set_users(&self, users: usize) {
        self.users.store(users, Ordering::Relaxed);
    }

    pub(super) fn set_games(&self, games: usize) {
        self.games.store(games, Ordering::Relaxed);
    }

    pub(super) fn set_playing(&self, (games, users): (usize, usize)) {
        self.games_playing.store(games, Ordering::Relaxed);
        self.users_playing.store(users, Ordering::Relaxed);
    }

    /// Rooms whose game runs or is about to, and the players in them.
    pub(super) fn playing(&self) -> (usize, usize) {
        let games = self.games_playing.load(Ordering::Relaxed);
        (games, self.users_playing.load(Ordering::Relaxed))
    }

    pub(super) fn set_synchronizing(&self, games: usize) {
        self.games_synchronizing.store(games, Ordering::Relaxed);
    }

    /// Rooms whose players get ready.
    pub(super) fn synchronizing(&self) -> usize {
        self.games_synchronizing.load(Ordering::Relaxed)
    }

    pub(super) fn games(&self) -> usize {
        self.games.load(Ordering::Relaxed)
    }

    pub(super) fn users(&self) -> usize {
        self.users.load(Ordering::Relaxed)
    }

    /// Sessions, logged in or not.
    pub(super) fn sessions(&self) -> usize {
        self.unfinished().sessions
    }

    /// Unfinished logins, in all and as the sum over all addresses; never different.
    pub(super) fn unfinished_logins(&self) -> (usize, usize) {
        let state = self.unfinished();
        (state.logins, state.per_address.values().sum())
    }

    /// Nothing done under the lock can panic half way, so poison means nothing.
    fn unfinished(&self) -> MutexGuard<'_, Unfinished> {
        self.unfinished
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Unfinished {
    fn begin_login(&mut self, address: IpAddr, limits: &Limits) -> Result<(), Denied> {
        let holder = holder(address);
        let of_address = self.per_address.get(&holder).copied().unwrap_or(0);
        if self.logins >= limits.half_open || of_address >= limits.half_open_per_address {
            return Err(Denied::TooManyLogins);
        }
        self.logins += 1;
        self.per_address.insert(holder, of_address + 1);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const B: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 3, 1));

    fn limits(sessions: usize, half_open: usize, per_address: usize) -> Limits {
        Limits {
            sessions,
            half_open,
            half_open_per_address: per_address,
            ..Limits::default()
        }
    }

    #[test]
    fn unfinished_logins_are_bounded_per_address_and_in_all() {
        let admission = Admission::new(limits(100, 3, 2), 0);
        assert_eq!(admission.open(A, false), Ok(()));
        assert_eq!(admission.open(A, false), Ok(()));
        assert_eq!(admission.open(A, false), Err(Denied::TooManyLogins));
        assert_eq!(admission.open(B, false), Ok(()));
        assert_eq!(admission.open(B, false), Err(Denied::TooManyLogins));
        admission.login_finished(A);
        assert_eq!(admission.open(B, false), Ok(()));
    }

    #[test]
    fn sixty_four_bits_of_ipv6_are_one_address() {
        let admission = Admission::new(limits(100, 10, 2), 0);
        let address = |last| IpAddr::from([0x2001, 0xDB8, 0, 1, 0, 0, 0, last]);
        assert_eq!(admission.open(address(1), false), Ok(()));
        assert_eq!(admission.open(address(2), false), Ok(()));
        let third = admission.open(address(3), false);
        assert_eq!(third, Err(Denied::TooManyLogins));
        admission.login_finished(address(1));
        assert_eq!(admission.open(address(3), false), Ok(()));
    }

    #[test]
    fn starting_over_is_bounded_like_starting() {
        let admission = Admission::new(limits(100, 2, 2), 0);
        assert_eq!(admission.open(A, false), Ok(()));
        admission.login_finished(A);
        assert_eq!(admission.open(A, false), Ok(()));
        assert_eq!(admission.open(B, false), Ok(()));
        assert_eq!(admission.reopen(A), Err(Denied::TooManyLogins));
        admission.login_finished(B);
        assert_eq!(admission.reopen(A), Ok(()));
        assert_eq!(admission.unfinished_logins(), (2, 2));
    }

    #[test]
    fn full_counts_users_and_not_those_who_log_in() {
        let admission = Admission::new(limits(100, 10, 10), 2);
        for _ in 0..3 {
            admission.open(A, false).unwrap();
        }
        admission.set_users(1);
        assert!(!admission.is_full(A));
        admission.set_users(2);
        assert!(admission.is_full(A));
        admission.set_max_users(0);
        assert!(!admission.is_full(A));
    }

    #[test]
    fn an_address_has_its_share_of_the_sessions() {
        let limits = Limits {
            sessions_per_address: 1,
            ..limits(100, 10, 10)
        };
        let admission = Admission::new(limits, 0);
        assert_eq!(admission.open(A, false), Ok(()));
        assert_eq!(admission.open(A, false), Err(Denied::TooManySessions));
        assert_eq!(admission.open(A, true), Ok(()));
        assert_eq!(admission.open(B, false), Ok(()));
        admission.close(A);
        assert_eq!(admission.open(A, false), Err(Denied::TooManySessions));
        admission.close(A);
        assert_eq!(admission.open(A, false), Ok(()));
    }

    #[test]
    fn seats_are_the_last_bound() {
        let admission = Admission::new(limits(1, 10, 10), 0);
        admission.open(A, false).unwrap();
        admission.login_finished(A);
        assert!(admission.is_full(A));
        assert_eq!(admission.open(B, false), Err(Denied::NoSeat));
        admission.close(A);
        assert_eq!(admission.open(B, false), Ok(()));
    }
}
