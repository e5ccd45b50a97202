//! How the lobby and its rooms behave: requests in, messages out.

#![forbid(unsafe_code)]

pub mod cache;
pub mod delay;
pub mod rules;
pub mod sync;

use crate::{
    kaillera::message::{ConnectionType, ServerMessage},
    timer::Time,
};
use std::{net::IpAddr, time::Duration};

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

/// What the lobby tells the world.
///
/// Calls come in the order in which the receivers must see them.
pub trait Sink {
    /// `message` goes to each of `to`, in this order.
    fn notice(&mut self, to: &[UserKey], message: &ServerMessage<'_>);

    /// A game starts in `game`: `players` in the order of their numbers (1 is the first).
    /// Called before the players are told; no data is accepted yet.
    fn begin(&mut self, game: GameKey, connection_type: ConnectionType, players: &[Player]);

    /// Everybody is ready: data counts from here on. Called before the players are told.
    fn play(&mut self, now: Time, game: GameKey);

    /// The player with this index (0 is the first) of the running game is gone:
    /// its inputs are zeros from the next frame on.
    fn remove(&mut self, now: Time, game: GameKey, player: usize);

    /// The game in `game` is over; the room may stay.
    fn end(&mut self, game: GameKey);

    /// The session of `user` ends.
    fn close(&mut self, user: UserKey, close: Close);
}
