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
mod network;
mod settings;

pub use board::{Lobby, Numbers};
pub use network::{BadNetwork, Network};
pub use settings::{Idle, Settings};

use crate::{
    buffer::Writer,
    metrics::{Metrics, Reason},
    minecraft::{LEGACY_WAIT, LoginName, MAX_RESPONSE_FRAME, Next, Reception, recognize, refuse},
    net::{
        Sniff,
        tcp::{ConnectionId, Connections, Ending, Origin, TcpService},
    },
    timer::Time,
};
use std::sync::Arc;

/// What a player is told where there is no world.
const NO_WORLD: &str = "There is no world here: this server only shows itself in the list.";

/// Minecraft on one event loop.
#[derive(Debug)]
pub struct MinecraftService {
    context: Context,
    places: Vec<Place>,
    on_shared_port: bool,
}

/// What all connections have in common.
#[derive(Debug)]
struct Context {
    settings: Arc<Settings>,
    numbers: Numbers,
    metrics: Arc<Metrics>,
    /// Where answers are written.
    scratch: Vec<u8>,
}

/// Whose a connection is, by its place.
#[derive(Clone, Copy, Debug, Default)]
enum Place {
    #[default]
    Empty,
    /// Somebody who has not said all of what it wants.
    Caller(ConnectionId, Reception),
}

impl MinecraftService {
    /// Shows `numbers` in the list.
    pub fn new(settings: Arc<Settings>, numbers: Numbers, metrics: Arc<Metrics>) -> Self {
        Self {
            context: Context {
                settings,
                numbers,
                metrics,
                scratch: Vec::new(),
            },
            places: Vec::new(),
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
        let progress = self.context.describe(|description, writer| {
            let progress = reception.receive(bytes, description, writer);
            // A connection that takes no more is closed, and told so by `closed`.
            let _ = net.send(id, writer.written());
            (progress, writer.len() > 0)
        });
        let (progress, is_answered) = progress;
        self.set_place(id, Place::Caller(id, reception));
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
            Next::Login(name) => self.knock(id, name, net),
        }
        progress.consumed
    }

    fn knock(&mut self, id: ConnectionId, name: LoginName, net: &mut Connections) {
        log::info!("minecraft: {name} cannot play here: no upstream is set");
        self.context.turn_away(id, NO_WORLD, net);
    }

    fn place(&self, id: ConnectionId) -> Place {
        let place = self.places.get(id.index as usize).copied();
        match place {
            Some(Place::Caller(whose, _)) if whose == id => place.unwrap_or_default(),
            _ => Place::Empty,
        }
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

impl Context {
    /// Shows what the list shows to `look`, with room for any answer.
    fn describe<R>(
        &mut self,
        look: impl FnOnce(&crate::minecraft::Description<'_>, &mut Writer<'_>) -> R,
    ) -> R {
        let lobby = self.numbers.read();
        self.scratch.resize(MAX_RESPONSE_FRAME, 0);
        let mut writer = Writer::new(&mut self.scratch);
        board::describe(&self.settings, lobby, |it| look(it, &mut writer))
    }

    /// Tells a player why it cannot come in.
    fn turn_away(&mut self, id: ConnectionId, why: &str, net: &mut Connections) {
        self.scratch.resize(MAX_RESPONSE_FRAME, 0);
        let mut writer = Writer::new(&mut self.scratch);
        if refuse(why, &mut writer).is_ok() {
            let _ = net.send(id, writer.written());
        }
        self.metrics.minecraft_refused.add(1);
        net.close(id);
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

    fn opened(&mut self, _: Time, id: ConnectionId, origin: Origin, _: &mut Connections) {
        if origin != Origin::Connected {
            self.set_place(id, Place::Caller(id, Reception::new()));
        }
    }

    fn received(
        &mut self,
        now: Time,
        id: ConnectionId,
        bytes: &mut [u8],
        net: &mut Connections,
    ) -> usize {
        match self.place(id) {
            Place::Caller(_, reception) => self.hear_caller(now, id, reception, bytes, net),
            Place::Empty => {
                net.abort(id);
                bytes.len()
            }
        }
    }

    fn expired(&mut self, _: Time, id: ConnectionId, net: &mut Connections) {
        if let Place::Caller(_, mut reception) = self.place(id) {
            self.context.describe(|description, writer| {
                reception.expired(description, writer);
                let _ = net.send(id, writer.written());
            });
            self.context.metrics.minecraft_listings.add(1);
            net.close(id);
        }
    }

    fn closed(&mut self, _: Time, id: ConnectionId, _: Ending, _: &mut Connections) {
        self.set_place(id, Place::Empty);
    }
}
