//! A client and a server of these tests, each one end of a connection that says what it is told.

use samara::{
    buffer::Writer,
    minecraft::{
        Framing, Json, LoginName, MAX_FRAME, Packet, Position, Received, Text, VarInt, Zlib,
        packets::{
            handshaking::Handshake,
            login::{self, LoginStart, LoginSuccess, SetCompression},
            play::clientbound::{JoinGame, PositionLook, SpawnPosition},
        },
    },
};
use std::{
    io::{ErrorKind, Read, Write},
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

/// For anything that normally takes no time at all.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The player of these tests.
pub(crate) const NAME: &str = "Tester";

/// The UUID that a server in offline mode gives it.
pub(crate) const UUID: &str = "f3d28cb0-7225-3cb1-baeb-2dadd2be89ae";

/// One end of a connection.
pub(crate) struct Peer {
    pub(crate) socket: TcpStream,
    pub(crate) framing: Framing,
    zlib: Zlib,
    received: Vec<u8>,
    /// Sends so many bytes at a time.
    pub(crate) step: usize,
}

impl Peer {
    fn new(socket: TcpStream) -> Self {
        socket.set_nodelay(true).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.set_write_timeout(Some(PATIENCE)).unwrap();
        Self {
            socket,
            framing: Framing::new(MAX_FRAME),
            zlib: Zlib::new(),
            received: Vec::new(),
            step: usize::MAX,
        }
    }

    pub(crate) fn connect(to: SocketAddr) -> Self {
        Self::new(TcpStream::connect(to).unwrap())
    }

    /// A client that has said who it is.
    pub(crate) fn login(to: SocketAddr, name: &str) -> Self {
        Self::login_slowly(to, name, usize::MAX)
    }

    pub(crate) fn login_slowly(to: SocketAddr, name: &str, step: usize) -> Self {
        let mut peer = Self::connect(to);
        peer.step = step;
        peer.shake_hands(340, 2);
        peer.send(&LoginStart {
            username: Text::cut(name),
        });
        peer
    }

    pub(crate) fn shake_hands(&mut self, protocol: i32, next_state: i32) {
        self.send(&Handshake {
            protocol: VarInt(protocol),
            host: Text::cut("localhost"),
            port: 25565,
            next_state: VarInt(next_state),
        });
    }

    /// Reads what a server says to a player that it lets in.
    pub(crate) fn enter(&mut self) {
        let mut body = self.receive().expect("not let in");
        if let Ok(it) = SetCompression::decode(&body) {
            self.framing = self.framing.with_threshold(it.threshold.0);
            body = self.receive().expect("not let in");
        }
        let success = LoginSuccess::decode(&body).expect("not let in");
        assert_eq!(success.uuid.as_str(), UUID);
        assert_eq!(success.username.as_str(), NAME);
    }

    /// The reason for which it is not let in, or sent away.
    pub(crate) fn reason(&mut self) -> String {
        let body = self.receive().expect("no reason");
        let reason = login::Disconnect::decode(&body).expect("no reason");
        let reason = reason.reason.as_str().to_owned();
        assert_eq!(self.receive(), None);
        reason
    }

    pub(crate) fn frame<'a, P: Packet<'a>>(&mut self, packet: &P) -> Vec<u8> {
        let mut buf = vec![0; packet.encoded_len() + packet.encoded_len() / 500 + 80];
        let mut writer = Writer::new(&mut buf);
        let framing = self.framing;
        self.zlib.write(framing, packet, &mut writer).unwrap();
        writer.written().to_vec()
    }

    pub(crate) fn send<'a, P: Packet<'a>>(&mut self, packet: &P) {
        let frame = self.frame(packet);
        self.send_bytes(&frame);
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(self.step) {
            self.socket.write_all(piece).unwrap();
            if piece.len() < bytes.len() {
                thread::sleep(Duration::from_micros(200));
            }
        }
    }

    /// The next frame, as it came; `None` at the end of the connection.
    pub(crate) fn receive_frame(&mut self) -> Option<Vec<u8>> {
        loop {
            match self.framing.receive(&self.received).unwrap() {
                Received::Frame(frame) => {
                    let len = frame.bytes.len();
                    return Some(self.received.drain(..len).collect());
                }
                Received::Incomplete { .. } => self.read()?,
            }
        }
    }

    /// Whether anything comes, or the end, within a moment.
    pub(crate) fn hears(&mut self) -> bool {
        let moment = Some(Duration::from_millis(20));
        self.socket.set_read_timeout(moment).unwrap();
        let result = self.socket.peek(&mut [0]);
        self.socket.set_read_timeout(Some(PATIENCE)).unwrap();
        result.is_ok()
    }

    fn read(&mut self) -> Option<()> {
        let mut room = vec![0; 64 << 10];
        match self.socket.read(&mut room) {
            Ok(0) => None,
            Ok(len) => {
                self.received.extend_from_slice(&room[..len]);
                Some(())
            }
            Err(error) if error.kind() == ErrorKind::ConnectionReset => None,
            Err(error) => panic!("{error}"),
        }
    }

    /// The body of the next frame.
    pub(crate) fn receive(&mut self) -> Option<Vec<u8>> {
        let frame = self.receive_frame()?;
        Some(self.body(&frame))
    }

    pub(crate) fn body(&mut self, frame: &[u8]) -> Vec<u8> {
        let Ok(Received::Frame(frame)) = self.framing.receive(frame) else {
            panic!("no frame");
        };
        self.zlib.body(frame.content).unwrap().to_vec()
    }

    /// The body of the next frame of this id.
    pub(crate) fn receive_id(&mut self, id: u8) -> Vec<u8> {
        loop {
            let body = self.receive().expect("the connection ended");
            if body[0] == id {
                return body;
            }
        }
    }

    /// The bodies of all frames up to one of this id.
    pub(crate) fn receive_until(&mut self, id: u8) -> Vec<Vec<u8>> {
        let mut bodies = Vec::new();
        loop {
            let body = self.receive().expect("the connection ended");
            let is_last = body[0] == id;
            bodies.push(body);
            if is_last {
                return bodies;
            }
        }
    }

    /// All bytes until the end of the connection.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        while self.read().is_some() {}
        std::mem::take(&mut self.received)
    }

    pub(crate) fn close(self) {
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

/// A server in offline mode that does what it is told.
pub(crate) struct Upstream {
    sockets: Receiver<TcpStream>,
    pub(crate) address: SocketAddr,
    pub(crate) threshold: Option<i32>,
}

impl Upstream {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, sockets) = mpsc::channel();
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                if sender.send(socket).is_err() {
                    return;
                }
            }
        });
        Self {
            sockets,
            address,
            threshold: Some(256),
        }
    }

    /// The next who comes, has said who it is, and is who it should be.
    pub(crate) fn accept(&self) -> Peer {
        Self::greeted(self.sockets.recv_timeout(PATIENCE).unwrap())
    }

    /// The same, if somebody has come.
    pub(crate) fn try_accept(&self) -> Option<Peer> {
        self.sockets.try_recv().ok().map(Self::greeted)
    }

    fn greeted(socket: TcpStream) -> Peer {
        let mut peer = Peer::new(socket);
        let body = peer.receive().unwrap();
        let handshake = Handshake::decode(&body).unwrap();
        assert_eq!((handshake.protocol.0, handshake.next_state.0), (340, 2));
        assert_eq!(handshake.host.as_str(), "127.0.0.1");
        let body = peer.receive().unwrap();
        let login = LoginStart::decode(&body).unwrap();
        assert!(LoginName::new(login.username.as_str()).is_some());
        peer
    }

    /// Lets the next one in, into a world.
    pub(crate) fn welcome(&self) -> Peer {
        let mut peer = self.accept();
        peer.let_in(self.threshold);
        peer
    }
}

impl Peer {
    pub(crate) fn let_in(&mut self, threshold: Option<i32>) {
        if let Some(threshold) = threshold {
            self.send(&SetCompression {
                threshold: VarInt(threshold),
            });
            self.framing = self.framing.with_threshold(threshold);
        }
        self.send(&LoginSuccess {
            uuid: Text::cut(UUID),
            username: Text::cut(NAME),
        });
        self.send(&JoinGame {
            entity_id: 6,
            game_mode: 0,
            dimension: 0,
            difficulty: 1,
            max_players: 10,
            level_type: Text::cut("flat"),
            reduced_debug: false,
        });
        self.send(&SpawnPosition {
            location: Position { x: 1, y: 5, z: 1 },
        });
        self.send(&PositionLook {
            x: 1.5,
            y: 5.0,
            z: 1.5,
            yaw: 90.0,
            pitch: 0.0,
            flags: 0,
            teleport_id: VarInt(1),
        });
    }

    /// Refuses a login.
    pub(crate) fn refuse(mut self, reason: &str) {
        self.send(&login::Disconnect {
            reason: Json::cut(reason),
        });
    }
}
