//! What is sent fits into clients' buffers, and nothing grows (kaillera-server.md 15, 16.3).

use super::*;
use crate::access::AccessLevel;
use proptest::prelude::*;

/// Bytes of a field without its final zero that every client takes.
const USER_NAME: usize = 31;
const GAME_NAME: usize = 127;
const WORDS: usize = 127;
const LINE: usize = 255;

fn check(message: &ServerMessage<'_>) {
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
            fits(text, LINE);
        }
        // A user's own line has the length that the rules allow.
        ServerMessage::GameChat { name, text } if name == b"Server" || name == b"Error" => {
            fits(text, LINE);
        }
        _ => {}
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
    let tail = prop::collection::vec(any::<u8>(), 0..300);
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

fn run(lobby: &mut Lobby, now: &mut Time, seat: u32, step: &Step) {
    let user = UserKey {
        seat,
        generation: 1,
    };
    let mut sink = OnNotice(check);
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
        steps in prop::collection::vec((0..5_u32, step()), 1..120),
    ) {
        let mut lobby = Lobby::new(Rules { chat_flood: Duration::ZERO, ..Rules::default() });
        let mut now = Time::from_millis(1);
        for seat in 0..3 {
            let first = Step::Login(vec![b'a' + seat as u8; 40], b"EMU".to_vec(), 1);
            let named = Step::Login(vec![b'a' + seat as u8; 30], b"EMU".to_vec(), 1 + seat as u8);
            run(&mut lobby, &mut now, seat, &first);
            run(&mut lobby, &mut now, seat, &named);
        }
        for (seat, step) in &steps {
            run(&mut lobby, &mut now, *seat, step);
            lobby.check_invariants();
        }
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
