//! How the lobby and its rooms behave: requests in, messages out.
//!
//! ```text
//!  user        login            create, join          start             all ready
//!   (none) ------------> lobby -------------> member -------> loading ------------> playing
//!     ^                    ^                    ^                |                     |
//!     | quit, timeout      | quit room, kick,   +----------------+---------------------+
//!     +---- from any       +- room closed         drop, ready timeout
//!
//!  room        create            start                 all ready
//!   (none) ------------> waiting ------> synchronizing -----------> playing
//!     ^                    ^                  |                        |
//!     | owner leaves       +------------------+------------------------+
//!     +---- from any                       last player dropped
//! ```

#![forbid(unsafe_code)]

mod access;
mod admin_client;
pub mod catalogue;
mod charset;
mod chat;
mod command;
pub mod delay;
mod depart;
mod event;
mod filter;
mod game;
mod lag;
mod lineup;
mod login;
mod misses;
mod play;
mod posts;
mod report;
mod rights;
mod room;
pub mod rules;
mod shadows;
mod snapshot;
mod status;
pub mod sync;
#[cfg(test)]
mod tests;
mod trivia;
mod update;
mod user;
mod watch;

pub use crate::access::AccessLevel;
pub use command::{Place, commands};
pub use event::{Event, Room, Who};
pub use filter::WordFilter;
pub use posts::{Posts, RoomEvent, RoomEventKind};
pub use report::Report;
pub use snapshot::{RoomView, Snapshot, UserView};
pub use trivia::{TriviaCommand, TriviaFiles, TriviaWish};
pub use update::Update;
pub use watch::WatchEnd;

use crate::{
    access::Access,
    kaillera::message::{ClientMessage, ConnectionType, ServerMessage},
    timer::Time,
};
use catalogue::Catalogue;
use charset::Charset;
use game::{Games, Phase};
use rules::Rules;
use shadows::Shadows;
use std::{net::IpAddr, time::Duration};
use sync::{FrameRate, Sensitivity};
use trivia::TriviaDesk;
use user::Users;

/// A session as the lobby knows it: the seat that serves it, and which of the seat's
/// successive users it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserKey {
    /// Index of the seat.
    pub seat: u32,
    /// Counts the users of the seat.
    pub generation: u32,
}

/// A room. The generation keeps late mail for a closed room from reaching its successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameKey {
    /// Index of the room's place in the lobby's table.
    pub index: u32,
    /// Counts the rooms that had this place.
    pub generation: u32,
}

/// A user that has answered its four acks and asks to be let in.
#[derive(Clone, Copy, Debug)]
pub struct Login<'a> {
    /// The user's name.
    pub name: &'a [u8],
    /// The emulator and its version.
    pub emulator: &'a [u8],
    /// Frames per message.
    pub connection_type: ConnectionType,
    /// Average round trip over the four acks; not rounded, it decides the frame delay.
    pub ping: Duration,
    /// Where the user is.
    pub address: IpAddr,
}

/// Why a session ends without its user saying so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// Nothing new came for the keepalive timeout.
    ConnectionLost,
    /// No chat, room action or game data for the idle timeout.
    Idle,
    /// The same address and port started over.
    Reconnected,
    /// Its worker met a bug in its turn.
    Failed,
}

/// How a session's link goes on after its user left the lobby.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    /// Login refused: the refusal is remembered and repeated for a moment.
    Rejected,
    /// Left: what is queued goes out, then the address is forgotten.
    Left,
}

/// One player of a game that starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Player {
    /// Whose inputs these are.
    pub user: UserKey,
    /// The frame delay sent to this player.
    pub delay: u16,
}

/// How a game starts.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Frames per message.
    pub connection_type: ConnectionType,
    /// In the order of their numbers; 1 is the first.
    pub players: &'a [Player],
    /// How soon autofire is told of.
    pub autofire: Sensitivity,
    /// What lag is measured against.
    pub rate: FrameRate,
}

/// One that is shown a game from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watcher {
    /// Who.
    pub user: UserKey,
    /// Its place among the game's watchers, 0 is the first.
    pub index: u8,
    /// The frame delay it is told.
    pub delay: u16,
    /// The index of the player whose place it takes once it has caught up.
    pub player: Option<u8>,
}

/// A question about the lag of a running game, or what changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LagOrder {
    /// [`Lobby::lag_measured`] is to be told.
    Report,
    /// What was measured is forgotten.
    Reset,
    /// The same, and another rate holds.
    Rate(FrameRate),
}

/// What the lobby tells the world.
///
/// Calls come in the order in which the receivers must see them.
pub trait Sink {
    /// `message` goes to each of `to`, in this order.
    fn notice(&mut self, to: &[UserKey], message: &ServerMessage<'_>);

    /// A game starts in `game`. Called before the players are told; no data is accepted yet.
    fn begin(&mut self, game: GameKey, start: &Start<'_>);

    /// Everybody is ready: data counts from here on. Called before the players are told.
    fn play(&mut self, now: Time, game: GameKey);

    /// The player with this index (0 is the first) of the running game is gone:
    /// its inputs are zeros from the next frame on.
    fn remove(&mut self, now: Time, game: GameKey, player: usize);

    /// The game in `game` is over; the room may stay.
    fn end(&mut self, game: GameKey);

    /// About the lag of the running game.
    fn lag(&mut self, game: GameKey, order: LagOrder);

    /// One wants to be shown the running game; [`Lobby::watch_answered`] says whether it can.
    fn watch(&mut self, game: GameKey, watcher: Watcher);

    /// The watcher with this index is gone.
    fn unwatch(&mut self, game: GameKey, user: UserKey, index: u8);

    /// A watcher is the player with this index (0 is the first) from here on.
    fn reseat(&mut self, game: GameKey, user: UserKey, player: usize);

    /// The session of `user` ends.
    fn close(&mut self, user: UserKey, close: Close);

    /// Something happened to a room that the world outside may want to hear of.
    fn room(&mut self, event: &RoomEvent<'_>) {
        let _ = event;
    }

    /// Something happened that the operator may want to read later.
    fn event(&mut self, event: &Event<'_>) {
        let _ = event;
    }

    /// Something is to be done with the quiz's files.
    fn trivia(&mut self, wish: TriviaWish<'_>) {
        let _ = wish;
    }
}

/// The users, the rooms, and what they may do to each other.
///
/// A request of a user that is not logged in is ignored.
#[derive(Debug)]
pub struct Lobby {
    rules: Rules,
    access: Access,
    /// When a ban or a level that holds for a time ends.
    access_ends: Option<Time>,
    shadows: Shadows,
    charset: Charset,
    catalogue: Catalogue,
    users: Users,
    games: Games,
    /// Holds the receivers of one message while it is sent.
    scratch: Vec<UserKey>,
    /// The server goes down: nobody comes in and nothing begins.
    draining: bool,
    trivia: TriviaDesk,
    update: Option<Update>,
}

impl Lobby {
    /// An empty lobby.
    pub fn new(rules: Rules) -> Self {
        Self {
            charset: Charset::new(rules.charset),
            catalogue: Catalogue::new(rules.charset, rules.language, &rules.texts),
            users: Users::default(),
            games: Games::default(),
            scratch: Vec::new(),
            access: Access::default(),
            draining: false,
            trivia: TriviaDesk::default(),
            update: None,
            access_ends: None,
            shadows: Shadows::default(),
            rules,
        }
    }

    /// Puts `rules` in the place of those it has. The character set and which rooms are posted
    /// stay: others were told of them at the start.
    pub fn set_rules(&mut self, rules: Rules) {
        let rules = Rules {
            charset: self.rules.charset,
            posts: self.rules.posts.take(),
            ..rules
        };
        self.catalogue = Catalogue::new(rules.charset, rules.language, &rules.texts);
        if !rules.shadow_mute {
            self.shadows = Shadows::default();
        }
        self.rules = rules;
    }

    /// Does what a user asks for; messages of the link and of the game's data are ignored.
    pub fn message(
        &mut self,
        now: Time,
        user: UserKey,
        message: &ClientMessage<'_>,
        sink: &mut impl Sink,
    ) {
        if self.users.get(user).is_none() {
            return;
        }
        match *message {
            ClientMessage::Quit { message } => self.quit(now, user, message, sink),
            ClientMessage::Chat { text } => self.chat(now, user, text, sink),
            ClientMessage::GameChat { text } => self.game_chat(now, user, text, sink),
            ClientMessage::CreateGame { rom } => self.create_game(now, user, rom, sink),
            ClientMessage::QuitGame => self.quit_game(now, user, sink),
            ClientMessage::JoinGame { game } => self.join_game(now, user, game, sink),
            ClientMessage::GameKick { user: target } => self.kick(now, user, target, sink),
            ClientMessage::StartGame => self.start_game(now, user, sink),
            ClientMessage::PlayerDrop => self.drop_player(now, user, sink),
            ClientMessage::AllReady => self.ready(now, user, sink),
            ClientMessage::UserInformation { .. }
            | ClientMessage::ClientAck
            | ClientMessage::KeepAlive
            | ClientMessage::GameData { .. }
            | ClientMessage::CachedGameData { .. } => {}
        }
    }

    /// When [`handle_timeout`](Self::handle_timeout) wants to be called, if at all.
    pub fn poll_timeout(&self) -> Option<Time> {
        let deadline = |phase| match phase {
            Phase::Synchronizing { deadline } => Some(deadline),
            Phase::Waiting | Phase::Playing => None,
        };
        let deadlines = self.games.iter().filter_map(|game| deadline(game.phase));
        let others = self
            .next_post()
            .into_iter()
            .chain(self.trivia.poll_timeout())
            .chain(self.access_ends);
        deadlines.chain(others).min()
    }

    /// How many users are logged in.
    pub fn users(&self) -> usize {
        self.users.len()
    }

    /// How many rooms there are.
    pub fn games(&self) -> usize {
        self.games.len()
    }

    /// Asserts, where debug assertions are on, that all tables agree.
    pub fn check_invariants(&self) {
        self.users.check_invariants();
        self.games.check_invariants();
        for user in self.users.iter() {
            let game = user.room.map(|key| self.games.get(key));
            let is_member = |key| matches!(game, Some(Some(game)) if game.has_member(key));
            debug_assert_eq!(user.room.is_some(), is_member(user.key));
            let is_quiet = user.presence == user::Presence::Quiet;
            let plays = game
                .flatten()
                .is_some_and(|game| game.seat(user.key).is_some());
            debug_assert!(plays || !is_quiet);
        }
        for game in self.games.iter() {
            for member in &game.members {
                let user = self.users.get(member.user);
                debug_assert_eq!(user.and_then(|user| user.room), Some(game.key));
                let times = game
                    .members
                    .iter()
                    .filter(|other| other.user == member.user);
                debug_assert_eq!(times.count(), 1);
            }
        }
    }
}
