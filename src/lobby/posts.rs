//! What the world outside hears of a room (kaillera-server.md 13.2).
//!
//! ```text
//!   opened --- delay ---> posted as opened ---> started, closed: posted, too
//!     |
//!     +--- started, closed, or /stop before that: nothing is posted
//! ```

use super::{
    Event, GameKey, Lobby, Sink, UserKey,
    catalogue::{Param, ROOM_NAME, Text},
    chat::{inform, say},
    game::Game,
};
use crate::{kaillera::message::GameId, timer::Time};
use std::time::Duration;

/// Which rooms are posted, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posts {
    /// How long a room must have waited for players.
    pub delay: Duration,
    /// Words in the name of a user whose rooms are not posted; they count only in a name with an
    /// `@`, of either width.
    pub suppress: Vec<String>,
}

impl Posts {
    /// Whether a room of this owner is posted.
    fn take(&self, owner: &str) -> bool {
        let owner = owner.to_lowercase();
        let marked = owner.contains(['@', '\u{FF20}']);
        let is_in_it = |word: &String| owner.contains(&word.to_lowercase());
        !(marked && self.suppress.iter().any(is_in_it))
    }
}

/// What the world outside has heard of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Posted {
    /// Nothing, and it will not.
    No,
    /// Nothing before then.
    Due(Time),
    /// That it has opened.
    Yes,
}

/// Something that happened to a room, for the world outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoomEvent<'a> {
    /// What happened.
    pub kind: RoomEventKind,
    /// The room's number.
    pub id: GameId,
    /// The game's name.
    pub game: &'a [u8],
    /// The owner's name.
    pub owner: &'a [u8],
    /// The owner's emulator.
    pub emulator: &'a [u8],
    /// Whether it is to be posted; what is not is only counted.
    pub posted: bool,
}

/// What can happen to a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoomEventKind {
    /// It has waited for players as long as rooms must before they are posted.
    Opened,
    /// Its game starts; told of every game.
    Started,
    /// It is no more.
    Closed,
}

impl Lobby {
    /// Plans the post of a new room and tells its owner, who may stop it.
    pub(super) fn plan_post(&mut self, now: Time, key: GameKey, sink: &mut impl Sink) {
        let (Some(posts), Some(game)) = (&self.rules.posts, self.games.get_mut(key)) else {
            return;
        };
        let owner = self.users.get(game.owner);
        let is_wanted = owner.is_some_and(|it| posts.take(&self.charset.decode(&it.name)));
        if game.is_chat_room() || !is_wanted {
            return;
        }
        game.posted = Posted::Due(now + posts.delay);
        if posts.delay > Duration::ZERO {
            let params = [Param::Number(posts.delay.as_secs())];
            let text = self.catalogue.line(Text::PostPending, &params);
            inform(&[game.owner], &text, sink);
        }
    }

    /// Stops a post that has not been made.
    pub(super) fn stop_post(&mut self, user: UserKey, key: GameKey, sink: &mut impl Sink) {
        let Some(game) = self.games.get_mut(key) else {
            return;
        };
        let text = match game.posted {
            Posted::Due(_) if game.owner == user => {
                game.posted = Posted::No;
                Text::PostCanceled
            }
            _ => Text::PostNone,
        };
        say(&[user], ROOM_NAME, &self.catalogue.line(text, &[]), sink);
    }

    /// When the next room is to be posted.
    pub(super) fn next_post(&self) -> Option<Time> {
        self.rules.posts.as_ref()?;
        let due = |game: &Game| match game.posted {
            Posted::Due(at) => Some(at),
            Posted::No | Posted::Yes => None,
        };
        self.games.iter().filter_map(due).min()
    }

    /// Posts the rooms whose time has come.
    pub(super) fn post_due(&mut self, now: Time, sink: &mut impl Sink) {
        while self.next_post().is_some_and(|at| at <= now) {
            let is_due = |game: &&Game| matches!(game.posted, Posted::Due(at) if at <= now);
            let Some(key) = self.games.iter().find(is_due).map(|game| game.key) else {
                return;
            };
            if let Some(game) = self.games.get_mut(key) {
                game.posted = Posted::Yes;
            }
            if let Some(game) = self.games.get(key) {
                self.report(game, RoomEventKind::Opened, sink);
            }
        }
    }

    /// A game starts: who has not been called by then is not needed.
    pub(super) fn report_start(&mut self, key: GameKey, sink: &mut impl Sink) {
        if let Some(game) = self.games.get_mut(key)
            && matches!(game.posted, Posted::Due(_))
        {
            game.posted = Posted::No;
        }
        if let Some(game) = self.games.get(key) {
            sink.event(&Event::GameStarted(game.as_room(), game.players));
            self.report(game, RoomEventKind::Started, sink);
        }
    }

    pub(super) fn report(&self, game: &Game, kind: RoomEventKind, sink: &mut impl Sink) {
        let owner = self.users.get(game.owner);
        sink.room(&RoomEvent {
            kind,
            id: game.id,
            game: &game.rom,
            owner: owner.map_or(&[], |it| &it.name),
            emulator: &game.emulator,
            posted: game.posted == Posted::Yes,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_behind_an_at_sign_only() {
        let posts = Posts {
            delay: Duration::ZERO,
            suppress: vec!["waiting".to_owned(), "Restart".to_owned()],
        };
        for (owner, is_taken) in [
            ("Ann", true),
            ("Ann@home", true),
            ("waiting Ann", true),
            ("Ann@waiting", false),
            ("Ann@WAITING for Bob", false),
            ("waiting@Ann", false),
            ("Ann\u{FF20}restart", false),
            ("", true),
        ] {
            assert_eq!(posts.take(owner), is_taken, "{owner}");
        }
    }
}
