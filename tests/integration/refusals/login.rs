//! Who is not let in (6.3).
//!
//! Not to be reached over a socket: a login of one who is logged in (row 1) is a duplicate, or
//! starts over (`connect::a_duplicate_of_the_login_changes_nothing`,
//! `connect::a_login_after_hello_starts_over`); an expired session (row 2) is forgotten before it
//! can ask (`limits::a_login_that_is_not_finished_is_forgotten`); a ping (row 6) is a difference of
//! times that cannot be negative; a session has one state at a time (row 14), and its address is
//! its identity (row 15).

use super::*;
use crate::support::{serve, wait_until};
use samara::kaillera::{connect::Reply, message::ConnectionType};

/// Tries to log in; the refusal is a message of this name, number and text, and the only answer.
#[track_caller]
fn assert_refused(player: &mut Player, id: u16, text: &str) {
    player.introduce();
    let pause = player.identity.ack_pause;
    for _ in 0..4 {
        player.expect_message(&ServerMessage::ServerAck);
        std::thread::sleep(pause);
        player.send(&ClientMessage::ClientAck);
    }
    let answer = player.expect("a refusal", |message| match *message {
        ServerMessage::ConnectionRejected { name, id, reason } => {
            let reason = String::from_utf8_lossy(reason).into_owned();
            Some((name.to_vec(), id.0, reason))
        }
        ServerMessage::UserJoined { .. } => panic!("let in, not told: {text}"),
        _ => None,
    });
    let who = player.to_string();
    if text.ends_with("...") {
        assert!(
            answer.2.starts_with(text.trim_end_matches("...")),
            "{who}: {}",
            answer.2
        );
        assert_eq!(
            (answer.0.as_slice(), answer.1),
            (&b"server"[..], id),
            "{who}"
        );
    } else {
        assert_eq!(answer, (b"server".to_vec(), id, text.to_owned()), "{who}");
    }
    assert_eq!(player.passed.len(), 5, "four acks, and this");
}

/// Somebody whom each row but those before refuses: the first failure wins.
#[test]
fn the_first_failure_wins() {
    let mut config = staffed();
    config.rules.max_ping = Duration::from_millis(900);
    config.rules.allowed_connection_types.0[5] = false;
    config.rules.allow_multiple_connections = false;
    config.rules.max_users = 1;
    let (server, address) = serve(&config);
    let _ann = user(NORMAL, address, "ann");
    let illegal = "Your name has characters that are not allowed.";
    let long = "x".repeat(31);
    let cheat = format!("Cheat|{}", "e".repeat(122));
    let bad = ConnectionType::Bad;
    let slow = Identity::new(" \t")
        .emulator(&cheat)
        .connection_type(bad)
        .ack_pause(1000);
    let table = [
        (4, slow.clone(), "Your ping is too high (..."),
        (5, slow.ack_pause(0), "Connection type not allowed: Bad"),
        (
            7,
            Identity::new(" ".repeat(40)).emulator(&cheat),
            "Please choose a name.",
        ),
        (
            8,
            Identity::new(format!("a|\twww.{long}")).emulator(&cheat),
            illegal,
        ),
        (8, Identity::new("Server").emulator(&cheat), illegal),
        (
            9,
            Identity::new(format!("\twww.{long}")).emulator(&cheat),
            illegal,
        ),
        (
            10,
            Identity::new(format!("a\tb{long}")).emulator(&cheat),
            "Your name is too long.",
        ),
        (
            11,
            Identity::new("ann\t").emulator(&cheat),
            "The emulator name is too long.",
        ),
        (
            12,
            Identity::new("ann\t").emulator("Cheat|"),
            "The emulator name has characters that are not allowed.",
        ),
        (13, Identity::new("ann\t").emulator("Cheat"), illegal),
        (
            16,
            Identity::new("Ann").emulator("Cheat"),
            "This emulator is not allowed: Cheat",
        ),
        (17, Identity::new("Ann"), "This name is in use by ann."),
        (17, Identity::new("Bob"), "Your address is in use by ann."),
    ];
    // Kept, so that none of them gets the port of one whose refusal is still remembered.
    let mut refused = Vec::new();
    for (row, identity, text) in table {
        let mut player = stranger(NORMAL, address, &identity);
        assert_refused(&mut player, 2, text);
        refused.push((row, player));
    }
    let mut carl = stranger(2, address, &Identity::new("Carl"));
    carl.send_raw(b"HELLO0.83\0");
    assert_eq!(carl.reply(), Reply::Full);
    assert_refused(&mut carl, 2, "No room: the server is full.");
    assert_eq!(server.users(), 1);
    wait_until("all are forgotten", || server.sessions() == 1);
}

/// What a user's level lets it do all the same, and what nobody may.
#[test]
fn levels_are_spared_what_is_for_normal_users_only() {
    let mut config = staffed();
    config.rules.max_ping = Duration::from_millis(20);
    config.rules.allowed_connection_types.0[5] = false;
    config.rules.allow_multiple_connections = false;
    config.rules.max_client_name_length = 10;
    config.rules.max_users = 1;
    let (_server, address) = serve(&config);
    let illegal = "Your name has characters that are not allowed.";
    let table = [
        (4, Identity::new("slow").ack_pause(30), None),
        (
            5,
            Identity::new("type").connection_type(ConnectionType::Bad),
            None,
        ),
        (7, Identity::new("  "), Some("Please choose a name.")),
        (8, Identity::new("server"), Some(illegal)),
        (8, Identity::new("a|b"), Some(illegal)),
        (9, Identity::new("www.a"), None),
        (9, Identity::new("a\\b"), None),
        (
            10,
            Identity::new("x".repeat(31)),
            Some("Your name is too long."),
        ),
        (11, Identity::new("long").emulator("e".repeat(11)), None),
        (
            12,
            Identity::new("bar").emulator("a|b"),
            Some("The emulator name has characters that are not allowed."),
        ),
        (13, Identity::new("a\tb"), None),
        (16, Identity::new("cheat").emulator("Cheat"), None),
        (
            17,
            Identity::new(" SLOW"),
            Some("This name is in use by slow."),
        ),
        (17, Identity::new("another"), None),
    ];
    let mut players = Vec::new();
    let mut next = 1;
    for (row, identity, refusal) in table {
        let mut player = stranger(ELEVATED, address, &identity);
        match refusal {
            Some(text) => assert_refused(&mut player, next, text),
            None => {
                player.enter();
                assert_eq!(player.id.0, next, "row {row}");
                next += 1;
            }
        }
        players.push(player);
    }
}

/// Banned between its first word and its last ack (row 3): before that it would get no session,
/// after that it would be sent away.
#[test]
fn an_address_banned_during_its_login_is_refused() {
    let (server, address) = serve(&staffed());
    let mut admin = user(ADMIN, address, "Duty");
    let mut bob = user(20, address, "Bob");
    let mut late = stranger(
        20,
        address,
        &Identity::new("").connection_type(ConnectionType::Bad),
    );
    late.introduce();
    late.expect_message(&ServerMessage::ServerAck);
    admin.chat(format!("/ban {} 5", bob.id.0).as_bytes());
    bob.expect_message(&ServerMessage::Quit {
        name: b"Bob",
        id: bob.id,
        message: b"Banned",
    });
    for _ in 0..4 {
        late.send(&ClientMessage::ClientAck);
    }
    let reason = late.expect("a refusal", |message| match *message {
        ServerMessage::ConnectionRejected { reason, .. } => Some(reason.to_vec()),
        _ => None,
    });
    assert_eq!(reason, b"You may not use this server.");
    wait_until("only the admin is left", || {
        server.users() == 1 && server.sessions() == 1
    });
}

/// Exactly the same name from the same address (row 17a) is the same user, even where an address
/// may have only one and the server is full.
#[test]
fn the_same_user_again_is_not_refused() {
    let mut config = staffed();
    config.rules.allow_multiple_connections = false;
    config.rules.max_users = 1;
    let (server, address) = serve(&config);
    let mut old = user(NORMAL, address, "Ann");
    user(NORMAL, address, "Ann");
    old.expect_message(&ServerMessage::Quit {
        name: b"Ann",
        id: old.id,
        message: b"Came back on a new connection",
    });
    assert_eq!(server.users(), 1);
    // From elsewhere it is somebody else.
    assert_refused(
        &mut stranger(2, address, &Identity::new("Ann")),
        3,
        "This name is in use by Ann.",
    );
}

/// What a client asks for before its login is done gets no answer at all.
#[test]
fn nothing_is_answered_before_the_login() {
    let (server, address) = serve(&staffed());
    let mut ann = user(NORMAL, address, "Ann");
    let game = ann.create(b"Game");
    let mut half = stranger(NORMAL, address, &Identity::new("Half"));
    half.introduce();
    half.expect_message(&ServerMessage::ServerAck);
    for message in [
        ClientMessage::CreateGame { rom: b"Game" },
        ClientMessage::JoinGame { game },
        ClientMessage::Chat { text: b"hello" },
        ClientMessage::GameChat { text: b"hello" },
        ClientMessage::StartGame,
        ClientMessage::GameKick { user: ann.id },
        ClientMessage::AllReady,
        ClientMessage::PlayerDrop,
        ClientMessage::QuitGame,
        ClientMessage::GameData { input: b"xx" },
        ClientMessage::KeepAlive,
    ] {
        half.send(&message);
    }
    half.send(&ClientMessage::ClientAck);
    half.expect_message(&ServerMessage::ServerAck);
    // An ack each for its name and its ack, and nothing between; those may have come again.
    let acks = |it: &Received| it.message() == ServerMessage::ServerAck;
    assert!(half.passed.iter().all(acks), "{:?}", half.passed);
    assert!(answers(&mut ann, |_| {}).is_empty());
    assert_eq!(server.users(), 1);
}
