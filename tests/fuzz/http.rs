//! The HTTP target's corpus: where to cut, then what a connection says.

use super::seeds::write;

#[test]
fn the_http_corpus_is_what_is_written_here() {
    let host = "HTTP/1.1\r\nHost: a\r\n";
    let get = |page: &str| format!("GET {page} {host}\r\n");
    let metrics = get("/metrics");
    let long = format!("GET / {host}Cookie: {}\r\n\r\n", "b".repeat(9000));
    let many = format!("GET / {host}{}\r\n", "a: b\r\n".repeat(70));
    for (name, cuts, text) in [
        ("health", [3, 5], get("/health")),
        ("metrics_by_head", [1, 1], metrics.replace("GET", "HEAD")),
        (
            "several",
            [40, 30],
            [get("/health"), metrics, get("/")].concat(),
        ),
        (
            "kept_by_old",
            [0, 0],
            "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n".into(),
        ),
        (
            "closed_by_client",
            [9, 9],
            format!("GET /health {host}Connection: close\r\n\r\nGET"),
        ),
        (
            "body",
            [2, 60],
            format!("POST /health {host}Content-Length: 3\r\n\r\nabc"),
        ),
        ("no_host", [4, 4], "GET / HTTP/1.1\r\n\r\n".into()),
        ("whole_address", [4, 9], get("http://a:1/health?b=c")),
        ("http_2", [3, 12], "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".into()),
        ("head_too_long", [255, 255], long),
        ("too_many_fields", [100, 100], many),
        ("another_protocol", [1, 1], "\u{10}\0\u{4}MQTT".into()),
        ("begun", [1, 1], "OPTIO".into()),
        ("silence", [0, 0], String::new()),
    ] {
        write("http", name, &[&cuts, text.as_bytes()].concat());
    }
}
