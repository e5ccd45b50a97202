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
use proptest::prelude::*;

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

#[test]
fn a_first_client_gets_the_servers_own_frames() {
    let mut link = Link::new(Limits::default());
    let stream = link.attach();
    let success =
        "2e00022466336432386362302d373232352d336362312d626165622d326461646432626538396165";
    let hex: String = stream.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, format!("03038002{success}06546573746572"));
    assert_eq!(link.upstream(&join(0)), (Passage::Forward, vec![]));
    assert_eq!(
        link.upstream(&position(0.0, 0.0, 0.0, 1)).0,
        Passage::Forward
    );
    let keep_alive = clientbound::KeepAlive { id: -7 };
    let answer = vec![vec![0x0B, 255, 255, 255, 255, 255, 255, 255, 249]];
    assert_eq!(link.upstream(&keep_alive), (Passage::Keep, answer));
    let chat = serverbound::Chat {
        message: Text::cut("hello"),
    };
    assert_eq!(link.client(&chat), Passage::Forward);
}

#[test]
fn the_recorded_session_is_kept() {
    let mut link = Link::new(Limits::default());
    let vectors = vectors();
    for vector in list(&vectors["session"]["frames"]) {
        if vector["state"] == "play" && vector["direction"] == "clientbound" {
            link.upstream_bytes(&bytes(&vector["frame"]));
        }
    }
    assert_eq!(link.session.dropped(), Dropped::default());
    assert_eq!(link.session.size(), (1, 67, 0));
    let stream = link.attach();
    let world = link.world(&stream);
    let order = [
        0x23, 0x18, 0x3A, 0x46, 0x4A, 0x47, 0x40, 0x20, 0x1E, 0x2F, 0x41,
    ];
    assert_eq!(ids(&world), order);
    // The column is the very frame that came.
    let column = list(&vectors["session"]["frames"]).iter();
    let mut column = column
        .filter(|it| it["name"] == "map_chunk")
        .map(|it| bytes(&it["frame"]));
    let column = column.next_back().unwrap();
    assert!(stream.windows(column.len()).any(|it| it == column));
    let place = PositionLook::decode(&world[9]).unwrap();
    assert_eq!((place.x, place.y, place.z), (19.0, 5.0, 27.0));
    assert_eq!(place.teleport_id, VarInt(FIRST_TELEPORT));
}

#[test]
fn a_world_is_replayed_in_its_order() {
    let mut link = Link::joined();
    let server = |it: &mut Link| {
        it.upstream(&UpdateHealth {
            health: 20.0,
            food: VarInt(20),
            saturation: 5.0,
        });
        it.upstream(&SetSlot {
            window: 0,
            slot: 36,
            item: STONE,
        });
        it.upstream(&WorldBorder {
            action: Border::Init {
                x: 1.0,
                z: 2.0,
                old: 3.0,
                new: 4.0,
                speed: crate::minecraft::VarLong(5),
                portal: VarInt(6),
                warning_time: VarInt(7),
                warning_blocks: VarInt(8),
            },
        });
        it.upstream(&mob(103));
        it.upstream(&EntityMove {
            entity_id: VarInt(103),
            dx: 4096,
            dy: -375,
            dz: 0,
            on_ground: true,
        });
        it.upstream(&HeadLook {
            entity_id: VarInt(103),
            yaw: Angle(77),
        });
        it.upstream(&EntityEquipment {
            entity_id: VarInt(103),
            slot: VarInt(0),
            item: STONE,
        });
        it.upstream(&SetPassengers {
            entity_id: VarInt(103),
            passengers: List::of(&[VarInt(6)]),
        });
        it.upstream(&EntityEffect {
            entity_id: VarInt(6),
            effect: 5,
            amplifier: 1,
            duration: VarInt(600),
            flags: 2,
        });
        it.upstream(&column(9, 9, true, 1, &[9; 400]));
        it.upstream(&column(1, 1, true, 1, &[1; 300]));
        it.upstream(&block(16, 3, 17, 33));
        it.upstream(&PlayerList {
            action: PlayerListAction::Add {
                players: List::of(&[NewPlayer {
                    uuid: UUID,
                    name: Text::cut("Tester"),
                    properties: List::of(&[]),
                    game_mode: VarInt(1),
                    ping: VarInt(4),
                    display_name: Some(Json::cut("\"T\"")),
                }]),
            },
        });
        it.upstream(&SpawnPosition {
            location: Position { x: 1, y: 2, z: 3 },
        });
        it.upstream(&Abilities {
            flags: 13,
            flying_speed: 0.05,
            walking_speed: 0.1,
        });
        it.upstream(&HeldItemChange { slot: 3 });
        it.upstream(&ChangeGameState {
            reason: 1,
            value: 0.0,
        });
        it.upstream(&TimeUpdate { age: 1, time: 2 });
        it.upstream(&CombatEvent {
            event: Combat::Enter {},
        });
    };
    server(&mut link);
    let stream = link.attach();
    let world = link.world(&stream);
    let order = [
        0x23, 0x2C, 0x3A, 0x46, 0x2E, 0x47, 0x1E, 0x38, 0x20, 0x10, 0x20, 0x03, 0x3F, 0x36, 0x43,
        0x4F, 0x16, 0x1E, 0x2F, 0x41,
    ];
    assert_eq!(ids(&world), order);
    let joined = JoinGame::decode(&world[0]).unwrap();
    assert_eq!((joined.entity_id, joined.game_mode), (6, 9));
    let mob = SpawnMob::decode(&world[11]).unwrap();
    assert_eq!((mob.x, mob.y, mob.z), (9.5, 64.0 - 375.0 / 4096.0, -8.5));
    assert_eq!(HeadLook::decode(&world[13]).unwrap().yaw, Angle(77));
    let changes = MultiBlockChange::decode(&world[9]).unwrap();
    assert_eq!((changes.chunk_x, changes.chunk_z), (1, 1));
    let record = BlockRecord {
        horizontal: 0x01,
        y: 3,
        state: VarInt(33),
    };
    assert_eq!(changes.records.iter().collect::<Vec<_>>(), [record]);
    assert_eq!(ChunkData::decode(&world[8]).unwrap().x, 1);
    // However little room there is at a time, it is the same.
    link.detach();
    link.session.next_teleport = FIRST_TELEPORT;
    link.session.attach(link.now, &mut link.zlib);
    assert_eq!(link.rest_for_client(7), stream);
}

#[test]
fn frames_that_come_during_a_replay_follow_it() {
    let mut link = Link::joined();
    link.session.attach(link.now, &mut link.zlib);
    let live = block(1, 2, 3, 4);
    assert_eq!(link.upstream(&live).0, Passage::Keep);
    let stream = link.rest_for_client(50);
    let last = link.frame(&live);
    assert!(stream.ends_with(&last));
    assert_eq!(link.upstream(&live).0, Passage::Forward);
}

#[test]
fn a_client_too_slow_for_its_world_is_given_up() {
    let limits = Limits {
        live_bytes: 500,
        ..Limits::default()
    };
    let mut link = Link::new(limits);
    link.upstream(&join(0));
    link.session.attach(link.now, &mut link.zlib);
    let message = "x".repeat(200);
    let chat = Chat {
        message: Json::cut(&message),
        position: 0,
    };
    assert_eq!(link.upstream(&chat).0, Passage::Keep);
    assert_eq!(link.upstream(&chat).0, Passage::Keep);
    let lost = Passage::LoseClient(ClientLoss::TooSlow);
    assert_eq!(link.upstream(&chat).0, lost);
    assert!(!link.session.is_attached());
}

#[test]
fn while_nobody_is_there_the_server_is_answered() {
    let mut link = Link::new(Limits::default());
    let (passage, answers) = link.upstream(&join(0));
    assert_eq!((passage, ids(&answers)), (Passage::Keep, vec![0x04, 0x09]));
    let (_, answers) = link.upstream(&position(1.0, 2.0, 3.0, 300));
    assert_eq!(answers[0], [0x00, 0xAC, 0x02]);
    let relative = PositionLook {
        x: 0.5,
        flags: 0x1F,
        yaw: 10.0,
        ..position(0.0, 0.0, 0.0, 2)
    };
    let (_, answers) = link.upstream(&relative);
    let look = serverbound::PositionLook::decode(&answers[1]).unwrap();
    assert_eq!((look.x, look.y, look.z), (1.5, 2.0, 3.0));
    assert_eq!((look.yaw, look.pitch, look.on_ground), (100.0, 20.0, false));
    let refused = clientbound::ConfirmTransaction {
        window: 0,
        action: 7,
        accepted: false,
    };
    assert_eq!(link.upstream(&refused).1, [[0x05, 0, 0, 7, 1]]);
    let dead = UpdateHealth {
        health: 0.0,
        food: VarInt(0),
        saturation: 0.0,
    };
    assert_eq!(link.upstream(&dead).1, [[0x03, 0]]);
    assert!(link.upstream(&dead).1.is_empty());
    link.upstream(&UpdateHealth {
        health: 20.0,
        ..dead
    });
    assert_eq!(link.upstream(&dead).1, [[0x03, 0]]);
    let (_, up, down) = link.expire();
    assert_eq!((ids(&up), down.len()), (vec![0x0C], 0));
    let kicked = clientbound::Disconnect {
        reason: Json::cut("\"bye\""),
    };
    assert_eq!(
        link.upstream(&kicked).0,
        Passage::Ended("\"bye\"".to_owned())
    );
}

#[test]
fn a_player_who_goes_leaves_nothing_half_done() {
    let mut link = Link::joined();
    link.attach();
    link.client(&TeleportConfirm {
        teleport_id: VarInt(FIRST_TELEPORT),
    });
    link.upstream(&position(1.0, 2.0, 3.0, 8));
    link.upstream(&position(4.0, 5.0, 6.0, 9));
    let action = |action| EntityAction {
        entity_id: VarInt(6),
        action: VarInt(action),
        jump_boost: VarInt(0),
    };
    link.client(&action(0));
    link.client(&action(3));
    let location = Position {
        x: 10,
        y: 64,
        z: -10,
    };
    link.client(&Digging {
        status: VarInt(0),
        location,
        face: 1,
    });
    link.upstream(&OpenWindow {
        window: 2,
        shape: crate::minecraft::packets::play::Window {
            frame: crate::minecraft::packets::play::WindowFrame {
                kind: Text::cut("minecraft:chest"),
                title: Json::cut("\"C\""),
                slots: 27,
            },
            entity: None,
        },
    });
    let answers = link.detach();
    assert_eq!(
        ids(&answers),
        [0x00, 0x0E, 0x00, 0x0E, 0x15, 0x15, 0x14, 0x08]
    );
    assert_eq!((answers[0][1], answers[2][1]), (8, 9));
    assert_eq!((answers[4][2], answers[5][2], answers[6][1]), (1, 4, 1));
    assert!(link.detach().is_empty());
}

#[test]
fn confirms_go_to_those_who_asked() {
    let mut link = Link::joined();
    link.attach();
    let confirm = |id| TeleportConfirm {
        teleport_id: VarInt(id),
    };
    let step = serverbound::PlayerPosition {
        x: 0.0,
        y: 0.0,
        z: 0.0,
        on_ground: true,
    };
    // Until it has confirmed, it says where it was before.
    assert_eq!(link.client(&step), Passage::Keep);
    assert_eq!(link.client(&confirm(7)), Passage::Keep);
    assert_eq!(link.client(&confirm(FIRST_TELEPORT)), Passage::Keep);
    assert_eq!(link.client(&step), Passage::Forward);
    assert_eq!(link.client(&confirm(FIRST_TELEPORT)), Passage::Keep);
    link.upstream(&position(1.0, 2.0, 3.0, 7));
    link.upstream(&position(1.0, 2.0, 3.0, 8));
    assert_eq!(link.client(&confirm(8)), Passage::Forward);
    assert_eq!(link.client(&confirm(7)), Passage::Keep);
}

#[test]
fn a_silent_client_is_given_up_and_one_that_answers_is_not() {
    let mut link = Link::joined();
    link.attach();
    for _ in 0..5 {
        let (passage, up, down) = link.expire();
        assert_eq!((passage, up.len()), (Passage::Keep, 0));
        let id = clientbound::KeepAlive::decode(&down[0]).unwrap().id;
        assert_eq!(link.client(&serverbound::KeepAlive { id }), Passage::Keep);
        assert_eq!(
            link.client(&serverbound::KeepAlive { id: id + 1 }),
            Passage::Keep
        );
    }
    let start = link.now;
    loop {
        let (passage, ..) = link.expire();
        if passage == Passage::LoseClient(ClientLoss::Silent) {
            break;
        }
        assert_eq!(passage, Passage::Keep);
    }
    assert_eq!(link.now.since(start), Duration::from_secs(40));
    assert!(!link.session.is_attached());
}

#[test]
fn a_player_may_move_a_little_while_away() {
    let mut link = Link::with(Settings {
        limits: Limits::default(),
        view_distance: 8,
        anti_afk: Some(ANTI_AFK),
    });
    link.upstream(&join(0));
    link.upstream(&position(1.0, 2.0, 3.0, 7));
    let mut said = Vec::new();
    while link.now < NOW + Duration::from_secs(61) {
        said.extend(link.expire().1);
    }
    let stands = said.iter().filter(|body| body[0] == 0x0C).count();
    let moves = ids(&said).into_iter().filter(|&id| id != 0x0C);
    assert_eq!(
        moves.collect::<Vec<_>>(),
        [0x1D, 0x0F, 0x0D, 0x0D, 0x1D, 0x0F, 0x0D, 0x0D]
    );
    assert!((60..=62).contains(&stands));
}

#[test]
fn blocks_that_change_are_told_once() {
    let mut link = Link::joined();
    link.upstream(&column(0, 0, true, 1, &[1; 30]));
    for state in 1..100 {
        link.upstream(&block(1, 2, 3, state));
    }
    link.upstream(&block(1, 40, 3, 5));
    // Of columns that are not there nothing is known.
    link.upstream(&block(999, 2, 3, 5));
    link.upstream(&Explosion {
        x: 8.9,
        y: 4.5,
        z: 8.1,
        radius: 4.0,
        blocks: List::of(&[Offset { x: -1, y: 0, z: 1 }]),
        motion_x: 0.0,
        motion_y: 0.0,
        motion_z: 0.0,
    });
    let stream = link.attach();
    let world = link.world(&stream);
    let changes = world.iter().find(|body| body[0] == 0x10).unwrap();
    let records = MultiBlockChange::decode(changes).unwrap().records;
    let record = |x: u8, y, z: u8, state| BlockRecord {
        horizontal: x << 4 | z,
        y,
        state: VarInt(state),
    };
    let expected = [record(1, 2, 3, 99), record(7, 4, 9, 0), record(1, 40, 3, 5)];
    assert_eq!(records.iter().collect::<Vec<_>>(), expected);
    // A section that comes again has its changes in it.
    link.detach();
    link.upstream(&column(0, 0, false, 0b100, &[2; 30]));
    let stream = link.attach();
    let world = link.world(&stream);
    assert_eq!(world.iter().filter(|body| body[0] == 0x20).count(), 2);
    let changes = world.iter().find(|body| body[0] == 0x10).unwrap();
    let records = MultiBlockChange::decode(changes).unwrap().records;
    assert_eq!(records.iter().collect::<Vec<_>>(), expected[..2]);
}

#[test]
fn another_dimension_is_another_world() {
    let mut link = Link::joined();
    link.upstream(&column(0, 0, true, 1, &[1; 30]));
    link.upstream(&mob(103));
    let respawn = |dimension| Respawn {
        dimension,
        difficulty: 2,
        game_mode: 0,
        level_type: Text::cut("flat"),
    };
    link.upstream(&respawn(0));
    assert_eq!(link.session.size().0, 1);
    link.upstream(&respawn(-1));
    assert_eq!(link.session.size(), (0, 0, 0));
    let stream = link.attach();
    let joined = link.world(&stream)[0].clone();
    let joined = JoinGame::decode(&joined).unwrap();
    assert_eq!(
        (joined.dimension, joined.game_mode, joined.difficulty),
        (-1, 8, 2)
    );
    link.detach();
    link.upstream(&column(0, 0, true, 1, &[1; 30]));
    link.upstream(&join(1));
    assert_eq!(link.session.size(), (0, 0, 0));
}

#[test]
fn what_is_beyond_the_limits_is_dropped_and_counted() {
    let limits = Limits {
        columns: 9,
        column_bytes: 5000,
        block_changes: 3,
        block_entities: 2,
        partial_frames: 2,
        entities: 5,
        ..Limits::default()
    };
    let mut link = Link::new(limits);
    link.upstream(&join(0));
    link.upstream(&position(8.0, 5.0, 8.0, 7));
    for x in 0..20 {
        link.upstream(&column(x, 0, true, 1, &[1; 100]));
    }
    let (columns, bytes, _) = link.session.size();
    assert_eq!((columns, link.session.dropped().columns), (9, 11));
    assert!(bytes < 9 * 130);
    for y in 0..5 {
        link.upstream(&block(0, y, 0, 1));
        link.upstream(&mob(y));
        link.upstream(&mob(y + 100));
        let location = Position { x: 1, y, z: 1 };
        link.upstream(&UpdateBlockEntity {
            location,
            action: 9,
            data: OptNbt(None),
        });
    }
    let dropped = link.session.dropped();
    assert_eq!((dropped.blocks, dropped.entities), (2 + 3, 5));
    for _ in 0..3 {
        link.upstream(&column(0, 0, false, 1, &[1; 10]));
    }
    assert_eq!(link.session.size().0, 8);
    let noise: Vec<u8> = (0..3000_u32)
        .map(|it| (it.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    link.upstream(&column(3, 0, true, 1, &noise));
    link.upstream(&column(4, 0, true, 1, &noise));
    assert!(link.session.size().1 <= 5000);
    assert_eq!(link.session.dropped().unread, 0);
}

#[test]
fn a_packet_that_cannot_be_read_is_passed_on() {
    let mut link = Link::joined();
    link.attach();
    let broken = [4, 0, 0x41, 1, 2];
    assert_eq!(link.upstream_bytes(&broken).0, Passage::Forward);
    assert_eq!(link.session.dropped().unread, 1);
}

#[test]
fn an_upstream_lets_in_or_says_why_not() {
    let mut buf = [0; 100];
    let mut writer = Writer::new(&mut buf);
    let name = LoginName::new("Tester").unwrap();
    let login = UpstreamLogin::begin("127.0.0.1", 25571, name, &mut writer).unwrap();
    let vectors = vectors();
    let frames = list(&vectors["session"]["frames"]);
    let first: Vec<u8> = frames[..2]
        .iter()
        .flat_map(|it| bytes(&it["frame"]))
        .collect();
    assert_eq!(writer.written(), first);
    let mut zlib = Zlib::new();
    let mut ask = |mut login: UpstreamLogin, stream: &[u8]| {
        let mut at = 0;
        loop {
            let (len, answer) = login.receive(&stream[at..], &mut zlib).unwrap();
            at += len;
            if answer != Answer::Wait || len == 0 {
                return answer;
            }
        }
    };
    let stream: Vec<u8> = frames[2..4]
        .iter()
        .flat_map(|it| bytes(&it["frame"]))
        .collect();
    let framing = Framing::new(MAX_FRAME).with_threshold(256);
    let welcome = Answer::Welcome {
        uuid: UUID,
        name,
        framing,
    };
    assert_eq!(ask(login, &stream), welcome);
    assert_eq!(ask(login, &stream[..20]), Answer::Wait);
    for vector in list(&vectors["packets"]) {
        if vector["state"] == "login" && vector["direction"] == "clientbound" {
            let answer = ask(login, &bytes(&vector["frame"]));
            match text(&vector["name"]) {
                "disconnect" => {
                    assert_eq!(answer, Answer::Refused("{\"text\":\"full\"}".to_owned()));
                }
                "encryption_begin" => assert_eq!(answer, Answer::NeedsAccount),
                _ => {}
            }
        }
    }
    // Without compression.
    let mut writer = Writer::new(&mut buf);
    let success = login::LoginSuccess {
        uuid: Text::cut("f3d28cb0-7225-3cb1-baeb-2dadd2be89ae"),
        username: Text::cut("Tester"),
    };
    Zlib::new()
        .write(Framing::new(MAX_FRAME), &success, &mut writer)
        .unwrap();
    let Answer::Welcome { framing, .. } = ask(login, writer.written()) else {
        panic!("not welcome");
    };
    assert_eq!(framing.threshold(), None);
}

proptest! {
    /// Whatever columns come and go, their bytes are counted right and within the limits.
    #[test]
    fn bytes_of_columns_are_counted(
        steps in proptest::collection::vec((0..5_u8, 0..4_i32, 0..3_i32, 1..60_usize), 0..60),
    ) {
        let limits = Limits {
            columns: 6, column_bytes: 400, partial_frames: 2, block_entities: 3, ..Limits::default()
        };
        let mut link = Link::new(limits);
        link.upstream(&join(0));
        link.upstream(&position(8.0, 5.0, 8.0, 7));
        for (kind, x, z, len) in steps {
            let data = vec![7; len];
            match kind {
                0 | 1 => link.upstream(&column(x, z, true, 1, &data)),
                2 => link.upstream(&column(x, z, false, 1, &data)),
                3 => link.upstream(&UnloadChunk { chunk_x: x, chunk_z: z }),
                _ => {
                    let location = Position { x: 16 * x, y: len as i32, z: 16 * z };
                    let data = OptNbt(None);
                    link.upstream(&UpdateBlockEntity { location, action: 1, data })
                }
            };
            let (columns, bytes, _) = link.session.size();
            prop_assert!(columns <= 6 && bytes <= 400);
            let stream = link.attach();
            let world = link.world(&stream);
            let frames = world.iter().filter(|body| body[0] == 0x20);
            let frames: usize = frames.map(|body| body.len() + 2).sum();
            let kept = world.iter().filter(|body| body[0] == 0x09);
            let kept: usize = kept.map(Vec::len).sum();
            prop_assert_eq!(bytes, frames + kept);
            link.detach();
        }
    }
}
