//! TCP connections of every temper: none harms another, nor the games.

use crate::support::{Client, Identity, PATIENCE, Player, config, serve, threads, wait_until};
use samara::metrics::Reason;
use socket2::{Domain, SockRef, Socket, Type};
use std::{
    io::{ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

const HEALTH: &[u8] = b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n";

/// A long answer to a long request: the system holds megabytes of either.
fn metrics() -> Vec<u8> {
    let padding = "x".repeat(2000);
    format!("GET /metrics HTTP/1.1\r\nHost: a\r\nCookie: {padding}\r\n\r\n").into()
}

/// Asks until the server reads no more; the answers stay unread.
fn slow_reader(address: SocketAddr) -> (TcpStream, usize) {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.connect(&address.into()).unwrap();
    let mut stream: TcpStream = socket.into();
    stream.set_nonblocking(true).unwrap();
    let request = metrics();
    let requests = request.repeat(50);
    let mut asked = 0;
    let mut since = Instant::now();
    while since.elapsed() < Duration::from_millis(200) {
        match stream.write(&requests[asked % request.len()..]) {
            Ok(count) => {
                asked += count;
                since = Instant::now();
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(error) => panic!("{error}"),
        }
        assert!(asked < 64 << 20, "the server reads for ever");
    }
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    (stream, asked)
}

#[test]
fn a_slow_reader_waits_alone_and_gets_everything() {
    let (server, address) = serve(&config());
    let (mut slow, asked) = slow_reader(address);
    let mut player = Player::log_in(address, &Identity::new("Ann"));
    player.echo(b"undisturbed");
    assert_eq!(Client::connect(address).ask(HEALTH).0, 200);

    let request = metrics();
    let requests = asked.div_ceil(request.len());
    let rest = requests * request.len() - asked;
    let tail = request[request.len() - rest..].to_vec();
    let mut writer = slow.try_clone().unwrap();
    let writing = std::thread::spawn(move || {
        writer.write_all(&tail).unwrap();
        writer.shutdown(std::net::Shutdown::Write).unwrap();
    });
    // It reads fast from here on.
    SockRef::from(&slow).set_recv_buffer_size(4 << 20).unwrap();
    let mut answers = Vec::new();
    slow.read_to_end(&mut answers).unwrap();
    writing.join().unwrap();
    let status = b"HTTP/1.1 200 OK";
    let count = answers
        .windows(status.len())
        .filter(|it| it == status)
        .count();
    assert_eq!(count, requests);
    assert_eq!(server.drops().total(), 0);
}

#[test]
fn a_reader_that_stalls_is_cut_off() {
    let mut config = config();
    config.tcp.settings.stall_timeout = Duration::from_secs(1);
    let (server, address) = serve(&config);
    let (_slow, _) = slow_reader(address);
    wait_until("it is cut off", || server.connections() == 0);
    assert_eq!(server.drops().count(Reason::Stalled), 1);
}

#[test]
fn resets_harm_nobody() {
    let (server, address) = serve(&config());
    let mut other = Client::connect(address);
    assert_eq!(other.ask(HEALTH).0, 200);
    let metrics = metrics();
    for sent in [
        &b""[..],
        b"GE",
        b"GET /health HTTP/1.1\r\n",
        HEALTH,
        &metrics,
    ] {
        for _ in 0..20 {
            let mut client = TcpStream::connect(address).unwrap();
            client.write_all(sent).unwrap();
            SockRef::from(&client)
                .set_linger(Some(Duration::ZERO))
                .unwrap();
        }
    }
    assert_eq!(other.ask(HEALTH).0, 200);
    wait_until("all are gone", || server.connections() == 1);
}

#[test]
fn a_reset_in_the_middle_of_answers_harms_nobody() {
    let (server, address) = serve(&config());
    for _ in 0..5 {
        let (slow, _) = slow_reader(address);
        SockRef::from(&slow)
            .set_linger(Some(Duration::ZERO))
            .unwrap();
    }
    wait_until("all are gone", || server.connections() == 0);
    assert_eq!(Client::connect(address).ask(HEALTH).0, 200);
}

#[test]
fn whoever_says_nothing_is_closed() {
    let mut config = config();
    config.tcp.settings.handshake_timeout = Duration::from_secs(1);
    let (server, address) = serve(&config);
    let mut silent = Client::connect(address);
    let mut slow = Client::connect(address);
    slow.send(b"GE");
    assert!(silent.is_closed());
    assert!(slow.is_closed());
    assert_eq!(server.drops().count(Reason::HandshakeTimeout), 2);
}

#[test]
fn one_address_has_its_cap() {
    for loops in [1, 2] {
        let mut config = threads(loops, 0);
        config.tcp.settings.connections_per_address = 5;
        config.tcp.settings.connections = 7;
        let (server, address) = serve(&config);
        let mut clients: Vec<_> = (0..5).map(|_| Client::connect(address)).collect();
        assert!(clients.iter_mut().all(|client| client.ask(HEALTH).0 == 200));
        assert!(Client::connect(address).is_closed());
        assert_eq!(server.drops().count(Reason::TooManyOfAddress), 1);

        // Other addresses have their own, until all are taken.
        let from = |last: u8| Client::connect_from([127, 0, 0, last].into(), address);
        let mut others = [from(2), from(3)];
        assert!(others.iter_mut().all(|client| client.ask(HEALTH).0 == 200));
        assert!(from(4).is_closed());
        assert_eq!(server.drops().count(Reason::TooManyConnections), 1);

        drop(clients.pop());
        wait_until("a place is free", || server.connections() == 6);
        assert_eq!(Client::connect(address).ask(HEALTH).0, 200);
    }
}

#[test]
fn thousands_are_open_at_once() {
    let count = 2000;
    let mut config = config();
    config.tcp.settings.connections_per_address = count;
    let (server, address) = serve(&config);
    let connect = |_| TcpStream::connect(address);
    let clients: Result<Vec<_>, _> = (0..count).map(connect).collect();
    // Both ends of all are in this process.
    let Ok(clients) = clients else {
        eprintln!("skipped: too few file descriptors");
        return;
    };
    let mut clients: Vec<_> = clients.into_iter().map(Client::new).collect();
    wait_until("all are accepted", || server.connections() == count);
    for client in &mut clients {
        client.send(HEALTH);
    }
    for client in &mut clients {
        assert_eq!(client.answer().0, 200);
    }
    let mut player = Player::log_in(address, &Identity::new("Ann"));
    player.echo(b"beside them");
    drop(clients);
    wait_until("all are closed", || server.connections() == 0);
    assert_eq!(server.drops().total(), 0);
}
