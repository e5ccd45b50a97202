//! A client, and servers with sockets and threads of their own, that use the codec.

use samara::{
    buffer::Writer,
    maple::{Codec, Decoded, Decoder, Direction, Encoder, Hello, IvPolicy, Profile, Release},
};
use std::{
    io::{Read, Write},
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

/// For anything that normally takes no time at all.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// One end of a connection, after the hello.
pub(crate) struct Stream {
    pub(crate) socket: TcpStream,
    encoder: Encoder,
    decoder: Decoder,
    received: Vec<u8>,
}

impl Stream {
    /// A client, greeted.
    pub(crate) fn connect(to: SocketAddr) -> Self {
        let socket = TcpStream::connect(to).unwrap();
        Self::greeted(socket).expect("no hello")
    }

    /// A client, if it is greeted.
    pub(crate) fn greeted(mut socket: TcpStream) -> Option<Self> {
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.set_write_timeout(Some(PATIENCE)).unwrap();
        socket.set_nodelay(true).unwrap();
        let mut room = [0; 16];
        socket.read_exact(&mut room).ok()?;
        let codec = Codec::new(Profile::GMS_83);
        let parsed = Hello::parse(codec.profile().hello, &room).unwrap();
        let (hello, _) = parsed.unwrap();
        Some(Self {
            socket,
            encoder: codec.encoder(Direction::ToServer, hello.to_server),
            decoder: codec.decoder(Direction::ToClient, hello.to_client),
            received: Vec::new(),
        })
    }

    /// A server that says hello.
    pub(crate) fn accepted(socket: TcpStream) -> Self {
        let (mut stream, hello) = Self::silent(socket);
        stream.socket.write_all(&hello).unwrap();
        stream
    }

    /// A server, and the hello that it has to say.
    pub(crate) fn silent(socket: TcpStream) -> (Self, Vec<u8>) {
        socket.set_nodelay(true).unwrap();
        let random = socket.peer_addr().unwrap().port().to_le_bytes();
        let [a, b] = random;
        let (to_server, to_client) = IvPolicy::Random.choose([a, b, 1, 2, b, a, 3, 4]);
        let mut room = [0; 16];
        let hello = Hello {
            version: 83,
            release: Release::Patch(b"1"),
            to_server,
            to_client,
            locale: 8,
            more: &[],
        };
        hello.write(&mut Writer::new(&mut room)).unwrap();
        let codec = Codec::new(Profile::GMS_83);
        let stream = Self {
            socket,
            encoder: codec.encoder(Direction::ToClient, to_client),
            decoder: codec.decoder(Direction::ToServer, to_server),
            received: Vec::new(),
        };
        (stream, room.to_vec())
    }

    pub(crate) fn frame(&mut self, payload: &[u8]) -> Vec<u8> {
        let mut frame = [&[0; 4], payload].concat();
        self.encoder.encode(&mut frame).unwrap();
        frame
    }

    pub(crate) fn send(&mut self, payload: &[u8]) {
        let frame = self.frame(payload);
        self.socket.write_all(&frame).unwrap();
    }

    /// The next packet; `None` when the other side is done.
    pub(crate) fn receive(&mut self) -> Option<Vec<u8>> {
        loop {
            let decoded = self.decoder.decode(&mut self.received).unwrap();
            if let Decoded::Packet { payload, frame_len } = decoded {
                let payload = payload.to_vec();
                self.received.drain(..frame_len);
                return Some(payload);
            }
            let mut piece = [0; 16 << 10];
            match self.socket.read(&mut piece) {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.received.extend_from_slice(&piece[..count]),
            }
        }
    }

    pub(crate) fn ask(&mut self, payload: &[u8]) -> Option<Vec<u8>> {
        self.send(payload);
        self.receive()
    }

    /// The halves, for two threads.
    pub(crate) fn split(self) -> (Sender, Self) {
        let sender = Sender {
            socket: self.socket.try_clone().unwrap(),
            encoder: self.encoder,
        };
        let codec = Codec::new(Profile::GMS_83);
        let nothing = codec.encoder(Direction::ToServer, samara::maple::Iv::FIXED);
        let receiver = Self {
            encoder: nothing,
            ..self
        };
        (sender, receiver)
    }
}

/// The sending half of a [`Stream`].
pub(crate) struct Sender {
    socket: TcpStream,
    encoder: Encoder,
}

impl Sender {
    pub(crate) fn send(&mut self, payload: &[u8]) {
        let mut frame = [&[0; 4], payload].concat();
        self.encoder.encode(&mut frame).unwrap();
        self.socket.write_all(&frame).unwrap();
    }
}

/// A server that says back what it hears, but for what its kind of servers does.
pub(crate) struct Upstream {
    pub(crate) address: SocketAddr,
    streams: Arc<Mutex<Vec<TcpStream>>>,
    peers: Arc<Mutex<Vec<SocketAddr>>>,
    flooded: Arc<AtomicUsize>,
}

pub(crate) const LOGIN: &[u8] = b"\x01\0name and password";
pub(crate) const SELECT: &[u8] = b"\x13\0\x31\x75\0\0";
pub(crate) const COMES_IN: &[u8] = b"\x14\0\x31\x75\0\0\0\0";
pub(crate) const CHANGE_CHANNEL: &[u8] = b"\x27\0\x01";
/// Then 1,000 packets of 16,384 bytes.
pub(crate) const FLOOD: &[u8] = b"\x40\0";

impl Upstream {
    /// Starts one that sends those who select a character, or change their channel, to `next`.
    pub(crate) fn start(next: Option<SocketAddr>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let streams = Arc::new(Mutex::new(Vec::new()));
        let peers = Arc::new(Mutex::new(Vec::new()));
        let flooded = Arc::new(AtomicUsize::new(0));
        let (all, from, counts) = (streams.clone(), peers.clone(), flooded.clone());
        thread::spawn(move || {
            for socket in listener.incoming() {
                let socket = socket.unwrap();
                all.lock().unwrap().push(socket.try_clone().unwrap());
                from.lock().unwrap().push(socket.peer_addr().unwrap());
                let counts = counts.clone();
                thread::spawn(move || serve(Stream::accepted(socket), next, &counts));
            }
        });
        Self {
            address,
            streams,
            peers,
            flooded,
        }
    }

    /// Packets of floods that it could send.
    pub(crate) fn flooded(&self) -> usize {
        self.flooded.load(Ordering::Relaxed)
    }

    /// Who connected, in order.
    pub(crate) fn peers(&self) -> Vec<SocketAddr> {
        self.peers.lock().unwrap().clone()
    }

    /// Resets all its connections.
    pub(crate) fn kill(&self) {
        for socket in self.streams.lock().unwrap().drain(..) {
            socket2::SockRef::from(&socket)
                .set_linger(Some(Duration::ZERO))
                .unwrap();
            socket.shutdown(Shutdown::Both).unwrap();
        }
    }
}

fn serve(mut stream: Stream, next: Option<SocketAddr>, flooded: &AtomicUsize) {
    while let Some(packet) = stream.receive() {
        let place = || match next {
            Some(SocketAddr::V4(next)) => {
                let [low, high] = next.port().to_le_bytes();
                [&next.ip().octets()[..], &[low, high]].concat()
            }
            _ => vec![0; 6],
        };
        let answer = match &packet[..2] {
            b"\x13\0" => [b"\x0C\0\0\0", &place()[..], &packet[2..6], &[0; 5]].concat(),
            b"\x27\0" => [b"\x10\0\x01", &place()[..]].concat(),
            b"\x40\0" => {
                for n in 0..1000_u32 {
                    let mut packet = vec![n as u8; 16 << 10];
                    packet[..2].copy_from_slice(b"\x41\0");
                    let frame = stream.frame(&packet);
                    if stream.socket.write_all(&frame).is_err() {
                        return;
                    }
                    flooded.fetch_add(1, Ordering::Relaxed);
                }
                continue;
            }
            _ => packet,
        };
        let frame = stream.frame(&answer);
        if stream.socket.write_all(&frame).is_err() {
            return;
        }
    }
}
