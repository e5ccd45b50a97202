use super::*;
use crate::lobby::{Posts, RoomEvent, RoomEventKind};

/// Hears what the world outside hears.
#[derive(Default)]
struct Outside {
    events: Vec<String>,
    lines: Vec<String>,
}

impl Sink for Outside {
    fn notice(&mut self, _: &[UserKey], message: &ServerMessage<'_>) {
        if let ServerMessage::InformationMessage { text: line, .. }
        | ServerMessage::GameChat { text: line, .. } = message
        {
            self.lines.push(text(line).into_owned());
        }
    }

    fn begin(&mut self, _: GameKey, _: &Start<'_>) {}
    fn lag(&mut self, _: GameKey, _: LagOrder) {}
    fn watch(&mut self, _: GameKey, _: Watcher) {}
    fn unwatch(&mut self, _: GameKey, _: UserKey, _: u8) {}
    fn reseat(&mut self, _: GameKey, _: UserKey, _: usize) {}
    fn play(&mut self, _: Time, _: GameKey) {}
    fn remove(&mut self, _: Time, _: GameKey, _: usize) {}
    fn end(&mut self, _: GameKey) {}
    fn close(&mut self, _: UserKey, _: Close) {}

    fn room(&mut self, event: &RoomEvent<'_>) {
        let kind = match event.kind {
            RoomEventKind::Opened => "opened",
            RoomEventKind::Started => "started",
            RoomEventKind::Closed => "closed",
        };
        let posted = if event.posted { "" } else { ", not posted" };
        let (game, owner) = (text(event.game), text(event.owner));
        self.events
            .push(format!("{} {game} of {owner} {kind}{posted}", event.id.0));
    }
}

struct Town {
    lobby: Lobby,
    outside: Outside,
    now: Time,
}

impl Town {
    fn new(names: &[&str]) -> Self {
        let posts = Posts {
            delay: Duration::from_secs(15),
            suppress: vec!["waiting".to_owned()],
        };
        let rules = Rules {
            posts: Some(posts),
            ..Rules::default()
        };
        let mut town = Self {
            lobby: Lobby::new(rules),
            outside: Outside::default(),
            now: Time::from_millis(1),
        };
        for (seat, name) in ('a'..).zip(names) {
            let login = login(name.as_bytes());
            town.lobby
                .login(town.now, key(seat), login, &mut town.outside);
        }
        town.outside.lines.clear();
        town
    }

    fn send(&mut self, seat: char, message: ClientMessage<'_>) {
        let outside = &mut self.outside;
        self.lobby.message(self.now, key(seat), &message, outside);
        self.lobby.check_invariants();
    }

    fn create(&mut self, seat: char, rom: &[u8]) {
        self.send(seat, ClientMessage::CreateGame { rom });
    }

    fn wait(&mut self, seconds: u64) {
        self.now += Duration::from_secs(seconds);
        if self.lobby.poll_timeout().is_some_and(|at| at <= self.now) {
            self.lobby.handle_timeout(self.now, &mut self.outside);
        }
    }

    #[track_caller]
    fn expect<const N: usize>(&mut self, expected: [&str; N]) {
        assert_eq!(std::mem::take(&mut self.outside.events), expected);
    }
}

#[test]
fn a_room_is_posted_when_it_has_waited() {
    let mut town = Town::new(&["Ann"]);
    town.create('a', b"Game");
    let line = "This room will be posted in 15 s; type /stop to prevent it.";
    assert_eq!(town.outside.lines.last().unwrap(), line);
    town.wait(14);
    town.expect([]);
    town.wait(1);
    town.expect(["1 Game of Ann opened"]);
    town.wait(60);
    town.send('a', ClientMessage::StartGame);
    town.expect(["1 Game of Ann started"]);
    town.send('a', ClientMessage::QuitGame);
    town.expect(["1 Game of Ann closed"]);
    assert_eq!(town.lobby.poll_timeout(), None);
}

#[test]
fn what_starts_or_closes_before_that_is_not_posted() {
    let mut town = Town::new(&["Ann", "Bob", "Cid"]);
    for seat in ['a', 'b', 'c'] {
        town.create(seat, b"Game");
    }
    town.send('a', ClientMessage::StartGame);
    town.expect(["1 Game of Ann started, not posted"]);
    town.send('b', ClientMessage::QuitGame);
    town.expect(["2 Game of Bob closed, not posted"]);
    town.send('c', ClientMessage::Quit { message: b"" });
    town.expect(["3 Game of Cid closed, not posted"]);
    town.wait(60);
    town.expect([]);
}

#[test]
fn its_owner_can_stop_a_post() {
    let mut town = Town::new(&["Ann", "Bob"]);
    town.create('a', b"Game");
    town.send('b', ClientMessage::JoinGame { game: GameId(1) });
    let stop = ClientMessage::GameChat { text: b"/stop" };
    let says = |town: &mut Town, seat| {
        town.send(seat, stop);
        town.outside.lines.last().unwrap().clone()
    };
    assert_eq!(says(&mut town, 'b'), "There is no post to cancel.");
    assert_eq!(says(&mut town, 'a'), "The post was cancelled.");
    assert_eq!(says(&mut town, 'a'), "There is no post to cancel.");
    town.wait(60);
    town.send('a', ClientMessage::QuitGame);
    town.expect(["1 Game of Ann closed, not posted"]);
}

#[test]
fn chat_rooms_and_those_who_wait_for_somebody_are_not_posted() {
    let mut town = Town::new(&["Ann", "Bob@waiting"]);
    town.create('a', b"*Chat (not game)");
    town.create('b', b"Game");
    assert!(!town.outside.lines.iter().any(|it| it.contains("posted")));
    town.wait(60);
    town.expect([]);
}

#[test]
fn without_hooks_only_starts_and_ends_are_counted() {
    let mut town = Town::new(&["Ann"]);
    town.lobby.rules.posts = None;
    town.create('a', b"Game");
    assert_eq!(town.lobby.poll_timeout(), None);
    town.send('a', ClientMessage::StartGame);
    town.send('a', ClientMessage::QuitGame);
    town.expect([
        "1 Game of Ann started, not posted",
        "1 Game of Ann closed, not posted",
    ]);
}

#[test]
fn outsiders_see_who_is_there_and_no_address() {
    let mut town = Town::new(&["Ann", "Bob", "Cid"]);
    town.create('a', b"Game");
    town.send('b', ClientMessage::JoinGame { game: GameId(1) });
    assert_eq!(town.lobby.playing(), (0, 0));
    town.send('a', ClientMessage::StartGame);
    assert_eq!(town.lobby.playing(), (1, 2));
    let snapshot = town.lobby.snapshot();
    let users: Vec<_> = snapshot
        .users
        .iter()
        .map(|it| (it.id, it.name.as_str(), it.room, format!("{:?}", it.status)))
        .collect();
    let (playing, idle) = (|| "Playing".to_owned(), "Idle".to_owned());
    let expected = [
        (1, "Ann", Some(1), playing()),
        (2, "Bob", Some(1), playing()),
        (3, "Cid", None, idle),
    ];
    assert_eq!(users, expected);
    let room = &snapshot.rooms[0];
    assert_eq!((room.id, room.players, room.capacity), (1, 2, 8));
    assert_eq!(
        (&*room.game, &*room.owner, &*room.emulator),
        ("Game", "Ann", "EMU 1.0")
    );
    let shown = format!("{snapshot:?}");
    assert!(!shown.contains("192.0.2"), "{shown}");
}

#[test]
fn a_lobby_that_drains_lets_games_end_and_nothing_begin() {
    let mut world = World::playing("ab");
    world.enter("cd");
    world.create('c', "Waits");
    world.take();
    world.lobby.drain(world.now, &mut world.sink);
    let words = "The server goes down when the games that run are over.";
    world.expect([
        &*format!("abcd: Info server: {words}"),
        &*format!("ab: GameChat Server: {words}"),
        &*format!("c: GameChat Server: {words}"),
    ]);
    world.login('e', login(b"e"));
    world.expect([
        "e: Rejected server 5 `The server is going down; nobody is let in.`",
        "close e Rejected",
    ]);
    world.create('d', "New");
    world.expect([
        "d: Info server: Room not created: the server is going down",
        "d: QuitGame d 4",
    ]);
    world.start('c');
    world.expect(["c: GameChat Error: The server is going down; no game starts any more."]);
    assert_eq!(world.lobby.playing(), (1, 2));
    world.drop('a');
    world.drop('b');
    assert_eq!(world.lobby.playing(), (0, 0));
}
