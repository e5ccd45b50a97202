//! What is sent fits into clients' buffers, and nothing grows (kaillera-server.md 15, 16.3).

use super::*;
use crate::{access::AccessLevel, lobby::charset::Charset};
use encoding_rs::{EUC_KR, Encoding, GBK, SHIFT_JIS, UTF_8, WINDOWS_1252};
use proptest::prelude::*;

/// Bytes of a field without its final zero that every client takes.
const USER_NAME: usize = 31;
const GAME_NAME: usize = 127;
const WORDS: usize = 127;
const LINE: usize = 255;
/// The same of the lines that one family of clients reads (16.1).
const USERS_LINE: usize = 500;
/// Bytes of the entries in one part of the lists (6.4).
const LISTS: usize = 300;

fn check(charset: Charset, message: &ServerMessage<'_>) {
    let fits = |bytes: &[u8], most: usize| {
        assert!(
            bytes.len() <= most,
            "{} > {most}: {}",
            bytes.len(),
            describe(message)
        );
    };
    match *message {
        ServerMessage::Quit { name, message, .. } => {
            fits(name, USER_NAME);
            fits(message, WORDS);
        }
        ServerMessage::UserJoined { name, .. }
        | ServerMessage::QuitGame { name, .. }
        | ServerMessage::JoinGame { name, .. }
        | ServerMessage::PlayerDrop { name, .. } => fits(name, USER_NAME),
        ServerMessage::CreateGame {
            owner,
            rom,
            emulator,
            ..
        } => {
            fits(owner, USER_NAME);
            fits(rom, GAME_NAME);
            fits(emulator, GAME_NAME);
        }
        ServerMessage::ConnectionRejected { name, reason, .. } => {
            fits(name, USER_NAME);
            fits(reason, WORDS);
        }
        ServerMessage::InformationMessage { source, text } => {
            fits(source, USER_NAME);
            let is_for_admins = text.starts_with(b":USERINFO=");
            fits(text, if is_for_admins { USERS_LINE } else { LINE });
        }
        ServerMessage::Chat { name, text } => {
            fits(name, USER_NAME);
            fits(text, LINE);
        }
        ServerMessage::GameChat { name, text } => {
            fits(name, USER_NAME);
            // Emulators' data is not cut.
            let most = Rules::default().max_game_data_length;
            fits(text, if charset.is_data(text) { most } else { LINE });
        }
        ServerMessage::ServerStatus { entries, .. } => {
            fits(entries, LISTS);
            message.users().for_each(|user| fits(user.name, USER_NAME));
            for game in message.games() {
                fits(game.rom, GAME_NAME);
                fits(game.emulator, GAME_NAME);
                fits(game.owner, USER_NAME);
            }
        }
        ServerMessage::PlayerInformation { .. } => {
            message.players().for_each(|it| fits(it.name, USER_NAME));
        }
        ServerMessage::ServerAck
        | ServerMessage::GameStatus { .. }
        | ServerMessage::CloseGame { .. }
        | ServerMessage::StartGame { .. }
        | ServerMessage::AllReady
        | ServerMessage::GameData { .. }
        | ServerMessage::CachedGameData { .. } => {}
    }
}

fn words() -> impl Strategy<Value = Vec<u8>> {
    let words = [
        "/help",
        "/me",
        "/msg 1",
        "/msg",
        "/ignore 1",
        "/ignoreall",
        "/finduser",
        "/version",
        "/kick 1",
        "/kick 2",
        "/silence 1 5",
        "/ban 2 5",
        "/permaban 2",
        "/permamute 1",
        "/clear 1",
        "/info 1",
        "/closegame 1",
        "/announce",
        "/announceall",
        "/announcegame 1",
        "/stealthon",
        "/stealthoff",
        "/tempadmin 1 5",
        "/findgame *",
        "/shadowsilence 1 5",
        "/maxusers 3",
        "/maxping 100",
        "/setemu",
        "/setconn",
        "/samedelay true",
        "/swap 21",
        "/startn 2",
        "/mute 2",
        "/muteall",
        "/kickall",
        "/password x",
        "/lagstat",
        "/fps 50",
        "/detectautofire 3",
        "/num",
        "/p2pon",
        "/watch 1",
        "/unwatch",
        "/delay 5",
        "/stop",
        "hello",
    ];
    let word = prop::sample::select(words.to_vec());
    let text = prop_oneof![b'a'..=b'z', Just(b' '), 0x81..=0xFE_u8];
    let tail = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        prop::collection::vec(text, 0..1300),
    ];
    (word, any::<bool>(), tail).prop_map(|(word, has_tail, tail)| {
        let mut line = word.as_bytes().to_vec();
        if has_tail {
            line.push(b' ');
            line.extend(tail);
        }
        line
    })
}

#[derive(Clone, Debug)]
enum Step {
    Login(Vec<u8>, Vec<u8>, u8),
    Chat(Vec<u8>),
    GameChat(Vec<u8>),
    Create(Vec<u8>),
    Join(u32),
    Kick(u16),
    Start,
    Ready,
    Drop,
    QuitGame,
    Quit(Vec<u8>),
    Wait(u16),
}

fn step() -> impl Strategy<Value = Step> {
    let bytes = |most| prop::collection::vec(any::<u8>(), 0..most);
    prop_oneof![
        2 => (bytes(60), bytes(200), 1..6_u8).prop_map(|(name, emulator, level)| {
            Step::Login(name, emulator, level)
        }),
        6 => words().prop_map(Step::Chat),
        6 => words().prop_map(Step::GameChat),
        2 => bytes(200).prop_map(Step::Create),
        2 => (1..4_u32).prop_map(Step::Join),
        1 => (1..6_u16).prop_map(Step::Kick),
        1 => Just(Step::Start),
        2 => Just(Step::Ready),
        1 => Just(Step::Drop),
        1 => Just(Step::QuitGame),
        1 => bytes(300).prop_map(Step::Quit),
        2 => any::<u16>().prop_map(Step::Wait),
    ]
}

fn run(charset: Charset, lobby: &mut Lobby, now: &mut Time, seat: u32, step: &Step) {
    let user = UserKey {
        seat,
        generation: 1,
    };
    let mut sink = OnNotice(|message: &ServerMessage<'_>| check(charset, message));
    let message = match step {
        Step::Login(name, emulator, level) => {
            let login = Login {
                name,
                emulator,
                ..login(&[seat as u8 + 1])
            };
            lobby.login(*now, user, login, &mut sink);
            let level = [
                AccessLevel::Normal,
                AccessLevel::Elevated,
                AccessLevel::Moderator,
                AccessLevel::Admin,
                AccessLevel::SuperAdmin,
            ][usize::from(*level) - 1];
            if let Some(user) = lobby.users.get_mut(user) {
                user.level = level;
            }
            return;
        }
        Step::Wait(millis) => {
            *now += Duration::from_millis((*millis).into());
            if lobby.poll_timeout().is_some_and(|at| at <= *now) {
                lobby.handle_timeout(*now, &mut sink);
            }
            return;
        }
        Step::Chat(text) => ClientMessage::Chat { text },
        Step::GameChat(text) => ClientMessage::GameChat { text },
        Step::Create(rom) => ClientMessage::CreateGame { rom },
        Step::Join(game) => ClientMessage::JoinGame {
            game: GameId(*game),
        },
        Step::Kick(id) => ClientMessage::GameKick { user: UserId(*id) },
        Step::Start => ClientMessage::StartGame,
        Step::Ready => ClientMessage::AllReady,
        Step::Drop => ClientMessage::PlayerDrop,
        Step::QuitGame => ClientMessage::QuitGame,
        Step::Quit(message) => ClientMessage::Quit { message },
    };
    lobby.message(*now, user, &message, &mut sink);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn everything_fits_whatever_users_send(
        charset in prop::sample::select(CHARSETS.to_vec()),
        limit in prop::sample::select(vec![0, 150, 1000_usize]),
        steps in prop::collection::vec((0..5_u32, step()), 1..120),
    ) {
        let mut lobby = Lobby::new(Rules {
            charset,
            chat_flood: Duration::ZERO,
            max_chat_length: limit,
            max_game_chat_length: limit,
            ..Rules::default()
        });
        let charset = Charset::new(charset);
        let mut now = Time::from_millis(1);
        for seat in 0..3 {
            let first = Step::Login(vec![b'a' + seat as u8; 40], b"EMU".to_vec(), 1);
            let emulator = [&b"EMU"[..], b"EmulinkerSF Admin Client"][usize::from(seat == 2)];
            let level = [1, 2, 5][seat as usize];
            let named = Step::Login(vec![b'a' + seat as u8; 30], emulator.to_vec(), level);
            run(charset, &mut lobby, &mut now, seat, &first);
            run(charset, &mut lobby, &mut now, seat, &named);
        }
        for (seat, step) in &steps {
            run(charset, &mut lobby, &mut now, *seat, step);
            lobby.check_invariants();
        }
    }
}

const CHARSETS: [&Encoding; 5] = [WINDOWS_1252, SHIFT_JIS, GBK, EUC_KR, UTF_8];

/// Each line a user can write, as long as it can be, comes whole in as many as it takes.
#[test]
fn long_lines_of_users_are_several_lines() {
    let mut world = World::new(Rules {
        charset: SHIFT_JIS,
        chat_flood: Duration::ZERO,
        max_chat_length: 0,
        max_game_chat_length: 0,
        ..Rules::default()
    });
    world.enter("a");
    world.create('a', "Game");
    let long = [0x95, 0x5C].repeat(600);
    for message in [
        ClientMessage::Chat { text: &long },
        ClientMessage::GameChat { text: &long },
    ] {
        let mut lines = Vec::new();
        let mut sink = OnNotice(|message: &ServerMessage<'_>| match *message {
            ServerMessage::Chat { name, text } | ServerMessage::GameChat { name, text } => {
                assert_eq!(name, b"a");
                lines.push(text.to_vec());
            }
            _ => {}
        });
        world
            .lobby
            .message(world.now, key('a'), &message, &mut sink);
        assert!(lines.iter().all(|line| line.len() <= LINE), "{lines:?}");
        assert_eq!(lines.concat(), long);
        assert_eq!(lines.len(), 5, "as few lines as it takes");
    }
}

/// What the server has to say of a user with long names is said in two lines.
#[test]
fn long_lines_of_the_server_are_several_lines() {
    let mut world = World::with("b");
    let name = "a".repeat(30);
    world.login('a', login(name.as_bytes()));
    let game = "g".repeat(126);
    world.create('a', &game);
    world.take();
    world.chat('b', "/finduser a");
    let told = world.take();
    let line = format!("UserID: 2, Nick: <{name}>, Access: Normal, GameID: 1, Game: {game}");
    let text: Vec<&str> = told
        .iter()
        .map(|line| line.strip_prefix("b: Info server: ").unwrap())
        .collect();
    assert_eq!(text.concat(), line);
    assert_eq!(text.len(), line.len().div_ceil(200));
}

/// What emulators tell each other goes through byte for byte, or not at all.
#[test]
fn data_in_a_room_is_whole_or_refused() {
    let mut world = World::gather("ab");
    world.lobby.users.get_mut(key('a')).unwrap().level = AccessLevel::Elevated;
    let most = Rules::default().max_game_data_length;
    let data = |length: usize| [&b"\nDA"[..], &vec![b'x'; length - 3]].concat();
    let whole = data(most);
    let mut sink = OnNotice(|message: &ServerMessage<'_>| match *message {
        ServerMessage::GameChat { name, text } => assert_eq!((name, text), (&b"a"[..], &*whole)),
        _ => unreachable!(),
    });
    let message = ClientMessage::GameChat { text: &whole };
    world
        .lobby
        .message(world.now, key('a'), &message, &mut sink);
    let text = &data(most + 1);
    world.send('a', ClientMessage::GameChat { text });
    world.expect(["a: GameChat Server: Not sent: the text is too long"]);
}

/// Lengths are counted in characters, and in bytes besides: what fits the one may not the other.
#[test]
fn names_have_a_length_in_characters_and_one_in_bytes() {
    let hyou = [0x95, 0x5C];
    let rules = |characters| Rules {
        charset: SHIFT_JIS,
        max_user_name_length: characters,
        max_client_name_length: characters,
        max_game_name_length: characters,
        create_game_flood: Duration::ZERO,
        ..Rules::default()
    };
    // Characters of two bytes each, and the limit in characters.
    for (count, limit, fits) in [(15, 15, true), (15, 14, false), (16, 30, false)] {
        let mut world = World::new(rules(limit));
        let name = hyou.repeat(count);
        world.login('a', login(&name));
        assert_eq!(world.lobby.users(), usize::from(fits), "{count} of {limit}");
    }
    for (count, limit, fits) in [(63, 63, true), (63, 62, false), (64, 126, false)] {
        let mut world = World::new(rules(limit));
        let long = hyou.repeat(count);
        let emulator = &long;
        world.login(
            'a',
            Login {
                emulator,
                ..login(b"a")
            },
        );
        assert_eq!(world.lobby.users(), usize::from(fits), "{count} of {limit}");
        world.login('b', login(b"b"));
        world.send('b', ClientMessage::CreateGame { rom: &long });
        assert_eq!(world.lobby.games(), usize::from(fits), "{count} of {limit}");
    }
    for (count, limit, fits) in [
        (63, 63, true),
        (63, 62, false),
        (64, 0, false),
        (63, 0, true),
    ] {
        let mut world = World::new(Rules {
            charset: SHIFT_JIS,
            max_quit_message_length: limit,
            ..Rules::default()
        });
        world.enter("a");
        let words = hyou.repeat(count);
        world.send('a', ClientMessage::Quit { message: &words });
        let is_standard = world.take()[0] == "a: Quit a 1 `Left the server`";
        assert_eq!(is_standard, !fits, "{count} of {limit}");
    }
}

#[test]
fn ten_thousand_logins_and_logouts_leave_nothing_behind() {
    let mut world = World::with("ab");
    let online = world.lobby.users();
    let size = |world: &World| format!("{:?}", world.lobby).len();
    let mut sizes = Vec::new();
    for round in 0..10_000_u32 {
        world.login('c', login(b"c"));
        world.create('c', "Game");
        world.quit('c', "bye");
        world.take();
        world.wait(2000);
        if round == 100 || round == 9_999 {
            sizes.push(size(&world));
        }
    }
    assert_eq!(world.lobby.users(), online);
    assert_eq!(world.lobby.games(), 0);
    // All that is left of a visit are counters, which have a few digits more by then.
    assert!(sizes[1] <= sizes[0] + 32, "{sizes:?}");
}
