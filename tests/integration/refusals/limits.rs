//! What else is refused, dropped or ended, and what is said of it (9).
//!
//! Elsewhere: barred addresses in `access`, connect strings and strangers in `connect`, repeats
//! that end in `tests/simulation/directed/classes.rs`.

use super::*;
use crate::support::{Recipe, Table, room, serve, wait_until};
use samara::{
    config::Config,
    kaillera::{
        bundle::{BundleWriter, MessageNumber},
        connect::Reply,
    },
    metrics::Reason,
};

const FLOOD: &str = "Command refused: you are silenced, or sending too fast.";
const PAUSE: Duration = Duration::from_secs(3600);

/// The next line of the server's, in the lobby or in a room.
fn next_line(player: &mut Player) -> Received {
    player.expect("a line", |message| match *message {
        ServerMessage::InformationMessage { source, .. } => {
            assert_eq!(source, b"server");
            Some(Received::new(message))
        }
        ServerMessage::GameChat { name, .. } => {
            assert_eq!(name, b"Server");
            Some(Received::new(message))
        }
        _ => None,
    })
}

/// A user in a room of its own, which has said nothing yet.
fn owner(last: u8, server: SocketAddr, name: &str) -> Player {
    let mut player = user(last, server, name);
    player.create(b"Game");
    player.expect("the announcement", |message| {
        let ServerMessage::InformationMessage { text, .. } = *message else {
            return None;
        };
        text.ends_with(b"opened a room: Game").then_some(())
    });
    player
}

/// A server on which lines have to be an hour apart, and one on which they need no pause.
fn slow_and_quick() -> [Config; 2] {
    [PAUSE, Duration::ZERO].map(|pause| {
        let mut config = staffed();
        config.rules.chat_flood = pause;
        config
    })
}

#[test]
fn lines_in_the_lobby() {
    let servers = slow_and_quick().map(|config| serve(&config));
    let [(_, slow), (_, quick)] = servers;
    let long = "x".repeat(151);
    let too_fast = "Not sent: you are sending too fast";
    let silenced = "Not sent: you are silenced";
    let illegal = "Not sent: the text has characters that are not allowed";
    let too_long = "Not sent: the text is too long";
    // Silenced before too fast before characters before length; a login counts as a line.
    let table = [
        (slow, SILENCED, format!("a\x1F{long}"), silenced),
        (slow, NORMAL, format!("a\x1F{long}"), too_fast),
        (quick, NORMAL, format!("a\x1F{long}"), illegal),
        (quick, NORMAL, long.clone(), too_long),
    ];
    for (n, (address, last, line, expected)) in table.into_iter().enumerate() {
        let mut player = user(last, address, &format!("User {n}"));
        player.chat(line.as_bytes());
        let answer = player.expect("a refusal", |message| match *message {
            ServerMessage::InformationMessage { text, .. } if text.starts_with(b"Not") => {
                Some(Received::new(message))
            }
            _ => None,
        });
        assert_eq!(answer.message(), information(expected), "{line}");
    }
    let mut player = user(2, quick, "Blank");
    for line in [&b""[..], b"  ", b"\t\x01"] {
        player.chat(line);
    }
    player.echo(b"only this");
    // From ELEVATED on neither pace, characters nor length matter: a long line is several.
    let mut player = user(ELEVATED, slow, "Eve");
    player.echo(b"a\x1Fb");
    player.echo(&[b'x'; 255]);
    player.chat(&[b'y'; 300]);
    for length in [255, 45] {
        let text = &[b'y'; 255][..length];
        player.expect_message(&ServerMessage::Chat { name: b"Eve", text });
    }
}

#[test]
fn commands_that_come_too_soon_or_from_the_silenced() {
    let servers = slow_and_quick().map(|config| serve(&config));
    let [(_, address), (_, quick)] = servers;
    let mut quick = owner(NORMAL, quick, "Ann");
    quick.chat(b"/myip");
    let answer = next_line(&mut quick);
    assert_eq!(answer.message(), information("Your address: 127.0.0.5"));
    let mut ann = owner(NORMAL, address, "Ann");
    for command in [
        &b"/myip"[..],
        b"/help",
        b"/msg 1 x",
        b"/me waves",
        b"/nonsense",
    ] {
        ann.chat(command);
        assert_eq!(next_line(&mut ann).message(), information(FLOOD));
        ann.game_chat(command);
        assert_eq!(next_line(&mut ann).message(), notice(FLOOD));
    }
    // Clients set up their room right after they made it: the owner's commands are not counted.
    for n in 1..9 {
        ann.game_chat(format!("/maxusers {n}").as_bytes());
        let answer = format!("The room takes {n} members.");
        assert_eq!(next_line(&mut ann).message(), notice(&answer));
    }
    let mut hush = owner(SILENCED, address, "Hush");
    hush.chat(b"/me waves");
    assert_eq!(next_line(&mut hush).message(), information(FLOOD));
    hush.game_chat(b"/me waves");
    assert_eq!(next_line(&mut hush).message(), notice(FLOOD));
}

#[test]
fn lines_in_a_room() {
    let (_server, address) = serve(&staffed());
    let mut ann = owner(NORMAL, address, "Ann");
    let game = ann.room();
    let mut bob = user(2, address, "Bob");
    bob.join(game);
    let mut hush = user(SILENCED, address, "Hush");
    hush.join(game);
    ann.game_chat(format!("/mute {}", bob.id.0).as_bytes());
    bob.expect_message(&notice("Bob is muted in this room."));
    hush.expect_message(&notice("Bob is muted in this room."));
    ann.expect_message(&notice("Bob is muted in this room."));
    let long = [b'x'; 321];
    for (player, text) in [
        (&mut hush, "Not sent: you are silenced"),
        (&mut bob, "Not sent: you are muted in this room"),
        (&mut ann, "Not sent: the text is too long"),
    ] {
        player.game_chat(&long);
        assert_eq!(next_line(player).message(), notice(text));
    }
    ann.game_chat(&long[1..]);
    for length in [255, 65] {
        let text = &long[..length];
        ann.expect_message(&ServerMessage::GameChat { name: b"Ann", text });
        bob.expect_message(&ServerMessage::GameChat { name: b"Ann", text });
    }
    ann.game_chat(b"/nonsense x");
    assert_eq!(
        next_line(&mut ann).message(),
        notice("No such command: /nonsense x")
    );
    // Without a room nobody hears it, and nobody is told.
    let mut carl = user(3, address, "Carl");
    assert!(answers(&mut carl, |it| it.game_chat(b"hello")).is_empty());
    assert!(answers(&mut carl, |it| it.game_chat(b"/help")).is_empty());
}

#[test]
fn private_messages() {
    let (_server, address) = serve(&staffed());
    let mut ann = owner(NORMAL, address, "Ann");
    let game = ann.room();
    let mut bob = user(2, address, "Bob");
    bob.join(game);
    let long = "x".repeat(321);
    for (text, expected) in [
        (
            "a\x1Fb",
            "Not sent: the text has characters that are not allowed",
        ),
        (&*long, "Not sent: the text is too long"),
    ] {
        let line = format!("/msg {} {text}", bob.id.0);
        ann.chat(line.as_bytes());
        ann.expect_message(&information(expected));
        ann.game_chat(line.as_bytes());
        ann.expect_message(&notice(expected));
    }
}

/// Drop, ready, start of what is not there, a room's end without a room, data without a game:
/// nobody is answered, and nobody else notices.
#[test]
fn requests_in_a_state_that_has_no_use_for_them() {
    let (server, address) = serve(&staffed());
    let mut ann = user(NORMAL, address, "Ann");
    let useless = [
        ClientMessage::PlayerDrop,
        ClientMessage::AllReady,
        ClientMessage::GameData { input: b"xxxx" },
        ClientMessage::CachedGameData { index: 0 },
        ClientMessage::CachedGameData { index: 255 },
        ClientMessage::ClientAck,
    ];
    let all = |player: &mut Player| useless.iter().for_each(|message| player.send(message));
    assert!(answers(&mut ann, all).is_empty());
    assert!(answers(&mut ann, Player::quit_game).is_empty());
    ann.create(b"Game");
    ann.expect_message(&information("Ann opened a room: Game"));
    assert!(answers(&mut ann, all).is_empty());
    // A client that logs in again in the middle of its session says its own name twice.
    assert!(answers(&mut ann, Player::introduce).is_empty());
    assert_eq!(server.users(), 1);
}

#[test]
fn parting_words_that_are_blank_or_too_long_are_replaced() {
    let (server, address) = serve(&staffed());
    let mut watcher = user(NORMAL, address, "Watcher");
    let long = [b'x'; 101];
    for (words, shown) in [
        (&b"so long"[..], &b"so long"[..]),
        (&long[1..], &long[1..]),
        (&long, b"Left the server"),
        (b"", b"Left the server"),
        (b" \t ", b"Left the server"),
    ] {
        let mut ann = user(2, address, "Ann");
        ann.quit(words);
        let left = ServerMessage::Quit {
            name: b"Ann",
            id: ann.id,
            message: shown,
        };
        ann.expect_message(&left);
        watcher.expect_message(&left);
        wait_until("it is gone", || {
            server.users() == 1 && server.sessions() == 1
        });
    }
}

/// Everybody is told who is gone and why, and so is the user.
#[test]
fn users_whose_time_is_over() {
    let mut config = staffed();
    config.rules.keepalive_timeout = Duration::from_secs(4);
    let mut idle = config.clone();
    idle.rules.keepalive_timeout = Duration::from_secs(60);
    idle.rules.idle_timeout = Duration::from_secs(4);
    let mut silent = config.clone();
    silent.rules.keepalive_timeout = Duration::from_secs(60);
    silent.link.first_keepalive = Duration::from_secs(4);
    for (config, message) in [
        (config, &b"Connection lost"[..]),
        (silent, b"Connection lost"),
        (idle, b"Idle for too long"),
    ] {
        let (server, address) = serve(&config);
        // Above ELEVATED nobody is idle; it talks for as long as it waits.
        let mut watcher = user(ADMIN, address, "Watcher");
        let mut ann = user(NORMAL, address, "Ann");
        wait_until("it is gone", || {
            watcher.chat(b"/myip");
            std::thread::sleep(Duration::from_millis(50));
            server.users() == 1
        });
        let left = ServerMessage::Quit {
            name: b"Ann",
            id: ann.id,
            message,
        };
        ann.expect_message(&left);
        watcher.expect_message(&left);
    }
}

#[test]
fn a_login_that_is_not_finished_is_forgotten() {
    let mut config = staffed();
    config.link.login_timeout = Duration::from_millis(300);
    let (server, address) = serve(&config);
    let mut half = stranger(NORMAL, address, &Identity::new("Half"));
    half.introduce();
    half.expect_message(&ServerMessage::ServerAck);
    half.repeats = false;
    wait_until("it is forgotten", || server.sessions() == 0);
    half.pump();
    let acks = |it: &Received| it.message() == ServerMessage::ServerAck;
    assert!(half.passed.iter().all(acks), "it is told nothing");
    // What it says now is a stranger's: no session, no answer.
    half.send_raw(&bundle(1, 1));
    half.ping();
    assert_eq!(server.sessions(), 0);
    assert_eq!(server.drops().count(Reason::Stranger), 1);
}

/// So many messages with the numbers from `first` on, the newest in front.
fn bundle(first: u16, messages: u16) -> Vec<u8> {
    let mut bytes = vec![0; 1400];
    let mut bundle = BundleWriter::new(&mut bytes);
    for number in (first..first + messages).rev() {
        bundle.push(MessageNumber(number), &[0x09, 0]).unwrap();
    }
    let length = bundle.finish();
    bytes.truncate(length);
    bytes
}

/// 1 to 32 messages and no fewer than 5 bytes: all else is dropped and counted, and a session
/// that sends it goes on.
#[test]
fn bundles_that_are_none() {
    let (server, address) = serve(&staffed());
    let mut ann = user(NORMAL, address, "Ann");
    ann.echo(b"here");
    let mut too_many = bundle(100, 32);
    too_many[0] = 33;
    too_many.extend(&[0, 0, 2, 0, 9, 0]);
    let malformed = [
        &too_many[..],
        b"\x01\x64\x00\x02",
        b"\x01",
        b"\x00\x64\x00\x02\x00\x09\x00",
        b"\xFF\x64\x00\x02\x00\x09\x00",
        b"\x02\x64\x00\x02\x00\x09\x00",
        b"\x01\x64\x00\xFF\xFF\x09\x00",
    ];
    for (n, datagram) in (1..).zip(malformed) {
        ann.send_raw(datagram);
        ann.ping();
        let drops = server.drops().count(Reason::Malformed);
        assert_eq!(drops, n, "{}", datagram.escape_ascii());
    }
    // The same from somebody without a session makes none.
    let mut stranger = stranger(2, address, &Identity::new("Bob"));
    for datagram in malformed {
        stranger.send_raw(datagram);
        stranger.ping();
    }
    assert_eq!(server.drops().count(Reason::Malformed), 14);
    assert_eq!(server.sessions(), 1);
    ann.echo(b"still here");
}

/// 32 messages in one bundle, and three keepalives, are as good as one each.
#[test]
fn full_bundles_and_keepalives() {
    let (server, address) = serve(&staffed());
    let mut ann = user(NORMAL, address, "Ann");
    ann.send_raw(&bundle(5, 32));
    ann.send_raw(&bundle(37, 3));
    ann.ping();
    assert_eq!(server.drops().total(), 0);
    assert_eq!(server.users(), 1);
}

/// A bundle without anything new is answered with the last messages, not more often than every
/// 50 ms, and never with more than nine.
#[test]
fn a_bundle_without_news_gets_the_last_messages_again() {
    let (_server, address) = serve(&staffed());
    let mut ann = user(NORMAL, address, "Ann");
    for n in 0..12 {
        ann.echo(format!("line {n}").as_bytes());
    }
    ann.pump();
    let before = ann.bytes_in;
    ann.repeat();
    wait_until("an answer", || {
        ann.pump();
        ann.bytes_in > before
    });
    let first = ann.bytes_in - before;
    assert!(first < 9 * 40, "{first} bytes");
    let before = ann.bytes_in;
    for _ in 0..500 {
        ann.repeat();
    }
    ann.ping();
    ann.pump();
    let answers = ann.bytes_in - before;
    assert!(answers < 100 * 9 * 40, "{answers} bytes for 500 repeats");
}

/// Another port is another client: what it says in a game that runs elsewhere is a stranger's.
#[test]
fn data_from_another_port_is_a_strangers() {
    let (server, address) = serve(&staffed());
    let mut players = room(address, &Identity::crowd(2));
    let recipe = Recipe {
        input_len: 2,
        frames: 1,
        hold: 2,
    };
    let mut table = Table::start(&mut players, recipe);
    table.play(&mut players, 20);
    let mut other = Player::new(address, &Identity::new("Player 1"));
    for _ in 0..10 {
        other.send(&ClientMessage::GameData { input: b"zz" });
        other.send(&ClientMessage::PlayerDrop);
    }
    other.ping();
    assert_eq!(server.sessions(), 2);
    assert_eq!(server.drops().count(Reason::Stranger), 20);
    table.play(&mut players, 20);
}

/// One address has its share; whoever is more than an ordinary user is not counted.
#[test]
fn sessions_of_one_address_and_one_network() {
    let mut config = staffed();
    config.limits.sessions_per_address = 2;
    config.limits.sessions_per_network = 3;
    let (server, address) = serve(&config);
    let mut inside = vec![
        user(NORMAL, address, "One"),
        user(NORMAL, address, "Two"),
        user(2, address, "Three"),
    ];
    let kept_out = |last, count| {
        let mut player = stranger(last, address, &Identity::new("More"));
        player.send_raw(b"HELLO0.83\0");
        assert_eq!(player.reply(), Reply::Full);
        player.introduce();
        player.ping();
        wait_until("a drop", || {
            server.drops().count(Reason::TooManySessions) == count
        });
        assert!(player.passed.is_empty());
    };
    kept_out(NORMAL, 1);
    kept_out(3, 2);
    inside.push(user(ADMIN, address, "Duty"));
    assert_eq!(server.users(), 4);
    let mut gone = inside.remove(0);
    gone.quit(b"");
    let mut duty = inside.pop().unwrap();
    duty.quit(b"");
    wait_until("two are gone", || server.sessions() == 2);
    user(NORMAL, address, "Again");
}

/// Logins that are begun do not make the server look full.
#[test]
fn strangers_do_not_fill_the_server() {
    let mut config = staffed();
    config.rules.max_users = 2;
    let (server, address) = serve(&config);
    let mut halves = Vec::new();
    for n in 0..20 {
        let mut half = stranger(NORMAL, address, &Identity::new(format!("Half {n}")));
        half.introduce();
        half.expect_message(&ServerMessage::ServerAck);
        halves.push(half);
    }
    assert_eq!(server.sessions(), 20);
    let mut ann = stranger(2, address, &Identity::new("Ann"));
    ann.hello();
    ann.enter();
    let mut bob = stranger(2, address, &Identity::new("Bob"));
    bob.hello();
    bob.enter();
    ann.send_raw(b"PING\0");
    assert_eq!(ann.reply(), Reply::Pong);
    let mut carl = stranger(3, address, &Identity::new("Carl"));
    carl.send_raw(b"HELLO0.83\0");
    assert_eq!(carl.reply(), Reply::Full);
}
