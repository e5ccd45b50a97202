//! Who is let in (kaillera.md 4.4, kaillera-server.md 6.3).

use crate::support::{Identity, Player, config, serve, wait_until};
use samara::kaillera::{
    connect::Reply,
    message::{ConnectionType, ServerMessage},
};
use std::time::Duration;

#[test]
fn a_full_server_says_so() {
    let mut config = config();
    config.rules.max_users = 2;
    let (server, address) = serve(&config);
    let mut ann = Player::log_in(address, &Identity::new("Ann"));
    let _bob = Player::log_in(address, &Identity::new("Bob"));
    let mut carl = Player::new(address, &Identity::new("Carl"));
    carl.send_raw(b"HELLO0.83\0");
    assert_eq!(carl.reply(), Reply::Full);
    carl.ping();
    assert_eq!(
        carl.try_enter().unwrap_err(),
        b"No room: the server is full."
    );
    assert_eq!(server.users(), 2);

    ann.quit(b"");
    ann.expect("Quit", |message| {
        matches!(message, ServerMessage::Quit { .. }).then_some(())
    });
    // The refused login is remembered for a moment, as a session without a user.
    wait_until("a free place", || {
        server.users() == 1 && server.sessions() == 1
    });
    let mut carl = Player::log_in(address, &Identity::new("Carl"));
    carl.echo(b"in");
}

/// Every refusal that an ordinary user can bring about; somebody called Ann is in already.
#[test]
fn refusals() {
    let mut config = config();
    config.rules.max_ping = Duration::from_millis(150);
    config.rules.allowed_connection_types.0[5] = false;
    let (server, address) = serve(&config);
    let mut ann = Player::log_in(address, &Identity::new("Ann"));
    let illegal = "Your name has characters that are not allowed.";
    let table: &[(Identity, &str)] = &[
        (
            Identity::new("Bob").connection_type(ConnectionType::Bad),
            "Connection type not allowed: Bad",
        ),
        (Identity::new(""), "Please choose a name."),
        (Identity::new("   "), "Please choose a name."),
        (Identity::new(b"\xA0 \xA0"), "Please choose a name."),
        (Identity::new("Server"), illegal),
        (Identity::new("server"), illegal),
        (Identity::new(" SERVER "), illegal),
        (Identity::new("Error"), illegal),
        (Identity::new("a|b"), illegal),
        (Identity::new("see www.x"), illegal),
        (Identity::new("HTTP://x"), illegal),
        (Identity::new("https://x"), illegal),
        (Identity::new("back\\slash"), illegal),
        (Identity::new(b"\xA0Server\xA0"), illegal),
        (Identity::new("tab\there"), illegal),
        (Identity::new("\x01bell\x07"), illegal),
        (Identity::new([b'x'; 31]), "Your name is too long."),
        (Identity::new([b'x'; 1000]), "Your name is too long."),
        (
            Identity::new("Bob").emulator([b'e'; 127]),
            "The emulator name is too long.",
        ),
        (
            Identity::new("Bob").emulator("e|mu"),
            "The emulator name has characters that are not allowed.",
        ),
        (Identity::new("ANN"), "This name is in use by Ann."),
        (Identity::new(" ann "), "This name is in use by Ann."),
    ];
    // Kept, so that none of them gets the port of one whose refusal is still remembered.
    let mut refused = Vec::new();
    for (identity, reason) in table {
        let mut player = Player::new(address, identity);
        let refusal = player.try_enter().unwrap_err();
        assert_eq!(String::from_utf8_lossy(&refusal), *reason, "{identity:?}");
        refused.push(player);
    }
    let slow = Identity::new("Bob").ack_pause(160);
    let refusal = Player::new(address, &slow).try_enter().unwrap_err();
    let text = String::from_utf8(refusal).unwrap();
    assert!(text.starts_with("Your ping is too high ("), "{text}");

    assert_eq!(server.users(), 1);
    assert_eq!(
        server.metrics().sessions_opened.get(),
        table.len() as u64 + 2
    );
    assert_eq!(
        server.metrics().logins_refused.get(),
        table.len() as u64 + 1
    );
    ann.echo(b"nobody came");
    let joined = ann
        .passed
        .iter()
        .filter(|it| matches!(it.message(), ServerMessage::UserJoined { .. }));
    assert_eq!(joined.count(), 1);
}

/// The longest that is allowed, in bytes on the wire.
#[test]
fn the_longest_names() {
    let (_server, address) = serve(&config());
    let identity = Identity::new([b'x'; 30]).emulator([b'e'; 126]);
    let mut player = Player::log_in(address, &identity);
    player.create(&[b'r'; 126]);
}

#[test]
fn only_one_user_of_an_address_where_the_rules_say_so() {
    let mut config = config();
    config.rules.allow_multiple_connections = false;
    let (_server, address) = serve(&config);
    let _ann = Player::log_in(address, &Identity::new("Ann"));
    let refusal = Player::new(address, &Identity::new("Bob")).try_enter();
    assert_eq!(refusal.unwrap_err(), b"Your address is in use by Ann.");
}

/// A refused client hears the refusal again when it repeats itself, and nothing after that.
#[test]
fn a_refusal_is_remembered_for_a_moment() {
    let (server, address) = serve(&config());
    let mut player = Player::new(address, &Identity::new("Server"));
    player.try_enter().unwrap_err();
    let before = player.bytes_in;
    player.repeat();
    wait_until("the refusal again", || {
        player.pump();
        player.bytes_in > before
    });
    wait_until("oblivion", || server.sessions() == 0);
}

#[test]
fn the_same_name_and_address_on_a_new_port_replaces_the_old_user() {
    let (server, address) = serve(&config());
    let mut observer = Player::log_in(address, &Identity::new("Observer"));
    let mut old = Player::log_in(address, &Identity::new("Ann"));
    let game = old.create(b"Game");
    let new = Player::log_in(address, &Identity::new("Ann"));
    assert_ne!(new.id, old.id);
    let left = ServerMessage::Quit {
        name: b"Ann",
        id: old.id,
        message: b"Came back on a new connection",
    };
    old.expect_message(&left);
    observer.expect_message(&ServerMessage::CloseGame { game });
    observer.expect_message(&left);
    observer.expect("the new user", |message| match *message {
        ServerMessage::UserJoined { name, id, .. } if name == b"Ann" => {
            assert_eq!(id, new.id);
            Some(())
        }
        _ => None,
    });
    wait_until("two users", || {
        server.users() == 2 && server.sessions() == 2
    });
}
