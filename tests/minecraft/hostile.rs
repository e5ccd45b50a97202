//! Clients that do not keep to the protocol.

use super::{NAME, Peer, Upstream, play, start, start_idle, wait_until};
use samara::{
    metrics::Reason,
    minecraft::{
        Rest, Text,
        packets::play::{clientbound, serverbound},
    },
};

#[test]
fn garbage_ends_its_connection_and_is_counted() {
    let (server, to) = start("");
    let handshake = b"\x10\0\xD4\x02\x09localhost\x63\xDD";
    let login = [&handshake[..], b"\x02"].concat();
    let cases: [&[u8]; 7] = [
        // A handshake cut short by its own length, with more behind it, for no state.
        b"\x06\0\xD4\x02\0\0\x01\x01",
        &[&handshake[..], b"\x03"].concat(),
        &[&handshake[..], b"\x01\x01\x07"].concat(),
        &[&login[..], b"\xFF\xFF\xFF"].concat(),
        &[&login[..], b"\0"].concat(),
        &[&login[..], b"\x02\x01\x01"].concat(),
        b"\xFE\x01\xFA\xFF\xFF\0",
    ];
    for case in cases {
        let mut client = Peer::connect(to);
        client.send_bytes(case);
        assert_eq!(client.rest(), b"", "{case:x?}");
    }
    wait_until("connections end", || server.connections() == 0);
    assert_eq!(server.drops().count(Reason::BadFrame), cases.len() as u64);
    assert_eq!(server.drops().total(), cases.len() as u64);
}

#[test]
fn a_frame_before_login_is_short() {
    let (server, to) = start("");
    let mut client = Peer::connect(to);
    client.shake_hands(340, 2);
    // 2049 bytes, of which not one has come.
    client.send_bytes(b"\x81\x10");
    assert_eq!(client.rest(), b"");
    assert_eq!(server.drops().count(Reason::BadFrame), 1);
}

#[test]
fn a_player_that_breaks_the_protocol_keeps_its_session() {
    let upstream = Upstream::start();
    let (server, to) = start_idle(&upstream, "");
    let (mut client, mut at_server) = play(&upstream, to);
    let mut bad: Vec<Vec<u8>> = vec![
        // Longer than a client's frame may be, and than any.
        vec![0x81, 0x80, 0x04, 0],
        vec![0xFF, 0xFF, 0xFF, 0xFF],
        vec![0],
        // Says to be compressed, and is too short for it; and no zlib stream.
        vec![3, 5, 1, 2],
        vec![4, 0x80, 4, 1, 2],
    ];
    let count = bad.len() as u64;
    while let Some(bytes) = bad.pop() {
        client.send_bytes(&bytes);
        client.rest();
        wait_until("the player is away", || server.connections() == 0);
        client = Peer::login(to, NAME);
        client.enter();
        client.receive_until(0x2F);
    }
    assert_eq!(server.drops().count(Reason::BadFrame), count);
    at_server.send(&clientbound::KeepAlive { id: 1 });
    at_server.receive_id(0x0B);
    assert_eq!(server.metrics().minecraft_sessions_begun.get(), 1);
}

#[test]
fn what_swells_costs_nothing() {
    let upstream = Upstream::start();
    let (_server, to) = start_idle(&upstream, "");
    let (mut client, mut at_server) = play(&upstream, to);
    // Each is two megabytes for whoever inflates it.
    let zeros = vec![0; 2_000_000];
    let bomb = client.frame(&serverbound::PluginMessage {
        channel: Text::cut("bomb"),
        data: Rest(&zeros),
    });
    assert!(bomb.len() < 4000);
    for _ in 0..20 {
        client.send_bytes(&bomb);
    }
    for _ in 0..20 {
        assert!(at_server.receive_frame().unwrap() == bomb);
    }
}

#[test]
fn a_broken_upstream_ends_its_session() {
    let upstream = Upstream::start();
    let (_server, to) = start_idle(&upstream, "");
    let (mut client, mut at_server) = play(&upstream, to);
    at_server.send_bytes(&[0xFF, 0xFF, 0xFF, 0xFF]);
    let body = client.receive_id(0x1A);
    assert!(String::from_utf8_lossy(&body).contains("broke the protocol"));
    assert_eq!(client.receive(), None);
}
