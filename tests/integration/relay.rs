//! Names and lines come back byte for byte, whatever character set they are in
//! (kaillera.md 12).

use crate::support::{Identity, Player, config, serve};
use samara::kaillera::message::ServerMessage;

fn chars(from: u8, to: u8) -> Vec<u8> {
    (from..=to).collect()
}

#[test]
fn names_of_users_games_and_emulators() {
    let (_server, address) = serve(&config());
    let names = chars(0x80, 0xFF);
    let halves = [chars(0x80, 0xBF), chars(0xC0, 0xFF)];
    let mut first = Player::log_in(address, &Identity::new("First"));
    let mut users = Vec::new();
    for (n, name) in names.chunks(30).enumerate() {
        let identity = Identity::new(name).emulator(&halves[n % 2]);
        // The player checks its own name and room as it enters and opens it.
        let mut user = Player::log_in(address, &identity);
        let half = &halves[n / 2 % 2];
        let game = user.create(half);
        for other in users.iter_mut().chain([&mut first]) {
            other.expect("the new user", |message| match *message {
                ServerMessage::UserJoined { name, id, .. } if id == user.id => {
                    assert_eq!(name, user.identity.name);
                    Some(())
                }
                _ => None,
            });
            other.expect_message(&ServerMessage::CreateGame {
                owner: &user.identity.name,
                rom: half,
                emulator: &user.identity.emulator,
                game,
            });
        }
        users.push(user);
    }
    let late = Player::log_in(address, &Identity::new("Late"));
    let lists: Vec<_> = late.passed.iter().map(|it| it.message()).collect();
    for user in &users {
        let Identity { name, emulator, .. } = &user.identity;
        let listed = lists.iter().flat_map(ServerMessage::users);
        assert_eq!(listed.filter(|it| it.name == name).count(), 1);
        let rooms = lists.iter().flat_map(ServerMessage::games);
        let mut own = rooms.filter(|it| it.owner == name);
        assert!(own.next().is_some_and(|it| it.emulator == emulator));
    }
}

#[test]
fn lines_in_the_lobby() {
    let (_server, address) = serve(&config());
    let mut ann = Player::log_in(address, &Identity::new("Ann"));
    let mut bob = Player::log_in(address, &Identity::new("Bob"));
    let text = chars(0x80, 0xFF);
    let shift_jis = b"\x83\x5C\x95\x5C\x81\x7C\x82\xB1".repeat(10);
    for text in [&text, &shift_jis] {
        ann.echo(text);
        bob.expect_message(&ServerMessage::Chat { name: b"Ann", text });
    }
}

/// Some emulators send each other data in room lines: any byte but the terminator.
#[test]
fn lines_in_a_room() {
    let (_server, address) = serve(&config());
    let mut ann = Player::log_in(address, &Identity::new("Ann"));
    let mut bob = Player::log_in(address, &Identity::new("Bob"));
    let game = ann.create(b"Game");
    bob.join(game);
    let lines = [
        chars(0x01, 0xFF),
        b"\nDA\x01\x02\x03".to_vec(),
        b" \t ".to_vec(),
    ];
    for text in &lines {
        bob.game_chat(text);
        let line = ServerMessage::GameChat { name: b"Bob", text };
        ann.expect_message(&line);
        bob.expect_message(&line);
    }
}
