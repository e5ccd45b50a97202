//! One run: the server's parts, the clients, the network between them, and a clock that jumps
//! from event to event.

use crate::{
    checks::{Audit, Finding},
    emulator::{Character, Ctx, Emulator, first_port},
    machine::{Build, Machine},
    network::{Datagram, Direction, Faults, Network, SERVER},
    plan::{Plan, Trouble},
    rng::Rng,
    streams::Streams,
    trace::Trace,
};
use samara::{
    kaillera::{Kind, message::ClientMessage},
    metrics::Reason,
    timer::Time,
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::Duration,
};

/// How often trouble is drawn.
const TROUBLE: Duration = Duration::from_millis(100);

/// With more clients, checks that look at each of them are not made after each step.
const CROWD: usize = 50;

pub(crate) struct World {
    pub(crate) now: Time,
    pub(crate) machine: Machine,
    pub(crate) network: Network,
    pub(crate) emulators: Vec<Emulator>,
    pub(crate) streams: Streams,
    pub(crate) trace: Trace,
    audit: Audit,
    /// Clients whose session the server has ended with a word that may have got lost.
    farewelled: Vec<bool>,
    /// When the last datagram of each client reached the server.
    heard: Vec<Time>,
    homes: BTreeMap<(IpAddr, u16), usize>,
    wakes: BinaryHeap<Reverse<(Time, usize)>>,
    planned: Vec<Time>,
    build: Build,
    trouble: Trouble,
    trouble_at: Time,
    rng: Rng,
    steps: u64,
    out: Vec<Datagram>,
    findings: Vec<Finding>,
}

impl World {
    /// A world in which nothing happens yet.
    pub(crate) fn new(build: Build, faults: Faults, trouble: Trouble, rng: &mut Rng) -> Self {
        let machine = Machine::new(&build, rng.fork());
        let mut audit = Audit::default();
        audit.pace_is_blurred = !machine.is_fair();
        Self {
            now: Time::from_millis(1),
            machine,
            network: Network::new(faults, rng.fork()),
            emulators: Vec::new(),
            streams: Streams::default(),
            trace: Trace::default(),
            audit,
            farewelled: Vec::new(),
            heard: Vec::new(),
            homes: BTreeMap::new(),
            wakes: BinaryHeap::new(),
            planned: Vec::new(),
            build,
            trouble,
            trouble_at: Time::ZERO,
            rng: rng.fork(),
            steps: 0,
            out: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// What a seed says.
    pub(crate) fn of(plan: &Plan, rng: &mut Rng) -> Self {
        let mut world = Self::new(plan.build.clone(), plan.faults, plan.trouble, rng);
        for (character, latency) in &plan.clients {
            let starts = world.now + rng.millis(0..=3_000);
            world.add(character.clone(), *latency, starts);
        }
        world
    }

    /// A client that starts at `starts`; says which it is.
    pub(crate) fn add(&mut self, character: Character, latency: Duration, starts: Time) -> usize {
        let index = self.emulators.len();
        let host = IpAddr::V4(character.host);
        self.network.connect(host, latency, character.garbled);
        self.homes
            .insert((host, first_port(character.number)), index);
        if character.garbled {
            self.audit.garbled.insert(host);
            self.streams.garbled.insert(character.number);
        }
        let rng = self.rng.fork();
        self.emulators.push(Emulator::new(character, starts, rng));
        self.farewelled.push(false);
        self.heard.push(Time::ZERO);
        self.planned.push(Time::from_nanos(u64::MAX));
        self.plan(index);
        index
    }

    pub(crate) fn run_for(&mut self, duration: Duration) {
        let end = self.now + duration;
        while self.step(end) {}
    }

    /// Runs until something is so; panics if it does not come to be in time.
    pub(crate) fn run_until(
        &mut self,
        what: &str,
        within: Duration,
        holds: impl Fn(&Self) -> bool,
    ) {
        let end = self.now + within;
        while !holds(self) {
            assert!(self.step(end), "{what}: not within {within:?}");
        }
    }

    /// Lets a client do something.
    pub(crate) fn with<R>(
        &mut self,
        index: usize,
        act: impl FnOnce(&mut Emulator, &mut Ctx<'_>) -> R,
    ) -> R {
        let mut out = std::mem::take(&mut self.out);
        let mut ctx = Ctx {
            now: self.now,
            out: &mut out,
            streams: &mut self.streams,
        };
        let result = act(&mut self.emulators[index], &mut ctx);
        for datagram in out.drain(..) {
            self.network.send(self.now, datagram);
        }
        self.out = out;
        self.plan(index);
        result
    }

    /// From here on nothing goes wrong that has not gone wrong yet.
    pub(crate) fn calm_down(&mut self) {
        self.network.calm_down();
        self.machine.calm_down();
        self.trouble = Trouble::default();
    }

    /// Whether the server has ended the session of this client.
    pub(crate) fn is_farewelled(&self, index: usize) -> bool {
        self.farewelled[index]
    }

    /// When the server last got a datagram of this client.
    pub(crate) fn last_heard(&self, index: usize) -> Time {
        self.heard[index]
    }

    /// Runs until nobody has said anything for longer than a datagram takes.
    pub(crate) fn run_until_quiet(&mut self) {
        for _ in 0..1_000 {
            let said = self.trace.datagrams();
            self.run_for(Duration::from_millis(200));
            if self.trace.datagrams() == said {
                return;
            }
        }
        panic!("it never gets quiet");
    }

    /// Runs until a moment that has not passed.
    pub(crate) fn run_to(&mut self, end: Time) {
        assert!(end >= self.now, "{end:?} has passed at {:?}", self.now);
        while self.step(end) {}
    }

    /// Whether the server was ever without a buffer to send from.
    pub(crate) fn is_starved(&self) -> bool {
        let drops = self.machine.control.drops();
        drops.count(Reason::NoBufferOut) > 0
    }

    /// Settings of the server.
    pub(crate) fn build(&self) -> &Build {
        &self.build
    }

    /// A datagram that no modelled client sends.
    pub(crate) fn inject(&mut self, from: SocketAddr, bytes: Vec<u8>) {
        let datagram = Datagram {
            from,
            to: SERVER,
            bytes,
        };
        self.deliver(datagram);
    }

    /// The next moment at which something happens, if that is not after `end`.
    fn step(&mut self, end: Time) -> bool {
        let trouble = self.is_troubled().then_some(self.trouble_at);
        let clients = self.wakes.peek().map(|Reverse((at, _))| *at);
        let events = [self.network.next(), self.machine.next(), clients, trouble];
        let next = events.into_iter().flatten().min();
        let Some(next) = next.filter(|&at| at <= end) else {
            self.now = self.now.max(end);
            return false;
        };
        self.now = self.now.max(next);
        if self.is_troubled() && self.trouble_at <= self.now {
            self.make_trouble();
        }
        while let Some(flight) = self.network.arrive(self.now) {
            match flight.datagram.direction() {
                Direction::ToServer => self.deliver(flight.datagram),
                Direction::ToClient => self.receive(flight.sent, &flight.datagram),
            }
        }
        while let Some(&Reverse((at, index))) = self.wakes.peek()
            && at <= self.now
        {
            self.wakes.pop();
            if self.planned[index] == at {
                self.planned[index] = Time::from_nanos(u64::MAX);
                self.with(index, |emulator, ctx| emulator.tick(ctx));
            }
        }
        self.turn();
        self.check();
        true
    }

    fn plan(&mut self, index: usize) {
        let wake = self.emulators[index].wake().max(self.now);
        if wake != self.planned[index] && wake != Time::from_nanos(u64::MAX) {
            self.planned[index] = wake;
            self.wakes.push(Reverse((wake, index)));
        }
    }

    fn deliver(&mut self, datagram: Datagram) {
        self.trace.datagram(self.now, &datagram);
        self.audit.arrives(&datagram);
        if let Some(index) = self.client_at(datagram.from) {
            self.heard[index] = self.now;
        }
        self.machine.arrive(datagram);
    }

    fn client_at(&self, address: SocketAddr) -> Option<usize> {
        let key = (address.ip(), address.port());
        let (&(host, _), &index) = self.homes.range(..=key).next_back()?;
        (host == address.ip()).then_some(index)
    }

    fn receive(&mut self, sent: Time, datagram: &Datagram) {
        let Some(index) = self.client_at(datagram.to) else {
            return;
        };
        if sent >= self.emulators[index].bound {
            self.with(index, |emulator, ctx| {
                emulator.receive(ctx, datagram.to, &datagram.bytes);
            });
        }
    }

    /// The server's turn, and what it sends.
    fn turn(&mut self) {
        let mut out = std::mem::take(&mut self.out);
        self.machine.run(self.now, &mut out);
        self.audit.may_skip = self.is_starved();
        self.audit.pace_is_blurred |= self.machine.blocked;
        for datagram in out.drain(..) {
            self.trace.datagram(self.now, &datagram);
            self.audit.leaves(self.now, &datagram, &mut self.findings);
            self.heed(datagram.to);
            self.network.send(self.now, datagram);
        }
        self.out = out;
    }

    fn heed(&mut self, address: SocketAddr) {
        for finding in std::mem::take(&mut self.findings) {
            let Some(index) = self.client_at(address) else {
                continue;
            };
            if self.emulators[index].address() != address {
                continue;
            }
            match finding {
                Finding::Farewell => self.farewelled[index] = true,
                Finding::NewSession => {
                    self.farewelled[index] = false;
                    if self.emulators[index].is_online() {
                        self.with(index, |emulator, _| emulator.lose_track());
                    }
                }
                Finding::Skipped => {}
            }
        }
    }

    fn check(&mut self) {
        self.steps += 1;
        let control = &self.machine.control;
        let metrics = control.metrics();
        assert_eq!(metrics.failed_turns.get(), 0, "an actor has panicked");
        let open = metrics.sessions_opened.get() - metrics.sessions_closed.get();
        assert_eq!(open, control.sessions() as u64, "sessions do not add up");
        let limits = &self.build.settings.limits;
        assert!(control.sessions() <= limits.sessions, "too many sessions");
        let (unfinished, per_address) = control.unfinished_logins();
        assert!(unfinished <= limits.half_open, "too many half-open");
        assert!(
            unfinished <= control.sessions(),
            "more logins than sessions"
        );
        assert_eq!(unfinished, per_address, "half-open logins by address");
        if self.machine.is_at_rest() {
            let held = self.machine.frames_held();
            assert_eq!(held, (0, 0), "buffers are held while nothing goes on");
            assert_eq!(control.users(), self.machine.lobby().users());
        }
        if self.emulators.len() < CROWD || self.steps.is_multiple_of(512) {
            self.machine.lobby().check_invariants();
        }
    }

    fn is_troubled(&self) -> bool {
        self.trouble.jump + self.trouble.strangers + self.trouble.flood > 0
    }

    fn make_trouble(&mut self) {
        let trouble = self.trouble;
        if self.rng.chance(trouble.jump) {
            let jump = self.rng.millis(100..=3_000);
            self.trace
                .note(self.now, || format!("the clock jumps {jump:?}"));
            self.now += jump;
        }
        if self.rng.chance(trouble.strangers) {
            for _ in 0..self.rng.within(1..=4) {
                let (from, bytes) = self.stranger();
                self.inject(from, bytes);
            }
        }
        if self.rng.chance(trouble.flood) {
            self.flood();
        }
        self.trouble_at = self.now + TROUBLE;
    }

    fn stranger(&mut self) -> (SocketAddr, Vec<u8>) {
        let rng = &mut self.rng;
        let host = Ipv4Addr::new(198, 51, 100, rng.within(1..=4) as u8);
        let port = rng.within(1024..=1040) as u16;
        let bytes = match rng.within(0..=4) {
            0 => b"PING\0".to_vec(),
            1 => b"HELLO0.83\0".to_vec(),
            2 => {
                let number = rng.within(0..=2) as u16;
                single(
                    number,
                    &ClientMessage::UserInformation {
                        name: b"ghost",
                        emulator: b"none",
                        connection_type: samara::kaillera::message::ConnectionType::Bad,
                    },
                )
            }
            3 => junk(rng),
            _ => single(rng.next() as u16, &ClientMessage::ClientAck),
        };
        ((host, port).into(), bytes)
    }

    /// One client with nothing to lose sends as much as it can.
    fn flood(&mut self) {
        let garbled = |emulator: &&Emulator| emulator.character.garbled && emulator.is_online();
        let address = self
            .emulators
            .iter()
            .find(garbled)
            .map(|emulator| emulator.address());
        let Some(from) = address else {
            return;
        };
        for _ in 0..self.rng.within(50..=400) {
            let bytes = if self.rng.chance(5_000) {
                junk(&mut self.rng)
            } else {
                let number = self.rng.next() as u16;
                single(number, &ClientMessage::Chat { text: b"buy!" })
            };
            self.inject(from, bytes);
        }
    }
}

/// A bundle of one message.
pub(crate) fn single(number: u16, message: &ClientMessage<'_>) -> Vec<u8> {
    use samara::{
        buffer::Writer,
        kaillera::bundle::{BundleWriter, MessageNumber},
    };
    let mut body = [0; 512];
    let mut writer = Writer::new(&mut body);
    message.encode(&mut writer).expect("it is short");
    let mut bytes = vec![0; 600];
    let mut bundle = BundleWriter::new(&mut bytes);
    bundle
        .push(MessageNumber(number), writer.written())
        .expect("it fits");
    let length = bundle.finish();
    bytes.truncate(length);
    bytes
}

/// Bytes with a touch of Kaillera.
fn junk(rng: &mut Rng) -> Vec<u8> {
    let length = rng.within(0..=60) as usize;
    let mut bytes: Vec<u8> = (0..length).map(|_| rng.next() as u8).collect();
    if length > 6 && rng.chance(7_000) {
        bytes[0] = 1;
        bytes[3..5].copy_from_slice(&(length as u16 - 5).to_le_bytes());
        bytes[5] = rng.within(0..=Kind::InformationMessage as u64 + 1) as u8;
    }
    bytes
}
