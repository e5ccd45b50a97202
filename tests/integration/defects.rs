//! What the reference was known to do wrong before the lobby hears of it, in the order of
//! kaillera-server.md 15; the rest is listed in `src/lobby/tests/defects.rs`.

use crate::support::{Identity, Player, config, serve, wait_until};
use samara::{
    kaillera::{
        MAX_DATAGRAM,
        bundle::{BundleWriter, MessageNumber},
        connect::Reply,
        message::{ClientMessage, ServerMessage},
    },
    metrics::Reason,
};
use std::{
    net::UdpSocket,
    time::{Duration, Instant},
};

fn bundle(messages: &[(u16, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0; MAX_DATAGRAM];
    let mut bundle = BundleWriter::new(&mut bytes);
    for (number, message) in messages {
        bundle.push(MessageNumber(*number), message).unwrap();
    }
    let length = bundle.finish();
    bytes.truncate(length);
    bytes
}

/// 2: any stray packet made a session, until the server looked full.
#[test]
fn stray_packets_make_no_sessions() {
    let mut config = config();
    config.rules.max_users = 5;
    let (server, address) = serve(&config);
    for kind in 0..=0x18_u8 {
        if kind == 0x03 {
            continue;
        }
        for _ in 0..10 {
            let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
            let body = [&[kind][..], b"\0name\0emulator\0\x01"].concat();
            socket.send_to(&bundle(&[(0, &body)]), address).unwrap();
        }
    }
    let mut ann = Player::new(address, &Identity::new("Ann"));
    ann.hello();
    assert_eq!(server.sessions(), 0);
    ann.enter();
    assert_eq!(server.drops().count(Reason::Stranger), 240);
}

/// 3: logins for an address that never answered. Its owner gets three times what was sent for it
/// until the login is done, and as much as a client needs for its lists after that; then, unless
/// it says something, it is soon forgotten.
#[test]
fn a_login_for_somebody_else_brings_little_and_ends_soon() {
    let mut config = config();
    config.link.first_keepalive = Duration::from_secs(5);
    let (server, address) = serve(&config);
    let mut talker = Player::log_in(address, &Identity::new("Talker"));
    // All an attacker needs to guess: the acks are numbered 1 to 4.
    let victim = UdpSocket::bind("127.0.0.1:0").unwrap();
    let login = [&[0x03][..], b"Victim\0EMU\0\x01"].concat();
    victim.send_to(&bundle(&[(0, &login)]), address).unwrap();
    let ack: &[u8] = &[0x06, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0];
    for number in 1..=4 {
        victim.send_to(&bundle(&[(number, ack)]), address).unwrap();
    }
    wait_until("the login", || server.users() == 2);
    let line = [b'x'; 150];
    let begin = Instant::now();
    while server.users() == 2 && begin.elapsed() < Duration::from_secs(60) {
        talker.echo(&line);
    }
    talker.expect("its end", |it| match *it {
        ServerMessage::Quit {
            name: b"Victim",
            message,
            ..
        } => {
            assert_eq!(message, b"Connection lost");
            Some(())
        }
        _ => None,
    });
    victim.set_nonblocking(true).unwrap();
    let mut buffer = [0; 2048];
    let mut received = 0;
    while let Ok(length) = victim.recv(&mut buffer) {
        received += length;
    }
    assert!(received <= 300 * 1024, "{received} bytes");
}

/// 8: a full server gave no answer at all.
#[test]
fn a_full_server_answers() {
    let mut config = config();
    config.rules.max_users = 1;
    let (_server, address) = serve(&config);
    let _ann = Player::log_in(address, &Identity::new("Ann"));
    let mut bob = Player::new(address, &Identity::new("Bob"));
    bob.send_raw(b"HELLO0.83\0");
    assert_eq!(bob.reply(), Reply::Full);
    assert_eq!(
        bob.try_enter().unwrap_err(),
        b"No room: the server is full."
    );
}

/// 12: unknown numbers, acks before the login, cache indices out of range: counted, one line of
/// the log in ten seconds, and the session goes on.
#[test]
fn nonsense_is_counted_and_nothing_else() {
    let (server, address) = serve(&config());
    let mut early = Player::new(address, &Identity::new("Early"));
    for _ in 0..8 {
        early.send(&ClientMessage::ClientAck);
    }
    early.ping();
    assert_eq!(server.sessions(), 0);
    let mut ann = Player::log_in(address, &Identity::new("Ann"));
    let mut number = 1000;
    for kind in [0x00, 0x18, 0x30, 0x7F, 0x80, 0xFF_u8] {
        for _ in 0..50 {
            ann.send_raw(&bundle(&[(number, &[kind, 0, 0, 0])]));
            number += 1;
        }
        ann.ping();
    }
    for index in [1, 127, 255] {
        ann.send_raw(&bundle(&[(number, &[0x13, 0, index])]));
        number += 1;
    }
    ann.ping();
    assert_eq!(server.drops().count(Reason::UnknownKind), 300);
    assert_eq!((server.users(), server.sessions()), (1, 1));
    assert_eq!(server.metrics().failed_turns.get(), 0);
}

/// 15: a message that does not fit into a datagram is left out of the count as well: a player
/// fails its test by itself when a bundle does not hold what its first byte says.
#[test]
fn counts_of_bundles_are_right_when_long_messages_meet() {
    let (_server, address) = serve(&config());
    let mut ann = Player::log_in(address, &Identity::new("Ann"));
    let mut bob = Player::log_in(address, &Identity::new("Bob"));
    for n in 0..40_u8 {
        let line = [b'a' + n % 26; 150];
        ann.chat(&line);
        bob.chat(&line);
    }
    ann.echo(b"all of it");
    bob.echo(b"all of it");
    assert!(
        ann.longest_in <= MAX_DATAGRAM && ann.longest_in > 700,
        "{}",
        ann.longest_in
    );
}
