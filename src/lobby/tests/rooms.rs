use super::*;
use crate::lobby::AccessLevel;

#[test]
fn a_room_opens() {
    let mut world = World::with("ab");
    world.create('a', "Game");
    world.expect([
        "ab: CreateGame a Game EMU 1.0 1",
        "ab: GameStatus 1 Waiting 1/8",
        "a: PlayerInformation 0",
        "a: JoinGame 1 a 10 1 Lan",
        "ab: Info server: a opened a room: Game",
    ]);
}

#[test]
fn whoever_enters_a_room_is_greeted() {
    let mut world = World::new(Rules {
        room_welcome: vec!["one".to_owned(), "x".repeat(201)],
        ..Rules::default()
    });
    world.login('a', login(b"a"));
    world.login('b', login(b"b"));
    world.take();
    let greeting = |seat: char| {
        let [one, two, rest] = ["one".to_owned(), "x".repeat(200), "x".to_owned()];
        [one, two, rest].map(|line| format!("{seat}: GameChat Server: {line}"))
    };
    world.create('a', "Game");
    assert_eq!(world.take()[5..], greeting('a'));
    world.join('b', 1);
    let log = world.take();
    assert_eq!(log[log.len() - 3..], greeting('b'));
    let refused = ClientMessage::JoinGame { game: GameId(1) };
    world.send('b', refused);
    assert_eq!(
        world.take(),
        ["b: Info server: You cannot join: you are in this room already"]
    );
}

#[test]
fn rooms_refused() {
    let mut world = World::with("ab");
    let mut refused = |rom: &[u8]| {
        world.send('a', ClientMessage::CreateGame { rom });
        let log = world.take();
        assert_eq!(log[1], "a: QuitGame a 1");
        let reason = log[0].strip_prefix("a: Info server: Room not created: ");
        reason.unwrap().to_owned()
    };
    assert_eq!(refused(&[b'x'; 127]), "the game name is too long");
    assert_eq!(
        refused(b"a|b"),
        "the game name has characters that are not allowed"
    );
    assert_eq!(
        refused(b"a\x1Fb"),
        "the game name has characters that are not allowed"
    );
    assert_eq!(refused(b""), "the game has no name");
    assert_eq!(refused(b"  "), "the game has no name");
    world.create('a', "Game");
    world.take();
    world.create('a', "Game");
    world.expect(["a: Info server: Room not created: leave your room first"]);
    world.start('a');
    world.take();
    world.create('a', "Game");
    world.expect(["a: Info server: Room not created: a game of yours is still running"]);
    world.quit_game('a');
    world.take();
    world.create('a', "Game");
    world.expect([
        "a: Info server: Room not created: please wait a moment.",
        "a: QuitGame a 1",
    ]);
    world.wait(2000);
    world.lobby.rules.max_games = 1;
    world.create('a', "Game");
    world.take();
    world.create('b', "Game");
    world.expect([
        "b: Info server: Room not created: the server allows 1 rooms at most",
        "b: QuitGame b 2",
    ]);
}

#[test]
fn one_joins() {
    let mut world = World::gather("ab");
    world.enter("c");
    world.join('c', 1);
    world.expect([
        "abc: GameStatus 1 Waiting 3/8",
        "c: PlayerInformation 2",
        "abc: JoinGame 1 c 10 3 Lan",
    ]);
    assert_eq!(world.lobby.games(), 1);
}

#[test]
fn another_emulator_is_named() {
    let mut world = World::gather("a");
    world.login(
        'b',
        Login {
            emulator: b"EMU 2",
            ..login(b"b")
        },
    );
    world.take();
    world.join('b', 1);
    let log = world.take();
    assert_eq!(
        log.last().unwrap(),
        "ab: GameChat Server: b uses another emulator version: EMU 2"
    );
}

#[test]
fn joins_refused() {
    let mut world = World::gather("ab");
    world.enter("cd");
    world.join('a', 1);
    world.expect(["a: Info server: You cannot join: you are in this room already"]);
    world.create('d', "Other");
    world.take();
    world.join('a', 2);
    world.join('a', 7);
    world.expect(["a: Info server: You cannot join: leave your room first"; 2]);
    world.join('c', 7);
    world.expect([
        "c: Info server: You cannot join: this room is gone",
        "c: QuitGame c 3",
    ]);
    let mut refused = |command: &str| {
        world.game_chat('a', command);
        world.take();
        world.join('c', 1);
        let log = world.take();
        assert_eq!(log[1], "c: QuitGame c 3");
        log[0]
            .strip_prefix("c: Info server: You cannot join: ")
            .unwrap()
            .to_owned()
    };
    assert_eq!(refused("/maxusers 2"), "this room is full");
    assert_eq!(refused("/maxusers 1"), "this room is full");
    refused("/maxping 9");
    world.game_chat('a', "/maxusers 8");
    world.game_chat('a', "/maxping 1000");
    world.take();
    world.start('a');
    world.take();
    world.join('c', 1);
    world.expect([
        "c: Info server: You cannot join: the game has started",
        "c: QuitGame c 3",
        "c: Info server: Say /watch 1 and join again to watch this game.",
    ]);
}

#[test]
fn only_the_owners_kind_joins_where_it_says_so() {
    let mut world = World::gather("a");
    world.game_chat('a', "/setemu");
    world.login(
        'b',
        Login {
            emulator: b"EMU 2",
            ..login(b"b")
        },
    );
    world.login(
        'c',
        Login {
            connection_type: ConnectionType::Bad,
            ..login(b"c")
        },
    );
    world.take();
    world.join('b', 1);
    assert_eq!(
        world.take()[0],
        "b: Info server: You cannot join: this room takes only the emulator EMU 1.0"
    );
    world.game_chat('a', "/setconn");
    world.take();
    world.join('c', 1);
    assert_eq!(
        world.take()[0],
        "c: Info server: You cannot join: this room takes only the connection type LAN"
    );
}

#[test]
fn a_member_leaves() {
    let mut world = World::gather("abc");
    world.enter("d");
    world.quit_game('b');
    world.expect([
        "ac: QuitGame b 2",
        "abcd: GameStatus 1 Waiting 2/8",
        "b: QuitGame b 2",
    ]);
    world.quit_game('b');
    world.expect([]);
}

#[test]
fn the_owner_leaves_and_the_room_closes() {
    let mut world = World::gather("abc");
    world.enter("d");
    world.quit_game('a');
    world.expect(["bc: QuitGame a 1", "abcd: CloseGame 1", "a: QuitGame a 1"]);
    assert_eq!(world.lobby.games(), 0);
    world.create('b', "Next");
    assert_eq!(world.take()[0], "abcd: CreateGame b Next EMU 1.0 2");
}

#[test]
fn the_owner_kicks() {
    let mut world = World::gather("abc");
    world.kick('a', 2);
    world.expect([
        "ac: QuitGame b 2",
        "abc: GameStatus 1 Waiting 2/8",
        "b: QuitGame b 2",
    ]);
    world.join('b', 1);
    world.expect([
        "b: Info server: You cannot join: you were removed from this room",
        "b: QuitGame b 2",
    ]);
}

#[test]
fn kicks_refused() {
    let mut world = World::gather("ab");
    world.enter("cd");
    world.kick('c', 1);
    world.kick('b', 1);
    world.kick('a', 1);
    world.kick('a', 3);
    world.kick('a', 99);
    world.expect([
        "c: GameChat Error: You are not in a room.",
        "b: GameChat Error: Only the room's owner can remove players.",
        "a: GameChat Error: You cannot remove yourself.",
        "a: GameChat Error: That user is not in this room.",
        "a: GameChat Error: That user is not in this room.",
    ]);
    world.lobby.users.get_mut(key('b')).unwrap().level = AccessLevel::Admin;
    world.kick('a', 2);
    world.expect([]);
    world.kick('b', 1);
    assert_eq!(world.take()[0], "b: QuitGame a 1");
}

#[test]
fn sixteen_behind_one_address_join_and_one_who_hops_is_barred() {
    let mut world = World::with("a");
    world.create('a', "Game");
    world.game_chat('a', "/maxusers 16");
    let names: Vec<String> = (0..15).map(|n| format!("user{n}")).collect();
    for (seat, name) in ('b'..).zip(&names) {
        world.login(
            seat,
            Login {
                address: address(1),
                ..login(name.as_bytes())
            },
        );
        world.join(seat, 1);
    }
    assert!(
        world
            .take()
            .contains(&"abcdefghijklmnop: GameStatus 1 Waiting 16/16".to_owned())
    );
    world.quit_game('p');
    for _ in 0..3 {
        world.join('p', 1);
        world.quit_game('p');
    }
    world.take();
    world.join('p', 1);
    world.expect([
        "p: Info server: You cannot join: you joined this room too often",
        "p: QuitGame user14 16",
    ]);
    world.quit_game('b');
    world.take();
    world.join('b', 1);
    assert_eq!(
        world.take()[0],
        "b: Info server: You cannot join: you were removed from this room"
    );
}

#[test]
fn a_hundred_members_are_listed() {
    let mut lists = Vec::new();
    let mut sink = OnNotice(|message: &ServerMessage<'_>| {
        if let ServerMessage::PlayerInformation { players, entries } = *message {
            lists.push((players, entries.len()));
        }
    });
    let mut lobby = Lobby::new(Rules {
        room_capacity: 100,
        ..Rules::default()
    });
    let now = Time::ZERO;
    for seat in 0..101 {
        let user = UserKey {
            seat,
            generation: 1,
        };
        let name = format!("{seat:030}");
        lobby.login(now, user, login(name.as_bytes()), &mut sink);
        let request = match seat {
            0 => ClientMessage::CreateGame { rom: b"Game" },
            _ => ClientMessage::JoinGame { game: GameId(1) },
        };
        lobby.message(now, user, &request, &mut sink);
    }
    lobby.check_invariants();
    assert_eq!(lists.len(), 100);
    assert_eq!(lists[99], (99, 99 * 38));
}

#[test]
fn requests_of_strangers_are_ignored() {
    let mut world = World::with("a");
    world.create('a', "Game");
    world.take();
    world.join('z', 1);
    world.start('z');
    world.quit('z', "");
    world.chat('z', "x");
    let stale = UserKey {
        generation: 0,
        ..key('a')
    };
    world
        .lobby
        .message(world.now, stale, &ClientMessage::QuitGame, &mut world.sink);
    world.expect([]);
}
