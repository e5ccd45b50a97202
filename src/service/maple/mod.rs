//! Maple sessions for servers built on this library: a [`Handler`] gets packets and sends some,
//! everything below that is done here.
//!
//! ```text
//! silence or first bytes of the port
//!   | opened: hello with fresh IVs                    Handler::opened
//!   v
//! received ---> Decoder, in the block it came in ---> Handler::packet
//!   ^                                                   | Sessions::{send, broadcast, close}
//!   |                                                   v
//! pong, or anything else within the timeout <--- ping   Encoder, in the block it leaves from
//! ```
//!
//! What a session's queue and worker are here: packets wait in the session's own block, 66 kB,
//! and then in the system; the loop the session lives on takes them in its turn, at most a block
//! each time, and takes none while the session's own reader is slow.
//!
//! Each event loop has its own handler with its own sessions. A [`Post`] leads to those of other
//! loops: a handler, or any thread, sends to a session by its [`Address`], to many or to all, ends
//! one, or tells a loop's handler something. Each loop has a bounded mailbox for that and does
//! what is in it in its next turn; whoever has no room there is told so.
//!
//! ```no_run
//! # use samara::{config::Config, maple::Profile, net::tcp::ConnectionId, server::Server};
//! # use samara::{service::maple::{Handler, MapleService, Post, Sessions, Settings}, timer::Time};
//! # #[derive(Debug, Default)]
//! # struct World;
//! # impl Handler for World {
//! #     fn packet(&mut self, _: Time, _: ConnectionId, _: &mut [u8], _: &mut Sessions<'_>) {}
//! # }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let post = Post::new();
//! let server = Server::start_with(&Config::default(), |place| {
//!     let settings = Settings::new(Profile::GMS_83);
//!     let service = MapleService::new(World::default(), settings, place.metrics.clone())
//!         .reachable(&post, place.index as u16, place.bell.clone())
//!         .with_log(place.packet_log.as_ref());
//!     vec![Box::new(service)]
//! })?;
//! post.broadcast_all(b"\x44\0good morning")?;
//! # drop(server);
//! # Ok(())
//! # }
//! ```
//!
//! # Example
//!
//! A world in which everybody sees what one says:
//!
//! ```
//! use samara::{
//!     maple::{Codec, Direction, Hello, HelloForm, Profile},
//!     net::tcp::{ConnectionId, Rehearsal, TcpSettings},
//!     service::maple::{Handler, MapleService, Sessions, Settings},
//!     timer::Time,
//! };
//!
//! #[derive(Debug)]
//! struct Square;
//!
//! impl Handler for Square {
//!     fn packet(&mut self, _: Time, _: ConnectionId, payload: &mut [u8], all: &mut Sessions<'_>) {
//!         let everybody: Vec<_> = all.ids().collect();
//!         // Too long it cannot be: it came in.
//!         let _ = all.broadcast(everybody, payload);
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let settings = Settings::new(Profile::GMS_83);
//! let service = MapleService::new(Square, settings, Default::default());
//! let mut net = Rehearsal::new(service, TcpSettings::default());
//!
//! // A client: reads the hello, says something, hears it.
//! let id = net.open();
//! let greeting = net.take_sent(id);
//! let (hello, _) = Hello::parse(HelloForm::Patch, &greeting)?.ok_or("no hello")?;
//! let codec = Codec::new(Profile::GMS_83);
//! let mut says = codec.encoder(Direction::ToServer, hello.to_server);
//! let mut hears = codec.decoder(Direction::ToClient, hello.to_client);
//! let mut frame = *b"....\x31\0hello";
//! says.encode(&mut frame)?;
//! net.receive(id, &frame);
//! let mut answer = net.take_sent(id);
//! hears.decode(&mut answer)?;
//! assert_eq!(&answer[4..], b"\x31\0hello");
//! # Ok(())
//! # }
//! ```

mod greeting;
mod post;
mod sessions;
mod settings;
mod table;

pub use greeting::{Greeting, LONGEST_HELLO};
pub use post::{Address, Post};
pub use sessions::{PacketError, Sessions};
pub use settings::{Keepalive, Settings};

use crate::{
    actor::Bell,
    maple::{Codec, Decoded, Direction, Opcodes},
    metrics::{Metrics, Reason},
    net::{
        Progress, Sniff,
        tcp::{ConnectionId, Connections, Ending, Origin, TcpService},
    },
    service::packet_log::PacketLog,
    timer::Time,
};
use std::{fmt, sync::Arc};
use table::{Logged, Session, Table};

/// What others have left for a loop that is done in one of its turns.
const MAIL_PER_TURN: usize = 256;

/// What a server does with its sessions. Everything is called on the thread of one event loop.
pub trait Handler: fmt::Debug + Send {
    /// A client has connected and been greeted.
    fn opened(&mut self, now: Time, id: ConnectionId, sessions: &mut Sessions<'_>) {
        let _ = (now, id, sessions);
    }

    /// A client sent a packet: its opcode and what follows. Answers to pings are not told.
    fn packet(
        &mut self,
        now: Time,
        id: ConnectionId,
        payload: &mut [u8],
        sessions: &mut Sessions<'_>,
    );

    /// A session is over, whoever ended it; `id` finds nothing any more.
    fn closed(&mut self, now: Time, id: ConnectionId, ending: Ending, sessions: &mut Sessions<'_>) {
        let _ = (now, id, ending, sessions);
    }

    /// Another loop's handler, or another thread, has something to say, [`Post::tell`].
    fn told(&mut self, now: Time, bytes: &[u8], sessions: &mut Sessions<'_>) {
        let _ = (now, bytes, sessions);
    }

    /// Does what there is to do without a packet, once in each of the loop's turns; says when
    /// there is more.
    fn turn(&mut self, now: Time, sessions: &mut Sessions<'_>) -> Progress {
        let _ = (now, sessions);
        Progress::default()
    }

    /// The server stops: a last word.
    fn stopping(&mut self, now: Time, sessions: &mut Sessions<'_>) {
        let _ = (now, sessions);
    }
}

/// The sessions of one event loop, and their handler.
#[derive(Debug)]
pub struct MapleService<H> {
    handler: H,
    settings: Settings,
    codec: Codec,
    table: Table,
    /// Sessions whose keystreams were used.
    thirsty: Vec<ConnectionId>,
    /// The way to other loops, and this one's number there.
    home: Option<(Post, u16)>,
}

impl<H: Handler> MapleService<H> {
    /// A service that counts in `metrics`.
    pub fn new(handler: H, settings: Settings, metrics: Arc<Metrics>) -> Self {
        Self {
            handler,
            codec: Codec::new(settings.greeting.profile),
            settings,
            table: Table::new(metrics),
            thirsty: Vec::new(),
            home: None,
        }
    }

    /// Lets other loops reach these sessions through `post` as those of loop `home`, of which
    /// there is one, and lets these reach theirs; `bell` wakes this loop.
    #[must_use]
    pub fn reachable(mut self, post: &Post, home: u16, bell: Arc<Bell>) -> Self {
        post.open(home, bell, self.table.metrics.clone());
        self.home = Some((post.clone(), home));
        self
    }

    /// Writes packets to `log`, too. What a client says is secret until its first packet is one
    /// with which it comes in from another server.
    #[must_use]
    pub fn with_log(mut self, log: Option<&PacketLog>) -> Self {
        let profile = *self.codec.profile();
        let opcodes = Opcodes::find(profile.region, profile.version).unwrap_or_default();
        self.table.log = log.map(|log| log.recorder("maple", profile, opcodes));
        self
    }

    fn call<R>(
        &mut self,
        now: Time,
        net: &mut Connections,
        call: impl FnOnce(&mut H, &mut Sessions<'_>) -> R,
    ) -> R {
        let mut sessions = Sessions {
            now,
            table: &mut self.table,
            net,
            home: self.home.as_ref(),
        };
        call(&mut self.handler, &mut sessions)
    }

    /// Does what others have left for this loop; whether there is more of it.
    fn open_mail(&mut self, now: Time, net: &mut Connections) -> bool {
        let Some((post, home)) = self.home.clone() else {
            return false;
        };
        for _ in 0..MAIL_PER_TURN {
            let Some(mail) = post.take(home) else {
                return false;
            };
            self.call(now, net, |handler, all| {
                if let Some(bytes) = mail.deliver(all) {
                    handler.told(now, &bytes, all);
                }
            });
        }
        true
    }

    /// Says hello; `None` if that is not possible.
    fn greet(&self, now: Time, id: ConnectionId, net: &mut Connections) -> Option<Session> {
        let mut room = [0; LONGEST_HELLO];
        let (to_server, to_client, len) = self.settings.greeting.write(&mut room)?;
        net.send(id, room.get(..len)?).ok()?;
        let Settings {
            lookahead, longest, ..
        } = self.settings;
        let decoder = self.codec.decoder(Direction::ToServer, to_server);
        let shortest = self.codec.profile().opcode_len;
        let encoder = self.codec.encoder(Direction::ToClient, to_client);
        Some(Session {
            generation: id.generation,
            decoder: decoder
                .accepting(shortest..=longest)
                .looking_ahead(lookahead),
            encoder: Some(Box::new(encoder.looking_ahead(lookahead))),
            heard: now,
            pinged: None,
            thirsty: false,
            logged: self.logged(id, net),
        })
    }

    fn logged(&self, id: ConnectionId, net: &Connections) -> Option<Logged> {
        let log = self.table.log.as_ref()?;
        let number = log.begin(net.peer(id)?.ip())?;
        Some(Logged {
            number,
            is_login: None,
        })
    }

    /// Takes one packet from the front of `bytes`; how long it was, or `None` if there is none.
    fn take(
        &mut self,
        now: Time,
        id: ConnectionId,
        bytes: &mut [u8],
        net: &mut Connections,
    ) -> Option<usize> {
        self.table.log_received(now, id, bytes);
        let session = self.table.get_mut(id).filter(|it| it.is_open())?;
        let (payload, frame_len) = match session.decoder.decode(bytes) {
            Ok(Decoded::Packet { payload, frame_len }) => (payload, frame_len),
            Ok(Decoded::Incomplete { .. }) => return None,
            Err(error) => {
                log::debug!("maple session {}: {error}", id.index);
                session.encoder = None;
                net.refuse(id, Reason::BadFrame);
                return None;
            }
        };
        session.heard = now;
        session.pinged = None;
        let is_pong = self.settings.is_pong(payload);
        if !is_pong {
            self.call(now, net, |handler, all| {
                handler.packet(now, id, payload, all);
            });
        }
        Some(frame_len)
    }

    /// Has the session's keystreams made when there is nothing else to do.
    fn note_thirst(&mut self, id: ConnectionId) {
        if self.settings.lookahead.packets > 0
            && let Some(session) = self.table.get_mut(id)
            && !session.thirsty
        {
            session.thirsty = true;
            self.thirsty.push(id);
        }
    }
}

impl<H: Handler> TcpService for MapleService<H> {
    fn name(&self) -> &'static str {
        "maple"
    }

    /// Nobody but us speaks first.
    fn sniff(&self, _: &[u8]) -> Sniff {
        Sniff::No
    }

    fn speaks_first(&self) -> bool {
        true
    }

    fn opened(&mut self, now: Time, id: ConnectionId, _: Origin, net: &mut Connections) {
        let Some(session) = self.greet(now, id, net) else {
            net.abort(id);
            return;
        };
        self.table.insert(id.index, session);
        self.table.metrics.maple_sessions.add(1);
        net.feed(id, id);
        net.admit(id);
        if let Some(keepalive) = &self.settings.keepalive {
            net.set_idle_timeout(id, None);
            net.set_timer(id, Some(now + keepalive.after));
        }
        self.call(now, net, |handler, all| handler.opened(now, id, all));
    }

    fn received(
        &mut self,
        now: Time,
        id: ConnectionId,
        bytes: &mut [u8],
        net: &mut Connections,
    ) -> usize {
        let mut consumed = 0;
        let mut packets = 0;
        while !net.is_congested(id)
            && let Some(rest) = bytes.get_mut(consumed..)
            && let Some(len) = self.take(now, id, rest, net)
        {
            consumed += len;
            packets += 1;
        }
        self.table.metrics.maple_packets_in.add(packets);
        self.note_thirst(id);
        consumed
    }

    fn expired(&mut self, now: Time, id: ConnectionId, net: &mut Connections) {
        let Some(keepalive) = &self.settings.keepalive else {
            return;
        };
        let Some(session) = self.table.get_mut(id).filter(|it| it.is_open()) else {
            return;
        };
        let Keepalive { after, timeout, .. } = *keepalive;
        match session.pinged {
            Some(pinged) if now.since(pinged) >= timeout => {
                net.refuse(id, Reason::PongTimeout);
            }
            Some(pinged) => net.set_timer(id, Some(pinged + timeout)),
            None if session.silence(now) >= after => {
                session.pinged = Some(now);
                net.set_timer(id, Some(now + timeout));
                let mut ping = [0; 2];
                let ping = keepalive.write_ping(self.settings.opcode_len(), &mut ping);
                // If it cannot be sent the session ends anyway.
                let _ = self.call(now, net, |_, all| all.send(id, ping));
            }
            None => net.set_timer(id, Some(session.heard + after)),
        }
    }

    fn closed(&mut self, now: Time, id: ConnectionId, ending: Ending, net: &mut Connections) {
        if self.table.remove(id).is_some() {
            self.call(now, net, |handler, all| {
                handler.closed(now, id, ending, all);
            });
        }
    }

    fn turn(&mut self, now: Time, net: &mut Connections) -> Progress {
        let more = self.open_mail(now, net);
        let progress = self.call(now, net, |handler, all| handler.turn(now, all));
        Progress {
            more: progress.more || more,
            ..progress
        }
    }

    fn is_idle(&self) -> bool {
        let home = self.home.as_ref();
        home.is_none_or(|(post, home)| post.is_empty(*home))
    }

    fn stopping(&mut self, now: Time, net: &mut Connections) {
        self.call(now, net, |handler, all| handler.stopping(now, all));
    }

    fn idle(&mut self) -> bool {
        if let Some(id) = self.thirsty.pop() {
            self.table.prefetch(id);
        }
        !self.thirsty.is_empty()
    }
}

#[cfg(test)]
mod tests;
