use super::*;
use crate::{
    metrics::{Histogram, Reason},
    net::tcp::{Rehearsal, TcpSettings},
};

const HEALTH: &[u8] = b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n";

fn exposition() -> Exposition {
    let gauge = |label, value| Gauge {
        name: "pool_free",
        help: "Blocks nobody holds.",
        label: Some(("pool", label)),
        read: Box::new(move || value),
    };
    Exposition {
        gauges: vec![gauge("in", 7), gauge("out", 8)],
        turns: vec![Arc::default(), Arc::default()],
        ..Exposition::empty()
    }
}

fn server() -> Rehearsal {
    let settings = TcpSettings {
        connections: 4,
        extra_blocks: 16,
        ..TcpSettings::default()
    };
    let service = HttpService::new(Arc::new(exposition()));
    Rehearsal::shared(vec![Box::new(service)], settings)
}

fn ask(request: &str) -> (String, bool) {
    let mut server = server();
    let id = server.knock(None).unwrap();
    server.receive(id, request.as_bytes());
    let answer = String::from_utf8(server.take_sent(id)).unwrap();
    (answer, server.is_shut(id) || !server.is_open(id))
}

#[test]
fn health_is_answered_to_the_byte() {
    let (answer, closed) = ask("GET /health HTTP/1.1\r\nHost: a\r\n\r\n");
    let expected = "HTTP/1.1 200 OK\r\n\
        Content-Type: text/plain; charset=utf-8\r\n\
        Content-Length: 3\r\n\
        Cache-Control: no-store\r\n\
        Connection: keep-alive\r\n\r\n\
        ok\n";
    assert_eq!(answer, expected);
    assert!(!closed);
}

#[test]
fn figures_are_shown_to_this_machine_and_on_ports_of_their_own() {
    let at = |text: &str| text.parse().ok();
    for (port, local, peer, expected) in [
        (None, "192.0.2.1:27888", "198.51.100.7:9", false),
        (Some(27888), "192.0.2.1:27888", "198.51.100.7:9", true),
        (Some(27888), "192.0.2.1:9100", "198.51.100.7:9", false),
        (Some(27888), "192.0.2.1:27888", "127.0.0.1:9", false),
        (Some(27888), "[::1]:27888", "[::1]:9", false),
        (Some(27888), "[::1]:27888", "[::ffff:127.0.0.1]:9", false),
        (Some(27888), "[::1]:27888", "[2001:db8::1]:9", true),
        // What is not known is not trusted.
        (Some(27888), "", "", true),
    ] {
        let guarded = is_guarded(port, at(local), at(peer));
        assert_eq!(guarded, expected, "{port:?} {local} {peer}");
    }
}

#[test]
fn every_split_gets_the_same_answers() {
    let stream = [HEALTH, b"GET /no HTTP/1.1\r\nHost: a\r\n\r\n", HEALTH].concat();
    let mut server = server();
    let mut answers = |cut: usize| {
        let id = server.knock(None).unwrap();
        let (first, second) = stream.split_at(cut);
        for piece in [first, second] {
            if !piece.is_empty() {
                server.receive(id, piece);
            }
        }
        let sent = server.take_sent(id);
        server.reset(id);
        sent
    };
    let whole = answers(0);
    assert_eq!(whole.windows(8).filter(|it| it == b"HTTP/1.1").count(), 3);
    for cut in 1..stream.len() {
        assert_eq!(answers(cut), whole, "cut at {cut}");
    }
}

#[test]
fn answers_for_all_that_is_wrong() {
    let host = "Host: a\r\n\r\n";
    for (request, status, closes) in [
        (format!("GET /x HTTP/1.1\r\n{host}"), "404 Not Found", false),
        (
            format!("DELETE /health HTTP/1.1\r\n{host}"),
            "405 Method Not Allowed",
            false,
        ),
        (
            format!("POST /health HTTP/1.1\r\nContent-Length: 3\r\n{host}abc"),
            "405 Method Not Allowed",
            true,
        ),
        (
            format!("GET /health HTTP/1.1\r\nContent-Length: 3\r\n{host}abc"),
            "413 Content Too Large",
            true,
        ),
        (
            "GET /health HTTP/1.1\r\n\r\n".into(),
            "400 Bad Request",
            true,
        ),
        (
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".into(),
            "505 HTTP Version Not Supported",
            true,
        ),
        (
            format!("GET / HTTP/1.1\r\nA: {}\r\n{host}", "b".repeat(8192)),
            "431 Request Header Fields Too Large",
            true,
        ),
        ("GET /health HTTP/1.0\r\n\r\n".into(), "200 OK", true),
        (
            format!("GET /health HTTP/1.1\r\nConnection: close\r\n{host}"),
            "200 OK",
            true,
        ),
    ] {
        let (answer, closed) = ask(&request);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}\r\n")),
            "{answer}"
        );
        assert_eq!(closed, closes, "{answer}");
        let connection = if closes { "close" } else { "keep-alive" };
        assert!(answer.contains(&format!("Connection: {connection}\r\n")));
        assert_eq!(
            answer.contains("Allow: GET, HEAD\r\n"),
            status.starts_with("405")
        );
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())));
    }
}

#[test]
fn a_head_request_gets_the_head_alone() {
    let (full, _) = ask("GET /health HTTP/1.1\r\nHost: a\r\n\r\n");
    let (head, _) = ask("HEAD /health HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(full, format!("{head}ok\n"));
}

#[test]
fn metrics_are_shown_in_the_format() {
    let exposition = exposition();
    exposition.metrics.logins.add(3);
    exposition.drops.record(Reason::Stranger, Time::ZERO);
    exposition.turns[0].record(Duration::from_micros(1));
    exposition.turns[1].record(Duration::from_micros(3));
    exposition.turns[1].record(Duration::from_secs(9));
    let mut page = Vec::new();
    exposition
        .write(Time::from_millis(1500), &mut page)
        .unwrap();
    let page = String::from_utf8(page).unwrap();
    for line in [
        "samara_uptime_seconds 1.500",
        "# HELP samara_logins_total Logins let in.",
        "# TYPE samara_logins_total counter",
        "samara_logins_total 3",
        "samara_drops_total{reason=\"not a login, from an unknown address\"} 1",
        "samara_drops_total{reason=\"malformed bundle\"} 0",
        "samara_pool_free{pool=\"in\"} 7",
        "samara_pool_free{pool=\"out\"} 8",
        "samara_turn_seconds_bucket{le=\"0.000001024\"} 1",
        "samara_turn_seconds_bucket{le=\"0.000004096\"} 2",
        "samara_turn_seconds_bucket{le=\"+Inf\"} 3",
        "samara_turn_seconds_sum 9.000004",
        "samara_turn_seconds_count 3",
    ] {
        assert!(page.lines().any(|it| it == line), "{line}\n{page}");
    }
    assert_eq!(page.matches("# TYPE samara_pool_free gauge\n").count(), 1);
    let bounds = Histogram::bounds().count();
    assert_eq!(page.matches("_bucket{").count(), bounds + 1);
    // Each family's samples follow its TYPE line, as the format wants.
    let mut family = "";
    for line in page.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            family = rest.split(' ').next().unwrap();
        } else if !line.starts_with('#') {
            assert!(line.starts_with(family), "{line}");
            let value = line.rsplit(' ').next().unwrap();
            assert!(value.parse::<f64>().is_ok(), "{line}");
        }
    }
}

#[test]
fn a_request_that_trickles_in_runs_out_of_time() {
    let mut server = server();
    let id = server.knock(None).unwrap();
    for byte in HEALTH.iter().take(14) {
        server.receive(id, &[*byte]);
        server.wait(Duration::from_secs(1));
    }
    let answer = server.take_sent(id);
    assert!(
        answer.starts_with(b"HTTP/1.1 408 "),
        "{}",
        answer.escape_ascii()
    );
    assert!(!server.receive(id, b"x"));
    server.wait(Duration::from_secs(3));
    assert!(!server.is_open(id));

    // The second request of a connection has the same time.
    let id = server.knock(None).unwrap();
    server.receive(id, HEALTH);
    server.take_sent(id);
    server.wait(Duration::from_secs(50));
    assert!(server.is_open(id));
    server.receive(id, b"GE");
    server.wait(Duration::from_secs(11));
    assert!(server.take_sent(id).starts_with(b"HTTP/1.1 408 "));
}

#[test]
fn silence_ends_a_kept_connection() {
    let mut server = server();
    let id = server.knock(None).unwrap();
    server.receive(id, HEALTH);
    server.take_sent(id);
    server.wait(Duration::from_secs(59));
    assert!(server.is_open(id));
    server.wait(Duration::from_secs(2));
    assert!(!server.is_open(id));
}

#[test]
fn who_reads_no_answers_is_not_read_from() {
    let mut server = server();
    let id = server.knock(None).unwrap();
    let request = b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n";
    let many = request.repeat(40);
    let mut asked = 0;
    while server.receive(id, &many) {
        asked += 40;
        assert!(asked < 10_000, "nothing holds the client back");
    }
    let waiting = server.take_sent(id);
    assert!(
        waiting.len() <= (256 << 10) + 32 * 1024,
        "{}",
        waiting.len()
    );
    assert!(server.is_open(id));
    // What was left of the requests is answered once the answers were read.
    let mut answers = count(&waiting);
    loop {
        let more = server.take_sent(id);
        if more.is_empty() {
            break;
        }
        answers += count(&more);
    }
    assert_eq!(answers, asked);
    assert!(server.receive(id, HEALTH));
}

fn count(answers: &[u8]) -> usize {
    let status = b"HTTP/1.1 200 OK";
    answers
        .windows(status.len())
        .filter(|it| it == status)
        .count()
}
