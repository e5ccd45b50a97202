//! What must hold for the whole service, whatever datagrams come in: its parts, driven by hand
//! in virtual time, without a thread or a socket.
//!
//! Three clients play a game and a fourth has logged in; then the input has its say. It may
//! speak from the address of the fourth (the attacker), from that of one player, and from
//! strangers'. It is a sequence of steps:
//!
//! ```text
//!   0      1..3     3..
//! +------+--------+---------+--- next step ...
//! | what | length | content |   length is little-endian
//! +------+--------+---------+---
//!
//! what   bits 0..3   who speaks: 0 the attacker, 1 a player, 2..=7 strangers
//!        bits 3..6   how much time passes before: a place in a table from nothing to 4 s
//!        bit  6      content is one message (kind and body) and gets the sender's next
//!                    number; without the bit it is a whole datagram
//!        bit  7      the service gets no turn before the next step
//! ```

#![expect(
    clippy::indexing_slicing,
    reason = "a panic is how a broken promise is told, and all indices are constants"
)]

use super::{Control, FRAME_SIZE, Limits, Link, LoopPart, Settings, TriviaPaths, build};
use crate::{
    buffer::{FramePool, Reader},
    kaillera::{
        Kind, MAX_DATAGRAM,
        bundle::{Bundle, BundleWriter, MessageNumber},
        client::{Client, Event, Habits},
        connect::parse_reply,
        message::{ClientMessage, ConnectionType, GameId, ServerMessage},
    },
    lobby::rules::Rules,
    net::{
        Lost, Service as _,
        sys::{Arrival, Transmit},
    },
    timer::Time,
};
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    net::{Ipv6Addr, SocketAddr},
    time::Duration,
};

/// The first player, and the room's owner.
const OWNER: usize = 0;
const GUEST: usize = 1;
/// Plays too, but the input may speak from its address.
const IMPERSONATED: usize = 2;
/// Logged in, in no room.
const ATTACKER: usize = 3;
const NAMES: [&[u8]; 4] = [b"owner", b"guest", b"impersonated", b"attacker"];
/// Those whose game must go on.
const WITNESSES: [usize; 2] = [OWNER, GUEST];

const PORT: u16 = 27888;
/// What [`ConnectionType::Bad`] makes of a second.
const TICK: Duration = Duration::from_millis(100);
const INPUT_LEN: usize = 2 * ConnectionType::Bad.frames();
const DESYNC_AFTER: Duration = Duration::from_secs(1);
/// The longest a witness waits for frames: the others are out of sync by then.
const PATIENCE: Duration = Duration::from_millis(1500);
/// For so long a game can go on with what a player has sent ahead (kaillera.md 8.4).
const QUEUED: Duration = Duration::from_millis(6400);
/// Acks a login takes (kaillera.md 4.1).
const ACKS: usize = 4;
/// Bytes that may be sent per byte received from an address that has not proven itself.
const UNPROVEN_FACTOR: usize = 3;

const PAUSES: [Duration; 8] = [
    Duration::ZERO,
    Duration::from_millis(1),
    Duration::from_millis(5),
    Duration::from_millis(20),
    Duration::from_millis(60),
    Duration::from_millis(250),
    Duration::from_millis(1000),
    Duration::from_millis(4000),
];
/// What bounds the time that one input takes.
const MAX_STEPS: usize = 512;
const MAX_PAUSES: Duration = Duration::from_secs(60);
/// Turns in a row after which the service is taken to spin.
const MAX_TURNS: usize = 10_000;

/// The service among clients that behave and peers that do not.
///
/// # Panics
///
/// If a turn meets a bug or never ends; if a player whom nobody impersonates waits too long, or
/// is sent other frames than the other one; if an address that has not proven itself gets more
/// than three times what it sent; if a datagram is longer than it may be or cannot be read; if
/// in the end a session or a buffer is missing.
pub fn session(data: &[u8]) {
    let mut world = World::new();
    world.start_game();
    let mut reader = Reader::new(data);
    for _ in 0..MAX_STEPS {
        let Some(step) = Step::read(&mut reader) else {
            break;
        };
        world.step(&step);
    }
    world.finish();
}

struct Step<'a> {
    from: SocketAddr,
    pause: Duration,
    numbered: bool,
    turn: bool,
    content: &'a [u8],
}

impl<'a> Step<'a> {
    fn read(reader: &mut Reader<'a>) -> Option<Self> {
        let what = reader.u8().ok()?;
        let length = usize::from(reader.u16_le().ok()?).min(reader.remaining());
        Some(Self {
            from: match what & 7 {
                0 => address(ATTACKER),
                1 => address(IMPERSONATED),
                stranger => stranger_address(stranger),
            },
            pause: PAUSES[usize::from(what >> 3 & 7)],
            numbered: what & 0x40 != 0,
            turn: what & 0x80 == 0,
            content: reader.bytes(length).ok()?,
        })
    }
}

fn address(peer: usize) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, peer as u8], 1024))
}

/// Two strangers share an address and differ by port, two speak IPv6.
fn stranger_address(who: u8) -> SocketAddr {
    let port = 2000 + u16::from(who);
    match who {
        2 | 3 => SocketAddr::from(([10, 0, 1, 0], port)),
        4 | 5 => SocketAddr::from((Ipv6Addr::from([who; 16]), port)),
        _ => SocketAddr::from(([10, 0, 1, who], port)),
    }
}

fn settings() -> Settings {
    Settings {
        rules: Rules {
            keepalive_timeout: Duration::from_secs(20),
            idle_timeout: Duration::from_secs(40),
            ready_timeout: Duration::from_secs(10),
            ..Rules::default()
        },
        access: super::Access::default(),
        link: Link {
            desync_after: DESYNC_AFTER,
            drop_after: Duration::from_secs(5),
            login_timeout: Duration::from_secs(4),
            first_keepalive: Duration::from_secs(15),
        },
        limits: Limits {
            replay: 64 << 10,
            replay_total: 128 << 10,
            sessions: 8,
            sessions_per_address: 4,
            sessions_per_network: 8,
            half_open: 3,
            half_open_per_address: 2,
            inbox: 32,
            backlog: 8 * 1024,
            frames_in: 64,
            frames_out: 256,
            hello_per_second_per_address: 2,
        },
        announced_port: None,
        answer_wrong_version: true,
        news: true,
        trivia: TriviaPaths::default(),
    }
}

struct World {
    service: LoopPart,
    control: Control,
    received: FramePool,
    now: Time,
    /// When the players play on.
    tick: Time,
    deadline: Option<Time>,
    pauses_left: Duration,
    peers: [Peer; 4],
    accounts: BTreeMap<SocketAddr, Account>,
    /// Bytes of the witnesses' frames that were found equal.
    agreed: usize,
}

/// What went to and fro between the service and one address.
#[derive(Default)]
struct Account {
    received: usize,
    sent: usize,
    /// Numbers of the acks it sent.
    acks: BTreeSet<u16>,
    newest: Option<MessageNumber>,
}

impl World {
    fn new() -> Self {
        let settings = settings();
        let received = FramePool::new(settings.limits.frames_in, FRAME_SIZE);
        let mut parts = build(settings, 1, 0, &[PORT]);
        let service = parts.loops.pop();
        let now = Time::from_millis(1000);
        Self {
            service: service.unwrap_or_else(|| unreachable!("one loop was asked for")),
            control: parts.control,
            received,
            now,
            tick: now,
            deadline: None,
            pauses_left: MAX_PAUSES,
            peers: std::array::from_fn(Peer::new),
            accounts: BTreeMap::new(),
            agreed: 0,
        }
    }

    fn start_game(&mut self) {
        for (peer, name) in NAMES.into_iter().enumerate() {
            let login = ClientMessage::UserInformation {
                name,
                emulator: b"emulator",
                connection_type: ConnectionType::Bad,
            };
            self.say(peer, &login);
        }
        assert_eq!(self.control.users(), NAMES.len(), "everybody is let in");
        self.say(OWNER, &ClientMessage::CreateGame { rom: b"game" });
        let Some(game) = self.peers[OWNER].room else {
            panic!("no room was opened");
        };
        self.say(GUEST, &ClientMessage::JoinGame { game });
        self.say(IMPERSONATED, &ClientMessage::JoinGame { game });
        self.say(OWNER, &ClientMessage::StartGame);
        assert!(self.peers[IMPERSONATED].playing, "the game starts");
        // Past the frames that even out the delays.
        self.pass(20 * TICK);
    }

    fn step(&mut self, step: &Step<'_>) {
        let pause = step.pause.min(self.pauses_left);
        self.pauses_left -= pause;
        if !pause.is_zero() {
            self.pass(pause);
        }
        if step.numbered {
            self.hand_in_message(step.from, step.content);
        } else {
            self.hand_in(step.from, step.content);
        }
        if step.turn {
            self.settle();
            self.check_witnesses();
        }
    }

    /// The input has said everything: the game still runs, and when all have left, so has
    /// everything they held.
    fn finish(&mut self) {
        self.settle();
        self.pass(QUEUED + 2 * DESYNC_AFTER);
        let before = self.peers[OWNER].frames.len();
        self.pass(10 * TICK);
        let played = self.peers[OWNER].frames.len() - before;
        assert!(played >= 5 * INPUT_LEN, "only {played} bytes of frames");

        for peer in &mut self.peers {
            peer.playing = false;
        }
        self.control.close_all();
        self.settle();
        self.pass(Duration::from_secs(30));
        assert_eq!(self.control.users(), 0);
        assert_eq!(self.control.sessions(), 0, "everybody has left");
        let metrics = self.control.metrics();
        assert_eq!(metrics.failed_turns.get(), 0, "a turn met a bug");
        let opened = metrics.sessions_opened.get();
        assert_eq!(metrics.sessions_closed.get(), opened);
        let (at_home, all) = self.control.frames();
        assert_eq!(at_home, all, "buffers for sending are lost");
        let received = &self.received;
        assert_eq!(received.available(), received.capacity());
    }

    /// A client that behaves says something, and everybody hears what follows.
    fn say(&mut self, peer: usize, message: &ClientMessage<'_>) {
        let mut buf = [0; FRAME_SIZE];
        let Ok(length) = self.peers[peer].client.send(message, &mut buf) else {
            unreachable!("short messages fit");
        };
        self.hand_in(address(peer), &buf[..length]);
        self.settle();
        self.pass(TICK);
    }

    /// One message, with the number after the newest its sender has used.
    fn hand_in_message(&mut self, from: SocketAddr, content: &[u8]) {
        let newest = self.accounts.entry(from).or_default().newest;
        let number = newest.map_or(MessageNumber(0), MessageNumber::next);
        let mut buf = [0; FRAME_SIZE];
        let mut bundle = BundleWriter::new(&mut buf);
        if !content.is_empty() && bundle.push(number, content).is_ok() {
            let length = bundle.finish();
            self.hand_in(from, &buf[..length]);
        }
    }

    /// A datagram comes in; the service gets no turn yet.
    fn hand_in(&mut self, from: SocketAddr, datagram: &[u8]) {
        self.accounts.entry(from).or_default().note(datagram);
        let mut lost = Lost::default();
        match self.received.try_take() {
            None => lost.starved += 1,
            Some(mut frame) => match frame.copy_from(datagram) {
                Err(_) => lost.truncated += 1,
                Ok(()) => {
                    let arrival = Arrival {
                        peer: from,
                        local: None,
                    };
                    self.service.datagram(self.now, 0, arrival, frame);
                }
            },
        }
        self.service.received(self.now, 1, datagram.len(), lost);
    }

    /// Lets time pass, with a turn for the service whenever it asked for one.
    fn pass(&mut self, time: Duration) {
        let end = self.now + time;
        while self.now < end {
            let next = self.deadline.map_or(self.tick, |at| at.min(self.tick));
            self.now = self.now.max(next.min(end));
            if self.tick <= self.now {
                self.tick = self.now + TICK;
                self.play();
            }
            self.settle();
            self.check_witnesses();
        }
    }

    /// Each player sends its next input, or repeats its last if that brought no frames yet.
    fn play(&mut self) {
        for index in 0..self.peers.len() {
            let mut buf = [0; FRAME_SIZE];
            if let Some(length) = self.peers[index].play(&mut buf) {
                self.hand_in(address(index), &buf[..length]);
            }
        }
    }

    /// Turns the service until it rests and nobody has an answer.
    fn settle(&mut self) {
        for _ in 0..MAX_TURNS {
            let progress = self.service.turn(self.now);
            self.deadline = progress.deadline;
            let mut more = progress.more;
            while let Some(transmit) = self.service.queue(0).and_then(VecDeque::pop_front) {
                self.check_transmit(&transmit);
                let peer = self.peers.iter_mut().find(|it| it.address == transmit.peer);
                if let Some(peer) = peer
                    && parse_reply(&transmit.frame).is_none()
                {
                    peer.receive(self.now, &transmit.frame);
                }
            }
            for index in 0..self.peers.len() {
                while let Some(message) = self.peers[index].answers.pop_front() {
                    let mut buf = [0; FRAME_SIZE];
                    if let Ok(length) = self.peers[index].client.send(&message, &mut buf) {
                        self.hand_in(address(index), &buf[..length]);
                    }
                    more = true;
                }
            }
            if !more {
                assert!(self.deadline.is_none_or(|at| at > self.now));
                return;
            }
        }
        panic!("the service never comes to rest");
    }

    fn check_transmit(&mut self, transmit: &Transmit) {
        let datagram = &*transmit.frame;
        let account = self.accounts.entry(transmit.peer).or_default();
        account.sent += datagram.len();
        let Account { received, sent, .. } = *account;
        assert!(
            account.acks.len() >= ACKS || sent <= UNPROVEN_FACTOR * received,
            "{} sent {received} bytes, proved nothing, and got {sent}",
            transmit.peer
        );
        if parse_reply(datagram).is_some() {
            return;
        }
        let bundle = Bundle::parse(datagram);
        let Ok(bundle) = bundle else {
            panic!("neither a reply nor a bundle: {datagram:?}");
        };
        assert!(datagram.len() <= MAX_DATAGRAM || bundle.len() == 1);
        for message in bundle.newest_first() {
            let decoded = ServerMessage::decode(message.kind, message.body);
            assert!(decoded.is_ok(), "{message:?}");
        }
    }

    fn check_witnesses(&mut self) {
        let [one, other] = WITNESSES.map(|index| &self.peers[index]);
        for peer in [one, other] {
            let waits = self.now.since(peer.progress);
            assert!(!peer.broken, "{} cannot follow", peer.address);
            assert!(
                !peer.playing || waits <= PATIENCE,
                "{} waits for {waits:?}",
                peer.address
            );
        }
        let common = one.frames.len().min(other.frames.len());
        let fresh = self.agreed..common;
        assert_eq!(one.frames[fresh.clone()], other.frames[fresh]);
        self.agreed = common;
    }
}

impl Account {
    fn note(&mut self, datagram: &[u8]) {
        self.received += datagram.len();
        let Ok(bundle) = Bundle::parse(datagram) else {
            return;
        };
        for message in bundle.oldest_first() {
            if message.number.order_after(self.newest).is_new() {
                self.newest = Some(message.number);
            }
            if message.kind == Kind::ClientAck as u8 {
                self.acks.insert(message.number.0);
            }
        }
    }
}

/// A client that does what emulator clients do.
struct Peer {
    address: SocketAddr,
    client: Client,
    answers: VecDeque<ClientMessage<'static>>,
    /// The first room it heard of.
    room: Option<GameId>,
    playing: bool,
    /// Its last input has brought no frames yet.
    waits: bool,
    inputs: u16,
    frames: Vec<u8>,
    /// When the last frames came.
    progress: Time,
    /// Something was lost for good, though no datagram ever is.
    broken: bool,
}

impl Peer {
    fn new(index: usize) -> Self {
        Self {
            address: address(index),
            client: Client::new(Habits::default()),
            answers: VecDeque::new(),
            room: None,
            playing: false,
            waits: false,
            inputs: 0,
            frames: Vec::new(),
            progress: Time::ZERO,
            broken: false,
        }
    }

    fn receive(&mut self, now: Time, datagram: &[u8]) {
        let received = self.client.receive(datagram, |event| match event {
            Event::Frames(frames) => {
                self.frames.extend_from_slice(frames);
                self.progress = now;
                self.waits = false;
            }
            Event::BadIndex(_) | Event::Missed(_) => self.broken = true,
            Event::Message(ServerMessage::ServerAck) => {
                self.answers.push_back(ClientMessage::ClientAck);
            }
            Event::Message(ServerMessage::CreateGame { game, .. }) => {
                self.room.get_or_insert(game);
            }
            Event::Message(ServerMessage::StartGame { .. }) => {
                self.answers.push_back(ClientMessage::AllReady);
            }
            Event::Message(ServerMessage::AllReady) => {
                self.playing = true;
                self.waits = false;
                self.progress = now;
            }
            Event::Message(_) => {}
        });
        assert!(received.is_ok(), "{received:?}");
    }

    fn play(&mut self, buf: &mut [u8]) -> Option<usize> {
        if !self.playing {
            return None;
        }
        if self.waits {
            return self.client.write_last(buf);
        }
        self.waits = true;
        self.inputs = self.inputs.wrapping_add(1);
        // Half of them are in the caches of both sides, the others are new.
        let [low, high] = self.inputs.to_le_bytes();
        let input = match low % 2 {
            0 => [low % 8; INPUT_LEN],
            _ => [low ^ high; INPUT_LEN],
        };
        self.client.send_input(&input, buf).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_game_goes_on_without_any_input() {
        session(&[]);
    }
}
