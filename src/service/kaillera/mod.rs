//! Kaillera netplay: the link, the rules and frame sync as actors on event loops.
//!
//! ```text
//!   socket        loop                     the workers
//!  --------      -------      ----------------------------------------
//!  recvmmsg --> Ingress ----> UserActor  --- chat, rooms, login --> LobbyActor
//!               address          ^  |                                   |
//!               -> seat          |  +--- inputs --> GameActor           |
//!                                +------ frames -------+                |
//!                                +------ backlog of messages <----------+
//!  sendmmsg <-- Outlet <-------- datagrams
//! ```
//!
//! Every user has one seat: a bounded inbox and one actor that handles its mail in order.
//! With no worker threads configured, actors run on the event loop their seat belongs to;
//! otherwise on pinned workers. Either way an actor has one thread, so no game state is
//! shared or locked. The same parts run without any thread in the simulation.

mod admission;
mod courier;
mod exchange;
pub mod fuzz;
mod game;
mod ingress;
mod lobby;
mod mail;
mod user;

use crate::{
    actor::{self, ActorId, Bell, Schedule, Turn, Worker},
    buffer::{Frame, FramePool},
    kaillera::MAX_MESSAGE,
    lobby::{rules::Rules, sync::FrameSync},
    metrics::{Drops, Metrics, Reason},
    net::{
        Progress, Service,
        sys::{Arrival, Transmit},
    },
    timer::Time,
};
use exchange::{Exchange, Layout, OUTLET, Outlet, Post, Role};
use game::GameActor;
use ingress::{From, Ingress};
use lobby::LobbyActor;
use mail::LobbyMail;
use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};
use user::UserActor;

/// Bytes of a buffer: one of the largest messages alone in a bundle, or the longest datagram
/// a client may send.
pub const FRAME_SIZE: usize = MAX_MESSAGE + 252;

/// Most event loops, and most workers, there can be.
pub const MAX_THREADS: usize = exchange::MAX_THREADS;

/// Actors that run between two looks at the sockets.
const ACTORS_PER_TURN: usize = 256;

/// Everything the service is told.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What players may do.
    pub rules: Rules,
    /// Timeouts of a session and a game.
    pub link: Link,
    /// What memory is made for.
    pub limits: Limits,
    /// The port clients are told to use, if not the one the socket has.
    pub announced_port: Option<u16>,
    /// Whether a HELLO of another version is answered with `VER`.
    pub answer_wrong_version: bool,
}

/// How long a silent client is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// A session that has not logged in ends this long after its last message (kaillera.md 4.2).
    pub login_timeout: Duration,
    /// A player without new data for this long is desynchronised (kaillera.md 9.3).
    pub desync_after: Duration,
    /// A player without any datagram for this long is dropped; at least `desync_after`.
    pub drop_after: Duration,
}

impl Default for Link {
    fn default() -> Self {
        Self {
            login_timeout: Duration::from_secs(15),
            desync_after: Duration::from_secs(12),
            drop_after: Duration::from_secs(60),
        }
    }
}

/// What the server has room for; memory is sized by it at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Sessions at a time, logged in or not; at least `max_users` of the rules.
    pub sessions: usize,
    /// Unfinished logins at a time.
    pub half_open: usize,
    /// The same from one address.
    pub half_open_per_address: usize,
    /// Hellos answered per second and address.
    pub hello_per_second_per_address: u32,
    /// Messages that may wait for one user's turn; half of them from its own client.
    pub inbox: usize,
    /// Bytes of lobby messages that may wait to be sent to one user.
    pub backlog: usize,
    /// Received datagrams held at a time, over all loops.
    pub frames_in: usize,
    /// Datagrams held at a time on their way out.
    pub frames_out: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sessions: 4096,
            half_open: 1024,
            half_open_per_address: 128,
            hello_per_second_per_address: 200,
            inbox: 256,
            backlog: 256 * 1024,
            frames_in: 4096,
            frames_out: 8192,
        }
    }
}

/// The service in parts, to be put on threads or driven by hand.
#[derive(Debug)]
pub struct Parts {
    /// One per event loop.
    pub loops: Vec<LoopPart>,
    /// One per worker thread; none in inline mode.
    pub workers: Vec<WorkerPart>,
    /// For whoever starts and stops the server.
    pub control: Control,
}

/// Builds the service for so many loops and worker threads; `ports` are those of each loop's
/// sockets, in their order.
pub fn build(settings: Settings, loops: usize, workers: usize, ports: &[u16]) -> Parts {
    let layout = Layout::new(loops, workers, settings.limits.sessions);
    let frames = FramePool::new(settings.limits.frames_out, FRAME_SIZE);
    let loop_bells: Vec<_> = (0..layout.loops).map(|_| Arc::new(Bell::new())).collect();
    let worker_bells: Vec<_> = if layout.inline {
        loop_bells.clone()
    } else {
        (0..layout.workers).map(|_| Arc::new(Bell::new())).collect()
    };
    let exchange = Arc::new(Exchange::new(
        settings,
        layout,
        frames,
        &loop_bells,
        &worker_bells,
    ));
    let ports: Vec<u16> = ports
        .iter()
        .map(|&port| exchange.settings.announced_port.unwrap_or(port))
        .collect();
    let mut actors = exchange
        .schedules()
        .iter()
        .enumerate()
        .zip(worker_bells)
        .map(|((index, schedule), bell)| WorkerPart::new(&exchange, index, schedule.clone(), bell));
    let loops = loop_bells
        .into_iter()
        .enumerate()
        .map(|(index, bell)| LoopPart {
            index,
            ingress: Ingress::new(&exchange, index, ports.clone()),
            inline: if layout.inline { actors.next() } else { None },
            queues: ports
                .iter()
                .map(|_| VecDeque::with_capacity(OUTLET))
                .collect(),
            post: Post::new(exchange.clone()),
            exchange: exchange.clone(),
            bell,
        })
        .collect();
    let workers = actors.collect();
    let control = Control {
        post: Post::new(exchange.clone()),
        exchange,
    };
    Parts {
        loops,
        workers,
        control,
    }
}

/// Starts and stops the service, and looks at it; for one thread.
#[derive(Debug)]
pub struct Control {
    exchange: Arc<Exchange>,
    post: Post,
}

impl Control {
    /// Tells every user that the server stops; nobody is let in from here on.
    pub fn announce_stop(&self) {
        self.exchange.stop_accepting();
        self.lobby(LobbyMail::ShutDown);
    }

    /// Ends every session.
    pub fn close_all(&self) {
        self.lobby(LobbyMail::CloseAll);
    }

    /// Users that are logged in.
    pub fn users(&self) -> usize {
        self.exchange.admission.users()
    }

    /// Sessions, logged in or not.
    pub fn sessions(&self) -> usize {
        self.exchange.admission.sessions()
    }

    /// Sessions that have not logged in, as counted in all and by address.
    pub fn unfinished_logins(&self) -> (usize, usize) {
        self.exchange.admission.unfinished_logins()
    }

    /// What the service counts.
    pub fn metrics(&self) -> Arc<Metrics> {
        self.exchange.metrics.clone()
    }

    /// What it dropped, by reason.
    pub fn drops(&self) -> Arc<Drops> {
        self.exchange.drops.clone()
    }

    /// Buffers for sending that nobody holds, and how many there are.
    pub fn frames(&self) -> (usize, usize) {
        (
            self.exchange.frames.available(),
            self.exchange.frames.capacity(),
        )
    }

    fn lobby(&self, mail: LobbyMail) {
        if self.post.lobby(mail).is_err() {
            log::warn!("the lobby is too busy to be told that the server stops");
        }
        self.post.ring();
    }
}

/// What one event loop does for Kaillera, its actors included in inline mode.
#[derive(Debug)]
pub struct LoopPart {
    index: usize,
    ingress: Ingress,
    inline: Option<WorkerPart>,
    /// Per socket, what goes out.
    queues: Vec<VecDeque<Transmit>>,
    post: Post,
    exchange: Arc<Exchange>,
    bell: Arc<Bell>,
}

impl LoopPart {
    /// What wakes the loop's thread.
    pub fn bell(&self) -> &Arc<Bell> {
        &self.bell
    }

    /// The actors that run on this loop, in inline mode.
    pub fn actors(&self) -> Option<&WorkerPart> {
        self.inline.as_ref()
    }

    fn collect(&mut self, now: Time) {
        self.ingress.collect(&self.exchange);
        while let Some((socket, transmit)) = self.outlet().and_then(|outlet| outlet.transmits.pop())
        {
            self.enqueue(usize::from(socket), transmit, now);
        }
    }

    fn outlet(&self) -> Option<&Outlet> {
        self.exchange.outlet(self.index)
    }

    fn enqueue(&mut self, socket: usize, transmit: Transmit, now: Time) {
        match self.queues.get_mut(socket) {
            Some(queue) if queue.len() < OUTLET => queue.push_back(transmit),
            _ => self
                .exchange
                .count_drop(Reason::SendQueueFull, Some(transmit.peer), now),
        }
    }
}

impl Service for LoopPart {
    fn datagram(&mut self, now: Time, socket: usize, arrival: Arrival, frame: Frame) {
        let from = From {
            socket: socket as u8,
            arrival,
        };
        if let Some(answer) = self.ingress.datagram(now, from, frame, &self.post) {
            self.enqueue(socket, answer, now);
        }
    }

    fn received(&mut self, now: Time, datagrams: usize, bytes: usize, lost: crate::net::Lost) {
        let metrics = &self.exchange.metrics;
        metrics.datagrams_in.add(datagrams as u64);
        metrics.bytes_in.add(bytes as u64);
        for _ in 0..lost.truncated {
            self.exchange.count_drop(Reason::TooLong, None, now);
        }
        for _ in 0..lost.starved {
            self.exchange.count_drop(Reason::NoBufferIn, None, now);
        }
    }

    fn sent(&mut self, datagrams: usize, failed: usize) {
        self.exchange.metrics.datagrams_out.add(datagrams as u64);
        if failed > 0 {
            self.exchange.metrics.send_failures.add(failed as u64);
        }
    }

    fn turn(&mut self, now: Time) -> Progress {
        let progress = match &mut self.inline {
            Some(worker) => worker.turn(now),
            None => Progress {
                more: false,
                deadline: None,
            },
        };
        self.post.ring();
        self.collect(now);
        progress
    }

    fn queue(&mut self, socket: usize) -> Option<&mut VecDeque<Transmit>> {
        self.queues.get_mut(socket)
    }

    fn about_to_sleep(&mut self) -> bool {
        self.bell.about_to_sleep();
        let idle = self.inline.as_ref().is_none_or(WorkerPart::is_idle)
            && self
                .outlet()
                .is_none_or(|outlet| outlet.transmits.is_empty() && outlet.closed.is_empty());
        if !idle {
            self.bell.awake();
        }
        idle
    }

    fn awake(&mut self) {
        self.bell.awake();
    }
}

/// The actors of one worker.
#[derive(Debug)]
pub struct WorkerPart {
    worker: Worker,
    actors: Actors,
    bell: Arc<Bell>,
}

impl WorkerPart {
    fn new(
        exchange: &Arc<Exchange>,
        index: usize,
        schedule: Arc<Schedule>,
        bell: Arc<Bell>,
    ) -> Self {
        let layout = exchange.layout;
        let post = Post::new(exchange.clone());
        Self {
            worker: Worker::new(schedule, layout.actors()),
            actors: Actors {
                lobby: (index == 0).then(|| LobbyActor::new(&post)),
                users: (0..layout.seats()).map(|_| None).collect(),
                games: (0..layout.games()).map(|_| None).collect(),
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

    /// Whether no actor has something to do.
    pub fn is_idle(&self) -> bool {
        self.worker.is_idle()
    }

    /// What wakes the worker's thread.
    pub fn bell(&self) -> &Arc<Bell> {
        &self.bell
    }

    /// The lobby, if it is on this worker.
    pub fn lobby(&self) -> Option<&crate::lobby::Lobby> {
        self.actors.lobby.as_ref().map(LobbyActor::lobby)
    }
}

/// Actors are made when they first get mail and kept from then on.
#[derive(Debug)]
struct Actors {
    layout: Layout,
    lobby: Option<LobbyActor>,
    games: Box<[Option<Box<GameActor>>]>,
    users: Box<[Option<Box<UserActor>>]>,
    post: Post,
}

const IDLE: Turn = Turn {
    more: false,
    deadline: None,
};

impl actor::Stage for Actors {
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
            Role::User(seat) => self.users.get_mut(seat as usize).map_or(IDLE, |user| {
                let user = user.get_or_insert_with(|| Box::new(UserActor::new(seat)));
                user.run(now, budget, post)
            }),
            Role::Game(game) => self.games.get_mut(game as usize).map_or(IDLE, |place| {
                let place = place.get_or_insert_with(|| {
                    let sync = FrameSync::new(post.exchange().settings.link.desync_after);
                    Box::new(GameActor::new(game, sync))
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
