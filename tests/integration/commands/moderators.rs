//! Commands of moderators and admins (kaillera-server.md 7.6, 5.5).

use super::{Hall, Speaks, cases, host, staffed};
use crate::support::{Identity, Player, wait_until};
use samara::{access::AccessLevel, metrics::Reason};
use std::path::PathBuf;

cases! {
    users_are_sent_away: Lobby "/kick";
    users_are_silenced: Lobby "/silence" "/unsilence" "/permamute";
    users_are_banned: Lobby "/ban" "/permaban" "/clear" "/info";
    lines_are_hidden: Lobby "/shadowsilence" "/unshadowsilence";
    levels_are_granted: Lobby "/tempelevated" "/tempmoderator" "/tempadmin";
    rooms_are_found_and_closed: Lobby "/findgame" "/closegame";
    everybody_is_told: Lobby "/announce" "/announceall" "/announcegame";
    admins_come_unseen: Lobby "/stealthon" "/stealthoff";
    admins_see_more: Lobby "/finduser" "/version";
}

/// Whoever must not act on these is told so.
fn spares(actor: &mut Player, line: &str, targets: &[(u16, &str)]) {
    for (id, reason) in targets {
        let line = line.replace("{}", &id.to_string());
        actor.answered(&line, &format!("Command failed: {reason}"));
    }
}

const SELF: &str = "You cannot do that to yourself.";
const ADMIN: &str = "Not possible with an admin.";
const MODERATOR: &str = "Not possible with a moderator.";

fn users_are_sent_away() {
    let hall = Hall::new();
    let (mut ann, mut bob) = (hall.user("Ann"), hall.user("Bob"));
    let mut moderator = hall.moderator("Mod");
    let (_other, mut boss, mut root) = (
        hall.moderator("Other"),
        hall.admin("Boss"),
        hall.super_admin("Root"),
    );
    bob.answered("/kick 1", "No such command: /kick 1");
    let targets = [
        (3, SELF),
        (4, MODERATOR),
        (5, ADMIN),
        (6, ADMIN),
        (9, "No user 9"),
    ];
    spares(&mut moderator, "/kick {}", &targets);
    for line in ["/kick", "/kick Ann", "/kick 1 now", "/kick -1"] {
        moderator.answered(line, "Command failed: /kick <id>");
    }
    moderator.says("/KICK  1 ");
    ann.leaves("Removed by a moderator");
    spares(&mut boss, "/kick {}", &[(5, SELF), (6, ADMIN)]);
    root.says("/kick 5");
    boss.leaves("Removed by a moderator");
    // Nobody is kept out by that.
    hall.user("Ann");
    for line in [
        "/ban 2 1",
        "/clear 2",
        "/announce hi",
        "/tempadmin 2 1",
        "/triviaon",
    ] {
        moderator.answered(line, "You are not an admin.");
    }
}

fn users_are_silenced() {
    let hall = Hall::new();
    let ([mut ann, mut bob], _) = hall.room(["Ann", "Bob"]);
    let (mut moderator, mut boss) = (hall.moderator("Mod"), hall.admin("Boss"));
    let targets = [(3, SELF), (4, ADMIN), (9, "No user 9")];
    spares(&mut moderator, "/silence {} 1", &targets);
    for line in ["/silence", "/silence 1", "/silence 1 x", "/silence 1 -5"] {
        moderator.answered(line, "Command failed: /silence <id> <minutes> [reason]");
    }
    moderator.answered(
        "/silence 1 16",
        "Command failed: Moderators can silence for 15 minutes at most.",
    );
    moderator.says("/silence 1 15 for shouting");
    bob.told("Ann is silenced for 15 minutes");
    moderator.answered("/silence 1 1", "Command failed: Ann is silenced already.");
    ann.told("Ann is silenced for 15 minutes");
    ann.says("hello");
    ann.told("Not sent: you are silenced");
    ann.says_here("hello");
    ann.noticed("Not sent: you are silenced");
    for line in ["/me waves", "/msg 2 hello"] {
        ann.says(line);
        ann.told("Command refused: you are silenced, or sending too fast.");
    }
    // The owner's commands are not lines.
    ann.says_here("/maxusers 4");
    bob.noticed("The room takes 4 members.");
    spares(
        &mut boss,
        "/unsilence {}",
        &[(4, SELF), (2, "Nothing to clear.")],
    );
    boss.answered("/unsilence", "Command failed: /unsilence <id>");
    boss.says("/unsilence 1");
    ann.told("Ann is no longer silenced");
    ann.says("free");
    bob.hears("Ann", "free");
    bob.never_saw("hello");
    spares(&mut boss, "/permamute {}", &[(4, SELF), (9, "No user 9")]);
    boss.answered("/permamute", "Command failed: /permamute <id> [reason]");
    boss.says("/permamute 2");
    bob.told("Bob is silenced for good");
    bob.says("hello");
    bob.told("Not sent: you are silenced");
}

fn users_are_banned() {
    let hall = Hall::new();
    let (mut ann, mut bob) = (hall.user("Ann"), hall.user("Bob"));
    let (mut boss, mut root) = (hall.admin("Boss"), hall.super_admin("Root"));
    let (anns, bobs) = (host(AccessLevel::Normal, 1), host(AccessLevel::Normal, 2));
    for (command, usage) in [
        ("/ban {} 1", "/ban <id> <minutes> [reason]"),
        ("/permaban {}", "/permaban <id> [reason]"),
    ] {
        spares(
            &mut boss,
            command,
            &[(3, SELF), (4, ADMIN), (9, "No user 9")],
        );
        let word = command.split(' ').next().unwrap();
        boss.answered(word, &format!("Command failed: {usage}"));
        boss.answered(&format!("{word} Ann"), &format!("Command failed: {usage}"));
    }
    let info = [
        format!("Name: Ann, address: {anns}, access: Normal"),
        "Not banned".to_owned(),
        "Not silenced".to_owned(),
    ];
    assert_eq!(boss.answers("/info 1"), info);
    assert_eq!(boss.answers("/info aNN"), info);
    boss.answered("/info nobody", "Command failed: Nothing matches.");
    boss.answered("/info", "Command failed: /info <address|id|name>");
    // A reason with signs that end a line in some file or other is one line.
    boss.says("/ban 1 10 too\r\nuser,SUPERADMIN,*\u{7} loud");
    bob.told("Ann is banned for 10 minutes");
    ann.leaves("Banned");
    let info = boss.answers(&format!("/info {anns}"));
    assert_eq!(info[0], format!("Address: {anns}, access: Normal"));
    assert_eq!(
        info[1],
        "Banned for 10 more minutes by Boss (3): toouser,SUPERADMIN,* loud"
    );
    boss.says("/permaban 2 cheating");
    bob.leaves("Banned");
    let info = boss.answers(&format!("/info {bobs}"));
    assert_eq!(info[1], "Banned for good by Boss (3): cheating");
    let before = hall._server.drops().count(Reason::Barred);
    Player::on(bobs, hall.address, &Identity::new("Bob")).introduce();
    wait_until("a drop", || {
        hall._server.drops().count(Reason::Barred) > before
    });
    for address in [anns, bobs] {
        boss.answered(&format!("/clear {address}"), "Cleared.");
        boss.answered(
            &format!("/clear {address}"),
            "Command failed: Nothing to clear.",
        );
        Player::on(address, hall.address, &Identity::new(address.to_string())).enter();
    }
    boss.answered("/clear", "Command failed: /clear <address|id|name>");
    boss.answered("/clear nobody", "Command failed: Nothing matches.");
    boss.answered("/clear 99", "Command failed: No user 99");
    // Levels are for super admins to take back.
    root.says("/tempelevated 5 9");
    boss.told(&format!("{anns} is elevated for 9 minutes"));
    let info = boss.answers("/info 5");
    assert_eq!(
        info[..2],
        [
            format!("Name: {anns}, address: {anns}, access: Elevated"),
            "This access ends in 9 minutes".to_owned()
        ]
    );
    boss.answered("/clear 5", "Command failed: Nothing to clear.");
    root.answered("/clear 5", "Cleared.");
    assert_eq!(boss.answers("/info 5").len(), 3);
}

fn lines_are_hidden() {
    let hall = Hall::new();
    let ([mut ann, mut bob], _) = hall.room(["Ann", "Bob"]);
    let mut boss = hall.admin("Boss");
    spares(
        &mut boss,
        "/shadowsilence {} 1",
        &[(3, SELF), (9, "No user 9")],
    );
    let usage = "Command failed: /shadowsilence <id> <minutes>";
    boss.answered("/shadowsilence 1", usage);
    boss.answered("/shadowsilence 1 5", "Nobody but Ann sees its lines now.");
    ann.echo(b"hello");
    ann.answered("/me says hello", "*Ann says hello");
    ann.answered("/msg 2 hello", "TO: <Bob>(2) <Ann> (1): hello");
    ann.says_here("hello");
    ann.hears_here("Ann", "hello");
    boss.answered("/unshadowsilence 1", "The lines of Ann are shown again.");
    boss.answered("/unshadowsilence 1", "Command failed: Nothing to clear.");
    boss.answered("/unshadowsilence", "Command failed: /unshadowsilence <id>");
    ann.says("free");
    bob.hears("Ann", "free");
    boss.answered("/shadowsilence 1 5", "Nobody but Ann sees its lines now.");
    ann.quit(b"hello at last");
    bob.expect("Ann's last words", |message| match *message {
        samara::kaillera::message::ServerMessage::Quit { message, .. } => {
            assert_eq!(message, b"Left the server");
            Some(())
        }
        _ => None,
    });
    bob.never_saw("hello");
    boss.never_saw("hello");
}

fn levels_are_granted() {
    let hall = Hall::new();
    let (mut ann, mut bob) = (hall.user("Ann"), hall.user("Bob"));
    let (mut boss, mut root) = (hall.admin("Boss"), hall.super_admin("Root"));
    boss.answered("/tempadmin 1 5", "Only a super admin can do that.");
    for (word, told) in [
        ("/tempelevated", "Ann is elevated for 5 minutes"),
        ("/tempmoderator", "Ann is moderator for 5 minutes"),
        ("/tempadmin", "Ann is admin for 5 minutes"),
    ] {
        for wrong in ["", " 1", " Ann 5", " 1 5 x", " 1 -5"] {
            let usage = format!("Command failed: {word} <id> <minutes>");
            root.answered(&format!("{word}{wrong}"), &usage);
        }
        spares(
            &mut root,
            &format!("{word} {{}} 5"),
            &[(4, SELF), (9, "No user 9")],
        );
        root.says(&format!("{word} 1 5"));
        bob.told(told);
        let again = format!("{word} 1 5");
        root.answered(&again, "Command failed: Ann has this level already.");
    }
    // It is there at once.
    ann.says("/announce hi");
    bob.told("hi");
}

fn rooms_are_found_and_closed() {
    let hall = Hall::new();
    let ([mut ann, mut bob], first) = hall.room(["Ann", "Bob"]);
    let (mut boss, mut root) = (hall.admin("Boss"), hall.super_admin("Root"));
    let second = root.create(b"Other");
    boss.answered("/findgame zzz", "Nothing matches.");
    boss.answered("/findgame", "Command failed: /findgame <pattern>");
    let found =
        |id: u32, owner: &str, game: &str| format!("GameID: {id}, Owner: <{owner}>, Game: {game}");
    boss.answered("/findgame Gam*", &found(first.0, "Ann", "Game"));
    boss.answered("/findgame *THER", &found(second.0, "Root", "Other"));
    assert_eq!(boss.answers("/findgame *").len(), 2);
    boss.answered("/closegame", "Command failed: /closegame <room>");
    boss.answered("/closegame 99", "Command failed: No room 99");
    let admins = format!("/closegame {}", second.0);
    boss.answered(&admins, &format!("Command failed: {ADMIN}"));
    boss.says(&format!("/closegame {}", first.0));
    for player in [&mut ann, &mut bob] {
        let closed = samara::kaillera::message::ServerMessage::CloseGame { game: first };
        player.expect_message(&closed);
    }
    root.says(&admins);
    root.leaves_room();
}

fn everybody_is_told() {
    let hall = Hall::new();
    let ([mut ann, mut bob], room) = hall.room(["Ann", "Bob"]);
    let (mut cid, mut boss) = (hall.user("Cid"), hall.admin("Boss"));
    for (word, usage) in [
        ("/announce", "/announce <text>"),
        ("/announceall", "/announceall <text>"),
        ("/announcegame", "/announcegame <room> <text>"),
        ("/announcegame 1", "/announcegame <room> <text>"),
    ] {
        boss.answered(word, &format!("Command failed: {usage}"));
    }
    boss.says("/announce :one");
    ann.told("one");
    cid.told("one");
    boss.says("/announceall two");
    ann.told("two");
    bob.noticed("two");
    cid.told("two");
    boss.answered("/announcegame 99 x", "Command failed: No room 99");
    boss.says(&format!("/announcegame {} three", room.0));
    ann.noticed("three");
    bob.noticed("three");
    cid.never_saw("three");
}

fn admins_come_unseen() {
    let hall = Hall::new();
    let ([mut ann, mut bob], room) = hall.room(["Ann", "Bob"]);
    let mut boss = hall.admin("Boss");
    boss.answered("/stealthon", "You now join rooms unseen.");
    boss.join(room);
    boss.answered("/stealthoff", "Command failed: leave your room first");
    ann.answered_here("/num", "Members: 2");
    // Who is unseen has no place in the game.
    ann.start();
    assert_eq!(
        (ann.await_start().players, bob.await_start().player),
        (2, 2)
    );
    boss.quit_game();
    boss.leaves_room();
    boss.answered("/stealthoff", "You no longer join rooms unseen.");
    ann.echo(b"nobody came");
    let came = |player: &Player| {
        player.passed.iter().any(|it| {
            matches!(
                it.message(),
                samara::kaillera::message::ServerMessage::JoinGame { name: b"Boss", .. }
            )
        })
    };
    assert!(!came(&ann) && came(&boss));
    boss.join(room);
    ann.expect("Boss", |message| {
        matches!(
            message,
            samara::kaillera::message::ServerMessage::JoinGame { name: b"Boss", .. }
        )
        .then_some(())
    });
}

fn admins_see_more() {
    let hall = Hall::new();
    let (mut moderator, mut boss) = (hall.moderator("Mod"), hall.admin("Boss"));
    let version = boss.answers("/version");
    assert!(version[0].starts_with("VERSION: Samara: "));
    assert!(version.contains(&format!("OSNAME: {}", std::env::consts::OS)));
    assert!(version.contains(&format!("OSARCH: {}", std::env::consts::ARCH)));
    assert_eq!(moderator.answers("/version"), version[..1]);
    let address = host(AccessLevel::Moderator, 1);
    let found = format!("UserID: 1, IP: {address}, Nick: <Mod>, Access: Moderator");
    boss.answered("/finduser mo", &found);
    moderator.answered("/finduser mo", "UserID: 1, Nick: <Mod>, Access: Moderator");
}

#[test]
fn moderators_are_told_when_their_decisions_cannot_be_saved() {
    let mut config = staffed();
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("there-is-no-such-directory");
    config.access.state = Some(directory.join("bans.json"));
    let hall = Hall::with(&config);
    let mut ann = hall.user("Ann");
    let (mut moderator, mut boss) = (hall.moderator("Mod"), hall.admin("Boss"));
    moderator.says("/silence 1 5");
    let lost = "Bans and silences could not be saved; they are lost at the next start.";
    moderator.told(lost);
    boss.told(lost);
    // It holds all the same.
    ann.says("hello");
    ann.told("Not sent: you are silenced");
}
