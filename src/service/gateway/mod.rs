//! One public port in front of a login server and any number of game servers (maple.md 13).
//!
//! ```text
//! client                        gateway                               servers
//!   | <------- hello, our IVs --- |
//!   | -- first packet ----------> |  a character that is expected?  its game server, else login
//!   |                             | -- connect ------------------------> |
//!   |                             | <------------- hello, its IVs ------- |
//!   | <=========================> |  relay: one keystream off, another on  <==> |
//!   |                             | <-- "go to 10.0.0.2:7575" ----------- |
//!   |      character -> 10.0.0.2:7575 is remembered first
//!   | <-- "go to us" ------------ |
//!   | closes, comes again, says which character it is
//! ```
//!
//! A packet that need not be read is not decrypted: where it is, in the block it came in, one
//! keystream is exchanged for another, and all whole packets of a block leave with one copy.
//! Packets that may send a client elsewhere are found by length and then by an opcode that takes
//! one AES block; only those are read, and written again.
//!
//! Whoever sends faster than the other side reads is not read from until it does; nothing is
//! dropped but what a filter says. A server that is gone takes its clients with it, in good
//! order: it has state about them that nobody else has.

mod allowance;
mod announce;
mod attach;
pub mod fuzz;
mod link;
mod listener;
mod pair;
mod pending;
mod relaying;
mod routes;
mod settings;

pub use allowance::{Allowance, Rate};
pub use announce::{LONGEST_PROXY, proxy_header, source};
pub use link::{ClientEnd, Filter, Link, Rules, Step};
pub use listener::{BadListener, Listener, Public};
pub use pending::{Move, Pending, Shared};
pub use routes::{BadRoute, Route, Routes};
pub use settings::{Advertise, Settings};

use crate::{
    maple::{Codec, Direction, Migrations},
    metrics::{Metrics, Reason},
    net::{
        Sniff,
        tcp::{ConnectionId, Connections, Ending, Origin, TcpService},
    },
    privacy::shown,
    service::packet_log::{PacketLog, Recorder},
    timer::Time,
};
use attach::Wish;
use pair::{Pair, Pairs, Side, Stage};
use std::sync::Arc;

/// The gateway on one event loop.
#[derive(Debug)]
pub struct GatewayService {
    context: Context,
    pairs: Pairs,
    /// Clients whose keystreams were used.
    thirsty: Vec<ConnectionId>,
    /// Where a first packet is read.
    scratch: Vec<u8>,
    on_shared_port: bool,
}

/// What all pairs have in common.
#[derive(Debug)]
struct Context {
    settings: Arc<Settings>,
    rules: Rules,
    codec: Codec,
    shared: Arc<Shared>,
    metrics: Arc<Metrics>,
    log: Option<Recorder>,
}

impl GatewayService {
    /// A gateway that shares with other loops what one has to know of the other.
    pub fn new(settings: Arc<Settings>, shared: Arc<Shared>, metrics: Arc<Metrics>) -> Self {
        let profile = settings.greeting.profile;
        let rules = Rules {
            migrations: Migrations::new(&profile, settings.opcodes),
            filter: settings.filter.clone(),
            lengths: profile.opcode_len..=settings.longest,
            lookahead: settings.lookahead,
        };
        Self {
            context: Context {
                rules,
                codec: Codec::new(profile),
                settings,
                shared,
                metrics,
                log: None,
            },
            pairs: Pairs::default(),
            thirsty: Vec::new(),
            scratch: Vec::new(),
            on_shared_port: true,
        }
    }

    /// Writes packets to `log`, too.
    #[must_use]
    pub fn with_log(mut self, log: Option<&PacketLog>) -> Self {
        let Settings {
            greeting, opcodes, ..
        } = &*self.context.settings;
        let profile = greeting.profile;
        self.context.log = log.map(|log| log.recorder("gateway", profile, *opcodes));
        self
    }

    /// Whether it takes those who say nothing on a port that it shares; if not, it has its own.
    #[must_use]
    pub fn on_shared_port(mut self, shared: bool) -> Self {
        self.on_shared_port = shared;
        self
    }

    /// What came from a client.
    fn hear_client(
        &mut self,
        now: Time,
        pair: &mut Pair,
        bytes: &mut [u8],
        net: &mut Connections,
    ) -> usize {
        match &pair.stage {
            Stage::Undecided(_) => match self.wish(now, pair, bytes) {
                Wish::Unknown => {}
                Wish::Refused(reason) => net.refuse(pair.client, reason),
                Wish::Server(server, character) => {
                    pair.character = character;
                    self.attach(pair, server, net);
                }
            },
            Stage::Joined { .. } => {
                return self.relay(now, pair, Direction::ToServer, bytes, net);
            }
            Stage::Attaching { .. } | Stage::Over => {}
        }
        0
    }

    /// What came from a server.
    fn hear_server(
        &mut self,
        now: Time,
        pair: &mut Pair,
        bytes: &mut [u8],
        net: &mut Connections,
    ) -> usize {
        let mut consumed = 0;
        if let Stage::Attaching { .. } = pair.stage {
            match self.join(pair, bytes, net) {
                Some(len) => consumed = len,
                None => return 0,
            }
        }
        let rest = bytes.get_mut(consumed..).unwrap_or_default();
        consumed + self.relay(now, pair, Direction::ToClient, rest, net)
    }

    /// The side of the server is gone or will be: the client gets what there was, and an end.
    fn without_server(&mut self, pair: &mut Pair, ending: Ending, net: &mut Connections) {
        let (number, peer) = (pair.number, shown(pair.peer));
        match &pair.stage {
            Stage::Attaching { server, .. } => {
                log::warn!("maple {number}: {peer}: {server} cannot be used: {ending:?}");
                net.note(pair.client, Reason::BadUpstream);
            }
            Stage::Joined { server, .. } if pair.leave_by.is_none() => {
                log::info!("maple {number}: {peer}: {server} ended the connection ({ending:?})");
                if ending != Ending::Done {
                    net.note(pair.client, Reason::UpstreamGone);
                }
            }
            _ => {}
        }
        pair.stage = Stage::Over;
        net.close(pair.client);
    }
}

impl TcpService for GatewayService {
    fn name(&self) -> &'static str {
        "gateway"
    }

    /// Nobody but us speaks first.
    fn sniff(&self, _: &[u8]) -> Sniff {
        Sniff::No
    }

    fn speaks_first(&self) -> bool {
        self.on_shared_port
    }

    fn opened(&mut self, now: Time, id: ConnectionId, origin: Origin, net: &mut Connections) {
        // A server's connection is used when it has said hello.
        if origin != Origin::Connected && self.greet(now, id, net).is_none() {
            net.abort(id);
        }
    }

    fn received(
        &mut self,
        now: Time,
        id: ConnectionId,
        bytes: &mut [u8],
        net: &mut Connections,
    ) -> usize {
        let Some((mut pair, side)) = self.pairs.take(id) else {
            net.abort(id);
            return bytes.len();
        };
        let consumed = match side {
            Side::Client => self.hear_client(now, &mut pair, bytes, net),
            Side::Server => self.hear_server(now, &mut pair, bytes, net),
        };
        self.pairs.put_back(pair);
        consumed
    }

    fn ended(&mut self, _: Time, id: ConnectionId, net: &mut Connections) {
        net.close(id);
        let Some((mut pair, side)) = self.pairs.take(id) else {
            return;
        };
        match side {
            Side::Client => pair.end(net),
            Side::Server => self.without_server(&mut pair, Ending::Done, net),
        }
        self.pairs.put_back(pair);
    }

    fn expired(&mut self, now: Time, id: ConnectionId, net: &mut Connections) {
        let Some((mut pair, _)) = self.pairs.take(id) else {
            return;
        };
        let is_due = |at: Option<Time>| at.is_some_and(|at| at <= now);
        if is_due(pair.throttled_until) {
            pair.throttled_until = None;
            net.resume(pair.client);
        }
        if is_due(pair.decide_by) {
            net.refuse(pair.client, Reason::HandshakeTimeout);
        }
        if is_due(pair.leave_by) {
            pair.end(net);
        }
        pair.arm(net);
        self.pairs.put_back(pair);
    }

    fn closed(&mut self, _: Time, id: ConnectionId, ending: Ending, net: &mut Connections) {
        let Some((mut pair, side)) = self.pairs.take(id) else {
            return;
        };
        match side {
            Side::Client => {
                if pair.decide_by.is_some() {
                    self.context.shared.leave(pair.peer.ip());
                }
                pair.end(net);
                self.pairs.forget(id);
            }
            Side::Server => {
                self.without_server(&mut pair, ending, net);
                self.pairs.forget(id);
                self.pairs.put_back(pair);
            }
        }
    }

    fn idle(&mut self) -> bool {
        if let Some(id) = self.thirsty.pop()
            && let Some(pair) = self.pairs.client_mut(id)
        {
            pair.thirsty = false;
            if let Stage::Joined { link, .. } = &mut pair.stage {
                link.prefetch();
            }
        }
        !self.thirsty.is_empty()
    }
}

#[cfg(test)]
mod tests;
