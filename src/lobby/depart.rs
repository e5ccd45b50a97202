//! How users leave the server, one by one or all together (kaillera.md 5).

use super::{
    Close, Departure, Event, Lobby, Sink, UserKey,
    catalogue::{ROOM_NAME, Text},
    charset::trim,
    chat::inform,
    game::Phase,
    rights::Right,
    user::Presence,
};
use crate::{kaillera::message::ServerMessage, timer::Time};
use std::time::Duration;

/// Longest parting words in bytes: clients' buffers have 128.
const PARTING_WORDS: usize = 126;

impl Lobby {
    /// Takes out a user that did not say so itself.
    ///
    /// One that reconnected is not told, as its seat belongs to its successor by now.
    /// [`Departure::Idle`] is passed over for users that the rules let stay.
    pub fn depart(&mut self, now: Time, user: UserKey, why: Departure, sink: &mut impl Sink) {
        let Some(leaver) = self.users.get(user) else {
            return;
        };
        let idles_freely = leaver.may(Right::Idle) || self.rules.idle_timeout == Duration::ZERO;
        if why == Departure::Idle && idles_freely {
            return;
        }
        let (text, presence) = match why {
            Departure::ConnectionLost => (Text::QuitLost, Presence::Leaving),
            Departure::Idle => (Text::QuitIdle, Presence::Leaving),
            Departure::Reconnected => (Text::QuitReconnected, Presence::Replaced),
            Departure::Failed => (Text::QuitFailed, Presence::Leaving),
        };
        let words = self.parting_words(text);
        self.mark_lost(user, why != Departure::Idle);
        self.leave(now, user, &words, presence, sink);
    }

    /// Tells everybody, in the lobby and in the rooms, that the server goes down once the games
    /// that run are over. From here on nobody is let in, and no room opens and no game starts.
    pub fn drain(&mut self, _now: Time, sink: &mut impl Sink) {
        self.draining = true;
        self.tell_all(Text::Draining, sink);
    }

    /// Tells everybody, in the lobby and in the rooms, that the server goes down.
    pub fn shut_down(&mut self, _now: Time, sink: &mut impl Sink) {
        self.tell_all(Text::ShuttingDown, sink);
        self.trivia_ends(sink);
    }

    fn tell_all(&mut self, text: Text, sink: &mut impl Sink) {
        let text = self.catalogue.line(text, &[]);
        inform(self.users.listeners(), &text, sink);
        let notice = ServerMessage::GameChat {
            name: ROOM_NAME,
            text: &text,
        };
        for game in self.games.iter() {
            sink.notice(game.room(&self.users, &mut self.scratch), &notice);
        }
    }

    /// Sends everybody away, each told of itself only.
    pub fn close_all(&mut self, _now: Time, sink: &mut impl Sink) {
        for game in self.games.drain() {
            if game.phase != Phase::Waiting {
                sink.end(game.key);
            }
        }
        let message = self.parting_words(Text::ShuttingDown);
        for user in self.users.drain() {
            sink.event(&Event::LoggedOut {
                who: user.who(),
                words: &message,
                own_words: false,
            });
            let quit = ServerMessage::Quit {
                name: &user.name,
                id: user.id,
                message: &message,
            };
            sink.notice(&[user.key], &quit);
            sink.close(user.key, Close::Left);
        }
    }

    /// A user says that it leaves. The words of one whose lines are hidden are, too, and so are
    /// those the operator does not want.
    pub(super) fn quit(&mut self, now: Time, user: UserKey, message: &[u8], sink: &mut impl Sink) {
        let words = trim(message);
        let limit = self.rules.max_quit_message_length;
        let too_long =
            words.len() > PARTING_WORDS || limit != 0 && self.charset.count(words) > limit;
        let is_hidden = self.users.get(user).is_some_and(|leaver| {
            let is_unwanted = !leaver.may(Right::AnyText) && self.is_filtered(words);
            is_unwanted || self.shadows.hides(now, leaver.address)
        });
        if words.is_empty() || too_long || is_hidden {
            let words = self.parting_words(Text::QuitStandard);
            self.leave(now, user, &words, Presence::Leaving, sink);
        } else {
            self.leave_saying(now, user, (words, true), Presence::Leaving, sink);
        }
    }

    /// The whole way out, with words of the server's.
    pub(super) fn leave(
        &mut self,
        now: Time,
        user: UserKey,
        words: &[u8],
        presence: Presence,
        sink: &mut impl Sink,
    ) {
        self.leave_saying(now, user, (words, false), presence, sink);
    }

    /// The whole way out: the room first, then the others, then the leaver itself. The words may
    /// be its own.
    fn leave_saying(
        &mut self,
        now: Time,
        user: UserKey,
        (words, own_words): (&[u8], bool),
        presence: Presence,
        sink: &mut impl Sink,
    ) {
        self.users.set_presence([user], presence);
        self.quit_game(now, user, sink);
        let Some(leaver) = self.users.remove(user) else {
            return;
        };
        let quit = ServerMessage::Quit {
            name: &leaver.name,
            id: leaver.id,
            message: words,
        };
        sink.event(&Event::LoggedOut {
            who: leaver.who(),
            words,
            own_words,
        });
        if !self.users.listeners().is_empty() {
            sink.notice(self.users.listeners(), &quit);
        }
        if presence != Presence::Replaced {
            sink.notice(&[user], &quit);
            sink.close(user, Close::Left);
        }
    }

    pub(super) fn parting_words(&self, text: Text) -> Vec<u8> {
        self.catalogue.bytes(text, &[], PARTING_WORDS)
    }
}
