//! Players whose session is at another loop than the one they came to.

use crate::{actor::Bell, net::tcp::Parted};
use crossbeam_queue::ArrayQueue;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Players that may be on their way to one loop at a time.
const WAITING: usize = 64;

/// What the services of all loops share: the way between them, and how many sessions there are.
///
/// A session's number says which loop has it, so nobody needs a table to find it.
#[derive(Debug)]
pub struct Crossing {
    lanes: Box<[Lane]>,
    sessions: AtomicUsize,
}

/// The way to one loop.
#[derive(Debug)]
struct Lane {
    guests: ArrayQueue<Guest>,
    bell: Arc<Bell>,
}

/// A player who wants into a session.
#[derive(Debug)]
pub(super) struct Guest {
    pub(super) connection: Parted,
    /// The session's number.
    pub(super) session: usize,
}

impl Crossing {
    /// For loops that are woken by these bells, in their order.
    pub fn new(bells: impl IntoIterator<Item = Arc<Bell>>) -> Self {
        let lane = |bell| Lane {
            guests: ArrayQueue::new(WAITING),
            bell,
        };
        Self {
            lanes: bells.into_iter().map(lane).collect(),
            sessions: AtomicUsize::new(0),
        }
    }

    /// Sessions that live or are being begun.
    pub fn sessions(&self) -> usize {
        self.sessions.load(Ordering::Relaxed)
    }

    /// Which loop has the session of this number.
    pub(super) fn home_of(&self, session: usize) -> usize {
        session % self.lanes.len().max(1)
    }

    /// Sends a player to the loop of its session; false if too many are on their way there.
    pub(super) fn send(&self, guest: Guest) -> bool {
        let Some(lane) = self.lanes.get(self.home_of(guest.session)) else {
            return false;
        };
        let is_sent = lane.guests.push(guest).is_ok();
        lane.bell.ring();
        is_sent
    }

    /// The next player who has come to a loop.
    pub(super) fn receive(&self, index: usize) -> Option<Guest> {
        self.lanes.get(index)?.guests.pop()
    }

    /// Whether nobody has come to a loop.
    pub(super) fn is_empty(&self, index: usize) -> bool {
        self.lanes
            .get(index)
            .is_none_or(|lane| lane.guests.is_empty())
    }

    /// Counts one more session, unless there are `most`.
    pub(super) fn begin(&self, most: usize) -> bool {
        let more = |count| (count < most).then_some(count + 1);
        let (set, read) = (Ordering::Relaxed, Ordering::Relaxed);
        self.sessions.fetch_update(set, read, more).is_ok()
    }

    /// Counts one less.
    pub(super) fn end(&self) {
        self.sessions.fetch_sub(1, Ordering::Relaxed);
    }
}
