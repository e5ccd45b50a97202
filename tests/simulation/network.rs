//! Datagrams between clients and the server: what a network does to them.

use crate::rng::{Odds, Rng};
use samara::timer::Time;
use std::{
    collections::{BTreeMap, BinaryHeap},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::Duration,
};

/// Where the server listens.
pub(crate) const SERVER: SocketAddr =
    SocketAddr::new(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), 27888);

/// A held datagram comes at most this late. Beyond two seconds a duplicate of a login may
/// start a session over, which is what kaillera.md 1.4 asks for.
const LONGEST_HOLD: u64 = 1_200;

/// A way through the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Direction {
    ToServer,
    ToClient,
}

#[derive(Clone, Debug)]
pub(crate) struct Datagram {
    pub(crate) from: SocketAddr,
    pub(crate) to: SocketAddr,
    pub(crate) bytes: Vec<u8>,
}

impl Datagram {
    pub(crate) fn direction(&self) -> Direction {
        match self.to == SERVER {
            true => Direction::ToServer,
            false => Direction::ToClient,
        }
    }

    /// The end that is not the server.
    pub(crate) fn client(&self) -> SocketAddr {
        match self.direction() {
            Direction::ToServer => self.from,
            Direction::ToClient => self.to,
        }
    }
}

/// What may happen to a datagram.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    pub(crate) loss: Odds,
    pub(crate) duplication: Odds,
    pub(crate) reordering: Odds,
    /// Up to this many milliseconds more, for any datagram.
    pub(crate) jitter: u64,
    /// A link goes silent for a while.
    pub(crate) clog: Odds,
    pub(crate) truncation: Odds,
    /// Of a link that garbles; the others never do, as UDP has a checksum.
    pub(crate) flip: Odds,
}

/// Loses what a test says.
pub(crate) type Loss = Box<dyn FnMut(Time, &Datagram) -> bool>;

/// Everything in flight.
pub(crate) struct Network {
    faults: Faults,
    links: BTreeMap<IpAddr, Link>,
    flights: BinaryHeap<Flight>,
    sent: u64,
    rng: Rng,
    loss: Option<Loss>,
}

/// A host's line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// One way.
    pub(crate) latency: Duration,
    /// Bits flip on it.
    pub(crate) garbles: bool,
    lanes: [Lane; 2],
}

#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    /// Without reordering, nothing overtakes.
    last: Time,
    clogged_until: Time,
    /// A clogged lane holds what is sent, or loses it.
    holds: bool,
}

/// A datagram on its way.
#[derive(Debug)]
pub(crate) struct Flight {
    pub(crate) at: Time,
    order: u64,
    pub(crate) sent: Time,
    pub(crate) datagram: Datagram,
}

impl Network {
    pub(crate) fn new(faults: Faults, rng: Rng) -> Self {
        Self {
            faults,
            links: BTreeMap::new(),
            flights: BinaryHeap::new(),
            sent: 0,
            rng,
            loss: None,
        }
    }

    pub(crate) fn connect(&mut self, host: IpAddr, latency: Duration, garbles: bool) {
        let lanes = [Lane::default(); 2];
        self.links.insert(
            host,
            Link {
                latency,
                garbles,
                lanes,
            },
        );
    }

    /// From here on nothing goes wrong.
    pub(crate) fn calm_down(&mut self) {
        self.faults = Faults::default();
        self.loss = None;
        for link in self.links.values_mut() {
            link.garbles = false;
            for lane in &mut link.lanes {
                lane.clogged_until = Time::ZERO;
            }
        }
    }

    /// Loses every datagram for which `loss` says so.
    pub(crate) fn lose(&mut self, loss: impl FnMut(Time, &Datagram) -> bool + 'static) {
        self.loss = Some(Box::new(loss));
    }

    /// Loses nothing on purpose any more.
    pub(crate) fn lose_nothing(&mut self) {
        self.loss = None;
    }

    pub(crate) fn send(&mut self, now: Time, mut datagram: Datagram) {
        if self.loss.as_mut().is_some_and(|loss| loss(now, &datagram)) {
            return;
        }
        let faults = self.faults;
        let rng = &mut self.rng;
        let Some(link) = self.links.get_mut(&datagram.client().ip()) else {
            return;
        };
        let lane = &mut link.lanes[datagram.direction() as usize];
        if lane.clogged_until <= now && rng.chance(faults.clog) {
            lane.holds = rng.chance(5_000);
            let silence = if lane.holds { LONGEST_HOLD } else { 16_000 };
            lane.clogged_until = now + rng.millis(50..=silence);
        }
        let clogged = lane.clogged_until > now;
        if rng.chance(faults.loss) || clogged && !lane.holds {
            return;
        }
        if link.garbles && rng.chance(faults.flip) {
            for _ in 0..rng.within(1..=4) {
                let place = rng.index(datagram.bytes.len());
                datagram.bytes[place] ^= 1 << rng.index(8);
            }
        }
        if rng.chance(faults.truncation) {
            let kept = rng.index(datagram.bytes.len());
            datagram.bytes.truncate(kept);
        }
        let start = if clogged { lane.clogged_until } else { now };
        let late = rng.millis(0..=faults.jitter);
        let mut at = start + link.latency + late;
        if !rng.chance(faults.reordering) {
            at = at.max(lane.last);
            lane.last = at;
        } else {
            at += rng.millis(0..=300);
        }
        if rng.chance(faults.duplication) {
            let again = at + rng.millis(0..=500);
            self.take_off(now, again, datagram.clone());
        }
        self.take_off(now, at, datagram);
    }

    /// When the next one arrives.
    pub(crate) fn next(&self) -> Option<Time> {
        self.flights.peek().map(|flight| flight.at)
    }

    pub(crate) fn arrive(&mut self, now: Time) -> Option<Flight> {
        match self.next() {
            Some(at) if at <= now => self.flights.pop(),
            _ => None,
        }
    }

    fn take_off(&mut self, sent: Time, at: Time, datagram: Datagram) {
        self.sent += 1;
        self.flights.push(Flight {
            at,
            order: self.sent,
            sent,
            datagram,
        });
    }
}

impl Ord for Flight {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (other.at, other.order).cmp(&(self.at, self.order))
    }
}

impl PartialOrd for Flight {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Flight {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Flight {}
