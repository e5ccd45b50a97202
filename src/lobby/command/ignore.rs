//! Not wanting to see somebody's lines (kaillera-server.md 7.3).
//!
//! It holds for the address: in the lobby, in rooms, for emotes and private messages.

use super::{Place, number};
use crate::{
    kaillera::message::UserId,
    lobby::{
        Lobby, Sink, UserKey,
        catalogue::{Param, Text},
        chat::inform,
        rights::Right,
        user::User,
    },
};

/// Most addresses one user can ignore; the oldest makes room for a new one.
const MOST: usize = 100;

impl Lobby {
    pub(super) fn ignore(
        &mut self,
        user: UserKey,
        place: Place,
        rest: &[u8],
        sink: &mut impl Sink,
    ) {
        let target = match self.named(user, place, rest, Text::UsageIgnore, sink) {
            Some(target) => target,
            None => return,
        };
        let (key, address) = (target.key, target.address);
        let above = target.may(Right::NotIgnored);
        let name = target.name.clone();
        let Some(sender) = self.users.get_mut(user) else {
            return;
        };
        let refusal = if key == user {
            Some(Text::IgnoreSelf)
        } else if above {
            Some(Text::IgnoreModerator)
        } else if sender.ignored.contains(&address) {
            Some(Text::IgnoreTwice)
        } else {
            None
        };
        if let Some(text) = refusal {
            self.reply(user, place, text, &[Param::Bytes(&name)], sink);
            return;
        }
        if sender.ignored.len() >= MOST {
            sender.ignored.remove(0);
        }
        sender.ignored.push(address);
        self.announce_pair(user, key, Text::Ignored, sink);
    }

    pub(super) fn unignore(
        &mut self,
        user: UserKey,
        place: Place,
        rest: &[u8],
        sink: &mut impl Sink,
    ) {
        let target = match self.named(user, place, rest, Text::UsageUnignore, sink) {
            Some(target) => target,
            None => return,
        };
        let (key, address, name) = (target.key, target.address, target.name.clone());
        let Some(sender) = self.users.get_mut(user) else {
            return;
        };
        let before = sender.ignored.len();
        sender.ignored.retain(|ignored| *ignored != address);
        if sender.ignored.len() == before {
            self.reply(user, place, Text::IgnoreNot, &[Param::Bytes(&name)], sink);
        } else {
            self.announce_pair(user, key, Text::Unignored, sink);
        }
    }

    /// Everyone below admin, or nobody any more; those named one by one stay ignored.
    pub(super) fn ignore_all(&mut self, user: UserKey, on: bool, sink: &mut impl Sink) {
        let Some(sender) = self.users.get_mut(user) else {
            return;
        };
        sender.ignores_all = on;
        let text = match on {
            true => Text::IgnoredAll,
            false => Text::UnignoredAll,
        };
        let params = [
            Param::Bytes(&sender.name),
            Param::Number(sender.id.0.into()),
        ];
        let line = self.catalogue.line(text, &params);
        inform(self.users.listeners(), &line, sink);
    }

    /// The user whose number is `rest`; else the sender is told what is wrong.
    fn named(
        &self,
        user: UserKey,
        place: Place,
        rest: &[u8],
        usage: Text,
        sink: &mut impl Sink,
    ) -> Option<&User> {
        let Some(id) = number(rest) else {
            self.reply(user, place, Text::CommandUsage, &[Param::Text(usage)], sink);
            return None;
        };
        let id = u16::try_from(id).ok().map(UserId);
        let target = id.and_then(|id| self.users.with_id(id));
        if target.is_none() {
            self.reply(user, place, Text::UserNotFound, &[Param::Bytes(rest)], sink);
        }
        target
    }

    fn announce_pair(&self, one: UserKey, other: UserKey, text: Text, sink: &mut impl Sink) {
        let (Some(one), Some(other)) = (self.users.get(one), self.users.get(other)) else {
            return;
        };
        let params = [
            Param::Bytes(&one.name),
            Param::Number(one.id.0.into()),
            Param::Bytes(&other.name),
            Param::Number(other.id.0.into()),
        ];
        let line = self.catalogue.line(text, &params);
        inform(self.users.listeners(), &line, sink);
    }
}
