//! What an operator may want to read later (kaillera-server.md 12.2): borrowed, so that telling
//! costs nothing where nobody listens.

use super::{
    AccessLevel,
    game::Game,
    sync::{Desync, Rhythm},
    user::User,
};
use crate::kaillera::message::{ConnectionType, GameId, UserId};
use std::{net::IpAddr, time::Duration};

/// A user. Names are bytes in the server's character set, and their writers may be hostile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who<'a> {
    /// Its number.
    pub id: UserId,
    /// Its name.
    pub name: &'a [u8],
    /// Where it is.
    pub address: IpAddr,
}

/// A room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room<'a> {
    /// Its number.
    pub id: GameId,
    /// The game's name.
    pub game: &'a [u8],
}

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// Somebody is in.
    LoggedIn {
        /// Who.
        who: Who<'a>,
        /// The round trip that was measured.
        ping: Duration,
        /// Frames per message.
        connection_type: ConnectionType,
        /// The emulator and its version.
        emulator: &'a [u8],
        /// What it may do.
        level: AccessLevel,
    },
    /// Somebody is not let in.
    LoginRefused {
        /// The name it wanted.
        name: &'a [u8],
        /// Where it is.
        address: IpAddr,
        /// What it was told.
        reason: &'a [u8],
    },
    /// Somebody is gone.
    LoggedOut {
        /// Who.
        who: Who<'a>,
        /// What the others were told.
        words: &'a [u8],
        /// The words are its own and not the server's.
        own_words: bool,
    },
    /// A room is there.
    RoomOpened(Room<'a>, Who<'a>),
    /// Somebody is in a room.
    RoomEntered(Room<'a>, Who<'a>),
    /// Somebody has left a room that stays.
    RoomLeft(Room<'a>, Who<'a>),
    /// A room is no more.
    RoomClosed(Room<'a>),
    /// A game starts, with so many players.
    GameStarted(Room<'a>, u8),
    /// Nobody plays any more.
    GameOver(Room<'a>),
    /// Somebody is put out of a room by its owner or an admin.
    Removed {
        /// The room.
        room: Room<'a>,
        /// Who.
        who: Who<'a>,
        /// By whom.
        by: Who<'a>,
    },
    /// A player's messages were lost, or it kept the others waiting; told once for each game.
    OutOfSync {
        /// The room.
        room: Room<'a>,
        /// Who.
        who: Who<'a>,
        /// Why.
        cause: Desync,
        /// It is dropped from the game.
        dropped: bool,
    },
    /// A player was not ready in time.
    NotReady(Room<'a>, Who<'a>),
    /// A player's buttons press themselves.
    Autofire {
        /// The room.
        room: Room<'a>,
        /// Who.
        who: Who<'a>,
        /// How closely the room is watched for it.
        level: u8,
        /// Frames on and off.
        rhythm: Rhythm,
    },
    /// One who keeps order gives a command.
    Command {
        /// Who.
        who: Who<'a>,
        /// The command.
        word: &'static str,
        /// What follows it.
        rest: &'a [u8],
        /// The user that is meant, if it begins with a number of one.
        target: Option<Who<'a>>,
        /// What follows is said to users.
        is_speech: bool,
    },
    /// The command was not done.
    CommandFailed(Who<'a>, &'static str),
    /// A line in the lobby.
    Chat(Who<'a>, &'a [u8]),
    /// A line in a room, unless it is an emulator's data.
    RoomChat(Room<'a>, Who<'a>, &'a [u8]),
}

impl User {
    pub(super) fn who(&self) -> Who<'_> {
        Who {
            id: self.id,
            name: &self.name,
            address: self.address,
        }
    }
}

impl Game {
    pub(super) fn as_room(&self) -> Room<'_> {
        Room {
            id: self.id,
            game: &self.rom,
        }
    }
}
