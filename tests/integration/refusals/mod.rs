//! Every refusal of the specification with the message it comes in, over real sockets, and which
//! one wins where several would do (kaillera-server.md 6.3, 8.1 to 8.3, 9).

mod limits;
mod login;
mod rooms;
mod starting;

use crate::support::{Identity, Player, Received, config};
use samara::{
    access::Rules,
    config::Config,
    kaillera::message::{ClientMessage, ServerMessage},
};
use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

/// The last byte of the loopback address of a user with each level.
const NORMAL: u8 = 5;
const ELEVATED: u8 = 6;
const ADMIN: u8 = 8;
const SUPERADMIN: u8 = 9;
/// Of one who is silenced.
const SILENCED: u8 = 66;

/// Levels by loopback address, an emulator and a game that nobody may use.
fn staffed() -> Config {
    let rules = "user,SUPERADMIN,127.0.0.9\nuser,ADMIN,127.0.0.8\nuser,ELEVATED,127.0.0.6\n\
                 silence,127.0.0.66\nemulator,DENY,Cheat*\ngame,DENY,Barred*";
    let parsed = Rules::parse(rules);
    assert_eq!(parsed.mistakes, []);
    let mut config = config();
    config.access.rules = Arc::new(parsed.rules);
    config.rules.watching = false;
    config
}

/// Somebody at 127.0.0.`last` who has said nothing yet.
fn stranger(last: u8, server: SocketAddr, identity: &Identity) -> Player {
    Player::on(IpAddr::from([127, 0, 0, last]), server, identity)
}

/// Somebody at 127.0.0.`last` who is logged in.
fn user(last: u8, server: SocketAddr, name: &str) -> Player {
    let mut player = stranger(last, server, &Identity::new(name));
    player.enter();
    player
}

/// All that a user is sent in answer to what it does.
fn answers(player: &mut Player, act: impl FnOnce(&mut Player)) -> Vec<Received> {
    player.echo(b"before");
    let before = player.passed.len();
    act(player);
    player.echo(b"after");
    let mut answers = player.passed.split_off(before);
    answers.pop();
    answers
}

/// Fails unless these are exactly the messages, in this order.
#[track_caller]
fn assert_answers(answers: &[Received], expected: &[ServerMessage<'_>], what: &str) {
    let answers: Vec<_> = answers.iter().map(Received::message).collect();
    assert_eq!(answers, expected, "{what}");
}

fn information(text: &str) -> ServerMessage<'_> {
    ServerMessage::InformationMessage {
        source: b"server",
        text: text.as_bytes(),
    }
}

fn notice(text: &str) -> ServerMessage<'_> {
    ServerMessage::GameChat {
        name: b"Server",
        text: text.as_bytes(),
    }
}

fn error(text: &str) -> ServerMessage<'_> {
    ServerMessage::GameChat {
        name: b"Error",
        text: text.as_bytes(),
    }
}

/// What closes the window of a room that a client has opened already: its own name and number.
fn thrown_out(player: &Player) -> Received {
    Received::new(&ServerMessage::QuitGame {
        name: &player.identity.name,
        id: player.id,
    })
}
