use super::*;
use crate::{
    buffer::{ByteBuf, Full, Writer},
    minecraft::{
        Angle, List, Plain, Position, Slot, Uuid, VarInt,
        tests::{bytes, list, text, vectors},
    },
};
use play::{clientbound, serverbound};
use serde_json::Value;

/// A packet of any table.
#[derive(Debug, PartialEq)]
enum Any<'a> {
    Handshaking(handshaking::Serverbound<'a>),
    AskStatus(status::Serverbound),
    Status(status::Clientbound<'a>),
    AskLogin(login::Serverbound<'a>),
    Login(login::Clientbound<'a>),
    Serverbound(serverbound::Serverbound<'a>),
    Clientbound(clientbound::Clientbound<'a>),
}

impl<'a> Any<'a> {
    fn decode(state: &str, direction: &str, body: &'a [u8]) -> Result<Self, DecodeError> {
        match (state, direction) {
            ("handshaking", "serverbound") => {
                handshaking::Serverbound::decode(body).map(Self::Handshaking)
            }
            ("status", "serverbound") => status::Serverbound::decode(body).map(Self::AskStatus),
            ("status", "clientbound") => status::Clientbound::decode(body).map(Self::Status),
            ("login", "serverbound") => login::Serverbound::decode(body).map(Self::AskLogin),
            ("login", "clientbound") => login::Clientbound::decode(body).map(Self::Login),
            ("play", "serverbound") => {
                serverbound::Serverbound::decode(body).map(Self::Serverbound)
            }
            ("play", "clientbound") => {
                clientbound::Clientbound::decode(body).map(Self::Clientbound)
            }
            other => panic!("{other:?}"),
        }
    }

    fn encode(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        match self {
            Self::Handshaking(it) => it.encode(writer),
            Self::AskStatus(it) => it.encode(writer),
            Self::Status(it) => it.encode(writer),
            Self::AskLogin(it) => it.encode(writer),
            Self::Login(it) => it.encode(writer),
            Self::Serverbound(it) => it.encode(writer),
            Self::Clientbound(it) => it.encode(writer),
        }
    }

    fn encoded_len(&self) -> usize {
        match self {
            Self::Handshaking(it) => it.encoded_len(),
            Self::AskStatus(it) => it.encoded_len(),
            Self::Status(it) => it.encoded_len(),
            Self::AskLogin(it) => it.encoded_len(),
            Self::Login(it) => it.encoded_len(),
            Self::Serverbound(it) => it.encoded_len(),
            Self::Clientbound(it) => it.encoded_len(),
        }
    }
}

#[test]
fn every_packet_is_in_the_table() {
    let vectors = vectors();
    let ids = &vectors["packet_ids"];
    let check = |state: &str, direction: &str, all: &[(u8, &str)]| {
        let mut listed: Vec<_> = ids[state][direction]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, id)| (id.as_u64().unwrap() as u8, name.as_str()))
            // Raw bytes, no packet.
            .filter(|(id, _)| *id != 0xFE)
            .collect();
        listed.sort_unstable();
        assert_eq!(all, listed, "{state} {direction}");
    };
    check("handshaking", "serverbound", handshaking::Serverbound::ALL);
    check("status", "serverbound", status::Serverbound::ALL);
    check("status", "clientbound", status::Clientbound::ALL);
    check("login", "serverbound", login::Serverbound::ALL);
    check("login", "clientbound", login::Clientbound::ALL);
    check("play", "serverbound", serverbound::Serverbound::ALL);
    check("play", "clientbound", clientbound::Clientbound::ALL);
}

#[test]
fn vectors_are_understood_and_written_alike() {
    let vectors = vectors();
    for vector in list(&vectors["packets"]) {
        let body = bytes(&vector["body"]);
        let (state, direction) = (text(&vector["state"]), text(&vector["direction"]));
        let what = format!("{state} {direction} {}", vector["name"]);
        let packet = Any::decode(state, direction, &body);
        let packet = packet.unwrap_or_else(|error| panic!("{what}: {error}"));
        let mut buf = vec![0; body.len()];
        let mut writer = Writer::new(&mut buf);
        packet.encode(&mut writer).unwrap();
        assert_eq!(writer.written(), body, "{what}");
        assert_eq!(packet.encoded_len(), body.len(), "{what}");
        let mut small = vec![0; body.len() - 1];
        let mut writer = Writer::new(&mut small);
        assert_eq!(packet.encode(&mut writer), Err(Full), "{what}");
        assert!(writer.is_empty(), "{what}");
        fields_are_seen(&what, &vector["fields"], &format!("{packet:?}"));
    }
}

#[test]
fn no_packet_is_a_piece_of_another() {
    for vector in list(&vectors()["packets"]) {
        let body = bytes(&vector["body"]);
        let (state, direction) = (text(&vector["state"]), text(&vector["direction"]));
        // What is left to the end of the body has no end of its own.
        let open = ["custom_payload", "advancements"].contains(&text(&vector["name"]));
        for len in 0..body.len() {
            let result = Any::decode(state, direction, &body[..len]);
            assert!(open || result.is_err(), "{vector} at {len}");
        }
        let longer = [&body[..], &[0]].concat();
        let result = Any::decode(state, direction, &longer);
        assert!(
            open || result == Err(DecodeError::TrailingBytes),
            "{vector}"
        );
    }
}

/// Looks for the values of `fields` among those that a packet's `Debug` shows.
fn fields_are_seen(what: &str, fields: &Value, debug: &str) {
    let mut seen = tokens(debug);
    let mut leaves = Vec::new();
    leaves_of(fields, "", &mut leaves);
    for leaf in leaves {
        // Angles of entities count from 0 to 255 here.
        let is = |token: &Token| match (token, &leaf) {
            (Token::Number(seen), Token::Number(leaf)) => seen == leaf || *seen == leaf + 256.0,
            _ => *token == leaf,
        };
        let at = seen.iter().position(is);
        let at = at.unwrap_or_else(|| panic!("{what}: no {leaf:?} in {debug}"));
        seen.swap_remove(at);
    }
}

#[derive(Debug, PartialEq)]
enum Token {
    /// As a single, which is all that some fields hold.
    Number(f32),
    Text(String),
}

fn leaves_of(value: &Value, key: &str, leaves: &mut Vec<Token>) {
    // Bytes and tags are not told by their values, nor enumerations by their numbers.
    const OPAQUE: [&str; 11] = [
        "action",
        "actionId",
        "blockEntities",
        "chunkData",
        "data",
        "difficulty",
        "metadata",
        "nbtData",
        "publicKey",
        "reason",
        "sharedSecret",
    ];
    match value {
        // The choice between forms is told by its name.
        Value::Number(_) if ["action", "event", "mode", "mouse"].contains(&key) => {}
        // No item is shown as none.
        Value::Number(it) if key == "blockId" && it.as_i64() == Some(-1) => {}
        Value::Number(it) => leaves.push(Token::Number(it.as_f64().unwrap() as f32)),
        Value::String(_) if OPAQUE.contains(&key) || key == "verifyToken" => {}
        Value::String(it) => leaves.push(match it.parse() {
            Ok(number) => Token::Number(number),
            Err(_) => Token::Text(it.clone()),
        }),
        Value::Array(items) if !OPAQUE.contains(&key) || key == "data" => {
            items.iter().for_each(|item| leaves_of(item, "", leaves));
        }
        Value::Object(fields) if key != "nbtData" => {
            for (key, value) in fields {
                leaves_of(value, key, leaves);
            }
        }
        _ => {}
    }
}

fn tokens(debug: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = debug;
    while let Some(start) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_alphanumeric()) {
        rest = &rest[start..];
        let len = if rest.starts_with('"') {
            let mut escaped = false;
            let end = rest.char_indices().skip(1).find(|&(_, c)| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            1 + end.unwrap().0
        } else {
            let inside = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
            rest.find(|c| !inside(c)).unwrap_or(rest.len())
        };
        let (token, tail) = rest.split_at(len);
        tokens.push(match (token.parse(), serde_json::from_str(token)) {
            (Ok(number), _) => Token::Number(number),
            (_, Ok(Value::String(text))) => match text.parse() {
                Ok(number) => Token::Number(number),
                Err(_) => Token::Text(text),
            },
            _ => Token::Text(token.to_owned()),
        });
        rest = tail;
    }
    tokens
}

#[test]
fn invalid_packets_are_refused_for_what_is_wrong() {
    for vector in list(&vectors()["invalid"]) {
        if vector["kind"] != "packet" {
            continue;
        }
        let error = match text(&vector["error"]) {
            "truncated" => DecodeError::Truncated,
            "trailing_bytes" => DecodeError::TrailingBytes,
            "unknown_id" => DecodeError::UnknownId,
            "bad_length" => DecodeError::BadLength,
            other => panic!("{other}"),
        };
        let body = bytes(&vector["hex"]);
        let result = Any::decode(text(&vector["state"]), text(&vector["direction"]), &body);
        assert_eq!(result, Err(error), "{vector}");
    }
}

const LOOK: serverbound::PositionLook = serverbound::PositionLook {
    x: 3.0,
    y: 3.2,
    z: 15_503.24,
    yaw: 315.0,
    pitch: 15_423.0,
    on_ground: true,
};

#[test]
fn sizes_are_known_when_the_program_is_compiled() {
    const LEN: usize = serverbound::PositionLook::MAX_LEN;
    assert_eq!((serverbound::PositionLook::MIN_LEN, LEN), (34, 34));
    assert_eq!(Plain::<serverbound::PositionLook>::MAX_LEN, 35);
    assert_eq!(serverbound::KeepAlive::MAX_LEN, 9);
    assert_eq!(handshaking::Handshake::MIN_LEN, 1 + 1 + 1 + 2 + 1);
    assert_eq!(handshaking::Handshake::MAX_LEN, 1 + 5 + (2 + 1020) + 2 + 5);
    assert_eq!(clientbound::BossBar::MIN_LEN, 1 + 16 + 1);
    assert_eq!(
        clientbound::WindowItems::MAX_LEN,
        crate::minecraft::MAX_BODY
    );
}

#[test]
fn the_reference_packet_is_one_frame() {
    let mut buf = ByteBuf::<{ Plain::<serverbound::PositionLook>::MAX_LEN }>::new();
    buf.encode(&Plain(LOOK)).unwrap();
    let expected = "220e4008000000000000400999999999999a40ce479eb851eb85439d80004670fc0001";
    assert_eq!(buf.unread(), bytes(&Value::from(expected)));
    assert_eq!(
        serverbound::PositionLook::decode(&buf.unread()[1..]),
        Ok(LOOK)
    );
    assert!(buf.encode(&Plain(LOOK)).is_err());
    assert_eq!(buf.readable(), 35);
}

#[test]
fn a_list_is_the_same_given_or_read() {
    let values = [VarInt(1), VarInt(300), VarInt(-1)];
    let packet = clientbound::DestroyEntities {
        entity_ids: List::of(&values),
    };
    let mut buf = [0; 32];
    let mut writer = Writer::new(&mut buf);
    packet.encode(&mut writer).unwrap();
    let read = clientbound::DestroyEntities::decode(writer.written()).unwrap();
    assert_eq!(read, packet);
    assert_eq!(read.entity_ids.iter().collect::<Vec<_>>(), values);
    assert_eq!(List::<i16, Slot<'_>>::of(&[Slot(None)]).wire_len(), 4);
    assert_eq!(
        List::<VarInt, u8>::encoded(3, &[1, 2]),
        Err(DecodeError::BadLength)
    );
}

#[test]
fn ids_that_are_not_asked_for_are_refused() {
    let body = [0x0B, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(
        clientbound::KeepAlive::decode(&body),
        Err(DecodeError::UnknownId)
    );
    assert_eq!(id_of(&body), Ok(11));
    assert_eq!(
        clientbound::Clientbound::decode(&[]),
        Err(DecodeError::Truncated)
    );
}

#[test]
fn places_and_names_are_what_the_vectors_say() {
    let vectors = vectors();
    let primitives = &vectors["primitives"];
    for vector in list(&primitives["position"]) {
        let part = |key: &str| vector[key].as_i64().unwrap() as i32;
        let position = Position {
            x: part("x"),
            y: part("y"),
            z: part("z"),
        };
        let hex = bytes(&vector["hex"]);
        assert_eq!(Position::read(&mut Reader::new(&hex)), Ok(position));
        let mut buf = [0; 8];
        position.write(&mut Writer::new(&mut buf)).unwrap();
        assert_eq!(&buf[..], hex);
    }
    for vector in list(&primitives["angle"]) {
        let degrees = vector["degrees"].as_f64().unwrap() as f32;
        assert_eq!(
            Angle::from_degrees(degrees),
            Angle(vector["byte"].as_u64().unwrap() as u8)
        );
    }
    for vector in list(&primitives["uuid"]) {
        let uuid = Uuid::parse(text(&vector["text"])).unwrap();
        assert_eq!(&uuid.0.to_be_bytes()[..], bytes(&vector["binary_hex"]));
        let mut place = [0; Uuid::TEXT_LEN];
        let mut buf = [0; 37];
        uuid.text(&mut place)
            .write(&mut Writer::new(&mut buf))
            .unwrap();
        assert_eq!(&buf[..], bytes(&vector["string_hex"]));
    }
    for vector in list(&vectors["offline_uuid"]) {
        let uuid = Uuid::offline(text(&vector["name"]));
        assert_eq!(uuid.to_string(), text(&vector["uuid"]));
    }
    for bad in [
        "",
        "de305d54-75b4-431b-adb2-eb6b9e54601",
        "de305d54x75b4-431b-adb2-eb6b9e546014",
    ] {
        assert_eq!(Uuid::parse(bad), None);
    }
}
