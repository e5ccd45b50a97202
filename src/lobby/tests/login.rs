use super::*;
use crate::lobby::{AccessLevel, rules::ConnectionTypes};
use encoding_rs::SHIFT_JIS;

#[test]
fn a_newcomer_gets_lists_lines_and_itself_in_this_order() {
    let mut world = World::new(Rules {
        welcome: ["one", "two", "three"].map(String::from).into(),
        ..Rules::default()
    });
    world.login('a', login(b"ann"));
    let product = format!("a: Info server: Samara {}", env!("CARGO_PKG_VERSION"));
    world.expect([
        "a: ServerStatus 0 0",
        "a: Info server: one",
        "a: Info server: two",
        "a: Info server: three",
        "a: UserJoined ann 1 10 Lan",
        &product,
    ]);
    world.login('b', login(b"bob"));
    let log = world.take();
    assert_eq!(log[0], "b: ServerStatus 1 0");
    assert_eq!(log[4], "ab: UserJoined bob 2 10 Lan");
}

#[test]
fn a_login_of_one_who_is_in_is_ignored() {
    let mut world = World::with("a");
    world.login('a', login(b"other"));
    world.expect([]);
}

#[test]
fn names_of_any_letters_beyond_ascii_are_let_in() {
    let mut world = World::with("");
    let letters: Vec<u8> = (0x80..=0xFF).collect();
    for (client, name) in ('a'..).zip(letters.chunks(30)) {
        world.login(client, login(name.to_vec().leak()));
        assert!(world.take().iter().any(|line| line.contains("UserJoined")));
    }
    assert_eq!(world.lobby.users(), 5);
}

#[test]
fn refusals_come_in_order_and_end_the_session() {
    let refused = |rules: Rules, change: &dyn Fn(&mut Login<'static>)| {
        let mut world = World::new(rules);
        let mut attempt = login(b"ann");
        change(&mut attempt);
        world.login('a', attempt);
        let log = world.take();
        assert_eq!(log.len(), 2, "{log:?}");
        assert_eq!(log[1], "close a Rejected");
        assert_eq!(world.lobby.users(), 0);
        let reason = log[0].strip_prefix("a: Rejected server 1 `").unwrap();
        reason.strip_suffix('`').unwrap().to_owned()
    };
    let usual = |change: &dyn Fn(&mut Login<'static>)| refused(Rules::default(), change);
    let slow = Duration::from_micros(1_000_001);
    assert_eq!(
        usual(&|login| login.ping = slow),
        "Your ping is too high (1000 ms > 1000 ms)."
    );
    let no_lan = Rules {
        allowed_connection_types: ConnectionTypes([false, true, true, true, true, true]),
        ..Rules::default()
    };
    assert_eq!(refused(no_lan, &|_| {}), "Connection type not allowed: LAN");
    for name in ["", "  ", "\t\n"] {
        assert_eq!(
            usual(&|login| login.name = name.as_bytes()),
            "Please choose a name."
        );
    }
    for name in [
        "server",
        " Server ",
        "ERROR",
        "a|b",
        "see WWW.x",
        "http://x",
        "HTTPS://x",
        "a\\b",
        "a\x01b",
    ] {
        let reason = usual(&|login| login.name = name.as_bytes());
        assert_eq!(reason, "Your name has characters that are not allowed.");
    }
    let reason = usual(&|login| login.name = b"\xA0Server\xA0");
    assert_eq!(reason, "Your name has characters that are not allowed.");
    let reason = usual(&|login| login.name = b"\xA0 \xA0");
    assert_eq!(reason, "Please choose a name.");
    assert_eq!(
        usual(&|login| login.name = &[b'x'; 31]),
        "Your name is too long."
    );
    let loose = Rules {
        max_user_name_length: 99,
        max_client_name_length: 999,
        ..Rules::default()
    };
    assert_eq!(
        refused(loose, &|login| login.name = &[b'x'; 31]),
        "Your name is too long."
    );
    let reason = usual(&|login| login.emulator = &[b'x'; 127]);
    assert_eq!(reason, "The emulator name is too long.");
    let reason = usual(&|login| login.emulator = b"a|b");
    assert_eq!(
        reason,
        "The emulator name has characters that are not allowed."
    );
    let reason = usual(&|login| (login.name, login.ping) = (b"", slow));
    assert_eq!(reason, "Your ping is too high (1000 ms > 1000 ms).");
}

#[test]
fn longest_names_are_let_in() {
    let mut world = World::new(Rules::default());
    let mut attempt = login(&[b'x'; 30]);
    attempt.emulator = &[b'y'; 126];
    attempt.ping = Duration::from_millis(1000);
    world.login('a', attempt);
    assert_eq!(world.lobby.users(), 1);
}

#[test]
fn a_full_server_refuses() {
    let mut world = World::new(Rules {
        max_users: 2,
        ..Rules::default()
    });
    world.enter("ab");
    world.login('c', login(b"c"));
    world.expect([
        "c: Rejected server 3 `No room: the server is full.`",
        "close c Rejected",
    ]);
    world.login('d', login(b"b"));
    assert_eq!(world.lobby.users(), 2);
    assert_eq!(
        world.take()[0],
        "a: Quit b 2 `Came back on a new connection`"
    );
}

#[test]
fn a_name_is_taken_whatever_its_case() {
    let mut world = World::new(Rules::default());
    world.login('a', login(b"Ann"));
    world.take();
    let mut attempt = login(b" aNN ");
    attempt.address = address(9);
    world.login('b', attempt);
    world.expect([
        "b: Rejected server 2 `This name is in use by Ann.`",
        "close b Rejected",
    ]);
    world.login(
        'b',
        Login {
            name: b"Ann",
            ..attempt
        },
    );
    world.expect([
        "b: Rejected server 2 `This name is in use by Ann.`",
        "close b Rejected",
    ]);
}

#[test]
fn the_same_name_from_the_same_address_replaces_the_old_session() {
    let mut world = World::with("ab");
    world.login('c', login(b"a"));
    let log = world.take();
    assert_eq!(
        log[..4],
        [
            "b: Quit a 1 `Came back on a new connection`",
            "a: Quit a 1 `Came back on a new connection`",
            "close a Left",
            "c: ServerStatus 1 0",
        ]
    );
    assert_eq!(log[5], "bc: UserJoined a 3 10 Lan");
}

#[test]
fn one_name_per_address_where_the_rules_say_so() {
    let mut world = World::new(Rules {
        allow_multiple_connections: false,
        ..Rules::default()
    });
    world.enter("a");
    let attempt = Login {
        address: login(b"a").address,
        ..login(b"b")
    };
    world.login('b', attempt);
    world.expect([
        "b: Rejected server 2 `Your address is in use by a.`",
        "close b Rejected",
    ]);
}

#[test]
fn a_seat_that_starts_over_loses_its_old_user_without_a_word_to_it() {
    let mut world = World::with("ab");
    let again = UserKey {
        generation: 2,
        ..key('a')
    };
    world
        .lobby
        .login(world.now, again, login(b"ann"), &mut world.sink);
    world.lobby.check_invariants();
    let log = world.take();
    assert_eq!(log[0], "b: Quit a 1 `Came back on a new connection`");
    assert_eq!(log[1], "a: ServerStatus 1 0");
    assert_eq!(log[3], "ba: UserJoined ann 3 10 Lan");
}

#[test]
fn second_bytes_of_characters_are_not_checked_as_characters() {
    let vector = vector("user_information_shift_jis");
    let (name, rest) = (&vector[..2], &vector[3..]);
    let emulator = rest.split(|byte| *byte == 0).next().unwrap();
    let mut world = World::new(Rules {
        charset: SHIFT_JIS,
        ..Rules::default()
    });
    for (seat, name) in [('a', name), ('b', &[0x95, 0x5C]), ('c', &[0x83, 0x7C])] {
        world.login(
            seat,
            Login {
                emulator,
                ..login(name)
            },
        );
    }
    assert_eq!(world.lobby.users(), 3);
    world.login('d', login(b"a\\b"));
    world.login('e', login(b"a|b"));
    assert_eq!(world.lobby.users(), 3);
    let user = world.lobby.users.get(key('a')).unwrap();
    assert_eq!(
        (&*user.name, &*user.emulator),
        (name, &b"Project 64k 0.13 (01 Aug 2003)"[..])
    );
}

#[test]
fn admin_clients_are_told_their_level() {
    let mut world = World::new(Rules::default());
    let emulator = b"EmulinkerSF Admin Client 1.0";
    world.login(
        'a',
        Login {
            emulator,
            ..login(b"a")
        },
    );
    assert_eq!(world.take()[2], "a: Info server: :ACCESS=Normal");
}

#[test]
fn admin_clients_of_super_admins_are_told_who_is_here() {
    use crate::access::Rules as AccessRules;
    let rules = "user,SUPERADMIN,192.0.2.97\nuser,ADMIN,192.0.2.98";
    let mut world = World::new(Rules::default());
    let rules = AccessRules::parse(rules).rules.into();
    world
        .lobby
        .set_access_rules(world.now, rules, &mut world.sink);
    let users: Vec<String> = (0..9).map(|n| format!("{n}{}", "u".repeat(29))).collect();
    for (seat, name) in ('p'..).zip(&users) {
        world.login(seat, login(name.as_bytes()));
    }
    world.create('p', "Game");
    world.start('p');
    world.take();
    let emulator = b"EmulinkerSF Admin Client 1.0";
    let data = |world: &mut World, seat: char, name: &str| {
        let name = name.as_bytes();
        world.login(
            seat,
            Login {
                emulator,
                ..login(name)
            },
        );
        let mut log = world.take();
        log.retain(|line| line.contains(": :"));
        log
    };
    let log = data(&mut world, 'a', "a");
    assert_eq!(log[0], "a: Info server: :ACCESS=SuperAdmin");
    let lines: Vec<&str> = log[1..]
        .iter()
        .map(|line| line.strip_prefix("a: Info server: :USERINFO=").unwrap())
        .collect();
    // A record ends each line, and a line ends with the record that makes it long.
    let record = |line: &str| line.rfind('\x03') == Some(line.len() - 1);
    assert!(lines.iter().all(|line| record(line)));
    let (last, full) = lines.split_last().unwrap();
    assert!(!full.is_empty() && last.len() + 10 <= 300);
    for line in full {
        let before = line[..line.len() - 1].rfind('\x03').unwrap() + 1;
        assert!(line.len() + 10 > 300 && before + 10 <= 300, "{line}");
    }
    let records: Vec<String> = lines
        .concat()
        .split_terminator('\x03')
        .map(String::from)
        .collect();
    assert_eq!(records.len(), 10);
    // Number, address, level, name, whole ping, status, type: no words, no units.
    let first = format!("1\x02192.0.2.48\x02Normal\x02{}\x0210\x020\x021", users[0]);
    assert_eq!(records[0], first, "it plays");
    let second = format!("2\x02192.0.2.49\x02Normal\x02{}\x0210\x021\x021", users[1]);
    assert_eq!(records[1], second, "it is idle");
    assert_eq!(
        records[9],
        "10\x02192.0.2.97\x02SuperAdmin\x02a\x0210\x021\x021"
    );

    // An admin with such a client sees no addresses, and the super admin hears of it.
    let log = data(&mut world, 'b', "b");
    let joined = "a: Info server: :USERINFO=11\x02192.0.2.98\x02Admin\x02b\x0210\x021\x021";
    assert_eq!(log, ["b: Info server: :ACCESS=Admin", joined]);
    // Who has another client is told nothing of this, whatever its level.
    world.quit('a', "");
    world.take();
    world.login('a', login(b"a"));
    assert!(world.take().iter().all(|line| !line.contains(": :")));
}

#[test]
fn long_lists_come_in_parts_below_300_bytes() {
    let mut world = World::new(Rules::default());
    let names: Vec<String> = (0..40).map(|n| format!("{n:030}")).collect();
    for (seat, name) in ('a'..).zip(&names) {
        world.login(
            seat,
            Login {
                emulator: &[b'e'; 126],
                ..login(name.as_bytes())
            },
        );
    }
    let rom = "r".repeat(126);
    world.create('a', &rom);
    world.create('b', &rom);
    let mut sizes = Vec::new();
    let mut sink = OnNotice(|message: &ServerMessage<'_>| {
        if let ServerMessage::ServerStatus {
            users,
            games,
            entries,
        } = *message
        {
            sizes.push((users, games, entries.len()));
        }
    });
    let newcomer = UserKey {
        seat: 99,
        generation: 0,
    };
    world
        .lobby
        .login(world.now, newcomer, login(b"new"), &mut sink);
    assert_eq!(sizes.iter().map(|part| part.0).sum::<u32>(), 40);
    assert_eq!(sizes.iter().map(|part| part.1).sum::<u32>(), 2);
    assert!(sizes.iter().all(|part| part.2 < 300));
    assert_eq!(sizes[0], (7, 0, 7 * 39));
}

#[test]
fn elevated_users_pass_the_full_room_and_others_do_not() {
    assert!(AccessLevel::Normal < AccessLevel::Elevated);
    let mut world = World::gather("ab");
    world.enter("cd");
    world.game_chat('a', "/maxusers 2");
    world.take();
    world.lobby.users.get_mut(key('d')).unwrap().level = AccessLevel::Elevated;
    world.join('c', 1);
    world.expect([
        "c: Info server: You cannot join: this room is full",
        "c: QuitGame c 3",
    ]);
    world.join('d', 1);
    assert_eq!(world.take()[0], "abcd: GameStatus 1 Waiting 3/2");
}

#[test]
fn status_bytes_are_exchanged_for_the_client_that_reads_them_so() {
    for (switch, user, game) in [(false, 0, 2), (true, 2, 1)] {
        let mut world = World::playing("a");
        world.lobby.rules.switch_status_bytes = switch;
        let mut list = Vec::new();
        let mut sink = OnNotice(|message: &ServerMessage<'_>| {
            if let ServerMessage::ServerStatus { entries, .. } = *message {
                list = entries.to_vec();
            }
        });
        let emulator = b"Project 64k 0.13 (01 Aug 2003)";
        let newcomer = Login {
            emulator,
            ..login(b"z")
        };
        world.lobby.login(world.now, key('z'), newcomer, &mut sink);
        assert_eq!(list[2 + 4], user);
        assert_eq!(list.last(), Some(&game));
    }
}

/// The body of a message of the vectors, without the leading empty name of requests.
pub(super) fn vector(name: &str) -> Vec<u8> {
    let json = include_str!("../../../tests/data/lobby.json");
    let json: serde_json::Value = serde_json::from_str(json).unwrap();
    let messages = json["messages"].as_array().unwrap();
    let message = messages
        .iter()
        .find(|message| message["name"] == name)
        .unwrap();
    let hex = message["body_hex"].as_str().unwrap();
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(byte).collect()
}
