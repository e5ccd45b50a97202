//! Holds Minecraft's packets, and frames that an idle session passes on, to allocating nothing.
//!
//! The test is one function: the count is one, too, and every thread of the harness that does
//! not say otherwise is in it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

#[path = "../tools/allocs/counting.rs"]
#[expect(dead_code, reason = "the tool uses more of it")]
mod counting;

use counting::Counting;
use samara::{
    buffer::{ByteBuf, Encode, Writer},
    minecraft::{
        Angle, Description, Framing, Json, LoginName, MAX_FRAME, MAX_RESPONSE_FRAME, Metadata,
        Packet, Plain, Position, Received, Reception, Text, Uuid, VarInt, Zlib,
        idle::{Limits, Passage, Session, Settings},
        packets::play::{Velocity, clientbound, serverbound},
    },
    timer::Time,
};

#[global_allocator]
static COUNTING: Counting = Counting;

/// What `work` asks of the heap.
fn allocations(work: impl FnOnce()) -> u64 {
    let before = counting::of_the_server().allocations;
    counting::as_server(work);
    counting::of_the_server().allocations - before
}

#[test]
fn nothing_is_allocated() {
    counting::drive();
    let one = allocations(|| drop(std::hint::black_box(Box::new(7))));
    assert_eq!(one, 1, "the count can fail");
    packets_allocate_nothing();
    the_list_allocates_nothing();
    frames_that_are_passed_on_allocate_nothing();
}

fn packets_allocate_nothing() {
    let packet = serverbound::PositionLook {
        x: 3.0,
        y: 3.2,
        z: 15_503.24,
        yaw: 315.0,
        pitch: 15_423.0,
        on_ground: true,
    };
    let chat = clientbound::Chat {
        message: Json::cut("{\"text\":\"hi\"}"),
        position: 0,
    };
    let work = || {
        let mut buf = ByteBuf::<128>::new();
        buf.encode(&Plain(packet)).unwrap();
        buf.skip(1).unwrap();
        let body = buf.read_bytes(34).unwrap();
        assert_eq!(serverbound::PositionLook::decode(body), Ok(packet));
        buf.write_with(|writer| chat.encode(writer)).unwrap();
        let read = clientbound::Clientbound::decode(buf.unread()).unwrap();
        assert!(matches!(read, clientbound::Clientbound::Chat(_)));
    };
    assert_eq!(allocations(work), 0);
}

fn the_list_allocates_nothing() {
    let asked = b"\x10\0\xD4\x02\x09localhost\x63\xDD\x01\x01\0\x09\x01\0\0\0\0\0\0\0\x05";
    let description = Description {
        version: "1.12.2",
        online: 12,
        max: 100,
        sample: &[],
        motd: "\"hello\"",
        favicon: None,
    };
    let mut buf = vec![0; MAX_RESPONSE_FRAME];
    let work = || {
        let mut writer = Writer::new(&mut buf);
        let progress = Reception::new().receive(asked, &description, &mut writer);
        assert_eq!(progress.consumed, asked.len());
    };
    assert_eq!(allocations(work), 0);
}

/// Frames of one stream after the other, each with its length.
struct Frames {
    bytes: Vec<u8>,
    framing: Framing,
    zlib: Zlib,
}

impl Frames {
    fn push<'a, P: Packet<'a>>(&mut self, packet: &P) {
        let start = self.bytes.len();
        self.bytes.resize(start + packet.encoded_len() + 100, 0);
        let mut writer = Writer::new(&mut self.bytes[start..]);
        self.zlib.write(self.framing, packet, &mut writer).unwrap();
        let end = start + writer.len();
        self.bytes.truncate(end);
    }
}

fn frames_that_are_passed_on_allocate_nothing() {
    let framing = Framing::new(MAX_FRAME).with_threshold(256);
    let frames = || Frames {
        bytes: Vec::new(),
        framing,
        zlib: Zlib::new(),
    };
    let mut first = frames();
    first.push(&clientbound::JoinGame {
        entity_id: 6,
        game_mode: 0,
        dimension: 0,
        difficulty: 1,
        max_players: 10,
        level_type: Text::cut("flat"),
        reduced_debug: false,
    });
    first.push(&clientbound::SpawnMob {
        entity_id: VarInt(103),
        uuid: Uuid(1),
        kind: VarInt(54),
        x: 0.0,
        y: 0.0,
        z: 0.0,
        yaw: Angle(0),
        pitch: Angle(0),
        head_pitch: Angle(0),
        velocity: Velocity { x: 0, y: 0, z: 0 },
        metadata: Metadata::default(),
    });
    let mut down = frames();
    from_a_server(&mut down);
    let mut up = frames();
    from_a_client(&mut up);

    let settings = Settings {
        limits: Limits::default(),
        view_distance: 8,
        anti_afk: None,
    };
    let name = LoginName::new("Tester").unwrap();
    let mut session = Session::new(settings, Uuid(7), name, framing, Time::ZERO);
    let mut zlib = Zlib::new();
    session.attach(Time::ZERO, &mut zlib);
    let mut out = vec![0; 4096];
    assert!(session.write_client(&mut Writer::new(&mut out)));
    let mut pass = |session: &mut Session, mut stream: &[u8], is_down: bool| {
        while let Ok(Received::Frame(frame)) = framing.receive(stream) {
            let mut writer = Writer::new(&mut out);
            let passage = if is_down {
                session.receive_from_upstream(Time::ZERO, &frame, &mut zlib, &mut writer)
            } else {
                session.receive_from_client(Time::ZERO, &frame, &mut zlib)
            };
            assert!(matches!(passage, Ok(Passage::Forward | Passage::Keep)));
            stream = &stream[frame.bytes.len()..];
        }
        assert!(stream.is_empty());
    };
    pass(&mut session, &first.bytes, true);
    pass(&mut session, &down.bytes, true);
    let work = || {
        for _ in 0..50 {
            pass(&mut session, &down.bytes, true);
            pass(&mut session, &up.bytes, false);
        }
    };
    assert_eq!(allocations(work), 0);
}

fn from_a_server(frames: &mut Frames) {
    let entity_id = VarInt(103);
    frames.push(&clientbound::KeepAlive { id: 9 });
    frames.push(&clientbound::TimeUpdate { age: 1, time: 2 });
    frames.push(&clientbound::EntityMove {
        entity_id,
        dx: 1,
        dy: 2,
        dz: 3,
        on_ground: true,
    });
    frames.push(&clientbound::HeadLook {
        entity_id,
        yaw: Angle(3),
    });
    frames.push(&clientbound::EntityVelocity {
        entity_id,
        velocity: Velocity { x: 1, y: 1, z: 1 },
    });
    frames.push(&clientbound::BlockChange {
        location: Position { x: 1, y: 2, z: 3 },
        state: VarInt(16),
    });
    let message = "x".repeat(3000);
    frames.push(&clientbound::Chat {
        message: Json::cut(&message),
        position: 0,
    });
    frames.push(&clientbound::UpdateHealth {
        health: 20.0,
        food: VarInt(20),
        saturation: 5.0,
    });
}

fn from_a_client(frames: &mut Frames) {
    frames.push(&serverbound::PositionLook {
        x: 1.0,
        y: 2.0,
        z: 3.0,
        yaw: 4.0,
        pitch: 5.0,
        on_ground: true,
    });
    frames.push(&serverbound::Chat {
        message: Text::cut("hello"),
    });
    frames.push(&serverbound::SwingArm { hand: VarInt(0) });
}
