use super::*;
use crate::lobby::sync::Desync;

#[test]
fn a_game_starts_and_goes() {
    let mut world = World::gather("ab");
    world.enter("c");
    world.start('a');
    world.expect([
        "begin 0 Lan [1, 1]",
        "abc: GameStatus 1 Synchronizing 2/8",
        "a: StartGame 1 1/2",
        "b: StartGame 1 2/2",
    ]);
    world.ready("bb");
    world.expect([]);
    world.ready("a");
    world.expect([
        "play 0",
        "abc: GameStatus 1 Playing 2/8",
        "ab: AllReady",
        "ab: GameChat Server: P1 Delay = 1 (1 frame delay)",
        "ab: GameChat Server: P2 Delay = 1 (1 frame delay)",
    ]);
    world.ready("ab");
    world.expect([]);
    assert_eq!(world.lobby.poll_timeout(), None);
}

#[test]
fn delays_follow_the_unrounded_ping() {
    let mut world = World::new(Rules::default());
    for (seat, micros) in [('a', 16_600), ('b', 16_700)] {
        let name = seat.to_string();
        let ping = Duration::from_micros(micros);
        world.login(
            seat,
            Login {
                ping,
                ..login(name.as_bytes())
            },
        );
    }
    world.create('a', "Game");
    world.join('b', 1);
    world.take();
    world.start('a');
    assert_eq!(world.take()[0], "begin 0 Lan [1, 2]");
    world.drop('a');
    world.drop('b');
    world.game_chat('a', "/samedelay true");
    world.take();
    world.start('a');
    world.ready("ab");
    let log = world.take();
    assert_eq!(log[0], "begin 0 Lan [2, 2]");
    assert_eq!(
        log.last().unwrap(),
        "ab: GameChat Server: Delay of all players = 2 (2 frame delay)"
    );
}

#[test]
fn starts_refused() {
    let mut world = World::gather("ab");
    world.enter("c");
    world.start('c');
    world.start('b');
    world.expect([
        "c: GameChat Error: You are not in a room.",
        "b: GameChat Error: Only the room's owner can start.",
    ]);
    world.start('a');
    world.take();
    world.start('a');
    world.ready("ab");
    world.start('a');
    world.drop('b');
    world.start('a');
    let log = world.take();
    assert_eq!(
        log[0],
        "a: GameChat Error: Players are still getting ready."
    );
    let playing = "a: GameChat Error: Not everyone has left the last game.";
    assert_eq!(log.iter().filter(|line| *line == playing).count(), 2);
}

#[test]
fn different_types_and_emulators_do_not_start() {
    let mut world = World::gather("a");
    world.login(
        'b',
        Login {
            emulator: b"EMU 2",
            ..login(b"b")
        },
    );
    world.join('b', 1);
    world.take();
    world.start('a');
    world.expect([
        "ab: GameChat Server: All players must use the owner's emulator version: EMU 1.0",
        "a: GameChat Error: The emulators differ.",
    ]);
    world.login(
        'c',
        Login {
            connection_type: ConnectionType::Good,
            ..login(b"c")
        },
    );
    world.join('c', 1);
    world.take();
    world.start('a');
    world.expect([
        "abc: GameChat Server: All players must choose the owner's connection type: LAN",
        "a: GameChat Error: The connection types differ.",
    ]);
}

#[test]
fn one_alone_plays_where_the_rules_allow_it() {
    let mut world = World::gather("a");
    world.lobby.rules.allow_single_player = false;
    world.start('a');
    world.expect(["a: GameChat Error: At least two players are needed here."]);
    world.lobby.rules.allow_single_player = true;
    world.start('a');
    assert_eq!(world.take()[2], "a: StartGame 1 1/1");
}

#[test]
fn chat_rooms_do_not_start() {
    let mut world = World::with("a");
    world.create('a', "*Chat (not game)");
    world.take();
    world.start('a');
    world.expect([]);
}

#[test]
fn players_drop_one_after_the_other() {
    let mut world = World::playing("abc");
    world.enter("d");
    world.drop('b');
    world.expect(["abc: PlayerDrop b 2", "remove 0 1"]);
    world.drop('b');
    world.drop('d');
    world.expect([]);
    world.drop('c');
    world.expect(["abc: PlayerDrop c 3", "remove 0 2"]);
    world.drop('a');
    world.expect([
        "abcd: GameStatus 1 Waiting 3/8",
        "abc: PlayerDrop a 1",
        "remove 0 0",
        "end 0",
    ]);
    world.start('a');
    assert_eq!(world.take()[0], "begin 0 Lan [1, 1, 1]");
}

#[test]
fn a_drop_or_quit_while_loading_does_not_hold_up_the_others() {
    let mut world = World::gather("abc");
    world.start('a');
    world.ready("ac");
    world.take();
    world.drop('b');
    world.expect([
        "abc: PlayerDrop b 2",
        "remove 0 1",
        "play 0",
        "abc: GameStatus 1 Playing 3/8",
        "ac: AllReady",
        "abc: GameChat Server: P1 Delay = 1 (1 frame delay)",
        "abc: GameChat Server: P3 Delay = 1 (1 frame delay)",
    ]);

    let mut world = World::gather("abc");
    world.start('a');
    world.ready("ac");
    world.take();
    world.quit_game('b');
    let log = world.take();
    assert_eq!(
        log[..7],
        [
            "abc: PlayerDrop b 2",
            "remove 0 1",
            "ac: QuitGame b 2",
            "abc: GameStatus 1 Synchronizing 2/8",
            "b: QuitGame b 2",
            "play 0",
            "abc: GameStatus 1 Playing 2/8",
        ]
    );
}

#[test]
fn everybody_drops_while_loading() {
    let mut world = World::gather("ab");
    world.start('a');
    world.take();
    world.drop('a');
    world.drop('b');
    world.expect([
        "ab: PlayerDrop a 1",
        "remove 0 0",
        "ab: GameStatus 1 Waiting 2/8",
        "ab: PlayerDrop b 2",
        "remove 0 1",
        "end 0",
    ]);
    assert_eq!(world.lobby.poll_timeout(), None);
}

#[test]
fn a_player_leaves_a_running_game() {
    let mut world = World::playing("abc");
    world.quit_game('b');
    world.expect([
        "abc: PlayerDrop b 2",
        "remove 0 1",
        "ac: QuitGame b 2",
        "abc: GameStatus 1 Playing 2/8",
        "b: QuitGame b 2",
    ]);
    world.drop('c');
    world.expect(["ac: PlayerDrop c 3", "remove 0 2"]);
}

#[test]
fn the_owner_leaves_a_running_game() {
    let mut world = World::playing("ab");
    world.quit_game('a');
    world.expect([
        "ab: PlayerDrop a 1",
        "remove 0 0",
        "b: QuitGame a 1",
        "ab: CloseGame 1",
        "end 0",
        "a: QuitGame a 1",
    ]);
}

#[test]
fn the_missing_are_dropped_in_time() {
    let mut world = World::gather("abc");
    world.start('a');
    world.ready("a");
    world.take();
    let deadline = world.now + Duration::from_secs(130);
    assert_eq!(world.lobby.poll_timeout(), Some(deadline));
    world.wait(129_999);
    world.lobby.handle_timeout(world.now, &mut world.sink);
    world.expect([]);
    world.wait(1);
    world.lobby.handle_timeout(world.now, &mut world.sink);
    world.lobby.check_invariants();
    world.expect([
        "abc: GameChat Server: b did not get ready in time.",
        "abc: PlayerDrop b 2",
        "remove 0 1",
        "abc: GameChat Server: c did not get ready in time.",
        "abc: PlayerDrop c 3",
        "remove 0 2",
        "play 0",
        "abc: GameStatus 1 Playing 3/8",
        "a: AllReady",
        "abc: GameChat Server: P1 Delay = 1 (1 frame delay)",
    ]);
}

#[test]
fn nobody_is_ready_in_time() {
    let mut world = World::gather("a");
    world.start('a');
    world.take();
    world.wait(130_000);
    world.lobby.handle_timeout(world.now, &mut world.sink);
    world.lobby.check_invariants();
    world.expect([
        "a: GameChat Server: a did not get ready in time.",
        "a: GameStatus 1 Waiting 1/8",
        "a: PlayerDrop a 1",
        "remove 0 0",
        "end 0",
    ]);
}

#[test]
fn many_players_get_two_lines_of_delays_at_most() {
    for count in [4, 16, 100] {
        let mut world = World::new(Rules {
            room_capacity: 100,
            quiet_games_above: 0,
            ..Rules::default()
        });
        let seats: String = ('a'..).take(count).collect();
        for (index, seat) in seats.chars().enumerate() {
            let name = format!("user{index}");
            let ping = Duration::from_millis(10 * index as u64);
            world.login(
                seat,
                Login {
                    ping,
                    ..login(name.as_bytes())
                },
            );
        }
        world.create('a', "Game");
        seats.chars().skip(1).for_each(|seat| world.join(seat, 1));
        world.start('a');
        world.take();
        world.ready(&seats);
        let log = world.take();
        assert_eq!(log[0], "play 0");
        assert!(log[2].ends_with(": AllReady"));
        let lines = &log[3..];
        assert!((1..=2).contains(&lines.len()), "{lines:?}");
        assert!(lines[0].contains("GameChat Server: Delay (frames): P1 1 (1), P2 1 (1), P3 2 (2)"));
        assert!(
            lines
                .iter()
                .all(|line| line.rsplit(": ").next().unwrap().len() <= 200)
        );
    }
}

#[test]
fn the_room_hears_who_is_out_of_sync() {
    let mut world = World::new(Rules {
        drop_stalled: false,
        ..Rules::default()
    });
    world.enter("ab");
    world.create('a', "Game");
    world.join('b', 1);
    world.start('a');
    world.ready("ab");
    world.take();
    let game = world.game(0);
    for cause in [Desync::Gap, Desync::Stall(Duration::from_secs(12))] {
        world
            .lobby
            .desynchronised(world.now, game, 1, cause, &mut world.sink);
    }
    world
        .lobby
        .bad_cache_index(world.now, game, 0, &mut world.sink);
    world.expect([
        "ab: GameChat Out of sync!: A packet from b was lost.",
        "ab: GameChat Out of sync!: b does not answer.",
        "a: GameChat Error: Your inputs were not understood; your game may differ from the others'.",
    ]);
    world.drop('b');
    world.take();
    world
        .lobby
        .desynchronised(world.now, game, 1, Desync::Gap, &mut world.sink);
    world
        .lobby
        .desynchronised(world.now, game, 9, Desync::Gap, &mut world.sink);
    world.quit('a', "");
    world.take();
    world
        .lobby
        .bad_cache_index(world.now, game, 0, &mut world.sink);
    world.expect([]);
}

#[test]
fn players_are_spared_the_lobby_when_it_is_crowded() {
    let mut world = World::new(Rules {
        quiet_games_above: 3,
        ..Rules::default()
    });
    world.enter("abcd");
    world.create('a', "Game");
    world.join('b', 1);
    world.take();
    world.start('a');
    world.expect([
        "begin 0 Lan [1, 1]",
        "abcd: GameStatus 1 Synchronizing 2/8",
        "ab: GameChat Server: Lobby messages are held back while you play.",
        "a: StartGame 1 1/2",
        "b: StartGame 1 2/2",
    ]);
    world.ready("ab");
    assert_eq!(world.take()[1], "abcd: GameStatus 1 Playing 2/8");
    world.chat('c', "hi");
    world.create('d', "Other");
    world.expect([
        "cd: Chat c: hi",
        "cd: CreateGame d Other EMU 1.0 2",
        "cd: GameStatus 2 Waiting 1/8",
        "d: PlayerInformation 0",
        "d: JoinGame 2 d 10 4 Lan",
        "cd: Info server: d opened a room: Other",
    ]);
    world.drop('b');
    world.expect([
        "ab: PlayerDrop b 2",
        "remove 0 1",
        "b: GameChat Server: Lobby messages were held back; log in again to refresh your lists.",
    ]);
    world.quit_game('d');
    world.expect(["bcd: CloseGame 2", "d: QuitGame d 4"]);
    world.quit('b', "");
    world.take();
    world.quit_game('a');
    let log = world.take();
    assert!(log.contains(&"acd: CloseGame 1".to_owned()), "{log:?}");
}

/// By default with more than 60 users.
#[test]
fn sixty_users_are_no_crowd_and_sixty_one_are() {
    for (count, is_spared) in [(60, false), (61, true)] {
        let mut world = World::new(Rules::default());
        for (n, seat) in ('a'..).take(count).enumerate() {
            world.login(seat, login(format!("{n}").as_bytes()));
        }
        world.create('a', "Game");
        world.take();
        world.start('a');
        let log = world.take();
        let told = "a: GameChat Server: Lobby messages are held back while you play.";
        assert_eq!(log.contains(&told.to_owned()), is_spared, "{count}");
    }
}

#[test]
fn spared_members_get_the_lobby_back_when_their_room_closes() {
    let mut world = World::gather("ab");
    world.game_chat('b', "/p2pon");
    world.start('a');
    world.ready("ab");
    world.take();
    world.chat('a', "hi");
    world.expect(["a: Chat a: hi"]);
    world.quit('a', "");
    world.expect([
        "ab: PlayerDrop a 1",
        "remove 0 0",
        "b: QuitGame a 1",
        "b: CloseGame 1",
        "end 0",
        "b: Info server: Lobby messages were held back; log in again to refresh your lists.",
        "a: QuitGame a 1",
        "b: Quit a 1 `Left the server`",
        "a: Quit a 1 `Left the server`",
        "close a Left",
    ]);
}

#[test]
fn the_owner_wakes_the_room() {
    let mut world = World::gather("ab");
    world.game_chat('a', "/p2pon");
    world.start('a');
    world.take();
    world.game_chat('a', "/p2poff");
    let woken =
        "GameChat Server: Lobby messages were held back; log in again to refresh your lists.";
    world.expect([
        "ab: GameChat Server: You get lobby messages during games.",
        &format!("a: {woken}"),
        &format!("b: {woken}"),
    ]);
}
