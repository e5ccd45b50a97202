//! Lines of text, in the lobby and in rooms (kaillera.md 6.1, 6.7).

use super::{
    Event, GameKey, Lobby, Sink, UserKey,
    catalogue::{ERROR_NAME, LOBBY_NAME, Param, ROOM_NAME, Text, USER_LINE},
    charset::trim,
    rights::Right,
    user::User,
};
use crate::{kaillera::message::ServerMessage, timer::Time};
use std::time::Duration;

/// Lines an ordinary user may send to its room in one [`ROOM_WINDOW`].
const ROOM_LINES: u32 = 60;
const ROOM_WINDOW: Duration = Duration::from_secs(10);

/// What a line is allowed to be.
enum Verdict {
    Send,
    Refuse,
    /// Refused, and the user has been told.
    Swallow,
}

impl Lobby {
    pub(super) fn chat(&mut self, now: Time, user: UserKey, text: &[u8], sink: &mut impl Sink) {
        let text = trim(text);
        let Some(speaker) = self.users.get(user) else {
            return;
        };
        if text.first() == Some(&b'/') {
            self.lobby_command(now, user, text, sink);
            return;
        }
        if let Err(reason) = self.check_turn(now, speaker) {
            self.refuse_chat(user, reason, sink);
            return;
        }
        if self.charset.is_blank(text) || self.charset.begins_with_none(text) {
            return;
        }
        if let Err(reason) = self.check_chat(speaker, text) {
            self.refuse_chat(user, reason, sink);
            return;
        }
        sink.event(&Event::Chat(speaker.who(), text));
        let name = &speaker.name;
        let alone = [user];
        let to = match self.shadows.hides(now, speaker.address) {
            true => &alone,
            false => self.users.audience(speaker, &mut self.scratch),
        };
        if !to.is_empty() {
            for text in self.charset.pieces(text, USER_LINE) {
                sink.notice(to, &ServerMessage::Chat { name, text });
            }
        }
        self.trivia_hears(now, user, text, sink);
        self.end_turn(now, user);
    }

    /// Room lines carry some emulators' data, so their bytes are nobody's business: text is
    /// shown in as many lines as clients have room for, data goes through in one or not at all.
    pub(super) fn game_chat(
        &mut self,
        now: Time,
        user: UserKey,
        text: &[u8],
        sink: &mut impl Sink,
    ) {
        let Some(room) = self.users.get(user).and_then(|user| user.room) else {
            return;
        };
        match self.count_room_line(now, user) {
            Verdict::Send => {}
            Verdict::Refuse => {
                let reason = [Param::Text(Text::ChatFlood)];
                let refusal = self.catalogue.line(Text::ChatDenied, &reason);
                say(&[user], ROOM_NAME, &refusal, sink);
                return;
            }
            Verdict::Swallow => return,
        }
        if text.first() == Some(&b'/') {
            self.room_command(now, user, room, text, sink);
            return;
        }
        let Some(speaker) = self.users.get(user) else {
            return;
        };
        if self.is_silenced(now, speaker) {
            let reason = [Param::Text(Text::ChatSilenced)];
            let refusal = self.catalogue.line(Text::ChatDenied, &reason);
            say(&[user], ROOM_NAME, &refusal, sink);
            return;
        }
        if self.games.get(room).is_some_and(|game| game.mutes(speaker)) {
            let refusal = self.catalogue.line(Text::GameChatMuted, &[]);
            say(&[user], ROOM_NAME, &refusal, sink);
            return;
        }
        let limit = self.rules.max_game_chat_length;
        let is_checked = !speaker.may(Right::AnyText) && limit != 0;
        let is_long = is_checked && self.charset.count(text) > limit;
        let is_data = self.charset.is_data(text);
        if is_long || is_data && text.len() > self.rules.max_game_data_length {
            let refusal = self.catalogue.line(Text::GameChatLong, &[]);
            say(&[user], ROOM_NAME, &refusal, sink);
            return;
        }
        // Bytes that the set does not know make no line an emulator's.
        let is_text = !speaker.may(Right::AnyText) && !self.charset.has_control(text);
        if is_text && self.is_filtered(text) {
            let reason = [Param::Text(Text::ChatFiltered)];
            let refusal = self.catalogue.line(Text::ChatDenied, &reason);
            say(&[user], ROOM_NAME, &refusal, sink);
            return;
        }
        if let Some(game) = self.games.get(room) {
            if !is_data {
                sink.event(&Event::RoomChat(game.as_room(), speaker.who(), text));
            }
            let alone = [user];
            let to = match self.shadows.hides(now, speaker.address) {
                true => &alone,
                false => game.audience(&self.users, speaker, &mut self.scratch),
            };
            let longest = if is_data { text.len() } else { USER_LINE };
            for text in self.charset.pieces(text, longest) {
                say(to, &speaker.name, text, sink);
            }
        }
    }

    /// Whether an ordinary user may say this in the lobby.
    pub(super) fn check_chat(&self, speaker: &User, text: &[u8]) -> Result<(), Text> {
        if speaker.may(Right::AnyText) {
            return Ok(());
        }
        let limit = self.rules.max_chat_length;
        if self.charset.has_control(text) {
            return Err(Text::ChatIllegal);
        }
        if limit != 0 && self.charset.count(text) > limit {
            return Err(Text::ChatLong);
        }
        if self.is_filtered(text) {
            return Err(Text::ChatFiltered);
        }
        Ok(())
    }

    pub(super) fn refuse_chat(&self, user: UserKey, reason: Text, sink: &mut impl Sink) {
        let reason = [Param::Text(reason)];
        inform(
            &[user],
            &self.catalogue.line(Text::ChatDenied, &reason),
            sink,
        );
    }

    /// A notice of the server's to everybody in a room.
    pub(super) fn say_room(
        &mut self,
        room: GameKey,
        text: Text,
        params: &[Param<'_>],
        sink: &mut impl Sink,
    ) {
        if let Some(game) = self.games.get(room) {
            let to = game.room(&self.users, &mut self.scratch);
            for line in self.catalogue.wrapped(text, params) {
                say(to, ROOM_NAME, &line, sink);
            }
        }
    }

    /// A refusal to one member of a room.
    pub(super) fn say_error(&self, user: UserKey, text: Text, sink: &mut impl Sink) {
        say(&[user], ERROR_NAME, &self.catalogue.line(text, &[]), sink);
    }

    /// Whether a text has a word that the operator does not want.
    pub(super) fn is_filtered(&self, text: &[u8]) -> bool {
        self.rules.word_filter.catches(&self.charset.decode(text))
    }

    /// Whether it is this user's turn to say something in the lobby.
    pub(super) fn check_turn(&self, now: Time, speaker: &User) -> Result<(), Text> {
        if self.is_silenced(now, speaker) {
            Err(Text::ChatSilenced)
        } else if self.is_flooding(now, speaker) {
            Err(Text::ChatFlood)
        } else {
            Ok(())
        }
    }

    /// The user said something: its next turn comes after the pause.
    pub(super) fn end_turn(&mut self, now: Time, user: UserKey) {
        if let Some(speaker) = self.users.get_mut(user) {
            speaker.last_chat = Some(now);
        }
    }

    pub(super) fn is_silenced(&self, now: Time, speaker: &User) -> bool {
        !speaker.may(Right::SpeakSilenced) && self.access.is_silenced(now, speaker.address)
    }

    /// Whether an ordinary user speaks too soon after its last accepted line, or after it came.
    fn is_flooding(&self, now: Time, speaker: &User) -> bool {
        let quiet = match speaker.last_chat {
            Some(last) => now.since(last),
            None => speaker.connected.since(now),
        };
        !speaker.may(Right::AnyPace) && quiet < self.rules.chat_flood
    }

    fn count_room_line(&mut self, now: Time, user: UserKey) -> Verdict {
        let Some(speaker) = self.users.get_mut(user) else {
            return Verdict::Swallow;
        };
        if speaker.may(Right::AnyPace) {
            return Verdict::Send;
        }
        let window = &mut speaker.room_lines;
        if window.lines == 0 || now.since(window.since) >= ROOM_WINDOW {
            window.since = now;
            window.lines = 0;
        }
        window.lines = window.lines.saturating_add(1);
        match window.lines {
            0..=ROOM_LINES => Verdict::Send,
            lines if lines == ROOM_LINES + 1 => Verdict::Refuse,
            _ => Verdict::Swallow,
        }
    }
}

/// An information line.
pub(super) fn inform(to: &[UserKey], text: &[u8], sink: &mut impl Sink) {
    if !to.is_empty() {
        let source = LOBBY_NAME;
        sink.notice(to, &ServerMessage::InformationMessage { source, text });
    }
}

/// A line in a room.
pub(super) fn say(to: &[UserKey], name: &[u8], text: &[u8], sink: &mut impl Sink) {
    if !to.is_empty() {
        sink.notice(to, &ServerMessage::GameChat { name, text });
    }
}
