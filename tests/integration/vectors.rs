//! The recorded and derived bytes in `tests/data/kaillera.json`.

use encoding_rs::Encoding;
use samara::{
    buffer::Writer,
    kaillera::{
        DecodeError,
        bundle::{Bundle, BundleWriter, MessageNumber, Order, RawMessage},
        connect::{self, Connect, Reply, parse_reply, write_hellod00d},
        fuzz,
        message::{ClientMessage, Kind, ServerMessage},
    },
};
use serde_json::{Value, json};
use std::sync::LazyLock;

static VECTORS: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../data/kaillera.json")).unwrap());

/// Forms that are understood, but that nobody here writes: another byte in a keepalive, another
/// connection type in a join request, and a drop request with a byte too many.
const NOT_CANONICAL: [&str; 3] = [
    "keep_alive_value_12",
    "join_game_request",
    "player_drop_request_long",
];

fn list(value: &'static Value) -> &'static [Value] {
    value.as_array().unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn number(value: &Value) -> u16 {
    value.as_u64().unwrap().try_into().unwrap()
}

fn bytes(hex: &Value) -> Vec<u8> {
    let digits = text(hex).as_bytes();
    let pairs = digits.chunks(2).map(|pair| str::from_utf8(pair).unwrap());
    pairs
        .map(|pair| u8::from_str_radix(pair, 16).unwrap())
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn encoding(vector: &Value) -> &'static Encoding {
    match text(&vector["charset"]) {
        "cp949" => encoding_rs::EUC_KR,
        label => Encoding::for_label(label.as_bytes()).unwrap(),
    }
}

fn from_client(vector: &Value) -> bool {
    matches!(text(&vector["direction"]), "client_to_server" | "both")
}

fn from_server(vector: &Value) -> bool {
    matches!(text(&vector["direction"]), "server_to_client" | "both")
}

/// The fields of a message as the vectors name them, without those that are skipped.
fn client_fields(message: &ClientMessage<'_>, charset: &'static Encoding) -> Value {
    let text = |bytes| charset.decode_without_bom_handling(bytes).0;
    match *message {
        ClientMessage::Quit { message } => json!({ "message": text(message) }),
        ClientMessage::UserInformation {
            name,
            emulator,
            connection_type,
        } => json!({
            "username": text(name),
            "emulator": text(emulator),
            "connection_type": connection_type as u8,
        }),
        ClientMessage::Chat { text: line } | ClientMessage::GameChat { text: line } => {
            json!({ "message": text(line) })
        }
        ClientMessage::CreateGame { rom } => json!({ "game": text(rom) }),
        ClientMessage::JoinGame { game } => json!({ "game_id": game.0 }),
        ClientMessage::GameKick { user } => json!({ "user_id": user.0 }),
        ClientMessage::GameData { input } => json!({ "data_hex": hex(input) }),
        ClientMessage::CachedGameData { index } => json!({ "index": index }),
        ClientMessage::ClientAck
        | ClientMessage::KeepAlive
        | ClientMessage::QuitGame
        | ClientMessage::StartGame
        | ClientMessage::PlayerDrop
        | ClientMessage::AllReady => json!({}),
    }
}

/// The fields of a message as the vectors name them.
fn server_fields(message: &ServerMessage<'_>, charset: &'static Encoding) -> Value {
    let text = |bytes| charset.decode_without_bom_handling(bytes).0;
    match *message {
        ServerMessage::Quit { name, id, message }
        | ServerMessage::ConnectionRejected {
            name,
            id,
            reason: message,
        } => {
            json!({ "username": text(name), "user_id": id.0, "message": text(message) })
        }
        ServerMessage::UserJoined {
            name,
            id,
            ping,
            connection_type,
        } => json!({
            "username": text(name),
            "user_id": id.0,
            "ping_ms": ping,
            "connection_type": connection_type as u8,
        }),
        ServerMessage::ServerStatus { users, games, .. } => {
            let user_list = message.users().map(|user| {
                json!({
                    "username": text(user.name),
                    "ping_ms": user.ping,
                    "status": user.status,
                    "user_id": user.id.0,
                    "connection_type": user.connection_type as u8,
                })
            });
            let game_list = message.games().map(|game| {
                json!({
                    "game": text(game.rom),
                    "game_id": game.game.0,
                    "emulator": text(game.emulator),
                    "owner": text(game.owner),
                    "players": text(game.seats),
                    "status": game.status,
                })
            });
            json!({
                "user_count": users,
                "game_count": games,
                "users": user_list.collect::<Vec<_>>(),
                "games": game_list.collect::<Vec<_>>(),
            })
        }
        ServerMessage::Chat { name, text: line } | ServerMessage::GameChat { name, text: line } => {
            json!({ "username": text(name), "message": text(line) })
        }
        ServerMessage::CreateGame {
            owner,
            rom,
            emulator,
            game,
        } => json!({
            "username": text(owner),
            "game": text(rom),
            "emulator": text(emulator),
            "game_id": game.0,
        }),
        ServerMessage::QuitGame { name, id } => {
            json!({ "username": text(name), "user_id": id.0 })
        }
        ServerMessage::JoinGame {
            game,
            name,
            ping,
            id,
            connection_type,
        } => json!({
            "game_id": game.0,
            "username": text(name),
            "ping_ms": ping,
            "user_id": id.0,
            "connection_type": connection_type as u8,
        }),
        ServerMessage::PlayerInformation { players, .. } => {
            let list = message.players().map(|player| {
                json!({
                    "username": text(player.name),
                    "ping_ms": player.ping,
                    "user_id": player.id.0,
                    "connection_type": player.connection_type as u8,
                })
            });
            json!({ "player_count": players, "players": list.collect::<Vec<_>>() })
        }
        ServerMessage::GameStatus {
            game,
            status,
            players,
            capacity,
        } => json!({
            "game_id": game.0,
            "status": status as u8,
            "players": players,
            "max_players": capacity,
        }),
        ServerMessage::CloseGame { game } => json!({ "game_id": game.0 }),
        ServerMessage::StartGame {
            delay,
            player,
            players,
        } => {
            json!({ "frame_delay": delay, "player_number": player, "player_count": players })
        }
        ServerMessage::GameData { input } => json!({ "data_hex": hex(input) }),
        ServerMessage::CachedGameData { index } => json!({ "index": index }),
        ServerMessage::PlayerDrop { name, player } => {
            json!({ "username": text(name), "player_number": player })
        }
        ServerMessage::InformationMessage { source, text: line } => {
            json!({ "source": text(source), "message": text(line) })
        }
        ServerMessage::ServerAck | ServerMessage::AllReady => json!({}),
    }
}

fn assert_fields(name: &str, decoded: &Value, expected: &Value) {
    for (field, value) in decoded.as_object().unwrap() {
        assert_eq!(value, &expected[field], "{name}: {field}");
    }
}

/// Decodes a message of either side and writes it again: the kind byte and the body.
fn rewrite(client: bool, kind: u8, body: &[u8]) -> Result<Vec<u8>, DecodeError> {
    let mut buf = [0; 4096];
    let mut writer = Writer::new(&mut buf);
    if client {
        ClientMessage::decode(kind, body)?
            .encode(&mut writer)
            .unwrap();
    } else {
        ServerMessage::decode(kind, body)?
            .encode(&mut writer)
            .unwrap();
    }
    Ok(writer.written().to_vec())
}

#[test]
fn connect_strings_get_the_expected_answer() {
    for vector in list(&VECTORS["connect"]) {
        let name = text(&vector["name"]);
        let datagram = bytes(&vector["hex"]);
        let answer = match Connect::parse(&datagram) {
            Some(Connect::Ping) => Some(connect::PONG.to_vec()),
            Some(Connect::Hello {
                version: connect::VERSION,
            }) => {
                let mut buf = [0; connect::MAX_REPLY];
                let mut writer = Writer::new(&mut buf);
                write_hellod00d(27888, &mut writer).unwrap();
                Some(writer.written().to_vec())
            }
            Some(Connect::Hello { version }) => {
                assert_eq!((name, version), ("hello_0_86", b"0.86".as_slice()));
                assert_eq!(
                    bytes(&vector["expect"]["alternative_reply_hex"]),
                    connect::VER
                );
                None
            }
            Some(Connect::Unanswered) | None => None,
        };
        let expected = match &vector["expect"] {
            expect if expect["reply_text"].is_string() => Some(b"HELLOD00D27888\0".to_vec()),
            expect if expect["reply_hex"].is_string() => Some(bytes(&expect["reply_hex"])),
            _ => None,
        };
        assert_eq!(answer, expected, "{name}");
        let reply = match name {
            "pong" => Some(Reply::Pong),
            "hellod00d_27888" => Some(Reply::Port(27888)),
            "too" => Some(Reply::Full),
            "ver" => Some(Reply::WrongVersion),
            _ => None,
        };
        assert_eq!(parse_reply(&datagram), reply, "{name}");
    }
}

#[test]
fn messages_are_understood_and_written_again() {
    for vector in list(&VECTORS["messages"]) {
        let name = text(&vector["name"]);
        let kind = u8::try_from(number(&vector["message_type"])).unwrap();
        let body = bytes(&vector["body_hex"]);
        let content = [&[kind], body.as_slice()].concat();
        assert_eq!(
            content.len(),
            usize::from(number(&vector["wire_length_field"])),
            "{name}"
        );
        let Some(known) = Kind::from_byte(kind) else {
            assert_eq!(name, "unknown_type_0x18");
            assert_eq!(rewrite(true, kind, &body), Err(DecodeError::UnknownKind));
            assert_eq!(rewrite(false, kind, &body), Err(DecodeError::UnknownKind));
            continue;
        };
        assert_eq!(known.name(), text(&vector["type_name"]), "{name}");
        if from_client(vector) {
            let message = ClientMessage::decode(kind, &body).unwrap();
            assert_eq!(message.kind(), known);
            assert_fields(
                name,
                &client_fields(&message, encoding(vector)),
                &vector["fields"],
            );
            let same = rewrite(true, kind, &body).unwrap() == content;
            assert_eq!(same, !NOT_CANONICAL.contains(&name), "{name}");
        }
        if from_server(vector) {
            let message = ServerMessage::decode(kind, &body).unwrap();
            assert_eq!(message.kind(), known);
            assert_fields(
                name,
                &server_fields(&message, encoding(vector)),
                &vector["fields"],
            );
            assert_eq!(rewrite(false, kind, &body).unwrap(), content, "{name}");
        }
    }
}

#[test]
fn bundles_are_taken_apart_and_processed_in_order() {
    for vector in list(&VECTORS["bundles"]) {
        let name = text(&vector["name"]);
        let datagram = bytes(&vector["bundle_hex"]);
        let bundle = Bundle::parse(&datagram).unwrap();
        let expected = list(&vector["messages"]);
        assert_eq!(bundle.len(), expected.len(), "{name}");
        for (message, expected) in bundle.newest_first().zip(expected) {
            assert_eq!(message.number.0, number(&expected["number"]), "{name}");
            assert_eq!(
                u16::from(message.kind),
                number(&expected["message_type"]),
                "{name}"
            );
            assert_eq!(message.body, bytes(&expected["body_hex"]), "{name}");
            assert_fields(name, &raw_fields(vector, &message), &expected["fields"]);
        }

        let mut last = vector["last_number_before"]
            .as_u64()
            .map(|last| MessageNumber(last as u16));
        let mut processed = Vec::new();
        for message in bundle.oldest_first() {
            if message.number.order_after(last).is_new() {
                last = Some(message.number);
                processed.push(message.number.0);
            }
        }
        let in_order: Vec<u16> = list(&vector["process_in_order"])
            .iter()
            .map(number)
            .collect();
        assert_eq!(processed, in_order, "{name}");

        let mut buf = vec![0; datagram.len()];
        let len = write_bundle(&mut buf, bundle.newest_first(), |message| {
            [&[message.kind], message.body].concat()
        });
        assert_eq!(buf[..len], datagram[..len], "{name}");
        assert_eq!(
            hex(&datagram[len..]),
            text(&vector["trailing_hex"]),
            "{name}"
        );
    }
}

fn raw_fields(bundle: &Value, message: &RawMessage<'_>) -> Value {
    let charset = encoding(bundle);
    if Kind::from_byte(message.kind).is_none() {
        json!({ "raw_hex": hex(message.body) })
    } else if from_client(bundle) {
        client_fields(
            &ClientMessage::decode(message.kind, message.body).unwrap(),
            charset,
        )
    } else {
        server_fields(
            &ServerMessage::decode(message.kind, message.body).unwrap(),
            charset,
        )
    }
}

fn write_bundle<'a>(
    buf: &mut [u8],
    messages: impl Iterator<Item = RawMessage<'a>>,
    content: impl Fn(&RawMessage<'_>) -> Vec<u8>,
) -> usize {
    let mut writer = BundleWriter::new(buf);
    for message in messages {
        writer.push(message.number, &content(&message)).unwrap();
    }
    writer.finish()
}

#[test]
fn malformed_bundles_get_the_expected_verdict() {
    for vector in list(&VECTORS["malformed_bundles"]) {
        let datagram = bytes(&vector["bundle_hex"]);
        let verdict = match Bundle::parse(&datagram) {
            Err(_) => "drop_datagram",
            Ok(bundle) => {
                let message = bundle.newest_first().next().unwrap();
                match ClientMessage::decode(message.kind, message.body) {
                    Err(DecodeError::UnknownKind) => "skip_message",
                    Err(_) => "ignore_message",
                    Ok(_) => "process",
                }
            }
        };
        assert_eq!(verdict, text(&vector["expect"]), "{}", vector["name"]);
    }
}

#[test]
fn message_numbers_get_the_expected_verdict() {
    for vector in list(&VECTORS["sequence_numbers"]) {
        let last = vector["last"]
            .as_u64()
            .map(|last| MessageNumber(last as u16));
        let order = MessageNumber(number(&vector["number"])).order_after(last);
        let verdict = match order {
            Order::First => "first",
            Order::Duplicate => "duplicate",
            Order::Next => "next",
            Order::Newer { .. } => "newer_with_gap",
            Order::Old => "old",
        };
        assert_eq!(verdict, text(&vector["verdict"]), "{vector}");
    }
}

#[test]
fn whole_sessions_are_understood_and_written_again() {
    for session in [
        "captured_single_player_session",
        "derived_two_player_session",
    ] {
        for vector in list(&VECTORS[session]["datagrams"]) {
            let datagram = bytes(&vector["hex"]);
            let client = from_client(vector);
            if let Some(found) = Connect::parse(&datagram) {
                let expected = match found {
                    Connect::Ping => "PING",
                    Connect::Hello { .. } => "HELLO",
                    Connect::Unanswered => match parse_reply(&datagram).unwrap() {
                        Reply::Pong => "PONG",
                        Reply::Port(_) => "HELLOD00D, same port",
                        Reply::Full | Reply::WrongVersion => panic!("no such reply was sent"),
                    },
                };
                assert!(expected.starts_with(text(&vector["newest"])), "{vector}");
                continue;
            }
            let bundle = Bundle::parse(&datagram).unwrap();
            if let Some(numbers) = vector["numbers"].as_array() {
                let numbers: Vec<u16> = numbers.iter().map(number).collect();
                let found: Vec<u16> = bundle
                    .newest_first()
                    .map(|message| message.number.0)
                    .collect();
                assert_eq!(found, numbers, "{vector}");
            }
            let mut buf = vec![0; datagram.len()];
            let len = write_bundle(&mut buf, bundle.newest_first(), |message| {
                rewrite(client, message.kind, message.body).unwrap()
            });
            assert_eq!(hex(&buf[..len]), hex(&datagram));
        }
    }
}

#[test]
fn no_decoder_breaks_a_promise_on_any_vector_cut_or_bent() {
    let datagrams = ["connect", "bundles", "malformed_bundles"]
        .iter()
        .flat_map(|array| list(&VECTORS[array]))
        .map(|vector| bytes(vector.get("hex").unwrap_or(&vector["bundle_hex"])));
    for datagram in datagrams {
        bend(&datagram, |data| {
            fuzz::connect(data);
            fuzz::bundle(data);
        });
    }
    for vector in list(&VECTORS["messages"]) {
        let kind = u8::try_from(number(&vector["message_type"])).unwrap();
        bend(
            &[&[kind], bytes(&vector["body_hex"]).as_slice()].concat(),
            |data| {
                fuzz::client_message(data);
                fuzz::server_message(data);
            },
        );
    }
}

/// Passes on every beginning of `data`, and `data` with each byte replaced by each of a few.
fn bend(data: &[u8], check: impl Fn(&[u8])) {
    for end in 0..=data.len() {
        check(&data[..end]);
    }
    let mut bent = data.to_vec();
    for index in 0..data.len() {
        for value in [0, 1, 2, 7, 0x7F, 0x80, 0xFF] {
            bent[index] = value;
            check(&bent);
        }
        bent[index] = data[index];
    }
}
