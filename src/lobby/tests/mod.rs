//! A lobby, users with one-letter seats, and a sink that writes down what they see.

mod admin;
mod chat;
mod defects;
mod events;
mod games;
mod lag;
mod leaving;
mod limits;
mod lineup;
mod login;
mod matrix;
mod model;
mod order;
mod posts;
mod rooms;
mod social;
mod texts;
mod trivia;
mod unseen;
mod watch;

use super::{
    Close, Departure, Event, GameKey, LagOrder, Lobby, Login, Sink, Start, UserKey, Watcher,
    rules::Rules,
};
use crate::{
    kaillera::message::{ClientMessage, ConnectionType, GameId, ServerMessage, UserId},
    timer::Time,
};
use std::{borrow::Cow, net::IpAddr, time::Duration};

/// The user on a seat: `'a'` is seat 0.
fn key(seat: char) -> UserKey {
    UserKey {
        seat: u32::from(seat) - u32::from('a'),
        generation: 1,
    }
}

fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

fn address(last: u8) -> IpAddr {
    IpAddr::from([192, 0, 2, last])
}

/// A user by the name of its seat, on a LAN connection of 10 ms, at an address of its own.
fn login<'a>(name: &'a [u8]) -> Login<'a> {
    Login {
        name,
        emulator: b"EMU 1.0",
        connection_type: ConnectionType::Lan,
        ping: Duration::from_millis(10),
        address: address(name[0]),
    }
}

/// Writes down each call as `receivers: what`.
#[derive(Default)]
struct Recorder {
    log: Vec<String>,
    /// Those of the game that began last, in the order of their numbers.
    players: Vec<UserKey>,
    /// The names of what the operator may read.
    events: Vec<String>,
}

impl Sink for Recorder {
    fn notice(&mut self, to: &[UserKey], message: &ServerMessage<'_>) {
        assert!(!to.is_empty());
        let seat = |key: &UserKey| char::from_u32(u32::from('a') + key.seat).unwrap_or('?');
        let to: String = to.iter().map(seat).collect();
        self.log.push(format!("{to}: {}", describe(message)));
    }

    fn begin(&mut self, game: GameKey, start: &Start<'_>) {
        let delays: Vec<u16> = start.players.iter().map(|player| player.delay).collect();
        let index = game.index;
        let connection_type = start.connection_type;
        self.log
            .push(format!("begin {index} {connection_type:?} {delays:?}"));
        self.players = start.players.iter().map(|player| player.user).collect();
    }

    fn play(&mut self, _now: Time, game: GameKey) {
        self.log.push(format!("play {}", game.index));
    }

    fn remove(&mut self, _now: Time, game: GameKey, player: usize) {
        self.log.push(format!("remove {} {player}", game.index));
    }

    fn end(&mut self, game: GameKey) {
        self.log.push(format!("end {}", game.index));
    }

    fn lag(&mut self, game: GameKey, order: LagOrder) {
        self.log.push(format!("lag {} {order:?}", game.index));
    }

    fn watch(&mut self, game: GameKey, watcher: Watcher) {
        let Watcher {
            index,
            delay,
            player,
            ..
        } = watcher;
        self.log
            .push(format!("watch {} #{index} {delay} {player:?}", game.index));
    }

    fn unwatch(&mut self, game: GameKey, _user: UserKey, index: u8) {
        self.log.push(format!("unwatch {} #{index}", game.index));
    }

    fn reseat(&mut self, game: GameKey, _user: UserKey, player: usize) {
        self.log.push(format!("reseat {} {player}", game.index));
    }

    fn close(&mut self, user: UserKey, close: Close) {
        let seat = char::from_u32(u32::from('a') + user.seat).unwrap_or('?');
        self.log.push(format!("close {seat} {close:?}"));
    }

    fn event(&mut self, event: &Event<'_>) {
        let all = format!("{event:?}");
        let end = all.find([' ', '(']).unwrap_or(all.len());
        self.events.push(all[..end].to_owned());
    }
}

/// Hands each message to a closure.
struct OnNotice<F>(F);

impl<F: FnMut(&ServerMessage<'_>)> Sink for OnNotice<F> {
    fn notice(&mut self, _to: &[UserKey], message: &ServerMessage<'_>) {
        (self.0)(message);
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
}

/// Hands each event to a closure.
struct OnEvent<F>(F);

impl<F: FnMut(&Event<'_>)> Sink for OnEvent<F> {
    fn event(&mut self, event: &Event<'_>) {
        (self.0)(event);
    }

    fn notice(&mut self, _: &[UserKey], _: &ServerMessage<'_>) {}
    fn begin(&mut self, _: GameKey, _: &Start<'_>) {}
    fn lag(&mut self, _: GameKey, _: LagOrder) {}
    fn watch(&mut self, _: GameKey, _: Watcher) {}
    fn unwatch(&mut self, _: GameKey, _: UserKey, _: u8) {}
    fn reseat(&mut self, _: GameKey, _: UserKey, _: usize) {}
    fn play(&mut self, _: Time, _: GameKey) {}
    fn remove(&mut self, _: Time, _: GameKey, _: usize) {}
    fn end(&mut self, _: GameKey) {}
    fn close(&mut self, _: UserKey, _: Close) {}
}

fn describe(message: &ServerMessage<'_>) -> String {
    use ServerMessage as M;
    match *message {
        M::Quit { name, id, message } => {
            format!("Quit {} {} `{}`", text(name), id.0, text(message))
        }
        M::UserJoined {
            name,
            id,
            ping,
            connection_type,
        } => {
            format!(
                "UserJoined {} {} {ping} {connection_type:?}",
                text(name),
                id.0
            )
        }
        M::ServerStatus { users, games, .. } => format!("ServerStatus {users} {games}"),
        M::Chat { name, text: line } => format!("Chat {}: {}", text(name), text(line)),
        M::GameChat { name, text: line } => format!("GameChat {}: {}", text(name), text(line)),
        M::CreateGame {
            owner,
            rom,
            emulator,
            game,
        } => {
            format!(
                "CreateGame {} {} {} {}",
                text(owner),
                text(rom),
                text(emulator),
                game.0
            )
        }
        M::QuitGame { name, id } => format!("QuitGame {} {}", text(name), id.0),
        M::JoinGame {
            game,
            name,
            ping,
            id,
            connection_type,
        } => {
            format!(
                "JoinGame {} {} {ping} {} {connection_type:?}",
                game.0,
                text(name),
                id.0
            )
        }
        M::PlayerInformation { players, .. } => format!("PlayerInformation {players}"),
        M::GameStatus {
            game,
            status,
            players,
            capacity,
        } => {
            format!("GameStatus {} {status:?} {players}/{capacity}", game.0)
        }
        M::CloseGame { game } => format!("CloseGame {}", game.0),
        M::StartGame {
            delay,
            player,
            players,
        } => {
            format!("StartGame {delay} {player}/{players}")
        }
        M::PlayerDrop { name, player } => format!("PlayerDrop {} {player}", text(name)),
        M::AllReady => "AllReady".into(),
        M::ConnectionRejected { name, id, reason } => {
            format!("Rejected {} {} `{}`", text(name), id.0, text(reason))
        }
        M::InformationMessage { source, text: line } => {
            format!("Info {}: {}", text(source), text(line))
        }
        M::ServerAck | M::GameData { .. } | M::CachedGameData { .. } => unreachable!(),
    }
}

/// A lobby under test. Time stands still between calls of [`wait`](World::wait).
struct World {
    lobby: Lobby,
    sink: Recorder,
    now: Time,
}

impl World {
    fn new(rules: Rules) -> Self {
        Self {
            lobby: Lobby::new(rules),
            sink: Recorder::default(),
            now: Time::from_millis(1),
        }
    }

    /// A lobby with the default rules and these users in it, their logins forgotten.
    fn with(seats: &str) -> Self {
        let mut world = Self::new(Rules::default());
        world.enter(seats);
        world
    }

    fn enter(&mut self, seats: &str) {
        for seat in seats.chars() {
            let name = seat.to_string();
            self.login(seat, login(name.as_bytes()));
        }
        // Ordinary users say nothing for a while after they came.
        self.wait(2000);
        self.take();
    }

    fn login(&mut self, seat: char, login: Login<'_>) {
        self.lobby.login(self.now, key(seat), login, &mut self.sink);
        self.lobby.check_invariants();
    }

    fn send(&mut self, seat: char, message: ClientMessage<'_>) {
        self.lobby
            .message(self.now, key(seat), &message, &mut self.sink);
        self.lobby.check_invariants();
    }

    fn wait(&mut self, millis: u64) {
        self.now += Duration::from_millis(millis);
    }

    fn chat(&mut self, seat: char, line: &str) {
        self.send(
            seat,
            ClientMessage::Chat {
                text: line.as_bytes(),
            },
        );
    }

    fn game_chat(&mut self, seat: char, line: &str) {
        self.send(
            seat,
            ClientMessage::GameChat {
                text: line.as_bytes(),
            },
        );
    }

    fn create(&mut self, seat: char, rom: &str) {
        self.send(
            seat,
            ClientMessage::CreateGame {
                rom: rom.as_bytes(),
            },
        );
    }

    fn join(&mut self, seat: char, game: u32) {
        self.send(seat, ClientMessage::JoinGame { game: GameId(game) });
    }

    fn kick(&mut self, seat: char, user: u16) {
        self.send(seat, ClientMessage::GameKick { user: UserId(user) });
    }

    fn quit(&mut self, seat: char, words: &str) {
        self.send(
            seat,
            ClientMessage::Quit {
                message: words.as_bytes(),
            },
        );
    }

    fn start(&mut self, seat: char) {
        self.send(seat, ClientMessage::StartGame);
    }

    fn ready(&mut self, seats: &str) {
        for seat in seats.chars() {
            self.send(seat, ClientMessage::AllReady);
        }
    }

    fn drop(&mut self, seat: char) {
        self.send(seat, ClientMessage::PlayerDrop);
    }

    fn quit_game(&mut self, seat: char) {
        self.send(seat, ClientMessage::QuitGame);
    }

    fn depart(&mut self, seat: char, why: Departure) {
        self.lobby.depart(self.now, key(seat), why, &mut self.sink);
        self.lobby.check_invariants();
    }

    /// These users in room 1 of the first.
    fn gather(seats: &str) -> Self {
        let mut world = Self::with(seats);
        let mut seats = seats.chars();
        world.create(seats.next().unwrap(), "Game");
        seats.for_each(|seat| world.join(seat, 1));
        world.take();
        world
    }

    /// These users in a running game.
    fn playing(seats: &str) -> Self {
        let mut world = Self::gather(seats);
        world.start(seats.chars().next().unwrap());
        world.ready(seats);
        world.take();
        world
    }

    /// What was seen since the last time.
    fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.sink.log)
    }

    #[track_caller]
    fn expect<const N: usize>(&mut self, expected: [&str; N]) {
        assert_eq!(self.take(), expected);
    }

    fn game(&self, index: u32) -> GameKey {
        let game = self.lobby.games.iter().find(|game| game.key.index == index);
        game.unwrap().key
    }
}
