//! What users do to each other, in the lobby and in rooms alike (kaillera-server.md 7.3, 7.4).

use super::{Entry, Place};
use crate::{
    lobby::{
        Event, Lobby, Sink, UserKey,
        catalogue::{Param, ROOM_NAME, Text},
        chat::{inform, say},
    },
    timer::Time,
};

#[derive(Clone, Copy)]
pub(super) enum Command {
    Ignore,
    IgnoreAll(bool),
    Me,
    Message,
    Messages(bool),
    Unignore,
}

pub(super) const TABLE: &[Entry<Command>] = table! {
    "/me" Command::Me, HelpMe;
    "/msg" Command::Message, HelpMessage;
    "/msgon" Command::Messages(true), HelpMessagesOn;
    "/msgoff" Command::Messages(false), HelpMessagesOff;
    "/ignore" Command::Ignore, HelpIgnore;
    "/unignore" Command::Unignore, HelpUnignore;
    "/ignoreall" Command::IgnoreAll(true), HelpIgnoreAll;
    "/unignoreall" Command::IgnoreAll(false), HelpUnignoreAll;
};

pub(super) fn words() -> impl Iterator<Item = &'static str> {
    super::words(TABLE)
}

impl Lobby {
    pub(super) fn social_command(
        &mut self,
        now: Time,
        user: UserKey,
        place: Place,
        command: Command,
        rest: &[u8],
        sink: &mut impl Sink,
    ) {
        match command {
            Command::Ignore => self.ignore(user, place, rest, sink),
            Command::IgnoreAll(on) => self.ignore_all(user, on, sink),
            Command::Me => self.emote(now, user, place, rest, sink),
            Command::Message => self.private_message(now, user, place, rest, sink),
            Command::Messages(on) => self.set_messages(user, place, on, sink),
            Command::Unignore => self.unignore(user, place, rest, sink),
        }
    }
    fn emote(&mut self, now: Time, user: UserKey, place: Place, text: &[u8], sink: &mut impl Sink) {
        let Some(sender) = self.users.get(user) else {
            return;
        };
        let text = text.strip_prefix(b":").unwrap_or(text);
        if text.is_empty() {
            let usage = [Param::Text(Text::UsageMe)];
            self.reply(user, place, Text::CommandUsage, &usage, sink);
            return;
        }
        if self.is_silenced(now, sender) {
            self.reply(user, place, Text::CommandFlood, &[], sink);
            return;
        }
        let room = sender.room.filter(|_| place == Place::Room);
        let room = room.and_then(|room| self.games.get(room));
        if room.is_some_and(|game| game.mutes(sender)) {
            self.reply(user, place, Text::GameChatMuted, &[], sink);
            return;
        }
        if let Err(reason) = self.check_chat(sender, text) {
            let reason = [Param::Text(reason)];
            self.reply(user, place, Text::ChatDenied, &reason, sink);
            return;
        }
        sink.event(&match room {
            Some(game) => Event::RoomChat(game.as_room(), sender.who(), text),
            None => Event::Chat(sender.who(), text),
        });
        let params = [Param::Bytes(&sender.name), Param::Bytes(text)];
        let lines = self.catalogue.wrapped(Text::Emote, &params);
        let alone = [user];
        let to = match room {
            _ if self.shadows.hides(now, sender.address) => &alone,
            Some(game) => game.audience(&self.users, sender, &mut self.scratch),
            None => self.users.audience(sender, &mut self.scratch),
        };
        for line in &lines {
            match place {
                Place::Lobby => inform(to, line, sink),
                Place::Room => say(to, ROOM_NAME, line, sink),
            }
        }
    }
}
