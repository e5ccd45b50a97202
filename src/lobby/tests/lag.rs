//! Lag and autofire, as rooms are told of them (kaillera-server.md 7.4, 8.6, 8.7).

use super::*;
use crate::lobby::sync::{LagReport, Rhythm};

fn report(window: u64, game: u64, players: &[u64]) -> Option<Box<LagReport>> {
    let players = players.iter().map(|lost| Duration::from_millis(*lost));
    Some(Box::new(LagReport {
        window: Duration::from_secs(window),
        game: Duration::from_millis(game),
        players: players.collect(),
    }))
}

fn measured(world: &mut World, report: Option<Box<LagReport>>, asked: bool) -> Vec<String> {
    let game = world.game(0);
    world
        .lobby
        .lag_measured(game, report, asked, &mut world.sink);
    world.take()
}

#[test]
fn before_the_first_game_there_is_only_the_echo() {
    let mut world = World::gather("ab");
    world.wait(2000);
    world.game_chat('b', "/lagstat");
    world.expect(["ab: GameChat b: /lagstat"]);
    world.wait(2000);
    world.game_chat('b', "/lagreset");
    world.expect([
        "ab: GameChat b: /lagreset",
        "ab: GameChat Server: Lag counters cleared.",
    ]);
    world.wait(2000);
    world.game_chat('b', "/fps 59.6");
    world.expect([
        "ab: GameChat b: /fps 59.6",
        "ab: GameChat Server: Lag is now measured against 60 frames per second",
    ]);
    for wrong in ["/fps", "/fps 0.09", "/fps 101", "/fps x"] {
        world.wait(2000);
        world.game_chat('b', wrong);
        world.expect([&format!("b: GameChat Server: No such command: {wrong}")]);
    }
}

#[test]
fn a_running_game_is_asked() {
    let mut world = World::playing("ab");
    world.wait(2000);
    world.game_chat('b', "/lagstat");
    world.expect(["ab: GameChat b: /lagstat", "lag 0 Report"]);
    assert_eq!(measured(&mut world, None, true), [""; 0]);
    assert_eq!(
        measured(&mut world, report(10, 20, &[0, 20]), true),
        [
            "ab: GameChat Server: Lag in the last 10s: 0.02s",
            "ab: GameChat Server: Lag known to come from: P1: 0.00s, P2: 0.02s",
        ]
    );
    world.wait(2000);
    world.game_chat('a', "/lagreset");
    assert_eq!(world.take()[1], "lag 0 Reset");
    world.wait(2000);
    world.game_chat('a', "/fps 50");
    assert_eq!(world.take()[1], "lag 0 Rate(FrameRate(50000))");
}

#[test]
fn advice_names_the_slowest_its_delay_and_a_ping() {
    let mut world = World::playing("ab");
    let log = measured(&mut world, report(30, 150, &[20, 130]), true);
    assert_eq!(log[2], "ab: GameChat Server: The game runs smoothly.");
    let log = measured(&mut world, report(30, 151, &[20, 131]), true);
    assert_eq!(
        log[2],
        "ab: GameChat Server: Advice: b should use 2 frames of delay; set the spoofed ping to 25 \
         when joining, then run /lagstat again."
    );
    let log = measured(&mut world, report(60, 900, &[0, 0]), true);
    assert_eq!(log.len(), 2, "nobody is to blame");
    world.drop('b');
    world.take();
    let log = measured(&mut world, report(60, 900, &[0, 900]), true);
    assert_eq!(log.len(), 2, "nobody who plays is to blame");
}

/// The reference advises only where each message is one frame.
#[test]
fn other_connection_types_get_no_advice() {
    let mut world = World::new(Rules::default());
    let connection_type = ConnectionType::Good;
    world.login(
        'a',
        Login {
            connection_type,
            ..login(b"a")
        },
    );
    world.create('a', "Game");
    world.start('a');
    world.ready("a");
    world.take();
    assert_eq!(measured(&mut world, report(60, 900, &[900]), true).len(), 2);
}

#[test]
fn the_last_game_is_remembered_until_a_reset() {
    let mut world = World::playing("ab");
    world.drop('a');
    world.drop('b');
    world.take();
    assert_eq!(
        measured(&mut world, report(30, 20, &[0, 20]), false),
        [""; 0]
    );
    for _ in 0..2 {
        world.wait(2000);
        world.game_chat('a', "/lagstat");
        assert_eq!(world.take().len(), 4);
    }
    world.wait(2000);
    world.game_chat('a', "/lagreset");
    world.take();
    world.wait(2000);
    world.game_chat('a', "/lagstat");
    world.expect(["ab: GameChat a: /lagstat"]);
    world.quit_game('a');
    let gone = GameKey {
        index: 0,
        generation: 1,
    };
    world.take();
    world
        .lobby
        .lag_measured(gone, report(9, 9, &[9]), true, &mut world.sink);
    world.expect([]);
}

#[test]
fn autofire_is_set_while_the_room_waits() {
    let mut world = World::gather("ab");
    for word in ["/detectautofire", "/autofire"] {
        world.wait(2000);
        world.game_chat('a', &format!("{word} 5"));
        world.expect(["ab: GameChat Server: Autofire sensitivity is 5"]);
        world.wait(2000);
        world.game_chat('a', &format!("{word} 0"));
        world.expect(["ab: GameChat Server: Autofire sensitivity is 0 (off)"]);
        for wrong in ["", " 6", " -1", " x"] {
            world.wait(2000);
            world.game_chat('a', &format!("{word}{wrong}"));
            world.expect([
                "a: GameChat Server: /detectautofire 1 (least) to 5 (most sensitive)",
                "a: GameChat Server: /detectautofire 0 switches it off",
                "a: GameChat Server: Autofire sensitivity is 0 (off)",
            ]);
        }
    }
    world.wait(2000);
    world.game_chat('b', "/autofire 3");
    world.expect(["b: GameChat Server: Only the room's owner can do that."]);
    world.start('a');
    world.take();
    world.wait(2000);
    world.game_chat('a', "/autofire 3");
    world.expect(["a: GameChat Server: Everyone must leave the game before this can change."]);
}

#[test]
fn the_room_hears_of_autofire() {
    let mut world = World::playing("ab");
    let game = world.game(0);
    let mut tell = |player| {
        let rhythm = Rhythm(2, 2);
        world.lobby.autofire(game, player, rhythm, &mut world.sink);
        world.sink.log.split_off(0)
    };
    assert_eq!(tell(1), ["ab: GameChat Server: Autofire noticed: b"]);
    assert_eq!(tell(7), [""; 0]);
}

/// What is shown to the room is no way to write to it.
#[test]
fn commands_that_are_shown_take_no_words() {
    let mut world = World::gather("ab");
    for line in ["/lagstat hello", "/lagreset hello"] {
        world.wait(2000);
        world.game_chat('b', line);
        world.expect([format!("b: GameChat Server: No such command: {line}").as_str()]);
    }
}
