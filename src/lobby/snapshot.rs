//! The lobby as outsiders may see it: who is there and what is open, without addresses.

use super::{Lobby, game::Game, user::User};
use crate::kaillera::message::{ConnectionType, GameStatus, UserStatus};

/// Who is there and what is open, at one moment. Texts are decoded, nothing is an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Users in the order of their logins.
    pub users: Vec<UserView>,
    /// Rooms in no order.
    pub rooms: Vec<RoomView>,
}

/// A user as others see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserView {
    /// Its number.
    pub id: u16,
    /// Its name.
    pub name: String,
    /// Its ping at login, in milliseconds.
    pub ping_ms: u32,
    /// Its connection type.
    pub connection_type: ConnectionType,
    /// Whether it plays.
    pub status: UserStatus,
    /// The number of its room.
    pub room: Option<u32>,
}

/// A room as others see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomView {
    /// Its number.
    pub id: u32,
    /// The game's name.
    pub game: String,
    /// The owner's name.
    pub owner: String,
    /// The owner's emulator.
    pub emulator: String,
    /// Members.
    pub players: u8,
    /// Members it takes.
    pub capacity: u8,
    /// What it does.
    pub status: GameStatus,
}

impl Lobby {
    /// What outsiders may see of it.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            users: self.users.iter().map(|user| self.view_user(user)).collect(),
            rooms: self.games.iter().map(|game| self.view_room(game)).collect(),
        }
    }

    /// Rooms whose game runs or is about to, and the players in them.
    pub fn playing(&self) -> (usize, usize) {
        let running = self
            .games
            .iter()
            .filter(|game| game.seats().next().is_some());
        running.fold((0, 0), |(games, players), game| {
            (games + 1, players + game.seats().count())
        })
    }

    /// Rooms whose players get ready.
    pub fn synchronizing(&self) -> usize {
        let is_it = |game: &&Game| game.phase.status() == GameStatus::Synchronizing;
        self.games.iter().filter(is_it).count()
    }

    fn view_user(&self, user: &User) -> UserView {
        let room = user.room.and_then(|key| self.games.get(key));
        let room = room.filter(|game| !game.hides(user));
        UserView {
            id: user.id.0,
            name: self.charset.decode(&user.name).into_owned(),
            ping_ms: user.ping_ms(),
            connection_type: user.connection_type,
            status: self.status_of(user),
            room: room.map(|room| room.id.0),
        }
    }

    fn view_room(&self, game: &Game) -> RoomView {
        let decode = |bytes: &[u8]| self.charset.decode(bytes).into_owned();
        RoomView {
            id: game.id.0,
            game: decode(&game.rom),
            owner: self
                .users
                .get(game.owner)
                .map_or_else(String::new, |it| decode(&it.name)),
            emulator: decode(&game.emulator),
            players: game.player_count(),
            capacity: game.capacity,
            status: game.phase.status(),
        }
    }
}
