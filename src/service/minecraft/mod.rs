//! Minecraft clients on a port that other protocols share: the server list sees the lobby, and
//! players keep a session at another server while they are away (minecraft.md 5, 6, 11).
//!
//! ```text
//! client                          here                               upstream server
//!   | -- Handshake, Request ------> |  the lobby's numbers
//!   | <-------------- Response ---- |
//!   | -- Handshake, Login Start --> |  whose name is it? --- other loop ---.
//!   |                               | -- Handshake, Login Start ---------> |
//!   |                               | <------- Set Compression, Success --- |
//!   | <=== frames as they came ===> |  idle::Session   <=================> |
//!   X                               | <------------------------ the world - |
//!                                   | -- Keep Alive, Player ... ----------> |
//!   | -- Handshake, Login Start --> |
//!   | <-- the world, then frames -- |
//! ```
//!
//! Before it is in a world, a client can have a frame of 2 KiB here and nothing else. In a world
//! its frames are passed on out of the block they came in, all whole ones of a block with one
//! copy, and nothing is allocated for them. A frame of the upstream that is longer than a block is
//! put together in memory that its session keeps.
//!
//! The upstream is always read, so that its keep-alives are answered at once: what a client does
//! not take waits for it, up to a limit, and then the client goes, not the session.

mod board;
mod crossing;
mod home;
mod network;
mod relay;
mod settings;

pub use board::{Lobby, Numbers};
pub use crossing::Crossing;
pub use network::{BadNetwork, Network};
pub use settings::{Idle, Settings};

use crate::{
    buffer::Writer,
    metrics::{Metrics, Reason},
    minecraft::{
        Description, LEGACY_WAIT, LoginName, MAX_RESPONSE_FRAME, Next, Reception, Zlib, component,
        recognize, refuse_with,
    },
    net::{
        Progress, Sniff,
        tcp::{ConnectionId, Connections, Ending, Origin, TcpService},
    },
    timer::{Deadlines, Time},
};
use crossing::Guest;
use home::{Home, Stage};
use std::sync::Arc;

const NO_WORLD: &str = "There is no world here: this server only shows itself in the list.";
const NOT_INVITED: &str = "You are not on the list of players of this server.";
const BUSY: &str = "Too many players come at once. Try again in a moment.";

/// Room for what is said to an upstream at once: nearly all of it a player's confirmations of
/// teleports, when it leaves.
const ANSWERS: usize = 8 << 10;

/// Minecraft on one event loop.
#[derive(Debug)]
pub struct MinecraftService {
    context: Context,
    /// Which of the loops this is.
    index: usize,
    places: Vec<Place>,
    /// By the number of the session; those of other loops stay empty.
    homes: Vec<Home>,
    /// When sessions are begun again.
    attempts: Deadlines,
    /// Players whose session is at another loop.
    leaving: Vec<(ConnectionId, usize)>,
    on_shared_port: bool,
}

/// What all connections have in common.
#[derive(Debug)]
struct Context {
    settings: Arc<Settings>,
    numbers: Numbers,
    metrics: Arc<Metrics>,
    crossing: Arc<Crossing>,
    zlib: Zlib,
    /// Where long answers are written.
    scratch: Vec<u8>,
    /// Where is written what upstreams are told.
    answers: Box<[u8]>,
}

/// Whose a connection is.
#[derive(Clone, Copy, Debug, Default)]
enum Place {
    #[default]
    Empty,
    /// Somebody who has not said all of what it wants.
    Caller(Reception),
    /// A player on its way to another loop.
    Leaving,
    /// The player of this session.
    Client(usize),
    /// The upstream of this session.
    Upstream(usize),
}

impl MinecraftService {
    /// The service of the loop at `index`, showing `numbers` in the list.
    pub fn new(
        settings: Arc<Settings>,
        numbers: Numbers,
        metrics: Arc<Metrics>,
        crossing: Arc<Crossing>,
        index: usize,
    ) -> Self {
        let players = settings.idle.as_ref().map(|idle| idle.players.iter());
        let answers = players.as_ref().map_or(0, |_| ANSWERS);
        let homes: Vec<_> = players
            .into_iter()
            .flatten()
            .map(|&name| Home::new(name))
            .collect();
        Self {
            attempts: Deadlines::new(homes.len()),
            homes,
            context: Context {
                settings,
                numbers,
                metrics,
                crossing,
                zlib: Zlib::new(),
                scratch: Vec::new(),
                answers: vec![0; answers].into(),
            },
            index,
            places: Vec::new(),
            leaving: Vec::new(),
            on_shared_port: true,
        }
    }

    /// Whether it takes clients of a port that it shares; if not, it has its own.
    #[must_use]
    pub fn on_shared_port(mut self, shared: bool) -> Self {
        self.on_shared_port = shared;
        self
    }

    /// What came from somebody who has not said all of what it wants.
    fn hear_caller(
        &mut self,
        now: Time,
        id: ConnectionId,
        mut reception: Reception,
        bytes: &[u8],
        net: &mut Connections,
    ) -> usize {
        let (progress, is_answered) = self.context.describe(|description, writer| {
            let progress = reception.receive(bytes, description, writer);
            // A connection that takes no more is closed, and told so by `closed`.
            let _ = net.send(id, writer.written());
            (progress, !writer.is_empty())
        });
        self.set_place(id, Place::Caller(reception));
        let metrics = &self.context.metrics;
        if is_answered && matches!(progress.next, Next::More | Next::Close) {
            metrics.minecraft_listings.add(1);
        }
        match progress.next {
            Next::More => net.set_timer(id, None),
            Next::MoreSoon => net.set_timer(id, Some(now + LEGACY_WAIT)),
            Next::Close => net.close(id),
            Next::Refused => {
                metrics.minecraft_refused.add(1);
                net.close(id);
            }
            Next::Bad => net.refuse(id, Reason::BadFrame),
            Next::Login(name) => self.knock(now, id, name, net),
        }
        progress.consumed
    }

    /// Somebody wants to play.
    fn knock(&mut self, now: Time, id: ConnectionId, name: LoginName, net: &mut Connections) {
        let Some(idle) = &self.context.settings.idle else {
            self.context.turn_away(id, &component(NO_WORLD), net);
            return;
        };
        let peer = net.peer(id).map(|peer| peer.ip());
        let may_come =
            |ip| idle.clients.is_empty() || idle.clients.iter().any(|it| it.contains(ip));
        let session = idle.session_of(name).filter(|_| peer.is_some_and(may_come));
        let Some(session) = session else {
            net.note(id, Reason::NotInvited);
            self.context.turn_away(id, &component(NOT_INVITED), net);
            return;
        };
        if self.context.crossing.home_of(session) == self.index {
            self.arrive(now, id, session, net);
        } else {
            self.set_place(id, Place::Leaving);
            self.leaving.push((id, session));
        }
    }

    /// A player is at the loop of its session.
    fn arrive(&mut self, now: Time, id: ConnectionId, session: usize, net: &mut Connections) {
        self.set_place(id, Place::Client(session));
        self.with(session, |home, context| home.arrive(now, id, context, net));
    }

    /// Lets players go to the loops of their sessions.
    fn send_away(&mut self, net: &mut Connections) {
        while let Some((id, session)) = self.leaving.pop() {
            match net.part(id) {
                Some(connection) => {
                    let guest = Guest {
                        connection,
                        session,
                    };
                    if !self.context.crossing.send(guest) {
                        log::warn!("minecraft: too many players come to one loop at once");
                    }
                }
                None => self.context.turn_away(id, &component(BUSY), net),
            }
        }
    }

    /// Does something about a session; what has changed by it is known afterwards.
    fn with<R>(
        &mut self,
        session: usize,
        change: impl FnOnce(&mut Home, &mut Context) -> R,
    ) -> Option<R> {
        let home = self.homes.get_mut(session)?;
        let result = change(home, &mut self.context);
        let (upstream, attempt) = (home.upstream(), home.next_attempt());
        if let Some(upstream) = upstream {
            self.set_place(upstream, Place::Upstream(session));
        }
        if let Ok(key) = u32::try_from(session) {
            self.attempts.set(key, attempt);
        }
        Some(result)
    }

    fn place(&self, id: ConnectionId) -> Place {
        self.places
            .get(id.index as usize)
            .copied()
            .unwrap_or_default()
    }

    fn set_place(&mut self, id: ConnectionId, place: Place) {
        let index = id.index as usize;
        if self.places.len() <= index {
            self.places.resize_with(index + 1, Place::default);
        }
        if let Some(old) = self.places.get_mut(index) {
            *old = place;
        }
    }
}

impl Home {
    /// Whether a connection is the upstream's of this moment.
    fn has_upstream(&self, id: ConnectionId) -> bool {
        self.upstream() == Some(id)
    }

    /// Whether a connection is the player's of this moment.
    fn has_client(&self, id: ConnectionId) -> bool {
        self.client == Some(id)
    }
}

impl Context {
    /// Shows what the list shows to `look`, with room for any answer.
    fn describe<R>(&mut self, look: impl FnOnce(&Description<'_>, &mut Writer<'_>) -> R) -> R {
        let lobby = self.numbers.read();
        let settings = self.settings.clone();
        let (mut writer, _) = self.writer();
        board::describe(&settings, lobby, |it| look(it, &mut writer))
    }

    /// Tells a player why it cannot come in; the reason is JSON.
    fn turn_away(&mut self, id: ConnectionId, reason: &str, net: &mut Connections) {
        let (mut writer, _) = self.writer();
        if refuse_with(reason, &mut writer).is_ok() {
            let _ = net.send(id, writer.written());
        }
        self.metrics.minecraft_refused.add(1);
        net.close(id);
    }

    /// Room for any answer, and what it takes to compress it.
    fn writer(&mut self) -> (Writer<'_>, &mut Zlib) {
        self.scratch.resize(MAX_RESPONSE_FRAME, 0);
        (Writer::new(&mut self.scratch), &mut self.zlib)
    }
}

impl TcpService for MinecraftService {
    fn name(&self) -> &'static str {
        "minecraft"
    }

    fn sniff(&self, first: &[u8]) -> Sniff {
        match recognize(first) {
            _ if !self.on_shared_port => Sniff::No,
            Some(true) => Sniff::Yes,
            Some(false) => Sniff::No,
            None => Sniff::NeedMore,
        }
    }

    fn opened(&mut self, _: Time, id: ConnectionId, origin: Origin, net: &mut Connections) {
        match origin {
            Origin::Accepted { .. } => self.set_place(id, Place::Caller(Reception::new())),
            // How long an upstream may take is the session's to say.
            Origin::Connected => {
                net.admit(id);
                net.set_idle_timeout(id, None);
            }
        }
    }

    fn received(
        &mut self,
        now: Time,
        id: ConnectionId,
        bytes: &mut [u8],
        net: &mut Connections,
    ) -> usize {
        let bytes = &*bytes;
        let consumed = match self.place(id) {
            Place::Caller(reception) => Some(self.hear_caller(now, id, reception, bytes, net)),
            Place::Leaving => Some(0),
            Place::Client(session) => self
                .with(session, |home, context| {
                    let is_its = home.has_client(id);
                    is_its.then(|| home.hear_client(now, id, bytes, context, net))
                })
                .flatten(),
            Place::Upstream(session) => self
                .with(session, |home, context| {
                    let is_its = home.has_upstream(id);
                    is_its.then(|| home.hear_upstream(now, bytes, context, net))
                })
                .flatten(),
            Place::Empty => None,
        };
        consumed.unwrap_or_else(|| {
            net.abort(id);
            bytes.len()
        })
    }

    fn ended(&mut self, now: Time, id: ConnectionId, net: &mut Connections) {
        net.close(id);
        self.closed(now, id, Ending::Done, net);
    }

    fn writable(&mut self, _: Time, id: ConnectionId, net: &mut Connections) {
        if let Place::Client(session) = self.place(id) {
            self.with(session, |home, _| {
                if home.has_client(id)
                    && let Stage::Live(live) = &mut home.stage
                {
                    live.pump(id, net);
                }
            });
        }
    }

    fn expired(&mut self, now: Time, id: ConnectionId, net: &mut Connections) {
        match self.place(id) {
            Place::Caller(mut reception) => {
                self.context.describe(|description, writer| {
                    reception.expired(description, writer);
                    let _ = net.send(id, writer.written());
                });
                self.context.metrics.minecraft_listings.add(1);
                net.close(id);
            }
            Place::Upstream(session) => {
                self.with(session, |home, context| {
                    if home.has_upstream(id) {
                        home.expired(now, context, net);
                    }
                });
            }
            Place::Client(_) | Place::Leaving | Place::Empty => {}
        }
    }

    fn closed(&mut self, now: Time, id: ConnectionId, ending: Ending, net: &mut Connections) {
        match self.place(id) {
            Place::Client(session) => {
                self.with(session, |home, context| {
                    if home.has_client(id) {
                        home.leave(now, context, net);
                    }
                });
            }
            Place::Upstream(session) => {
                self.with(session, |home, context| {
                    if home.has_upstream(id) {
                        home.lost(now, ending, context, net);
                    }
                });
            }
            Place::Caller(_) | Place::Leaving | Place::Empty => {}
        }
        self.set_place(id, Place::Empty);
    }

    fn turn(&mut self, now: Time, net: &mut Connections) -> Progress {
        self.send_away(net);
        while let Some(guest) = self.context.crossing.receive(self.index) {
            match net.adopt(guest.connection) {
                Ok(id) => self.arrive(now, id, guest.session, net),
                Err(error) => log::warn!("minecraft: a player cannot change the loop: {error}"),
            }
        }
        while let Some(key) = self.attempts.pop_due(now) {
            self.with(key as usize, |home, context| home.retry(now, context, net));
        }
        Progress {
            more: false,
            deadline: self.attempts.next(),
        }
    }

    fn is_idle(&self) -> bool {
        self.leaving.is_empty() && self.context.crossing.is_empty(self.index)
    }

    fn stopping(&mut self, now: Time, net: &mut Connections) {
        for session in 0..self.homes.len() {
            self.with(session, |home, context| home.stop(now, context, net));
        }
    }
}

#[cfg(test)]
mod tests;
