//! Which actors there are, and whose they are.

use crate::actor::ActorId;

/// Most threads of a kind; a turn marks whom to wake in one word.
pub(super) const MAX_THREADS: usize = 64;

/// Which actors there are and whose they are.
///
/// Actor 0 is the lobby; then come the games, then the seats. Each loop has seats of its
/// own, as many as there may be sessions, so an address never meets a loop without one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) loops: usize,
    pub(super) workers: usize,
    /// Without workers of their own, actors run on the loop their user's socket belongs to.
    pub(super) inline: bool,
    pub(super) sessions: usize,
}

/// An actor by what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Lobby,
    Game(u32),
    User(u32),
}

impl Layout {
    pub(super) fn new(loops: usize, workers: usize, sessions: usize) -> Self {
        let loops = loops.clamp(1, MAX_THREADS);
        let inline = workers == 0;
        let workers = if inline {
            loops
        } else {
            workers.min(MAX_THREADS)
        };
        Self {
            loops,
            workers,
            inline,
            sessions,
        }
    }

    pub(super) fn actors(&self) -> usize {
        1 + self.games() + self.seats()
    }

    pub(super) fn games(&self) -> usize {
        self.workers * self.sessions
    }

    pub(super) fn seats(&self) -> usize {
        self.loops * self.sessions
    }

    pub(super) fn role(&self, actor: ActorId) -> Role {
        let games = self.games() as u32;
        match actor.0.checked_sub(1) {
            None => Role::Lobby,
            Some(game) if game < games => Role::Game(game),
            Some(other) => Role::User(other - games),
        }
    }

    pub(super) fn user(&self, seat: u32) -> ActorId {
        ActorId(1 + self.games() as u32 + seat)
    }

    pub(super) fn game(&self, game: u32) -> ActorId {
        ActorId(1 + game)
    }

    pub(super) fn loop_of_seat(&self, seat: u32) -> usize {
        seat as usize / self.sessions
    }

    pub(super) fn worker_of_seat(&self, seat: u32) -> usize {
        if self.inline {
            self.loop_of_seat(seat)
        } else {
            seat as usize % self.workers
        }
    }

    pub(super) fn worker_of_game(&self, game: u32) -> usize {
        game as usize / self.sessions
    }

    /// The game actors of one worker.
    pub(super) fn games_of_worker(&self, worker: usize) -> std::ops::Range<u32> {
        (worker * self.sessions) as u32..((worker + 1) * self.sessions) as u32
    }

    /// The seats of one loop.
    pub(super) fn seats_of_loop(&self, index: usize) -> std::ops::Range<u32> {
        (index * self.sessions) as u32..((index + 1) * self.sessions) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_actor_has_one_role_and_one_worker() {
        for (loops, workers) in [(1, 0), (2, 0), (2, 3), (1, 1)] {
            let layout = Layout::new(loops, workers, 5);
            let mut lobby = 0;
            for id in 0..layout.actors() as u32 {
                match layout.role(ActorId(id)) {
                    Role::Lobby => lobby += 1,
                    Role::Game(game) => {
                        assert_eq!(layout.game(game), ActorId(id));
                        let worker = layout.worker_of_game(game);
                        assert!(worker < layout.workers);
                        assert!(layout.games_of_worker(worker).contains(&game));
                    }
                    Role::User(seat) => {
                        assert_eq!(layout.user(seat), ActorId(id));
                        assert!(layout.worker_of_seat(seat) < layout.workers);
                        assert!(
                            layout
                                .seats_of_loop(layout.loop_of_seat(seat))
                                .contains(&seat)
                        );
                    }
                }
            }
            assert_eq!(lobby, 1);
        }
    }
}
