//! How games start, and why they do not (kaillera.md 7).

use crate::support::{Identity, Player, Recipe, Table, config, room, serve, threads};
use samara::{
    config::Config,
    kaillera::message::{ClientMessage, ConnectionType, GameStatus, ServerMessage},
};

const RECIPE: Recipe = Recipe {
    input_len: 2,
    frames: 1,
    hold: 2,
};

/// A refused start: the room is told `info` if there is some, the one who asked `error`, and
/// the room waits on.
fn refused(players: &mut [Player], starter: usize, info: Option<&[u8]>, error: &[u8]) {
    players[starter].start();
    for player in players.iter_mut() {
        if let Some(text) = info {
            player.expect_message(&ServerMessage::GameChat {
                name: b"Server",
                text,
            });
        }
    }
    players[starter].expect_message(&ServerMessage::GameChat {
        name: b"Error",
        text: error,
    });
    for player in players.iter_mut() {
        player.echo(b"nothing happened");
        let started = |message| {
            matches!(
                message,
                ServerMessage::StartGame { .. }
                    | ServerMessage::GameStatus {
                        status: GameStatus::Synchronizing,
                        ..
                    }
            )
        };
        assert!(!player.passed.iter().any(|it| started(it.message())));
    }
}

#[test]
fn connection_types_must_be_alike() {
    let (_server, address) = serve(&config());
    let identities = [
        Identity::new("Ann"),
        Identity::new("Bob"),
        Identity::new("Carl").connection_type(ConnectionType::Good),
    ];
    let mut players = room(address, &identities);
    let info = b"All players must choose the owner's connection type: LAN";
    refused(&mut players, 0, Some(info), b"The connection types differ.");
    // Without the odd one out it works.
    let mut carl = players.pop().unwrap();
    carl.quit_game();
    carl.expect_message(&ServerMessage::QuitGame {
        name: b"Carl",
        id: carl.id,
    });
    let mut table = Table::start(&mut players, RECIPE);
    table.play(&mut players, 50);
}

#[test]
fn emulators_must_be_alike() {
    let (_server, address) = serve(&config());
    let identities = [
        Identity::new("Ann"),
        Identity::new("Bob").emulator("EMU 1.1"),
    ];
    let mut players = room(address, &identities);
    let info = b"All players must use the owner's emulator version: EMU 1.0";
    refused(&mut players, 0, Some(info), b"The emulators differ.");
}

#[test]
fn only_the_owner_starts_and_only_once() {
    let (_server, address) = serve(&config());
    let mut players = room(address, &Identity::crowd(2));
    refused(&mut players, 1, None, b"Only the room's owner can start.");

    players[0].start();
    let mut table = Table::await_start(&mut players, RECIPE);
    let error = |player: &mut Player, text| {
        player.start();
        player.expect_message(&ServerMessage::GameChat {
            name: b"Error",
            text,
        });
    };
    error(&mut players[0], b"Players are still getting ready.");
    players.iter_mut().for_each(Player::ready);
    players.iter_mut().for_each(Player::await_ready);
    table.play(&mut players, 50);
    error(&mut players[0], b"Not everyone has left the last game.");
    table.play(&mut players, 50);
}

#[test]
fn nobody_starts_alone_where_the_rules_say_so() {
    let mut config = config();
    config.rules.allow_single_player = false;
    let (_server, address) = serve(&config);
    let mut players = room(address, &Identity::crowd(1));
    refused(
        &mut players,
        0,
        None,
        b"At least two players are needed here.",
    );
}

#[test]
fn a_start_outside_of_a_room() {
    let (_server, address) = serve(&config());
    let mut player = Player::log_in(address, &Identity::new("Ann"));
    player.start();
    player.expect_message(&ServerMessage::GameChat {
        name: b"Error",
        text: b"You are not in a room.",
    });
}

#[test]
fn a_chat_room_never_starts() {
    let (_server, address) = serve(&config());
    let mut player = Player::log_in(address, &Identity::new("Ann"));
    player.create(b"*Chat (not game)");
    let before = player.passed.len();
    player.start();
    player.echo(b"nothing happened");
    assert_eq!(
        player.passed.len(),
        before + 2,
        "the room's line and the echo"
    );
}

#[test]
fn one_player() {
    let (_server, address) = serve(&config());
    for connection_type in [ConnectionType::Lan, ConnectionType::Average] {
        let identity = Identity::new("Ann").connection_type(connection_type);
        let mut players = room(address, &[identity]);
        let recipe = Recipe {
            frames: connection_type.frames(),
            ..RECIPE
        };
        let mut table = Table::start(&mut players, recipe);
        table.play(&mut players, 600);
        players[0].drop_game();
        players[0].expect_message(&ServerMessage::PlayerDrop {
            name: b"Ann",
            player: 1,
        });
    }
}

#[test]
fn nobody_enters_a_running_game() {
    let (_server, address) = serve(&config());
    let mut players = room(address, &Identity::crowd(2));
    let game = players[0].room();
    let mut table = Table::start(&mut players, RECIPE);
    table.play(&mut players, 20);
    let mut late = Player::log_in(address, &Identity::new("Late"));
    late.send(&ClientMessage::JoinGame { game });
    late.expect_message(&ServerMessage::InformationMessage {
        source: b"server",
        text: b"You cannot join: the game has started",
    });
    late.expect_message(&ServerMessage::QuitGame {
        name: b"Late",
        id: late.id,
    });
    let hint = format!("Say /watch {} and join again to watch this game.", game.0);
    late.expect_message(&ServerMessage::InformationMessage {
        source: b"server",
        text: hint.as_bytes(),
    });
    table.play(&mut players, 20);
}

/// Twenty games in one session, from one that ends at once to longer ones; each begins with
/// empty caches and new zeros.
fn plays_again_and_again(config: &Config) {
    let (server, address) = serve(config);
    let mut players = room(address, &Identity::crowd(3));
    let game = players[0].room();
    for round in 0..20 {
        let mut table = Table::start(&mut players, RECIPE);
        table.play(&mut players, [1, 3, 40, 300][round % 4]);
        for player in &mut players {
            player.drop_game();
        }
        for player in &mut players {
            player.expect_message(&ServerMessage::GameStatus {
                game,
                status: GameStatus::Waiting,
                players: 3,
                capacity: 8,
            });
        }
    }
    assert_eq!(server.metrics().games_started.get(), 20);
    assert_eq!(server.drops().total(), 0);
}

#[test]
fn a_room_plays_again_and_again() {
    plays_again_and_again(&config());
}

#[test]
fn a_room_plays_again_and_again_on_several_threads() {
    plays_again_and_again(&threads(2, 0));
    plays_again_and_again(&threads(2, 2));
}

/// A client that is ready says so again while others load (SUP: every 5 s), and one that
/// never hears AllReady gets it repeated.
#[test]
fn ready_again_and_again() {
    let (_server, address) = serve(&config());
    let mut players = room(address, &Identity::crowd(2));
    players[0].start();
    let mut table = Table::await_start(&mut players, RECIPE);
    for _ in 0..5 {
        players[0].ready();
    }
    players[1].ready();
    players[0].ready();
    players.iter_mut().for_each(Player::await_ready);
    table.play(&mut players, 100);
}
