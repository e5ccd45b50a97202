//! Watching, coming back, and members without a seat (kaillera.md 8.8).

use super::*;
use crate::lobby::{WatchEnd, rules::WatcherNumber};

impl World {
    fn answer_watch(&mut self, seat: char, index: u8) {
        let game = self.game(0);
        self.lobby
            .watch_answered(game, key(seat), index, &mut self.sink);
        self.lobby.check_invariants();
    }

    fn end_watch(&mut self, seat: char, index: u8, end: WatchEnd) {
        let game = self.game(0);
        self.lobby
            .watch_ended(game, key(seat), index, end, &mut self.sink);
        self.lobby.check_invariants();
    }

    fn returned(&mut self, seat: char, player: usize) {
        let game = self.game(0);
        self.lobby
            .returned(self.now, game, key(seat), player, &mut self.sink);
        self.lobby.check_invariants();
    }
}

const BEGINS: &str = "c: GameChat Server: You see this game from its start, and what you press has \
                      no effect. Take your emulator's speed limit off to catch up.";

/// `a` and `b` play, `c` watches and its emulator runs.
fn watched() -> World {
    let mut world = World::playing("ab");
    world.enter("c");
    world.chat('c', "/watch 1");
    world.join('c', 1);
    world.answer_watch('c', 0);
    world.ready("c");
    world.take();
    world
}

#[test]
fn a_running_game_is_watched_by_a_word_and_a_join() {
    let mut world = World::playing("ab");
    world.enter("c");
    world.join('c', 1);
    assert!(world.take()[2].contains("Say /watch 1 and join again"));
    world.chat('c', "/watch 1");
    world.expect(["c: Info server: Join room 1 now to watch it."]);
    world.join('c', 1);
    world.expect([
        "abc: GameStatus 1 Playing 2/8",
        "c: PlayerInformation 2",
        "abc: JoinGame 1 c 10 3 Lan",
        "watch 0 #0 6 None",
    ]);
    world.ready("c");
    world.expect([]);
    world.answer_watch('c', 0);
    world.answer_watch('c', 0);
    world.expect([BEGINS, "c: StartGame 6 3/2"]);
    world.ready("cc");
    world.expect(["c: AllReady"]);
    world.drop('c');
    world.expect(["unwatch 0 #0", "c: PlayerDrop c 3"]);
    world.drop('c');
    world.ready("c");
    world.answer_watch('c', 0);
    world.expect([]);
    world.quit_game('c');
    world.expect([
        "ab: QuitGame c 3",
        "abc: GameStatus 1 Playing 2/8",
        "c: QuitGame c 3",
    ]);
}

#[test]
fn whoever_is_not_like_the_players_would_see_another_game() {
    let mut world = World::playing("a");
    let emulator = b"EMU 2";
    world.login(
        'b',
        Login {
            emulator,
            ..login(b"b")
        },
    );
    let connection_type = ConnectionType::Bad;
    world.login(
        'c',
        Login {
            connection_type,
            ..login(b"c")
        },
    );
    world.wait(2000);
    world.take();
    for (seat, reason) in [('b', "emulators"), ('c', "connection types")] {
        world.chat(seat, "/watch 1");
        world.take();
        world.join(seat, 1);
        assert_eq!(
            world.take()[0],
            format!("{seat}: Info server: You cannot join: The {reason} differ.")
        );
    }
    for (seat, reason) in [('b', "emulators"), ('c', "connection types")] {
        let mut world = World::gather("a");
        let emulator = if seat == 'b' {
            &b"EMU 2"[..]
        } else {
            b"EMU 1.0"
        };
        let connection_type = match seat {
            'c' => ConnectionType::Bad,
            _ => ConnectionType::Lan,
        };
        world.login(
            seat,
            Login {
                emulator,
                connection_type,
                ..login(b"x")
            },
        );
        world.join(seat, 1);
        world.take();
        world.wait(2000);
        world.game_chat(seat, "/watch");
        world.expect([&format!("{seat}: GameChat Server: The {reason} differ.")]);
    }
    world.chat('b', "/watch 9");
    world.wait(2000);
    world.chat('b', "/watch");
    let log = world.take();
    assert!(
        log.last().unwrap().contains("Use: /watch <room>"),
        "{log:?}"
    );
}

#[test]
fn watching_can_be_switched_off_by_the_operator_and_the_owner() {
    let mut world = World::new(Rules {
        watching: false,
        ..Rules::default()
    });
    world.enter("ab");
    world.create('a', "Game");
    world.start('a');
    world.take();
    world.join('b', 1);
    assert!(world.take()[0].ends_with("You cannot join: the game has started"));
    world.chat('b', "/watch 1");
    world.expect(["b: Info server: This room cannot be watched."]);
    world.wait(2000);
    world.game_chat('a', "/watch");
    world.expect(["a: GameChat Server: This room cannot be watched."]);

    let mut world = World::gather("a");
    world.enter("b");
    world.wait(2000);
    world.game_chat('a', "/watchers off");
    world.expect(["a: GameChat Server: Nobody may watch this room's games."]);
    world.start('a');
    world.chat('b', "/watch 1");
    world.take();
    world.join('b', 1);
    assert_eq!(
        world.take()[0],
        "b: Info server: You cannot join: This room cannot be watched."
    );
    world.wait(2000);
    world.game_chat('a', "/watchers on");
    world.expect(["a: GameChat Server: Others may watch this room's games."]);
    world.wait(2000);
    world.game_chat('a', "/watchers maybe");
    assert!(world.take()[0].contains("Use: /watchers"));
}

#[test]
fn a_watcher_takes_nobodys_place() {
    let mut world = World::gather("ab");
    world.wait(2000);
    world.game_chat('a', "/maxusers 2");
    world.enter("cd");
    world.chat('c', "/watch 1");
    world.join('c', 1);
    world.take();
    world.wait(2000);
    world.game_chat('b', "/watch");
    world.expect([
        "abc: GameChat Server: b watches the game.",
        "abcd: GameStatus 1 Waiting 1/2",
    ]);
    world.start('a');
    world.expect([
        "begin 0 Lan [1]",
        "abcd: GameStatus 1 Synchronizing 1/2",
        "a: StartGame 1 1/1",
        "watch 0 #0 6 None",
        "watch 0 #1 6 None",
    ]);
    world.answer_watch('b', 0);
    world.ready("b");
    world.take();
    world.ready("a");
    assert_eq!(
        world.take()[2],
        "ab: AllReady",
        "who loads is waited for by nobody"
    );
    world.answer_watch('c', 1);
    world.ready("c");
    assert!(world.take().contains(&"c: AllReady".to_owned()));
    world.drop('a');
    world.expect([
        "abcd: GameStatus 1 Waiting 1/2",
        "abc: PlayerDrop a 1",
        "remove 0 0",
        "unwatch 0 #0",
        "b: PlayerDrop b 2",
        "unwatch 0 #1",
        "c: PlayerDrop c 2",
        "end 0",
    ]);
    world.wait(2000);
    world.game_chat('b', "/unwatch");
    world.expect([
        "abc: GameChat Server: b no longer watches the game.",
        "abcd: GameStatus 1 Waiting 2/2",
    ]);
    world.wait(2000);
    world.game_chat('c', "/unwatch");
    world.expect(["c: GameChat Server: this room is full"]);
    world.start('a');
    assert_eq!(world.take()[0], "begin 0 Lan [1, 1]");
}

#[test]
fn a_room_of_watchers_does_not_start() {
    let mut world = World::gather("a");
    world.wait(2000);
    world.game_chat('a', "/watch");
    world.take();
    world.start('a');
    world.expect(["a: GameChat Error: Everybody here only watches."]);
}

#[test]
fn who_cannot_be_shown_the_game_stays_as_a_member() {
    let mut world = World::playing("ab");
    world.enter("c");
    world.chat('c', "/watch 1");
    world.join('c', 1);
    world.take();
    world.end_watch('c', 9, WatchEnd::Refused);
    world.expect([]);
    world.end_watch('c', 0, WatchEnd::Refused);
    world.expect([
        "c: GameChat Server: This room cannot be watched.",
        "unwatch 0 #0",
        "c: PlayerDrop c 3",
    ]);
    let mut world = watched();
    world.end_watch('c', 0, WatchEnd::Outrun);
    assert_eq!(
        world.take()[0],
        "c: GameChat Server: You no longer watch this game."
    );
    world.wait(2000);
    world.game_chat('c', "hi");
    world.expect(["abc: GameChat c: hi"]);
}

#[test]
fn the_number_of_watchers_can_be_zero() {
    let mut world = World::new(Rules {
        watcher_number: WatcherNumber::Zero,
        ..Rules::default()
    });
    world.enter("ab");
    world.create('a', "Game");
    world.start('a');
    world.ready("a");
    world.chat('b', "/watch 1");
    world.join('b', 1);
    world.take();
    world.answer_watch('b', 0);
    assert_eq!(world.take()[1], "b: StartGame 6 0/1");
}

#[test]
fn watchers_leave_in_every_way() {
    let mut world = watched();
    world.quit('c', "");
    assert_eq!(
        world.take()[..3],
        ["unwatch 0 #0", "c: PlayerDrop c 3", "ab: QuitGame c 3"]
    );
    let mut world = watched();
    world.depart('c', Departure::Reconnected);
    assert_eq!(world.take()[..2], ["unwatch 0 #0", "ab: QuitGame c 3"]);
    let mut world = watched();
    world.kick('a', 3);
    assert_eq!(world.take()[0], "unwatch 0 #0");
    let mut world = watched();
    world.quit_game('a');
    world.expect([
        "abc: PlayerDrop a 1",
        "remove 0 0",
        "bc: QuitGame a 1",
        "abc: CloseGame 1",
        "end 0",
        "a: QuitGame a 1",
    ]);
}

/// One that is above the limits enters a running game and has no slot in it.
#[test]
fn ready_and_drop_of_a_member_without_a_seat_do_nothing() {
    let mut world = World::playing("ab");
    world.enter("c");
    world.lobby.users.get_mut(key('c')).unwrap().level = crate::lobby::AccessLevel::Elevated;
    world.join('c', 1);
    world.take();
    world.ready("c");
    world.drop('c');
    world.drop('c');
    world.ready("c");
    world.expect([]);
    world.drop('a');
    world.expect(["abc: PlayerDrop a 1", "remove 0 0"]);
    world.quit_game('c');
    world.take();
    world.drop('b');
    assert!(world.take().contains(&"end 0".to_owned()));
}

fn lost(come_back: bool) -> World {
    let mut world = World::new(Rules {
        come_back,
        create_game_flood: Duration::ZERO,
        ..Rules::default()
    });
    world.enter("abc");
    world.create('a', "Game");
    world.join('b', 1);
    world.join('c', 1);
    world.start('a');
    world.ready("abc");
    world.depart('b', Departure::ConnectionLost);
    world.take();
    world
}

#[test]
fn a_lost_player_comes_back_to_its_seat() {
    let mut world = lost(true);
    world.login('b', login(b"b"));
    world.take();
    world.join('b', 1);
    let log = world.take();
    assert_eq!(log.last().unwrap(), "watch 0 #0 2 Some(1)");
    world.answer_watch('b', 0);
    assert_eq!(world.take()[1], "b: StartGame 2 2/3");
    world.ready("b");
    world.expect(["b: AllReady"]);
    world.returned('b', 1);
    world.expect(["reseat 0 1", "acb: GameChat Server: b is back in the game."]);
    world.drop('a');
    world.drop('c');
    world.take();
    world.drop('b');
    world.expect([
        "acb: GameStatus 1 Waiting 3/8",
        "acb: PlayerDrop b 2",
        "remove 0 1",
        "end 0",
    ]);
}

#[test]
fn one_that_left_again_on_its_way_back_is_gone() {
    let mut world = lost(true);
    world.login('b', login(b"b"));
    world.join('b', 1);
    world.take();
    world.quit_game('b');
    assert_eq!(world.take()[..2], ["unwatch 0 #0", "b: PlayerDrop b 2"]);
    world.returned('b', 1);
    world.expect(["reseat 0 1", "remove 0 1"]);
}

/// All that a client sends must be the same, and it must have been lost, not left.
#[test]
fn nobody_else_takes_a_lost_seat() {
    let running = "You cannot join: the game has started";
    let mut world = lost(false);
    world.login('b', login(b"b"));
    world.take();
    world.join('b', 1);
    assert!(world.take()[0].contains(running), "it is an option");

    for other in [
        Login {
            address: address(9),
            ..login(b"b")
        },
        Login {
            emulator: b"EMU 2",
            ..login(b"b")
        },
        Login {
            connection_type: ConnectionType::Bad,
            ..login(b"b")
        },
        Login {
            address: address(b'b'),
            ..login(b"B")
        },
    ] {
        let mut world = lost(true);
        world.login('b', other);
        world.take();
        world.join('b', 1);
        assert!(world.take()[0].contains(running));
    }

    let mut world = lost(true);
    world.quit('c', "");
    world.login('c', login(b"c"));
    world.take();
    world.join('c', 1);
    assert!(world.take()[0].contains(running), "it left by itself");
}
