//! Private messages (kaillera-server.md 7.3).

use super::{Place, number, reply_line, split};
use crate::{
    kaillera::message::UserId,
    lobby::{
        Lobby, Sink, UserKey,
        catalogue::{Param, Text},
        rights::Right,
        user::User,
    },
    timer::Time,
};

/// Most characters of a private message by an ordinary user.
const LONGEST: usize = 320;

/// Why a message is not delivered.
enum Refusal<'a> {
    Usage,
    NoPartner,
    Unknown(&'a [u8]),
    ToOneself,
    Refused(UserKey),
    Ignored(UserKey),
    Bad(Text),
}

impl Lobby {
    pub(super) fn set_messages(
        &mut self,
        user: UserKey,
        place: Place,
        on: bool,
        sink: &mut impl Sink,
    ) {
        if let Some(user) = self.users.get_mut(user) {
            user.takes_messages = on;
        }
        let text = match on {
            true => Text::MessagesOn,
            false => Text::MessagesOff,
        };
        self.reply(user, place, text, &[], sink);
    }

    /// `<id> <text>`, or `<text>` to the partner of the last message.
    pub(super) fn private_message(
        &mut self,
        now: Time,
        user: UserKey,
        place: Place,
        rest: &[u8],
        sink: &mut impl Sink,
    ) {
        let Some(sender) = self.users.get(user) else {
            return;
        };
        if self.is_silenced(now, sender) {
            self.reply(user, place, Text::CommandFlood, &[], sink);
            return;
        }
        let (target, text) = match self.addressee(sender, place, rest) {
            Ok((target, text)) => (target, text),
            Err(refusal) => {
                self.refuse_message(user, place, &refusal, sink);
                return;
            }
        };
        if text.is_empty() {
            return;
        }
        if let Err(refusal) = self.check_message(sender, target, text) {
            self.refuse_message(user, place, &refusal, sink);
            return;
        }
        let (from, to) = (sender.id, target.id);
        let sent = [
            Param::Bytes(&target.name),
            Param::Number(to.0.into()),
            Param::Bytes(&sender.name),
            Param::Number(from.0.into()),
            Param::Bytes(text),
        ];
        for line in self.catalogue.wrapped(Text::MessageSent, &sent) {
            reply_line(user, place, &line, sink);
        }
        let receiver = target.key;
        let received = [
            Param::Bytes(&sender.name),
            Param::Number(from.0.into()),
            Param::Bytes(text),
        ];
        if self.shadows.hides(now, sender.address) {
            return;
        }
        for line in self.catalogue.wrapped(Text::MessageReceived, &received) {
            reply_line(receiver, place, &line, sink);
        }
        for (key, partner) in [(user, to), (receiver, from)] {
            if let Some(user) = self.users.get_mut(key) {
                user.partner = Some(partner);
            }
        }
    }

    /// Whom the message goes to, and what it says. In a room only its members can be reached.
    fn addressee<'r>(
        &self,
        sender: &User,
        place: Place,
        rest: &'r [u8],
    ) -> Result<(&User, &'r [u8]), Refusal<'r>> {
        let (word, text) = split(rest);
        if word.is_empty() {
            return Err(Refusal::Usage);
        }
        let (id, text) = match number(word) {
            Some(id) => (u16::try_from(id).ok().map(UserId), text),
            None => (sender.partner, rest),
        };
        let target = match id {
            None if number(word).is_none() => return Err(Refusal::NoPartner),
            id => id.and_then(|id| self.users.with_id(id)),
        };
        let room = sender.room.and_then(|room| self.games.get(room));
        let is_near = |target: &&User| {
            let is_hidden = room.is_some_and(|game| game.hides(target));
            place == Place::Lobby || target.room == sender.room && !is_hidden
        };
        let target = target.filter(is_near);
        target
            .map(|target| (target, text))
            .ok_or(Refusal::Unknown(word))
    }

    fn check_message(
        &self,
        sender: &User,
        target: &User,
        text: &[u8],
    ) -> Result<(), Refusal<'static>> {
        if target.key == sender.key {
            return Err(Refusal::ToOneself);
        }
        if !sender.may(Right::AnyText) && self.charset.has_control(text) {
            return Err(Refusal::Bad(Text::ChatIllegal));
        }
        if !sender.may(Right::AnyText) && self.charset.count(text) > LONGEST {
            return Err(Refusal::Bad(Text::ChatLong));
        }
        if !sender.may(Right::AnyText) && self.is_filtered(text) {
            return Err(Refusal::Bad(Text::ChatFiltered));
        }
        if !target.takes_messages {
            return Err(Refusal::Refused(target.key));
        }
        if !target.hears(sender) {
            return Err(Refusal::Ignored(target.key));
        }
        Ok(())
    }

    fn refuse_message(
        &self,
        user: UserKey,
        place: Place,
        refusal: &Refusal<'_>,
        sink: &mut impl Sink,
    ) {
        let name = |key| self.users.get(key).map_or(&[][..], |user| &user.name);
        let usage = [Param::Text(Text::UsageMessage)];
        let (text, params) = match *refusal {
            Refusal::Usage => (Text::CommandUsage, &usage),
            Refusal::NoPartner => (Text::MessageNoPartner, &usage),
            Refusal::Unknown(word) => (Text::UserNotFound, &[Param::Bytes(word)]),
            Refusal::ToOneself => (Text::MessageSelf, &usage),
            Refusal::Refused(target) => (Text::MessageRefused, &[Param::Bytes(name(target))]),
            Refusal::Ignored(target) => (Text::MessageIgnored, &[Param::Bytes(name(target))]),
            Refusal::Bad(reason) => (Text::ChatDenied, &[Param::Text(reason)]),
        };
        self.reply(user, place, text, params, sink);
    }
}
