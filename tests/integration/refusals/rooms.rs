//! Rooms that are not opened, and rooms that are not entered (8.1, 8.2).

use super::*;
use crate::support::serve;
use samara::kaillera::message::{ConnectionType, GameId};

/// Asks for a room; the answer is a line, and what closes the window if the user has no room.
#[track_caller]
fn assert_not_opened(player: &mut Player, rom: &[u8], in_room: bool, text: &str) {
    let answers = answers(player, |it| it.send(&ClientMessage::CreateGame { rom }));
    let line = format!("Room not created: {text}");
    let thrown_out = thrown_out(player);
    let expected = [information(&line), thrown_out.message()];
    let expected = if in_room { &expected[..1] } else { &expected };
    assert_answers(&answers, expected, text);
}

const LONG: &str = "the game name is too long";
const ILLEGAL: &str = "the game name has characters that are not allowed";

#[test]
fn rooms_are_refused_in_order() {
    // Each of these is more than one row refuses; what is switched on is below.
    let long = [&b"Barred|\x1F"[..], &[b'x'; 127]].concat();
    let bar = b"Barred|\x1F";
    let control = b"Barred\x1F";
    let blank = b" ";
    let barred = b"Barred game";
    let flood = "please wait a moment.";
    let many = "the server allows 1 rooms at most";
    for (flood_control, max_games, table) in [
        (
            true,
            1,
            [
                (&long[..], LONG),
                (bar, ILLEGAL),
                (control, flood),
                (blank, flood),
            ],
        ),
        (
            false,
            1,
            [
                (&long, LONG),
                (bar, ILLEGAL),
                (control, many),
                (blank, many),
            ],
        ),
        (
            false,
            0,
            [
                (&long, LONG),
                (bar, ILLEGAL),
                (control, ILLEGAL),
                (barred, NOT_HERE),
            ],
        ),
        (
            false,
            0,
            [
                (blank, NO_NAME),
                (b"", NO_NAME),
                (b"\t", ILLEGAL),
                (b"barred", NOT_HERE),
            ],
        ),
    ] {
        let mut config = staffed();
        config.rules.max_games = max_games;
        if flood_control {
            config.rules.create_game_flood = Duration::from_secs(3600);
        }
        let (_server, address) = serve(&config);
        let mut ann = user(NORMAL, address, "Ann");
        let mut bob = user(2, address, "Bob");
        // The first room is never too soon.
        bob.create(b"Game");
        bob.quit_game();
        bob.expect("its end", |message| {
            matches!(message, ServerMessage::QuitGame { .. }).then_some(())
        });
        ann.create(b"Game");
        for (rom, text) in table {
            assert_not_opened(&mut bob, rom, false, text);
        }
        // In a room that is what comes first, and while the user plays, that.
        for (rom, _) in table {
            assert_not_opened(&mut ann, rom, true, "leave your room first");
        }
        ann.start();
        ann.await_start();
        for (rom, _) in table {
            assert_not_opened(&mut ann, rom, true, "a game of yours is still running");
        }
    }
}

const NO_NAME: &str = "the game has no name";
const NOT_HERE: &str = "this game is not allowed here";

/// The length and the vertical bar are for everybody; the others for ordinary users.
#[test]
fn levels_open_rooms_that_others_may_not() {
    let mut config = staffed();
    config.rules.create_game_flood = Duration::from_secs(3600);
    config.rules.max_games = 1;
    let (_server, address) = serve(&config);
    let mut ann = user(NORMAL, address, "Ann");
    ann.create(b"Game");
    let mut eve = user(ELEVATED, address, "Eve");
    assert_not_opened(&mut eve, &[b'x'; 127], false, LONG);
    assert_not_opened(&mut eve, b"a|b", false, ILLEGAL);
    for rom in [&b"Barred"[..], b"a\x1Fb", &[b'x'; 126]] {
        eve.create(rom);
        eve.quit_game();
        eve.expect("its end", |message| {
            matches!(message, ServerMessage::QuitGame { .. }).then_some(())
        });
    }
}

/// What is said when a room opens, to its owner and to another, in order.
#[test]
fn a_room_opens_in_order() {
    let mut config = staffed();
    config.rules.room_welcome = vec!["Welcome to the room".to_owned()];
    let (_server, address) = serve(&config);
    let mut ann = user(NORMAL, address, "Ann");
    let mut bob = user(2, address, "Bob");
    ann.echo(b"now");
    let seen = answers(&mut ann, |it| {
        it.send(&ClientMessage::CreateGame { rom: b"*Chat" })
    });
    let created = ServerMessage::CreateGame {
        owner: b"Ann",
        rom: b"*Chat",
        emulator: b"EMU 1.0",
        game: GameId(1),
    };
    let seen: Vec<_> = seen.iter().map(Received::message).collect();
    assert_eq!(seen.len(), 6, "{seen:?}");
    assert_eq!(seen[0], created);
    assert!(matches!(
        seen[1],
        ServerMessage::GameStatus {
            players: 1,
            capacity: 8,
            ..
        }
    ));
    assert!(matches!(
        seen[2],
        ServerMessage::PlayerInformation { players: 0, .. }
    ));
    assert!(matches!(
        seen[3],
        ServerMessage::JoinGame { name: b"Ann", .. }
    ));
    assert_eq!(seen[4], information("Ann opened a room: *Chat"));
    assert_eq!(seen[5], notice("Welcome to the room"));
    bob.expect_message(&created);
    bob.expect_message(&information("Ann opened a room: *Chat"));
    // In a room to talk in nobody's emulator matters.
    let emulator = Identity::new("Carl").emulator("EMU 2");
    let mut carl = stranger(3, address, &emulator);
    carl.enter();
    let seen = answers(&mut carl, |it| {
        it.send(&ClientMessage::JoinGame { game: GameId(1) })
    });
    let seen: Vec<_> = seen.iter().map(Received::message).collect();
    assert_eq!(seen.len(), 4, "{seen:?}");
    assert!(matches!(
        seen[0],
        ServerMessage::GameStatus {
            players: 2,
            capacity: 8,
            ..
        }
    ));
    assert!(matches!(
        seen[1],
        ServerMessage::PlayerInformation { players: 1, .. }
    ));
    assert!(matches!(
        seen[2],
        ServerMessage::JoinGame { name: b"Carl", .. }
    ));
    assert_eq!(seen[3], notice("Welcome to the room"));
}

/// Wants to join; the answer is a line, and what closes the window if the user has no room.
#[track_caller]
fn assert_kept_out(player: &mut Player, game: GameId, in_room: bool, text: &str) {
    let answers = answers(player, |it| it.send(&ClientMessage::JoinGame { game }));
    let line = format!("You cannot join: {text}");
    let thrown_out = thrown_out(player);
    let expected = [information(&line), thrown_out.message()];
    let expected = if in_room { &expected[..1] } else { &expected };
    assert_answers(&answers, expected, text);
}

fn joins_and_leaves(player: &mut Player, game: GameId) {
    player.join(game);
    player.quit_game();
    let left = thrown_out(player);
    player.expect_message(&left.message());
}

fn commands(owner: &mut Player, line: &str, answer: &str) {
    owner.game_chat(line.as_bytes());
    owner.expect_message(&notice(answer));
}

/// All rows hold at once; then the owner takes one back after the other.
#[test]
fn joins_are_refused_in_order() {
    let (_server, address) = serve(&staffed());
    let mut ann = user(NORMAL, address, "Ann");
    let game = ann.create(b"Game");
    let other = Identity::new("Bob")
        .emulator("EMU 2")
        .connection_type(ConnectionType::Good);
    let mut bob = stranger(2, address, &other.clone().ack_pause(8));
    bob.enter();
    let other = Identity {
        name: b"Dave".to_vec(),
        ..other
    };
    let mut dave = stranger(4, address, &other);
    dave.enter();
    assert_kept_out(&mut bob, GameId(77), false, "this room is gone");
    for _ in 0..4 {
        joins_and_leaves(&mut bob, game);
    }
    for (line, answer) in [
        ("/maxusers 1", "The room takes 1 members."),
        ("/maxping 1", "The room takes pings up to 1 ms."),
        ("/setemu", "The room takes only the emulator EMU 1.0."),
        ("/setconn", "The room takes only the connection type LAN."),
        ("/password x", "The room asks for a password now."),
    ] {
        commands(&mut ann, line, answer);
    }
    ann.start();
    ann.await_start();
    // The fifth in a row is one too many, and the address is on the list from then on.
    assert_kept_out(&mut bob, game, false, "you joined this room too often");
    joins_and_leaves(&mut user(ELEVATED, address, "Eve"), game);
    assert_kept_out(&mut bob, game, false, "this room is full");
    commands(&mut ann, "/maxusers 8", "The room takes 8 members.");
    assert_kept_out(&mut bob, game, false, "your ping is too high for this room");
    commands(
        &mut ann,
        "/maxping 1000",
        "The room takes pings up to 1000 ms.",
    );
    let emulator = "this room takes only the emulator EMU 1.0";
    assert_kept_out(&mut bob, game, false, emulator);
    commands(&mut ann, "/setemu any", "The room takes any emulator.");
    let connection_type = "this room takes only the connection type LAN";
    assert_kept_out(&mut bob, game, false, connection_type);
    commands(
        &mut ann,
        "/setconn any",
        "The room takes any connection type.",
    );
    assert_kept_out(&mut bob, game, false, "you were removed from this room");
    let password = "this room asks for a password; type /password <...> first";
    assert_kept_out(&mut dave, game, false, password);
    commands(
        &mut ann,
        "/password off",
        "The room asks for no password any more.",
    );
    assert_kept_out(&mut dave, game, false, "the game has started");
    // Members come first, whatever else would refuse them.
    assert_kept_out(&mut ann, game, true, "you are in this room already");
    let second = dave.create(b"Other");
    assert_kept_out(&mut ann, second, true, "leave your room first");
    assert_kept_out(&mut ann, GameId(77), true, "leave your room first");
}

/// Which rows hold for whom.
#[test]
fn levels_enter_rooms_that_others_may_not() {
    let (_server, address) = serve(&staffed());
    let mut ann = user(NORMAL, address, "Ann");
    let game = ann.create(b"Game");
    let other = |name| {
        Identity::new(name)
            .emulator("EMU 2")
            .connection_type(ConnectionType::Bad)
    };
    let mut eve = stranger(ELEVATED, address, &other("Eve").ack_pause(8));
    eve.enter();
    let mut duty = stranger(ADMIN, address, &other("Duty").ack_pause(8));
    duty.enter();
    for player in [&mut eve, &mut duty] {
        player.join(game);
        ann.send(&ClientMessage::GameKick { user: player.id });
    }
    let gone = thrown_out(&eve);
    eve.expect_message(&gone.message());
    assert_kept_out(&mut eve, game, false, "you were removed from this room");
    let answers = answers(&mut ann, |it| {
        it.send(&ClientMessage::GameKick { user: duty.id })
    });
    assert_answers(&answers, &[], "an admin is not removed, and nobody is told");
    duty.quit_game();
    let gone = thrown_out(&duty);
    duty.expect_message(&gone.message());
    for (line, answer) in [
        ("/maxusers 1", "The room takes 1 members."),
        ("/maxping 1", "The room takes pings up to 1 ms."),
        ("/setemu", "The room takes only the emulator EMU 1.0."),
        ("/setconn", "The room takes only the connection type LAN."),
        ("/password x", "The room asks for a password now."),
    ] {
        commands(&mut ann, line, answer);
    }
    ann.start();
    ann.await_start();
    for _ in 0..6 {
        joins_and_leaves(&mut duty, game);
    }
    joins_and_leaves(&mut user(SUPERADMIN, address, "Root"), game);
}

/// Others between two joins of one address begin the count anew.
#[test]
fn joins_of_others_in_between_are_no_spam() {
    let (_server, address) = serve(&staffed());
    let mut ann = user(NORMAL, address, "Ann");
    let game = ann.create(b"Game");
    let mut bob = user(2, address, "Bob");
    let mut carl = user(3, address, "Carl");
    for _ in 0..3 {
        for _ in 0..4 {
            joins_and_leaves(&mut bob, game);
        }
        joins_and_leaves(&mut carl, game);
    }
}
