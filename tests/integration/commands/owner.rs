//! Commands of a room's owner (kaillera-server.md 7.5).

use super::{Hall, Speaks, cases};
use crate::support::{Identity, Player};
use samara::{
    access::AccessLevel,
    kaillera::message::{ClientMessage, ConnectionType, GameId, GameStatus, ServerMessage},
};

cases! {
    only_owners_and_super_admins_command: Room "/num";
    a_room_takes_so_many: Room "/maxusers";
    a_room_takes_such_pings: Room "/maxping";
    a_room_takes_the_owners_kind: Room "/setemu" "/setconn";
    all_have_the_same_delay: Room "/samedelay";
    a_game_is_started: Room "/start";
    a_game_starts_with_so_many: Room "/startn";
    autofire_detection_is_set: Room "/autofire" "/detectautofire";
    players_are_renumbered: Room "/swap";
    watchers_are_let_in_or_not: Room "/watchers";
    members_are_removed: Room "/kick" "/kickall";
    members_are_muted: Room "/mute" "/unmute" "/muteall" "/unmuteall";
    a_word_is_asked_for: Room "/password";
}

/// The owner says it wrongly in these ways.
fn misused(owner: &mut Player, lines: &[&str], help: &str) {
    for line in lines {
        owner.answered_here(line, &format!("Use: {help}"));
    }
}

fn refused(player: &mut Player, room: GameId, reason: &str) {
    player.send(&ClientMessage::JoinGame { game: room });
    player.told(&format!("You cannot join: {reason}"));
    player.leaves_room();
}

fn only_owners_and_super_admins_command() {
    let hall = Hall::new();
    let ([mut ann, mut bob], room) = hall.room(["Ann", "Bob"]);
    let (mut boss, mut root) = (hall.admin("Boss"), hall.super_admin("Root"));
    boss.join(room);
    root.join(room);
    ann.answered_here("/num", "Members: 4");
    let refusal = "Only the room's owner can do that.";
    for line in ["/num", "/maxusers 3", "/kickall", "/password x"] {
        bob.answered_here(line, refusal);
        boss.answered_here(line, refusal);
    }
    root.answered_here("/num", "Members: 4");
    root.says_here("/maxusers 5");
    bob.noticed("The room takes 5 members.");
}

fn a_room_takes_so_many() {
    let hall = Hall::new();
    let ([mut ann, _bob], room) = hall.room(["Ann", "Bob"]);
    let mut cid = hall.user("Cid");
    let wrong = [
        "/maxusers",
        "/maxusers 0",
        "/maxusers 101",
        "/maxusers -5",
        "/maxusers x",
    ];
    misused(&mut ann, &wrong, "/maxusers <1-100> sets how many may join");
    ann.answered_here("/maxusers 2", "The room takes 2 members.");
    // The lists of all show it at once, and a second room has its own limit.
    cid.expect_message(&ServerMessage::GameStatus {
        game: room,
        status: GameStatus::Waiting,
        players: 2,
        capacity: 2,
    });
    refused(&mut cid, room, "this room is full");
    cid.create(b"Other");
    cid.answered_here("/maxusers 100", "The room takes 100 members.");
    cid.quit_game();
    cid.leaves_room();
    ann.answered_here("/maxusers 3", "The room takes 3 members.");
    cid.join(room);
}

fn a_room_takes_such_pings() {
    let hall = Hall::new();
    let mut ann = hall.user("Ann");
    let slow = Identity::new("Bob").ack_pause(30);
    let mut bob = hall.one(AccessLevel::Normal, &slow);
    let room = ann.create(b"Game");
    let wrong = ["/maxping", "/maxping 0", "/maxping 1001"];
    let help = "/maxping <1-1000> sets the highest ping that may join";
    misused(&mut ann, &wrong, help);
    ann.answered_here("/maxping 5", "The room takes pings up to 5 ms.");
    refused(&mut bob, room, "your ping is too high for this room");
    ann.answered_here("/maxping 1000", "The room takes pings up to 1000 ms.");
    bob.join(room);
}

fn a_room_takes_the_owners_kind() {
    let hall = Hall::new();
    let mut ann = hall.user("Ann");
    let room = ann.create(b"Game");
    let other = Identity::new("Bob").emulator("EMU 2.0");
    let mut bob = hall.one(AccessLevel::Normal, &other);
    let other = Identity::new("Cid").connection_type(ConnectionType::Bad);
    let mut cid = hall.one(AccessLevel::Normal, &other);
    let help = "/setemu lets only your emulator join; /setemu any lifts it";
    misused(&mut ann, &["/setemu other"], help);
    ann.answered_here("/setemu", "The room takes only the emulator EMU 1.0.");
    refused(&mut bob, room, "this room takes only the emulator EMU 1.0");
    ann.answered_here("/setemu ANY", "The room takes any emulator.");
    bob.join(room);
    ann.noticed("Bob uses another emulator version: EMU 2.0");
    let help = "/setconn lets only your connection type join; /setconn any lifts it";
    misused(&mut ann, &["/setconn LAN"], help);
    ann.answered_here("/setconn", "The room takes only the connection type LAN.");
    refused(
        &mut cid,
        room,
        "this room takes only the connection type LAN",
    );
    ann.answered_here("/setconn any", "The room takes any connection type.");
    cid.join(room);
}

fn all_have_the_same_delay() {
    let hall = Hall::new();
    let ([mut ann, mut bob], _) = hall.room(["Ann", "Bob"]);
    ann.answered_here(
        "/samedelay",
        "From the next start each player gets its own delay.",
    );
    ann.answered_here(
        "/samedelay TRUE",
        "From the next start all players get the highest delay.",
    );
    bob.noticed("From the next start all players get the highest delay.");
    bob.says_here("/delay 9");
    ann.noticed("From the next start Bob has a delay of 9.");
    ann.start();
    assert_eq!((ann.await_start().delay, bob.await_start().delay), (9, 9));
    ann.ready();
    bob.ready();
    ann.noticed("Delay of all players = 9 (9 frame delay)");
}

fn a_game_is_started() {
    let hall = Hall::new();
    let ([mut ann, mut bob], _) = hall.room(["Ann", "Bob"]);
    bob.answered_here("/start", "Only the room's owner can do that.");
    ann.says_here("/start");
    assert_eq!((ann.await_start().player, bob.await_start().player), (1, 2));
    ann.answered_here("/start", "Did not work: Players are still getting ready.");
    ann.ready();
    bob.ready();
    bob.await_ready();
    ann.noticed("P2 Delay = 1 (1 frame delay)");
    ann.answered_here(
        "/start",
        "Did not work: Not everyone has left the last game.",
    );
}

fn a_game_starts_with_so_many() {
    let hall = Hall::new();
    let ([mut ann, mut bob], room) = hall.room(["Ann", "Bob"]);
    let mut cid = hall.user("Cid");
    let help = "/startn <1-100> starts when that many players are in; /startn off lifts it";
    misused(
        &mut ann,
        &["/startn", "/startn 0", "/startn 101", "/startn on"],
        help,
    );
    ann.answered_here(
        "/startn 3",
        "The game starts when 3 players are in the room.",
    );
    bob.noticed("The game starts when 3 players are in the room.");
    ann.answered_here("/startn OFF", "The game no longer starts by itself.");
    ann.says_here("/startn 3");
    bob.noticed("The game starts when 3 players are in the room.");
    cid.join(room);
    for player in [&mut ann, &mut bob, &mut cid] {
        assert_eq!(player.await_start().players, 3);
    }
}

fn autofire_detection_is_set() {
    let hall = Hall::new();
    let ([mut ann, mut bob], _) = hall.room(["Ann", "Bob"]);
    ann.answered_here("/detectautofire 3", "Autofire sensitivity is 3");
    bob.noticed("Autofire sensitivity is 3");
    ann.answered_here("/autofire 0", "Autofire sensitivity is 0 (off)");
    for line in ["/detectautofire", "/detectautofire 6", "/autofire x"] {
        let help = [
            "/detectautofire 1 (least) to 5 (most sensitive)",
            "/detectautofire 0 switches it off",
            "Autofire sensitivity is 0 (off)",
        ];
        assert_eq!(ann.answers_here(line), help);
    }
    ann.start();
    bob.await_start();
    let refusal = "Everyone must leave the game before this can change.";
    ann.answered_here("/detectautofire 1", refusal);
}

fn players_are_renumbered() {
    let hall = Hall::new();
    let ([mut ann, mut bob, mut cid], _) = hall.room(["Ann", "Bob", "Cid"]);
    for line in ["/swap", "/swap 12", "/swap 113", "/swap 1234", "/swap 320"] {
        ann.answered_here(line, "The order needs the number of each player once.");
    }
    ann.says_here("/swap 312");
    for (name, number) in [("Ann", 3), ("Bob", 1), ("Cid", 2)] {
        bob.noticed(&format!("From the next start {name} is player {number}."));
    }
    ann.start();
    let numbers = [&mut ann, &mut bob, &mut cid].map(|player| player.await_start().player);
    assert_eq!(numbers, [3, 1, 2]);
    cid.quit_game();
    bob.noticed("The players have their own numbers again.");
}

fn watchers_are_let_in_or_not() {
    let hall = Hall::new();
    let ([mut ann, mut bob], room) = hall.room(["Ann", "Bob"]);
    let mut cid = hall.user("Cid");
    let help = "/watchers <on|off> lets others watch, or not";
    misused(&mut ann, &["/watchers", "/watchers maybe"], help);
    ann.says_here("/watchers off");
    bob.noticed("Nobody may watch this room's games.");
    cid.says(&format!("/watch {}", room.0));
    cid.told(&format!("Join room {} now to watch it.", room.0));
    refused(&mut cid, room, "This room cannot be watched.");
    ann.says_here("/watchers ON");
    bob.noticed("Others may watch this room's games.");
    cid.says(&format!("/watch {}", room.0));
    cid.join(room);
}

fn members_are_removed() {
    let hall = Hall::new();
    let ([mut ann, mut bob, mut cid], room) = hall.room(["Ann", "Bob", "Cid"]);
    let mut boss = hall.admin("Boss");
    boss.join(room);
    misused(
        &mut ann,
        &["/kick", "/kick Bob"],
        "/kick <player> removes a player by its number",
    );
    ann.answered_here(
        "/kick 5",
        "Did not work: There is no player 5 in this room.",
    );
    ann.answered_here(
        "/kick 0",
        "Did not work: There is no player 0 in this room.",
    );
    ann.says_here("/kick 1");
    ann.hears_here("Error", "You cannot remove yourself.");
    ann.says_here("/kick 2");
    bob.leaves_room();
    refused(&mut bob, room, "you were removed from this room");
    // Admins stay.
    ann.says_here("/kickall");
    cid.leaves_room();
    boss.noticed("All other players are removed from this room.");
    ann.noticed("All other players are removed from this room.");
    ann.answered_here("/num", "Members: 2");
}

fn members_are_muted() {
    let hall = Hall::new();
    let ([mut ann, mut bob, mut cid], room) = hall.room(["Ann", "Bob", "Cid"]);
    let mut boss = hall.admin("Boss");
    let muted = "Not sent: you are muted in this room";
    misused(
        &mut ann,
        &["/mute", "/mute Bob"],
        "/mute <id> keeps a user from writing in this room",
    );
    ann.answered_here("/mute 9", "Did not work: That user is not in this room.");
    ann.answered_here("/mute 4", "Did not work: That user is not in this room.");
    ann.answered_here("/mute 1", "Did not work: You cannot do that to yourself.");
    boss.join(room);
    ann.answered_here("/mute 4", "Did not work: Not possible with an admin.");
    ann.says_here("/mute 2");
    cid.noticed("Bob is muted in this room.");
    bob.says_here("hello");
    bob.noticed(muted);
    bob.answered_here("/me waves", muted);
    // It holds when one comes back, too.
    bob.quit_game();
    bob.leaves_room();
    bob.join(room);
    bob.says_here("hello");
    bob.noticed(muted);
    ann.says_here("/unmute 2");
    cid.noticed("Bob is no longer muted in this room.");
    bob.says_here("free");
    cid.hears_here("Bob", "free");
    ann.says_here("/muteall");
    cid.noticed("Everyone but the owner is muted in this room.");
    cid.says_here("hello");
    cid.noticed(muted);
    boss.says_here("order");
    cid.hears_here("Boss", "order");
    ann.says_here("owner");
    cid.hears_here("Ann", "owner");
    ann.says_here("/unmuteall");
    cid.noticed("Nobody is muted in this room any more.");
    cid.says_here("at last");
    bob.hears_here("Cid", "at last");
    bob.never_saw("hello");
}

fn a_word_is_asked_for() {
    let hall = Hall::new();
    let ([mut ann, _bob], room) = hall.room(["Ann", "Bob"]);
    let mut cid = hall.user("Cid");
    let long = format!("/password {}", "x".repeat(33));
    let help = "/password <word> asks for it at joining; /password off lifts it";
    misused(&mut ann, &["/password", "/password two words", &long], help);
    ann.answered_here("/password secret", "The room asks for a password now.");
    let ask = "this room asks for a password; type /password <...> first";
    refused(&mut cid, room, ask);
    for _ in 0..5 {
        cid.says("/password guess");
        cid.told("Password noted; join the room now.");
        refused(&mut cid, room, "the password is wrong");
    }
    cid.says("/password secret");
    cid.told("Password noted; join the room now.");
    refused(&mut cid, room, "too many wrong passwords; try again later");
    let mut boss = hall.one(AccessLevel::Elevated, &Identity::new("Guest"));
    boss.join(room);
    ann.answered_here("/password OFF", "The room asks for no password any more.");
    cid.join(room);
}
