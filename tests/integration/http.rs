//! The pages over HTTP, on the port of the games and on one of their own.

use crate::support::{Client, Identity, Player, config, serve, wait_until};
use samara::metrics::Reason;
use std::{
    io::{Read, Write},
    thread,
    time::{Duration, Instant},
};

const HEALTH: &[u8] = b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n";

#[test]
fn health_is_answered_beside_the_games() {
    let (server, address) = serve(&config());
    let mut player = Player::log_in(address, &Identity::new("Ann"));
    let mut client = Client::connect(address);
    for _ in 0..3 {
        let (status, body) = client.ask(HEALTH);
        assert_eq!((status, &body[..]), (200, "ok\n"));
    }
    player.echo(b"still there");
    assert_eq!(server.connections(), 1);
    drop(client);
    wait_until("the connection is closed", || server.connections() == 0);
    assert_eq!(server.drops().total(), 0);
}

#[test]
fn metrics_tell_what_happens() {
    let (server, address) = serve(&config());
    let mut player = Player::log_in(address, &Identity::new("Ann"));
    player.create(b"Game");
    let mut client = Client::connect(address);
    let (status, page) = client.ask(b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(status, 200);
    let value = |name: &str| {
        let line = page.lines().find(|line| {
            let rest = line.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with(' '))
        });
        let line = line.unwrap_or_else(|| panic!("no {name} in\n{page}"));
        line.rsplit(' ').next().unwrap().parse::<f64>().unwrap()
    };
    assert_eq!(value("samara_users"), 1.0);
    assert_eq!(value("samara_games"), 1.0);
    assert_eq!(value("samara_users_idle"), 1.0);
    assert_eq!(value("samara_users_playing"), 0.0);
    assert_eq!(value("samara_games_waiting"), 1.0);
    assert_eq!(value("samara_games_playing"), 0.0);
    assert_eq!(value("samara_sessions"), 1.0);
    assert_eq!(value("samara_connections"), 1.0);
    assert_eq!(value("samara_logins_total"), 1.0);
    assert!(value("samara_datagrams_in_total") > 1.0);
    assert!(value("samara_bytes_in_total") > 10.0);
    assert_eq!(value("samara_connections_accepted_total"), 1.0);
    assert!(value("samara_pool_buffers{pool=\"datagrams_out\"}") > 1.0);
    assert!(value("samara_pool_buffers_used{pool=\"blocks_in\"}") > 0.0);
    assert!(value("samara_turn_seconds_count") > 1.0);
    assert_eq!(value("samara_drops_total{reason=\"connection idle\"}"), 0.0);
    drop(server);
}

#[test]
fn a_request_may_come_in_any_pieces() {
    let (_server, address) = serve(&config());
    for cut in 1..HEALTH.len() {
        let mut client = Client::connect(address);
        let (first, second) = HEALTH.split_at(cut);
        client.send(first);
        thread::sleep(Duration::from_millis(2));
        client.send(second);
        assert_eq!(client.answer().0, 200, "cut at {cut}");
    }
    let mut client = Client::connect(address);
    for byte in HEALTH {
        client.send(&[*byte]);
    }
    assert_eq!(client.answer().0, 200);
}

#[test]
fn whoever_speaks_something_else_is_closed() {
    let (server, address) = serve(&config());
    let mut client = Client::connect(address);
    client.send(b"\x16\x03\x01\x02\x00");
    assert!(client.is_closed());
    assert_eq!(server.drops().count(Reason::UnknownProtocol), 1);

    let mut client = Client::connect(address);
    client.send(b"BREW /pot HTTP/1.1\r\n\r\n");
    assert!(client.is_closed());
}

#[test]
fn a_listener_of_its_own_needs_no_sniffing() {
    let mut config = config();
    config.http.listen = vec!["127.0.0.1:0".parse().unwrap()];
    config.http.on_shared_port = false;
    let (server, address) = serve(&config);
    let mut client = Client::connect(server.http_addresses()[0]);
    let (status, _) = client.ask(HEALTH);
    assert_eq!(status, 200);
    let (status, _) = client.ask(b"BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(status, 404);
    let mut client = Client::connect(address);
    client.send(HEALTH);
    assert!(client.is_closed());
}

#[test]
fn tcp_can_be_switched_off() {
    let mut config = config();
    config.tcp.enabled = false;
    let (_server, address) = serve(&config);
    let mut player = Player::log_in(address, &Identity::new("Ann"));
    player.echo(b"in");
    assert!(std::net::TcpStream::connect(address).is_err());
}

#[test]
fn half_a_connection_is_answered_in_full() {
    let (server, address) = serve(&config());
    let mut client = Client::connect(address);
    client.send(b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
    client.stream.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(client.answer().0, 200);
    assert!(client.is_closed());
    wait_until("it is closed", || server.connections() == 0);
}

#[test]
fn a_stop_closes_in_good_order() {
    for loops in [1, 2] {
        let mut config = config();
        config.net.loops = loops;
        let (server, address) = serve(&config);
        let mut clients: Vec<_> = (0..10).map(|_| Client::connect(address)).collect();
        let (asking, silent) = clients.split_at_mut(5);
        for client in asking.iter_mut() {
            assert_eq!(client.ask(HEALTH).0, 200);
        }
        let begin = Instant::now();
        server.stop();
        assert!(begin.elapsed() < Duration::from_secs(2));
        for client in asking {
            let mut byte = [0];
            let read = client.stream.read(&mut byte);
            assert_eq!(read.unwrap(), 0, "an end and no reset");
        }
        assert!(silent.iter_mut().all(Client::is_closed));
        let late = std::net::TcpStream::connect(address);
        assert!(late.is_err());
    }
}

#[test]
fn the_port_is_had_again_at_once() {
    let mut config = config();
    let (server, address) = serve(&config);
    let mut client = Client::connect(address);
    client.stream.write_all(HEALTH).unwrap();
    assert_eq!(client.answer().0, 200);
    drop(server);
    config.net.port = address.port();
    let (_server, again) = serve(&config);
    assert_eq!(again, address);
    assert_eq!(Client::connect(again).ask(HEALTH).0, 200);
}

#[test]
fn the_page_for_browsers_loads_nothing_else_and_is_framed_by_nobody() {
    let (_server, address) = serve(&config());
    let mut client = Client::connect(address);
    client.send(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    let mut answer = String::new();
    client.stream.read_to_string(&mut answer).unwrap();
    let (head, page) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"));
    assert!(head.contains("\r\nContent-Security-Policy: default-src 'none'; script-src "));
    assert!(head.contains("; frame-ancestors 'none'\r\nX-Content-Type-Options: nosniff\r\n"));
    for loads in ["src=", "@import", "url(", "<link"] {
        assert!(!page.contains(loads), "{loads}");
    }
    // Names come from players.
    assert!(page.contains("textContent") && !page.contains("innerHTML"));
}
