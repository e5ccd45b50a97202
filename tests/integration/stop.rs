//! The server stops in good order (kaillera-server.md 14.4).

use crate::support::{Identity, PATIENCE, Player, Program, Recipe, Table, config, room, serve};
use samara::kaillera::{
    connect::Reply,
    message::{ClientMessage, ServerMessage},
};
use std::{
    thread,
    time::{Duration, Instant},
};

const NOTICE: &[u8] = b"The server is going down.";

fn is_told(player: &mut Player) {
    player.expect_message(&ServerMessage::InformationMessage {
        source: b"server",
        text: NOTICE,
    });
}

fn is_sent_away(player: &mut Player) {
    let name = player.identity.name.clone();
    player.expect_message(&ServerMessage::Quit {
        name: &name,
        id: player.id,
        message: NOTICE,
    });
}

#[test]
fn everybody_is_told_and_sent_away() {
    let (server, address) = serve(&config());
    let mut lobby = Player::log_in(address, &Identity::new("Ann"));
    let mut players = room(address, &Identity::crowd(2));
    let recipe = Recipe {
        input_len: 2,
        frames: 1,
        hold: 2,
    };
    let mut table = Table::start(&mut players, recipe);
    table.play(&mut players, 50);
    let begin = Instant::now();
    server.stop();
    assert!(begin.elapsed() < Duration::from_secs(3));
    is_told(&mut lobby);
    is_sent_away(&mut lobby);
    for player in &mut players {
        is_told(player);
        player.expect_game_chat(b"Server", |text| text.as_bytes() == NOTICE);
        is_sent_away(player);
    }
}

#[test]
fn nobody_is_let_in_while_it_stops() {
    let (server, address) = serve(&config());
    let mut ann = Player::log_in(address, &Identity::new("Ann"));
    let stopping = thread::spawn(move || server.stop());
    is_told(&mut ann);
    let mut late = Player::new(address, &Identity::new("Late"));
    late.send_raw(b"HELLO0.83\0");
    assert_eq!(late.reply(), Reply::Full);
    is_sent_away(&mut ann);
    stopping.join().unwrap();
}

fn is_draining(player: &mut Player) {
    player.expect_message(&ServerMessage::InformationMessage {
        source: b"server",
        text: b"The server goes down when the games that run are over.",
    });
}

/// Games that run when the server is told to stop end first; nothing new begins meanwhile.
#[test]
fn a_server_that_drains_lets_games_end() {
    let (server, address) = serve(&config());
    let mut lobby = Player::log_in(address, &Identity::new("Ann"));
    let mut players = room(address, &Identity::crowd(2));
    let recipe = Recipe {
        input_len: 2,
        frames: 1,
        hold: 2,
    };
    let mut table = Table::start(&mut players, recipe);
    table.play(&mut players, 5);
    assert_eq!(server.games_playing(), 1);
    let draining = thread::spawn(move || {
        server.drain(PATIENCE);
        server
    });
    is_draining(&mut lobby);
    let mut late = Player::new(address, &Identity::new("Late"));
    late.hello();
    let refusal = late.try_enter().unwrap_err();
    assert_eq!(refusal, b"The server is going down; nobody is let in.");
    lobby.send(&ClientMessage::CreateGame { rom: b"New" });
    lobby.expect_message(&ServerMessage::InformationMessage {
        source: b"server",
        text: b"Room not created: the server is going down",
    });
    table.play(&mut players, 50);
    assert!(!draining.is_finished());
    for player in &mut players {
        player.send(&ClientMessage::PlayerDrop);
    }
    let server = draining.join().unwrap();
    assert_eq!(server.games_playing(), 0);
    assert_eq!(server.users(), 3);
    server.stop();
    is_sent_away(&mut lobby);
}

#[test]
fn a_game_that_does_not_end_is_not_waited_for_forever() {
    let (server, address) = serve(&config());
    let mut players = room(address, &Identity::crowd(1));
    let recipe = Recipe {
        input_len: 2,
        frames: 1,
        hold: 2,
    };
    let mut table = Table::start(&mut players, recipe);
    table.play(&mut players, 5);
    server.drain(Duration::from_millis(50));
    assert_eq!(server.games_playing(), 1);
    is_draining(&mut players[0]);
}

#[test]
fn an_empty_server_stops_at_once() {
    let (server, _) = serve(&config());
    let begin = Instant::now();
    server.stop();
    assert!(begin.elapsed() < Duration::from_secs(2));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_program_in_good_order() {
    for signal in ["TERM", "INT"] {
        let mut program = Program::start(&[]);
        let mut player = Player::log_in(program.address, &Identity::new("Ann"));
        player.create(b"Game");
        let begin = Instant::now();
        program.signal(signal);
        is_told(&mut player);
        is_sent_away(&mut player);
        let status = program.exit();
        assert!(begin.elapsed() < Duration::from_secs(3));
        assert_eq!(status.code(), Some(0), "{signal}");
    }
}

/// A signal counts from the moment the log says that the server listens.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_program_that_has_just_started() {
    for _ in 0..10 {
        let mut program = Program::start(&[]);
        program.signal("TERM");
        assert_eq!(program.exit().code(), Some(0));
    }
}

/// The player is still to be told goodbye, so an end in good order would send it a Quit.
#[cfg(unix)]
#[test]
fn a_second_signal_ends_the_program_at_once() {
    let mut program = Program::start(&[]);
    let mut player = Player::log_in(program.address, &Identity::new("Ann"));
    player.create(b"Game");
    program.signal("TERM");
    is_told(&mut player);
    program.signal("TERM");
    let status = program.exit();
    const SIGTERM: i32 = 15;
    assert_eq!(status.code(), Some(128 + SIGTERM));
}

/// The first signal waits for a game that never ends; the second waits for nothing.
#[cfg(unix)]
#[test]
fn a_second_signal_ends_a_program_that_drains() {
    let name = format!("samara-drain-{}.toml", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, "[shutdown]\ndrain_s = 3600\n").unwrap();
    let mut program = Program::start(&["--config", path.to_str().unwrap()]);
    std::fs::remove_file(&path).unwrap();
    let mut players = room(program.address, &Identity::crowd(1));
    let recipe = Recipe {
        input_len: 2,
        frames: 1,
        hold: 2,
    };
    let mut table = Table::start(&mut players, recipe);
    table.play(&mut players, 5);
    program.signal("TERM");
    is_draining(&mut players[0]);
    table.play(&mut players, 100);
    assert!(program.is_running());
    program.signal("INT");
    const SIGINT: i32 = 2;
    assert_eq!(program.exit().code(), Some(128 + SIGINT));
}
