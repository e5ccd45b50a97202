//! Everybody's commands in a room (kaillera-server.md 7.4).

use super::{Hall, Speaks, cases, staffed};
use crate::support::{Player, Recipe, Table};
use samara::kaillera::message::{ClientMessage, GameStatus, ServerMessage};
use std::time::Duration;

cases! {
    members_are_told_of_their_commands: Room "/help";
    members_write_to_each_other: Room "/msg" "/msgon" "/msgoff" "/me";
    members_ignore_each_other: Room "/ignore" "/unignore" "/ignoreall" "/unignoreall";
    players_are_spared_the_lobby: Room "/p2pon" "/p2poff";
    a_post_is_stopped: Room "/stop";
    lag_is_told: Room "/lagstat" "/lagreset" "/fps";
    players_choose_their_delay: Room "/delay";
    members_watch: Room "/watch" "/unwatch";
}

const RECIPE: Recipe = Recipe {
    input_len: 2,
    frames: 1,
    hold: 2,
};

fn members_are_told_of_their_commands() {
    let hall = Hall::new();
    let ([mut ann, mut bob], _) = hall.room(["Ann", "Bob"]);
    let (owners, members) = (ann.answers_here("/help"), bob.answers_here("/HELP"));
    let has = |help: &[String], word: &str| help.iter().any(|line| line.starts_with(word));
    for word in [
        "/me ",
        "/msg ",
        "/ignore ",
        "/p2pon ",
        "/lagstat ",
        "/unwatch ",
    ] {
        assert!(has(&owners, word) && has(&members, word), "{word}");
    }
    for word in ["/maxusers ", "/kick ", "/swap ", "/startn ", "/muteall "] {
        assert!(has(&owners, word) && !has(&members, word), "{word}");
    }
    assert!(owners.iter().any(|line| line.contains("/startn off")));
    bob.answered_here("/nothing x", "No such command: /nothing x");
}

fn members_write_to_each_other() {
    let hall = Hall::new();
    let ([mut ann, mut bob], _) = hall.room(["Ann", "Bob"]);
    let mut cid = hall.user("Cid");
    ann.answered_here("/msg 3 hi", "No user 3");
    ann.answered_here("/msg 1 hi", "You cannot write to yourself.");
    ann.answered_here("/msg", "Use: /msg <id> <text>");
    ann.answered_here("/msg 2 hi", "TO: <Bob>(2) <Ann> (1): hi");
    bob.noticed("<Ann> (1): hi");
    bob.answered_here("/msgoff", "You refuse private messages.");
    ann.answered_here("/msg hi", "Bob refuses private messages.");
    bob.answered_here("/msgon", "You accept private messages.");
    ann.answered_here("/me waves", "*Ann waves");
    bob.noticed("*Ann waves");
    ann.answered_here("/me", "Use: /me <text>");
    cid.never_saw("waves");
}

fn members_ignore_each_other() {
    let hall = Hall::new();
    let ([mut ann, mut bob, mut cid], _) = hall.room(["Ann", "Bob", "Cid"]);
    ann.answered_here("/ignore", "Use: /ignore <id>");
    ann.answered_here("/ignore 1", "You cannot ignore yourself.");
    ann.answered_here("/unignore 2", "You do not ignore Bob.");
    ann.says_here("/ignore 2");
    // The whole lobby is told.
    bob.told("Ann (1) ignores Bob (2) now.");
    bob.says_here("hello");
    bob.says_here("/me waves");
    cid.hears_here("Bob", "hello");
    cid.noticed("*Bob waves");
    ann.says_here("/unignore 2");
    bob.told("Ann (1) no longer ignores Bob (2).");
    ann.says_here("/ignoreall");
    bob.told("Ann (1) ignores everyone now.");
    cid.says_here("hello");
    bob.hears_here("Cid", "hello");
    ann.never_saw("hello");
    ann.never_saw("waves");
    ann.says_here("/unignoreall");
    bob.told("Ann (1) no longer ignores everyone.");
    bob.says_here("back");
    ann.hears_here("Bob", "back");
}

fn players_are_spared_the_lobby() {
    let hall = Hall::new();
    let (mut players, _) = hall.room(["Ann", "Bob"]);
    let mut cid = hall.user("Cid");
    players[1].says_here("/p2pon");
    players[0].noticed("Bob gets no lobby messages during games.");
    players[1].says_here("/p2poff");
    players[0].noticed("Bob gets lobby messages during games.");
    players[0].answered_here("/p2poff", "You get lobby messages during games.");
    players[0].answered_here("/p2pon", "You get no lobby messages during games.");
    players[1].noticed("You get no lobby messages during games.");
    players[0].start();
    for player in &mut players {
        player.noticed("Lobby messages are held back while you play.");
    }
    let mut table = Table::await_start(&mut players, RECIPE);
    players.iter_mut().for_each(Player::ready);
    players.iter_mut().for_each(Player::await_ready);
    cid.echo(b"hello");
    table.play(&mut players, 10);
    let [ann, bob] = &mut players;
    bob.send(&ClientMessage::PlayerDrop);
    let held = "Lobby messages were held back; log in again to refresh your lists.";
    bob.noticed(held);
    bob.never_saw("hello");
    ann.send(&ClientMessage::PlayerDrop);
    ann.noticed(held);
    ann.never_saw("hello");
    cid.echo(b"welcome back");
    ann.hears("Cid", "welcome back");
}

fn a_post_is_stopped() {
    let mut config = staffed();
    config.web_hook.urls = vec!["http://127.0.0.1:9/hook".to_owned()];
    config.web_hook.delay = Duration::from_secs(600);
    let hall = Hall::with(&config);
    let (mut ann, mut bob) = (hall.user("Ann"), hall.user("Bob"));
    let room = ann.create(b"Game");
    ann.told("This room will be posted in 600 s; type /stop to prevent it.");
    bob.join(room);
    bob.answered_here("/stop", "There is no post to cancel.");
    ann.answered_here("/stop", "The post was cancelled.");
    ann.answered_here("/stop", "There is no post to cancel.");
}

fn lag_is_told() {
    let hall = Hall::new();
    let (mut players, _) = hall.room(["Ann", "Bob"]);
    // Before the first game there is only the line itself.
    players[1].says_here("/lagstat");
    players[0].hears_here("Bob", "/lagstat");
    let mut table = Table::start(&mut players, RECIPE);
    table.play(&mut players, 60);
    let [ann, bob] = &mut players;
    bob.says_here("/lagstat");
    for player in [&mut *ann, &mut *bob] {
        player.hears_here("Bob", "/lagstat");
        player.expect_game_chat(b"Server", |line| line.starts_with("Lag in the last "));
        player.expect_game_chat(b"Server", |line| {
            line.starts_with("Lag known to come from: P1: ")
        });
    }
    bob.says_here("/lagreset");
    ann.hears_here("Bob", "/lagreset");
    ann.noticed("Lag counters cleared.");
    for (line, shown) in [("/fps 59.94", "60"), ("/fps 0.1", "0"), ("/fps 100", "100")] {
        bob.says_here(line);
        ann.hears_here("Bob", line);
        ann.noticed(&format!(
            "Lag is now measured against {shown} frames per second"
        ));
    }
    for line in ["/fps", "/fps 0.09", "/fps 101", "/fps x"] {
        bob.says_here(line);
        bob.noticed(&format!("No such command: {line}"));
    }
}

fn players_choose_their_delay() {
    let hall = Hall::new();
    let (mut players, _) = hall.room(["Ann", "Bob"]);
    players[1].says_here("/delay 7");
    for player in &mut players {
        player.noticed("From the next start Bob has a delay of 7.");
    }
    let usage = "Use: /delay <1-60|auto> sets your frame delay from the next start";
    for line in ["/delay", "/delay 0", "/delay 61", "/delay x"] {
        players[1].answered_here(line, usage);
    }
    players[0].start();
    assert_eq!(players[0].await_start().delay, 1);
    assert_eq!(players[1].await_start().delay, 7);
    players.iter_mut().for_each(Player::ready);
    players[1].noticed("P2 Delay = 7 (7 frame delay)");
    players[1].says_here("/delay auto");
    players[0].noticed("From the next start Bob has a delay of 1.");
}

fn members_watch() {
    let hall = Hall::new();
    let (mut players, room) = hall.room(["Ann", "Bob", "Cid"]);
    let status = |players: u8| ServerMessage::GameStatus {
        game: room,
        status: GameStatus::Waiting,
        players,
        capacity: 8,
    };
    players[2].says_here("/watch");
    players[0].noticed("Cid watches the game.");
    players[0].expect_message(&status(2));
    players[2].says_here("/unwatch");
    players[0].noticed("Cid no longer watches the game.");
    players[0].expect_message(&status(3));
    players[2].says_here("/watch");
    players[0].noticed("Cid watches the game.");
    players[0].expect_message(&status(2));
    let [ann, bob, cid] = &mut players;
    ann.start();
    for player in [&mut *ann, &mut *bob] {
        assert_eq!(player.await_start().players, 2);
    }
    cid.expect_game_chat(b"Server", |line| {
        line.starts_with("You see this game from its start")
    });
    cid.await_start();
}
