//! The Maple clients of one thread.

use super::{
    client::{Client, HEADER, Heard, LEAST, Stamp},
    world::TO_ALL,
};
use crate::{
    crowd::{GRACE, LONGEST_SLEEP},
    measure::{Live, Tally},
    options::{self, Rate},
    record::Traffic,
    run::{Part, Side, Signals},
};
use mio::{Events, Interest, Poll, Token, net::TcpStream};
use samara::{
    maple::{Codec, Profile},
    net::Clock,
    timer::Time,
};
use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};

/// The opcode of a packet that comes back to who said it.
const ECHO: u16 = 0x31;
/// The same of the one that tells that a client is served, which does not count.
const FIRST: u16 = 0x30;
/// Connections that are made at a time.
const AT_A_TIME: usize = 64;
/// How long a client waits whose output the system does not take.
const PAUSE: Duration = Duration::from_millis(1);
/// What is read at a time.
const PIECE: usize = 64 << 10;

/// What all clients of a run do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Talk {
    target: SocketAddr,
    pub(super) clients: u32,
    threads: u32,
    rate: Rate,
    /// Packets of each client under way, without a rate.
    window: u32,
    /// Bytes of each packet.
    size: u32,
    broadcast: bool,
}

/// What the threads of a run have to know of each other.
#[derive(Debug)]
pub(crate) struct Shared {
    /// Packets said by the threads that say no more.
    said: AtomicU64,
    speaking: AtomicU32,
    /// By who said a broadcast and when, the threads whose clients all have it.
    heard: Mutex<HashMap<(u32, u64), u32>>,
}

impl Talk {
    /// So many clients on so many threads; a thread has one client at least.
    pub(crate) fn new(
        target: SocketAddr,
        talk: &options::Talk,
        rate: Rate,
        clients: u32,
        threads: u32,
    ) -> Self {
        Self {
            target,
            clients,
            threads: threads.min(clients),
            rate,
            window: talk.window,
            size: talk.size,
            broadcast: talk.broadcast,
        }
    }

    /// What its threads share.
    pub(crate) fn shared(&self) -> Shared {
        Shared {
            said: AtomicU64::new(0),
            speaking: AtomicU32::new(self.threads),
            heard: Mutex::default(),
        }
    }

    /// All clients, on their threads.
    ///
    /// # Errors
    ///
    /// When the system refuses a poll.
    pub(crate) fn side<'a>(&'a self, shared: &'a Shared) -> io::Result<Side<'a>> {
        let part = |thread| -> io::Result<Box<dyn Part + 'a>> {
            Ok(Box::new(Crowd::new(self, shared, thread)?))
        };
        (0..self.threads).map(part).collect()
    }

    /// How many get each packet.
    pub(crate) fn receivers(&self) -> u32 {
        if self.broadcast { self.clients } else { 1 }
    }
}

struct Crowd<'a> {
    talk: &'a Talk,
    shared: &'a Shared,
    thread: u32,
    codec: Codec,
    poll: Poll,
    events: Events,
    piece: Box<[u8]>,
    /// Those that have connected, in the order of their numbers; none where one was lost.
    clients: Vec<Option<Client>>,
    /// How many there will be.
    all: usize,
    said: u64,
    is_silent: bool,
    ear: Ear<'a>,
}

/// What all clients hear.
struct Ear<'a> {
    talk: &'a Talk,
    shared: &'a Shared,
    tally: Tally,
    /// Since the last look.
    traffic: Traffic,
    arrived: usize,
    /// Clients of this thread that have each broadcast.
    half_heard: HashMap<(u32, u64), usize>,
}

impl<'a> Crowd<'a> {
    fn new(talk: &'a Talk, shared: &'a Shared, thread: u32) -> io::Result<Self> {
        let all = (thread..talk.clients)
            .step_by(talk.threads as usize)
            .count();
        let mut tally = Tally::new()?;
        tally.users.asked = all as u64;
        Ok(Self {
            talk,
            shared,
            thread,
            codec: Codec::new(Profile::GMS_83),
            poll: Poll::new()?,
            events: Events::with_capacity(1024),
            piece: vec![0; PIECE].into_boxed_slice(),
            clients: Vec::new(),
            all,
            said: 0,
            is_silent: false,
            ear: Ear {
                talk,
                shared,
                tally,
                traffic: Traffic::default(),
                arrived: 0,
                half_heard: HashMap::new(),
            },
        })
    }

    /// Connects some more, if not too many wait for their greeting.
    fn come(&mut self) -> io::Result<()> {
        if self.clients.len() == self.all {
            return Ok(());
        }
        let coming = self.clients.iter().flatten();
        let coming = coming.filter(|it| !it.is_greeted()).count();
        for _ in coming..AT_A_TIME {
            let place = self.clients.len();
            if place == self.all {
                break;
            }
            let mut socket = TcpStream::connect(self.talk.target)?;
            let interest = Interest::READABLE | Interest::WRITABLE;
            let registry = self.poll.registry();
            registry.register(&mut socket, Token(place), interest)?;
            let number = self.thread + place as u32 * self.talk.threads;
            self.clients.push(Some(Client::new(socket, number)));
        }
        Ok(())
    }

    /// Says what is due; when more is.
    fn speak(&mut self, now: Time, signals: &Signals) -> Option<Time> {
        if now < signals.begin() {
            return Some(signals.begin());
        }
        let before = self.said;
        let next = match self.talk.rate {
            Rate::Max => self.fill_windows(now, signals),
            Rate::PerSecond(rate) => self.keep_pace(rate, now, signals),
        };
        let packets = self.said - before;
        if signals.counts(now) {
            self.ear.traffic.packets_out += packets;
            self.ear.traffic.bytes_out += packets * (HEADER as u64 + u64::from(self.talk.size));
        }
        if now < signals.end() {
            return next.or(Some(signals.end()));
        }
        if next.is_none() && !self.is_silent {
            self.is_silent = true;
            self.shared.said.fetch_add(self.said, Ordering::Relaxed);
            self.shared.speaking.fetch_sub(1, Ordering::Release);
        }
        next
    }

    fn fill_windows(&mut self, now: Time, signals: &Signals) -> Option<Time> {
        if now >= signals.end() {
            return None;
        }
        let (opcode, size) = (self.opcode(), self.talk.size as usize);
        let window = self.talk.window as usize;
        for place in 0..self.clients.len() {
            self.with(place, |client, said| {
                if client.under_way >= window {
                    return Ok(());
                }
                while client.under_way < window {
                    // No two of a client at the same time, so that they can be told apart.
                    let due = now + Duration::from_nanos(client.under_way as u64);
                    client.say(opcode, size, due, now)?;
                    *said += 1;
                }
                client.flush()
            });
        }
        None
    }

    /// Says what is due by then at so many packets per second of all threads; what was due before
    /// the end is said after it too.
    fn keep_pace(&mut self, rate: u32, now: Time, signals: &Signals) -> Option<Time> {
        let (opcode, size) = (self.opcode(), self.talk.size as usize);
        loop {
            let number = u64::from(self.thread) + self.said * u64::from(self.talk.threads);
            let nanos = u128::from(number) * 1_000_000_000 / u128::from(rate);
            let due = signals.begin() + Duration::from_nanos(nanos as u64);
            if due >= signals.end() {
                return None;
            }
            if due > now {
                return Some(due);
            }
            let place = self.said as usize % self.all.max(1);
            let client = self.clients.get(place).and_then(Option::as_ref);
            if client.is_some_and(|it| !it.has_room()) {
                return Some(now + PAUSE);
            }
            // Nobody is there to say those of a client that was lost: they are lost, too.
            self.said += 1;
            self.ear.tally.own_lag.note(now.since(due));
            self.with(place, |client, _| {
                client.say(opcode, size, due, now)?;
                client.flush()
            });
        }
    }

    fn opcode(&self) -> u16 {
        if self.talk.broadcast { TO_ALL } else { ECHO }
    }

    /// Lets a client do something, if it is there; it is lost if that fails.
    fn with(&mut self, place: usize, action: impl FnOnce(&mut Client, &mut u64) -> io::Result<()>) {
        if let Some(slot) = self.clients.get_mut(place)
            && let Some(client) = slot
            && action(client, &mut self.said).is_err()
        {
            // Closing its socket takes it out of the poll.
            *slot = None;
        }
    }

    /// Waits at most so long, and hears what has come.
    fn listen(&mut self, wait: Duration, clock: Clock, signals: &Signals) -> io::Result<()> {
        match self.poll.poll(&mut self.events, Some(wait)) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            _ => {}
        }
        let now = clock.now();
        let mut failure = None;
        for event in &self.events {
            let Some(slot) = self.clients.get_mut(event.token().0) else {
                continue;
            };
            let Some(client) = slot else {
                continue;
            };
            let ear = &mut self.ear;
            let was_greeted = client.is_greeted();
            let heard = |heard: Heard| ear.hear(&heard, now, signals);
            let mut done = client.receive(&self.codec, &mut self.piece, heard);
            if !was_greeted && client.is_greeted() {
                done = done.and_then(|()| begin(client, now));
            } else if event.is_writable() && client.is_greeted() {
                done = done.and_then(|()| client.flush());
            }
            if let Err(error) = done {
                *slot = None;
                failure = Some(error);
            }
        }
        let traffic = std::mem::take(&mut self.ear.traffic);
        self.ear.tally.count(&traffic);
        match failure {
            Some(error) if self.is_empty() => Err(error),
            _ => Ok(()),
        }
    }

    /// Whether all have been lost.
    fn is_empty(&self) -> bool {
        self.clients.len() == self.all && self.clients.iter().all(Option::is_none)
    }

    /// Whether everything that was said has come; asked after the end.
    fn is_done(&self) -> bool {
        if !self.is_silent {
            return false;
        }
        if self.talk.broadcast {
            let said = self.shared.speaking.load(Ordering::Acquire) == 0;
            let due = self.shared.said.load(Ordering::Relaxed) * self.all as u64;
            said && self.ear.tally.received >= due
        } else {
            self.clients.iter().flatten().all(|it| it.under_way == 0)
        }
    }

    fn sum_up(mut self) -> Tally {
        let here = self.clients.iter().flatten().count();
        let tally = &mut self.ear.tally;
        tally.expected = self.said * u64::from(self.talk.receivers());
        tally.users.absent = (self.all - self.ear.arrived) as u64;
        tally.users.dropped = self.ear.arrived.saturating_sub(here) as u64;
        self.ear.tally
    }
}

/// A client has been greeted: it says a first packet.
fn begin(client: &mut Client, now: Time) -> io::Result<()> {
    // Without it answers come late.
    client.socket.set_nodelay(true)?;
    client.say(FIRST, LEAST, now, now)?;
    client.flush()
}

impl Part for Crowd<'_> {
    fn awaited(&self) -> usize {
        self.all
    }

    fn live(&mut self) -> Live {
        self.ear.tally.live()
    }

    fn attend(mut self: Box<Self>, clock: Clock, signals: &Signals) -> io::Result<Tally> {
        loop {
            self.come()?;
            let now = clock.now();
            let next = self.speak(now, signals);
            let end = signals.end();
            if now >= end && (now.since(end) >= GRACE || self.is_done()) {
                break;
            }
            // At the end the others may still have to say their last.
            let longest = if now < end { LONGEST_SLEEP } else { PAUSE };
            let wait = next.map_or(longest, |at| at.since(clock.now()));
            self.listen(wait.min(longest), clock, signals)?;
        }
        Ok(self.sum_up())
    }
}

impl Ear<'_> {
    fn hear(&mut self, heard: &Heard, now: Time, signals: &Signals) {
        let Heard { opcode, stamp, len } = heard;
        if *opcode == FIRST {
            self.arrived += 1;
            signals.arrive(1);
            return;
        }
        if signals.counts(now) {
            self.traffic.packets_in += 1;
            self.traffic.bytes_in += *len as u64;
        }
        self.tally.received += 1;
        self.tally.note(now.since(stamp.left()));
        if self.talk.broadcast {
            self.share(stamp, now);
        } else if self.talk.rate != Rate::Max {
            self.tally.round_trip.note(now.since(stamp.due));
        }
    }

    /// Notes a broadcast that the last of all clients has.
    fn share(&mut self, stamp: &Stamp, now: Time) {
        let key = (stamp.number, stamp.due.as_nanos());
        let have = self.half_heard.entry(key).or_default();
        *have += 1;
        if (*have as u64) < self.tally.users.asked {
            return;
        }
        self.half_heard.remove(&key);
        let heard = self.shared.heard.lock();
        let mut heard = heard.unwrap_or_else(PoisonError::into_inner);
        let threads = heard.entry(key).or_default();
        *threads += 1;
        if *threads == self.talk.threads {
            heard.remove(&key);
            self.tally.to_all.note(now.since(stamp.left()));
        }
    }
}
