//! Packets of a Minecraft player and of the server that keeps its session.

use super::{PATIENCE, nothing_allocated, wait_until};
use samara::{
    buffer::Writer,
    config::Config,
    minecraft::{
        Framing, Json, MAX_FRAME, Packet, Plain, Position, Received, Rest, Text, VarInt, Zlib,
        packets::{
            handshaking::Handshake,
            login::{LoginStart, LoginSuccess, SetCompression},
            play::{clientbound, serverbound},
        },
    },
    server::Server,
};
use std::{
    io::{Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
};

/// Packets that nothing may be allocated for, a dozen at a time.
const ROUNDS: usize = 1_000;

/// One end, which reads whole frames.
struct End {
    socket: TcpStream,
    framing: Framing,
    received: Vec<u8>,
}

impl End {
    fn new(socket: TcpStream) -> Self {
        socket.set_nodelay(true).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Self {
            socket,
            framing: Framing::new(MAX_FRAME),
            received: Vec::new(),
        }
    }

    fn receive(&mut self) -> Vec<u8> {
        loop {
            if let Received::Frame(frame) = self.framing.receive(&self.received).unwrap() {
                let len = frame.bytes.len();
                return self.received.drain(..len).collect();
            }
            let mut room = [0; 4096];
            let len = self.socket.read(&mut room).unwrap();
            assert!(len > 0, "the connection ended");
            self.received.extend_from_slice(&room[..len]);
        }
    }

    /// Reads until all of `frames` have come; what else comes is the server's own.
    fn expect(&mut self, frames: &[Vec<u8>]) {
        for frame in frames {
            while self.receive() != *frame {}
        }
    }
}

fn frame<'a, P: Packet<'a>>(framing: Framing, packet: &P) -> Vec<u8> {
    let mut buf = vec![0; packet.encoded_len() * 2 + 100];
    let mut writer = Writer::new(&mut buf);
    Zlib::new().write(framing, packet, &mut writer).unwrap();
    writer.written().to_vec()
}

fn from_a_server(framing: Framing) -> Vec<Vec<u8>> {
    let message = "x".repeat(3000);
    let noise: Vec<u8> = (0..100_000_u32)
        .map(|it| (it.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    let long = clientbound::PluginMessage {
        channel: Text::cut("long"),
        data: Rest(&noise),
    };
    vec![
        frame(framing, &clientbound::TimeUpdate { age: 1, time: 2 }),
        frame(
            framing,
            &clientbound::Chat {
                message: Json::cut(&message),
                position: 0,
            },
        ),
        // Longer than a block.
        frame(framing, &long),
        frame(
            framing,
            &clientbound::SpawnPosition {
                location: Position { x: 1, y: 2, z: 3 },
            },
        ),
        frame(
            framing,
            &clientbound::UpdateHealth {
                health: 20.0,
                food: VarInt(20),
                saturation: 5.0,
            },
        ),
    ]
}

fn from_a_client(framing: Framing) -> Vec<Vec<u8>> {
    vec![
        frame(
            framing,
            &serverbound::PositionLook {
                x: 1.0,
                y: 2.0,
                z: 3.0,
                yaw: 4.0,
                pitch: 5.0,
                on_ground: true,
            },
        ),
        frame(framing, &serverbound::SwingArm { hand: VarInt(0) }),
        frame(
            framing,
            &serverbound::Chat {
                message: Text::cut("hello"),
            },
        ),
    ]
}

/// Lets the player in, into a world.
fn welcome(server: &mut End) {
    let plain = server.framing;
    let packed = plain.with_threshold(256);
    let threshold = VarInt(256);
    let mut hello = frame(plain, &SetCompression { threshold });
    hello.extend(frame(
        packed,
        &LoginSuccess {
            uuid: Text::cut("f3d28cb0-7225-3cb1-baeb-2dadd2be89ae"),
            username: Text::cut("Tester"),
        },
    ));
    hello.extend(frame(
        packed,
        &clientbound::JoinGame {
            entity_id: 6,
            game_mode: 0,
            dimension: 0,
            difficulty: 1,
            max_players: 10,
            level_type: Text::cut("flat"),
            reduced_debug: false,
        },
    ));
    server.socket.write_all(&hello).unwrap();
    server.framing = packed;
}

/// Nothing is allocated for a packet that is passed on, whichever way it goes, nor for a
/// keep-alive that is answered.
pub(super) fn allocates_nothing() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let text = format!(
        "[net]\nbind = [\"127.0.0.1\"]\nport = 0\nloops = 1\n\
         [minecraft]\nupstream = \"{}\"\nplayers = [\"Tester\"]\n",
        listener.local_addr().unwrap()
    );
    let samara = Server::start(&Config::parse("test", &text).unwrap()).unwrap();
    let mut client = End::new(TcpStream::connect(samara.addresses()[0]).unwrap());
    let handshake = Handshake {
        protocol: VarInt(340),
        host: Text::cut("localhost"),
        port: 25565,
        next_state: VarInt(2),
    };
    let username = Text::cut("Tester");
    let mut hello = vec![0; 100];
    let mut writer = Writer::new(&mut hello);
    for written in [
        samara::buffer::Encode::encode(&Plain(handshake), &mut writer),
        samara::buffer::Encode::encode(&Plain(LoginStart { username }), &mut writer),
    ] {
        written.unwrap();
    }
    client.socket.write_all(writer.written()).unwrap();
    let mut server = End::new(listener.accept().unwrap().0);
    server.receive();
    server.receive();
    welcome(&mut server);
    client.receive();
    client.framing = server.framing;
    client.receive();
    client.receive();

    let framing = client.framing;
    let (down, up) = (from_a_server(framing), from_a_client(framing));
    let alive = frame(framing, &clientbound::KeepAlive { id: 7 });
    let answer = frame(framing, &serverbound::KeepAlive { id: 7 });
    let mut run = |rounds: usize| {
        for _ in 0..rounds {
            server.socket.write_all(&down.concat()).unwrap();
            server.socket.write_all(&alive).unwrap();
            client.expect(&down);
            client.socket.write_all(&up.concat()).unwrap();
            server.expect(std::slice::from_ref(&answer));
            server.expect(&up);
        }
    };
    run(50);
    nothing_allocated("packets of a Minecraft player", || run(ROUNDS));
    drop((client, server));
    wait_until(&samara, || samara.connections() == 0);
}
