use super::*;
use crate::minecraft::{
    BadFavicon, Favicon, MAX_DESCRIPTION, MAX_RESPONSE_FRAME, Sample,
    packets::status::Response,
    tests::{bytes, list, vectors},
};
use serde_json::Value;

const FS: Description<'_> = Description {
    version: VERSION,
    online: 0,
    max: 10,
    sample: &[],
    motd: "fs test",
    favicon: None,
};
const STATUS: &[u8] = b"\x10\0\xD4\x02\x09localhost\x63\xDD\x01";
const LOGIN: &[u8] = b"\x10\0\xD4\x02\x09localhost\x63\xDD\x02";
const REQUEST: &[u8] = &[1, 0];
const PING: &[u8] = &[9, 1, 0, 0, 1, 0x1F, 0x71, 0xFB, 4, 0xCB];

/// What comes back when `bytes` arrive `step` at a time, and what is wanted then.
fn ask(description: &Description<'_>, bytes: &[u8], step: usize) -> (Vec<u8>, Next) {
    let mut reception = Reception::new();
    let mut buf = vec![0; MAX_RESPONSE_FRAME];
    let mut writer = Writer::new(&mut buf);
    let mut waiting = Vec::new();
    let mut next = Next::More;
    for piece in bytes.chunks(step) {
        waiting.extend_from_slice(piece);
        let progress = reception.receive(&waiting, description, &mut writer);
        waiting.drain(..progress.consumed);
        next = progress.next;
        if !matches!(next, Next::More | Next::MoreSoon) {
            break;
        }
    }
    if next == Next::MoreSoon {
        reception.expired(description, &mut writer);
    }
    (writer.written().to_vec(), next)
}

fn json(frame: &[u8]) -> (Value, usize) {
    let Ok(Received::Frame(frame)) = Framing::new(MAX_FRAME).receive(frame) else {
        panic!("no frame");
    };
    let Content::Body(body) = frame.content else {
        panic!("compressed");
    };
    let response = Response::decode(body).unwrap();
    let value = serde_json::from_str(response.json.as_str()).unwrap();
    (value, frame.bytes.len())
}

#[test]
fn the_list_is_answered_under_any_split() {
    let asked = [STATUS, REQUEST, PING].concat();
    for step in [1, 2, 7, asked.len()] {
        let (answer, next) = ask(&FS, &asked, step);
        let (value, len) = json(&answer);
        assert_eq!(value["version"]["protocol"], 340);
        assert_eq!(
            value["players"],
            serde_json::json!({"max": 10, "online": 0})
        );
        assert_eq!(value["description"]["text"], "fs test");
        assert_eq!(value.get("favicon"), None);
        assert_eq!((&answer[len..], next), (PING, Next::Close));
    }
}

#[test]
fn a_ping_needs_no_request_and_a_second_request_gets_no_answer() {
    let (answer, next) = ask(&FS, &[STATUS, PING].concat(), 99);
    assert_eq!((&answer[..], next), (PING, Next::Close));
    let (once, _) = ask(&FS, &[STATUS, REQUEST].concat(), 99);
    let (twice, next) = ask(&FS, &[STATUS, REQUEST, REQUEST].concat(), 99);
    assert_eq!((once, next), (twice, Next::More));
}

#[test]
fn any_text_is_escaped_and_any_protocol_is_compatible() {
    let motd = "\"\\\n\u{A7}cred \u{1F600}\0";
    let sample = [Sample {
        name: motd,
        id: "00000000-0000-0000-0000-000000000000",
    }];
    let description = Description {
        motd,
        sample: &sample,
        ..FS
    };
    let handshake = b"\x0F\0\x2F\x09localhost\0\0\x01";
    let (answer, _) = ask(&description, &[&handshake[..], REQUEST].concat(), 99);
    let (value, _) = json(&answer);
    assert_eq!(value["version"]["protocol"], 47);
    assert_eq!(value["description"]["text"], motd);
    assert_eq!(value["players"]["sample"][0]["name"], motd);
}

#[test]
fn a_description_too_long_closes() {
    let motd = "x".repeat(MAX_DESCRIPTION);
    let description = Description { motd: &motd, ..FS };
    let (answer, next) = ask(&description, &[STATUS, REQUEST].concat(), 99);
    assert_eq!((answer.len(), next), (0, Next::Close));
    // Characters of four bytes take two units.
    let motd = "\u{1F600}".repeat(16_000);
    let description = Description { motd: &motd, ..FS };
    let (answer, next) = ask(&description, &[STATUS, REQUEST].concat(), 99);
    assert_eq!((answer.len() > 64_000, next), (true, Next::More));
}

#[test]
fn pictures_are_pngs_of_64_by_64() {
    let mut png = b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\x40\0\0\0\x40".to_vec();
    let favicon = Favicon::new(&png).unwrap();
    let description = Description {
        favicon: Some(&favicon),
        ..FS
    };
    let (answer, _) = ask(&description, &[STATUS, REQUEST].concat(), 99);
    let (value, _) = json(&answer);
    let url = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEAAAABA";
    assert_eq!(value["favicon"], url);
    png.push(0xFF);
    assert!(format!("{:?}", Favicon::new(&png)).contains("58 char"));
    png.resize(Favicon::MAX_FILE + 1, 0);
    assert_eq!(Favicon::new(&png), Err(BadFavicon::TooLarge));
    png[19] = 0x41;
    assert_eq!(Favicon::new(&png), Err(BadFavicon::NotSquare64));
    assert_eq!(Favicon::new(b"GIF89a"), Err(BadFavicon::NotPng));
}

#[test]
fn old_clients_are_answered_in_their_form() {
    let vectors = vectors();
    let answers = list(&vectors["legacy_ping"]["responses"]);
    let beta = bytes(&answers[0]["hex"]);
    // The recorded server writes its own protocol number; ours is one that nobody has.
    let modern: Vec<u16> = "\u{A7}1\x00127\x001.12.2\x00fs test\x000\x0010"
        .encode_utf16()
        .collect();
    let mut expected = vec![0xFF, 0, modern.len() as u8];
    expected.extend(modern.iter().flat_map(|unit| unit.to_be_bytes()));
    for (at, request) in list(&vectors["legacy_ping"]["requests"]).iter().enumerate() {
        let request = bytes(&request["hex"]);
        for step in [1, 2, 5, request.len()] {
            let (answer, next) = ask(&FS, &request, step);
            assert_eq!(answer, if at == 0 { &beta[..] } else { &expected[..] });
            let whole = request.len() > 2;
            assert_eq!(next, if whole { Next::Close } else { Next::MoreSoon });
        }
        assert_eq!(recognize(&request[..1]), Some(true));
        assert_eq!(recognize(&request), Some(true));
    }
    let signs = Description {
        motd: "\u{A7}cfs\u{A7} test",
        ..FS
    };
    let (answer, _) = ask(&signs, &[0xFE], 1);
    assert_eq!(&answer[3..9], b"\0c\0f\0s");
    let mut long = bytes(&list(&vectors["legacy_ping"]["requests"])[2]["hex"]);
    long[31] = 0xFF;
    assert_eq!(ask(&FS, &long, 99), (Vec::new(), Next::Bad));
}

#[test]
fn players_are_let_through() {
    let asked = [LOGIN, b"\x07\0\x05Notch", b"rest"].concat();
    let mut reception = Reception::new();
    let mut buf = [0; 200];
    let mut writer = Writer::new(&mut buf);
    let progress = reception.receive(&asked, &FS, &mut writer);
    assert_eq!(progress.consumed, asked.len() - 4);
    let Next::Login(name) = progress.next else {
        panic!("{progress:?}");
    };
    assert_eq!((name.as_str(), writer.len()), ("Notch", 0));
}

#[test]
fn other_versions_and_names_are_told_why() {
    let told = |bytes: &[u8]| {
        let (answer, next) = ask(&FS, bytes, 99);
        let is_told = !answer.is_empty();
        assert_eq!(next, if is_told { Next::Refused } else { Next::Bad });
        String::from_utf8_lossy(&answer).into_owned()
    };
    let old = b"\x0F\0\x2F\x09localhost\x63\xDD\x02\x07\0\x05Notch";
    assert!(told(old).contains("1.12.2"));
    for name in ["no spaces", "", "\u{E9}"] {
        let mut login = LOGIN.to_vec();
        login.extend([name.len() as u8 + 2, 0, name.len() as u8]);
        login.extend(name.as_bytes());
        assert!(told(&login).contains("A name has"), "{name}");
    }
    assert_eq!(told(&[LOGIN, &[1, 1]].concat()), "");
}

#[test]
fn four_bytes_tell_whose_they_are() {
    assert_eq!(recognize(&[]), None);
    assert_eq!(recognize(STATUS), Some(true));
    assert_eq!(recognize(&STATUS[..1]), None);
    assert_eq!(recognize(&STATUS[..2]), Some(true));
    assert_eq!(recognize(b"GET / HTTP/1.1"), Some(false));
    assert_eq!(recognize(b"GE"), Some(false));
    assert_eq!(recognize(&[0x80, 2]), None);
    assert_eq!(recognize(&[0x80, 2, 0]), Some(true));
    assert_eq!(recognize(&[0xFE, 1, 0]), Some(true));
    assert_eq!(recognize(&[0xFE, 2, 0]), Some(true));
    assert_eq!(recognize(&[0x80, 0x80, 0x80]), Some(false));
    assert_eq!(recognize(&[5, 0]), Some(false));
    assert_eq!(recognize(&[0, 0]), Some(false));
}

#[test]
fn a_handshake_may_begin_like_an_old_ping() {
    let mut handshake = vec![0xFE, 1, 0, 0xD4, 2];
    let host = [b'h'; 246];
    handshake.extend([0xF6, 1]);
    handshake.extend(host);
    handshake.extend([0x63, 0xDD, 1]);
    assert_eq!(handshake.len(), 256);
    let (answer, next) = ask(&FS, &[&handshake[..], PING].concat(), 999);
    assert_eq!((&answer[..], next), (PING, Next::Close));
}
