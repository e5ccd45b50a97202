use super::*;
use proptest::{collection::vec, prelude::*};

fn encode(write: impl FnOnce(&mut Writer<'_>) -> Result<(), Full>) -> Vec<u8> {
    let mut buf = vec![0; 8192];
    let mut writer = Writer::new(&mut buf);
    write(&mut writer).unwrap();
    writer.written().to_vec()
}

/// One of each message that a client sends.
fn client_messages<'a>(
    texts: &'a [Vec<u8>; 2],
    input: &'a [u8],
    number: u32,
    connection_type: ConnectionType,
) -> Vec<ClientMessage<'a>> {
    let [first, second] = texts;
    vec![
        ClientMessage::Quit { message: first },
        ClientMessage::UserInformation {
            name: first,
            emulator: second,
            connection_type,
        },
        ClientMessage::ClientAck,
        ClientMessage::Chat { text: first },
        ClientMessage::GameChat { text: first },
        ClientMessage::KeepAlive,
        ClientMessage::CreateGame { rom: first },
        ClientMessage::QuitGame,
        ClientMessage::JoinGame {
            game: GameId(number),
        },
        ClientMessage::GameKick {
            user: UserId(number as u16),
        },
        ClientMessage::StartGame,
        ClientMessage::GameData { input },
        ClientMessage::CachedGameData {
            index: number as u8,
        },
        ClientMessage::PlayerDrop,
        ClientMessage::AllReady,
    ]
}

/// One of each message that a server sends without a list.
fn server_messages<'a>(
    texts: &'a [Vec<u8>; 3],
    input: &'a [u8],
    number: u32,
    connection_type: ConnectionType,
) -> Vec<ServerMessage<'a>> {
    let [name, text, emulator] = texts;
    let (id, game) = (UserId(number as u16), GameId(number));
    let (ping, small) = (number.rotate_left(7), number as u8);
    let status = GameStatus::from_byte(small % 3).unwrap();
    vec![
        ServerMessage::Quit {
            name,
            id,
            message: text,
        },
        ServerMessage::UserJoined {
            name,
            id,
            ping,
            connection_type,
        },
        ServerMessage::ServerAck,
        ServerMessage::Chat { name, text },
        ServerMessage::GameChat { name, text },
        ServerMessage::CreateGame {
            owner: name,
            rom: text,
            emulator,
            game,
        },
        ServerMessage::QuitGame { name, id },
        ServerMessage::JoinGame {
            game,
            name,
            ping,
            id,
            connection_type,
        },
        ServerMessage::GameStatus {
            game,
            status,
            players: small,
            capacity: 8,
        },
        ServerMessage::CloseGame { game },
        ServerMessage::StartGame {
            delay: number as u16,
            player: small,
            players: 4,
        },
        ServerMessage::GameData { input },
        ServerMessage::CachedGameData { index: small },
        ServerMessage::PlayerDrop {
            name,
            player: small,
        },
        ServerMessage::AllReady,
        ServerMessage::ConnectionRejected {
            name,
            id,
            reason: text,
        },
        ServerMessage::InformationMessage { source: name, text },
    ]
}

#[test]
fn the_table_has_each_number_once() {
    assert_eq!(Kind::ALL.len(), 0x17);
    for (kind, number) in Kind::ALL.iter().zip(1..) {
        assert_eq!(*kind as u8, number);
        assert_eq!(Kind::from_byte(number), Some(*kind));
    }
    assert_eq!(Kind::from_byte(0), None);
    assert!((0x18..=u8::MAX).all(|number| Kind::from_byte(number).is_none()));
    assert_eq!(Kind::CachedGameData.name(), "CachedGameData");
}

#[test]
fn each_side_decodes_exactly_what_the_table_lets_the_other_send() {
    let body = [0; 64];
    for number in 0..=u8::MAX {
        let kind = Kind::from_byte(number);
        let unknown = ClientMessage::decode(number, &body) == Err(DecodeError::UnknownKind);
        assert_eq!(
            unknown,
            !kind.is_some_and(Kind::sent_by_client),
            "{number:#x}"
        );
        let unknown = ServerMessage::decode(number, &body) == Err(DecodeError::UnknownKind);
        assert_eq!(
            unknown,
            !kind.is_some_and(Kind::sent_by_server),
            "{number:#x}"
        );
    }
}

#[test]
fn bytes_that_name_values() {
    for byte in 0..=u8::MAX {
        let found = ConnectionType::from_byte(byte);
        assert_eq!(
            found.map(|found| found as u8),
            (1..=6).contains(&byte).then_some(byte)
        );
        assert!(found.is_none_or(|found| found.frames() == usize::from(byte)));
        let low = (byte <= 2).then_some(byte);
        assert_eq!(UserStatus::from_byte(byte).map(|status| status as u8), low);
        assert_eq!(GameStatus::from_byte(byte).map(|status| status as u8), low);
    }
    assert_eq!(ConnectionType::Lan.name(), "LAN");
}

#[test]
fn fields_that_only_a_server_fills_in_are_skipped() {
    let cases: [(u8, &[u8], ClientMessage<'_>); 7] = [
        (
            0x01,
            b"nue\0\x01\x00bye\0",
            ClientMessage::Quit { message: b"bye" },
        ),
        (0x07, b"nue\0hi\0", ClientMessage::Chat { text: b"hi" }),
        (
            0x0A,
            b"nue\0rom\0emu\0\x01\0\0\0",
            ClientMessage::CreateGame { rom: b"rom" },
        ),
        (
            0x0C,
            b"nue\0\x07\0\0\0nue\0",
            ClientMessage::JoinGame { game: GameId(7) },
        ),
        (
            0x0F,
            b"nue\0\xFE\xFF",
            ClientMessage::GameKick {
                user: UserId(65534),
            },
        ),
        (
            0x12,
            b"nue\0\x01\0\x55",
            ClientMessage::GameData { input: &[0x55] },
        ),
        (
            0x13,
            b"nue\0\xFF",
            ClientMessage::CachedGameData { index: 255 },
        ),
    ];
    for (kind, body, message) in cases {
        assert_eq!(ClientMessage::decode(kind, body), Ok(message));
        let longer = [body, b"left over"].concat();
        assert_eq!(ClientMessage::decode(kind, &longer), Ok(message));
    }
}

#[test]
fn bodies_that_end_early_are_understood_where_nothing_is_missed() {
    let quit = Ok(ClientMessage::Quit { message: b"" });
    for body in [
        b"".as_slice(),
        b"\0",
        b"\0\xFF",
        b"\0\xFF\xFF",
        b"\0\xFF\xFFcut",
    ] {
        assert_eq!(ClientMessage::decode(0x01, body), quit);
    }
    for (kind, message) in [
        (0x09, ClientMessage::KeepAlive),
        (0x0B, ClientMessage::QuitGame),
        (0x11, ClientMessage::StartGame),
        (0x15, ClientMessage::AllReady),
    ] {
        assert_eq!(ClientMessage::decode(kind, b""), Ok(message));
        assert_eq!(ClientMessage::decode(kind, b"\x0C"), Ok(message));
    }
    for (kind, message) in [
        (0x06, ClientMessage::ClientAck),
        (0x14, ClientMessage::PlayerDrop),
    ] {
        assert_eq!(
            ClientMessage::decode(kind, b""),
            Err(DecodeError::Truncated)
        );
        assert_eq!(ClientMessage::decode(kind, b"\x07"), Ok(message));
    }
    let join = ClientMessage::decode(0x0C, b"\0\x07\0\0\0");
    assert_eq!(join, Ok(ClientMessage::JoinGame { game: GameId(7) }));
    assert_eq!(
        ClientMessage::decode(0x0C, b"\0\x07\0\0"),
        Err(DecodeError::Truncated)
    );
    assert_eq!(
        ServerMessage::decode(0x15, b""),
        Ok(ServerMessage::AllReady)
    );
}

#[test]
fn a_login_with_an_unknown_connection_type_is_ignored() {
    for byte in [0, 7, 9, 255] {
        let body = [b"nue\0emu\0".as_slice(), &[byte]].concat();
        assert_eq!(
            ClientMessage::decode(0x03, &body),
            Err(DecodeError::BadValue)
        );
    }
    assert_eq!(
        ClientMessage::decode(0x03, b"nue\0emu\0"),
        Err(DecodeError::Truncated)
    );
    assert_eq!(
        ClientMessage::decode(0x03, b"nue"),
        Err(DecodeError::Truncated)
    );
}

#[test]
fn input_is_neither_empty_nor_cut_nor_too_long() {
    let body = |count: u16, present: usize| {
        [&[0], count.to_le_bytes().as_slice(), &vec![7; present]].concat()
    };
    let client = |count, present| {
        ClientMessage::decode(0x12, &body(count, present)).map(|message| message.kind())
    };
    assert_eq!(client(0, 0), Err(DecodeError::BadValue));
    assert_eq!(client(0, 5), Err(DecodeError::BadValue));
    assert_eq!(client(3, 2), Err(DecodeError::Truncated));
    assert_eq!(client(2048, 2048), Ok(Kind::GameData));
    assert_eq!(client(2049, 2049), Err(DecodeError::BadValue));

    let server = |count, present| {
        ServerMessage::decode(0x12, &body(count, present)).map(|message| message.kind())
    };
    assert_eq!(server(0, 5), Err(DecodeError::BadValue));
    assert_eq!(server(3, 2), Err(DecodeError::Truncated));
    assert_eq!(server(16384, 16384), Ok(Kind::GameData));
}

#[test]
fn a_list_is_refused_as_a_whole() {
    let user = b"nue\0\x64\0\0\0\x01\x0D\0\x01";
    let status = |users: u8, games: u8, entries: &[u8]| {
        let body = [&[0, users, 0, 0, 0, games, 0, 0, 0], entries].concat();
        ServerMessage::decode(0x04, &body).map(|message| message.users().count())
    };
    assert_eq!(status(1, 0, user), Ok(1));
    assert_eq!(
        status(1, 0, &[user.as_slice(), b"left over"].concat()),
        Ok(1)
    );
    assert_eq!(status(2, 0, user), Err(DecodeError::Truncated));
    assert_eq!(status(255, 255, user), Err(DecodeError::Truncated));
    assert_eq!(status(1, 1, user), Err(DecodeError::Truncated));
    assert_eq!(
        status(1, 0, b"nue\0\x64\0\0\0\x01\x0D\0\x07"),
        Err(DecodeError::BadValue)
    );
    let many = [&[0], [0xFF; 4].as_slice(), b"nue\0\x64\0\0\0\x0D\0\x01"].concat();
    assert_eq!(
        ServerMessage::decode(0x0D, &many),
        Err(DecodeError::Truncated)
    );
}

#[test]
fn a_list_that_nobody_checked_ends_where_it_breaks() {
    let entries = b"nue\0\x64\0\0\0\x01\x0D\0\x01???";
    let status = ServerMessage::ServerStatus {
        users: 9,
        games: 9,
        entries,
    };
    assert_eq!(status.users().count(), 1);
    assert_eq!(status.games().count(), 0);
    assert_eq!(status.players().count(), 0);
    let information = ServerMessage::PlayerInformation {
        players: u32::MAX,
        entries: b"",
    };
    assert_eq!(information.players().count(), 0);
}

#[test]
fn a_message_that_does_not_fit_writes_nothing() {
    let texts = [b"nue".to_vec(), b"My ROM".to_vec(), b"My Emulator".to_vec()];
    for message in server_messages(&texts, b"input", 0x0102_0304, ConnectionType::Bad) {
        let whole = encode(|writer| message.encode(writer));
        for size in 0..whole.len() {
            let mut buf = vec![0; size];
            let mut writer = Writer::new(&mut buf);
            assert_eq!(
                message.encode(&mut writer),
                Err(Full),
                "{message:?} in {size}"
            );
            assert!(writer.is_empty());
        }
    }
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    vec(1..=u8::MAX, 0..40)
}

fn connection_type() -> impl Strategy<Value = ConnectionType> {
    (1..=6_u8).prop_map(|byte| ConnectionType::from_byte(byte).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_client_message_survives_the_wire(
        texts in [text(), text()],
        input in vec(any::<u8>(), 1..=MAX_INPUT),
        number: u32,
        connection_type in connection_type(),
    ) {
        let messages = client_messages(&texts, &input, number, connection_type);
        let kinds: Vec<Kind> = messages.iter().map(ClientMessage::kind).collect();
        let all = Kind::ALL.iter().copied().filter(|kind| kind.sent_by_client());
        let all: Vec<Kind> = all.collect();
        prop_assert_eq!(kinds, all);
        for message in messages {
            let encoded = encode(|writer| message.encode(writer));
            prop_assert_eq!(ClientMessage::decode(encoded[0], &encoded[1..]), Ok(message));
        }
    }

    #[test]
    fn every_server_message_survives_the_wire(
        texts in [text(), text(), text()],
        input in vec(any::<u8>(), 1..4096),
        number: u32,
        connection_type in connection_type(),
    ) {
        let messages = server_messages(&texts, &input, number, connection_type);
        let kinds: Vec<Kind> = messages.iter().map(ServerMessage::kind).collect();
        let all: Vec<Kind> = Kind::ALL
            .iter()
            .copied()
            .filter(|kind| kind.sent_by_server())
            .filter(|kind| !matches!(kind, Kind::ServerStatus | Kind::PlayerInformation))
            .collect();
        prop_assert_eq!(kinds, all);
        for message in messages {
            let encoded = encode(|writer| message.encode(writer));
            prop_assert_eq!(ServerMessage::decode(encoded[0], &encoded[1..]), Ok(message));
        }
    }

    #[test]
    fn every_list_survives_the_wire(
        users in vec((text(), any::<(u32, u8, u16)>(), connection_type()), 0..12),
        games in vec(([text(), text(), text(), text()], any::<(u32, u8)>()), 0..12),
    ) {
        let players: Vec<_> = users
            .iter()
            .map(|(name, (ping, _, id), connection_type)| PlayerEntry {
                name,
                ping: *ping,
                id: UserId(*id),
                connection_type: *connection_type,
            })
            .collect();
        let users: Vec<_> = users
            .iter()
            .map(|(name, (ping, status, id), connection_type)| UserEntry {
                name,
                ping: *ping,
                status: *status,
                id: UserId(*id),
                connection_type: *connection_type,
            })
            .collect();
        let games: Vec<_> = games
            .iter()
            .map(|([rom, emulator, owner, seats], (game, status))| GameEntry {
                rom,
                game: GameId(*game),
                emulator,
                owner,
                seats,
                status: *status,
            })
            .collect();

        let entries = encode(|writer| {
            users.iter().try_for_each(|user| user.encode(writer))?;
            games.iter().try_for_each(|game| game.encode(writer))
        });
        let status = ServerMessage::ServerStatus {
            users: users.len() as u32,
            games: games.len() as u32,
            entries: &entries,
        };
        let encoded = encode(|writer| status.encode(writer));
        let decoded = ServerMessage::decode(encoded[0], &encoded[1..]);
        prop_assert_eq!(decoded, Ok(status));
        prop_assert_eq!(status.users().collect::<Vec<_>>(), users);
        prop_assert_eq!(status.games().collect::<Vec<_>>(), games);

        let entries = encode(|writer| players.iter().try_for_each(|player| player.encode(writer)));
        let information =
            ServerMessage::PlayerInformation { players: players.len() as u32, entries: &entries };
        let encoded = encode(|writer| information.encode(writer));
        let decoded = ServerMessage::decode(encoded[0], &encoded[1..]);
        prop_assert_eq!(decoded, Ok(information));
        prop_assert_eq!(information.players().collect::<Vec<_>>(), players);
    }
}
