//! Those who keep order, over real sockets (kaillera-server.md 7.3, 7.5, 7.6).

use crate::support::{Identity, Player, config, room, serve, wait_until};
use samara::{access::Rules, config::Config, kaillera::message::ServerMessage, metrics::Reason};
use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

/// Levels by loopback address; nobody has to wait between lines.
fn staffed() -> Config {
    let rules = "user,SUPERADMIN,127.0.0.9\nuser,ADMIN,127.0.0.8\nuser,MODERATOR,127.0.0.7\n\
                 ipaddress,ALLOW,*";
    let parsed = Rules::parse(rules);
    assert_eq!(parsed.mistakes, []);
    let mut config = config();
    config.access.rules = Arc::new(parsed.rules);
    config.rules.chat_flood = Duration::ZERO;
    config
}

fn at(last: u8, server: SocketAddr, name: &str) -> Player {
    let host = IpAddr::from([127, 0, 0, last]);
    let mut player = Player::on(host, server, &Identity::new(name));
    player.enter();
    player
}

/// Waits for an information line.
fn told(player: &mut Player, line: &str) {
    player.expect_message(&ServerMessage::InformationMessage {
        source: b"server",
        text: line.as_bytes(),
    });
}

/// Waits for a notice in the room.
fn noticed(player: &mut Player, line: &str) {
    player.expect_game_chat(b"Server", |text| text == line);
}

#[test]
fn a_moderator_silences_and_an_admin_takes_it_back() {
    let (_server, address) = serve(&staffed());
    let mut ann = at(1, address, "Ann");
    let mut mod_ = at(7, address, "Mod");
    let mut admin = at(8, address, "Boss");
    let silence = format!("/silence {} 5 shouting", ann.id.0);
    mod_.chat(silence.as_bytes());
    told(&mut ann, "Ann is silenced for 5 minutes");
    ann.chat(b"hello");
    told(&mut ann, "Not sent: you are silenced");
    mod_.chat(b"/announce no");
    told(&mut mod_, "You are not an admin.");
    admin.chat(format!("/clear {}", ann.id.0).as_bytes());
    told(&mut admin, "Cleared.");
    ann.chat(b"hello");
    mod_.expect_message(&ServerMessage::Chat {
        name: b"Ann",
        text: b"hello",
    });
}

#[test]
fn a_ban_removes_at_once_and_outlives_the_server_under_an_allow_all_rule() {
    let file = format!("moderation-{}.json", std::process::id());
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(file);
    let mut config = staffed();
    config.access.state = Some(path.clone());
    {
        let (server, address) = serve(&config);
        let mut ann = at(1, address, "Ann");
        let mut admin = at(8, address, "Boss");
        admin.chat(format!("/permaban {} cheating", ann.id.0).as_bytes());
        ann.expect_message(&ServerMessage::Quit {
            name: b"Ann",
            id: ann.id,
            message: b"Banned",
        });
        let before = server.drops().count(Reason::Barred);
        Player::on(IpAddr::from([127, 0, 0, 1]), address, &Identity::new("Ann")).introduce();
        wait_until("a drop", || server.drops().count(Reason::Barred) > before);
        server.stop();
    }
    let (server, address) = serve(&config);
    Player::on(IpAddr::from([127, 0, 0, 1]), address, &Identity::new("Ann")).introduce();
    wait_until("a drop", || server.drops().count(Reason::Barred) > 0);
    let mut admin = at(8, address, "Boss");
    admin.chat(b"/clear 127.0.0.1");
    told(&mut admin, "Cleared.");
    at(1, address, "Ann");
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_level_for_a_time_is_there_at_once() {
    let (_server, address) = serve(&staffed());
    let mut ann = at(1, address, "Ann");
    let mut owner = at(9, address, "Owner");
    owner.chat(format!("/tempadmin {} 5", ann.id.0).as_bytes());
    told(&mut ann, "Ann is admin for 5 minutes");
    ann.chat(b"/announce hi");
    told(&mut owner, "hi");
}

#[test]
fn users_write_to_each_other_and_ignore_each_other() {
    let (_server, address) = serve(&staffed());
    let mut ann = at(1, address, "Ann");
    let mut bob = at(2, address, "Bob");
    ann.chat(format!("/msg {} psst", bob.id.0).as_bytes());
    let line = format!("<Ann> ({}): psst", ann.id.0);
    told(&mut bob, &line);
    bob.chat(format!("/ignore {}", ann.id.0).as_bytes());
    let line = format!("Bob ({}) ignores Ann ({}) now.", bob.id.0, ann.id.0);
    told(&mut ann, &line);
    ann.chat(b"/msg again");
    told(&mut ann, "Bob ignores you.");
    bob.chat(b"/finduser an");
    let line = format!("UserID: {}, Nick: <Ann>, Access: Normal", ann.id.0);
    told(&mut bob, &line);
}

#[test]
fn an_owner_mutes_asks_for_a_password_and_removes() {
    let (_server, address) = serve(&staffed());
    let mut players = room(address, &[Identity::new("Ann"), Identity::new("Bob")]);
    let id = players[0].room();
    let [ann, bob] = players.as_mut_slice() else {
        unreachable!();
    };
    // Both are at one address, and muting is by address: Bob alone is asked here.
    ann.game_chat(b"/muteall");
    noticed(bob, "Everyone but the owner is muted in this room.");
    bob.game_chat(b"hello");
    noticed(bob, "Not sent: you are muted in this room");
    ann.game_chat(b"/password secret");
    noticed(ann, "The room asks for a password now.");
    let mut cid = at(3, address, "Cid");
    cid.chat(b"/password secret");
    told(&mut cid, "Password noted; join the room now.");
    cid.join(id);
    ann.game_chat(b"/kick 3");
    cid.expect_message(&ServerMessage::QuitGame {
        name: b"Cid",
        id: cid.id,
    });
}
