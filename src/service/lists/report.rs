//! What the master lists are told (kaillera-server.md 10).
//!
//! Both are GET requests: parameters in the query, percent-encoded as UTF-8 and in the order of
//! the specification; rooms in headers, whose entries end in `|` and lose everything that could
//! end an entry or the header.

use super::Identity;
use crate::{
    kaillera::message::GameStatus,
    lobby::{RoomView, Snapshot},
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::{collections::VecDeque, fmt::Write};

/// What RFC 3986 leaves alone.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Most bytes of a header's value: common servers take lines of 8 kB.
const HEADER: usize = 6000;

/// Names of started games that are remembered for the next report.
const STARTED: usize = 256;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// One call of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// With its query.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(&'static str, String)>,
}

/// The report to EmuLinker's list at `url` (10.1).
pub fn emulinker(url: &str, identity: &Identity, lobby: &Snapshot) -> Request {
    let mut query = Query::new(url);
    query.text("serverName", &identity.name);
    query.text("location", &identity.location);
    query.text("website", &identity.website);
    query.address("ipAddress", &identity.address);
    query.number("port", identity.port);
    query.number("numUsers", lobby.users.len());
    query.number("maxUsers", identity.max_users);
    query.number("numGames", lobby.rooms.len());
    query.number("maxGames", identity.max_games);
    query.text("version", &cut(format!("Samara {VERSION}"), 30));
    let entry = |room: &RoomView| {
        let seats = format!("{}/{}", room.players, room.capacity);
        let texts = [&room.game, &room.owner, &room.emulator, &seats];
        entry(texts.map(String::as_str))
    };
    Request {
        url: query.url,
        headers: vec![("Waiting-games", list(waiting(lobby).map(entry)))],
    }
}

/// The report to Kaillera's list at `url`, with the games `started` since the last one (10.2).
pub fn kaillera(
    url: &str,
    identity: &Identity,
    lobby: &Snapshot,
    started: &StartedGames,
) -> Request {
    let mut query = Query::new(url);
    query.text("servername", &identity.name);
    query.text("location", &identity.location);
    query.number("port", identity.port);
    query.number("nbusers", lobby.users.len());
    query.number("maxconn", identity.max_users);
    query.number("nbgames", lobby.rooms.len());
    query.text("version", &cut(format!("SAM{VERSION}"), 8));
    query.address("ip", &identity.address);
    query.text("url", &identity.website);
    let of_room = |room: &RoomView| {
        let (id, players) = (room.id.to_string(), room.players.to_string());
        let texts = [&id, &room.game, &room.owner, &room.emulator, &players];
        entry(texts.map(String::as_str))
    };
    let games = started.names.iter().map(|name| entry([name.as_str()]));
    Request {
        url: query.url,
        headers: vec![
            ("Kaillera-games", list(games)),
            ("Kaillera-wgames", list(waiting(lobby).map(of_room))),
        ],
    }
}

/// The games that started since the last report; the oldest are forgotten if there are too many.
#[derive(Clone, Debug, Default)]
pub struct StartedGames {
    names: VecDeque<String>,
}

impl StartedGames {
    /// One more.
    pub fn add(&mut self, name: String) {
        if self.names.len() == STARTED {
            self.names.pop_front();
        }
        self.names.push_back(name);
    }

    /// They have been reported.
    pub fn clear(&mut self) {
        self.names.clear();
    }
}

fn waiting(lobby: &Snapshot) -> impl Iterator<Item = &RoomView> {
    let waits = |room: &&RoomView| room.status == GameStatus::Waiting;
    lobby.rooms.iter().filter(waits)
}

/// Texts, each with a bar behind it.
fn entry<const N: usize>(texts: [&str; N]) -> String {
    let mut entry = String::new();
    for text in texts {
        let is_plain = |c: &char| matches!(c, ' '..='~') && *c != '|';
        entry.extend(text.chars().filter(is_plain));
        entry.push('|');
    }
    entry
}

/// Whole entries, as many as a header takes.
fn list(entries: impl Iterator<Item = String>) -> String {
    let mut list = String::new();
    for entry in entries {
        if list.len() + entry.len() > HEADER {
            break;
        }
        list.push_str(&entry);
    }
    list
}

fn cut(mut text: String, most: usize) -> String {
    text.truncate(most);
    text
}

/// An address with more and more parameters.
struct Query {
    url: String,
    separator: char,
}

impl Query {
    fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            separator: if url.contains('?') { '&' } else { '?' },
        }
    }

    fn text(&mut self, name: &str, value: &str) {
        let value = utf8_percent_encode(value, ENCODED);
        self.add(name, value);
    }

    /// A list takes the sender's address for a server that names none.
    fn address(&mut self, name: &str, address: &str) {
        if !address.is_empty() {
            self.text(name, address);
        }
    }

    fn number(&mut self, name: &str, value: impl std::fmt::Display) {
        self.add(name, value);
    }

    fn add(&mut self, name: &str, value: impl std::fmt::Display) {
        // Cannot fail: the text grows as it is written.
        let _ = write!(self.url, "{}{name}={value}", self.separator);
        self.separator = '&';
    }
}

#[cfg(test)]
mod tests;
