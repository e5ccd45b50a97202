//! The lobby as JSON, for pages and bots that would otherwise log in to look.

use crate::{
    kaillera::message::{ConnectionType, GameStatus, UserStatus},
    lobby::{RoomView, Snapshot, UserView},
    service::{kaillera::Census, lists::Identity},
    timer::Time,
};
use serde::Serialize;
use std::{
    io::{self, Write},
    sync::Arc,
    time::Duration,
};

/// How old what is shown may be: the lobby is asked no more often.
const AGE: Duration = Duration::from_secs(1);

/// Most bytes of a list; what does not fit is left out.
const LIST: usize = 128 << 10;

/// What `/status.json` shows.
#[derive(Debug)]
pub struct Status {
    identity: Identity,
    census: Census,
}

impl Status {
    /// The lobby that `census` sees, of a server that is told of as `identity`.
    pub fn new(identity: Identity, census: Census) -> Self {
        Self { identity, census }
    }

    /// The lobby as it was a moment ago; `None` until it has had a turn to show itself.
    pub(super) fn look(&self, now: Time) -> Option<Arc<Snapshot>> {
        self.census.snapshot(now, AGE)
    }

    /// Writes `lobby` as one object, in place of what `out` holds.
    pub(super) fn write(&self, lobby: &Snapshot, out: &mut Vec<u8>) -> io::Result<()> {
        out.clear();
        serde_json::to_writer(&mut *out, &Summary::new(&self.identity, lobby))?;
        // The lists go into the same object.
        out.pop();
        out.write_all(b",\"user_list\":[")?;
        let users = list(lobby.users.iter().map(User::new), out)?;
        out.write_all(b"],\"game_list\":[")?;
        let rooms = list(lobby.rooms.iter().map(Room::new), out)?;
        writeln!(out, "],\"complete\":{}}}", users && rooms)
    }
}

/// Writes as many of the entries as fit; whether all did.
fn list(entries: impl Iterator<Item = impl Serialize>, out: &mut Vec<u8>) -> io::Result<bool> {
    let begin = out.len();
    for entry in entries {
        let before = out.len();
        if before > begin {
            out.push(b',');
        }
        serde_json::to_writer(&mut *out, &entry)?;
        if out.len() - begin > LIST {
            out.truncate(before);
            return Ok(false);
        }
    }
    Ok(true)
}

#[derive(Serialize)]
struct Summary<'a> {
    name: &'a str,
    location: &'a str,
    website: &'a str,
    address: &'a str,
    port: u16,
    protocol: &'static str,
    version: &'static str,
    users: usize,
    max_users: u32,
    games: usize,
    max_games: u32,
}

#[derive(Serialize)]
struct User<'a> {
    id: u16,
    name: &'a str,
    ping_ms: u32,
    connection: &'static str,
    status: &'static str,
    game: Option<u32>,
}

#[derive(Serialize)]
struct Room<'a> {
    id: u32,
    game: &'a str,
    owner: &'a str,
    emulator: &'a str,
    players: u8,
    capacity: u8,
    status: &'static str,
}

impl<'a> Summary<'a> {
    fn new(identity: &'a Identity, lobby: &Snapshot) -> Self {
        Self {
            name: &identity.name,
            location: &identity.location,
            website: &identity.website,
            address: &identity.address,
            port: identity.port,
            protocol: "0.83",
            version: concat!("Samara ", env!("CARGO_PKG_VERSION")),
            users: lobby.users.len(),
            max_users: identity.max_users,
            games: lobby.rooms.len(),
            max_games: identity.max_games,
        }
    }
}

impl<'a> User<'a> {
    fn new(user: &'a UserView) -> Self {
        Self {
            id: user.id,
            name: &user.name,
            ping_ms: user.ping_ms,
            connection: match user.connection_type {
                ConnectionType::Lan => "lan",
                ConnectionType::Excellent => "excellent",
                ConnectionType::Good => "good",
                ConnectionType::Average => "average",
                ConnectionType::Low => "low",
                ConnectionType::Bad => "bad",
            },
            status: match user.status {
                UserStatus::Playing => "playing",
                UserStatus::Idle => "idle",
                UserStatus::Connecting => "connecting",
            },
            game: user.room,
        }
    }
}

impl<'a> Room<'a> {
    fn new(room: &'a RoomView) -> Self {
        Self {
            id: room.id,
            game: &room.game,
            owner: &room.owner,
            emulator: &room.emulator,
            players: room.players,
            capacity: room.capacity,
            status: match room.status {
                GameStatus::Waiting => "waiting",
                GameStatus::Synchronizing => "synchronizing",
                GameStatus::Playing => "playing",
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_end_where_a_page_would_be_too_long() {
        let user = |id| UserView {
            id,
            name: "\u{1}".repeat(30),
            ping_ms: 1,
            connection_type: ConnectionType::Lan,
            status: UserStatus::Idle,
            room: None,
        };
        for (count, fits) in [(0, true), (100, true), (4000, false)] {
            let users: Vec<UserView> = (1..=count).map(user).collect();
            let mut out = Vec::new();
            assert_eq!(list(users.iter().map(User::new), &mut out).unwrap(), fits);
            assert!(out.len() <= LIST);
            let text = format!("[{}]", String::from_utf8(out).unwrap());
            let entries: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
            assert_eq!(entries.len() == usize::from(count), fits);
        }
    }
}
