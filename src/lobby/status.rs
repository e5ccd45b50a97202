//! The lists: users and rooms for one who logs in, members for one who joins.

use super::{
    Lobby, Sink, UserKey,
    game::{Game, MAX_MEMBERS},
    user::{User, Users},
};
use crate::{
    buffer::{Full, Writer},
    kaillera::message::{GameEntry, GameStatus, PlayerEntry, ServerMessage, UserEntry, UserStatus},
};
use std::io::Write;

/// Entries of one ServerStatus are shorter than this (kaillera.md 3, 0x04).
const PART_END: usize = 300;

/// Longest member entry: name, terminator, ping, number, connection type.
const PLAYER_ENTRY: usize = 30 + 1 + 4 + 2 + 1;

/// Reads these status values exchanged (kaillera-server.md 3.2).
const SWITCHING_EMULATOR: &[u8] = b"Project 64k 0.13 (01 Aug 2003)";

impl Lobby {
    /// Sends `to` the list of the other users and of all rooms.
    pub(super) fn send_lists(&self, to: &User, sink: &mut impl Sink) {
        let switch = self.rules.switch_status_bytes && *to.emulator == *SWITCHING_EMULATOR;
        let mut parts = Parts::new(to.key);
        for user in self.users.iter().filter(|user| user.key != to.key) {
            let entry = UserEntry {
                name: &user.name,
                ping: user.ping_ms(),
                status: user_status(self.status_of(user), switch),
                id: user.id,
                connection_type: user.connection_type,
            };
            parts.add(sink, |parts| &mut parts.users, |w| entry.encode(w));
        }
        for game in self.games.iter() {
            let mut seats = [0; 8];
            let entry = GameEntry {
                rom: &game.rom,
                game: game.id,
                emulator: &game.emulator,
                owner: self.users.get(game.owner).map_or(&[], |user| &user.name),
                seats: seats_text(game, &mut seats),
                status: game_status(game.phase.status(), switch),
            };
            parts.add(sink, |parts| &mut parts.games, |w| entry.encode(w));
        }
        parts.finish(sink);
    }

    /// What `user` does.
    pub(super) fn status_of(&self, user: &User) -> UserStatus {
        match self.plays(user) {
            true => UserStatus::Playing,
            false => UserStatus::Idle,
        }
    }

    /// Whether `user` has a seat in a game.
    pub(super) fn plays(&self, user: &User) -> bool {
        let game = user.room.and_then(|key| self.games.get(key));
        game.is_some_and(|game| game.seat(user.key).is_some())
    }
}

/// Sends `to` the other members of its room.
pub(super) fn send_members(users: &Users, game: &Game, to: UserKey, sink: &mut impl Sink) {
    let mut entries = [0; MAX_MEMBERS * PLAYER_ENTRY];
    let mut writer = Writer::new(&mut entries);
    let mut players = 0;
    let others = game.members.iter().filter(|member| member.user != to);
    let others = others.filter_map(|member| users.get(member.user));
    for user in others.filter(|user| !game.hides(user)) {
        let entry = PlayerEntry {
            name: &user.name,
            ping: user.ping_ms(),
            id: user.id,
            connection_type: user.connection_type,
        };
        let written = entry.encode(&mut writer);
        debug_assert_eq!(written, Ok(()));
        players += 1;
    }
    let entries = writer.written();
    sink.notice(
        &[to],
        &ServerMessage::PlayerInformation { players, entries },
    );
}

/// `members/capacity` in decimal.
fn seats_text<'a>(game: &Game, buf: &'a mut [u8; 8]) -> &'a [u8] {
    let mut rest = buf.as_mut_slice();
    let written = write!(rest, "{}/{}", game.player_count(), game.capacity);
    debug_assert!(written.is_ok());
    let len = 8 - rest.len();
    buf.get(..len).unwrap_or_default()
}

fn user_status(status: UserStatus, switch: bool) -> u8 {
    match (status, switch) {
        (UserStatus::Playing, true) => UserStatus::Connecting as u8,
        (UserStatus::Connecting, true) => UserStatus::Playing as u8,
        (status, _) => status as u8,
    }
}

fn game_status(status: GameStatus, switch: bool) -> u8 {
    match (status, switch) {
        (GameStatus::Playing, true) => GameStatus::Synchronizing as u8,
        (GameStatus::Synchronizing, true) => GameStatus::Playing as u8,
        (status, _) => status as u8,
    }
}

/// Collects entries and sends them in parts.
struct Parts {
    to: UserKey,
    entries: [u8; PART_END - 1],
    len: usize,
    users: u32,
    games: u32,
    is_sent: bool,
}

impl Parts {
    fn new(to: UserKey) -> Self {
        Self {
            to,
            entries: [0; PART_END - 1],
            len: 0,
            users: 0,
            games: 0,
            is_sent: false,
        }
    }

    /// Adds what `encode` writes to this part, or to the next if this one is full.
    fn add(
        &mut self,
        sink: &mut impl Sink,
        count: impl Fn(&mut Self) -> &mut u32,
        encode: impl Fn(&mut Writer<'_>) -> Result<(), Full>,
    ) {
        if self.append(&encode).is_err() {
            self.send(sink);
            let again = self.append(&encode);
            debug_assert_eq!(again, Ok(()), "the longest entry fits an empty part");
        }
        *count(self) += 1;
    }

    fn append(&mut self, encode: impl Fn(&mut Writer<'_>) -> Result<(), Full>) -> Result<(), Full> {
        let mut writer = Writer::new(self.entries.get_mut(self.len..).ok_or(Full)?);
        encode(&mut writer)?;
        self.len += writer.len();
        Ok(())
    }

    /// Sends what is left; an empty list is one empty part.
    fn finish(mut self, sink: &mut impl Sink) {
        if self.len > 0 || !self.is_sent {
            self.send(sink);
        }
    }

    fn send(&mut self, sink: &mut impl Sink) {
        let message = ServerMessage::ServerStatus {
            users: self.users,
            games: self.games,
            entries: self.entries.get(..self.len).unwrap_or_default(),
        };
        sink.notice(&[self.to], &message);
        self.len = 0;
        self.users = 0;
        self.games = 0;
        self.is_sent = true;
    }
}
