//! The operator's log of the lobby (kaillera-server.md 12.2): events in words.
//!
//! Names and lines are somebody else's, so they are quoted with everything escaped that could end
//! a line or move a cursor. What people say, and all of their addresses, is left out unless the
//! operator wants it ([`Privacy`]). Refusals have a budget of their own; what is above a budget is
//! counted and told as a number.

use crate::{
    kaillera::message::ConnectionType,
    lobby::{
        Event, Room, Who,
        sync::{Desync, Rhythm},
    },
    privacy::{Address, Privacy, Shown},
    timer::Time,
};
use encoding_rs::Encoding;
use log::Level;
use std::{
    borrow::Cow,
    fmt::{self, Display},
    net::{IpAddr, SocketAddr},
    time::Duration,
};

/// The time that a budget is for.
const WINDOW: Duration = Duration::from_secs(10);
/// Lines about what people do.
const LINES: u32 = 2000;
/// Lines about what they may not do.
const REFUSALS: u32 = 20;

/// Writes what happens into the log.
#[derive(Debug)]
pub(super) struct Journal {
    charset: &'static Encoding,
    lines: Budget,
    refusals: Budget,
}

impl Journal {
    pub(super) fn new(charset: &'static Encoding) -> Self {
        Self {
            charset,
            lines: Budget::new(LINES),
            refusals: Budget::new(REFUSALS),
        }
    }

    pub(super) fn hear(&mut self, now: Time, event: &Event<'_>) {
        let level = level(event);
        if !log::log_enabled!(level) {
            return;
        }
        let line = Line {
            event,
            charset: self.charset,
            privacy: Privacy::in_force(),
        };
        if !line.is_wanted() {
            return;
        }
        let (budget, what) = match event {
            // Who keeps order is no stranger, and is to be found again.
            Event::Command { .. } | Event::CommandFailed(..) => {
                log::log!(level, "{line}");
                return;
            }
            Event::LoginRefused { .. } => (&mut self.refusals, "refused logins"),
            _ => (&mut self.lines, "lines"),
        };
        match budget.take(now) {
            Some(0) => log::log!(level, "{line}"),
            Some(left_out) => {
                log::log!(level, "{left_out} more {what} were left out of the log");
                log::log!(level, "{line}");
            }
            None => {}
        }
    }
}

fn level(event: &Event<'_>) -> Level {
    match event {
        Event::LoginRefused { .. } | Event::OutOfSync { .. } | Event::NotReady(..) => Level::Warn,
        _ => Level::Info,
    }
}

/// So many in a time.
#[derive(Debug)]
struct Budget {
    most: u32,
    left: u32,
    until: Time,
    left_out: u64,
}

impl Budget {
    fn new(most: u32) -> Self {
        Self {
            most,
            left: most,
            until: Time::ZERO,
            left_out: 0,
        }
    }

    /// Takes one; answers how many could not be taken before this one, or `None` if this cannot.
    fn take(&mut self, now: Time) -> Option<u64> {
        if self.until <= now {
            self.until = now + WINDOW;
            self.left = self.most;
        }
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                Some(std::mem::take(&mut self.left_out))
            }
            None => {
                self.left_out += 1;
                None
            }
        }
    }
}

/// `"Ann"`, with everything escaped that is no plain letter.
struct Quoted<'l>(Cow<'l, str>);

/// `"Ann" (1)`
struct Named<'l>(Quoted<'l>, u16);

/// `room 3 "Game"`
struct Numbered<'l>(u32, Quoted<'l>);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(name, id) = self;
        write!(f, "{name} ({id})")
    }
}

impl Display for Numbered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(id, game) = self;
        write!(f, "room {id} {game}")
    }
}

/// An event in words.
struct Line<'l> {
    event: &'l Event<'l>,
    charset: &'static Encoding,
    privacy: Privacy,
}

impl<'l> Line<'l> {
    /// Whether the operator wants it at all.
    fn is_wanted(&self) -> bool {
        match self.event {
            Event::Chat(..) => self.privacy.chat,
            Event::RoomChat(..) => self.privacy.game_chat,
            _ => true,
        }
    }

    fn text(&self, bytes: &'l [u8]) -> Cow<'l, str> {
        self.charset.decode_without_bom_handling(bytes).0
    }

    fn quoted(&self, bytes: &'l [u8]) -> Quoted<'l> {
        Quoted(self.text(bytes))
    }

    fn who(&self, who: &Who<'l>) -> Named<'l> {
        Named(self.quoted(who.name), who.id.0)
    }

    fn room(&self, room: &Room<'l>) -> Numbered<'l> {
        Numbered(room.id.0, self.quoted(room.game))
    }

    fn address(&self, address: IpAddr) -> Shown {
        Address::from(address).shown(self.privacy.addresses)
    }

    fn write_command(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Event::Command {
            who,
            word,
            rest,
            ref target,
            is_speech,
        } = *self.event
        else {
            return Ok(());
        };
        write!(f, "command: {} {word}", self.who(&who))?;
        if is_speech && !self.privacy.chat {
            return f.write_str(" (a text)");
        }
        if !rest.is_empty() {
            let text = self.without_addresses(&self.text(rest));
            write!(f, " {text:?}")?;
        }
        match target {
            Some(target) => write!(f, ", about {}", self.who(target)),
            None => Ok(()),
        }
    }

    /// `text` with each address in it as addresses are shown.
    fn without_addresses(&self, text: &str) -> String {
        let is_of_address = |c: char| c.is_ascii_hexdigit() || c == '.' || c == ':';
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(begin) = rest.find(is_of_address) {
            let (before, from) = rest.split_at(begin);
            let end = from.find(|c| !is_of_address(c)).unwrap_or(from.len());
            let (word, after) = from.split_at(end);
            out.push_str(before);
            match address(word) {
                Some(address) => out.push_str(&self.address(address).to_string()),
                None => out.push_str(word),
            }
            rest = after;
        }
        out + rest
    }

    fn write_of_room(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self.event {
            Event::RoomOpened(ref room, ref who) => {
                write!(f, "{}: opened by {}", self.room(room), self.who(who))
            }
            Event::RoomEntered(ref room, ref who) => {
                write!(f, "{}: {} is in", self.room(room), self.who(who))
            }
            Event::RoomLeft(ref room, ref who) => {
                write!(f, "{}: {} has left", self.room(room), self.who(who))
            }
            Event::RoomClosed(ref room) => write!(f, "{}: closed", self.room(room)),
            Event::GameStarted(ref room, players) => {
                write!(f, "{}: started, players: {players}", self.room(room))
            }
            Event::GameOver(ref room) => write!(f, "{}: the game is over", self.room(room)),
            Event::NotReady(ref room, ref who) => {
                write!(
                    f,
                    "{}: {} was not ready in time",
                    self.room(room),
                    self.who(who)
                )
            }
            Event::Removed {
                ref room,
                ref who,
                ref by,
            } => {
                let (who, by) = (self.who(who), self.who(by));
                write!(f, "{}: {who} was removed by {by}", self.room(room))
            }
            Event::OutOfSync {
                ref room,
                ref who,
                cause,
                dropped,
            } => {
                write!(f, "{}: {} is out of sync: ", self.room(room), self.who(who))?;
                match cause {
                    Desync::Gap => f.write_str("packets were lost")?,
                    Desync::Stall(time) => write!(f, "nothing for {} s", time.as_secs())?,
                }
                f.write_str(if dropped { "; dropped" } else { "" })
            }
            Event::RoomChat(ref room, ref who, text) => {
                let (room, who) = (self.room(room), self.who(who));
                write!(f, "{room}: {who}: {}", self.quoted(text))
            }
            // Everything else is told elsewhere.
            _ => Ok(()),
        }
    }
}

impl Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self.event {
            Event::LoggedIn {
                ref who,
                ping,
                connection_type,
                emulator,
                level,
            } => write!(
                f,
                "login: {} from {}, {} ms, {}, {}, {}",
                self.who(who),
                self.address(who.address),
                ping.as_millis(),
                type_name(connection_type),
                self.quoted(emulator),
                level.name(),
            ),
            Event::LoginRefused {
                name,
                address,
                reason,
            } => write!(
                f,
                "login refused: {} from {}: {}",
                self.quoted(name),
                self.address(address),
                self.quoted(reason),
            ),
            Event::LoggedOut {
                ref who,
                words,
                own_words,
            } => match own_words && !self.privacy.chat {
                true => write!(f, "quit: {}", self.who(who)),
                false => write!(f, "quit: {}: {}", self.who(who), self.quoted(words)),
            },
            Event::Autofire {
                ref room,
                ref who,
                level,
                rhythm: Rhythm(on, off),
            } => write!(
                f,
                "autofire: {} in {}, {on} and {off} frames, at level {level}",
                self.who(who),
                self.room(room),
            ),
            Event::Command { .. } => self.write_command(f),
            Event::CommandFailed(ref who, word) => {
                write!(f, "command not done: {} {word}", self.who(who))
            }
            Event::Chat(ref who, text) => {
                write!(f, "chat: {}: {}", self.who(who), self.quoted(text))
            }
            _ => self.write_of_room(f),
        }
    }
}

/// The address that `word` is, with a port or without, between dots and colons that are no part of
/// it.
fn address(word: &str) -> Option<IpAddr> {
    let marks = ['.', ':'];
    let whole = [word, word.trim_end_matches(marks), word.trim_matches(marks)];
    let alone = whole.iter().find_map(|it| it.parse().ok());
    let with_port = || {
        let found = whole.iter().find_map(|it| it.parse::<SocketAddr>().ok());
        found.map(|it| it.ip())
    };
    alone.or_else(with_port)
}

fn type_name(connection_type: ConnectionType) -> &'static str {
    match connection_type {
        ConnectionType::Lan => "LAN",
        ConnectionType::Excellent => "excellent",
        ConnectionType::Good => "good",
        ConnectionType::Average => "average",
        ConnectionType::Low => "low",
        ConnectionType::Bad => "bad",
    }
}

#[cfg(test)]
mod tests;
