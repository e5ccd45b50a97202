//! What the reference was known to do wrong, in the order of kaillera-server.md 15, as far as the
//! lobby decides it.
//!
//! Elsewhere: stray packets, forged addresses, a full server and floods of the log (2, 3, 8, 12) in
//! `tests/integration/defects.rs`; lines written into files (5) in `access::tests::sanctions`;
//! resends without an end (9) and games of many players on the wire (1) in
//! `tests/simulation/directed/classes.rs`; the quiz (11) in `lobby::trivia::tests`; counts of
//! bundles (15) in `kaillera::channel::tests`. There is no survey (17).

use super::*;
use crate::access::{AccessLevel, Rules as AccessRules, Sentence};

fn rules(world: &mut World, text: &str) -> usize {
    let parsed = AccessRules::parse(text);
    let rules = parsed.rules.into();
    world
        .lobby
        .set_access_rules(world.now, rules, &mut world.sink);
    parsed.mistakes.len()
}

fn give(world: &mut World, who: char, level: AccessLevel) {
    world.lobby.users.get_mut(key(who)).unwrap().level = level;
}

fn is_let_in(world: &mut World, who: char) -> bool {
    let name = who.to_string();
    world.login(who, login(name.as_bytes()));
    !world.take()[0].contains("Rejected")
}

/// 1: five or more players, and eleven or more.
#[test]
fn games_of_many_players_start_play_and_end() {
    for count in [5, 10, 11, 60, 100_u8] {
        let mut world = World::new(Rules {
            room_capacity: 100,
            quiet_games_above: 0,
            ..Rules::default()
        });
        let seats: Vec<char> = ('a'..).take(count.into()).collect();
        for seat in &seats {
            let name = format!("player {}", u32::from(*seat));
            let address = address(*seat as u8);
            world.login(
                *seat,
                Login {
                    address,
                    ..login(name.as_bytes())
                },
            );
        }
        world.create('a', "Game");
        seats[1..].iter().for_each(|seat| world.join(*seat, 1));
        world.take();
        world.start('a');
        let starts: Vec<String> = world
            .take()
            .into_iter()
            .filter(|line| line.contains("StartGame"))
            .collect();
        assert_eq!(starts.len(), usize::from(count));
        assert!(starts[usize::from(count) - 1].ends_with(&format!("StartGame 1 {count}/{count}")));
        seats.iter().for_each(|seat| world.ready(&seat.to_string()));
        assert!(world.take().contains(&"play 0".to_owned()));
        for seat in &seats {
            world.drop(*seat);
        }
        assert!(world.take().contains(&"end 0".to_owned()));
    }
}

/// 4: one bad line opened the server to everybody.
#[test]
fn a_bad_line_leaves_the_others_in_force() {
    let mut world = World::new(Rules::default());
    let text = "user,KING,192.0.2.97\nipaddress,DENY,192.0.2.98\nnonsense\nipaddress,DENY,dns:\n\
                ipaddress,PERHAPS,*\nipaddress,DENY,192.0.2.99\nipaddress,ALLOW,*\n";
    assert_eq!(rules(&mut world, text), 4);
    let let_in: Vec<bool> = ('a'..='d').map(|who| is_let_in(&mut world, who)).collect();
    assert_eq!(let_in, [true, false, false, true]);
}

/// 4: a permanent ban after a line that allows everybody.
#[test]
fn a_permanent_ban_holds_under_a_rule_that_allows_all() {
    let mut world = World::new(Rules::default());
    rules(&mut world, "user,ADMIN,192.0.2.97\nipaddress,ALLOW,*");
    world.enter("ab");
    world.chat('a', "/permaban 2 for good");
    world.take();
    assert_eq!(world.lobby.users(), 1);
    assert!(!is_let_in(&mut world, 'b'));
    rules(&mut world, "user,ADMIN,192.0.2.97\nipaddress,ALLOW,*");
    world.wait(365 * 24 * 3600 * 1000);
    assert!(!is_let_in(&mut world, 'b'));
}

/// 5: what an admin writes is a reason and no line of a file.
#[test]
fn a_reason_is_one_line() {
    let mut world = World::new(Rules::default());
    rules(&mut world, "user,ADMIN,192.0.2.97");
    world.enter("ab");
    world.chat('a', "/permaban 2 x\r\nuser,SUPERADMIN,192.0.2.97");
    world.take();
    world.chat('a', "/info 192.0.2.98");
    let told = world.take().join("\n");
    assert!(told.contains("Banned for good by a"), "{told}");
    assert!(!told.contains("\nuser,") && !told.contains('\r'), "{told}");
}

/// 6: the commands that take an address, a number or a name take all three, and look nothing up.
#[test]
fn numbers_and_names_are_found() {
    for who in ["2", "b", "B", "192.0.2.98"] {
        let mut world = World::new(Rules::default());
        rules(&mut world, "user,ADMIN,192.0.2.97");
        world.enter("ab");
        world.chat('a', "/silence 2 5");
        world.take();
        world.chat('a', &format!("/info {who}"));
        let told = world.take().join("\n");
        assert!(
            told.contains("192.0.2.98") && told.contains("Silenced for 5 more"),
            "{told}"
        );
        world.chat('a', &format!("/clear {who}"));
        world.expect(["a: Info server: Cleared."]);
    }
}

/// 7: after any swap each number is one player's, on both sides.
#[test]
fn a_swap_is_a_permutation() {
    for order in ["321", "231", "312", "132", "213", "123"] {
        let mut world = World::gather("abc");
        world.game_chat('a', &format!("/swap {order}"));
        world.start('a');
        let log = world.take();
        for (seat, number) in ['a', 'b', 'c'].into_iter().zip(order.bytes()) {
            let number = number - b'0';
            assert_eq!(
                world.sink.players[usize::from(number) - 1],
                key(seat),
                "{order}"
            );
            let start = format!("{seat}: StartGame 1 {number}/3");
            assert!(log.contains(&start), "{order}: {log:?}");
        }
    }
}

/// 10: the room of an owner who is gone closes, everybody is told, and its members are free.
#[test]
fn a_room_never_vanishes_without_a_word() {
    for why in [
        Departure::ConnectionLost,
        Departure::Failed,
        Departure::Idle,
    ] {
        for plays in [false, true] {
            let mut world = World::gather("abc");
            world.enter("d");
            if plays {
                world.start('a');
                world.ready("abc");
                world.take();
            }
            world.depart('a', why);
            let log = world.take();
            let told: Vec<&String> = log.iter().filter(|it| it.contains("CloseGame 1")).collect();
            assert_eq!(told, ["bcd: CloseGame 1"], "{log:?}");
            assert_eq!(world.lobby.games(), 0);
            world.create('b', "Next");
            assert!(world.take()[0].contains("CreateGame b Next"));
        }
    }
}

/// 10: the same when a ban or the rules take the owner away.
#[test]
fn a_room_whose_owner_is_sent_away_closes() {
    for lines in [
        "ipaddress,DENY,192.0.2.97",
        "emulator,DENY,EMU*\nuser,ELEVATED,192.0.2.98",
    ] {
        let mut world = World::gather("ab");
        rules(&mut world, lines);
        let log = world.take();
        assert_eq!(log[0], "b: QuitGame a 1", "{log:?}");
        assert_eq!(log[1], "b: CloseGame 1");
        assert_eq!(log[2], "a: QuitGame a 1");
        let words = match lines.starts_with("ip") {
            true => "Banned",
            false => "Emulator no longer allowed",
        };
        assert_eq!(log[3], format!("b: Quit a 1 `{words}`"));
        assert_eq!(log[4], format!("a: Quit a 1 `{words}`"));
        assert_eq!(log[5], "close a Left");
    }
}

/// 13: one room's limit is no other's business, and it can be changed again at once.
#[test]
fn limits_of_two_rooms_change_at_the_same_moment() {
    let mut world = World::with("ab");
    world.create('a', "One");
    world.create('b', "Two");
    world.take();
    world.game_chat('a', "/maxusers 2");
    world.game_chat('b', "/maxusers 3");
    world.game_chat('a', "/maxusers 4");
    world.expect([
        "a: GameChat Server: The room takes 2 members.",
        "ab: GameStatus 1 Waiting 1/2",
        "b: GameChat Server: The room takes 3 members.",
        "ab: GameStatus 2 Waiting 1/3",
        "a: GameChat Server: The room takes 4 members.",
        "ab: GameStatus 1 Waiting 1/4",
    ]);
}

/// 13: whoever is not in the room is not muted in it, then or later.
#[test]
fn only_members_are_muted() {
    let mut world = World::gather("a");
    world.enter("b");
    world.game_chat('a', "/mute 2");
    world.expect(["a: GameChat Server: Did not work: That user is not in this room."]);
    world.join('b', 1);
    world.take();
    world.game_chat('b', "heard");
    world.expect(["ab: GameChat b: heard"]);
}

/// 14: an answer to somebody who ignores one by now.
#[test]
fn replies_meet_the_ignore_list() {
    let mut world = World::with("ab");
    world.chat('a', "/msg 2 hello");
    world.chat('b', "/ignore 1");
    world.take();
    world.wait(2000);
    world.chat('a', "/msg again");
    world.expect(["a: Info server: b ignores you."]);
}

/// 16: a super admin is silenced nowhere.
#[test]
fn a_silenced_super_admin_speaks_in_rooms_too() {
    for (level, speaks) in [(AccessLevel::Admin, false), (AccessLevel::SuperAdmin, true)] {
        let mut world = World::gather("ab");
        give(&mut world, 'b', level);
        let sentence = Sentence {
            length: None,
            issuer: "x",
            reason: "",
        };
        let (now, silenced) = (world.now, address(b'b'));
        let done = world.lobby.access_mut().silence(now, silenced, sentence);
        assert_eq!(done, Ok(()));
        for line in ["hello", "/me waves"] {
            world.game_chat('b', line);
            let heard = world.take()[0].starts_with("ab: ");
            assert_eq!(heard, speaks, "{level:?}: {line}");
        }
        world.chat('b', "hello");
        assert_eq!(world.take()[0].starts_with("ab: Chat"), speaks);
    }
}

/// 18: addresses are for admins, and for the admin client of a super admin.
#[test]
fn moderators_see_no_addresses() {
    let emulator = b"EmulinkerSF Admin Client 1.0";
    for (level, finds, lists) in [
        (AccessLevel::Normal, false, false),
        (AccessLevel::Elevated, false, false),
        (AccessLevel::Moderator, false, false),
        (AccessLevel::Admin, true, false),
        (AccessLevel::SuperAdmin, true, true),
    ] {
        let mut world = World::new(Rules {
            chat_flood: Duration::ZERO,
            ..Rules::default()
        });
        rules(&mut world, &format!("user,{level:?},192.0.2.97"));
        world.enter("b");
        world.login(
            'a',
            Login {
                emulator,
                ..login(b"a")
            },
        );
        let log = world.take().join("\n");
        assert_eq!(log.contains("192.0.2.98"), lists, "{level:?}: {log}");
        world.chat('a', "/finduser b");
        let log = world.take().join("\n");
        assert!(log.contains("Nick: <b>"), "{log}");
        assert_eq!(log.contains("192.0.2.98"), finds, "{level:?}: {log}");
    }
}
