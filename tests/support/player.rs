//! One player: a blocking socket around the sans-IO client.

use super::{
    Identity,
    cache::{PlainCache, PlainFrames},
};
use samara::{
    buffer::Writer,
    kaillera::{
        Client, MAX_DATAGRAM,
        bundle::Bundle,
        client::Event,
        connect::{self, Reply, parse_reply},
        message::{ClientMessage, GameId, ServerMessage, UserId},
    },
};
use std::{
    collections::VecDeque,
    io::ErrorKind,
    net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket},
    thread,
    time::{Duration, Instant},
};

/// The longest wait for anything. What is waited for comes within milliseconds on an idle
/// machine; less than the 12 s after which a stalled player is given up.
pub const PATIENCE: Duration = Duration::from_secs(11);

/// Clients that wait say their last bundle again this often (kaillera.md 2.5).
const REPEAT_EVERY: Duration = Duration::from_secs(1);

/// A message that was received, to be read any time.
#[derive(Clone, PartialEq, Eq)]
pub struct Received(Box<[u8]>);

/// What a player is told when a game starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    pub delay: u16,
    pub player: u8,
    pub players: u8,
}

/// A player, which fails its test at once when its link is not what it should be: a message
/// lost for good, a cache index without an entry, a bundle that is malformed or too long.
pub struct Player {
    socket: UdpSocket,
    client: Client,
    pub identity: Identity,
    pub id: UserId,
    /// Not looked at yet.
    messages: VecDeque<Received>,
    frames: VecDeque<Vec<u8>>,
    /// Its own input caches, besides the client's that share the server's code.
    plain_inputs: PlainCache,
    plain_frames: PlainFrames,
    replies: VecDeque<Reply>,
    /// Looked at, oldest first.
    pub passed: Vec<Received>,
    /// Bytes received in all.
    pub bytes_in: usize,
    /// Bytes of the longest datagram received.
    pub longest_in: usize,
    /// Bytes sent in all.
    pub bytes_out: usize,
    /// Whether it says its last bundle again while it waits.
    pub repeats: bool,
    /// How often it had to.
    pub repeated: usize,
    login: Vec<u8>,
    /// What belongs to a session it has forgotten is skipped until the new one begins.
    begins: bool,
    buffer: Box<[u8]>,
}

impl Player {
    /// A player with a socket, that has said nothing yet.
    pub fn new(server: SocketAddr, identity: &Identity) -> Self {
        Self::on(IpAddr::V4(Ipv4Addr::LOCALHOST), server, identity)
    }

    /// The same on another address of this machine.
    pub fn on(host: IpAddr, server: SocketAddr, identity: &Identity) -> Self {
        let socket = UdpSocket::bind((host, 0)).unwrap();
        // Nothing from anywhere but the port that was written to gets through.
        socket.connect(server).unwrap();
        Self {
            socket,
            client: Client::new(identity.habits),
            identity: identity.clone(),
            id: UserId(0),
            messages: VecDeque::new(),
            frames: VecDeque::new(),
            plain_inputs: PlainCache::default(),
            plain_frames: PlainFrames::default(),
            replies: VecDeque::new(),
            passed: Vec::new(),
            bytes_in: 0,
            longest_in: 0,
            bytes_out: 0,
            repeats: true,
            repeated: 0,
            login: Vec::new(),
            begins: false,
            buffer: vec![0; 1 << 16].into_boxed_slice(),
        }
    }

    /// A player that is logged in.
    pub fn log_in(server: SocketAddr, identity: &Identity) -> Self {
        let mut player = Self::new(server, identity);
        player.hello();
        player.enter();
        player
    }

    /// Logs in on the socket as it is; the login has to succeed.
    pub fn enter(&mut self) {
        if let Err(reason) = self.try_enter() {
            panic!("{self} is refused: {}", String::from_utf8_lossy(&reason));
        }
    }

    /// Logs in on the socket as it is, or answers the reason for the refusal.
    pub fn try_enter(&mut self) -> Result<(), Vec<u8>> {
        self.introduce();
        for _ in 0..4 {
            self.expect("ServerAck", |message| {
                (*message == ServerMessage::ServerAck).then_some(())
            });
            thread::sleep(self.identity.ack_pause);
            self.send(&ClientMessage::ClientAck);
        }
        let name = self.identity.name.clone();
        self.id = self.expect("own UserJoined", |message| match *message {
            ServerMessage::UserJoined {
                name: joined, id, ..
            } => {
                assert_eq!(joined, name, "a user is told of itself first");
                Some(Ok(id))
            }
            ServerMessage::ConnectionRejected { name, reason, .. } => {
                assert_eq!(name, b"server");
                Some(Err(reason.to_vec()))
            }
            _ => None,
        })?;
        Ok(())
    }

    /// Says who it is; the first message of a login.
    pub fn introduce(&mut self) {
        let identity = self.identity.clone();
        self.send(&ClientMessage::UserInformation {
            name: &identity.name,
            emulator: &identity.emulator,
            connection_type: identity.connection_type,
        });
    }

    /// Forgets its session, as a client does that was started again on the same socket.
    pub fn forget(&mut self) {
        self.pump();
        self.client = Client::new(self.identity.habits);
        self.messages.clear();
        self.frames.clear();
        self.plain_frames = PlainFrames::default();
        self.passed.clear();
        self.begins = true;
    }

    /// The datagram that began the session.
    pub fn login_datagram(&self) -> &[u8] {
        &self.login
    }

    pub fn ping(&mut self) {
        self.send_raw(connect::PING);
        assert_eq!(self.reply(), Reply::Pong);
    }

    /// Says hello, and is told the port it said it to.
    pub fn hello(&mut self) {
        self.send_raw(b"HELLO0.83\0");
        let port = self.socket.peer_addr().unwrap().port();
        assert_eq!(self.reply(), Reply::Port(port));
    }

    /// The next answer to a connect string.
    pub fn reply(&mut self) -> Reply {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(reply) = self.replies.pop_front() {
                return reply;
            }
            self.receive(REPEAT_EVERY);
            assert!(Instant::now() < deadline, "{self} gets no answer");
        }
    }

    pub fn chat(&mut self, text: &[u8]) {
        self.send(&ClientMessage::Chat { text });
    }

    pub fn game_chat(&mut self, text: &[u8]) {
        self.send(&ClientMessage::GameChat { text });
    }

    /// Opens a room and enters it.
    pub fn create(&mut self, rom: &[u8]) -> GameId {
        self.send(&ClientMessage::CreateGame { rom });
        let (name, emulator) = (self.identity.name.clone(), self.identity.emulator.clone());
        // A client knows its own room by these three, byte for byte.
        let game = self.expect("own CreateGame", |message| match *message {
            ServerMessage::CreateGame {
                owner,
                rom: created,
                emulator: with,
                game,
            } if (owner, created, with) == (&name, rom, &emulator) => Some(game),
            _ => None,
        });
        self.expect_own_join(game);
        game
    }

    /// Enters a room.
    pub fn join(&mut self, game: GameId) {
        self.send(&ClientMessage::JoinGame { game });
        self.expect_own_join(game);
    }

    fn expect_own_join(&mut self, room: GameId) {
        let (name, own) = (self.identity.name.clone(), self.id);
        self.expect("own JoinGame", |message| match *message {
            ServerMessage::JoinGame {
                game,
                name: who,
                id,
                ..
            } if game == room && who == name => {
                assert_eq!(id, own);
                Some(())
            }
            _ => None,
        });
    }

    /// The room it entered last.
    pub fn room(&self) -> GameId {
        let joined = self.passed.iter().rev().find_map(|it| match it.message() {
            ServerMessage::JoinGame { game, id, .. } if id == self.id => Some(game),
            _ => None,
        });
        joined.expect("a room")
    }

    pub fn start(&mut self) {
        self.send(&ClientMessage::StartGame);
    }

    pub fn await_start(&mut self) -> Start {
        self.expect("StartGame", |message| match *message {
            ServerMessage::StartGame {
                delay,
                player,
                players,
            } => Some(Start {
                delay,
                player,
                players,
            }),
            _ => None,
        })
    }

    pub fn ready(&mut self) {
        self.send(&ClientMessage::AllReady);
    }

    pub fn await_ready(&mut self) {
        self.expect("AllReady", |message| {
            (*message == ServerMessage::AllReady).then_some(())
        });
    }

    pub fn send_input(&mut self, input: &[u8]) {
        if self.identity.habits.caches {
            if let Some(index) = self.plain_inputs.find(input) {
                self.send(&ClientMessage::CachedGameData { index });
                return;
            }
            self.plain_inputs.add(input);
        }
        self.send(&ClientMessage::GameData { input });
    }

    /// The inputs of the next step.
    pub fn await_frames(&mut self) -> Vec<u8> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(frames) = self.frames.pop_front() {
                return frames;
            }
            self.wait("frames", deadline);
        }
    }

    /// Frames that came and were not asked for.
    pub fn frames_left(&self) -> usize {
        self.frames.len()
    }

    pub fn drop_game(&mut self) {
        self.send(&ClientMessage::PlayerDrop);
    }

    pub fn quit_game(&mut self) {
        self.send(&ClientMessage::QuitGame);
    }

    pub fn quit(&mut self, message: &[u8]) {
        self.send(&ClientMessage::Quit { message });
    }

    /// Waits for the next message that `pick` takes; those before it are only remembered.
    pub fn expect<T>(
        &mut self,
        what: &str,
        mut pick: impl FnMut(&ServerMessage<'_>) -> Option<T>,
    ) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            while let Some(received) = self.messages.pop_front() {
                let found = pick(&received.message());
                self.passed.push(received);
                if let Some(found) = found {
                    return found;
                }
            }
            self.wait(what, deadline);
        }
    }

    /// Waits for exactly this message.
    pub fn expect_message(&mut self, expected: &ServerMessage<'_>) {
        let what = format!("{expected:?}");
        self.expect(&what, |message| (message == expected).then_some(()));
    }

    /// The same, if it has not passed already.
    pub fn expect_by_now(&mut self, expected: &ServerMessage<'_>) {
        if !self.passed.iter().any(|it| it.message() == *expected) {
            self.expect_message(expected);
        }
    }

    /// Waits for a line in the room from `from` that `is_it`.
    pub fn expect_game_chat(&mut self, from: &[u8], is_it: impl Fn(&str) -> bool) {
        let what = format!("a line from {}", String::from_utf8_lossy(from));
        self.expect(&what, |message| match *message {
            ServerMessage::GameChat { name, text } => {
                (name == from && is_it(&String::from_utf8_lossy(text))).then_some(())
            }
            _ => None,
        });
    }

    /// Says a line in the lobby and waits until it comes back: everything the server had to
    /// say before it has been received then. The line has to be one of its own.
    pub fn echo(&mut self, text: &[u8]) {
        let name = self.identity.name.clone();
        self.chat(text);
        self.expect_message(&ServerMessage::Chat { name: &name, text });
    }

    pub fn send(&mut self, message: &ClientMessage<'_>) {
        let mut out = [0; 4096];
        let length = self.client.send(message, &mut out).unwrap();
        if matches!(message, ClientMessage::UserInformation { .. }) {
            self.login = out[..length].to_vec();
        }
        self.send_raw(&out[..length]);
    }

    /// Sends bytes as they are from the session's own socket.
    pub fn send_raw(&mut self, datagram: &[u8]) {
        self.bytes_out += datagram.len();
        // An earlier datagram to a server that is gone is reported here.
        if let Err(error) = self.socket.send(datagram) {
            assert_eq!(error.kind(), ErrorKind::ConnectionRefused, "{self}");
        }
    }

    /// Says the last bundle again.
    pub fn repeat(&mut self) {
        let mut out = [0; 4096];
        if let Some(length) = self.client.write_last(&mut out) {
            self.send_raw(&out[..length]);
        }
    }

    /// Takes in what is there without waiting.
    pub fn pump(&mut self) {
        self.socket.set_nonblocking(true).unwrap();
        while self.receive_now() {}
        self.socket.set_nonblocking(false).unwrap();
    }

    /// Takes in what comes for `time`.
    pub fn listen(&mut self, time: Duration) {
        let until = Instant::now() + time;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            self.receive(left.max(Duration::from_millis(1)));
        }
    }

    fn wait(&mut self, what: &str, deadline: Instant) {
        if !self.receive(REPEAT_EVERY) && self.repeats {
            self.repeated += 1;
            self.repeat();
        }
        assert!(
            Instant::now() < deadline,
            "{self} waits for {what} in vain; last came {:#?}",
            &self.passed[self.passed.len().saturating_sub(12)..],
        );
    }

    fn receive(&mut self, wait: Duration) -> bool {
        self.socket.set_read_timeout(Some(wait)).unwrap();
        self.receive_now()
    }

    /// Whether a datagram came.
    fn receive_now(&mut self) -> bool {
        let mut buffer = std::mem::take(&mut self.buffer);
        let received = self.socket.recv(&mut buffer);
        match received {
            Ok(length) => self.take(&buffer[..length]),
            Err(ref error) => assert!(
                matches!(
                    error.kind(),
                    ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::ConnectionRefused
                ),
                "{self}: {error}"
            ),
        }
        self.buffer = buffer;
        received.is_ok()
    }

    fn take(&mut self, datagram: &[u8]) {
        self.bytes_in += datagram.len();
        self.longest_in = self.longest_in.max(datagram.len());
        if let Some(reply) = parse_reply(datagram) {
            self.replies.push_back(reply);
            return;
        }
        let who = self.to_string();
        let bundle = check_bundle(datagram, &who);
        self.begins &= bundle.newest().0 != 0;
        if self.begins {
            return;
        }
        let (messages, frames) = (&mut self.messages, &mut self.frames);
        let (old, plain) = (frames.len(), self.plain_frames.receive(&bundle));
        let inputs = &mut self.plain_inputs;
        let taken = self.client.receive(datagram, |event| match event {
            Event::Frames(input) => frames.push_back(input.to_vec()),
            Event::Message(message) => {
                if message == ServerMessage::AllReady {
                    inputs.clear();
                }
                messages.push_back(Received::new(&message));
            }
            Event::BadIndex(index) => panic!("{who}: cache index {index} has no entry"),
            Event::Missed(count) => panic!("{who}: {count} messages are lost for good"),
        });
        taken.unwrap_or_else(|error| panic!("{self}: {error:?} in {datagram:02x?}"));
        assert!(self.frames.range(old..).eq(&plain), "{self}");
    }
}

/// A datagram's messages, which are numbered one by one and fit a usual packet.
fn check_bundle<'a>(datagram: &'a [u8], who: &str) -> Bundle<'a> {
    let bundle = Bundle::parse(datagram).unwrap_or_else(|error| panic!("{who}: {error:?}"));
    let newest = bundle.newest().0;
    for (age, message) in bundle.newest_first().enumerate() {
        assert_eq!(message.number.0, newest.wrapping_sub(age as u16), "{who}");
    }
    assert!(datagram.len() <= MAX_DATAGRAM || bundle.len() == 1, "{who}");
    bundle
}

impl Received {
    pub fn new(message: &ServerMessage<'_>) -> Self {
        let mut bytes = vec![0; 8192];
        let mut writer = Writer::new(&mut bytes);
        message.encode(&mut writer).unwrap();
        let length = writer.len();
        bytes.truncate(length);
        Self(bytes.into_boxed_slice())
    }

    pub fn message(&self) -> ServerMessage<'_> {
        ServerMessage::decode(self.0[0], &self.0[1..]).unwrap()
    }
}

impl std::fmt::Debug for Received {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:?}", self.message().kind());
        write!(f, "{text} {}", self.0.escape_ascii())
    }
}

impl std::fmt::Display for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.identity.name.escape_ascii())
    }
}
