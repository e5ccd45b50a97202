//! An unmodified directory of EmuLinker-K, as its players meet it (kaillera-server.md 2 to 5).

use crate::support::{Conf, Identity, Player, Program};
use samara::kaillera::{
    connect::Reply,
    message::{ConnectionType, ServerMessage},
};
use std::{
    net::{IpAddr, Ipv4Addr},
    time::Duration,
};

/// Where the shipped rules make nobody an admin.
const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

/// An ordinary user.
fn ordinary(program: &Program, identity: &Identity) -> Player {
    Player::on(ELSEWHERE, program.address, identity)
}

fn entered(program: &Program, name: &str) -> Player {
    let mut player = ordinary(program, &Identity::new(name));
    player.hello();
    player.enter();
    player
}

fn expect_line(player: &mut Player, text: impl AsRef<[u8]>) {
    player.expect_by_now(&ServerMessage::InformationMessage {
        source: b"server",
        text: text.as_ref(),
    });
}

/// The lines from `server` so far, in their order.
fn lines(player: &Player) -> Vec<String> {
    let lines = player.passed.iter().filter_map(|it| match it.message() {
        ServerMessage::InformationMessage {
            source: b"server",
            text,
        } => Some(String::from_utf8_lossy(text).into_owned()),
        _ => None,
    });
    lines.collect()
}

#[test]
fn it_is_served_as_it_is() {
    let conf = Conf::new("unmodified");
    let mut program = conf.serve();
    let mut ann = ordinary(&program, &Identity::new("Ann"));
    ann.send_raw(b"PING\0");
    assert_eq!(ann.reply(), Reply::Pong);
    ann.send_raw(b"HELLO0.83\0");
    assert_eq!(ann.reply(), Reply::Port(program.address.port()));
    ann.enter();
    let told = lines(&ann);
    assert_eq!(
        told[..2],
        [
            "Welcome to a new server!",
            "Edit language.properties to change these lines."
        ]
    );
    assert!(told[2].contains("Samara"), "product and version: {told:?}");
    ann.create(b"Game");
    expect_line(&mut ann, "Ann opened a room: Game");

    let mut boss = Player::log_in(program.address, &Identity::new("Boss"));
    expect_line(&mut boss, "A super admin is here");
    expect_line(&mut ann, "A super admin is here");
    program.signal("TERM");
    assert_eq!(program.exit().code(), Some(0));
    // Each key that means nothing is told once, other programs' files never.
    let logged = program.logged.join("\n");
    for (word, times) in [
        ("game.bufferSize", 1),
        ("twitter.enabled", 1),
        ("survey.enabled", 1),
        ("oAuth", 4),
        ("log4j2", 0),
        ("components.xml", 0),
        ("user.properties", 0),
    ] {
        assert_eq!(logged.matches(word).count(), times, "{word} in {logged}");
    }
    assert!(!logged.contains("ERROR"), "{logged}");
}

#[test]
fn its_limits_are_in_force() {
    let conf = Conf::new("limits");
    conf.change("emulinker.cfg", "maxUsers=100", "maxUsers=2");
    conf.change("emulinker.cfg", "Types=1,2,3,4,5,6", "Types=1,2");
    let program = conf.serve();
    let slow = Identity::new("Slow").ack_pause(270);
    let refusal = ordinary(&program, &slow).try_enter().unwrap_err();
    let refusal = String::from_utf8(refusal).unwrap();
    assert!(refusal.starts_with("Your ping is too high ("), "{refusal}");
    assert!(refusal.contains("250"), "{refusal}");
    let bad = Identity::new("Bad").connection_type(ConnectionType::Bad);
    let refusal = ordinary(&program, &bad).try_enter().unwrap_err();
    assert_eq!(refusal, b"Connection type not allowed: Bad");

    let mut ann = entered(&program, "Ann");
    ann.listen(Duration::from_millis(2100));
    ann.echo(b"one");
    ann.chat(b"two");
    expect_line(&mut ann, "Not sent: you are sending too fast");
    let _bob = entered(&program, "Bob");
    let mut eve = ordinary(&program, &Identity::new("Eve"));
    eve.send_raw(b"HELLO0.83\0");
    assert_eq!(eve.reply(), Reply::Full);
    // An admin is let in all the same.
    Player::log_in(program.address, &slow);
}

#[test]
fn the_operators_words_win_in_every_language() {
    let conf = Conf::new("words");
    conf.change(
        "emulinker.cfg",
        "emulinker.language=",
        "emulinker.language=es",
    );
    conf.write(
        "language.properties",
        "KailleraServerImpl.LoginMessage.1=Hola, {0}\n\
         KailleraServerImpl.JoinGameMessage.1=Have fun\n\
         KailleraServerImpl.JoinGameMessage.2=Be fair\n\
         KailleraServerImpl.JoinGameMessage.4=after a gap\n\
         KailleraServerImpl.UserCreatedGameAnnouncement={0}''s room: {1}\n",
    );
    let program = conf.serve();
    let mut ann = entered(&program, "Ann");
    expect_line(&mut ann, "Hola, {0}");
    ann.create(b"Game");
    ann.expect_game_chat(b"Server", |text| text == "Have fun");
    ann.expect_game_chat(b"Server", |text| text == "Be fair");
    expect_line(&mut ann, "Ann's room: Game");
    ann.listen(Duration::from_millis(2100));
    ann.game_chat(b"/nothing");
    ann.expect_game_chat(b"Server", |text| {
        assert_ne!(text, "after a gap");
        text.contains("/nothing") && !text.starts_with("No such command")
    });
}

#[test]
fn texts_and_rules_are_in_the_character_set() {
    let conf = Conf::new("charset");
    let shift_jis = |text: &str| encoding_rs::SHIFT_JIS.encode(text).0.into_owned();
    conf.change(
        "emulinker.cfg",
        "emulinker.charset=",
        "emulinker.charset=Shift_JIS",
    );
    conf.change(
        "emulinker.cfg",
        "emulinker.language=",
        "emulinker.language=custom",
    );
    conf.write(
        "language.properties",
        "KailleraServerImpl.LoginMessage.1=\u{3088}\u{3046}\u{3053}\u{305d} \u{8868} \u{20ac}\n",
    );
    conf.write(
        "access.cfg",
        shift_jis("user,ELEVATED,127.0.0.2,\u{8868}\ngame,DENY,*\u{8868}*\n"),
    );
    let program = conf.serve();
    let mut ann = entered(&program, "Ann");
    expect_line(
        &mut ann,
        shift_jis("\u{3088}\u{3046}\u{3053}\u{305d} \u{8868} ?"),
    );
    expect_line(&mut ann, shift_jis("\u{8868}"));
    let mut bob = Player::log_in(program.address, &Identity::new("Bob"));
    bob.send(&samara::kaillera::message::ClientMessage::CreateGame {
        rom: &shift_jis("\u{8868} 2"),
    });
    expect_line(&mut bob, "Room not created: this game is not allowed here");
}

#[test]
fn keys_of_emulinkersf_are_accepted_and_told_once() {
    let conf = Conf::new("sf");
    let more = "controllers.v086.portRangeStart=27889\ncontrollers.v086.extraPorts=10\n\
                survey.gameWhitelist=.*\nsurvey.apiEndpoint=\nsurvey.apiKey=\n";
    conf.change(
        "emulinker.cfg",
        "survey.enabled=false\n",
        &format!("survey.enabled=true\n{more}"),
    );
    conf.change(
        "emulinker.cfg",
        "twitter.enabled=false",
        "twitter.enabled=true",
    );
    let mut program = conf.serve();
    entered(&program, "Ann");
    program.signal("TERM");
    assert_eq!(program.exit().code(), Some(0));
    let told = |part: &str| {
        program
            .logged
            .iter()
            .filter(|line| line.contains(part))
            .count()
    };
    assert_eq!(
        told("controllers.v086.portRangeStart, controllers.v086.extraPorts"),
        1
    );
    assert_eq!(told("survey.apiKey"), 1);
    assert_eq!(told("twitter.auth.oAuthAccessToken,"), 1);
}
