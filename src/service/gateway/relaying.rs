//! What happens to each packet of a pair that is joined.

use super::{
    Advertise, Context, GatewayService, Move, Step,
    pair::{Pair, Stage},
    pending::ON_THE_WAY,
};
use crate::{
    maple::{CharacterId, DecodeError, Direction, Migration},
    metrics::Reason,
    net::tcp::Connections,
    service::packet_log::Record,
    timer::Time,
};
use std::{
    net::{IpAddr, SocketAddr, SocketAddrV4},
    time::Duration,
};

/// How long a client that was sent away may stay (maple.md 13.3).
const LEAVING: Duration = Duration::from_secs(10);

impl GatewayService {
    /// Passes on all whole packets of one side; how many bytes they were.
    pub(super) fn relay(
        &mut self,
        now: Time,
        pair: &mut Pair,
        direction: Direction,
        received: &mut [u8],
        net: &mut Connections,
    ) -> usize {
        let to = match (&pair.stage, direction) {
            (Stage::Joined { upstream, .. }, Direction::ToServer) => *upstream,
            (Stage::Joined { .. }, Direction::ToClient) => pair.client,
            _ => return 0,
        };
        let (mut sent, mut at, mut packets) = (0, 0, 0);
        loop {
            let rest = received.get_mut(at..).unwrap_or_default();
            let step = self.context.step(now, pair, direction, rest, net);
            let dropped = match step {
                Some(Step::Passed { frame_len }) => {
                    at += frame_len;
                    packets += 1;
                    continue;
                }
                Some(Step::Dropped { frame_len }) => {
                    net.note(pair.client, Reason::DeniedOpcode);
                    frame_len
                }
                _ => 0,
            };
            let whole = received.get(sent..at).unwrap_or_default();
            // A side that is gone takes the other with it, so nothing is lost silently.
            if !whole.is_empty() && net.send(to, whole).is_err() {
                break;
            }
            at += dropped;
            sent = at;
            match step {
                Some(Step::Dropped { .. }) => {}
                Some(Step::Broken(error)) => {
                    self.broken(pair, direction, error, net);
                    break;
                }
                _ => break,
            }
        }
        let metrics = &self.context.metrics;
        match direction {
            Direction::ToServer => metrics.maple_relayed_in.add(packets),
            Direction::ToClient => metrics.maple_relayed_out.add(packets),
        }
        if packets > 0 && self.context.rules.lookahead.packets > 0 && !pair.thirsty {
            pair.thirsty = true;
            self.thirsty.push(pair.client);
        }
        at
    }

    fn broken(
        &self,
        pair: &mut Pair,
        direction: Direction,
        error: DecodeError,
        net: &mut Connections,
    ) {
        let (number, peer) = (pair.number, pair.peer);
        match direction {
            Direction::ToServer => {
                log::debug!("maple {number}: {peer}: {error}");
                net.note(pair.client, Reason::BadFrame);
            }
            Direction::ToClient => {
                log::error!(
                    "maple {number}: the server of {peer}: {error}; \
                     its version or key is not the one configured"
                );
                net.note(pair.client, Reason::BadUpstream);
            }
        }
        pair.end(net);
    }
}

impl Context {
    /// Passes on one packet; `None` if the client has to wait before it may say more.
    fn step(
        &self,
        now: Time,
        pair: &mut Pair,
        direction: Direction,
        rest: &mut [u8],
        net: &mut Connections,
    ) -> Option<Step> {
        let Stage::Joined { link, server, .. } = &mut pair.stage else {
            return Some(Step::Incomplete);
        };
        let (frame_len, iv) = match link.front(direction, rest) {
            Ok(Some(front)) => front,
            Ok(None) => return Some(Step::Incomplete),
            Err(error) => return Some(Step::Broken(error)),
        };
        if let Direction::ToServer = direction
            && let Some(allowance) = &mut pair.allowance
            && let Err(wait) = allowance.spend(now, frame_len)
        {
            self.metrics.maple_throttled.add(1);
            pair.throttled_until = Some(now + wait);
            net.pause(pair.client);
            pair.arm(net);
            return None;
        }
        if let Some(log) = self.log.as_ref().filter(|_| pair.is_logged) {
            let record = Record {
                at: now,
                session: pair.number,
                direction,
                iv,
                is_login: *server == self.settings.routes.login(),
            };
            let frame = rest.get(..frame_len).unwrap_or_default();
            log.record(record, frame);
        }
        if let Direction::ToServer = direction {
            return Some(link.to_server(&self.rules, rest));
        }
        let mover = Mover {
            client: pair.peer.ip(),
            character: pair.character,
            number: pair.number,
        };
        let local = net.local(pair.client);
        let mut answer = Answer::Stay;
        let step = link.to_client(&self.rules, rest, |migration| {
            answer = self.redirect(now, mover, migration, local);
            match answer {
                Answer::Go(public) => Some(public),
                _ => None,
            }
        });
        match answer {
            Answer::Stay => {}
            Answer::Go(_) => {
                pair.leave_by = Some(now + LEAVING);
                pair.arm(net);
            }
            Answer::Refuse(reason) => {
                net.note(pair.client, reason);
                if self.settings.close_unrouted {
                    pair.end(net);
                }
            }
        }
        Some(step)
    }

    /// Remembers where a client is to be taken when it comes back, and says where it shall come.
    fn redirect(
        &self,
        now: Time,
        mover: Mover,
        migration: Migration,
        local: Option<SocketAddr>,
    ) -> Answer {
        let Mover { number, client, .. } = mover;
        let Some(server) = self.settings.routes.find(migration.to) else {
            let to = migration.to;
            log::warn!("maple {number}: {client} is sent to {to}, to which no route leads");
            return Answer::Refuse(Reason::BadMove);
        };
        let Some(character) = migration.character.or(mover.character) else {
            log::warn!("maple {number}: {client} is sent to {server} as nobody knows whom");
            return Answer::Refuse(Reason::BadMove);
        };
        let Some(public) = self.public(migration, local) else {
            log::error!(
                "maple {number}: {client} came by IPv6, and gateway.public_address is not set"
            );
            return Answer::Refuse(Reason::BadMove);
        };
        let to = Move {
            to: server,
            client,
            until: now + ON_THE_WAY,
        };
        if !self.shared.pending().record(now, character, to) {
            return Answer::Refuse(Reason::TooManyMoves);
        }
        self.metrics.maple_migrations.add(1);
        let CharacterId(id) = character;
        log::info!("maple {number}: {client} moves to {server} as character {id}");
        Answer::Go(public)
    }

    /// What the client is told in place of `migration`.
    fn public(&self, migration: Migration, local: Option<SocketAddr>) -> Option<SocketAddrV4> {
        let local_ip = local.map(|local| local.ip().to_canonical());
        let ip = match (self.settings.advertise, local_ip) {
            (Advertise::Address(ip), _) => ip,
            (Advertise::Keep, _) => *migration.to.ip(),
            (Advertise::Arrived, Some(IpAddr::V4(ip))) => ip,
            (Advertise::Arrived, _) => return None,
        };
        let port = self.settings.public_port.or(local.map(|it| it.port()))?;
        Some(SocketAddrV4::new(ip, port))
    }
}

/// Who is sent elsewhere.
#[derive(Clone, Copy)]
struct Mover {
    client: IpAddr,
    character: Option<CharacterId>,
    number: u64,
}

/// What becomes of a packet that sends a client elsewhere.
#[derive(Clone, Copy)]
enum Answer {
    /// It is none.
    Stay,
    /// The client is told to come here.
    Go(SocketAddrV4),
    /// It is left as it is, or the client is cut off.
    Refuse(Reason),
}
