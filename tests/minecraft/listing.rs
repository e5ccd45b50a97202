//! The server list.

use super::{peer::Peer, start, wait_until};
use samara::minecraft::{
    Packet,
    packets::status::{Ping, Pong, Request, Response},
};
use serde_json::Value;
use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    path::Path,
    thread,
    time::{Duration, Instant},
};

const LEGACY: &[u8] = b"\xFE\x01\xFA\0\x0B\0M\0C\0|\0P\0i\0n\0g\0H\0o\0s\0t\
    \0\x19\x4A\0\x09\0l\0o\0c\0a\0l\0h\0o\0s\0t\0\0\x63\xDD";

pub(crate) fn description(to: SocketAddr, protocol: i32, step: usize) -> Value {
    let mut client = Peer::connect(to);
    client.step = step;
    client.shake_hands(protocol, 1);
    client.send(&Request {});
    let body = client.receive().unwrap();
    let json = Response::decode(&body).unwrap();
    let json = serde_json::from_str(json.json.as_str()).unwrap();
    client.send(&Ping { time: -7 });
    let body = client.receive().unwrap();
    assert_eq!(Pong::decode(&body).unwrap().time, -7);
    assert_eq!(client.receive(), None);
    json
}

fn legacy(to: SocketAddr, pieces: &[&[u8]]) -> String {
    let mut client = TcpStream::connect(to).unwrap();
    client.set_nodelay(true).unwrap();
    for piece in pieces {
        client.write_all(piece).unwrap();
        thread::sleep(Duration::from_millis(5));
    }
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).unwrap();
    let units: Vec<u16> = answer[3..]
        .chunks(2)
        .map(|it| u16::from_be_bytes([it[0], it[1]]))
        .collect();
    let len = u16::from_be_bytes([answer[1], answer[2]]);
    assert_eq!((answer[0], usize::from(len)), (0xFF, units.len()));
    String::from_utf16(&units).unwrap()
}

#[test]
fn the_list_shows_the_lobby() {
    let (server, to) = start("motd = \"{users} of {capacity}, {rooms} rooms\"");
    for (protocol, step) in [(340, usize::MAX), (760, usize::MAX), (340, 1)] {
        let json = description(to, protocol, step);
        assert_eq!(json["version"]["protocol"], protocol);
        assert_eq!(json["version"]["name"], "1.12.2");
        assert_eq!(json["players"]["online"], 0);
        assert_eq!(json["players"]["max"], 4096);
        assert_eq!(json["players"]["sample"][0]["name"], "Rooms: 0");
        assert_eq!(json["description"]["text"], "0 of 4096, 0 rooms");
        assert_eq!(json.get("favicon"), None);
    }
    wait_until("connections end", || server.connections() == 0);
    assert!(server.metrics().minecraft_listings.get() >= 3);
    assert_eq!(server.drops().total(), 0);
}

#[test]
fn a_picture_is_shown() {
    let mut png = b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\x40\0\0\0\x40".to_vec();
    png.resize(18_000, 7);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("favicon.png");
    fs::write(&path, &png).unwrap();
    let motd = "\u{1F600}".repeat(512);
    let path = path.display().to_string();
    let (_server, to) = start(&format!("motd = {motd:?}\nfavicon = {path:?}"));
    let json = description(to, 340, usize::MAX);
    let favicon = json["favicon"].as_str().unwrap();
    assert!(favicon.starts_with("data:image/png;base64,iVBORw0KGgo"));
    assert_eq!(json["description"]["text"], motd);
}

#[test]
fn old_clients_see_it_too() {
    let (_server, to) = start("motd = \"\u{A7}aHello\"");
    let modern = ["\u{A7}1", "127", "1.12.2", "\u{A7}aHello", "0", "4096"].join("\0");
    assert_eq!(legacy(to, &[b"\xFE"]), "aHello\u{A7}0\u{A7}4096");
    assert_eq!(legacy(to, &[b"\xFE\x01"]), modern);
    let since = Instant::now();
    assert_eq!(legacy(to, &[LEGACY]), modern);
    // The longest form says where it ends.
    assert!(since.elapsed() < Duration::from_secs(5));
    assert_eq!(legacy(to, &[b"\xFE", b"\x01"]), modern);
    let (first, second) = LEGACY.split_at(20);
    assert_eq!(legacy(to, &[first, second]), modern);
    assert_eq!(legacy(to, &[first]), modern);
}

#[test]
fn a_listener_of_its_own_serves_nothing_else() {
    let (server, to) = start("on_shared_port = false\nlisten = [\"127.0.0.1:0\"]");
    let own = server.minecraft_addresses()[0];
    assert_eq!(description(own, 340, usize::MAX)["players"]["online"], 0);
    let mut client = Peer::connect(to);
    client.shake_hands(340, 1);
    assert_eq!(client.receive(), None);
    let mut browser = Peer::connect(own);
    browser.send_bytes(b"GET /health HTTP/1.1\r\n\r\n");
    assert!(browser.rest().is_empty());
}
