//! The lists a newcomer gets of a busy lobby (kaillera.md 3, ServerStatus).

use crate::support::{Identity, Player, Recipe, Table, config, serve};
use samara::kaillera::{
    MAX_DATAGRAM,
    message::{GameStatus, ServerMessage, UserStatus},
};
use std::collections::BTreeMap;

const USERS: usize = 60;
const ROOMS: usize = 20;

/// Sixty users with names of every length, twenty rooms of one to three members, one of them
/// playing.
#[test]
fn sixty_users_and_twenty_rooms() {
    let (server, address) = serve(&config());
    let mut players: Vec<Player> = Vec::new();
    for n in 0..USERS {
        let name = format!("{n:02} {}", "x".repeat(n % 28));
        let identity = Identity::new(name).emulator("e".repeat(1 + n % 126));
        players.push(Player::log_in(address, &identity));
        players.iter_mut().for_each(Player::pump);
    }
    let mut rooms = Vec::new();
    for n in 0..ROOMS {
        rooms.push(players[n].create(&[b'r'; 126][..1 + n * 6]));
        players.iter_mut().for_each(Player::pump);
    }
    let joiners = || (ROOMS..50).filter(|n| n % ROOMS != 19);
    for n in joiners() {
        players[n].join(rooms[n % ROOMS]);
        players.iter_mut().for_each(Player::pump);
    }
    // Room 19 has no other member and plays.
    let mut alone = [players.remove(19)];
    let recipe = Recipe {
        input_len: 2,
        frames: 1,
        hold: 2,
    };
    let mut table = Table::start(&mut alone, recipe);
    table.play(&mut alone, 20);
    let [alone] = alone;
    players.insert(19, alone);

    let observer = Player::log_in(address, &Identity::new("Observer"));
    for player in players.iter().chain([&observer]) {
        assert!(player.longest_in <= MAX_DATAGRAM, "{player}");
    }
    let messages: Vec<_> = observer.passed.iter().map(|it| it.message()).collect();
    let joined = messages
        .iter()
        .position(|it| matches!(it, ServerMessage::UserJoined { .. }))
        .unwrap();
    let parts = messages
        .iter()
        .rposition(|it| matches!(it, ServerMessage::ServerStatus { .. }))
        .unwrap();
    assert!(joined - parts <= 5, "own UserJoined soon after the lists");

    let mut listed = BTreeMap::new();
    for user in messages.iter().flat_map(ServerMessage::users) {
        let before = listed.insert(user.id.0, (user.name.to_vec(), user.status));
        assert_eq!(before, None, "listed twice");
    }
    let expected: BTreeMap<_, _> = players
        .iter()
        .enumerate()
        .map(|(n, player)| {
            let status = if n == 19 {
                UserStatus::Playing
            } else {
                UserStatus::Idle
            };
            (player.id.0, (player.identity.name.clone(), status as u8))
        })
        .collect();
    assert_eq!(listed, expected);

    let mut listed = BTreeMap::new();
    for game in messages.iter().flat_map(ServerMessage::games) {
        let line = (
            game.rom.len(),
            game.owner.to_vec(),
            game.seats.to_vec(),
            game.status,
        );
        assert_eq!(listed.insert(game.game.0, line), None, "listed twice");
        assert!(
            players
                .iter()
                .any(|it| it.identity.emulator == game.emulator)
        );
    }
    let expected: BTreeMap<_, _> = (0..ROOMS)
        .map(|n| {
            let members = 1 + joiners().filter(|it| it % ROOMS == n).count();
            let status = if n == 19 {
                GameStatus::Playing
            } else {
                GameStatus::Waiting
            };
            let owner = players[n].identity.name.clone();
            let seats = format!("{members}/8").into_bytes();
            (rooms[n].0, (1 + n * 6, owner, seats, status as u8))
        })
        .collect();
    assert_eq!(listed, expected);
    assert_eq!(server.users(), USERS + 1);
    assert_eq!(server.drops().total(), 0);
}
