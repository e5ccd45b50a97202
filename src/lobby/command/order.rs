//! How a room's owner keeps order in it (kaillera-server.md 7.5).

use super::{Entry, Place, find, number, split};
use crate::{
    kaillera::message::UserId,
    lobby::{
        GameKey, Lobby, Sink, UserKey,
        catalogue::{Param, Text},
        rights::Right,
        user::User,
    },
    timer::Time,
};

/// Longest password of a room, in bytes.
const PASSWORD: usize = 32;

#[derive(Clone, Copy)]
pub(super) enum Command {
    Kick,
    KickAll,
    Mute(bool),
    MuteAll(bool),
    Password,
}

const TABLE: &[Entry<Command>] = table! {
    "/kick" Command::Kick, HelpKickPlayer;
    "/kickall" Command::KickAll, HelpKickAll;
    "/mute" Command::Mute(true), HelpMute;
    "/unmute" Command::Mute(false), HelpUnmute;
    "/muteall" Command::MuteAll(true), HelpMuteAll;
    "/unmuteall" Command::MuteAll(false), HelpUnmuteAll;
    "/password" Command::Password, HelpPassword;
};

pub(super) fn words() -> impl Iterator<Item = &'static str> {
    super::words(TABLE)
}

/// The command that `word` is, and its line of help.
pub(super) fn command(word: &[u8]) -> Option<(Command, Text)> {
    find(TABLE, word).map(|entry| (entry.command, entry.help))
}

/// What `/help` says of these commands.
pub(super) fn helps() -> impl Iterator<Item = (&'static str, Text)> {
    TABLE.iter().map(Entry::line)
}

impl Lobby {
    /// None if the command was used wrongly.
    pub(super) fn order_command(
        &mut self,
        now: Time,
        user: UserKey,
        room: GameKey,
        command: Command,
        rest: &[u8],
        sink: &mut impl Sink,
    ) -> Option<()> {
        match command {
            Command::Kick => self.kick_player(now, user, room, number(rest)?, sink),
            Command::KickAll => self.kick_all(now, user, room, sink),
            Command::Mute(on) => self.mute(user, room, on, number(rest)?, sink),
            Command::MuteAll(on) => {
                self.games.get_mut(room)?.mutes_all = on;
                let text = match on {
                    true => Text::MutedAll,
                    false => Text::UnmutedAll,
                };
                self.say_room(room, text, &[], sink);
            }
            Command::Password => self.set_password(room, rest, sink)?,
        }
        Some(())
    }

    /// Removes the member with this player number.
    fn kick_player(
        &mut self,
        now: Time,
        user: UserKey,
        room: GameKey,
        player: u32,
        sink: &mut impl Sink,
    ) {
        let target = self.games.get(room).and_then(|game| {
            let index = usize::try_from(player).ok()?.checked_sub(1)?;
            game.player(index).or_else(|| game.would_play().nth(index))
        });
        match target.and_then(|key| self.users.get(key)) {
            Some(target) => self.kick(now, user, target.id, sink),
            None => {
                let params = [Param::Number(player.into())];
                let reason = self.catalogue.line(Text::KickNoPlayer, &params);
                let params = [Param::Bytes(&reason)];
                self.reply(user, Place::Room, Text::CommandFailed, &params, sink);
            }
        }
    }

    /// Removes everybody below admin but the owner and the one who says so, the last first.
    fn kick_all(&mut self, now: Time, user: UserKey, room: GameKey, sink: &mut impl Sink) {
        let Some(game) = self.games.get(room) else {
            return;
        };
        let stays = |member: &User| {
            member.key == game.owner || member.key == user || member.may(Right::Untouched)
        };
        let members = game.members.iter().rev();
        let members = members.filter_map(|member| self.users.get(member.user));
        let gone: Vec<UserId> = members
            .filter(|member| !stays(member))
            .map(|member| member.id)
            .collect();
        for id in gone {
            self.kick(now, user, id, sink);
        }
        self.say_room(room, Text::KickedAll, &[], sink);
    }

    /// Keeps a member's address from writing in the room, or lets it write again.
    fn mute(&mut self, user: UserKey, room: GameKey, on: bool, id: u32, sink: &mut impl Sink) {
        let target = u16::try_from(id).ok().map(UserId);
        let target = target.and_then(|id| self.users.with_id(id));
        let game = self.games.get(room);
        let is_here = |target: &&User| {
            let is_hidden = game.is_some_and(|game| game.hides(target));
            target.room == Some(room) && !is_hidden
        };
        let Some(target) = target.filter(is_here) else {
            self.fail(user, Text::KickNotFound, sink);
            return;
        };
        let acts_on_admins = self
            .users
            .get(user)
            .is_some_and(|user| user.may(Right::ActOnAdmins));
        if target.key == user {
            self.fail(user, Text::TargetSelf, sink);
            return;
        }
        if target.may(Right::Untouched) && !acts_on_admins {
            self.fail(user, Text::TargetAdmin, sink);
            return;
        }
        let (address, name) = (target.address, target.name.clone());
        if let Some(game) = self.games.get_mut(room) {
            game.muted.retain(|muted| *muted != address);
            if on {
                game.muted.push(address);
            }
        }
        let text = match on {
            true => Text::Muted,
            false => Text::Unmuted,
        };
        self.say_room(room, text, &[Param::Bytes(&name)], sink);
    }

    /// `<word>`, or `off`. None without a word, or with one that is too long.
    fn set_password(&mut self, room: GameKey, rest: &[u8], sink: &mut impl Sink) -> Option<()> {
        let (word, more) = split(rest);
        if word.is_empty() || !more.is_empty() || word.len() > PASSWORD {
            return None;
        }
        let game = self.games.get_mut(room)?;
        let is_off = word.eq_ignore_ascii_case(b"off");
        game.password = (!is_off).then(|| word.into());
        let text = match is_off {
            true => Text::PasswordOff,
            false => Text::PasswordSet,
        };
        self.say_room(room, text, &[], sink);
        Some(())
    }

    /// Notes the password of the room a user will join next. None without a word.
    pub(super) fn note_password(
        &mut self,
        user: UserKey,
        rest: &[u8],
        sink: &mut impl Sink,
    ) -> Option<()> {
        let (word, more) = split(rest);
        if word.is_empty() || !more.is_empty() {
            return None;
        }
        let noted = word.get(..PASSWORD).unwrap_or(word);
        self.users.get_mut(user)?.password = Some(noted.into());
        self.reply(user, Place::Lobby, Text::PasswordNoted, &[], sink);
        Some(())
    }

    fn fail(&self, user: UserKey, reason: Text, sink: &mut impl Sink) {
        let params = [Param::Text(reason)];
        self.reply(user, Place::Room, Text::CommandFailed, &params, sink);
    }
}
