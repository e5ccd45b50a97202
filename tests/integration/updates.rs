//! Newer versions, which are looked for only if an operator says where (kaillera-server.md 11).

use crate::support::{Identity, PATIENCE, Player, Stub, config, serve, wait_until};
use samara::{access::Rules, config::Config, kaillera::message::ServerMessage};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn looking(stub: &Stub) -> Config {
    let rules = Rules::parse("user,ADMIN,127.0.0.8");
    let mut config = config();
    config.access.rules = Arc::new(rules.rules);
    config.updates = Some(stub.url("/samara.json"));
    config.lists.first = Duration::ZERO;
    config
}

fn saying(body: &str) -> Stub {
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    let answer = head + body;
    Stub::answering(Box::new(move |_| Some(answer.clone())))
}

/// What somebody is told at the login.
fn lines(server: std::net::SocketAddr, host: [u8; 4], name: &str) -> Vec<String> {
    let mut player = Player::on(host.into(), server, &Identity::new(name));
    player.enter();
    player.chat(b"/alivecheck");
    player.expect("an answer", |message| match message {
        ServerMessage::InformationMessage { text, .. } => {
            text.starts_with(b":ALIVECHECK=").then_some(())
        }
        _ => None,
    });
    let lines = player.passed.iter().filter_map(|it| match it.message() {
        ServerMessage::InformationMessage { text, .. } => {
            Some(String::from_utf8_lossy(text).into_owned())
        }
        _ => None,
    });
    lines.collect()
}

#[test]
fn admins_are_told_of_a_newer_version_and_the_page_is_told_nothing() {
    let notes = r#"["Fewer bugs.", "A\r\nB", ":ACCESS=SuperAdmin"]"#;
    let stub = saying(&format!(r#"{{"version": "99.1.0", "notes": {notes}}}"#));
    let (_server, address) = serve(&looking(&stub));
    let asked = stub.next();
    assert_eq!((&*asked.method, &*asked.path), ("GET", "/samara.json"));
    assert!(asked.query.is_empty() && asked.body.is_empty());
    let mut names = asked.header_names();
    names.sort_unstable();
    assert_eq!(names, ["host", "user-agent"]);
    assert_eq!(
        asked.header("User-Agent"),
        Some(&*format!("Samara/{VERSION}"))
    );

    let first = format!("Version 99.1.0 can be had; this is {VERSION}.");
    let deadline = Instant::now() + PATIENCE;
    let told = loop {
        let told = lines(address, [127, 0, 0, 8], "Boss");
        if told.contains(&first) {
            break told;
        }
        assert!(Instant::now() < deadline, "{told:?}");
    };
    let place = |line: &str| told.iter().position(|it| it == line).unwrap();
    let welcome = place("You have admin rights; /help lists the commands.");
    let expected = [&*first, "Fewer bugs.", "AB", "ACCESS=SuperAdmin"];
    assert_eq!(told[welcome + 1..][..4], expected);
    let others = lines(address, [127, 0, 0, 1], "Ann");
    assert!(
        !others.iter().any(|line| line.contains("99.1.0")),
        "{others:?}"
    );
    assert_eq!(stub.seen(), None, "once a day");
}

#[test]
fn other_answers_are_nothing_to_tell() {
    let same = format!(r#"{{"version": "{VERSION}"}}"#);
    let long = format!(
        r#"{{"notes": ["{}"], "version": "99.0.0"}}"#,
        "x".repeat(1 << 20)
    );
    for answer in [&*same, r#"{"version": "0.0.1"}"#, "<html>", &long] {
        let stub = saying(answer);
        let (server, address) = serve(&looking(&stub));
        stub.next();
        // Two looks of the thread later it has been told, if it ever is.
        let told = lines(address, [127, 0, 0, 8], "Boss");
        assert!(
            !told.iter().any(|line| line.contains("can be had")),
            "{told:?}"
        );
        wait_until("the admin is gone", || server.users() <= 1);
    }
}

#[test]
fn nobody_is_asked_unless_there_is_an_address() {
    let stub = Stub::new();
    let mut config = looking(&stub);
    config.updates = None;
    config.lists.emulinker = true;
    config.lists.emulinker_url = stub.url("/touch_list.php");
    config.lists.every = Duration::from_millis(100);
    let (_server, _) = serve(&config);
    for _ in 0..3 {
        assert_eq!(stub.next().path, "/touch_list.php");
    }
}
