use super::*;

#[test]
fn one_quits_from_the_lobby() {
    let mut world = World::with("abc");
    world.quit('b', " bye ");
    world.expect(["ac: Quit b 2 `bye`", "b: Quit b 2 `bye`", "close b Left"]);
    world.quit('b', "bye");
    world.expect([]);
    assert_eq!(world.lobby.users(), 2);
}

#[test]
fn parting_words_are_replaced_when_blank_or_long() {
    for words in ["", "  ", &"x".repeat(101)] {
        let mut world = World::with("a");
        world.quit('a', words);
        world.expect(["a: Quit a 1 `Left the server`", "close a Left"]);
    }
    let mut world = World::new(Rules {
        max_quit_message_length: 0,
        ..Rules::default()
    });
    world.enter("a");
    world.quit('a', &"x".repeat(127));
    world.expect(["a: Quit a 1 `Left the server`", "close a Left"]);
}

#[test]
fn one_quits_from_a_room() {
    let mut world = World::gather("ab");
    world.enter("c");
    world.quit('b', "bye");
    world.expect([
        "a: QuitGame b 2",
        "ac: GameStatus 1 Waiting 1/8",
        "b: QuitGame b 2",
        "ac: Quit b 2 `bye`",
        "b: Quit b 2 `bye`",
        "close b Left",
    ]);
}

#[test]
fn the_owner_quits_from_a_running_game() {
    let mut world = World::playing("ab");
    world.enter("c");
    world.quit('a', "bye");
    world.expect([
        "ab: PlayerDrop a 1",
        "remove 0 0",
        "b: QuitGame a 1",
        "bc: CloseGame 1",
        "end 0",
        "a: QuitGame a 1",
        "bc: Quit a 1 `bye`",
        "a: Quit a 1 `bye`",
        "close a Left",
    ]);
}

#[test]
fn the_last_player_quits() {
    let mut world = World::playing("ab");
    world.drop('a');
    world.take();
    world.quit('b', "bye");
    world.expect([
        "ba: GameStatus 1 Waiting 2/8",
        "ab: PlayerDrop b 2",
        "remove 0 1",
        "end 0",
        "a: QuitGame b 2",
        "a: GameStatus 1 Waiting 1/8",
        "b: QuitGame b 2",
        "a: Quit b 2 `bye`",
        "b: Quit b 2 `bye`",
        "close b Left",
    ]);
}

#[test]
fn departures_have_their_words() {
    for (why, words) in [
        (Departure::ConnectionLost, "Connection lost"),
        (Departure::Idle, "Idle for too long"),
        (Departure::Failed, "Removed after an error of the server"),
    ] {
        let mut world = World::with("ab");
        world.depart('b', why);
        let quit = format!("Quit b 2 `{words}`");
        world.expect([&format!("a: {quit}"), &format!("b: {quit}"), "close b Left"]);
        world.depart('b', why);
        world.expect([]);
    }
}

#[test]
fn idling_is_allowed_where_the_rules_say_so() {
    let mut world = World::new(Rules {
        idle_timeout: Duration::ZERO,
        ..Rules::default()
    });
    world.enter("a");
    world.depart('a', Departure::Idle);
    world.expect([]);
}

#[test]
fn one_that_reconnected_is_not_told() {
    let mut world = World::playing("ab");
    world.enter("c");
    world.depart('b', Departure::Reconnected);
    world.expect([
        "a: PlayerDrop b 2",
        "remove 0 1",
        "a: QuitGame b 2",
        "ac: GameStatus 1 Playing 1/8",
        "ac: Quit b 2 `Came back on a new connection`",
    ]);
}

#[test]
fn a_shutdown_is_announced_and_then_everybody_goes() {
    let mut world = World::playing("ab");
    world.enter("c");
    world.lobby.shut_down(world.now, &mut world.sink);
    world.expect([
        "abc: Info server: The server is going down.",
        "ab: GameChat Server: The server is going down.",
    ]);
    world.lobby.close_all(world.now, &mut world.sink);
    world.lobby.check_invariants();
    world.expect([
        "end 0",
        "a: Quit a 1 `The server is going down.`",
        "close a Left",
        "b: Quit b 2 `The server is going down.`",
        "close b Left",
        "c: Quit c 3 `The server is going down.`",
        "close c Left",
    ]);
    assert_eq!((world.lobby.users(), world.lobby.games()), (0, 0));
    world.enter("a");
    assert_eq!(world.lobby.users(), 1);
}
