//! From the first PING to a session, in every order and from one socket (kaillera.md 1).

use crate::support::{Identity, Player, Recipe, Table, config, room, serve};
use samara::{
    kaillera::{connect::Reply, message::ServerMessage},
    metrics::Reason,
};
use std::{net::UdpSocket, thread, time::Duration};

const RECIPE: Recipe = Recipe {
    input_len: 2,
    frames: 1,
    hold: 2,
};

/// What `observer` sees when `player` begins a new session from its old address.
fn sees_return(observer: &mut Player, player: &Player, old: samara::kaillera::message::UserId) {
    let name = player.identity.name.as_slice();
    let id = old;
    observer.expect_message(&ServerMessage::Quit {
        name,
        id,
        message: b"Came back on a new connection",
    });
    observer.expect("the new user", |message| match *message {
        ServerMessage::UserJoined {
            name: who, id: new, ..
        } if who == name => {
            assert_eq!(new, player.id);
            assert_ne!(new, old);
            Some(())
        }
        _ => None,
    });
}

#[test]
fn ping_hello_and_login_in_any_order() {
    let (server, address) = serve(&config());
    for (n, order) in ["", "P", "H", "PH", "HP", "PPH", "PHP", "HPH", "HHPPHHPP"]
        .into_iter()
        .enumerate()
    {
        let mut player = Player::new(address, &Identity::new(format!("Ann {n}")));
        let say = |player: &mut Player| {
            for word in order.chars() {
                match word {
                    'P' => player.ping(),
                    _ => player.hello(),
                }
            }
        };
        say(&mut player);
        player.enter();
        say(&mut player);
        player.echo(b"here");
        player.quit(b"");
        player.expect("Quit", |message| {
            matches!(message, ServerMessage::Quit { .. }).then_some(())
        });
        // The address is a stranger's again, with the same rights.
        player.forget();
        say(&mut player);
        player.enter();
        player.echo(b"again");
    }
    assert_eq!(server.drops().total(), 0);
}

#[test]
fn any_number_of_pings() {
    let (server, address) = serve(&config());
    let mut stranger = Player::new(address, &Identity::new("Ann"));
    let mut user = Player::log_in(address, &Identity::new("Bob"));
    for _ in 0..300 {
        stranger.ping();
        user.ping();
    }
    assert_eq!(server.sessions(), 1);
    user.echo(b"here");
}

/// Clients with three sockets say PING, HELLO and their login from three ports.
#[test]
fn hello_and_login_from_different_ports() {
    let (_server, address) = serve(&config());
    let identity = Identity::new("Ann");
    Player::new(address, &identity).ping();
    Player::new(address, &identity).hello();
    let mut player = Player::new(address, &identity);
    player.enter();
    player.echo(b"here");
}

#[test]
fn ping_and_hello_during_a_game() {
    let (server, address) = serve(&config());
    let mut players = room(address, &Identity::crowd(2));
    let mut table = Table::start(&mut players, RECIPE);
    for _ in 0..20 {
        table.play(&mut players, 17);
        players[0].ping();
        players[1].hello();
        table.play(&mut players, 1);
        players[0].hello();
        players[0].hello();
        players[1].ping();
    }
    assert_eq!(server.users(), 2);
    assert_eq!(server.metrics().sessions_opened.get(), 2);
}

#[test]
fn the_announced_port_is_told() {
    let mut config = config();
    config.net.announced_port = Some(54_321);
    let (_server, address) = serve(&config);
    let mut player = Player::new(address, &Identity::new("Ann"));
    player.send_raw(b"HELLO0.83\0");
    assert_eq!(player.reply(), Reply::Port(54_321));
}

#[test]
fn a_login_after_hello_starts_over() {
    let (_server, address) = serve(&config());
    let mut observer = Player::log_in(address, &Identity::new("Observer"));
    let mut player = Player::log_in(address, &Identity::new("Ann"));
    let game = player.create(b"Game");
    // Its login is sent once: said again two seconds later it would start over by the rule
    // for silence.
    player.repeats = false;
    for _ in 0..3 {
        let old = player.id;
        player.forget();
        player.hello();
        player.enter();
        sees_return(&mut observer, &player, old);
        player.echo(b"back");
    }
    observer
        .passed
        .iter()
        .find(|it| it.message() == ServerMessage::CloseGame { game })
        .expect("the room of the old user is closed");
}

#[test]
fn a_login_after_silence_starts_over() {
    let (_server, address) = serve(&config());
    let mut observer = Player::log_in(address, &Identity::new("Observer"));
    let mut player = Player::log_in(address, &Identity::new("Ann"));
    player.echo(b"here");
    let old = player.id;
    player.forget();
    // The rule is about silence, so there is nothing to wait for.
    thread::sleep(Duration::from_millis(2100));
    player.enter();
    sees_return(&mut observer, &player, old);
    player.echo(b"back");
}

#[test]
fn a_duplicate_of_the_login_changes_nothing() {
    let (server, address) = serve(&config());
    let mut players = room(address, &Identity::crowd(2));
    let login = players[0].login_datagram().to_vec();
    players[0].send_raw(&login);
    players[0].echo(b"still here");
    let mut table = Table::start(&mut players, RECIPE);
    for _ in 0..10 {
        table.play(&mut players, 20);
        players[0].send_raw(&login);
        players[0].send_raw(&login);
        table.play(&mut players, 20);
    }
    players[0].echo(b"and here");
    assert_eq!(server.metrics().sessions_opened.get(), 2);
}

/// What no server answers: nothing comes back before the answer to a later PING.
#[test]
fn silence_for_what_is_no_connect_string() {
    let (server, address) = serve(&config());
    let socket = UdpSocket::bind(("127.0.0.1", 0)).unwrap();
    socket.connect(address).unwrap();
    socket
        .set_read_timeout(Some(crate::support::PATIENCE))
        .unwrap();
    let junk: [&[u8]; 24] = [
        b"HELLO0.86\0",
        b"HELLO0.84\0",
        b"HELLO\0",
        b"HELLO0.83",
        b"HELLOD00D27888\0",
        b"HELL\0",
        b"hello0.83\0",
        b" HELLO0.83\0",
        b"PING",
        b"PINGA\0",
        b"PONG\0",
        b"ping\0",
        b"TOO\0",
        b"VER\0",
        b"",
        b"\0",
        b"P",
        b"H",
        b"\x01",
        b"\x01\0\0\x02\0",
        b"\x01\0\0\x02\0\x09\0",
        b"\x21\0\0\x02\0\x09\0",
        b"\x01\0\0\xff\xff\x03A\0B\0\x01",
        &[0xFF; 1400],
    ];
    for datagram in junk {
        socket.send(datagram).unwrap();
        for _ in 0..2 {
            socket.send(b"PING\0").unwrap();
            let mut answer = [0; 64];
            let length = socket.recv(&mut answer).unwrap();
            assert_eq!(&answer[..length], b"PONG\0", "{}", datagram.escape_ascii());
        }
    }
    assert_eq!(server.sessions(), 0);
    let drops = server.drops();
    assert_eq!(drops.count(Reason::WrongVersion), 2);
    assert_eq!(drops.count(Reason::BadConnect), 11);
    assert_eq!(drops.count(Reason::Stranger), 1);
    assert_eq!(drops.total(), junk.len() as u64);
}

#[test]
fn another_version_is_told_where_the_operator_wants_it() {
    let mut config = config();
    config.net.answer_wrong_version = true;
    let (_server, address) = serve(&config);
    let mut player = Player::new(address, &Identity::new("Ann"));
    player.send_raw(b"HELLO0.86\0");
    assert_eq!(player.reply(), Reply::WrongVersion);
}
