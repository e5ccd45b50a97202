//! Who plays as whom, when, and with which delay (kaillera-server.md 7.5).

use super::*;

fn starts(world: &mut World) -> Vec<String> {
    let log = world.take();
    let starts = log.iter().filter(|line| line.contains(": StartGame"));
    starts.cloned().collect()
}

/// `count` users in a room of a hundred.
fn crowd(count: usize) -> (World, String) {
    let mut world = World::new(Rules {
        room_capacity: 100,
        quiet_games_above: 0,
        ..Rules::default()
    });
    let seats: String = ('a'..).take(count).collect();
    for (index, seat) in seats.chars().enumerate() {
        let name = format!("user{index}");
        world.login(seat, login(name.as_bytes()));
    }
    world.create('a', "Game");
    seats.chars().skip(1).for_each(|seat| world.join(seat, 1));
    world.take();
    (world, seats)
}

#[test]
fn a_swap_shows_in_the_start_message_and_in_the_slots() {
    let mut world = World::gather("abc");
    world.wait(2000);
    world.game_chat('a', "/swap 312");
    world.expect([
        "abc: GameChat Server: From the next start a is player 3.",
        "abc: GameChat Server: From the next start b is player 1.",
        "abc: GameChat Server: From the next start c is player 2.",
    ]);
    world.start('a');
    assert_eq!(
        starts(&mut world),
        [
            "a: StartGame 1 3/3",
            "b: StartGame 1 1/3",
            "c: StartGame 1 2/3"
        ]
    );
    assert_eq!(world.sink.players, ['b', 'c', 'a'].map(key));
    world.ready("abc");
    world.take();
    world.drop('b');
    world.expect(["abc: PlayerDrop b 1", "remove 0 0"]);
    world.quit_game('c');
    assert_eq!(world.take()[..2], ["abc: PlayerDrop c 2", "remove 0 1"]);
    world.drop('a');
    assert!(world.take().contains(&"remove 0 2".to_owned()));
}

#[test]
fn a_swap_gives_each_player_its_own_delay() {
    let mut world = World::new(Rules::default());
    for (seat, ping) in [('a', 10), ('b', 40)] {
        let name = seat.to_string();
        let ping = Duration::from_millis(ping);
        let login = login(name.as_bytes());
        world.login(seat, Login { ping, ..login });
    }
    world.create('a', "Game");
    world.join('b', 1);
    world.wait(2000);
    world.game_chat('a', "/swap 21");
    world.take();
    world.start('a');
    let log = world.take();
    assert_eq!(log[0], "begin 0 Lan [3, 1]");
    assert!(log.contains(&"a: StartGame 1 2/2".to_owned()));
    assert!(log.contains(&"b: StartGame 3 1/2".to_owned()));
}

#[test]
fn a_swap_lasts_until_someone_leaves() {
    let mut world = World::gather("abc");
    world.enter("d");
    world.wait(2000);
    world.game_chat('a', "/swap 2 3 1");
    for _ in 0..2 {
        world.start('a');
        world.ready("abc");
        assert_eq!(world.sink.players, ['c', 'a', 'b'].map(key));
        "abc".chars().for_each(|seat| world.drop(seat));
    }
    world.join('d', 1);
    world.start('a');
    assert_eq!(world.sink.players, ['c', 'a', 'b', 'd'].map(key));
    "abcd".chars().for_each(|seat| world.drop(seat));
    world.take();
    world.quit_game('c');
    let log = world.take();
    assert_eq!(
        log.last().unwrap(),
        "abd: GameChat Server: The players have their own numbers again."
    );
    world.start('a');
    assert_eq!(world.sink.players, ['a', 'b', 'd'].map(key));
    world.take();
    world.quit_game('d');
    assert!(!world.take().iter().any(|line| line.contains("numbers")));
}

#[test]
fn only_whole_orders_of_the_owner_swap() {
    let mut world = World::gather("ab");
    for order in ["", "1", "11", "22", "13", "123", "2 1 3", "x", "21 "] {
        world.wait(2000);
        world.game_chat('a', &format!("/swap {order}"));
        let log = world.take();
        let swapped = log.len() == 2;
        assert_eq!(swapped, order == "21 ", "{order}: {log:?}");
        assert!(swapped || log[0].starts_with("a: GameChat Server: The order needs"));
    }
    world.wait(2000);
    world.game_chat('b', "/swap 12");
    world.expect(["b: GameChat Server: Only the room's owner can do that."]);
}

#[test]
fn five_eleven_and_a_hundred_players_swap_and_play() {
    for count in [5, 11, 100] {
        let (mut world, seats) = crowd(count);
        let order: Vec<String> = (1..=count).rev().map(|number| number.to_string()).collect();
        world.wait(2000);
        world.game_chat('a', &format!("/swap {}", order.join(" ")));
        assert_eq!(world.take().len(), count);
        world.start('a');
        let starts = starts(&mut world);
        assert_eq!(starts.len(), count);
        assert_eq!(starts[0], format!("a: StartGame 1 {count}/{count}"));
        let reversed: Vec<UserKey> = seats.chars().rev().map(key).collect();
        assert_eq!(world.sink.players, reversed);
        world.ready(&seats);
        assert!(world.take().iter().any(|line| line.ends_with(": AllReady")));
        for (left, seat) in seats.chars().enumerate() {
            world.drop(seat);
            let log = world.take();
            assert!(
                log.contains(&format!("remove 0 {}", count - 1 - left)),
                "{log:?}"
            );
        }
    }
}

#[test]
fn a_game_starts_with_so_many() {
    let mut world = World::gather("ab");
    world.enter("cd");
    world.wait(2000);
    world.game_chat('a', "/startn 2");
    world.expect(["ab: GameChat Server: The game starts when 2 players are in the room."]);
    world.join('c', 1);
    assert_eq!(starts(&mut world).len(), 3);
    world.ready("abc");
    world.take();
    "abc".chars().for_each(|seat| world.drop(seat));
    assert_eq!(
        world.take().last().unwrap(),
        "abc: GameChat Server: The game no longer starts by itself."
    );
    world.join('d', 1);
    assert_eq!(starts(&mut world), [""; 0]);
}

#[test]
fn a_game_waits_for_its_number_of_players() {
    let mut world = World::gather("a");
    world.enter("bc");
    let usage = "a: GameChat Server: Use: /startn <1-100> starts when that many players are in; /startn off lifts it";
    for wrong in [
        "/startn",
        "/startn 0",
        "/startn 101",
        "/startn -1",
        "/startn 256",
    ] {
        world.wait(2000);
        world.game_chat('a', wrong);
        world.expect([usage]);
    }
    world.wait(2000);
    world.game_chat('a', "/startn 3");
    world.take();
    world.join('b', 1);
    assert_eq!(starts(&mut world), [""; 0]);
    world.wait(2000);
    world.game_chat('a', "/startn off");
    world.expect(["ab: GameChat Server: The game no longer starts by itself."]);
    world.join('c', 1);
    assert_eq!(starts(&mut world), [""; 0]);
}

#[test]
fn a_start_by_number_is_refused_like_any_other() {
    let mut world = World::gather("a");
    let emulator = b"EMU 2";
    world.login(
        'b',
        Login {
            emulator,
            ..login(b"b")
        },
    );
    world.wait(2000);
    world.game_chat('a', "/startn 2");
    world.take();
    world.join('b', 1);
    assert_eq!(
        world.take().last().unwrap(),
        "a: GameChat Server: Did not work: The emulators differ."
    );
}

#[test]
fn players_choose_their_delay_between_games() {
    let mut world = World::gather("ab");
    world.wait(2000);
    world.game_chat('b', "/delay 7");
    world.expect(["ab: GameChat Server: From the next start b has a delay of 7."]);
    world.start('a');
    assert_eq!(world.take()[0], "begin 0 Lan [1, 7]");
    world.wait(2000);
    world.game_chat('a', "/delay 3");
    world.take();
    "ab".chars().for_each(|seat| world.drop(seat));
    world.start('a');
    assert!(world.take().contains(&"begin 0 Lan [3, 7]".to_owned()));
    "ab".chars().for_each(|seat| world.drop(seat));
    world.take();
    world.wait(2000);
    world.game_chat('b', "/delay auto");
    world.expect(["ab: GameChat Server: From the next start b has a delay of 1."]);
    let usage =
        "GameChat Server: Use: /delay <1-60|auto> sets your frame delay from the next start";
    for wrong in [
        "/delay",
        "/delay 0",
        "/delay 61",
        "/delay 99999",
        "/delay x",
    ] {
        world.wait(2000);
        world.game_chat('b', wrong);
        world.expect([&format!("b: {usage}")]);
    }
}

#[test]
fn a_delay_fits_within_a_second() {
    let mut world = World::new(Rules::default());
    let connection_type = ConnectionType::Bad;
    world.login(
        'a',
        Login {
            connection_type,
            ..login(b"a")
        },
    );
    world.create('a', "Game");
    world.take();
    world.wait(2000);
    world.game_chat('a', "/delay 11");
    assert!(world.take()[0].contains("Use: /delay"));
    world.wait(2000);
    world.game_chat('a', "/delay 10");
    world.take();
    world.start('a');
    assert_eq!(world.take()[0], "begin 0 Bad [10]");
}

#[test]
fn delays_are_not_chosen_where_the_rules_say_so() {
    let mut world = World::new(Rules {
        choose_delay: false,
        ..Rules::default()
    });
    world.enter("a");
    world.create('a', "Game");
    world.take();
    world.wait(2000);
    world.game_chat('a', "/delay 7");
    world.expect(["a: GameChat Server: No such command: /delay 7"]);
}
