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
//! Each event loop has its own handler with its own sessions. A world that has to know everybody
//! runs on one loop (`net.loops = 1`), or its handlers exchange messages.
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
mod sessions;
mod settings;

pub use greeting::{Greeting, LONGEST_HELLO};
pub use sessions::{PacketError, Sessions};
pub use settings::{Keepalive, Settings};

use crate::{
    maple::{Codec, Decoded, Direction},
    metrics::{Metrics, Reason},
    net::{
        Progress, Sniff,
        tcp::{ConnectionId, Connections, Ending, Origin, TcpService},
    },
    timer::Time,
};
use sessions::{Session, Table};
use std::{fmt, sync::Arc};

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
        }
    }

    fn call<R>(
        &mut self,
        net: &mut Connections,
        call: impl FnOnce(&mut H, &mut Sessions<'_>) -> R,
    ) -> R {
        let table = &mut self.table;
        call(&mut self.handler, &mut Sessions { table, net })
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
            self.call(net, |handler, all| handler.packet(now, id, payload, all));
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
        self.call(net, |handler, all| handler.opened(now, id, all));
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
                let _ = self.call(net, |_, all| all.send(id, ping));
            }
            None => net.set_timer(id, Some(session.heard + after)),
        }
    }

    fn closed(&mut self, now: Time, id: ConnectionId, ending: Ending, net: &mut Connections) {
        if self.table.remove(id).is_some() {
            self.call(net, |handler, all| handler.closed(now, id, ending, all));
        }
    }

    fn turn(&mut self, now: Time, net: &mut Connections) -> Progress {
        self.call(net, |handler, all| handler.turn(now, all))
    }

    fn stopping(&mut self, now: Time, net: &mut Connections) {
        self.call(net, |handler, all| handler.stopping(now, all));
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
