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
mod bulletin;
mod courier;
mod durable;
mod exchange;
pub mod fuzz;
mod game;
mod gate;
mod ingress;
mod journal;
mod layout;
mod live;
mod lobby;
mod loop_part;
mod mail;
mod names;
mod origins;
mod post;
mod sanctions_file;
mod seat;
mod settings;
mod trivia_files;
mod unread;
mod user;
mod worker_part;

pub use bulletin::RoomNews;
pub(crate) use durable::replace as replace_file;
pub use loop_part::LoopPart;
pub use names::{NamesThread, Resolve, resolve};
pub use sanctions_file::read_saved;
pub use settings::{Access, Limits, Link, Settings};
pub use trivia_files::TriviaPaths;
pub use worker_part::WorkerPart;

use crate::{
    access,
    actor::Bell,
    buffer::FramePool,
    kaillera::MAX_MESSAGE,
    lobby::{Report, Snapshot, Update, rules::Rules},
    metrics::{Drops, Metrics},
    timer::Time,
};
use exchange::Exchange;
use layout::Layout;
use mail::LobbyMail;
use post::Post;
use std::{
    io,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

/// Bytes of a buffer: one of the largest messages alone in a bundle, or the longest datagram
/// a client may send.
pub const FRAME_SIZE: usize = MAX_MESSAGE + 252;

/// Most event loops, and most workers, there can be.
pub const MAX_THREADS: usize = layout::MAX_THREADS;

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
        .map(|(index, bell)| {
            let inline = if layout.inline { actors.next() } else { None };
            LoopPart::new(&exchange, index, &ports, inline, bell)
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
    /// Tells every user that the server stops once the games that run are over; nobody is let
    /// in from here on, and is told so.
    pub fn announce_drain(&self) {
        self.lobby(LobbyMail::Drain);
    }

    /// Tells every user that the server stops; nobody is let in from here on.
    pub fn announce_stop(&self) {
        self.exchange.stop_accepting();
        self.lobby(LobbyMail::ShutDown);
    }

    /// Ends every session.
    pub fn close_all(&self) {
        self.lobby(LobbyMail::CloseAll);
    }

    /// Puts access rules in the place of those there are; answers whether the lobby could be told.
    pub fn set_access_rules(&self, rules: Arc<access::Rules>) -> bool {
        self.tell(LobbyMail::Access(rules))
    }

    /// Puts the lobby's rules in the place of those it has, except for what
    /// [`Lobby::set_rules`](crate::lobby::Lobby::set_rules) says; answers whether the lobby could
    /// be told.
    pub fn set_rules(&self, rules: Rules) -> bool {
        self.tell(LobbyMail::Rules(Box::new(rules)))
    }

    /// Tells the admins who are online.
    pub fn report(&self, reports: Vec<Report>) {
        // What is lost in a full inbox is in the log, too.
        self.tell(LobbyMail::Report(reports.into()));
    }

    /// Starts the thread that looks up the host names of access rules.
    ///
    /// # Errors
    ///
    /// When the system refuses a thread.
    pub fn look_up_names(&self, resolve: Resolve) -> io::Result<NamesThread> {
        NamesThread::start(&self.exchange, resolve)
    }

    /// Users that are logged in.
    pub fn users(&self) -> usize {
        self.exchange.admission.users()
    }

    /// Sessions, logged in or not.
    pub fn sessions(&self) -> usize {
        self.exchange.admission.sessions()
    }

    /// Whether somebody is at the quiz's files.
    pub fn is_saving(&self) -> bool {
        self.exchange.errands.load(Ordering::Acquire) > 0
    }

    /// Rooms whose game runs or is about to.
    pub fn games_playing(&self) -> usize {
        self.exchange.admission.playing().0
    }

    /// Sessions that have not logged in, as counted in all and by address.
    pub fn unfinished_logins(&self) -> (usize, usize) {
        self.exchange.admission.unfinished_logins()
    }

    /// The same numbers, for any thread and as long as it likes.
    pub fn census(&self) -> Census {
        Census(self.exchange.clone())
    }

    /// Tells the lobby, from another thread.
    pub fn herald(&self) -> Herald {
        Herald(self.exchange.clone())
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
        if !self.tell(mail) {
            log::warn!("the lobby is too busy to be told that the server stops");
        }
    }

    fn tell(&self, mail: LobbyMail) -> bool {
        let is_told = self.post.lobby(mail).is_ok();
        self.post.ring();
        is_told
    }
}

/// Tells the lobby what was heard of outside; for any thread.
#[derive(Clone, Debug)]
pub struct Herald(Arc<Exchange>);

impl Herald {
    /// Lets admins be told of a newer version after their login; answers whether the lobby could
    /// be told.
    pub fn tell_update(&self, update: Update) -> bool {
        let post = Post::new(self.0.clone());
        let is_told = post.lobby(LobbyMail::Update(Box::new(update))).is_ok();
        post.ring();
        is_told
    }
}

/// Looks at the service and changes nothing; copies see the same.
#[derive(Clone, Debug)]
pub struct Census(Arc<Exchange>);

impl Census {
    /// Users that are logged in.
    pub fn users(&self) -> usize {
        self.0.admission.users()
    }

    /// Rooms, whether they play or not.
    pub fn games(&self) -> usize {
        self.0.admission.games()
    }

    /// Rooms whose game runs or is about to, and the players in them.
    pub fn playing(&self) -> (usize, usize) {
        self.0.admission.playing()
    }

    /// The lobby as it was `age` ago or later. If nobody has looked since, the lobby is asked, and
    /// the answer is `None` until it has had its turn.
    pub fn snapshot(&self, now: Time, age: Duration) -> Option<Arc<Snapshot>> {
        let newest = self.0.bulletin.newest(now, age);
        if newest.is_none() && self.0.bulletin.want() {
            let post = Post::new(self.0.clone());
            post.call_lobby();
            post.ring();
        }
        newest
    }

    /// Rooms whose players get ready.
    pub fn synchronizing(&self) -> usize {
        self.0.admission.synchronizing()
    }

    /// The oldest of the news nobody has taken; there are none unless [`Settings::news`] is set.
    pub fn next_news(&self) -> Option<RoomNews> {
        self.0.bulletin.next_news()
    }

    /// Sessions, logged in or not.
    pub fn sessions(&self) -> usize {
        self.0.admission.sessions()
    }

    /// What the service counts.
    pub fn metrics(&self) -> Arc<Metrics> {
        self.0.metrics.clone()
    }

    /// What it dropped, by reason.
    pub fn drops(&self) -> Arc<Drops> {
        self.0.drops.clone()
    }

    /// Buffers for sending that nobody holds, and how many there are.
    pub fn frames(&self) -> (usize, usize) {
        (self.0.frames.available(), self.0.frames.capacity())
    }
}

#[cfg(test)]
mod tests;
