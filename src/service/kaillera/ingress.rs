//! From a datagram to the user it belongs to: one per loop.

use super::{
    admission::Denied,
    exchange::Exchange,
    mail::{Peer, UserMail},
    post::Post,
};
use crate::{
    buffer::{Frame, Writer},
    kaillera::{
        Kind,
        bundle::Bundle,
        connect::{self, Connect},
    },
    metrics::Reason,
    net::sys::{Arrival, Transmit},
    timer::Time,
};
use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

/// One loop's table of sessions by address.
///
/// The source address and port is the whole identity of a client (kaillera.md 1.3). Connect
/// strings are recognised before the table is asked, so a PING or HELLO is answered whether or
/// not a session exists, and never makes one (1.4).
#[derive(Debug)]
pub(super) struct Ingress {
    index: usize,
    /// Hashed with a key of the process's own; asked for every datagram.
    seats: HashMap<SocketAddr, u32, foldhash::fast::RandomState>,
    free: Vec<u32>,
    hellos: Buckets,
    /// Ports the loop's sockets are known by.
    ports: Vec<u16>,
}

/// A socket of the loop's, by position, and what came in on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct From {
    pub(super) socket: u8,
    pub(super) arrival: Arrival,
}

impl Ingress {
    pub(super) fn new(exchange: &Exchange, index: usize, ports: Vec<u16>) -> Self {
        Self {
            index,
            seats: HashMap::default(),
            free: exchange.layout.seats_of_loop(index).rev().collect(),
            hellos: Buckets::new(exchange.settings.limits.hello_per_second_per_address),
            ports,
        }
    }

    /// Takes one datagram; the answer to a connect string, if there is one, is returned.
    pub(super) fn datagram(
        &mut self,
        now: Time,
        from: From,
        frame: Frame,
        post: &Post,
    ) -> Option<Transmit> {
        if let Some(connect) = Connect::parse(&frame) {
            return self.connect(now, from, connect, post);
        }
        let peer = from.arrival.peer;
        let seat = match self.seats.get(&peer) {
            Some(&seat) => seat,
            None => self.admit(now, from, &frame, post)?,
        };
        if post
            .offer_user(seat, UserMail::Datagram { at: now, frame })
            .is_err()
        {
            post.exchange()
                .count_drop(Reason::InboxFull, Some(peer), now);
        }
        None
    }

    /// Forgets the sessions that ended. Only from here on they do not count, so that whoever
    /// waits for the last one to be gone finds its address a stranger's.
    pub(super) fn collect(&mut self, exchange: &Arc<Exchange>) {
        let Some(outlet) = exchange.outlet(self.index) else {
            return;
        };
        while let Some((address, seat)) = outlet.closed.pop() {
            let removed = self.seats.remove(&address);
            debug_assert_eq!(removed, Some(seat));
            self.free.push(seat);
            exchange.admission.close(address.ip());
            exchange.metrics.sessions_closed.add(1);
        }
    }

    fn connect(
        &mut self,
        now: Time,
        from: From,
        connect: Connect<'_>,
        post: &Post,
    ) -> Option<Transmit> {
        let exchange = post.exchange();
        let peer = from.arrival.peer;
        match connect {
            Connect::Ping => reply(exchange, from, now, |w| w.bytes(connect::PONG)),
            Connect::Hello {
                version: connect::VERSION,
            } => {
                if !self.hellos.take(peer.ip(), now) {
                    exchange.count_drop(Reason::HelloFlood, Some(peer), now);
                    return None;
                }
                let full = exchange.admission.is_full(peer.ip())
                    && !exchange.gate.enters_full(now, peer.ip());
                let full = full || !exchange.is_accepting();
                if let Some(&seat) = self.seats.get(&peer) {
                    // A mark that gets lost in a full inbox only delays a restart.
                    let _ = post.offer_user(seat, UserMail::Hello);
                } else if full {
                    return reply(exchange, from, now, |w| w.bytes(connect::TOO));
                }
                let port = *self.ports.get(usize::from(from.socket))?;
                reply(post.exchange(), from, now, |w| {
                    connect::write_hellod00d(port, w)
                })
            }
            Connect::Hello { .. } => {
                exchange.count_drop(Reason::WrongVersion, Some(peer), now);
                let answer = exchange.settings.answer_wrong_version;
                answer
                    .then(|| reply(exchange, from, now, |w| w.bytes(connect::VER)))
                    .flatten()
            }
            Connect::Unanswered => {
                exchange.count_drop(Reason::BadConnect, Some(peer), now);
                None
            }
        }
    }

    /// A seat for a stranger whose datagram asks to log in.
    fn admit(&mut self, now: Time, from: From, frame: &[u8], post: &Post) -> Option<u32> {
        let exchange = post.exchange();
        let peer = from.arrival.peer;
        let bundle = match Bundle::parse(frame) {
            Ok(bundle) => bundle,
            Err(_) => {
                exchange.count_drop(Reason::Malformed, Some(peer), now);
                return None;
            }
        };
        let login = Kind::UserInformation as u8;
        if !bundle.newest_first().any(|message| message.kind == login) || !exchange.is_accepting() {
            exchange.count_drop(Reason::Stranger, Some(peer), now);
            return None;
        }
        if !exchange.gate.is_open(now, peer.ip()) {
            exchange.count_drop(Reason::Barred, Some(peer), now);
            return None;
        }
        let Some(&seat) = self.free.last() else {
            exchange.count_drop(Reason::NoSeat, Some(peer), now);
            return None;
        };
        let is_privileged = exchange.gate.enters_full(now, peer.ip());
        if let Err(denied) = exchange.admission.open(peer.ip(), is_privileged) {
            let reason = match denied {
                Denied::TooManySessions => Reason::TooManySessions,
                Denied::NoSeat => Reason::NoSeat,
                Denied::TooManyLogins => Reason::TooManyLogins,
            };
            exchange.count_drop(reason, Some(peer), now);
            return None;
        }
        let opened = Box::new(Peer {
            address: peer,
            local: from.arrival.local,
            socket: from.socket,
        });
        let open = UserMail::Open {
            at: now,
            peer: opened,
        };
        if post.user(seat, open).is_err() {
            exchange.admission.login_finished(peer.ip());
            exchange.admission.close(peer.ip());
            exchange.count_drop(Reason::InboxFull, Some(peer), now);
            return None;
        }
        self.free.pop();
        self.seats.insert(peer, seat);
        exchange.metrics.sessions_opened.add(1);
        Some(seat)
    }
}

fn reply(
    exchange: &Exchange,
    from: From,
    now: Time,
    write: impl FnOnce(&mut Writer<'_>) -> Result<(), crate::buffer::Full>,
) -> Option<Transmit> {
    let peer = from.arrival.peer;
    let Some(mut frame) = exchange.frames.try_take() else {
        exchange.count_drop(Reason::NoBufferOut, Some(peer), now);
        return None;
    };
    let mut writer = Writer::new(frame.buffer_mut());
    write(&mut writer).ok()?;
    let length = writer.len();
    frame.set_len(length);
    Some(Transmit {
        peer,
        local: from.arrival.local,
        frame,
    })
}

/// A token bucket per address, in a table of fixed size. Addresses that share a place share
/// their tokens; which ones do, nobody outside can know.
#[derive(Debug)]
struct Buckets {
    places: Box<[Bucket]>,
    hash: RandomState,
    per_second: u32,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    tokens: f32,
    filled: Time,
}

const BUCKETS: usize = 1024;
/// A bucket holds what comes in in this many seconds.
const BURST_SECONDS: f32 = 2.0;

impl Buckets {
    fn new(per_second: u32) -> Self {
        let full = Bucket {
            tokens: per_second as f32 * BURST_SECONDS,
            filled: Time::ZERO,
        };
        Self {
            places: vec![full; BUCKETS].into_boxed_slice(),
            hash: RandomState::new(),
            per_second,
        }
    }

    fn take(&mut self, address: IpAddr, now: Time) -> bool {
        let place = self.hash.hash_one(address) as usize % BUCKETS;
        let Some(bucket) = self.places.get_mut(place) else {
            return false;
        };
        let rate = self.per_second as f32;
        let income = now.since(bucket.filled).as_secs_f32() * rate;
        bucket.tokens = (bucket.tokens + income).min(rate * BURST_SECONDS);
        bucket.filled = now;
        if bucket.tokens < 1.0 {
            return false;
        }
        bucket.tokens -= 1.0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_holds_two_seconds_and_refills() {
        let mut buckets = Buckets::new(10);
        let address = IpAddr::from([127, 0, 0, 1]);
        let at = |ms| Time::from_millis(ms);
        assert_eq!(
            (0..100).filter(|_| buckets.take(address, at(0))).count(),
            20
        );
        assert_eq!(
            (0..100).filter(|_| buckets.take(address, at(500))).count(),
            5
        );
        assert_eq!(
            (0..100)
                .filter(|_| buckets.take(address, at(60_000)))
                .count(),
            20
        );
    }
}
