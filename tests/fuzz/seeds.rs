//! Where the corpus comes from: recorded datagrams, and cases that stand where a decoder may
//! trip. The test holds the files to it; after a change this writes them:
//!
//! ```sh
//! SAMARA_WRITE_CORPUS=1 cargo test --test fuzz the_corpus_is_what_is_written_here
//! ```
//!
//! Files that a fuzzer found are not written here and stay as they are.

use super::corpus_directory;
use samara::{
    buffer::Writer,
    kaillera::message::{ClientMessage, ConnectionType, GameId, UserId},
};
use serde_json::Value;
use std::{collections::BTreeSet, env, fs};

#[test]
fn the_corpus_is_what_is_written_here() {
    let vectors: Value = serde_json::from_str(include_str!("../data/kaillera.json")).unwrap();
    for vector in list(&vectors["connect"]) {
        write("connect", text(&vector["name"]), &bytes(&vector["hex"]));
    }
    write("connect", "hello_without_terminator", b"HELLO0.83");
    write("connect", "port_0", b"HELLOD00D0\0");
    write("connect", "port_65536", b"HELLOD00D65536\0");
    write("connect", "port_with_a_sign", b"HELLOD00D+1\0");
    for list_name in ["bundles", "malformed_bundles"] {
        for vector in list(&vectors[list_name]) {
            write(
                "bundle",
                text(&vector["name"]),
                &bytes(&vector["bundle_hex"]),
            );
        }
    }
    write("bundle", "full_of_empty_messages", &full_bundle());
    let mut written = BTreeSet::new();
    for vector in list(&vectors["messages"]) {
        let kind = vector["message_type"].as_u64().unwrap() as u8;
        if !written.insert((kind, text(&vector["direction"]))) {
            continue;
        }
        let content = [&[kind], bytes(&vector["body_hex"]).as_slice()].concat();
        let direction = text(&vector["direction"]);
        if direction != "server_to_client" {
            write("client_message", text(&vector["name"]), &content);
        }
        if direction != "client_to_server" {
            write("server_message", text(&vector["name"]), &content);
        }
    }
    write("client_message", "input_of_length_0", b"\x12\0\0\0");
    write(
        "client_message",
        "input_shorter_than_said",
        b"\x12\0\xFF\xFF1",
    );
    write(
        "server_message",
        "status_counts_too_much",
        b"\x04\0\xFF\xFF\xFF\xFF\0\0\0\0",
    );
    write(
        "server_message",
        "players_count_too_much",
        b"\x0D\0\xFF\xFF\xFF\xFF",
    );
    for (name, script) in sessions(&vectors) {
        write("session", name, &script.0);
    }
}

fn sessions(vectors: &Value) -> Vec<(&'static str, Script)> {
    let mut sessions = vec![
        (
            "nothing_for_an_hour",
            (0..15).fold(Script::default(), |it, _| it.wait(7)),
        ),
        (
            "recorded_session_from_a_stranger",
            recorded(vectors, "captured_single_player_session"),
        ),
        (
            "recorded_session_of_two",
            recorded(vectors, "derived_two_player_session"),
        ),
    ];
    sessions.extend(logins());
    sessions.extend(rooms());
    sessions.extend(players());
    sessions.extend(floods());
    sessions
}

fn recorded(vectors: &Value, session: &str) -> Script {
    let datagrams = list(&vectors[session]["datagrams"]).iter();
    datagrams
        .filter(|datagram| text(&datagram["direction"]) == "client_to_server")
        .take(60)
        .fold(Script::default(), |script, datagram| {
            let stranger = 2 + u8::from(datagram["client"] == "B");
            script.step(stranger, 3, &bytes(&datagram["hex"]))
        })
}

fn logins() -> Vec<(&'static str, Script)> {
    let hello = b"HELLO0.83\0".as_slice();
    let log_in = |script: Script, who| {
        let script = script.step(who, 0, hello).message(who, 2, &login(b"x"));
        (0..4).fold(script, |it, _| {
            it.message(who, 2, &ClientMessage::ClientAck)
        })
    };
    let in_ = |who| log_in(Script::default(), who);
    vec![
        (
            "pings_and_hellos",
            (0..40).fold(Script::default(), |it, n| {
                it.step(2 + n % 6, n % 3, hello).step(2, 0, b"PING\0")
            }),
        ),
        (
            "hello_of_another_version",
            Script::default().step(2, 0, b"HELLO0.86\0"),
        ),
        ("login_of_a_stranger", in_(2).wait(7)),
        (
            "login_never_acked",
            Script::default()
                .message(2, 0, &login(b"x"))
                .wait(7)
                .wait(7),
        ),
        (
            "login_repeated_by_all_strangers",
            (2..8).fold(Script::default(), log_in),
        ),
        (
            "login_again_after_a_hello",
            log_in(in_(2).wait(6), 2).wait(7),
        ),
        (
            "login_with_a_name_in_use",
            Script::default().message(2, 0, &login(b"owner")).acks(2),
        ),
        (
            "login_with_control_characters",
            Script::default()
                .message(2, 0, &login(b"\x01\x1F|"))
                .acks(2),
        ),
        (
            "login_with_a_name_too_long",
            Script::default()
                .message(2, 0, &login(&[b'x'; 200]))
                .acks(2),
        ),
        (
            "quit_before_login",
            Script::default()
                .message(2, 0, &login(b"x"))
                .message(2, 0, &QUIT),
        ),
        ("starts_over_in_the_middle", log_in(in_(2).wait(7), 2)),
        (
            "attacker_starts_over",
            Script::default().step(0, 0, hello).raw_login(0).acks(0),
        ),
        (
            "attacker_leaves_and_is_back",
            log_in(Script::default().message(0, 0, &QUIT).wait(7), 0),
        ),
    ]
}

fn rooms() -> Vec<(&'static str, Script)> {
    let create = ClientMessage::CreateGame { rom: b"other" };
    let own_room = || Script::default().message(0, 3, &create);
    let two = || {
        Script::default()
            .message(1, 0, &ClientMessage::QuitGame)
            .message(0, 5, &create)
            .message(1, 5, &join(2))
            .message(0, 4, &ClientMessage::StartGame)
            .message(0, 4, &ClientMessage::AllReady)
            .message(1, 4, &ClientMessage::AllReady)
    };
    let input = |input| ClientMessage::GameData { input };
    vec![
        (
            "kick_by_one_who_does_not_own",
            Script::default()
                .message(0, 0, &kick(1))
                .message(1, 0, &kick(1)),
        ),
        (
            "start_by_one_who_does_not_own",
            Script::default().message(1, 0, &ClientMessage::StartGame),
        ),
        (
            "join_a_running_game",
            Script::default()
                .message(0, 0, &join(1))
                .message(0, 0, &join(77)),
        ),
        ("join_room_0", Script::default().message(0, 0, &join(0))),
        (
            "alone_in_a_game",
            own_room()
                .message(0, 4, &ClientMessage::StartGame)
                .message(0, 4, &ClientMessage::AllReady)
                .message(0, 4, &input(&[1; 12]))
                .message(0, 4, &input(&[2; 12]))
                .message(0, 4, &ClientMessage::PlayerDrop)
                .message(0, 4, &ClientMessage::QuitGame),
        ),
        (
            "start_before_ready_forever",
            own_room()
                .message(0, 4, &ClientMessage::StartGame)
                .wait(7)
                .wait(7)
                .wait(7),
        ),
        (
            "second_game_of_two",
            two()
                .message(0, 4, &input(&[3; 12]))
                .message(1, 4, &input(&[4; 12]))
                .message(0, 4, &ClientMessage::CachedGameData { index: 0 })
                .message(1, 4, &ClientMessage::CachedGameData { index: 200 })
                .message(1, 4, &QUIT)
                .message(0, 4, &ClientMessage::QuitGame),
        ),
        (
            "owner_leaves_before_ready",
            two().message(0, 0, &ClientMessage::QuitGame),
        ),
        (
            "rooms_opened_and_left",
            (0..12).fold(Script::default(), |it, n| {
                it.message(0, 4 + n % 3, &create)
                    .message(0, 4, &ClientMessage::QuitGame)
            }),
        ),
    ]
}

fn players() -> Vec<(&'static str, Script)> {
    let player = || Script::default().wait(4);
    let odd = ClientMessage::GameData { input: &[7; 2048] };
    let tiny = ClientMessage::GameData { input: &[7] };
    vec![
        ("player_quits", player().message(1, 0, &QUIT)),
        (
            "player_quits_its_game",
            player().message(1, 0, &ClientMessage::QuitGame).wait(6),
        ),
        (
            "player_drops_twice",
            player().message(1, 0, &ClientMessage::PlayerDrop).message(
                1,
                0,
                &ClientMessage::PlayerDrop,
            ),
        ),
        (
            "player_names_entries_that_are_not",
            (0..20).fold(player(), |it, n| {
                it.message(1, 0, &ClientMessage::CachedGameData { index: n * 13 })
            }),
        ),
        (
            "player_sends_the_longest_input",
            player().message(1, 0, &odd).message(1, 0, &odd),
        ),
        (
            "player_sends_the_shortest_input",
            player().message(1, 0, &tiny).wait(5),
        ),
        (
            "player_floods_its_game",
            (0..200).fold(player(), |it, _| it.message(1, 0, &tiny)),
        ),
        (
            "player_leaves_a_gap",
            player().step(1, 0, &[1, 0xFF, 0x0F, 3, 0, 0x13, 0, 0]),
        ),
        (
            "player_is_ready_again",
            player().message(1, 0, &ClientMessage::AllReady).wait(6),
        ),
        (
            "player_starts_over",
            player()
                .step(1, 0, b"HELLO0.83\0")
                .raw_login(1)
                .acks(1)
                .wait(6),
        ),
        (
            "player_chats",
            (0..10).fold(player(), |it, n| {
                it.message(
                    1,
                    n % 7,
                    &ClientMessage::GameChat {
                        text: b"/samedelay true",
                    },
                )
                .message(
                    1,
                    0,
                    &ClientMessage::Chat {
                        text: b"\xFF\x01%s",
                    },
                )
            }),
        ),
    ]
}

fn floods() -> Vec<(&'static str, Script)> {
    let chat = ClientMessage::Chat { text: b"x" };
    let burst = |who, kind: &[u8]| {
        (0..40).fold(Script::default(), |it, n| {
            it.unturned(who, &many(kind, 8000 + 32 * n))
        })
    };
    vec![
        (
            "chat_flood",
            (0..100).fold(Script::default(), |it, _| it.message(0, 0, &chat)),
        ),
        ("chat_burst_in_full_bundles", burst(0, b"\x07\0x\0").wait(5)),
        (
            "input_burst_in_full_bundles",
            burst(1, b"\x12\0\x0C\x00012345678901").wait(5),
        ),
        ("bursts_of_two", {
            let Script(mut both) = burst(0, b"\x07\0x\0");
            both.extend(burst(1, b"\x12\0\x0C\x00012345678901").0);
            Script(both).wait(5)
        }),
        ("keepalive_flood", burst(0, b"\x09\0").wait(6)),
        (
            "the_same_bundle_forever",
            (0..300).fold(Script::default(), |it, n| {
                it.step(0, u8::from(n % 9 == 0) * 4, &[1, 4, 0, 2, 0, 6, 0])
            }),
        ),
        (
            "numbers_wrap_around",
            Script::default()
                .step(0, 0, &[1, 0xF0, 0x7F, 2, 0, 9, 0])
                .step(0, 0, &[1, 0xE0, 0xFF, 2, 0, 9, 0])
                .step(0, 0, &[1, 0x01, 0x00, 2, 0, 9, 0]),
        ),
    ]
}

const QUIT: ClientMessage<'_> = ClientMessage::Quit { message: b"bye" };

fn login(name: &[u8]) -> ClientMessage<'_> {
    ClientMessage::UserInformation {
        name,
        emulator: b"emulator",
        connection_type: ConnectionType::Lan,
    }
}

fn join(game: u32) -> ClientMessage<'static> {
    ClientMessage::JoinGame { game: GameId(game) }
}

fn kick(user: u16) -> ClientMessage<'static> {
    ClientMessage::GameKick { user: UserId(user) }
}

/// Input for [`samara::service::kaillera::fuzz::session`], a step at a time. Pauses are
/// places in its table.
#[derive(Default)]
struct Script(Vec<u8>);

impl Script {
    fn push(mut self, what: u8, content: &[u8]) -> Self {
        self.0.push(what);
        self.0.extend((content.len() as u16).to_le_bytes());
        self.0.extend(content);
        self
    }

    fn step(self, who: u8, pause: u8, datagram: &[u8]) -> Self {
        self.push(who | pause << 3, datagram)
    }

    fn message(self, who: u8, pause: u8, message: &ClientMessage<'_>) -> Self {
        let mut buf = [0; 4096];
        let mut writer = Writer::new(&mut buf);
        message.encode(&mut writer).unwrap();
        self.push(0x40 | who | pause << 3, writer.written())
    }

    fn unturned(self, who: u8, datagram: &[u8]) -> Self {
        self.push(0x80 | who, datagram)
    }

    fn wait(self, pause: u8) -> Self {
        self.step(7, pause, b"")
    }

    /// What a client sends that starts over: its first message, with number 0.
    fn raw_login(self, who: u8) -> Self {
        self.step(who, 0, b"\x01\0\0\x08\0\x03again\0\0\x01")
    }

    fn acks(self, who: u8) -> Self {
        (1..5).fold(self, |it, n| it.step(who, 2, &[1, n, 0, 2, 0, 6, 0]))
    }
}

/// A bundle of 32 messages, the oldest of them with this number.
fn many(content: &[u8], first: u16) -> Vec<u8> {
    let mut bundle = vec![32];
    for number in (first..first + 32).rev() {
        bundle.extend(number.to_le_bytes());
        bundle.extend((content.len() as u16).to_le_bytes());
        bundle.extend(content);
    }
    bundle
}

fn full_bundle() -> Vec<u8> {
    many(&[9], 0xFFF0 - 32)
}

pub(super) fn write(target: &str, name: &str, data: &[u8]) {
    let directory = corpus_directory(target);
    let file = directory.join(name);
    if env::var_os("SAMARA_WRITE_CORPUS").is_some() {
        fs::create_dir_all(&directory).unwrap();
        fs::write(&file, data).unwrap();
    }
    let committed = fs::read(&file).unwrap_or_default();
    assert!(
        committed == data,
        "{target}/{name} is not what is written here"
    );
}

pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

pub(super) fn bytes(hex: &Value) -> Vec<u8> {
    let digits = text(hex).as_bytes();
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}
