//! What happens to each packet of a pair that is joined.

use super::{
    Context, GatewayService, Move, Step,
    pair::{Pair, Stage},
    pending::ON_THE_WAY,
};
use crate::{
    maple::{CharacterId, DecodeError, Direction, Exchange, Iv, Migration},
    metrics::Reason,
    net::tcp::Connections,
    privacy::shown,
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
        let (mut at, mut packets) = (0, 0);
        loop {
            let rest = received.get_mut(at..).unwrap_or_default();
            let run = self.context.run(now, pair, direction, rest, net);
            let whole = received.get(at..at + run.len).unwrap_or_default();
            at += run.len;
            packets += run.packets;
            // A side that is gone takes the other with it, so nothing is lost silently.
            if !whole.is_empty() && net.send(to, whole).is_err() {
                break;
            }
            match run.end {
                End::Dropped { frame_len } => {
                    net.note(pair.client, Reason::DeniedOpcode);
                    at += frame_len;
                }
                End::Broken(error) => {
                    self.broken(pair, direction, error, net);
                    break;
                }
                End::Waits => break,
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
        let (number, peer) = (pair.number, shown(pair.peer));
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

/// Packets at the front of a buffer that are the other side's.
struct Run {
    len: usize,
    packets: u64,
    end: End,
}

/// What comes behind them.
enum End {
    /// No whole packet, or none that may pass yet.
    Waits,
    /// One that goes no further.
    Dropped { frame_len: usize },
    /// Nothing that can be one.
    Broken(DecodeError),
}

impl Context {
    /// Passes on packets until there is one that does not.
    fn run(
        &self,
        now: Time,
        pair: &mut Pair,
        direction: Direction,
        received: &mut [u8],
        net: &mut Connections,
    ) -> Run {
        let mut exchange = Exchange::new();
        let (mut len, mut packets) = (0, 0);
        let mut rest = received;
        let end = loop {
            let (frame_len, iv) = match pair.front(direction, rest) {
                Ok(Some(front)) => front,
                Ok(None) => break End::Waits,
                Err(error) => break End::Broken(error),
            };
            let Some((frame, others)) = std::mem::take(&mut rest).split_at_mut_checked(frame_len)
            else {
                break End::Waits;
            };
            rest = others;
            if direction == Direction::ToServer && !self.allows(now, pair, frame_len, net) {
                break End::Waits;
            }
            self.log(now, pair, direction, iv, frame);
            match self.pass(now, pair, direction, frame, &mut exchange, net) {
                Step::Passed => (len, packets) = (len + frame_len, packets + 1),
                Step::Dropped => break End::Dropped { frame_len },
                Step::Broken(error) => break End::Broken(error),
            }
        };
        Run { len, packets, end }
    }

    /// Whether a client may say so much now; if not, it has to wait until it may.
    fn allows(&self, now: Time, pair: &mut Pair, frame_len: usize, net: &mut Connections) -> bool {
        let Some(allowance) = &mut pair.allowance else {
            return true;
        };
        let Err(wait) = allowance.spend(now, frame_len) else {
            return true;
        };
        self.metrics.maple_throttled.add(1);
        pair.throttled_until = Some(now + wait);
        net.pause(pair.client);
        pair.arm(net);
        false
    }

    fn log(&self, now: Time, pair: &Pair, direction: Direction, iv: Iv, frame: &[u8]) {
        if let Some(log) = self.log.as_ref().filter(|_| pair.is_logged)
            && let Stage::Joined { server, .. } = &pair.stage
        {
            let record = Record {
                at: now,
                session: pair.number,
                direction,
                iv,
                is_login: *server == self.settings.routes.login(),
            };
            log.record(record, frame);
        }
    }

    /// Passes on one packet.
    fn pass<'b>(
        &self,
        now: Time,
        pair: &mut Pair,
        direction: Direction,
        frame: &'b mut [u8],
        exchange: &mut Exchange<'b>,
        net: &mut Connections,
    ) -> Step {
        let Stage::Joined { link, .. } = &mut pair.stage else {
            return Step::Dropped;
        };
        if let Direction::ToServer = direction {
            return link.to_server(&self.rules, frame, exchange);
        }
        let mover = Mover {
            client: pair.peer.ip(),
            character: pair.character,
            number: pair.number,
        };
        let local = net.local(pair.client);
        let mut answer = Answer::Stay;
        let step = link.to_client(&self.rules, frame, exchange, |migration| {
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
        step
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
        let who = shown(client);
        let Some(server) = self.settings.routes.find(migration.to) else {
            let to = migration.to;
            log::warn!("maple {number}: {who} is sent to {to}, to which no route leads");
            return Answer::Refuse(Reason::BadMove);
        };
        let Some(character) = migration.character.or(mover.character) else {
            log::warn!("maple {number}: {who} is sent to {server} as nobody knows whom");
            return Answer::Refuse(Reason::BadMove);
        };
        let public = self.settings.public_at(local);
        let Some(public) = public.place(local, migration.to) else {
            log::error!(
                "maple {number}: {who} came by IPv6, and gateway.public_address is not set"
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
        log::info!("maple {number}: {who} moves to {server} as character {id}");
        Answer::Go(public)
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
