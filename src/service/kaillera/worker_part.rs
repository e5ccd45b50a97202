//! The actors of one worker, inline or on a thread of their own.

use super::{
    exchange::Exchange,
    game::GameActor,
    layout::{Layout, Role},
    lobby::LobbyActor,
    post::Post,
    user::UserActor,
};
use crate::{
    actor::{ActorId, Bell, Schedule, Stage, Turn, Worker},
    lobby::{Lobby, sync::FrameSync},
    net::{Progress, sys::Transmit},
    timer::Time,
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

/// Actors that run between two looks at the sockets.
const ACTORS_PER_TURN: usize = 256;

/// The actors of one worker.
#[derive(Debug)]
pub struct WorkerPart {
    worker: Worker,
    actors: Actors,
    bell: Arc<Bell>,
}

impl WorkerPart {
    pub(super) fn new(
        exchange: &Arc<Exchange>,
        index: usize,
        schedule: Arc<Schedule>,
        bell: Arc<Bell>,
    ) -> Self {
        let layout = exchange.layout;
        let post = match layout.inline {
            true => Post::of_loop(exchange.clone(), index),
            false => Post::new(exchange.clone()),
        };
        Self {
            worker: Worker::new(schedule, layout.actors()),
            actors: Actors {
                lobby: (index == 0).then(|| LobbyActor::new(&post)),
                users: Vec::new(),
                games: Vec::new(),
                layout,
                post,
            },
            bell,
        }
    }

    /// Runs actors that have something to do, then wakes whom they gave work.
    pub fn turn(&mut self, now: Time) -> Progress {
        let more = self.worker.turn(now, ACTORS_PER_TURN, &mut self.actors);
        self.actors.post.ring();
        Progress {
            more,
            deadline: self.worker.deadline(),
        }
    }

    /// What leaves through the loop whose thread runs these actors.
    pub(super) fn take_own_transmits(&self, each: impl FnMut(u8, Transmit)) {
        self.actors.post.take_own_transmits(each);
    }

    /// Whether no actor has something to do.
    pub fn is_idle(&self) -> bool {
        self.worker.is_idle()
    }

    /// What wakes the worker's thread.
    pub fn bell(&self) -> &Arc<Bell> {
        &self.bell
    }

    /// The lobby, if it is on this worker.
    pub fn lobby(&self) -> Option<&Lobby> {
        self.actors.lobby.as_ref().map(LobbyActor::lobby)
    }
}

/// Actors are made when they first get mail and kept from then on.
#[derive(Debug)]
struct Actors {
    layout: Layout,
    lobby: Option<LobbyActor>,
    games: Vec<Option<Box<GameActor>>>,
    users: Vec<Option<Box<UserActor>>>,
    post: Post,
}

const IDLE: Turn = Turn {
    more: false,
    deadline: None,
};

impl Stage for Actors {
    fn run(&mut self, actor: ActorId, now: Time, budget: usize) -> Turn {
        let turn = catch_unwind(AssertUnwindSafe(|| self.run_guarded(actor, now, budget)));
        turn.unwrap_or_else(|_| {
            self.fail(actor, now);
            IDLE
        })
    }
}

impl Actors {
    fn run_guarded(&mut self, actor: ActorId, now: Time, budget: usize) -> Turn {
        let post = &self.post;
        match self.layout.role(actor) {
            Role::User(seat) => place(&mut self.users, seat).map_or(IDLE, |user| {
                let user = user.get_or_insert_with(|| Box::new(UserActor::new(seat)));
                user.run(now, budget, post)
            }),
            Role::Game(game) => place(&mut self.games, game).map_or(IDLE, |place| {
                let place = place.get_or_insert_with(|| {
                    let settings = &post.exchange().settings;
                    let (desync, lag) = (settings.link.desync_after, settings.rules.lag_window);
                    Box::new(GameActor::new(game, FrameSync::new(desync, lag)))
                });
                place.run(now, budget, post)
            }),
            Role::Lobby => self
                .lobby
                .as_mut()
                .map_or(IDLE, |lobby| lobby.run(now, budget, post)),
        }
    }

    /// A bug showed itself in an actor's turn: it starts over, everybody else plays on.
    fn fail(&mut self, actor: ActorId, now: Time) {
        let role = self.layout.role(actor);
        self.post.exchange().metrics.failed_turns.add(1);
        log::error!("a bug ended the turn of {role:?}; please report the message above");
        match role {
            Role::User(seat) => {
                if let Some(Some(user)) = self.users.get_mut(seat as usize) {
                    user.fail(now, &self.post);
                }
            }
            Role::Game(game) => {
                if let Some(Some(game)) = self.games.get_mut(game as usize) {
                    game.fail(&self.post);
                }
            }
            Role::Lobby => {}
        }
    }
}

/// An actor's place; the first use of a place makes it and those before it.
fn place<T>(actors: &mut Vec<Option<T>>, index: u32) -> Option<&mut Option<T>> {
    let index = index as usize;
    if actors.len() <= index {
        actors.resize_with(index + 1, || None);
    }
    actors.get_mut(index)
}
