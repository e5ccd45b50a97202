//! How a client gets its server: the greeting, its first packet, and the server's greeting.

use super::{
    Allowance, ClientEnd, Context, GatewayService, LONGEST_PROXY, Link,
    pair::{Pair, Stage},
    proxy_header, source,
};
use crate::{
    maple::{CharacterId, Hello},
    metrics::Reason,
    net::tcp::{ConnectionId, Connections},
    privacy::shown,
    service::maple::LONGEST_HELLO,
    timer::Time,
};
use std::net::{IpAddr, SocketAddr};

/// What a client's first packet asks for.
pub(super) enum Wish {
    /// It is not all there.
    Unknown,
    /// To be taken to this server, as this character if it has chosen one.
    Server(SocketAddr, Option<CharacterId>),
    /// Nothing it can have.
    Refused(Reason),
}

impl GatewayService {
    /// Says hello to a client; `None` if it shall go.
    pub(super) fn greet(
        &mut self,
        now: Time,
        id: ConnectionId,
        net: &mut Connections,
    ) -> Option<()> {
        let Context {
            settings,
            shared,
            codec,
            rules,
            ..
        } = &self.context;
        let peer = net.peer(id)?;
        if !shared.enter(peer.ip(), settings.undecided_per_address) {
            net.refuse(id, Reason::TooManyUndecided);
            return None;
        }
        let mut room = [0; LONGEST_HELLO];
        let end = settings.greeting.write(&mut room).and_then(|hello| {
            let (to_server, to_client, len) = hello;
            net.send(id, room.get(..len)?).ok()?;
            Some(ClientEnd::new(codec, rules, to_server, to_client))
        });
        let Some(end) = end else {
            shared.leave(peer.ip());
            return None;
        };
        self.context.metrics.maple_sessions.add(1);
        let mut pair = Pair::new(id, peer, shared.next_number(), end);
        pair.allowance = settings
            .rate
            .is_limited()
            .then(|| Allowance::new(settings.rate, now));
        pair.decide_by = Some(now + settings.undecided_timeout);
        pair.is_logged = self
            .context
            .log
            .as_ref()
            .is_some_and(|log| log.wants(peer.ip()));
        net.admit(id);
        net.set_idle_timeout(id, None);
        pair.arm(net);
        self.pairs.insert(pair);
        Some(())
    }

    /// Looks what the client's first packet asks for.
    pub(super) fn wish(&mut self, now: Time, pair: &Pair, received: &[u8]) -> Wish {
        let Stage::Undecided(end) = &pair.stage else {
            return Wish::Unknown;
        };
        let context = &self.context;
        let frame_len = match end.frame_len(received) {
            Ok(Some(len)) => len,
            Ok(None) => return Wish::Unknown,
            Err(_) => return Wish::Refused(Reason::BadFrame),
        };
        let login = context.settings.routes.login();
        let opcode = end.peek_opcode(received).ok().flatten();
        let migrations = &context.rules.migrations;
        if !opcode.is_some_and(|opcode| migrations.is_arrival(opcode)) {
            return Wish::Server(login, None);
        }
        self.scratch.clear();
        self.scratch
            .extend_from_slice(received.get(..frame_len).unwrap_or_default());
        let payload = end.read_copy(&context.codec, &mut self.scratch);
        let Some(character) = payload.and_then(|payload| migrations.comes_in(payload)) else {
            return Wish::Refused(Reason::UnknownMove);
        };
        let any_client = context.settings.any_client;
        let mut pending = context.shared.pending();
        match pending.claim(now, character, pair.peer.ip(), any_client) {
            Some(server) => Wish::Server(server, Some(character)),
            None => Wish::Refused(Reason::UnknownMove),
        }
    }

    /// Connects a client to `server`; its packets wait until the server has said hello.
    pub(super) fn attach(&mut self, pair: &mut Pair, server: SocketAddr, net: &mut Connections) {
        let settings = &self.context.settings;
        let per_client = settings.source_per_client && server.ip().is_loopback();
        let source = (per_client && server.is_ipv4()).then(|| source(pair.peer.ip()).into());
        let upstream = match net.connect(server, source) {
            Ok(upstream) => upstream,
            Err(error) => {
                let (number, peer) = (pair.number, shown(pair.peer));
                log::warn!("maple {number}: {peer} cannot be connected to {server}: {error}");
                net.refuse(pair.client, Reason::BadUpstream);
                return;
            }
        };
        if settings.proxy_protocol {
            let local = net.local(pair.client).unwrap_or(server);
            let mut room = [0; LONGEST_PROXY];
            let len = proxy_header(pair.peer, local, &mut room);
            // If it cannot be sent, the connection ends and the client with it.
            let _ = net.send(upstream, room.get(..len).unwrap_or_default());
        }
        log::info!(
            "maple {}: {} goes to {server}{}",
            pair.number,
            shown(pair.peer),
            source.map_or(String::new(), |source: IpAddr| format!(
                " from {}",
                shown(source)
            )),
        );
        if pair.decide_by.take().is_some() {
            self.context.shared.leave(pair.peer.ip());
        }
        pair.arm(net);
        net.pause(pair.client);
        pair.stage = match std::mem::replace(&mut pair.stage, Stage::Over) {
            Stage::Undecided(end) => Stage::Attaching {
                end,
                server,
                upstream,
            },
            other => other,
        };
        self.pairs.note_upstream(upstream, pair.client);
    }

    /// Joins a client with the server that says hello at the front of `received`; gives the
    /// hello's length.
    pub(super) fn join(
        &mut self,
        pair: &mut Pair,
        received: &[u8],
        net: &mut Connections,
    ) -> Option<usize> {
        let profile = self.context.codec.profile();
        let problem = match Hello::parse(profile.hello, received) {
            Ok(None) => return None,
            Err(error) => error.to_string(),
            Ok(Some((hello, len))) => {
                let locale = profile.region.locale();
                if (hello.version, hello.locale) == (profile.version, locale) {
                    return self.joined(pair, &hello, len, net);
                }
                let (version, region) = (hello.version, hello.locale);
                format!("it is version {version} of region {region}")
            }
        };
        let version = profile.version;
        log::error!(
            "maple {}: the server of {} cannot be used for version {version}: {problem}",
            pair.number,
            shown(pair.peer),
        );
        net.note(pair.client, Reason::BadUpstream);
        pair.end(net);
        None
    }

    fn joined(
        &mut self,
        pair: &mut Pair,
        hello: &Hello<'_>,
        len: usize,
        net: &mut Connections,
    ) -> Option<usize> {
        let Context {
            settings,
            codec,
            rules,
            ..
        } = &self.context;
        match std::mem::replace(&mut pair.stage, Stage::Over) {
            Stage::Attaching {
                end,
                server,
                upstream,
            } => {
                net.admit(upstream);
                net.set_idle_timeout(upstream, None);
                net.set_idle_timeout(pair.client, Some(settings.idle_timeout));
                net.feed(pair.client, upstream);
                net.feed(upstream, pair.client);
                net.resume(pair.client);
                let link = Box::new(Link::new(codec, rules, end, hello));
                pair.stage = Stage::Joined {
                    link,
                    server,
                    upstream,
                };
                Some(len)
            }
            other => {
                pair.stage = other;
                None
            }
        }
    }
}
