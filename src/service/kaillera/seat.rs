//! What outlives the users of a seat.

use super::{Limits, mail::UserMail};
use crate::{actor::Inbox, buffer::Full, kaillera::Backlog};
use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

/// What outlives the users of a seat.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) inbox: Inbox<UserMail>,
    backlog: Mutex<Backlog>,
    /// Which of the seat's users the backlog belongs to.
    generation: AtomicU32,
    /// Whether the backlog may hold something.
    waiting: AtomicBool,
}

impl Seat {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            inbox: Inbox::new(limits.inbox),
            backlog: Mutex::new(Backlog::new(limits.backlog)),
            generation: AtomicU32::new(0),
            waiting: AtomicBool::new(false),
        }
    }

    /// The seat has a new user: what waited for the last one is gone.
    pub(super) fn take_over(&self, generation: u32) {
        let mut backlog = self.backlog();
        backlog.clear();
        self.generation.store(generation, Ordering::Release);
        self.waiting.store(false, Ordering::Relaxed);
    }

    /// Runs `use_it` on the backlog if anything may wait there; says whether something still does.
    pub(super) fn with_backlog(&self, use_it: impl FnOnce(&mut Backlog)) -> bool {
        if !self.waiting.load(Ordering::Acquire) {
            return false;
        }
        let mut backlog = self.backlog();
        use_it(&mut backlog);
        let waits = !backlog.is_empty();
        self.waiting.store(waits, Ordering::Release);
        waits
    }

    /// Adds a message for the user of this generation; false if it has gone.
    pub(super) fn append(&self, generation: u32, message: &[u8]) -> Result<bool, Full> {
        let mut backlog = self.backlog();
        if self.generation.load(Ordering::Acquire) != generation {
            return Ok(false);
        }
        backlog.push(message)?;
        self.waiting.store(true, Ordering::Release);
        Ok(true)
    }

    /// A panic ends its user's session, and with it what waits here.
    fn backlog(&self) -> MutexGuard<'_, Backlog> {
        self.backlog.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
