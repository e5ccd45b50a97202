//! Lines that begin with a slash: the tables of words, and how a line is read.

/// The rows of a table: the word, what it commands, and how it is used.
macro_rules! table {
    ($($word:literal $command:expr, $help:ident;)*) => {
        &[$(Entry {
            word: $word,
            command: $command,
            help: Text::$help,
        },)*]
    };
}

mod admin;
mod game;
mod ignore;
mod lobby;
mod message;
mod order;
mod room;
mod social;

use super::{
    Lobby, Sink, UserKey,
    catalogue::{Param, ROOM_NAME, Text},
    chat::{inform, say},
    rights::Right,
};
use crate::timer::Time;

/// Where a command was given, and so where it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Answers are information lines.
    Lobby,
    /// Answers are notices in the room.
    Room,
}

/// The words of all commands, with their slash and in lower case, and where each is given.
///
/// A word comes twice where admins have a command of their own for it.
pub fn commands() -> impl Iterator<Item = (Place, &'static str)> {
    let in_lobby = lobby::words().chain(admin::words()).chain(social::words());
    let in_room = room::words().chain(social::words());
    let in_room = in_room.map(|word| (Place::Room, word));
    in_lobby.map(|word| (Place::Lobby, word)).chain(in_room)
}

impl Lobby {
    /// Lets an ordinary user give a command as often as it may write a line; else it is told.
    fn take_turn(&mut self, now: Time, user: UserKey, place: Place, sink: &mut impl Sink) -> bool {
        let Some(sender) = self.users.get(user) else {
            return false;
        };
        if sender.may(Right::AnyPace) {
            return true;
        }
        if self.check_turn(now, sender).is_err() {
            self.reply(user, place, Text::CommandFlood, &[], sink);
            return false;
        }
        self.end_turn(now, user);
        true
    }

    /// Whether the operator lets the command be given; what is not is no command.
    fn offers(&self, word: &[u8]) -> bool {
        let switches = [
            ("/delay", self.rules.choose_delay),
            ("/password", self.rules.passwords),
            ("/shadowsilence", self.rules.shadow_mute),
            ("/unshadowsilence", self.rules.shadow_mute),
        ];
        let is_off = |(of, on): &(&str, bool)| !on && of.as_bytes().eq_ignore_ascii_case(word);
        !switches.iter().any(is_off)
    }

    /// Answers one user where it asked.
    fn reply(
        &self,
        to: UserKey,
        place: Place,
        text: Text,
        params: &[Param<'_>],
        sink: &mut impl Sink,
    ) {
        reply_line(to, place, &self.catalogue.line(text, params), sink);
    }
}

fn reply_line(to: UserKey, place: Place, line: &[u8], sink: &mut impl Sink) {
    match place {
        Place::Lobby => inform(&[to], line, sink),
        Place::Room => say(&[to], ROOM_NAME, line, sink),
    }
}

/// One command.
struct Entry<C: 'static> {
    /// With its slash, in lower case.
    word: &'static str,
    command: C,
    /// How it is used; shown by `/help`, and when it was used otherwise.
    help: Text,
}

fn words<C>(table: &'static [Entry<C>]) -> impl Iterator<Item = &'static str> {
    table.iter().map(|entry| entry.word)
}

impl<C> Entry<C> {
    /// What `/help` has of it.
    fn line(&self) -> (&'static str, Text) {
        (self.word, self.help)
    }
}

/// The entry for `word`, in any case.
fn find<'t, C>(table: &'t [Entry<C>], word: &[u8]) -> Option<&'t Entry<C>> {
    let is_it = |entry: &&Entry<C>| entry.word.as_bytes().eq_ignore_ascii_case(word);
    table.iter().find(is_it)
}

/// The first word of a line, and what follows without outer blanks.
fn split(line: &[u8]) -> (&[u8], &[u8]) {
    let end = line.iter().position(|byte| *byte == b' ');
    let (word, rest) = line
        .split_at_checked(end.unwrap_or(line.len()))
        .unwrap_or((line, &[]));
    (word, super::charset::trim(rest))
}

/// A number in decimal digits.
fn number(digits: &[u8]) -> Option<u32> {
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(digits).ok()?;
    is_number.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_at_runs_of_blanks() {
        assert_eq!(
            split(b"/me  waves  a lot "),
            (&b"/me"[..], &b"waves  a lot"[..])
        );
        assert_eq!(split(b"/me"), (&b"/me"[..], &b""[..]));
    }

    #[test]
    fn numbers_are_digits_only() {
        assert_eq!(number(b"042"), Some(42));
        for text in [
            &b""[..],
            b"-5",
            b"+5",
            b"1,234",
            b"4 2",
            b"99999999999",
            b"\xB2",
        ] {
            assert_eq!(number(text), None);
        }
    }

    #[test]
    fn whole_words_match_in_any_case() {
        let table = [Entry {
            word: "/me",
            command: (),
            help: Text::HelpMe,
        }];
        assert!(find(&table, b"/ME").is_some());
        assert!(find(&table, b"/mean").is_none());
    }
}
