//! Players who play, leave, and come back.

use super::{NAME, Peer, Upstream, play, start_idle, wait_until};
use samara::minecraft::{
    Bytes, Json, List, LongText, Packet, Position, Rest, Text, VarInt,
    packets::play::{
        clientbound::{self, BlockChange, Chat, ChunkData, PositionLook, TimeUpdate},
        serverbound::{self, PlayerPosition, TeleportConfirm},
    },
};
use std::net::SocketAddr;

fn column(x: i32, z: i32, data: &[u8]) -> ChunkData<'_> {
    ChunkData {
        x,
        z,
        ground_up: true,
        sections: VarInt(1),
        data: Bytes(data),
        block_entities: List::of(&[]),
    }
}

fn noise(len: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    std::iter::repeat_with(next).take(len).collect()
}

fn say(client: &mut Peer, text: &str) {
    client.send(&serverbound::Chat {
        message: Text::cut(text),
    });
}

/// Answers to keep-alives come whatever else is there.
fn is_alive(server: &mut Peer, id: i64) {
    server.send(&clientbound::KeepAlive { id });
    let body = server.receive_id(0x0B);
    assert_eq!(serverbound::KeepAlive::decode(&body).unwrap().id, id);
}

fn leaves_and_returns(threshold: Option<i32>, step: usize) {
    let mut upstream = Upstream::start();
    upstream.threshold = threshold;
    let (server, to) = start_idle(&upstream, "");
    let (mut client, mut at_server) = play(&upstream, to);
    (client.step, at_server.step) = (step, step);
    assert_eq!(client.framing.threshold(), threshold.map(|it| it as usize));
    client.send(&TeleportConfirm {
        teleport_id: VarInt(1),
    });
    assert_eq!(at_server.receive().unwrap(), [0, 1]);

    // Frames are passed on as they are, in both directions.
    let ground = at_server.frame(&column(0, 0, &noise(5000)));
    at_server.send_bytes(&ground);
    assert_eq!(client.receive_frame().unwrap(), ground);
    for n in 0..20 {
        let text = format!("hello {n}").repeat(n);
        let message = text.get(..text.len().min(200)).unwrap();
        say(&mut client, message);
        let body = at_server.receive().unwrap();
        let heard = serverbound::Chat::decode(&body).unwrap();
        assert_eq!(heard.message.as_str(), message);
    }
    client.send(&PlayerPosition {
        x: 9.25,
        y: 5.0,
        z: -3.5,
        on_ground: true,
    });
    at_server.receive_id(0x0D);
    is_alive(&mut at_server, 77);

    // Away: the server is answered, and the world changes.
    client.close();
    wait_until("the player is away", || server.connections() == 0);
    for id in 0..5 {
        is_alive(&mut at_server, id);
    }
    at_server.receive_id(0x0C);
    at_server.send(&BlockChange {
        location: Position { x: 1, y: 2, z: 3 },
        state: VarInt(33),
    });
    at_server.send(&TimeUpdate { age: 5, time: 6 });
    is_alive(&mut at_server, 5);

    let mut client = Peer::login_slowly(to, NAME, step);
    client.enter();
    let mut world = Vec::new();
    let mut has_column = false;
    while world.last().is_none_or(|body: &Vec<u8>| body[0] != 0x2F) {
        let frame = client.receive_frame().unwrap();
        has_column |= frame == ground;
        world.push(client.body(&frame));
    }
    assert!(has_column);
    let ids: Vec<u8> = world.iter().map(|body| body[0]).collect();
    assert_eq!(ids, [0x23, 0x46, 0x47, 0x20, 0x10, 0x1E, 0x2F]);
    let place = PositionLook::decode(world.last().unwrap()).unwrap();
    assert_eq!((place.x, place.y, place.z), (9.25, 5.0, -3.5));
    // Its confirmation is for us.
    client.send(&TeleportConfirm {
        teleport_id: place.teleport_id,
    });
    say(&mut client, "back");
    let bodies = at_server.receive_until(2);
    assert!(bodies.iter().all(|body| body[0] != 0));
    at_server.send(&Chat {
        message: Json::cut("\"hello again\""),
        position: 0,
    });
    assert_eq!(client.receive().unwrap()[0], 0x0F);
    assert_eq!(server.metrics().minecraft_sessions_begun.get(), 1);
    assert_eq!(server.metrics().minecraft_attached.get(), 2);
    assert_eq!(server.metrics().minecraft_not_kept.get(), 0);
}

#[test]
fn a_player_leaves_and_returns() {
    leaves_and_returns(Some(256), usize::MAX);
}

#[test]
fn frames_need_not_be_compressed() {
    leaves_and_returns(None, usize::MAX);
}

#[test]
fn all_frames_may_be_compressed() {
    leaves_and_returns(Some(0), usize::MAX);
}

#[test]
fn bytes_may_come_one_by_one() {
    leaves_and_returns(Some(64), 1);
}

#[test]
fn bytes_may_come_in_odd_pieces() {
    leaves_and_returns(Some(256), 7);
}

#[test]
fn the_longest_frames_pass() {
    for threshold in [Some(256), None] {
        let mut upstream = Upstream::start();
        upstream.threshold = threshold;
        let (_server, to) = start_idle(&upstream, "");
        let (mut client, mut at_server) = play(&upstream, to);
        let data = noise(1_048_570);
        for len in [60_000, 70_000, 140_000, 1_048_570] {
            let frame = at_server.frame(&clientbound::PluginMessage {
                channel: Text::cut("long"),
                data: Rest(&data[..len]),
            });
            at_server.send_bytes(&frame);
            assert!(client.receive_frame().unwrap() == frame);
        }
        // Two megabytes: several long texts in one list.
        let text = "x".repeat(32_000);
        let texts = vec![LongText::new(&text).unwrap(); 65];
        let list = clientbound::TabComplete {
            matches: List::of(&texts),
        };
        if threshold.is_none() {
            let frame = at_server.frame(&list);
            assert!(frame.len() > 2_000_000);
            at_server.send_bytes(&frame);
            assert!(client.receive_frame().unwrap() == frame);
        }
        is_alive(&mut at_server, 3);
    }
}

#[test]
fn a_killed_upstream_is_told_of() {
    let upstream = Upstream::start();
    let (server, to) = start_idle(&upstream, "");
    // While the player is there.
    let (mut client, at_server) = play(&upstream, to);
    at_server.close();
    let body = client.receive_id(0x1A);
    let reason = clientbound::Disconnect::decode(&body).unwrap();
    assert!(reason.reason.as_str().contains("ended the connection"));
    assert_eq!(client.receive(), None);
    wait_until("sessions end", || server.connections() == 0);

    // The server's own words.
    let (mut client, mut at_server) = again(&upstream, to);
    let kicked = clientbound::Disconnect {
        reason: Json::cut("\"kicked\""),
    };
    let frame = at_server.frame(&kicked);
    at_server.send_bytes(&frame);
    assert_eq!(client.receive_frame().unwrap(), frame);
    assert_eq!(client.receive(), None);

    // While it is away: the next login is told, the one after begins anew.
    let (client, mut at_server) = again(&upstream, to);
    client.close();
    wait_until("the player is away", || server.connections() == 0);
    at_server.send(&kicked);
    at_server.rest();
    assert_eq!(Peer::login(to, NAME).reason(), "\"kicked\"");
    let _both = again(&upstream, to);
    assert_eq!(server.metrics().minecraft_failures.get(), 3);
}

/// A new session, as soon as its player is not told of the last one's end any more.
fn again(upstream: &Upstream, to: SocketAddr) -> (Peer, Peer) {
    let mut found = None;
    wait_until("a new session", || {
        let mut client = Peer::login(to, NAME);
        while !client.hears() {
            if let Some(mut at_server) = upstream.try_accept() {
                at_server.let_in(upstream.threshold);
                client.enter();
                client.receive_until(0x2F);
                found = Some((client, at_server));
                return true;
            }
        }
        false
    });
    found.unwrap()
}

#[test]
fn a_slow_reader_loses_its_connection_and_not_its_session() {
    let upstream = Upstream::start();
    let (server, to) = start_idle(&upstream, "live_bytes = 2097154");
    let (mut client, mut at_server) = play(&upstream, to);
    let data = noise(30_000);
    let mut sent = 0_u64;
    while server.connections() > 0 {
        at_server.send(&clientbound::PluginMessage {
            channel: Text::cut("flood"),
            data: Rest(&data),
        });
        sent += 30_000;
        assert!(sent < 100_000_000, "the client may have any amount");
        if sent.is_multiple_of(300_000) {
            is_alive(&mut at_server, sent as i64);
        }
    }
    assert_eq!(server.drops().count(samara::metrics::Reason::SlowReader), 1);
    is_alive(&mut at_server, 1);
    client.rest();
    let mut client = Peer::login(to, NAME);
    client.enter();
    client.receive_until(0x2F);
}

#[test]
fn a_slow_reader_that_catches_up_misses_nothing() {
    let upstream = Upstream::start();
    let (server, to) = start_idle(&upstream, "live_bytes = 67108864");
    let (mut client, mut at_server) = play(&upstream, to);
    let mut frames = Vec::new();
    let data = noise(40_000);
    for n in 0..500_usize {
        let frame = at_server.frame(&clientbound::PluginMessage {
            channel: Text::cut("flood"),
            data: Rest(&data[n..40_000 - n]),
        });
        at_server.send_bytes(&frame);
        frames.push(frame);
    }
    is_alive(&mut at_server, 1);
    for frame in &frames {
        assert!(client.receive_frame().unwrap() == *frame);
    }
    // And what comes after is passed on at once again.
    at_server.send_bytes(&frames[0]);
    assert!(client.receive_frame().unwrap() == frames[0]);
    assert_eq!(server.drops().total(), 0);
}

#[test]
fn a_server_that_stops_says_so() {
    let upstream = Upstream::start();
    let (server, to) = start_idle(&upstream, "");
    let (mut client, mut at_server) = play(&upstream, to);
    server.stop();
    let body = client.receive_id(0x1A);
    let reason = clientbound::Disconnect::decode(&body).unwrap();
    assert!(reason.reason.as_str().contains("stops"));
    assert_eq!(client.receive(), None);
    at_server.rest();
}
