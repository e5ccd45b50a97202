//! Everything the threads share: inboxes, schedules, outlets, pools.

use super::{
    Settings,
    admission::Admission,
    bulletin::Bulletin,
    gate::Gate,
    layout::Layout,
    live::Live,
    mail::{GameMail, LobbyMail},
    sanctions_file::Keeper,
    seat::Seat,
};
use crate::{
    access::Access,
    actor::{Bell, Inbox, Schedule},
    buffer::FramePool,
    metrics::{Drops, Metrics, Reason},
    net::sys::Transmit,
    privacy::shown,
    timer::Time,
};
use crossbeam_queue::{ArrayQueue, SegQueue};
use std::{
    net::SocketAddr,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

/// Requests that may wait for the lobby; users hold on to more themselves.
const LOBBY_INBOX: usize = 1024;
/// Messages that may wait for a game.
const GAME_INBOX: usize = 128;
/// Datagrams that may wait for a loop to send them.
pub(super) const OUTLET: usize = 8 * 1024;
/// Datagrams of one turn there is room for from the start; for more it is made when they come,
/// and kept.
pub(super) const TURN: usize = 64;

/// What all threads of the service share.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) settings: Settings,
    pub(super) layout: Layout,
    pub(super) admission: Admission,
    pub(super) live: Live,
    pub(super) bulletin: Bulletin,
    pub(super) gate: Gate,
    pub(super) keeper: Keeper,
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
    /// Bytes that recordings of games may still take.
    replay_left: AtomicUsize,
    /// Threads that are at files for the lobby.
    pub(super) errands: AtomicUsize,
}

/// What actors leave for a loop.
#[derive(Debug)]
pub(super) struct Outlet {
    pub(super) transmits: ArrayQueue<(u8, Transmit)>,
    /// Sessions that ended: the address is a stranger again, the seat is free. Never more than
    /// there are seats.
    pub(super) closed: SegQueue<(SocketAddr, u32)>,
    pub(super) bell: Arc<Bell>,
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
                // Actors on a loop leave nothing for another one.
                transmits: ArrayQueue::new(if layout.inline { 1 } else { OUTLET }),
                closed: SegQueue::new(),
                bell: bell.clone(),
            })
            .collect();
        Self {
            admission: Admission::new(settings.limits, settings.rules.max_users),
            live: Live::new(&settings.rules),
            replay_left: AtomicUsize::new(settings.limits.replay_total),
            bulletin: Bulletin::new(settings.news),
            gate: Gate::new(Access::new(settings.access.rules.clone())),
            keeper: Keeper::default(),
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
            errands: AtomicUsize::new(0),
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
        Some(place.get_or_init(|| Box::new(Seat::new(limits))))
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

    /// Sets memory aside for the recording of a game; says how much there is for it.
    pub(super) fn reserve_replay(&self) -> usize {
        let wanted = self.settings.limits.replay;
        let take = |left: usize| left.checked_sub(wanted);
        let (relaxed, left) = (Ordering::Relaxed, &self.replay_left);
        left.fetch_update(relaxed, relaxed, take)
            .map_or(0, |_| wanted)
    }

    /// Gives back what was [set aside](Self::reserve_replay).
    pub(super) fn release_replay(&self, bytes: usize) {
        self.replay_left.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts a drop and, now and then, logs one.
    pub(super) fn count_drop(&self, reason: Reason, peer: Option<SocketAddr>, now: Time) {
        if let Some(count) = self.drops.record(reason, now) {
            match peer {
                Some(peer) => {
                    let (what, peer) = (reason.text(), shown(peer));
                    log::warn!("dropped: {what} (from {peer}; {count} so far)");
                }
                None => log::warn!("dropped: {} ({count} so far)", reason.text()),
            }
        }
    }
}
