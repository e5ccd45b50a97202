//! What the world is told: master lists, web hooks, and the page that bots read
//! (kaillera-server.md 10, 13.2, 16.4).

use crate::support::{
    Asked, Client, Identity, PATIENCE, Player, Recipe, Stub, Table, answer, config, room, serve,
    threads, wait_until,
};
use samara::{config::Config, server::Server};
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    net::TcpListener,
    time::{Duration, Instant},
};

const RECIPE: Recipe = Recipe {
    input_len: 2,
    frames: 1,
    hold: 2,
};

/// A server that reports soon and often.
fn told(emulinker: Option<&Stub>, kaillera: Option<&Stub>) -> Config {
    let mut config = config();
    config.rules.max_users = 42;
    config.rules.max_games = 7;
    let lists = &mut config.lists;
    lists.server_name = "Home & Hearth".to_owned();
    lists.server_location = "K\u{f6}ln".to_owned();
    lists.server_website = "http://example.net/".to_owned();
    lists.server_address = "192.0.2.7".to_owned();
    lists.first = Duration::ZERO;
    lists.every = Duration::from_millis(300);
    if let Some(stub) = emulinker {
        lists.emulinker = true;
        lists.emulinker_url = stub.url("/touch_list.php");
    }
    if let Some(stub) = kaillera {
        lists.kaillera = true;
        lists.kaillera_url = stub.url("/touch_server.php");
    }
    config
}

/// The first report that is as it should be; those before it came too soon.
fn report(stub: &Stub, is_it: impl Fn(&Asked) -> bool) -> Asked {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let asked = stub.next();
        if is_it(&asked) {
            return asked;
        }
        assert!(Instant::now() < deadline, "the last report: {asked:?}");
    }
}

#[test]
fn emulinkers_list_is_told_of_users_and_rooms() {
    let stub = Stub::new();
    let (_server, address) = serve(&told(Some(&stub), None));
    let first = stub.next();
    assert_eq!((&*first.method, &*first.path), ("GET", "/touch_list.php"));
    assert_eq!(
        first.names(),
        [
            "serverName",
            "location",
            "website",
            "ipAddress",
            "port",
            "numUsers",
            "maxUsers",
            "numGames",
            "maxGames",
            "version"
        ]
    );
    assert_eq!(first.parameter("numUsers"), Some("0"));
    assert_eq!(first.header("Waiting-games"), Some(""));
    // Who has not logged in does not count.
    let mut half = Player::new(address, &Identity::new("Half"));
    half.introduce();
    let mut ann = Player::log_in(address, &Identity::new("Ann"));
    ann.create(
        "Caf\u{e9}|\u{8868} 2"
            .replace(['|', '\u{8868}'], "")
            .as_bytes(),
    );
    let mut players = room(address, &Identity::crowd(2));
    let mut table = Table::start(&mut players, RECIPE);
    table.play(&mut players, 5);
    let last = report(&stub, |asked| {
        let waiting = asked.header("Waiting-games") == Some("Caf 2|Ann|EMU 1.0|1/8|");
        waiting && asked.parameter("numUsers") == Some("3")
    });
    let port = address.port().to_string();
    for (name, value) in [
        ("serverName", "Home%20%26%20Hearth"),
        ("location", "K%C3%B6ln"),
        ("website", "http%3A%2F%2Fexample.net%2F"),
        ("ipAddress", "192.0.2.7"),
        ("port", &port),
        ("maxUsers", "42"),
        ("numGames", "2"),
        ("maxGames", "7"),
    ] {
        assert_eq!(last.parameter(name), Some(value), "{name}");
    }
    assert!(last.parameter("version").unwrap().starts_with("Samara%20"));
}

#[test]
fn kailleras_list_is_told_of_started_games_once() {
    let stub = Stub::new();
    let (_server, address) = serve(&told(None, Some(&stub)));
    let first = stub.next();
    assert_eq!((&*first.method, &*first.path), ("GET", "/touch_server.php"));
    assert_eq!(
        first.names(),
        [
            "servername",
            "location",
            "port",
            "nbusers",
            "maxconn",
            "nbgames",
            "version",
            "ip",
            "url"
        ]
    );
    assert!(first.parameter("version").unwrap().len() <= 8);
    let mut ann = Player::log_in(address, &Identity::new("Ann"));
    let waiting = ann.create(b"Waits");
    let mut players = room(address, &Identity::crowd(2));
    let mut table = Table::start(&mut players, RECIPE);
    table.play(&mut players, 5);
    let entry = format!("{}|Waits|Ann|EMU 1.0|1|", waiting.0);
    let told = report(&stub, |it| it.header("Kaillera-games") == Some("Game|"));
    assert_eq!(told.parameter("nbgames"), Some("2"));
    assert_eq!(told.header("Kaillera-wgames"), Some(&*entry));
    let next = stub.next();
    assert_eq!(next.header("Kaillera-games"), Some(""));
}

/// EmuLinker's list first, then Kaillera's, each round.
#[test]
fn lists_are_told_one_after_the_other() {
    let stub = Stub::new();
    let (server, _) = serve(&told(Some(&stub), Some(&stub)));
    for _ in 0..3 {
        assert_eq!(stub.next().path, "/touch_list.php");
        assert_eq!(stub.next().path, "/touch_server.php");
    }
    wait_until("the reports are counted", || {
        server.metrics().list_reports.get() >= 6
    });
    assert_eq!(server.metrics().list_failures.get(), 0);
}

#[test]
fn nobody_is_told_unless_that_is_wanted() {
    let stub = Stub::new();
    let mut config = told(Some(&stub), Some(&stub));
    config.lists.emulinker = false;
    config.lists.kaillera = false;
    let (_server, address) = serve(&config);
    let mut players = room(address, &Identity::crowd(2));
    let mut table = Table::start(&mut players, RECIPE);
    table.play(&mut players, 60);
    assert_eq!(stub.seen(), None);
}

/// A list that takes connections and never answers, one that is not there, and one that is ill:
/// games play on, the other list is told, and the server stops as fast as ever.
#[test]
fn lists_that_are_slow_or_dead_are_harmless() {
    let silent = Stub::answering(Box::new(|_| None));
    let ill = Stub::answering(Box::new(|_| Some(answer("500 Internal Server Error", ""))));
    let gone = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/", listener.local_addr().unwrap())
    };
    for kaillera_url in [ill.url("/touch_server.php"), gone] {
        let mut config = told(Some(&silent), None);
        config.lists.kaillera = true;
        config.lists.kaillera_url = kaillera_url;
        let (server, address) = serve(&config);
        silent.next();
        let mut players = room(address, &Identity::crowd(2));
        let mut table = Table::start(&mut players, RECIPE);
        table.play(&mut players, 200);
        let metrics = server.metrics();
        wait_until("both lists have failed", || {
            metrics.list_failures.get() >= 2
        });
        assert_eq!(metrics.list_reports.get(), 0);
        silent.next();
        let begin = Instant::now();
        server.stop();
        assert!(begin.elapsed() < Duration::from_secs(3));
    }
    assert_eq!(ill.next().path, "/touch_server.php");
}

fn hooked(stub: &Stub) -> Config {
    let mut config = config();
    config.web_hook.urls = vec![stub.url("/hook")];
    config.web_hook.delay = Duration::ZERO;
    config.web_hook.started = "{owner} started {game}".to_owned();
    config
}

fn content(asked: &Asked) -> String {
    assert_eq!((&*asked.method, &*asked.path), ("POST", "/hook"));
    assert_eq!(asked.header("Content-Type"), Some("application/json"));
    let body: Value = serde_json::from_str(&asked.body).unwrap();
    assert_eq!(body["allowed_mentions"], json!({ "parse": [] }));
    body["content"].as_str().unwrap().to_owned()
}

#[test]
fn a_web_hook_hears_of_a_room() {
    let stub = Stub::answering(Box::new(|_| Some(answer("204 No Content", ""))));
    let (server, address) = serve(&hooked(&stub));
    let mut chatter = Player::log_in(address, &Identity::new("Chatter"));
    chatter.create(b"*Chat (not game)");
    let mut players = room(address, &Identity::crowd(2));
    assert_eq!(content(&stub.next()), "Player 1 opened a room: Game");
    let mut table = Table::start(&mut players, RECIPE);
    table.play(&mut players, 5);
    assert_eq!(content(&stub.next()), "Player 1 started Game");
    players[0].send(&samara::kaillera::message::ClientMessage::QuitGame);
    assert_eq!(content(&stub.next()), "Player 1 closed the room: Game");
    wait_until("the posts are counted", || {
        server.metrics().hook_posts.get() == 3
    });
}

#[test]
fn a_web_hook_that_has_enough_is_told_later() {
    let mut times = 0;
    let stub = Stub::answering(Box::new(move |_| {
        times += 1;
        Some(match times {
            1 => answer("429 Too Many Requests", "Retry-After: 1\r\n"),
            _ => answer("204 No Content", ""),
        })
    }));
    let (server, address) = serve(&hooked(&stub));
    let mut ann = Player::log_in(address, &Identity::new("Ann"));
    ann.create(b"Game");
    let first = stub.next();
    let begin = Instant::now();
    assert_eq!(content(&stub.next()), content(&first));
    assert!(begin.elapsed() >= Duration::from_millis(900));
    assert_eq!(server.metrics().hook_failures.get(), 0);
    assert_eq!(server.metrics().news_dropped.get(), 0);
}

/// What is behind `https` is asked in TLS, and nobody who speaks something else is told anything.
#[test]
fn a_web_hook_behind_https_is_asked_in_tls() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut config = config();
    let hook = format!("https://{}/secret", listener.local_addr().unwrap());
    config.web_hook.urls = vec![hook];
    config.web_hook.delay = Duration::ZERO;
    let (server, address) = serve(&config);
    Player::log_in(address, &Identity::new("Ann")).create(b"Game");
    let (mut stream, _) = listener.accept().unwrap();
    let mut first = [0; 64];
    stream.read_exact(&mut first).unwrap();
    // A handshake record that holds a ClientHello.
    assert_eq!((first[0], first[1], first[5]), (0x16, 0x03, 0x01));
    assert!(!first.windows(6).any(|it| it == b"secret"));
    stream
        .write_all(b"HTTP/1.1 204 No Content\r\n\r\n")
        .unwrap();
    wait_until("the call has failed", || {
        server.metrics().hook_failures.get() == 1
    });
    assert_eq!(server.metrics().hook_posts.get(), 0);
}

fn status(address: std::net::SocketAddr) -> Value {
    let request = b"GET /status.json HTTP/1.1\r\nHost: a\r\n\r\n";
    let (status, body) = Client::connect(address).ask(request);
    assert_eq!(status, 200, "{body}");
    serde_json::from_str(&body).unwrap()
}

fn shows(server: &Server, address: std::net::SocketAddr) {
    let mut ann = Player::log_in(address, &Identity::new("Ann \"A\""));
    ann.create(b"Waits");
    let mut players = room(address, &Identity::crowd(2));
    let mut table = Table::start(&mut players, RECIPE);
    table.play(&mut players, 5);
    // What was shown a moment ago is shown for a second.
    let mut page = Value::Null;
    wait_until("the page shows all", || {
        page = status(address);
        let games = page["game_list"].as_array().unwrap();
        page["users"] == 3 && games.iter().any(|game| game["status"] == "playing")
    });
    assert_eq!(page["max_users"], 42);
    assert_eq!(page["games"], 2);
    assert_eq!(page["port"], address.port());
    assert_eq!(page["protocol"], "0.83");
    let expected = json!({
        "id": 1, "name": "Ann \"A\"", "connection": "lan", "status": "idle", "game": 1,
        "ping_ms": page["user_list"][0]["ping_ms"],
    });
    assert_eq!(page["user_list"][0], expected);
    let expected = json!({
        "id": 1, "game": "Waits", "owner": "Ann \"A\"", "emulator": "EMU 1.0",
        "players": 1, "capacity": 8, "status": "waiting",
    });
    assert_eq!(page["game_list"][0], expected);
    assert!(!page.to_string().contains("127.0.0.1"), "{page}");
    assert_eq!(server.drops().total(), 0);
}

#[test]
fn the_lobby_is_shown_as_json() {
    for (loops, workers) in [(1, 0), (2, 0), (1, 1)] {
        let mut config = threads(loops, workers);
        config.rules.max_users = 42;
        let (server, address) = serve(&config);
        let empty = status(address);
        assert_eq!(
            (&empty["users"], &empty["game_list"]),
            (&json!(0), &json!([]))
        );
        shows(&server, address);
    }
}

/// Many at once, pipelined, with other pages between: each is answered once and in order.
#[test]
fn who_waits_for_the_lobby_is_answered_in_order() {
    let (server, address) = serve(&config());
    let pages = ["/status.json", "/health", "/status.json", "/metrics"];
    let request = |page: &str| format!("GET {page} HTTP/1.1\r\nHost: a\r\n\r\n");
    let requests: String = pages.map(request).concat();
    let mut clients: Vec<_> = (0..8).map(|_| Client::connect(address)).collect();
    for client in &mut clients {
        client.send(requests.as_bytes());
    }
    for client in &mut clients {
        for page in pages {
            let (status, body) = client.answer();
            let begin = match page {
                "/health" => "ok\n",
                "/metrics" => "# HELP",
                _ => "{\"name\":",
            };
            assert!(
                status == 200 && body.starts_with(begin),
                "{page}: {status} {body}"
            );
        }
    }
    drop(clients);
    wait_until("all are gone", || server.connections() == 0);
}
