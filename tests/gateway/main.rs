//! The gateway as clients and servers see it, all of them with sockets of their own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod peer;
mod python;
mod sessions;
mod streams;
#[path = "../../tools/load/maple/world.rs"]
mod world;

use peer::{CHANGE_CHANNEL, COMES_IN, FLOOD, LOGIN, PATIENCE, SELECT, Stream, Upstream};
use samara::{
    config::{Config, Net},
    kaillera::connect,
    metrics::Reason,
    server::Server,
    service::maple::MapleService,
};
use std::{
    fs,
    io::{Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket},
    path::Path,
    thread,
    time::{Duration, Instant},
};
use world::World;

/// In front of `login`, on a free port; a silent client is greeted at once.
fn config(login: SocketAddr) -> Config {
    let mut config = Config {
        net: Net {
            bind: vec![Ipv4Addr::LOCALHOST.into()],
            port: 0,
            loops: 1,
            ..Net::default()
        },
        ..Config::default()
    };
    config.tcp.settings.sniff_delay = Duration::from_millis(1);
    config.tcp.settings.connections_per_address = 4096;
    config.gateway.login = Some(login);
    config.gateway.undecided_per_address = 4096;
    config
}

fn start(login: SocketAddr) -> (Server, SocketAddr) {
    let server = Server::start(&config(login)).unwrap();
    let address = server.addresses()[0];
    (server, address)
}

fn wait_until(what: &str, done: impl Fn() -> bool) {
    let since = Instant::now();
    while !done() {
        assert!(since.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// What a server's packet says of where to go.
fn place(packet: &[u8]) -> SocketAddr {
    let address: [u8; 4] = packet[..4].try_into().unwrap();
    let port = u16::from_le_bytes(packet[4..6].try_into().unwrap());
    SocketAddr::from((address, port))
}

#[test]
fn a_player_logs_in_and_changes_channels() {
    let second = Upstream::start(None);
    let first = Upstream::start(Some(second.address));
    let login = Upstream::start(Some(first.address));
    let mut config = config(login.address);
    config.gateway.source_per_client = true;
    let server = Server::start(&config).unwrap();
    let address = server.addresses()[0];

    let mut client = Stream::connect(address);
    assert_eq!(client.ask(LOGIN).as_deref(), Some(LOGIN));
    assert_eq!(place(&client.ask(SELECT).unwrap()[4..]), address);
    drop(client);
    let mut client = Stream::connect(address);
    assert_eq!(client.ask(COMES_IN).as_deref(), Some(COMES_IN));
    assert_eq!(first.peers().len(), 1);
    assert_eq!(place(&client.ask(CHANGE_CHANNEL).unwrap()[3..]), address);
    // The new connection comes while the old one is there.
    let mut again = Stream::connect(address);
    assert_eq!(again.ask(COMES_IN).as_deref(), Some(COMES_IN));
    drop(client);
    for _ in 0..100 {
        assert_eq!(again.ask(b"\x18\0").as_deref(), Some(&b"\x18\0"[..]));
    }
    let expected = Ipv4Addr::new(127, 1, 0, 1);
    for peer in [login.peers(), first.peers(), second.peers()].concat() {
        assert_eq!(peer.ip(), expected);
    }
    drop(again);
    wait_until("sessions end", || server.connections() == 0);
}

#[test]
fn one_port_serves_everybody() {
    let login = Upstream::start(None);
    let (_server, address) = start(login.address);
    let mut client = Stream::connect(address);
    assert_eq!(client.ask(LOGIN).as_deref(), Some(LOGIN));

    let mut browser = TcpStream::connect(address).unwrap();
    let request = b"GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    browser.write_all(request).unwrap();
    let mut page = String::new();
    browser.read_to_string(&mut page).unwrap();
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
    assert!(page.contains("\nsamara_maple_sessions_total 1\n"), "{page}");

    let player = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    player.set_read_timeout(Some(PATIENCE)).unwrap();
    player.send_to(connect::PING, address).unwrap();
    let mut answer = [0; 16];
    let length = player.recv(&mut answer).unwrap();
    assert_eq!(&answer[..length], connect::PONG);
}

#[test]
fn bytes_may_come_one_by_one() {
    let login = Upstream::start(None);
    let (_server, address) = start(login.address);
    let mut client = Stream::connect(address);
    let packets = [LOGIN, b"\x31\0", &[0x31; 60]];
    for packet in packets {
        for byte in client.frame(packet) {
            client.socket.write_all(&[byte]).unwrap();
            thread::sleep(Duration::from_micros(300));
        }
    }
    for packet in packets {
        assert_eq!(client.receive().as_deref(), Some(packet));
    }
}

#[test]
fn a_slow_reader_makes_its_server_wait_and_nobody_else() {
    let login = Upstream::start(None);
    let (_server, address) = start(login.address);
    let mut slow = Stream::connect(address);
    slow.send(FLOOD);
    thread::sleep(Duration::from_millis(500));
    assert!(login.flooded() < 1000, "the gateway takes it all");
    let mut other = Stream::connect(address);
    for _ in 0..10 {
        assert_eq!(other.ask(LOGIN).as_deref(), Some(LOGIN));
    }
    for n in 0..1000_u32 {
        let packet = slow.receive().unwrap();
        assert!(packet.len() == 16 << 10 && packet[2..].iter().all(|&byte| byte == n as u8));
    }
    assert_eq!(slow.ask(LOGIN).as_deref(), Some(LOGIN));
}

#[test]
fn a_killed_server_ends_its_clients() {
    let login = Upstream::start(None);
    let (server, address) = start(login.address);
    let mut clients: Vec<_> = (0..5).map(|_| Stream::connect(address)).collect();
    for client in &mut clients {
        assert_eq!(client.ask(LOGIN).as_deref(), Some(LOGIN));
    }
    clients[0].send(FLOOD);
    login.kill();
    for client in &mut clients {
        while client.receive().is_some() {}
    }
    wait_until("sessions end", || server.connections() == 0);

    let nobody = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let gone = nobody.local_addr().unwrap();
    drop(nobody);
    let (server, address) = start(gone);
    assert_eq!(Stream::connect(address).ask(LOGIN), None);
    assert!(server.drops().count(Reason::BadUpstream) > 0);
}

#[test]
fn garbage_and_oversize_end_the_client_alone() {
    let login = Upstream::start(None);
    let (server, address) = start(login.address);
    let mut good = Stream::connect(address);
    assert_eq!(good.ask(LOGIN).as_deref(), Some(LOGIN));
    for is_joined in [false, true] {
        for what in [&b"\xFF\xFE\xFD\xFCgarbage"[..], &[0x31; 40_000]] {
            let mut bad = Stream::connect(address);
            if is_joined {
                assert_eq!(bad.ask(LOGIN).as_deref(), Some(LOGIN));
            }
            let bytes = match what.len() {
                40_000 => bad.frame(what),
                _ => what.to_vec(),
            };
            // It may be gone before all is written.
            let _ = bad.socket.write_all(&bytes);
            assert_eq!(bad.receive(), None);
        }
    }
    assert_eq!(server.drops().count(Reason::BadFrame), 4);
    assert_eq!(good.ask(LOGIN).as_deref(), Some(LOGIN));
}

#[test]
fn half_open_clients_are_few_and_go() {
    let login = Upstream::start(None);
    let mut config = config(login.address);
    config.gateway.undecided_per_address = 10;
    config.gateway.undecided_timeout = Duration::from_secs(1);
    let server = Server::start(&config).unwrap();
    let address = server.addresses()[0];
    let silent: Vec<_> = (0..10).map(|_| Stream::connect(address)).collect();
    let more = TcpStream::connect(address).unwrap();
    assert!(Stream::greeted(more).is_none());
    for mut client in silent {
        assert_eq!(client.receive(), None);
    }
    assert_eq!(Stream::connect(address).ask(LOGIN).as_deref(), Some(LOGIN));
}

#[test]
fn two_thousand_sessions_at_once() {
    const SESSIONS: usize = 2000;
    // The servers behind are Samara's own sessions: two programs of it face each other.
    let mut world = config(SocketAddr::from(([127, 0, 0, 1], 1)));
    world.gateway.login = None;
    let world = Server::start_with(&world, |place| {
        let settings = samara::service::maple::Settings::new(samara::maple::Profile::GMS_83);
        vec![Box::new(MapleService::new(
            World::default(),
            settings,
            place.metrics.clone(),
        ))]
    });
    let world = world.unwrap();
    let (server, address) = start(world.addresses()[0]);
    let mut clients: Vec<_> = (0..SESSIONS).map(|_| Stream::connect(address)).collect();
    for round in 0..3_u8 {
        for client in &mut clients {
            client.send(&[0x31, 0, round]);
        }
        for client in &mut clients {
            assert_eq!(client.receive(), Some(vec![0x31, 0, round]));
        }
    }
    clients[7].send(b"\x32\0to all");
    for client in &mut clients {
        assert_eq!(client.receive().as_deref(), Some(&b"\x32\0to all"[..]));
    }
    assert_eq!(server.connections(), SESSIONS);
    drop(clients);
    wait_until("sessions end", || {
        server.connections() + world.connections() == 0
    });
}

#[test]
fn packets_are_logged_without_passwords() {
    let login = Upstream::start(None);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gateway-packets.json");
    let _ = fs::remove_file(&path);
    let text = format!("[packet_log]\nfile = {:?}\n", path.display().to_string());
    let mut config = config(login.address);
    config.packet_log = Config::parse("test", &text).unwrap().packet_log;
    let server = Server::start(&config).unwrap();
    let mut client = Stream::connect(server.addresses()[0]);
    assert_eq!(client.ask(LOGIN).as_deref(), Some(LOGIN));
    drop(client);
    drop(server);
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].contains(r#""direction":"to_server","opcode":1,"length":19"#));
    assert!(lines[0].ends_with(r#""payload":"0100","masked":true}"#));
    assert!(lines[1].contains(r#""direction":"to_client","opcode":1"#));
    fs::remove_file(&path).unwrap();
}

#[test]
fn a_server_is_told_who_comes() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let mut config = config(listener.local_addr().unwrap());
    config.gateway.proxy_protocol = true;
    let server = Server::start(&config).unwrap();
    let mut client = Stream::connect(server.addresses()[0]);
    client.send(LOGIN);
    let (mut socket, _) = listener.accept().unwrap();
    let mut header = [0; 28];
    socket.read_exact(&mut header).unwrap();
    assert_eq!(&header[..16], b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0C");
    let port = u16::from_be_bytes([header[24], header[25]]);
    assert_eq!(port, client.socket.local_addr().unwrap().port());
    let mut upstream = Stream::accepted(socket);
    assert_eq!(upstream.receive().as_deref(), Some(LOGIN));
}
