//! What the operator may read later, flow by flow (kaillera-server.md 12.2).

use super::*;
use crate::lobby::{
    AccessLevel, Event,
    sync::{Desync, Rhythm},
};

/// What happened since the last time, by the names of the events.
fn happened(world: &mut World) -> Vec<String> {
    world.take();
    std::mem::take(&mut world.sink.events)
}

#[track_caller]
fn expect<const N: usize>(world: &mut World, names: [&str; N]) {
    assert_eq!(happened(world), names);
}

#[test]
fn logins_refusals_and_parting() {
    let rules = Rules {
        max_user_name_length: 3,
        ..Rules::default()
    };
    let mut world = World::new(rules);
    world.login('a', login(b"Ann"));
    expect(&mut world, ["LoggedIn"]);
    world.login('b', login(b"Longer"));
    expect(&mut world, ["LoginRefused"]);
    // The same name from the same address takes the place of the old session.
    world.login('c', login(b"Ann"));
    expect(&mut world, ["LoggedOut", "LoggedIn"]);
    world.depart('c', Departure::ConnectionLost);
    expect(&mut world, ["LoggedOut"]);
    world.login('d', login(b"Dan"));
    world.quit('d', "bye");
    expect(&mut world, ["LoggedIn", "LoggedOut"]);
    world.login('e', login(b"Eve"));
    world.lobby.close_all(world.now, &mut world.sink);
    expect(&mut world, ["LoggedIn", "LoggedOut"]);
}

#[test]
fn words_are_told_from_those_of_the_server() {
    let own_words = |quit: &str| {
        let mut world = World::with("a");
        let mut own = None;
        let mut sink = OnEvent(|event: &Event<'_>| {
            if let Event::LoggedOut { own_words, .. } = event {
                own = Some(*own_words);
            }
        });
        let message = ClientMessage::Quit {
            message: quit.as_bytes(),
        };
        world
            .lobby
            .message(world.now, key('a'), &message, &mut sink);
        own
    };
    assert_eq!(own_words("bye"), Some(true));
    assert_eq!(own_words(""), Some(false));
    assert_eq!(own_words(&"x".repeat(127)), Some(false));
}

#[test]
fn rooms_from_beginning_to_end() {
    let mut world = World::with("abc");
    happened(&mut world);
    world.create('a', "Game");
    expect(&mut world, ["RoomOpened"]);
    world.join('b', 1);
    world.join('c', 1);
    expect(&mut world, ["RoomEntered", "RoomEntered"]);
    world.kick('a', 3);
    expect(&mut world, ["Removed", "RoomLeft"]);
    world.start('a');
    expect(&mut world, ["GameStarted"]);
    world.ready("ab");
    world.drop('a');
    expect(&mut world, []);
    world.drop('b');
    expect(&mut world, ["GameOver"]);
    world.quit_game('b');
    expect(&mut world, ["RoomLeft"]);
    world.quit('a', "");
    expect(&mut world, ["RoomClosed", "LoggedOut"]);
}

#[test]
fn players_that_are_late_or_press_too_fast() {
    let mut world = World::gather("ab");
    world.start('a');
    world.ready("a");
    happened(&mut world);
    world.wait(600_000);
    world.lobby.handle_timeout(world.now, &mut world.sink);
    expect(&mut world, ["NotReady"]);

    let mut world = World::playing("ab");
    let game = world.game(0);
    happened(&mut world);
    let (now, lobby, sink) = (world.now, &mut world.lobby, &mut world.sink);
    lobby.autofire(game, 1, Rhythm(2, 2), sink);
    lobby.desynchronised(now, game, 1, Desync::Gap, sink);
    let long = Duration::from_secs(12);
    lobby.desynchronised(now, game, 1, Desync::Stall(long), sink);
    expect(&mut world, ["Autofire", "OutOfSync", "OutOfSync"]);
}

#[test]
fn commands_and_lines() {
    let mut world = World::with("ab");
    let now = world.now;
    let access = world.lobby.access_mut();
    access.grant(
        now,
        address(b'a'),
        AccessLevel::Admin,
        Duration::from_secs(9999),
    );
    world.depart('a', Departure::ConnectionLost);
    world.enter("a");
    happened(&mut world);
    world.chat('a', "/silence 2 5");
    expect(&mut world, ["Command"]);
    world.chat('a', "/silence 77 5");
    expect(&mut world, ["Command", "CommandFailed"]);
    world.chat('a', "/tempadmin 2 5");
    expect(&mut world, ["CommandFailed"]);
    world.chat('b', "/ban 1 5");
    expect(&mut world, []);
    world.chat('a', "hello");
    expect(&mut world, ["Chat"]);
    world.create('a', "Game");
    happened(&mut world);
    world.game_chat('a', "hello");
    world.game_chat('a', "/me waves");
    expect(&mut world, ["RoomChat", "RoomChat"]);
    // Tekken Tag's lines, MAME's switches: nobody's words.
    for data in ["\nDA1234", "\x01\x02", "a\tb"] {
        world.game_chat('a', data);
    }
    expect(&mut world, []);
    world.chat('a', "/me waves");
    world.chat('a', "/msg 2 psst");
    expect(&mut world, ["Chat"]);
}
