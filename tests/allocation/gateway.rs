//! Packets through the gateway, into sessions of a second server, and back.

use super::{PATIENCE, nothing_allocated, wait_until};
use samara::{
    config::Config,
    maple::{Codec, Decoder, Direction, Encoder, Hello, Profile},
    net::tcp::ConnectionId,
    server::Server,
    service::maple::{Handler, MapleService, Sessions, Settings},
    timer::Time,
};
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
};

/// Packets that nothing may be allocated for.
const PACKETS: usize = 5_000;

/// Says back what it hears, to all if the third byte is 0.
#[derive(Debug, Default)]
struct World {
    all: Vec<ConnectionId>,
}

impl Handler for World {
    fn packet(&mut self, _: Time, id: ConnectionId, payload: &mut [u8], all: &mut Sessions<'_>) {
        if payload[2] == 0 {
            self.all.clear();
            self.all.extend(all.ids());
            all.broadcast(self.all.iter().copied(), payload).unwrap();
        } else {
            all.send(id, payload).unwrap();
        }
    }
}

struct Client {
    socket: TcpStream,
    encoder: Encoder,
    decoder: Decoder,
    buffer: Vec<u8>,
}

impl Client {
    fn connect(to: SocketAddr) -> Self {
        let mut socket = TcpStream::connect(to).unwrap();
        socket.set_nodelay(true).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut room = [0; 16];
        socket.read_exact(&mut room).unwrap();
        let codec = Codec::new(Profile::GMS_83);
        let parsed = Hello::parse(codec.profile().hello, &room).unwrap();
        let (hello, _) = parsed.unwrap();
        Self {
            socket,
            encoder: codec.encoder(Direction::ToServer, hello.to_server),
            decoder: codec.decoder(Direction::ToClient, hello.to_client),
            buffer: vec![0; 30_000],
        }
    }

    fn send(&mut self, len: usize, byte: u8) {
        let frame = &mut self.buffer[..4 + len];
        frame[4..].fill(byte);
        self.encoder.encode(frame).unwrap();
        self.socket.write_all(frame).unwrap();
    }

    fn receive(&mut self, len: usize, byte: u8) {
        let frame = &mut self.buffer[..4 + len];
        self.socket.read_exact(frame).unwrap();
        self.decoder.decode(frame).unwrap();
        assert!(frame[4..].iter().all(|&it| it == byte));
    }

    fn ask(&mut self, len: usize) {
        self.send(len, 0x31);
        self.receive(len, 0x31);
    }
}

/// Nothing is allocated for a packet, whichever way it goes, prepared keystreams or not.
pub(super) fn allocates_nothing() {
    let config = |text: &str| {
        let text = format!(
            "[net]\nbind = [\"127.0.0.1\"]\nport = 0\nloops = 1\n[tcp]\nsniff_delay_ms = 1\n{text}"
        );
        Config::parse("test", &text).unwrap()
    };
    let world = Server::start_with(&config(""), |place| {
        let settings = Settings::new(Profile::GMS_83);
        let service = MapleService::new(World::default(), settings, place.metrics.clone());
        vec![Box::new(service)]
    });
    let world = world.unwrap();
    for ahead in [0, 8] {
        let login = world.addresses()[0];
        let text = format!(
            "[maple]\nkeystreams_ahead = {ahead}\n[gateway]\nlogin = \"{login}\"\n\
             packets_per_second = 1000000\ndeny_opcodes = [1]\n"
        );
        let gateway = Server::start(&config(&text)).unwrap();
        let to = gateway.addresses()[0];
        let mut clients = [(); 3].map(|()| Client::connect(to));
        let mut run = |packets: usize| {
            for n in 0..packets {
                for client in &mut clients {
                    client.ask(if n % 100 == 0 { 20_000 } else { 3 + n % 300 });
                }
                // Some of them have the length of packets that send clients elsewhere.
                let len = 9 + n % 11;
                clients[0].send(len, 0);
                for client in &mut clients {
                    client.receive(len, 0);
                }
            }
        };
        run(200);
        nothing_allocated("packets through the gateway", || run(PACKETS / 4));
        drop(clients);
        wait_until(&gateway, || gateway.connections() == 0);
    }
}
