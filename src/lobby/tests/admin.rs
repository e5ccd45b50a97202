//! Commands of those who keep order (kaillera-server.md 7.6).

use super::*;
use crate::access::{AccessLevel, Rules as AccessRules};
use std::sync::Arc;

/// a is normal, m a moderator, n another, x an admin, y another, s a super admin.
fn world() -> World {
    let levels = [
        ('m', "MODERATOR"),
        ('n', "MODERATOR"),
        ('x', "ADMIN"),
        ('y', "ADMIN"),
        ('s', "SUPERADMIN"),
    ];
    let rules = levels.map(|(who, level)| format!("user,{level},{}", address(who as u8)));
    let rules = AccessRules::parse(&rules.join("\n"));
    assert!(rules.mistakes.is_empty());
    let mut world = World::new(Rules::default());
    let now = world.now;
    let mut sink = Recorder::default();
    world
        .lobby
        .set_access_rules(now, Arc::new(rules.rules), &mut sink);
    world.enter("abmnxys");
    world
}

fn id(who: char) -> u16 {
    "abmnxys".find(who).unwrap() as u16 + 1
}

fn say(world: &mut World, who: char, line: &str) -> Vec<String> {
    world.wait(2000);
    world.chat(who, line);
    world.take()
}

/// The one line that `who` alone gets, without its frame.
fn answer(world: &mut World, who: char, line: &str) -> String {
    let log = say(world, who, line);
    let frame = format!("{who}: Info server: ");
    let [only] = log.as_slice() else {
        panic!("{line}: {log:?}");
    };
    only.strip_prefix(&frame).expect(only).to_owned()
}

#[test]
fn each_level_has_its_commands() {
    // The word with arguments that are refused, the lowest level that may give it.
    let commands = [
        ("/kick 99", AccessLevel::Moderator),
        ("/silence 99 1", AccessLevel::Moderator),
        ("/findgame zzz", AccessLevel::Admin),
        ("/unsilence 99", AccessLevel::Admin),
        ("/shadowsilence 99 1", AccessLevel::Admin),
        ("/unshadowsilence 99", AccessLevel::Admin),
        ("/ban 99 1", AccessLevel::Admin),
        ("/permaban 99", AccessLevel::Admin),
        ("/permamute 99", AccessLevel::Admin),
        ("/clear 99", AccessLevel::Admin),
        ("/info 99", AccessLevel::Admin),
        ("/closegame 99", AccessLevel::Admin),
        ("/announcegame 99 x", AccessLevel::Admin),
        ("/tempelevated 99 1", AccessLevel::SuperAdmin),
        ("/tempmoderator 99 1", AccessLevel::SuperAdmin),
        ("/tempadmin 99 1", AccessLevel::SuperAdmin),
    ];
    for (line, lowest) in commands {
        let mut world = world();
        for (who, level) in [
            ('a', AccessLevel::Normal),
            ('m', AccessLevel::Moderator),
            ('x', AccessLevel::Admin),
            ('s', AccessLevel::SuperAdmin),
        ] {
            let text = answer(&mut world, who, line);
            let expected = match (level, lowest) {
                (AccessLevel::Normal, _) => "No such command: ",
                (level, lowest) if level >= lowest => match line {
                    "/findgame zzz" => "Nothing matches.",
                    _ => "Command failed: No ",
                },
                (AccessLevel::Admin, _) => "Only a super admin can do that.",
                _ => "You are not an admin.",
            };
            assert!(text.starts_with(expected), "{line} by {who}: {text}");
        }
    }
}

#[test]
fn who_may_be_acted_on() {
    for (line, own, admin) in [
        (
            "/kick {}",
            "You cannot do that to yourself.",
            "Not possible with an admin.",
        ),
        (
            "/silence {} 1",
            "You cannot do that to yourself.",
            "Not possible with an admin.",
        ),
        (
            "/ban {} 1",
            "You cannot do that to yourself.",
            "Not possible with an admin.",
        ),
        (
            "/permaban {}",
            "You cannot do that to yourself.",
            "Not possible with an admin.",
        ),
        (
            "/permamute {}",
            "You cannot do that to yourself.",
            "Not possible with an admin.",
        ),
    ] {
        let mut world = world();
        let on = |who: char| line.replace("{}", &id(who).to_string());
        assert_eq!(
            answer(&mut world, 'x', &on('x')),
            format!("Command failed: {own}")
        );
        for admins in ['y', 's'] {
            assert_eq!(
                answer(&mut world, 'x', &on(admins)),
                format!("Command failed: {admin}")
            );
        }
        let log = say(&mut world, 's', &on('y'));
        assert!(!log[0].contains("failed"), "{log:?}");
    }
    let mut world = world();
    for target in ['n', 'x'] {
        let line = format!("/kick {}", id(target));
        assert!(answer(&mut world, 'm', &line).starts_with("Command failed: Not possible with a"));
    }
}

#[test]
fn the_kicked_are_gone() {
    let mut world = world();
    let log = say(&mut world, 'm', "/kick 1");
    assert_eq!(
        log,
        [
            "bmnxys: Quit a 1 `Removed by a moderator`",
            "a: Quit a 1 `Removed by a moderator`",
            "close a Left",
        ]
    );
}

#[test]
fn a_silence_is_told_holds_and_ends() {
    let mut world = world();
    assert_eq!(
        say(&mut world, 'm', "/silence 1 15 for shouting"),
        ["abmnxys: Info server: a is silenced for 15 minutes"]
    );
    assert_eq!(answer(&mut world, 'a', "x"), "Not sent: you are silenced");
    assert_eq!(
        answer(&mut world, 'n', "/silence 1 1"),
        "Command failed: a is silenced already."
    );
    assert_eq!(
        answer(&mut world, 'm', "/silence 2 16"),
        "Command failed: Moderators can silence for 15 minutes at most."
    );
    let info = say(&mut world, 'x', "/info 1");
    assert_eq!(
        info,
        [
            "x: Info server: Name: a, address: 192.0.2.97, access: Normal",
            "x: Info server: Not banned",
            "x: Info server: Silenced for 15 more minutes by m (3): for shouting",
        ]
    );
    world.wait(15 * 60 * 1000);
    assert_eq!(say(&mut world, 'a', "x"), ["abmnxys: Chat a: x"]);
}

#[test]
fn the_banned_leave_and_stay_out_for_a_time() {
    let mut world = world();
    let log = say(&mut world, 'x', "/ban 1 10");
    assert_eq!(
        log,
        [
            "abmnxys: Info server: a is banned for 10 minutes",
            "bmnxys: Quit a 1 `Banned`",
            "a: Quit a 1 `Banned`",
            "close a Left",
        ]
    );
    world.login('a', login(b"a"));
    let log = world.take();
    assert!(log[0].contains("You may not use this server."), "{log:?}");
    world.wait(10 * 60 * 1000);
    world.login('a', login(b"a"));
    assert!(!world.take()[0].contains("Rejected"));
}

#[test]
fn what_was_decided_is_taken_back_by_address_number_or_name() {
    let mut world = world();
    for (line, told) in [
        (
            "/permamute 1",
            "abmnxys: Info server: a is silenced for good",
        ),
        (
            "/silence 2 5",
            "abmnxys: Info server: b is silenced for 5 minutes",
        ),
    ] {
        assert_eq!(say(&mut world, 'x', line), [told]);
    }
    assert_eq!(answer(&mut world, 'x', "/clear 192.0.2.97"), "Cleared.");
    assert_eq!(answer(&mut world, 'x', "/clear B"), "Cleared.");
    for what in ["1", "b", "192.0.2.99"] {
        assert_eq!(
            answer(&mut world, 'x', &format!("/clear {what}")),
            "Command failed: Nothing to clear."
        );
    }
    assert_eq!(
        answer(&mut world, 'x', "/clear nobody"),
        "Command failed: Nothing matches."
    );
}

#[test]
fn a_level_for_a_time() {
    let mut world = world();
    assert_eq!(
        say(&mut world, 's', "/tempadmin 1 5"),
        ["abmnxys: Info server: a is admin for 5 minutes"]
    );
    assert_eq!(
        answer(&mut world, 'a', "/kick 99"),
        "Command failed: No user 99"
    );
    assert_eq!(
        answer(&mut world, 's', "/tempelevated 3 5"),
        "Command failed: m has this level already."
    );
    world.wait(5 * 60 * 1000);
    let (now, sink) = (world.now, &mut world.sink);
    world.lobby.handle_timeout(now, sink);
    assert!(answer(&mut world, 'a', "/kick 99").starts_with("No such command"));
}

#[test]
fn addresses_are_for_admins() {
    let mut world = world();
    assert_eq!(
        answer(&mut world, 'a', "/finduser X"),
        "UserID: 5, Nick: <x>, Access: Normal"
    );
    assert_eq!(
        answer(&mut world, 'm', "/finduser x"),
        "UserID: 5, Nick: <x>, Access: Admin"
    );
    assert_eq!(
        answer(&mut world, 'x', "/finduser x"),
        "UserID: 5, IP: 192.0.2.120, Nick: <x>, Access: Admin"
    );
    assert_eq!(answer(&mut world, 'a', "/finduser q"), "Nothing matches.");
    assert_eq!(
        answer(&mut world, 'a', "/finduser"),
        "Use: /finduser <text>"
    );
}

#[test]
fn announcements_go_to_the_lobby_to_all_or_to_a_room() {
    let mut world = world();
    world.create('a', "GAME");
    world.take();
    assert_eq!(
        say(&mut world, 'x', "/announce ::hi"),
        ["abmnxys: Info server: hi"]
    );
    assert_eq!(
        say(&mut world, 'x', "/announceall hi"),
        ["abmnxys: Info server: hi", "a: GameChat Server: hi"]
    );
    assert_eq!(
        say(&mut world, 'x', "/announcegame 1 hi"),
        ["a: GameChat Server: hi"]
    );
    assert_eq!(
        answer(&mut world, 'x', "/announce"),
        "Command failed: /announce <text>"
    );
}

#[test]
fn nobody_sees_the_lines_of_the_shadowed_but_they_do() {
    let mut world = world();
    assert_eq!(
        answer(&mut world, 'x', "/shadowsilence 1 5"),
        "Nobody but a sees its lines now."
    );
    assert_eq!(say(&mut world, 'a', "x"), ["a: Chat a: x"]);
    assert_eq!(say(&mut world, 'a', "/me x"), ["a: Info server: *a x"]);
    assert_eq!(
        say(&mut world, 'a', "/msg 2 x"),
        ["a: Info server: TO: <b>(2) <a> (1): x"]
    );
    assert_eq!(
        answer(&mut world, 'x', "/unshadowsilence 1"),
        "The lines of a are shown again."
    );
    assert_eq!(say(&mut world, 'a', "x"), ["abmnxys: Chat a: x"]);
}

#[test]
fn without_shadow_mute_there_is_no_such_command() {
    let mut world = world();
    let help = |world: &mut World| say(world, 'x', "/help").join("\n");
    assert!(help(&mut world).contains("/shadowsilence"));
    world.lobby.rules.shadow_mute = false;
    assert!(!help(&mut world).contains("/shadowsilence"));
    for line in ["/shadowsilence 1 5", "/UnshadowSilence 1"] {
        let told = answer(&mut world, 'x', line);
        assert!(told.contains(line) && !told.contains("lines"), "{told}");
    }
    assert_eq!(say(&mut world, 'a', "x"), ["abmnxys: Chat a: x"]);
}

#[test]
fn switching_shadow_mute_off_ends_what_there_is_of_it() {
    let mut world = world();
    answer(&mut world, 'x', "/shadowsilence 1 5");
    world.lobby.set_rules(Rules {
        shadow_mute: false,
        ..Rules::default()
    });
    assert_eq!(say(&mut world, 'a', "x"), ["abmnxys: Chat a: x"]);
}

/// Whoever does not find itself on the server's page knows.
#[test]
fn outsiders_see_the_shadowed_as_before() {
    let mut world = world();
    world.create('a', "GAME");
    world.take();
    let before = world.lobby.snapshot();
    answer(&mut world, 'x', "/shadowsilence 1 5");
    assert_eq!(world.lobby.snapshot(), before);
    say(&mut world, 'a', "x");
    world.quit('a', "my last words");
    let log = world.take();
    assert!(
        log.contains(&"bmnxys: Quit a 1 `Left the server`".to_owned()),
        "{log:?}"
    );
}

#[test]
fn how_long_a_level_lasts_is_told() {
    let mut world = world();
    let level = |world: &mut World, who: char| say(world, 'x', &format!("/info {}", id(who)));
    say(&mut world, 's', "/tempelevated 1 5");
    say(&mut world, 's', "/tempadmin 1 2");
    let first = "x: Info server: Name: a, address: 192.0.2.97, access: Admin";
    let told = level(&mut world, 'a');
    assert_eq!(
        told[..2],
        [first, "x: Info server: This access ends in 2 minutes"]
    );
    world.wait(120_000);
    let told = level(&mut world, 'a');
    assert_eq!(told[1], "x: Info server: This access ends in 3 minutes");
    // What the rules give does not end.
    assert_eq!(level(&mut world, 'm').len(), 3);
}

/// No reason, however it is written, makes a line of its own anywhere.
#[test]
fn reasons_are_one_line() {
    let mut world = world();
    say(&mut world, 's', "/ban 1 5 a\r\nb\u{7}\u{1b}[0m \u{2}");
    let info = say(&mut world, 'x', "/info 192.0.2.97");
    assert_eq!(
        info[1],
        "x: Info server: Banned for 5 more minutes by s (7): ab[0m"
    );
    let longest = format!("/silence 2 {} long", u32::MAX);
    assert_eq!(say(&mut world, 'x', &longest).len(), 1);
    assert_eq!(answer(&mut world, 'b', "x"), "Not sent: you are silenced");
}

#[test]
fn a_room_is_closed() {
    let mut world = world();
    world.create('a', "GAME");
    world.take();
    let log = say(&mut world, 'x', "/closegame 1");
    assert!(
        log.iter().any(|line| line.ends_with("CloseGame 1")),
        "{log:?}"
    );
    assert_eq!(
        answer(&mut world, 'x', "/closegame 1"),
        "Command failed: No room 1"
    );
}
