//! Hostile and broken datagrams while a game runs: nothing changes for anybody.

use crate::support::{Identity, Player, Recipe, Table, config, hash, room, serve};
use samara::{
    kaillera::{bundle::Bundle, connect::Connect},
    metrics::Reason,
};
use std::{
    net::{SocketAddr, UdpSocket},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

const RECIPE: Recipe = Recipe {
    input_len: 2,
    frames: 1,
    hold: 2,
};

/// Bytes that look random and are the same in every run.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    (0..length as u64).map(|n| hash(seed, n) as u8).collect()
}

/// What strangers send: random bytes, whole bundles that are no logins, a login cut anywhere,
/// absurd counts and lengths, and more bytes than any buffer has.
fn from_strangers(seed: u64) -> Vec<Vec<u8>> {
    let login = b"\x01\0\0\x0e\0\x03Eve\0EMU 1.0\0\x01";
    let mut all = Vec::new();
    for n in 0..200 {
        let dice = hash(seed, n);
        all.push(noise(dice, (dice % 1500) as usize));
    }
    all.extend((0..login.len()).map(|cut| login[..cut].to_vec()));
    for count in [0, 2, 32, 33, 127, 128, 255] {
        let mut absurd = login.to_vec();
        absurd[0] = count;
        all.push(absurd);
    }
    for length in [0u16, 1, 15, 0x7FFF, 0xFFFF] {
        let mut absurd = login.to_vec();
        absurd[3..5].copy_from_slice(&length.to_le_bytes());
        all.push(absurd);
    }
    for kind in 0..=255u8 {
        if kind != 0x03 {
            all.push([&[1, 0, 0, 20, 0, kind], &[0; 19][..]].concat());
        }
    }
    all.extend([5_000, 9_000, 60_000].map(|length| noise(seed, length)));
    all
}

/// What a player's own socket sends that must not count: no bundles, or nothing new in them.
fn from_players(seed: u64, own: &[u8]) -> Vec<Vec<u8>> {
    let all = from_strangers(seed).into_iter();
    let is_bundle = |datagram: &Vec<u8>| Bundle::parse(datagram).is_ok();
    let is_hello =
        |datagram: &Vec<u8>| matches!(Connect::parse(datagram), Some(Connect::Hello { .. }));
    let mut all: Vec<_> = all.filter(|it| !is_bundle(it) && !is_hello(it)).collect();
    all.extend((0..own.len()).map(|cut| own[..cut].to_vec()));
    all.push(own.to_vec());
    all
}

/// A stranger that sends until it is told to stop.
fn pester(server: SocketAddr, seed: u64, stop: &AtomicBool) -> u64 {
    let mut sent = 0;
    while !stop.load(Ordering::Relaxed) {
        let socket = UdpSocket::bind(("127.0.0.1", 0)).unwrap();
        for datagram in from_strangers(seed + sent) {
            socket.send_to(&datagram, server).unwrap();
            sent += 1;
            if sent % 16 == 0 {
                thread::sleep(Duration::from_millis(1));
            }
        }
    }
    sent
}

#[test]
fn strangers_disturb_no_game() {
    let (server, address) = serve(&config());
    let mut players = room(address, &Identity::crowd(4));
    let mut table = Table::start(&mut players, RECIPE);
    let stop = AtomicBool::new(false);
    let sent = thread::scope(|scope| {
        let strangers = [1, 2].map(|seed| {
            let stop = &stop;
            scope.spawn(move || pester(address, seed << 32, stop))
        });
        table.play(&mut players, 2000);
        stop.store(true, Ordering::Relaxed);
        strangers.map(|it| it.join().unwrap()).iter().sum::<u64>()
    });
    table.play(&mut players, 100);
    let drops = server.drops();
    for reason in [
        Reason::Malformed,
        Reason::TooLong,
        Reason::Stranger,
        Reason::BadConnect,
    ] {
        assert!(drops.count(reason) > 0, "{reason:?} of {sent}");
    }
    assert!(drops.total() <= sent);
    assert_eq!(drops.count(Reason::InboxFull), 0);
    assert_eq!(server.sessions(), 4);
    assert_eq!(server.metrics().desyncs.get(), 0);
    assert_eq!(server.metrics().failed_turns.get(), 0);
}

#[test]
fn a_players_own_socket_disturbs_no_game() {
    let (server, address) = serve(&config());
    let mut players = room(address, &Identity::crowd(3));
    let mut table = Table::start(&mut players, RECIPE);
    let own = players[1].login_datagram().to_vec();
    let garbage = from_players(7, &own);
    for batch in garbage.chunks(8) {
        for datagram in batch {
            players[1].send_raw(datagram);
        }
        table.play(&mut players, 5);
    }
    players[1].echo(b"all is well");
    let drops = server.drops();
    assert!(drops.count(Reason::Malformed) > 0);
    assert!(drops.count(Reason::TooLong) > 0);
    assert!(drops.count(Reason::BadConnect) > 0);
    assert!(drops.total() < garbage.len() as u64);
    assert_eq!(server.metrics().desyncs.get(), 0);
}

/// A user in the lobby sends bundles that are well framed, with new numbers and nonsense in
/// them: unknown kinds, kinds of the server's, bodies that end early, game data without a
/// game. The user stays, and the game next door goes on.
#[test]
fn nonsense_of_a_user_disturbs_nobody() {
    let (server, address) = serve(&config());
    let mut players = room(address, &Identity::crowd(3));
    let mut table = Table::start(&mut players, RECIPE);
    let mut mallory = Player::log_in(address, &Identity::new("Mallory"));
    // Its first five messages are the login.
    let mut number = 5u16;
    let mut say = |mallory: &mut Player, kind: u8, body: &[u8]| {
        let [low, high] = number.to_le_bytes();
        let [short, long] = (body.len() as u16 + 1).to_le_bytes();
        mallory.send_raw(&[&[1, low, high, short, long, kind], body].concat());
        number += 1;
    };
    let requests = [
        0x01, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0F, 0x11, 0x14, 0x15,
    ];
    for round in 0..8u64 {
        for kind in (0..=255u8).filter(|kind| !requests.contains(kind)) {
            let length = hash(round, kind.into()) % 40;
            say(&mut mallory, kind, &noise(round, length as usize + 1));
        }
        // Bodies without their terminators and numbers.
        for kind in [0x07, 0x08, 0x0A, 0x0C, 0x0F] {
            say(&mut mallory, kind, b"\x01");
        }
        for kind in [0x08, 0x0B, 0x11, 0x14, 0x15, 0x0F] {
            say(&mut mallory, kind, &[0; 12]);
        }
        mallory.ping();
        table.play(&mut players, 50);
    }
    for player in &mut players {
        player.echo(b"all is well");
        let about = |it: &&crate::support::Received| format!("{it:?}").contains("Mallory");
        assert_eq!(player.passed.iter().filter(about).count(), 1);
    }
    assert_eq!(server.users(), 4);
    assert!(server.drops().count(Reason::UnknownKind) > 0);
    assert!(server.drops().count(Reason::BadMessage) > 0);
    assert_eq!(server.metrics().failed_turns.get(), 0);
}
