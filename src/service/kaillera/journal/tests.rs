use super::*;
use crate::{
    kaillera::message::{GameId, UserId},
    lobby::AccessLevel,
    privacy::Addresses,
};
use encoding_rs::{SHIFT_JIS, WINDOWS_1252};

const ANN: Who<'_> = Who {
    id: UserId(1),
    name: b"Ann",
    address: IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 77)),
};
const BOB: Who<'_> = Who {
    id: UserId(2),
    name: b"Bob\r\n2026 ERROR \x1b[31m\xe9\"",
    address: ANN.address,
};
const ROOM: Room<'_> = Room {
    id: GameId(3),
    game: b"Game",
};
const OPEN: Privacy = Privacy {
    addresses: Addresses::Full,
    chat: true,
    game_chat: true,
};

fn line(event: &Event<'_>, privacy: Privacy) -> Option<String> {
    let line = Line {
        event,
        charset: WINDOWS_1252,
        privacy,
    };
    line.is_wanted().then(|| line.to_string())
}

fn closed(event: Event<'_>) -> String {
    line(&event, Privacy::default()).unwrap()
}

fn command<'e>(word: &'static str, rest: &'e [u8]) -> Event<'e> {
    Event::Command {
        who: ANN,
        word,
        rest,
        target: (word == "/ban").then_some(BOB),
        is_speech: word == "/announce",
    }
}

#[test]
fn every_event_has_its_line() {
    let login = Event::LoggedIn {
        who: ANN,
        ping: Duration::from_micros(24_700),
        connection_type: ConnectionType::Good,
        emulator: b"EMU 1.0",
        level: AccessLevel::Normal,
    };
    let refused = Event::LoginRefused {
        name: b"Ann",
        address: ANN.address,
        reason: b"No room",
    };
    let quit = |words, own_words| Event::LoggedOut {
        who: ANN,
        words,
        own_words,
    };
    let stall = Event::OutOfSync {
        room: ROOM,
        who: ANN,
        cause: Desync::Stall(Duration::from_secs(12)),
        dropped: true,
    };
    let gap = Event::OutOfSync {
        room: ROOM,
        who: ANN,
        cause: Desync::Gap,
        dropped: false,
    };
    let autofire = Event::Autofire {
        room: ROOM,
        who: ANN,
        level: 4,
        rhythm: Rhythm(2, 3),
    };
    let removed = Event::Removed {
        room: ROOM,
        who: ANN,
        by: ANN,
    };
    for (event, expected) in [
        (
            login,
            r#"login: "Ann" (1) from 192.0.2.0/24, 24 ms, good, "EMU 1.0", Normal"#,
        ),
        (
            refused,
            r#"login refused: "Ann" from 192.0.2.0/24: "No room""#,
        ),
        (quit(b"Banned", false), r#"quit: "Ann" (1): "Banned""#),
        (quit(b"bye", true), r#"quit: "Ann" (1)"#),
        (
            Event::RoomOpened(ROOM, ANN),
            r#"room 3 "Game": opened by "Ann" (1)"#,
        ),
        (
            Event::RoomEntered(ROOM, ANN),
            r#"room 3 "Game": "Ann" (1) is in"#,
        ),
        (
            Event::RoomLeft(ROOM, ANN),
            r#"room 3 "Game": "Ann" (1) has left"#,
        ),
        (Event::RoomClosed(ROOM), r#"room 3 "Game": closed"#),
        (
            Event::GameStarted(ROOM, 2),
            r#"room 3 "Game": started, players: 2"#,
        ),
        (Event::GameOver(ROOM), r#"room 3 "Game": the game is over"#),
        (
            Event::NotReady(ROOM, ANN),
            r#"room 3 "Game": "Ann" (1) was not ready in time"#,
        ),
        (
            removed,
            r#"room 3 "Game": "Ann" (1) was removed by "Ann" (1)"#,
        ),
        (
            stall,
            r#"room 3 "Game": "Ann" (1) is out of sync: nothing for 12 s; dropped"#,
        ),
        (
            gap,
            r#"room 3 "Game": "Ann" (1) is out of sync: packets were lost"#,
        ),
        (
            autofire,
            r#"autofire: "Ann" (1) in room 3 "Game", 2 and 3 frames, at level 4"#,
        ),
        (
            Event::CommandFailed(ANN, "/ban"),
            r#"command not done: "Ann" (1) /ban"#,
        ),
    ] {
        assert_eq!(closed(event), expected);
    }
}

#[test]
fn what_people_say_is_shown_only_if_it_is_wanted() {
    let quit = Event::LoggedOut {
        who: ANN,
        words: b"bye",
        own_words: true,
    };
    let chat = Event::Chat(ANN, b"hello");
    let room_chat = Event::RoomChat(ROOM, ANN, b"hello");
    assert_eq!(line(&chat, Privacy::default()), None);
    assert_eq!(line(&room_chat, Privacy::default()), None);
    let shown = |event: &Event<'_>| line(event, OPEN).unwrap();
    assert_eq!(shown(&quit), r#"quit: "Ann" (1): "bye""#);
    assert_eq!(shown(&chat), r#"chat: "Ann" (1): "hello""#);
    assert_eq!(shown(&room_chat), r#"room 3 "Game": "Ann" (1): "hello""#);
    assert_eq!(
        closed(command("/announce", b"hello")),
        r#"command: "Ann" (1) /announce (a text)"#
    );
    let chat_alone = Privacy {
        chat: true,
        ..Privacy::default()
    };
    assert_eq!(line(&room_chat, chat_alone), None);
}

#[test]
fn names_cannot_end_a_line_or_move_a_cursor() {
    let text = closed(Event::RoomLeft(ROOM, BOB));
    let name = r#""Bob\r\n2026 ERROR \u{1b}[31mé\"" (2)"#;
    assert_eq!(text, format!(r#"room 3 "Game": {name} has left"#));
    let game: Vec<u8> = (0..=255).collect();
    let room = Room {
        id: GameId(3),
        game: &game,
    };
    for charset in [
        WINDOWS_1252,
        SHIFT_JIS,
        encoding_rs::GBK,
        encoding_rs::UTF_8,
    ] {
        let event = &Event::RoomClosed(room);
        let privacy = OPEN;
        let line = Line {
            event,
            charset,
            privacy,
        };
        assert!(!line.to_string().contains(char::is_control));
    }
    // What turns the direction of writing would hide the rest of the line.
    let line = Line {
        event: &Event::Chat(ANN, "a\u{202e}b\u{2028}c".as_bytes()),
        charset: encoding_rs::UTF_8,
        privacy: OPEN,
    };
    assert_eq!(
        line.to_string(),
        r#"chat: "Ann" (1): "a\u{202e}b\u{2028}c""#
    );
}

#[test]
fn commands_are_shown_without_addresses() {
    for (word, rest, expected) in [
        ("/ban", "2 10 spam", r#"/ban "2 10 spam", about "Bob"#),
        ("/info", "192.0.2.77", r#"/info "192.0.2.0/24""#),
        ("/info", "::ffff:192.0.2.77", r#"/info "192.0.2.0/24""#),
        ("/clear", "2001:db8::7", r#"/clear "2001:db8::/48""#),
        (
            "/silence",
            "2 5 again 192.0.2.77, 198.51.100.3.",
            r#"/silence "2 5 again 192.0.2.0/24, 198.51.100.0/24""#,
        ),
        (
            "/silence",
            "2 5 from:192.0.2.77:27888.",
            r#"/silence "2 5 from192.0.2.0/24""#,
        ),
        ("/clear", "::1", r#"/clear "::/48""#),
        ("/info", "192.0.2.77/32", r#"/info "192.0.2.0/24/32""#),
        ("/finduser", "Dad: a.b", r#"/finduser "Dad: a.b""#),
        ("/triviaon", "", "/triviaon"),
    ] {
        let text = closed(command(word, rest.as_bytes()));
        let expected = format!(r#"command: "Ann" (1) {expected}"#);
        assert!(text.starts_with(&expected), "{text}");
    }
    let hidden = Privacy {
        addresses: Addresses::Hidden,
        ..Privacy::default()
    };
    let text = line(&command("/info", b"192.0.2.77"), hidden).unwrap();
    assert_eq!(text, r#"command: "Ann" (1) /info "(hidden)""#);
    assert!(
        line(&command("/info", b"192.0.2.77"), OPEN)
            .unwrap()
            .contains("192.0.2.77")
    );
}

#[test]
fn a_budget_is_for_a_time_and_counts_what_is_above_it() {
    let mut budget = Budget::new(3);
    let taken: Vec<_> = (0..30u64)
        .map(|second| budget.take(Time::from_millis(second * 1000)))
        .collect();
    let mut expected = vec![None; 30];
    for begin in [0, 10, 20] {
        expected[begin] = Some(if begin == 0 { 0 } else { 7 });
        expected[begin + 1] = Some(0);
        expected[begin + 2] = Some(0);
    }
    assert_eq!(taken, expected);
}
