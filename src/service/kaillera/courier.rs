//! Mail for inboxes that may be full.

use super::{
    mail::{GameMail, LobbyMail, UserMail},
    post::Post,
};
use std::collections::VecDeque;

/// Delivers one actor's mail in order and without loss.
///
/// What a full inbox refuses is kept, and all that follows with it, until it is taken. A user
/// whose courier still holds something handles no further mail of its own, so whoever floods
/// the lobby or a game ends up waiting in its own inbox; so does the lobby, for games.
///
/// Waiting never goes round in a circle: users wait for the lobby and for games, the lobby
/// waits for games, and a game waits for nobody. What it and the lobby keep for users and
/// for each other is little, as it answers what those have sent.
#[derive(Debug, Default)]
pub(super) struct Courier {
    held: VecDeque<Parcel>,
}

#[derive(Debug)]
enum Parcel {
    Lobby(LobbyMail),
    Game(u32, GameMail),
    User(u32, UserMail),
}

impl Courier {
    /// Whether everything was delivered.
    pub(super) fn is_free(&self) -> bool {
        self.held.is_empty()
    }

    pub(super) fn lobby(&mut self, mail: LobbyMail, post: &Post) {
        self.hand_over(Parcel::Lobby(mail), post);
    }

    pub(super) fn game(&mut self, game: u32, mail: GameMail, post: &Post) {
        self.hand_over(Parcel::Game(game, mail), post);
    }

    pub(super) fn user(&mut self, seat: u32, mail: UserMail, post: &Post) {
        self.hand_over(Parcel::User(seat, mail), post);
    }

    /// Tries again what was refused.
    pub(super) fn deliver(&mut self, post: &Post) {
        while let Some(parcel) = self.held.pop_front() {
            if let Err(parcel) = parcel.deliver(post) {
                self.held.push_front(parcel);
                return;
            }
        }
    }

    fn hand_over(&mut self, parcel: Parcel, post: &Post) {
        let refused = if self.is_free() {
            parcel.deliver(post).err()
        } else {
            Some(parcel)
        };
        self.held.extend(refused);
    }
}

impl Parcel {
    fn deliver(self, post: &Post) -> Result<(), Self> {
        match self {
            Self::Lobby(mail) => post.lobby(mail).map_err(Self::Lobby),
            Self::Game(game, mail) => post.game(game, mail).map_err(|mail| Self::Game(game, mail)),
            Self::User(seat, mail) => post.user(seat, mail).map_err(|mail| Self::User(seat, mail)),
        }
    }
}
