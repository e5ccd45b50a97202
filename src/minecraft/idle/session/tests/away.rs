use super::*;

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
