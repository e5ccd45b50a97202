//! Which of a worker's actors have something to do.

use super::{ActorId, Bell};
use crossbeam_queue::ArrayQueue;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A worker's list of actors with messages; each is on it at most once.
#[derive(Debug)]
pub struct Schedule {
    ready: ArrayQueue<ActorId>,
    /// One per actor of the process: whether it is on the list.
    listed: Box<[AtomicBool]>,
    bell: Arc<Bell>,
}

impl Schedule {
    /// For the actors `0..actors`; `bell` wakes the worker's thread.
    pub fn new(actors: usize, bell: Arc<Bell>) -> Self {
        Self {
            ready: ArrayQueue::new(actors.max(1)),
            listed: (0..actors).map(|_| AtomicBool::new(false)).collect(),
            bell,
        }
    }

    /// Puts `actor` on the list unless it is there. To be called after its inbox got the
    /// message, and followed, once per turn, by a ring of the [`Schedule::bell`].
    pub fn add(&self, actor: ActorId) {
        let Some(listed) = self.listed.get(actor.0 as usize) else {
            return;
        };
        if !listed.swap(true, Ordering::AcqRel) {
            let pushed = self.ready.push(actor);
            debug_assert!(pushed.is_ok(), "there is a place for every actor");
        }
    }

    /// Takes the next actor off the list. A message that comes while it runs lists it anew.
    pub fn take(&self) -> Option<ActorId> {
        let actor = self.ready.pop()?;
        if let Some(listed) = self.listed.get(actor.0 as usize) {
            listed.swap(false, Ordering::AcqRel);
        }
        Some(actor)
    }

    /// Whether no actor waits.
    pub fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }

    /// How many actors wait.
    pub fn len(&self) -> usize {
        self.ready.len()
    }

    /// Wakes the worker's thread.
    pub fn bell(&self) -> &Bell {
        &self.bell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_actor_is_listed_once_until_taken() {
        let schedule = Schedule::new(4, Arc::new(Bell::new()));
        for id in [2, 1, 2, 2, 1] {
            schedule.add(ActorId(id));
        }
        assert_eq!(schedule.len(), 2);
        assert_eq!(schedule.take(), Some(ActorId(2)));
        schedule.add(ActorId(2));
        assert_eq!(schedule.take(), Some(ActorId(1)));
        assert_eq!(schedule.take(), Some(ActorId(2)));
        assert_eq!(schedule.take(), None);
        assert!(schedule.is_empty());
    }
}
