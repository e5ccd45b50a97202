use super::*;

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
