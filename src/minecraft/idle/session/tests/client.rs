use super::*;

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
fn a_packet_that_cannot_be_read_is_passed_on() {
    let mut link = Link::joined();
    link.attach();
    let broken = [4, 0, 0x41, 1, 2];
    assert_eq!(link.upstream_bytes(&broken).0, Passage::Forward);
    assert_eq!(link.session.dropped().unread, 1);
}

#[test]
fn a_client_that_is_held_gets_all_of_it_later() {
    let mut link = Link::joined();
    link.attach();
    let live = block(1, 2, 3, 4);
    assert_eq!(link.upstream(&live).0, Passage::Forward);
    link.session.hold();
    assert!(link.session.is_held());
    let mut expected = Vec::new();
    for state in 0..100 {
        let change = block(1, 2, 3, state);
        expected.extend(link.frame(&change));
        assert_eq!(link.upstream(&change).0, Passage::Keep);
        if state % 10 == 5 {
            // It takes a little now and then.
            let mut room = [0; 13];
            let mut writer = Writer::new(&mut room);
            assert!(!link.session.write_client(&mut writer));
            assert_eq!(writer.written(), &expected[..13]);
            expected.drain(..13);
        }
    }
    // It is not asked anything that it could only answer late.
    for _ in 0..10 {
        assert_eq!(link.expire(), (Passage::Keep, vec![], vec![]));
    }
    assert_eq!(link.rest_for_client(50), expected);
    assert_eq!(link.upstream(&live).0, Passage::Forward);
    let (_, _, down) = link.expire();
    assert_eq!(ids(&down), [0x1F]);
}

#[test]
fn a_clients_long_frames_are_not_inflated() {
    let mut link = Link::joined();
    link.attach();
    let zeros = vec![0; 1_000_000];
    let chat = link.frame(&serverbound::PluginMessage {
        channel: Text::cut("zeros"),
        data: Rest(&zeros),
    });
    link.zlib = Zlib::new();
    let Ok(Received::Frame(frame)) = link.session.framing().receive(&chat) else {
        panic!("no frame");
    };
    let (now, zlib) = (link.now, &mut link.zlib);
    let passage = link.session.receive_from_client(now, &frame, zlib);
    assert_eq!(passage, Ok(Passage::Forward));
    assert_eq!(format!("{:?}", link.zlib), "Zlib { body: 5, packed: 0 }");
}
