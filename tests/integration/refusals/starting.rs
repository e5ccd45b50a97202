//! Games that do not start, and users who are not removed (8.3, 8.5).

use super::*;
use crate::support::serve;
use samara::kaillera::message::{ConnectionType, UserId};

/// Presses start: the room is told `info` if there is some, and the user the error.
#[track_caller]
fn assert_not_started(player: &mut Player, info: Option<&str>, text: Option<&str>) {
    let answers = answers(player, Player::start);
    let messages = info.into_iter().map(notice).chain(text.map(error));
    let expected: Vec<_> = messages.collect();
    assert_answers(&answers, &expected, "a start");
}

const NOT_OWNER: &str = "Only the room's owner can start.";
const ALONE: &str = "At least two players are needed here.";

#[test]
fn starts_are_refused_in_order() {
    let mut config = staffed();
    config.rules.allow_single_player = false;
    let (_server, address) = serve(&config);
    let mut ann = user(NORMAL, address, "Ann");
    assert_not_started(&mut ann, None, Some("You are not in a room."));

    // Alone comes before the kind of room, which says nothing.
    let chat = ann.create(b"*Chat (not game)");
    assert_not_started(&mut ann, None, Some(ALONE));
    let other = Identity::new("Bob")
        .emulator("EMU 2")
        .connection_type(ConnectionType::Good);
    let mut bob = stranger(2, address, &other);
    bob.enter();
    bob.join(chat);
    ann.expect("the guest", |message| {
        matches!(message, ServerMessage::JoinGame { name: b"Bob", .. }).then_some(())
    });
    assert_not_started(&mut bob, None, Some(NOT_OWNER));
    assert_not_started(&mut ann, None, None);
    ann.quit_game();
    let left = thrown_out(&ann);
    ann.expect_message(&left.message());

    let game = ann.create(b"Game");
    bob.join(game);
    ann.expect_message(&notice("Bob uses another emulator version: EMU 2"));
    let types = "All players must choose the owner's connection type: LAN";
    assert_not_started(&mut ann, Some(types), Some("The connection types differ."));
    bob.expect_message(&notice(types));
    bob.quit_game();
    let mut carl = stranger(3, address, &Identity::new("Carl").emulator("EMU 2"));
    carl.enter();
    carl.join(game);
    ann.expect_message(&notice("Carl uses another emulator version: EMU 2"));
    let emulators = "All players must use the owner's emulator version: EMU 1.0";
    assert_not_started(&mut ann, Some(emulators), Some("The emulators differ."));
    carl.expect_message(&notice(emulators));
    assert_not_started(&mut carl, None, Some(NOT_OWNER));
    carl.quit_game();

    let mut dave = user(4, address, "Dave");
    dave.join(game);
    ann.expect("the guest", |message| {
        matches!(message, ServerMessage::JoinGame { name: b"Dave", .. }).then_some(())
    });
    ann.start();
    for player in [&mut ann, &mut dave] {
        player.await_start();
    }
    assert_not_started(&mut dave, None, Some(NOT_OWNER));
    assert_not_started(&mut ann, None, Some("Players are still getting ready."));
    for player in [&mut ann, &mut dave] {
        player.ready();
    }
    for player in [&mut ann, &mut dave] {
        player.await_ready();
    }
    ann.expect_game_chat(b"Server", |text| text.starts_with("P2 Delay = "));
    assert_not_started(&mut ann, None, Some("Not everyone has left the last game."));
}

/// Whoever leads rooms starts others' games, and those from ELEVATED on play alone.
#[test]
fn levels_start_what_others_may_not() {
    let mut config = staffed();
    config.rules.allow_single_player = false;
    let (_server, address) = serve(&config);
    let mut eve = user(ELEVATED, address, "Eve");
    let game = eve.create(b"Game");
    let mut duty = user(ADMIN, address, "Duty");
    duty.join(game);
    duty.start();
    for player in [&mut eve, &mut duty] {
        player.await_start();
        player.drop_game();
    }
    duty.quit_game();
    eve.expect("its end", |message| {
        matches!(message, ServerMessage::QuitGame { name: b"Duty", .. }).then_some(())
    });
    eve.start();
    eve.await_start();
}

#[test]
fn kicks_are_refused_in_order() {
    let (_server, address) = serve(&staffed());
    let mut ann = user(NORMAL, address, "Ann");
    let mut bob = user(2, address, "Bob");
    let mut carl = user(3, address, "Carl");
    let mut duty = user(ADMIN, address, "Duty");
    let mut root = user(SUPERADMIN, address, "Root");
    let game = ann.create(b"Game");
    for player in [&mut bob, &mut duty, &mut root] {
        player.join(game);
    }
    ann.expect("the last guest", |message| {
        matches!(message, ServerMessage::JoinGame { name: b"Root", .. }).then_some(())
    });
    let nobody = UserId(999);
    let not_owner = Some("Only the room's owner can remove players.");
    let not_here = Some("That user is not in this room.");
    let (ann_id, bob_id, carl_id) = (ann.id, bob.id, carl.id);
    let (duty_id, root_id) = (duty.id, root.id);
    let refused = |kicker: &mut Player, user, text: Option<&str>| {
        let answers = answers(kicker, |it| it.send(&ClientMessage::GameKick { user }));
        let expected: Vec<_> = text.into_iter().map(error).collect();
        assert_answers(&answers, &expected, "a kick");
    };
    refused(&mut carl, carl_id, Some("You are not in a room."));
    for target in [bob_id, ann_id, carl_id, nobody, duty_id] {
        refused(&mut bob, target, not_owner);
    }
    refused(&mut ann, ann_id, Some("You cannot remove yourself."));
    refused(&mut ann, carl_id, not_here);
    refused(&mut ann, nobody, not_here);
    // Nobody is told that an admin stays.
    refused(&mut ann, duty_id, None);
    refused(&mut duty, root_id, None);
    refused(&mut duty, carl_id, not_here);
    // An admin may in another's room, and a super admin may remove an admin.
    duty.send(&ClientMessage::GameKick { user: bob_id });
    let gone = thrown_out(&bob);
    bob.expect_message(&gone.message());
    root.send(&ClientMessage::GameKick { user: duty_id });
    let gone = thrown_out(&duty);
    duty.expect_message(&gone.message());
}
