//! Random requests; what each client concludes from its messages is what the lobby holds.

use super::*;
use crate::{
    buffer::Reader,
    kaillera::message::GameStatus,
    lobby::{WatchEnd, sync::Desync},
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const USERS: u32 = 6;

/// What a client shows, from its messages alone.
#[derive(Debug, Default)]
struct Client {
    id: Option<u16>,
    users: BTreeSet<u16>,
    rooms: BTreeMap<u32, (u8, u8, u8)>,
    room: Option<u32>,
    members: BTreeSet<u16>,
    /// The own number in the game that runs.
    number: Option<u8>,
}

impl Client {
    fn see(&mut self, message: &ServerMessage<'_>) {
        use ServerMessage as M;
        match *message {
            M::ServerStatus {
                users,
                games,
                entries,
            } => self.read_lists(users, games, entries),
            M::UserJoined { id, .. } => {
                self.id.get_or_insert(id.0);
                assert!(self.users.insert(id.0));
            }
            M::Quit { id, .. } => assert!(self.users.remove(&id.0)),
            M::CreateGame { game, .. } => {
                assert!(self.rooms.insert(game.0, (0, 0, 0)).is_none());
            }
            M::GameStatus {
                game,
                status,
                players,
                capacity,
            } => {
                let room = self.rooms.get_mut(&game.0).expect("a known room");
                *room = (status as u8, players, capacity);
            }
            M::CloseGame { game } => {
                assert!(self.rooms.remove(&game.0).is_some());
                if self.room == Some(game.0) {
                    self.room = None;
                    self.members.clear();
                    self.number = None;
                }
            }
            M::PlayerInformation { players, entries } => self.read_members(players, entries),
            M::JoinGame { game, id, .. } => {
                if Some(id.0) == self.id {
                    self.room = Some(game.0);
                }
                assert_eq!(self.room, Some(game.0));
                assert!(self.members.insert(id.0));
            }
            M::QuitGame { id, .. } if Some(id.0) == self.id => {
                self.room = None;
                self.members.clear();
                self.number = None;
            }
            M::QuitGame { id, .. } => assert!(self.members.remove(&id.0)),
            M::StartGame {
                player, players, ..
            } => {
                assert!((1..=players + 1).contains(&player));
                assert_eq!(self.number.replace(player), None);
            }
            M::AllReady => assert!(self.number.is_some()),
            M::PlayerDrop { player, .. } => {
                assert!(self.room.is_some());
                self.number.take_if(|number| *number == player);
            }
            M::InformationMessage { text, .. } => {
                assert!(text.len() <= 200 && (text[0] != b':' || text.starts_with(b":ALIVE")));
            }
            _ => {}
        }
    }

    fn read_lists(&mut self, users: u32, games: u32, entries: &[u8]) {
        assert!(self.id.is_none());
        let mut reader = Reader::new(entries);
        for _ in 0..users {
            reader.nul_terminated().unwrap();
            reader.bytes(5).unwrap();
            self.users.insert(reader.u16_le().unwrap());
            reader.u8().unwrap();
        }
        for _ in 0..games {
            reader.nul_terminated().unwrap();
            let game = reader.u32_le().unwrap();
            reader.nul_terminated().unwrap();
            reader.nul_terminated().unwrap();
            let seats = String::from_utf8(reader.nul_terminated().unwrap().to_vec()).unwrap();
            let (players, capacity) = seats.split_once('/').unwrap();
            let counts = (players.parse().unwrap(), capacity.parse().unwrap());
            self.rooms
                .insert(game, (reader.u8().unwrap(), counts.0, counts.1));
        }
        assert!(reader.is_empty());
    }

    fn read_members(&mut self, players: u32, entries: &[u8]) {
        assert!(self.room.is_none() && self.members.is_empty());
        let mut reader = Reader::new(entries);
        for _ in 0..players {
            reader.nul_terminated().unwrap();
            reader.u32_le().unwrap();
            self.members.insert(reader.u16_le().unwrap());
            reader.u8().unwrap();
        }
        assert!(reader.is_empty());
    }
}

/// A running game, from the calls of the sink alone.
#[derive(Debug)]
struct Run {
    plays: bool,
    active: BTreeSet<usize>,
}

#[derive(Default)]
struct Clients {
    live: BTreeMap<UserKey, Client>,
    runs: BTreeMap<GameKey, Run>,
    watching: BTreeMap<UserKey, (GameKey, Watcher)>,
    /// Watchers that wait for an answer.
    asked: Vec<UserKey>,
    /// Some miss what happens in the lobby while they play, so their views are not followed.
    are_spared: bool,
}

impl Sink for Clients {
    fn notice(&mut self, to: &[UserKey], message: &ServerMessage<'_>) {
        assert_eq!(to.iter().collect::<BTreeSet<_>>().len(), to.len());
        for key in to {
            let client = self.live.get_mut(key).expect("a live client");
            if !self.are_spared {
                client.see(message);
            }
        }
    }

    fn begin(&mut self, game: GameKey, start: &Start<'_>) {
        let active = (0..start.players.len()).collect();
        let run = Run {
            plays: false,
            active,
        };
        assert!(self.runs.insert(game, run).is_none());
    }

    fn play(&mut self, _: Time, game: GameKey) {
        let run = self.runs.get_mut(&game).expect("a game that has begun");
        assert!(!run.plays && !run.active.is_empty());
        run.plays = true;
    }

    fn remove(&mut self, _: Time, game: GameKey, player: usize) {
        let run = self.runs.get_mut(&game).expect("a game that has begun");
        assert!(run.active.remove(&player));
    }

    fn end(&mut self, game: GameKey) {
        assert!(self.runs.remove(&game).is_some());
        self.watching.retain(|_, (other, _)| *other != game);
    }

    fn lag(&mut self, game: GameKey, _: LagOrder) {
        assert!(self.runs.contains_key(&game));
    }

    fn watch(&mut self, game: GameKey, watcher: Watcher) {
        assert!(self.runs.contains_key(&game));
        let watching = self.watching.values();
        assert!(
            watching
                .clone()
                .all(|it| (it.0, it.1.index) != (game, watcher.index))
        );
        let before = self.watching.insert(watcher.user, (game, watcher));
        assert!(before.is_none());
        self.asked.push(watcher.user);
    }

    fn unwatch(&mut self, game: GameKey, user: UserKey, index: u8) {
        let before = self.watching.remove(&user).expect("a watcher");
        assert_eq!((before.0, before.1.index), (game, index));
    }

    fn reseat(&mut self, game: GameKey, user: UserKey, player: usize) {
        let run = self.runs.get_mut(&game).expect("a game that has begun");
        assert!(run.active.insert(player));
        self.watching.remove(&user);
    }

    fn close(&mut self, user: UserKey, _: Close) {
        assert!(self.live.remove(&user).is_some());
    }
}

impl Clients {
    fn agree_with(&self, lobby: &Lobby) {
        let ids: BTreeSet<u16> = lobby.users.iter().map(|user| user.id.0).collect();
        let rooms: BTreeMap<u32, (u8, u8, u8)> = lobby
            .games
            .iter()
            .map(|game| {
                let status = game.phase.status() as u8;
                (game.id.0, (status, game.player_count(), game.capacity))
            })
            .collect();
        assert_eq!(self.live.len(), lobby.users());
        for user in lobby.users.iter() {
            let client = &self.live[&user.key];
            assert_eq!(client.id, Some(user.id.0));
            assert_eq!(client.users, ids);
            assert_eq!(client.rooms, rooms);
            let game = user.room.and_then(|key| lobby.games.get(key));
            assert_eq!(client.room, game.map(|game| game.id.0));
            let members = game.iter().flat_map(|game| &game.members);
            let members: BTreeSet<u16> = members
                .map(|member| lobby.users.get(member.user).unwrap().id.0)
                .collect();
            assert_eq!(client.members, members);
        }
        for game in lobby.games.iter() {
            let run = self.runs.get(&game.key);
            let active: Option<BTreeSet<usize>> = (game.phase.status() != GameStatus::Waiting)
                .then(|| game.seats().map(|(_, seat)| seat.index()).collect());
            assert_eq!(run.map(|run| &run.active), active.as_ref());
            let plays = game.phase.status() == GameStatus::Playing;
            assert_eq!(run.is_some_and(|run| run.plays), plays);
        }
        assert!(self.runs.keys().all(|key| lobby.games.get(*key).is_some()));
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// Without a name it is the seat's own.
    Login {
        seat: u32,
        name: Vec<u8>,
    },
    Depart(u32, u8),
    Send(u32, Request),
    Wait(u64),
    Fault {
        room: u32,
        player: usize,
        cause: u8,
    },
    CloseAll,
}

#[derive(Clone, Debug)]
enum Request {
    Quit,
    Chat(Vec<u8>),
    GameChat(Vec<u8>),
    Create(Vec<u8>),
    QuitGame,
    /// The room at this place of the list; the last place is none.
    Join(usize),
    /// The user at this place of the list, likewise.
    Kick(usize),
    Start,
    Drop,
    Ready,
}

fn line(commands: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => proptest::sample::select(commands).prop_map(|line| line.as_bytes().to_vec()),
        1 => proptest::collection::vec(1..=255_u8, 0..400),
    ]
}

fn request(quiet: bool) -> impl Strategy<Value = Request> {
    let lobby = line(&[
        "hi",
        "/watch 1",
        "/watch 2",
        "/help",
        "/me :x",
        "/alivecheck",
        "/myip",
        "",
        "/",
    ]);
    let room = line(match quiet {
        true => &["/p2pon", "/p2poff", "/start", "/setemu any"],
        false => &[
            "hi",
            "/maxusers 3",
            "/maxusers 8",
            "/samedelay true",
            "/num",
            "/start",
            "/help",
            "/watch",
            "/unwatch",
            "/swap 21",
            "/startn 2",
            "/lagstat",
            "/delay 4",
        ],
    });
    prop_oneof![
        1 => Just(Request::Quit),
        4 => lobby.prop_map(Request::Chat),
        6 => room.prop_map(Request::GameChat),
        6 => prop_oneof![
            3 => Just(b"Game".to_vec()),
            1 => proptest::collection::vec(1..=255_u8, 0..200),
        ].prop_map(Request::Create),
        3 => Just(Request::QuitGame),
        20 => (0..3_usize).prop_map(Request::Join),
        2 => (0..=USERS as usize).prop_map(Request::Kick),
        14 => Just(Request::Start),
        6 => Just(Request::Drop),
        24 => Just(Request::Ready),
    ]
}

fn step(quiet: bool) -> impl Strategy<Value = Step> {
    let name = prop_oneof![
        12 => Just(Vec::new()),
        1 => "[a-f]".prop_map(String::into_bytes),
        1 => proptest::collection::vec(1..=255_u8, 0..33),
    ];
    prop_oneof![
        20 => (0..USERS, name).prop_map(|(seat, name)| Step::Login { seat, name }),
        1 => (0..USERS, 0..4_u8).prop_map(|(seat, why)| Step::Depart(seat, why)),
        90 => (0..USERS, request(quiet)).prop_map(|(seat, request)| Step::Send(seat, request)),
        8 => (0..3000_u64).prop_map(Step::Wait),
        1 => Just(Step::Wait(130_000)),
        2 => (0..3_u32, 0..4_usize, 0..3_u8)
            .prop_map(|(room, player, cause)| Step::Fault { room, player, cause }),
        1 => prop_oneof![9 => Just(Step::Wait(3000)), 1 => Just(Step::CloseAll)],
    ]
}

/// A lobby and its clients.
struct Story {
    lobby: Lobby,
    clients: Clients,
    now: Time,
    generations: [u32; USERS as usize],
}

impl Story {
    /// The games' actors let everybody watch, but every third.
    fn answer_watchers(&mut self) {
        for user in std::mem::take(&mut self.clients.asked) {
            let Some((game, watcher)) = self.clients.watching.get(&user).copied() else {
                continue;
            };
            let (index, sink) = (watcher.index, &mut self.clients);
            if user.seat % 3 == 2 {
                let end = WatchEnd::Refused;
                self.lobby.watch_ended(game, user, index, end, sink);
            } else {
                self.lobby.watch_answered(game, user, index, sink);
            }
        }
    }

    fn new(rules: Rules) -> Self {
        Self {
            lobby: Lobby::new(rules),
            clients: Clients::default(),
            now: Time::from_millis(1),
            generations: [0; USERS as usize],
        }
    }

    fn key(&self, seat: u32) -> UserKey {
        let generation = self.generations[seat as usize];
        UserKey { seat, generation }
    }

    fn take(&mut self, step: Step) {
        let Self { now, .. } = *self;
        match step {
            Step::Login { seat, name } => {
                let key = self.key(seat);
                if self.lobby.users.get(key).is_some() {
                    return;
                }
                self.clients.live.insert(key, Client::default());
                let own_name = [b'a' + seat as u8];
                let login = Login {
                    name: if name.is_empty() { &own_name } else { &name },
                    emulator: b"EMU",
                    connection_type: ConnectionType::Lan,
                    ping: Duration::from_millis(u64::from(seat) * 20),
                    address: address(1),
                };
                self.lobby.login(now, key, login, &mut self.clients);
            }
            Step::Depart(seat, why) => {
                let why = match why {
                    0 => Departure::ConnectionLost,
                    1 => Departure::Idle,
                    2 => Departure::Reconnected,
                    _ => Departure::Failed,
                };
                let key = self.key(seat);
                self.lobby.depart(now, key, why, &mut self.clients);
                if why == Departure::Reconnected {
                    self.clients.live.remove(&key);
                    self.generations[seat as usize] += 1;
                }
            }
            Step::Send(seat, request) => {
                let room = |place| self.lobby.games.iter().nth(place).map(|game| game.id);
                let user = |place| self.lobby.users.iter().nth(place).map(|user| user.id);
                let message = match &request {
                    Request::Quit => ClientMessage::Quit { message: b"bye" },
                    Request::Chat(text) => ClientMessage::Chat { text },
                    Request::GameChat(text) => ClientMessage::GameChat { text },
                    Request::Create(rom) => ClientMessage::CreateGame { rom },
                    Request::QuitGame => ClientMessage::QuitGame,
                    Request::Join(place) => {
                        let game = room(*place).unwrap_or(GameId(999));
                        ClientMessage::JoinGame { game }
                    }
                    Request::Kick(place) => {
                        let user = user(*place).unwrap_or(UserId(999));
                        ClientMessage::GameKick { user }
                    }
                    Request::Start => ClientMessage::StartGame,
                    Request::Drop => ClientMessage::PlayerDrop,
                    Request::Ready => ClientMessage::AllReady,
                };
                let key = self.key(seat);
                self.lobby.message(now, key, &message, &mut self.clients);
            }
            Step::Wait(millis) => {
                self.now += Duration::from_millis(millis);
                self.lobby.handle_timeout(self.now, &mut self.clients);
                assert!(self.lobby.poll_timeout().is_none_or(|at| at > self.now));
            }
            Step::Fault {
                room,
                player,
                cause,
            } => {
                let key = GameKey {
                    index: room,
                    generation: 1,
                };
                let sink = &mut self.clients;
                match cause {
                    0 => self
                        .lobby
                        .desynchronised(now, key, player, Desync::Gap, sink),
                    1 => self.lobby.desynchronised(
                        now,
                        key,
                        player,
                        Desync::Stall(Duration::from_secs(12)),
                        sink,
                    ),
                    _ => self.lobby.bad_cache_index(now, key, player, sink),
                }
            }
            Step::CloseAll => self.lobby.close_all(now, &mut self.clients),
        }
        self.lobby.check_invariants();
        self.answer_watchers();
        self.lobby.check_invariants();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn clients_agree_with_the_lobby(steps in proptest::collection::vec(step(false), 1..400)) {
        let mut story = Story::new(Rules { chat_flood: Duration::ZERO, ..Rules::default() });
        for step in steps {
            story.take(step);
            story.clients.agree_with(&story.lobby);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn quiet_games_keep_the_tables_whole(steps in proptest::collection::vec(step(true), 1..400)) {
        let mut story = Story::new(Rules { create_game_flood: Duration::ZERO,
            quiet_games_above: 3, ..Rules::default() });
        story.clients.are_spared = true;
        for step in steps {
            story.take(step);
        }
    }
}
