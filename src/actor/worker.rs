//! Runs actors, one at a time.

use super::{ActorId, Schedule};
use crate::timer::{Deadlines, Time};
use std::sync::Arc;

/// What an actor's turn left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Messages are left over: it wants another turn.
    pub more: bool,
    /// When it wants a turn without a message.
    pub deadline: Option<Time>,
}

/// The actors of one worker.
pub trait Stage {
    /// Gives `actor` a turn: at most `budget` messages, then whatever is due at `now`.
    fn run(&mut self, actor: ActorId, now: Time, budget: usize) -> Turn;
}

/// Turns the actors of one [`Stage`] as their schedule and their deadlines say.
#[derive(Debug)]
pub struct Worker {
    schedule: Arc<Schedule>,
    deadlines: Deadlines,
}

/// Messages an actor may handle before another one gets its turn.
const MESSAGES_PER_TURN: usize = 32;

impl Worker {
    /// A worker for the actors `0..actors` that are put on `schedule`.
    pub fn new(schedule: Arc<Schedule>, actors: usize) -> Self {
        Self {
            schedule,
            deadlines: Deadlines::new(actors),
        }
    }

    /// Runs the actors that are due or ready, at most `actors` of them, and says whether
    /// some are left.
    pub fn turn(&mut self, now: Time, actors: usize, stage: &mut impl Stage) -> bool {
        let mut ran = 0;
        while ran < actors
            && let Some(key) = self.deadlines.pop_due(now)
        {
            self.run(ActorId(key), now, stage);
            ran += 1;
        }
        while ran < actors {
            let Some(actor) = self.schedule.take() else {
                return false;
            };
            self.run(actor, now, stage);
            ran += 1;
        }
        !self.schedule.is_empty() || self.deadlines.next().is_some_and(|at| at <= now)
    }

    /// When the next actor is due.
    pub fn deadline(&self) -> Option<Time> {
        self.deadlines.next()
    }

    /// Whether no actor is ready.
    pub fn is_idle(&self) -> bool {
        self.schedule.is_empty()
    }

    fn run(&mut self, actor: ActorId, now: Time, stage: &mut impl Stage) {
        let turn = stage.run(actor, now, MESSAGES_PER_TURN);
        if turn.more {
            self.schedule.add(actor);
        }
        self.deadlines.set(actor.0, turn.deadline);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::{Bell, Inbox};

    struct Counters {
        inboxes: Vec<Inbox<u32>>,
        log: Vec<(u32, Vec<u32>)>,
        deadline: Option<Time>,
    }

    impl Stage for Counters {
        fn run(&mut self, actor: ActorId, _: Time, budget: usize) -> Turn {
            let inbox = &self.inboxes[actor.0 as usize];
            let taken = (0..budget).map_while(|_| inbox.pop()).collect();
            self.log.push((actor.0, taken));
            Turn {
                more: !inbox.is_empty(),
                deadline: self.deadline.take(),
            }
        }
    }

    #[test]
    fn a_busy_actor_does_not_starve_the_others() {
        let schedule = Arc::new(Schedule::new(2, Arc::new(Bell::new())));
        let mut worker = Worker::new(schedule.clone(), 2);
        let mut stage = Counters {
            inboxes: vec![Inbox::new(256), Inbox::new(4)],
            log: Vec::new(),
            deadline: None,
        };
        for n in 0..80 {
            stage.inboxes[0].push(n).unwrap();
            schedule.add(ActorId(0));
        }
        stage.inboxes[1].push(7).unwrap();
        schedule.add(ActorId(1));
        assert!(!worker.turn(Time::ZERO, 100, &mut stage));
        let order: Vec<_> = stage
            .log
            .iter()
            .map(|(id, taken)| (*id, taken.len()))
            .collect();
        assert_eq!(order, [(0, 32), (1, 1), (0, 32), (0, 16)]);
        let all: Vec<_> = stage
            .log
            .iter()
            .filter(|run| run.0 == 0)
            .flat_map(|run| run.1.clone())
            .collect();
        assert_eq!(all, (0..80).collect::<Vec<_>>(), "in order");
    }

    #[test]
    fn a_deadline_gives_a_turn_without_a_message() {
        let schedule = Arc::new(Schedule::new(1, Arc::new(Bell::new())));
        let mut worker = Worker::new(schedule.clone(), 1);
        let mut stage = Counters {
            inboxes: vec![Inbox::new(4)],
            log: Vec::new(),
            deadline: Some(Time::from_millis(20)),
        };
        schedule.add(ActorId(0));
        worker.turn(Time::ZERO, 10, &mut stage);
        assert_eq!(worker.deadline(), Some(Time::from_millis(20)));
        worker.turn(Time::from_millis(19), 10, &mut stage);
        assert_eq!(stage.log.len(), 1);
        worker.turn(Time::from_millis(20), 10, &mut stage);
        assert_eq!(stage.log.len(), 2);
        assert_eq!(worker.deadline(), None);
    }
}
