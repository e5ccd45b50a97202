use super::*;
use crate::minecraft::{
    Angle, Bytes, Item, Json, List, Metadata, OptNbt, Position, Received, Slot,
    idle::{Answer, AntiAfk, Limits, UpstreamLogin},
    packets::{
        login,
        play::{
            BlockRecord, Border, Combat, NewPlayer, Offset, PlayerListAction, Velocity,
            clientbound::*, serverbound,
        },
    },
    tests::{bytes, list, text, vectors},
};

mod away;
mod client;
mod limits;
mod replay;
mod upstream;

const NOW: Time = Time::from_millis(1000);
const UUID: Uuid = Uuid(0xF3D2_8CB0_7225_3CB1_BAEB_2DAD_D2BE_89AE);
const ANTI_AFK: AntiAfk = AntiAfk {
    interval: Duration::from_secs(30),
    steps: true,
};

/// A session between a server and a client that are not there.
struct Link {
    session: Session,
    zlib: Zlib,
    now: Time,
}

/// What a frame became, and what the server got for it.
type Outcome = (Passage, Vec<Vec<u8>>);

impl Link {
    fn new(limits: Limits) -> Self {
        let settings = Settings {
            limits,
            view_distance: 8,
            anti_afk: None,
        };
        Self::with(settings)
    }

    fn with(settings: Settings) -> Self {
        let name = LoginName::new("Tester").unwrap();
        let framing = Framing::new(MAX_FRAME).with_threshold(256);
        Self {
            session: Session::new(settings, UUID, name, framing, NOW),
            zlib: Zlib::new(),
            now: NOW,
        }
    }

    /// One whose player is in a world.
    fn joined() -> Self {
        let mut link = Self::new(Limits::for_view_distance(4));
        link.upstream(&join(0));
        link.upstream(&position(19.5, 5.0, 27.5, 7));
        link
    }

    fn frame<'a, P: Packet<'a>>(&mut self, packet: &P) -> Vec<u8> {
        let mut buf = vec![0; packet.encoded_len() + 200];
        let mut writer = Writer::new(&mut buf);
        let framing = self.session.framing();
        self.zlib.write(framing, packet, &mut writer).unwrap();
        writer.written().to_vec()
    }

    fn upstream<'a, P: Packet<'a>>(&mut self, packet: &P) -> Outcome {
        let bytes = self.frame(packet);
        self.upstream_bytes(&bytes)
    }

    fn upstream_bytes(&mut self, bytes: &[u8]) -> Outcome {
        let Ok(Received::Frame(frame)) = self.session.framing().receive(bytes) else {
            panic!("no frame");
        };
        let mut buf = [0; 1000];
        let mut writer = Writer::new(&mut buf);
        let (now, zlib) = (self.now, &mut self.zlib);
        let passage = self
            .session
            .receive_from_upstream(now, &frame, zlib, &mut writer);
        (passage.unwrap(), self.bodies(writer.written()))
    }

    fn client<'a, P: Packet<'a>>(&mut self, packet: &P) -> Passage {
        let bytes = self.frame(packet);
        let Ok(Received::Frame(frame)) = self.session.framing().receive(&bytes) else {
            panic!("no frame");
        };
        self.session
            .receive_from_client(self.now, &frame, &mut self.zlib)
            .unwrap()
    }

    fn detach(&mut self) -> Vec<Vec<u8>> {
        let mut buf = [0; 1000];
        let mut writer = Writer::new(&mut buf);
        self.session
            .detach(self.now, &mut self.zlib, &mut writer)
            .unwrap();
        self.bodies(writer.written())
    }

    /// What is said to the server and to the client when it is time.
    fn expire(&mut self) -> (Passage, Vec<Vec<u8>>, Vec<Vec<u8>>) {
        let (mut up, mut down) = ([0; 1000], [0; 1000]);
        let (mut to_upstream, mut to_client) = (Writer::new(&mut up), Writer::new(&mut down));
        self.now = self.session.next_timeout();
        let (now, zlib) = (self.now, &mut self.zlib);
        let passage = self
            .session
            .expired(now, zlib, &mut to_upstream, &mut to_client);
        let up = self.bodies(to_upstream.written());
        (passage.unwrap(), up, self.bodies(to_client.written()))
    }

    fn attach(&mut self) -> Vec<u8> {
        self.session.attach(self.now, &mut self.zlib);
        self.rest_for_client(4096)
    }

    fn rest_for_client(&mut self, room: usize) -> Vec<u8> {
        let mut all = Vec::new();
        loop {
            let mut buf = vec![0; room];
            let mut writer = Writer::new(&mut buf);
            let done = self.session.write_client(&mut writer);
            all.extend_from_slice(writer.written());
            if done {
                return all;
            }
        }
    }

    /// The bodies of the frames after the login's.
    fn world(&mut self, stream: &[u8]) -> Vec<Vec<u8>> {
        let set_compression = [3, 3, 0x80, 2];
        self.bodies(stream.strip_prefix(&set_compression).unwrap())
            .split_off(1)
    }

    fn bodies(&mut self, mut stream: &[u8]) -> Vec<Vec<u8>> {
        let mut bodies = Vec::new();
        while !stream.is_empty() {
            let Ok(Received::Frame(frame)) = self.session.framing().receive(stream) else {
                panic!("no frame");
            };
            bodies.push(self.zlib.body(frame.content).unwrap().to_vec());
            stream = &stream[frame.bytes.len()..];
        }
        bodies
    }
}

fn ids(bodies: &[Vec<u8>]) -> Vec<u8> {
    bodies.iter().map(|body| body[0]).collect()
}

fn join(dimension: i32) -> JoinGame<'static> {
    JoinGame {
        entity_id: 6,
        game_mode: 9,
        dimension,
        difficulty: 1,
        max_players: 10,
        level_type: Text::cut("flat"),
        reduced_debug: false,
    }
}

fn position(x: f64, y: f64, z: f64, id: i32) -> PositionLook {
    PositionLook {
        x,
        y,
        z,
        yaw: 90.0,
        pitch: 10.0,
        flags: 0,
        teleport_id: VarInt(id),
    }
}

fn column(x: i32, z: i32, ground_up: bool, sections: i32, data: &[u8]) -> ChunkData<'_> {
    ChunkData {
        x,
        z,
        ground_up,
        sections: VarInt(sections),
        data: Bytes(data),
        block_entities: List::of(&[]),
    }
}

fn block(x: i32, y: i32, z: i32, state: i32) -> BlockChange {
    BlockChange {
        location: Position { x, y, z },
        state: VarInt(state),
    }
}

const STONE: Slot<'static> = Slot(Some(Item {
    id: 1,
    count: 64,
    damage: 0,
    tag: OptNbt(None),
}));

fn mob(id: i32) -> SpawnMob<'static> {
    SpawnMob {
        entity_id: VarInt(id),
        uuid: Uuid(u128::from(id.unsigned_abs())),
        kind: VarInt(54),
        x: 8.5,
        y: 64.0,
        z: -8.5,
        yaw: Angle(1),
        pitch: Angle(2),
        head_pitch: Angle(3),
        velocity: Velocity { x: 9, y: 9, z: 9 },
        metadata: Metadata::default(),
    }
}
