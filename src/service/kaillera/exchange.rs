//! Everything the threads share: inboxes, schedules, outlets, pools.

use super::{
    Settings,
    admission::Admission,
    mail::{GameMail, LobbyMail, Peer, UserMail},
};
use crate::{
    actor::{ActorId, Bell, Inbox, Schedule},
    buffer::{Frame, FramePool},
    kaillera::Backlog,
    lobby::UserKey,
    metrics::{Drops, Metrics, Reason},
    net::sys::Transmit,
    timer::Time,
};
use crossbeam_queue::ArrayQueue;
use parking_lot::Mutex;
use std::{
    cell::Cell,
    net::SocketAddr,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

/// Most threads of a kind; a turn marks whom to wake in one word.
pub(super) const MAX_THREADS: usize = 64;

/// Requests that may wait for the lobby.
const LOBBY_INBOX: usize = 4096;
/// Messages that may wait for a game.
const GAME_INBOX: usize = 1024;
/// Datagrams that may wait for a loop to send them.
pub(super) const OUTLET: usize = 8 * 1024;

/// What all threads of the service share.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) settings: Settings,
    pub(super) layout: Layout,
    pub(super) admission: Admission,
    pub(super) metrics: Arc<Metrics>,
    pub(super) drops: Arc<Drops>,
    /// Buffers for what is sent.
    pub(super) frames: FramePool,
    users: Box<[OnceLock<Box<Seat>>]>,
    games: Box<[OnceLock<Box<Inbox<GameMail>>>]>,
    lobby: Inbox<LobbyMail>,
    schedules: Box<[Arc<Schedule>]>,
    outlets: Box<[Outlet]>,
    accepting: AtomicBool,
}

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

/// What actors leave for a loop.
#[derive(Debug)]
pub(super) struct Outlet {
    pub(super) transmits: ArrayQueue<(u8, Transmit)>,
    /// Sessions that ended: the address is a stranger again, the seat is free.
    pub(super) closed: ArrayQueue<(SocketAddr, u32)>,
    pub(super) bell: Arc<Bell>,
}

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

impl Exchange {
    /// `bells` are the loops' and then, if there are any, the workers'.
    pub(super) fn new(
        settings: Settings,
        layout: Layout,
        frames: FramePool,
        loop_bells: &[Arc<Bell>],
        worker_bells: &[Arc<Bell>],
    ) -> Self {
        let schedules = worker_bells
            .iter()
            .map(|bell| Arc::new(Schedule::new(layout.actors(), bell.clone())))
            .collect();
        let outlets = loop_bells
            .iter()
            .map(|bell| Outlet {
                transmits: ArrayQueue::new(OUTLET),
                closed: ArrayQueue::new(layout.sessions),
                bell: bell.clone(),
            })
            .collect();
        Self {
            admission: Admission::new(settings.limits, settings.rules.max_users),
            settings,
            layout,
            metrics: Arc::default(),
            drops: Arc::default(),
            frames,
            users: (0..layout.seats()).map(|_| OnceLock::new()).collect(),
            games: (0..layout.games()).map(|_| OnceLock::new()).collect(),
            lobby: Inbox::new(LOBBY_INBOX),
            schedules,
            outlets,
            accepting: AtomicBool::new(true),
        }
    }

    /// One per worker.
    pub(super) fn schedules(&self) -> &[Arc<Schedule>] {
        &self.schedules
    }

    pub(super) fn outlet(&self, index: usize) -> Option<&Outlet> {
        self.outlets.get(index)
    }

    /// The seat, made when it is first used and kept from then on.
    pub(super) fn seat(&self, seat: u32) -> Option<&Seat> {
        let limits = &self.settings.limits;
        let place = self.users.get(seat as usize)?;
        Some(place.get_or_init(|| {
            Box::new(Seat {
                inbox: Inbox::new(limits.inbox),
                backlog: Mutex::new(Backlog::new(limits.backlog)),
                generation: AtomicU32::new(0),
                waiting: AtomicBool::new(false),
            })
        }))
    }

    pub(super) fn game_inbox(&self, game: u32) -> Option<&Inbox<GameMail>> {
        let place = self.games.get(game as usize)?;
        Some(place.get_or_init(|| Box::new(Inbox::new(GAME_INBOX))))
    }

    pub(super) fn lobby_inbox(&self) -> &Inbox<LobbyMail> {
        &self.lobby
    }

    /// Whether newcomers are let in; not while the server stops.
    pub(super) fn is_accepting(&self) -> bool {
        self.accepting.load(Ordering::Relaxed)
    }

    pub(super) fn stop_accepting(&self) {
        self.accepting.store(false, Ordering::Relaxed);
    }

    /// Counts a drop and, now and then, logs one.
    pub(super) fn count_drop(&self, reason: Reason, peer: Option<SocketAddr>, now: Time) {
        if let Some(count) = self.drops.record(reason, now) {
            match peer {
                Some(peer) => {
                    log::warn!("dropped: {} (from {peer}; {count} so far)", reason.text())
                }
                None => log::warn!("dropped: {} ({count} so far)", reason.text()),
            }
        }
    }
}

impl Seat {
    /// The seat has a new user: what waited for the last one is gone.
    pub(super) fn take_over(&self, generation: u32) {
        let mut backlog = self.backlog.lock();
        backlog.clear();
        self.generation.store(generation, Ordering::Release);
        self.waiting.store(false, Ordering::Relaxed);
    }

    /// Runs `use_it` on the backlog if anything may wait there; says whether something still does.
    pub(super) fn with_backlog(&self, use_it: impl FnOnce(&mut Backlog)) -> bool {
        if !self.waiting.load(Ordering::Acquire) {
            return false;
        }
        let mut backlog = self.backlog.lock();
        use_it(&mut backlog);
        let waits = !backlog.is_empty();
        self.waiting.store(waits, Ordering::Release);
        waits
    }

    fn append(&self, generation: u32, message: &[u8]) -> Result<bool, crate::buffer::Full> {
        let mut backlog = self.backlog.lock();
        if self.generation.load(Ordering::Acquire) != generation {
            return Ok(false);
        }
        backlog.push(message)?;
        self.waiting.store(true, Ordering::Release);
        Ok(true)
    }
}

/// One thread's way to the others. Remembers whom to wake until the turn is over.
#[derive(Debug)]
pub(super) struct Post {
    exchange: Arc<Exchange>,
    workers: Cell<u64>,
    loops: Cell<u64>,
}

impl Post {
    pub(super) fn new(exchange: Arc<Exchange>) -> Self {
        Self {
            exchange,
            workers: Cell::new(0),
            loops: Cell::new(0),
        }
    }

    pub(super) fn exchange(&self) -> &Exchange {
        &self.exchange
    }

    /// A message to a user from its own peer: refused when it has enough of them.
    pub(super) fn offer_user(&self, seat: u32, mail: UserMail) -> Result<(), UserMail> {
        match self.exchange.seat(seat) {
            Some(place) => place.inbox.offer(mail)?,
            None => return Err(mail),
        }
        self.schedule_user(seat);
        Ok(())
    }

    /// A message to a user from within the server.
    pub(super) fn user(&self, seat: u32, mail: UserMail, now: Time) {
        let Some(place) = self.exchange.seat(seat) else {
            return;
        };
        if place.inbox.push(mail).is_err() {
            self.exchange.count_drop(Reason::InboxFull, None, now);
        }
        self.schedule_user(seat);
    }

    /// A message from the lobby for the user's client, behind those that wait.
    pub(super) fn notice(&self, to: UserKey, message: &[u8], now: Time) {
        let Some(place) = self.exchange.seat(to.seat) else {
            return;
        };
        match place.append(to.generation, message) {
            Ok(true) => self.schedule_user(to.seat),
            Ok(false) => {}
            Err(_) => self.exchange.count_drop(Reason::BacklogFull, None, now),
        }
    }

    /// A message to a game; given back when its inbox is full.
    pub(super) fn game(&self, game: u32, mail: GameMail) -> Result<(), GameMail> {
        match self.exchange.game_inbox(game) {
            Some(inbox) => inbox.push(mail)?,
            None => return Err(mail),
        }
        let worker = self.exchange.layout.worker_of_game(game);
        self.schedule(worker, self.exchange.layout.game(game));
        Ok(())
    }

    /// A message to the lobby; given back when its inbox is full.
    pub(super) fn lobby(&self, mail: LobbyMail) -> Result<(), LobbyMail> {
        self.exchange.lobby.push(mail)?;
        self.schedule(0, ActorId(0));
        Ok(())
    }

    /// A datagram to a session's peer.
    pub(super) fn transmit(&self, seat: u32, peer: &Peer, frame: Frame, now: Time) {
        let index = self.exchange.layout.loop_of_seat(seat);
        let Some(outlet) = self.exchange.outlet(index) else {
            return;
        };
        let transmit = Transmit {
            peer: peer.address,
            local: peer.local,
            frame,
        };
        if outlet.transmits.push((peer.socket, transmit)).is_err() {
            self.exchange
                .count_drop(Reason::SendQueueFull, Some(peer.address), now);
        }
        mark(&self.loops, index);
    }

    /// A session is over: its loop forgets the address and frees the seat.
    pub(super) fn closed(&self, seat: u32, address: SocketAddr) {
        let index = self.exchange.layout.loop_of_seat(seat);
        let Some(outlet) = self.exchange.outlet(index) else {
            return;
        };
        let pushed = outlet.closed.push((address, seat));
        debug_assert!(pushed.is_ok(), "there is a place for every seat");
        mark(&self.loops, index);
    }

    /// Wakes whoever got something and sleeps.
    pub(super) fn ring(&self) {
        for index in ones(self.workers.take()) {
            if let Some(schedule) = self.exchange.schedules.get(index) {
                schedule.bell().ring();
            }
        }
        for index in ones(self.loops.take()) {
            if let Some(outlet) = self.exchange.outlet(index) {
                outlet.bell.ring();
            }
        }
    }

    fn schedule_user(&self, seat: u32) {
        let worker = self.exchange.layout.worker_of_seat(seat);
        self.schedule(worker, self.exchange.layout.user(seat));
    }

    fn schedule(&self, worker: usize, actor: ActorId) {
        if let Some(schedule) = self.exchange.schedules.get(worker) {
            schedule.add(actor);
            mark(&self.workers, worker);
        }
    }
}

fn mark(threads: &Cell<u64>, index: usize) {
    threads.set(threads.get() | 1 << index);
}

fn ones(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let index = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (index < 64).then_some(index as usize)
    })
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

    #[test]
    fn ones_of_a_mask() {
        assert_eq!(ones(0).count(), 0);
        assert_eq!(ones(0b1010_0001).collect::<Vec<_>>(), [0, 5, 7]);
        assert_eq!(ones(u64::MAX).count(), 64);
    }
}
