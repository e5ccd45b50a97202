//! Games of every size, and threads of every number: all players get the same inputs.

use crate::support::{Identity, Player, Recipe, Table, config, room, serve, threads};
use samara::{config::Config, kaillera::message::ConnectionType};
use std::collections::HashSet;

/// Frames each game lasts at least.
const FRAMES: usize = 2000;
/// Messages of each player in a game at least: enough that more than 256 are different.
const MESSAGES: usize = 700;

const TYPES: [ConnectionType; 6] = [
    ConnectionType::Lan,
    ConnectionType::Excellent,
    ConnectionType::Good,
    ConnectionType::Average,
    ConnectionType::Low,
    ConnectionType::Bad,
];

/// A whole game between so many players on one server; half of them use the client cache.
///
/// Bad pings are part of it: where somebody's ping is worth a frame or more, the delays and
/// with them the zeros at the beginning differ.
fn whole_game(config: &Config, count: usize, connection_type: ConnectionType, input_len: usize) {
    let (server, address) = serve(config);
    let identities: Vec<_> = Identity::crowd(count)
        .into_iter()
        .enumerate()
        .map(|(n, it)| {
            let pause = if n % 4 == 1 { 20 } else { 0 };
            it.connection_type(connection_type).ack_pause(pause)
        })
        .collect();
    let mut players = room(address, &identities);
    let recipe = Recipe {
        input_len,
        frames: connection_type.frames(),
        hold: if FRAMES / connection_type.frames() > MESSAGES {
            2
        } else {
            1
        },
    };
    let steps = FRAMES.div_ceil(recipe.frames).max(MESSAGES);
    if input_len * recipe.frames > 1 {
        let messages = (0..steps).map(|n| recipe.message(0, n));
        assert!(messages.collect::<HashSet<_>>().len() > 256);
    }
    let mut table = Table::start(&mut players, recipe);
    table.play(&mut players, steps);
    for player in &mut players {
        player.drop_game();
    }
    assert_eq!(server.drops().total(), 0);
    assert_eq!(server.metrics().desyncs.get(), 0);
}

/// Every connection type with so many players; the length of inputs goes around.
fn all_types(count: usize) {
    for (index, connection_type) in TYPES.into_iter().enumerate() {
        let input_len = [1, 2, 24][(index + count) % 3];
        whole_game(&config(), count, connection_type, input_len);
    }
}

#[test]
fn two_players() {
    all_types(2);
    whole_game(&config(), 2, ConnectionType::Lan, 24);
}

#[test]
fn four_players() {
    all_types(4);
    whole_game(&config(), 4, ConnectionType::Lan, 1);
}

#[test]
fn five_players() {
    all_types(5);
}

#[test]
fn eleven_players() {
    all_types(11);
}

#[test]
fn sixteen_players() {
    all_types(16);
    // Messages beyond the usual longest datagram.
    whole_game(&config(), 16, ConnectionType::Bad, 24);
}

/// Two rooms with eight players each, whom the system spreads over the loops; the rooms play
/// at the same time.
fn two_rooms(loops: usize, workers: usize) {
    let (server, address) = serve(&threads(loops, workers));
    let crowd = Identity::crowd(16);
    std::thread::scope(|scope| {
        for identities in crowd.chunks(8) {
            scope.spawn(move || {
                let mut players: Vec<Player> = room(address, identities);
                let recipe = Recipe {
                    input_len: 2,
                    frames: 1,
                    hold: 2,
                };
                let mut table = Table::start(&mut players, recipe);
                table.play(&mut players, 1000);
            });
        }
    });
    assert_eq!(server.drops().total(), 0);
    assert_eq!(server.metrics().games_started.get(), 2);
}

#[test]
fn one_loop() {
    two_rooms(1, 0);
}

#[test]
fn two_loops() {
    two_rooms(2, 0);
}

#[test]
fn two_loops_and_two_workers() {
    two_rooms(2, 2);
}

#[test]
fn one_loop_and_one_worker() {
    two_rooms(1, 1);
}
