//! Whoever leaves a game, and however: the others play on (kaillera.md 9).

use crate::support::{Identity, Player, Recipe, Table, config, room, serve, threads};
use samara::{
    config::Config,
    kaillera::message::{GameId, GameStatus, ServerMessage},
};
use std::{net::SocketAddr, thread, time::Duration};

const RECIPE: Recipe = Recipe {
    input_len: 3,
    frames: 1,
    hold: 2,
};

/// How a player leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Drop,
    QuitGame,
    Quit,
    Vanish,
}

use Way::{Drop, Quit, QuitGame, Vanish};

/// Players who started one game in one room, and where they are now.
struct Party {
    players: Vec<Player>,
    table: Table,
    room: GameId,
    in_room: Vec<bool>,
    on_server: Vec<bool>,
}

impl Party {
    /// So many players in a room, and a start that nobody is ready for yet.
    fn start(address: SocketAddr, count: usize) -> Self {
        let mut players = room(address, &Identity::crowd(count));
        players[0].start();
        Self {
            table: Table::await_start(&mut players, RECIPE),
            room: players[0].room(),
            in_room: vec![true; count],
            on_server: vec![true; count],
            players,
        }
    }

    fn ready(&mut self) {
        self.players.iter_mut().for_each(Player::ready);
        self.players.iter_mut().for_each(Player::await_ready);
    }

    fn play(&mut self, steps: usize) {
        self.table.play(&mut self.players, steps);
    }

    /// A player leaves, and everybody whom it concerns is told.
    fn leave(&mut self, index: usize, way: Way) {
        let id = self.players[index].id;
        let name = self.players[index].identity.name.clone();
        let name = name.as_slice();
        let player = index as u8 + 1;
        let message = b"bye";
        self.table.leave(index);
        let told = match way {
            Drop => {
                self.players[index].drop_game();
                ServerMessage::PlayerDrop { name, player }
            }
            QuitGame => {
                self.players[index].quit_game();
                ServerMessage::QuitGame { name, id }
            }
            Quit => {
                self.players[index].quit(message);
                ServerMessage::Quit { name, id, message }
            }
            Vanish => return,
        };
        let concerned = match way {
            Quit => &self.on_server,
            _ => &self.in_room,
        };
        for (player, concerned) in self.players.iter_mut().zip(concerned) {
            if *concerned {
                player.expect_message(&told);
            }
        }
        self.in_room[index] &= way == Drop;
        self.on_server[index] &= way != Quit;
        if index == 0 && way != Drop {
            self.is_closed();
        }
    }

    /// The owner has left: for everybody who is still on the server the room is gone.
    fn is_closed(&mut self) {
        let closed = ServerMessage::CloseGame { game: self.room };
        for (index, player) in self.players.iter_mut().enumerate() {
            if self.on_server[index] {
                player.expect_by_now(&closed);
                player.echo(b"in the lobby");
            }
        }
        self.in_room.fill(false);
    }
}

/// The others have sent their inputs and wait for the one that leaves instead of sending.
#[test]
fn while_the_others_wait() {
    for way in [Drop, QuitGame, Quit] {
        let (server, address) = serve(&config());
        let mut party = Party::start(address, 4);
        party.ready();
        party.play(60);
        party.table.leave(2);
        let placeholder = Player::new(address, &Identity::new("Nobody"));
        let mut leaver = std::mem::replace(&mut party.players[2], placeholder);
        thread::scope(|scope| {
            scope.spawn(move || {
                // For the others to be waiting; what they are sent is the same if they are not.
                thread::sleep(Duration::from_millis(100));
                match way {
                    Drop => leaver.drop_game(),
                    QuitGame => leaver.quit_game(),
                    _ => leaver.quit(b""),
                }
            });
            party.play(40);
        });
        party.play(40);
        assert_eq!(server.drops().total(), 0);
    }
}

/// Limits for players who vanish.
fn short_limits() -> Config {
    let mut config = config();
    config.link.desync_after = Duration::from_millis(1500);
    config.link.drop_after = Duration::from_secs(4);
    config
}

fn one_after_the_other(order: [(usize, Way); 4]) {
    let vanishes = order.iter().any(|(_, way)| *way == Vanish);
    let config = if vanishes { short_limits() } else { config() };
    one_after_the_other_on(&config, order);
}

/// Four players of whom one after the other leaves; those who stay play on each time.
fn one_after_the_other_on(config: &Config, order: [(usize, Way); 4]) {
    let (server, address) = serve(config);
    let mut party = Party::start(address, 4);
    party.ready();
    party.play(60);
    for (position, (index, way)) in order.into_iter().enumerate() {
        party.leave(index, way);
        if !party.in_room.contains(&true) {
            break;
        }
        if position < 3 {
            party.play(40);
        }
    }
    assert_eq!(server.metrics().failed_turns.get(), 0);
    assert_eq!(server.drops().total(), 0);
}

#[test]
fn by_drop() {
    one_after_the_other([(3, Drop), (2, Drop), (1, Drop), (0, Drop)]);
    one_after_the_other([(0, Drop), (1, Drop), (2, Drop), (3, Drop)]);
    one_after_the_other([(1, Drop), (0, Drop), (3, Drop), (2, Drop)]);
}

#[test]
fn by_quitting_the_room() {
    one_after_the_other([(3, QuitGame), (1, QuitGame), (2, QuitGame), (0, QuitGame)]);
    one_after_the_other([(1, QuitGame), (2, QuitGame), (3, QuitGame), (0, QuitGame)]);
    one_after_the_other([(2, QuitGame), (0, QuitGame), (1, QuitGame), (3, QuitGame)]);
}

#[test]
fn by_quitting_the_server() {
    one_after_the_other([(3, Quit), (2, Quit), (1, Quit), (0, Quit)]);
    one_after_the_other([(1, Quit), (0, Quit), (2, Quit), (3, Quit)]);
}

#[test]
fn in_mixed_ways() {
    one_after_the_other([(1, Drop), (2, Quit), (3, QuitGame), (0, Drop)]);
    one_after_the_other([(0, Drop), (3, Quit), (1, QuitGame), (2, Drop)]);
    one_after_the_other([(2, QuitGame), (1, Quit), (0, Drop), (3, Drop)]);
    one_after_the_other([(3, Drop), (1, QuitGame), (0, Quit), (2, Drop)]);
}

#[test]
fn on_several_threads() {
    for (loops, workers) in [(2, 0), (2, 2), (1, 1)] {
        let config = threads(loops, workers);
        for order in [
            [(1, Drop), (2, Quit), (3, QuitGame), (0, Drop)],
            [(0, Drop), (3, Quit), (1, QuitGame), (2, Drop)],
            [(3, QuitGame), (1, Drop), (0, Quit), (2, Drop)],
        ] {
            one_after_the_other_on(&config, order);
        }
    }
}

#[test]
fn by_vanishing_last_to_first() {
    one_after_the_other([(3, Vanish), (2, Vanish), (1, Vanish), (0, Drop)]);
}

#[test]
fn by_vanishing_first_to_last() {
    one_after_the_other([(0, Vanish), (1, Vanish), (2, Vanish), (3, Drop)]);
}

#[test]
fn by_vanishing_among_others() {
    one_after_the_other([(1, Drop), (0, Vanish), (2, Quit), (3, Vanish)]);
}

#[test]
fn by_vanishing_after_others() {
    one_after_the_other([(2, QuitGame), (1, Vanish), (3, Drop), (0, QuitGame)]);
}

/// Who vanishes is out of sync first, then dropped, and its later inputs change nothing.
#[test]
fn a_vanished_player_is_told_apart_and_dropped() {
    let (server, address) = serve(&short_limits());
    let mut party = Party::start(address, 3);
    party.ready();
    party.play(60);
    party.leave(1, Vanish);
    party.play(20);
    for index in [0, 2] {
        party.players[index].expect_message(&ServerMessage::GameChat {
            name: b"Out of sync!",
            text: b"Player 2 did not answer for 1 s and was dropped; the others play on.",
        });
    }
    assert_eq!(server.metrics().desyncs.get(), 1);
    for index in [0, 2] {
        party.players[index].expect_message(&ServerMessage::PlayerDrop {
            name: b"Player 2",
            player: 2,
        });
    }
    party.play(20);
    for _ in 0..20 {
        party.players[1].send_input(&[9, 9, 9]);
    }
    party.play(20);
    party.players[1].echo(b"still in the room");
    assert_eq!(party.players[1].frames_left(), 0);
    assert_eq!(server.drops().total(), 0);
}

/// Where nobody says anything, nobody keeps another one waiting: a pause of all emulators
/// that is longer than the limit harms none of them.
#[test]
fn a_pause_of_everybody_is_no_stall() {
    let (server, address) = serve(&short_limits());
    let mut party = Party::start(address, 2);
    party.ready();
    party.play(30);
    for player in &mut party.players {
        player.listen(Duration::from_secs(1));
    }
    party.play(30);
    assert_eq!(server.metrics().desyncs.get(), 0);
}

#[test]
fn before_everybody_is_ready() {
    for way in [Drop, QuitGame, Quit] {
        for leaves_first in [true, false] {
            let (_server, address) = serve(&config());
            let mut party = Party::start(address, 3);
            if leaves_first {
                party.leave(2, way);
            }
            party.players[0].ready();
            party.players[1].ready();
            if !leaves_first {
                party.leave(2, way);
            }
            for player in &mut party.players[..2] {
                player.expect_by_now(&ServerMessage::AllReady);
            }
            party.play(40);
        }
    }
}

#[test]
fn the_owner_before_everybody_is_ready() {
    for way in [QuitGame, Quit] {
        let (server, address) = serve(&config());
        let mut party = Party::start(address, 3);
        party.players[1].ready();
        party.leave(0, way);
        let mut rest = party.players.split_off(1);
        let game = rest[0].create(b"Another");
        rest[1].join(game);
        let mut table = Table::start(&mut rest, RECIPE);
        table.play(&mut rest, 40);
        assert_eq!(server.drops().total(), 0);
    }
}

/// With everybody out of the game the room waits, and those who are left start the next one.
#[test]
fn those_who_are_left_start_again() {
    let (server, address) = serve(&config());
    let mut party = Party::start(address, 4);
    party.ready();
    party.play(30);
    party.leave(1, Quit);
    party.play(30);
    for index in [0, 2, 3] {
        party.leave(index, Drop);
    }
    let waiting = ServerMessage::GameStatus {
        game: party.room,
        status: GameStatus::Waiting,
        players: 3,
        capacity: 8,
    };
    let mut players = party.players;
    players.remove(1);
    for player in &players {
        // It comes before the last one's PlayerDrop (kaillera.md 9.1).
        let mut passed = player.passed.iter();
        assert!(passed.any(|it| it.message() == waiting), "{player}");
    }
    let mut table = Table::start(&mut players, RECIPE);
    table.play(&mut players, 100);
    assert_eq!(server.users(), 3);
}
