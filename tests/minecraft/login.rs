//! Who is let in, and what the others are told.

use super::{NAME, Peer, Upstream, start, start_idle, start_with, wait_until};
use samara::{
    metrics::Reason,
    minecraft::{
        Bytes, Text,
        packets::login::{EncryptionRequest, LoginStart},
    },
};
use std::net::{Ipv4Addr, TcpListener};

#[test]
fn without_an_upstream_there_is_no_world() {
    let (server, to) = start("");
    for step in [usize::MAX, 1] {
        let reason = Peer::login_slowly(to, NAME, step).reason();
        assert!(reason.contains("There is no world here"), "{reason}");
    }
    let mut old = Peer::connect(to);
    old.shake_hands(47, 2);
    old.send(&LoginStart {
        username: Text::cut(NAME),
    });
    assert_eq!(
        old.reason(),
        r#"{"text":"This server is for Minecraft 1.12.2."}"#
    );
    assert!(Peer::login(to, "no name").reason().contains("1 to 16"));
    wait_until("connections end", || server.connections() == 0);
    assert_eq!(server.metrics().minecraft_refused.get(), 4);
}

#[test]
fn who_is_not_on_the_list_stays_outside() {
    let upstream = Upstream::start();
    let (server, to) = start_idle(&upstream, "");
    let reason = Peer::login(to, "Stranger").reason();
    assert!(reason.contains("not on the list"), "{reason}");
    let (strict, to) = start_idle(&upstream, "clients = [\"10.0.0.0/8\"]");
    assert_eq!(Peer::login(to, NAME).reason(), reason);
    for server in [server, strict] {
        assert_eq!(server.drops().count(Reason::NotInvited), 1);
    }
}

#[test]
fn an_upstream_says_why_it_refuses() {
    let upstream = Upstream::start();
    let (_server, to) = start_idle(&upstream, "");
    let mut client = Peer::login(to, NAME);
    upstream.accept().refuse("{\"text\":\"full\"}");
    assert_eq!(client.reason(), "{\"text\":\"full\"}");
    // For a moment it is not asked again.
    assert_eq!(Peer::login(to, NAME).reason(), "{\"text\":\"full\"}");
}

#[test]
fn an_upstream_in_online_mode_cannot_be_used() {
    let upstream = Upstream::start();
    let (_server, to) = start_idle(&upstream, "reconnect = true");
    let mut client = Peer::login(to, NAME);
    upstream.accept().send(&EncryptionRequest {
        server_id: Text::cut(""),
        public_key: Bytes(&[7; 162]),
        verify_token: Bytes(&[1, 2, 3, 4]),
    });
    let reason = client.reason();
    assert!(
        reason.contains("wants an authenticated account (online mode)"),
        "{reason}"
    );
}

#[test]
fn an_upstream_that_is_not_there_is_named() {
    let nobody = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let mut upstream = Upstream::start();
    upstream.address = nobody.local_addr().unwrap();
    drop(nobody);
    let (_server, to) = start_idle(&upstream, "");
    let reason = Peer::login(to, NAME).reason();
    assert!(
        reason.contains("cannot be reached: connection refused"),
        "{reason}"
    );

    let upstream = Upstream::start();
    let (server, to) = start_idle(&upstream, "");
    let mut client = Peer::login(to, NAME);
    upstream.accept().close();
    assert!(client.reason().contains("ended the connection"));
    let mut client = Peer::login(to, NAME);
    assert!(client.reason().contains("ended the connection"));
    assert_eq!(server.metrics().minecraft_failures.get(), 1);
}

#[test]
fn an_upstream_may_speak_something_else() {
    let upstream = Upstream::start();
    let (_server, to) = start_idle(&upstream, "");
    let mut client = Peer::login(to, NAME);
    upstream.accept().send_bytes(
        b"HTTP/1.1 400 Bad Request\r\n\r\nWhat is this? What is it for?\
        HTTP/1.1 400 Bad Request\r\n\r\nWhat is this? What is it for?",
    );
    let reason = client.reason();
    assert!(reason.contains("does not speak as 1.12.2 does"), "{reason}");
}

#[test]
fn a_session_has_one_player_at_a_time() {
    let upstream = Upstream::start();
    let (_server, to) = start_idle(&upstream, "");
    let mut first = Peer::login(to, NAME);
    let mut server = upstream.accept();
    // The first one waits, the second one does not.
    assert!(Peer::login(to, NAME).reason().contains("already attached"));
    server.let_in(Some(256));
    first.enter();
    assert!(Peer::login(to, NAME).reason().contains("already attached"));
    first.close();
    let again = || {
        let mut client = Peer::login(to, NAME);
        let body = client.receive().unwrap();
        body[0] == 3
    };
    wait_until("the session is free", again);
}

#[test]
fn nobody_connects_for_a_player_who_has_gone() {
    let upstream = Upstream::start();
    let (server, to) = start_idle(&upstream, "");
    let client = Peer::login(to, NAME);
    let mut at_server = upstream.accept();
    client.close();
    assert_eq!(at_server.receive(), None);
    wait_until("connections end", || server.connections() == 0);
}

#[test]
fn sessions_are_found_from_every_loop() {
    let upstream = Upstream::start();
    let names = ["Anna", "Bert", "Cora", "Dora"];
    let keys = format!(
        "upstream = \"{}\"\nplayers = {names:?}\nsessions = 3",
        upstream.address
    );
    let (server, to) = start_with("loops = 3", &keys);
    let mut kept = Vec::new();
    for name in &names[..3] {
        let client = Peer::login(to, name);
        let mut at_server = upstream.accept();
        at_server.let_in(None);
        kept.push(at_server);
        client.close();
    }
    assert!(
        Peer::login(to, names[3])
            .reason()
            .contains("as many sessions")
    );
    for _ in 0..8 {
        for name in &names[..3] {
            let is_back = || {
                let mut client = Peer::login(to, name);
                let body = client.receive().unwrap();
                // Until its last connection has been seen to end, it is told to wait.
                body[0] == 2 && !client.receive_until(0x2F).is_empty()
            };
            wait_until("the player is back", is_back);
        }
    }
    assert_eq!(server.metrics().minecraft_sessions_begun.get(), 3);
    wait_until("clients end", || server.connections() == 0);
}
