//! Commands in a room, the owner's and everybody's (kaillera-server.md 7.4, 7.5).

use super::{Entry, find, game, number, split};
use crate::{
    lobby::{
        AccessLevel, GameKey, Lobby, Sink, UserKey,
        catalogue::{Param, ROOM_NAME, Text},
        chat::say,
        login::type_text,
        user::Presence,
    },
    timer::Time,
};
use std::time::Duration;

#[derive(Clone, Copy)]
enum Command {
    Help,
    Me,
    Quiet(bool),
}

#[derive(Clone, Copy)]
enum OwnerCommand {
    MaxPing,
    MaxUsers,
    Members,
    SameDelay,
    SetEmulator,
    SetType,
    Start,
}

const TABLE: &[Entry<Command>] = &[
    Entry {
        word: "/help",
        command: Command::Help,
        help: Text::HelpHelp,
    },
    Entry {
        word: "/me",
        command: Command::Me,
        help: Text::HelpMe,
    },
    Entry {
        word: "/p2poff",
        command: Command::Quiet(false),
        help: Text::HelpQuietOff,
    },
    Entry {
        word: "/p2pon",
        command: Command::Quiet(true),
        help: Text::HelpQuietOn,
    },
];

const OWNER_TABLE: &[Entry<OwnerCommand>] = &[
    Entry {
        word: "/maxping",
        command: OwnerCommand::MaxPing,
        help: Text::HelpMaxPing,
    },
    Entry {
        word: "/maxusers",
        command: OwnerCommand::MaxUsers,
        help: Text::HelpMaxUsers,
    },
    Entry {
        word: "/num",
        command: OwnerCommand::Members,
        help: Text::HelpMembers,
    },
    Entry {
        word: "/samedelay",
        command: OwnerCommand::SameDelay,
        help: Text::HelpSameDelay,
    },
    Entry {
        word: "/setconn",
        command: OwnerCommand::SetType,
        help: Text::HelpSetType,
    },
    Entry {
        word: "/setemu",
        command: OwnerCommand::SetEmulator,
        help: Text::HelpSetEmulator,
    },
    Entry {
        word: "/start",
        command: OwnerCommand::Start,
        help: Text::HelpStart,
    },
];

impl Lobby {
    pub(in crate::lobby) fn room_command(
        &mut self,
        now: Time,
        user: UserKey,
        room: GameKey,
        line: &[u8],
        sink: &mut impl Sink,
    ) {
        let (word, rest) = split(line);
        if let Some(entry) = find(OWNER_TABLE, word) {
            if !self.commands(user, room) {
                self.answer(user, Text::CommandOwner, &[], sink);
                return;
            }
            let done = self.owner_command(now, user, room, entry.command, rest, sink);
            if done.is_none() {
                let usage = [Param::Text(entry.help)];
                self.answer(user, Text::CommandUsage, &usage, sink);
            }
            return;
        }
        if let Some((command, help)) = game::owner_command(word) {
            if !self.commands(user, room) {
                self.answer(user, Text::CommandOwner, &[], sink);
                return;
            }
            let done = self.owners_game_command(user, room, command, rest, sink);
            if done.is_none() {
                self.answer(user, Text::CommandUsage, &[Param::Text(help)], sink);
            }
            return;
        }
        if self.game_command(user, room, line, (word, rest), sink) {
            return;
        }
        match find(TABLE, word).map(|entry| entry.command) {
            Some(Command::Help) => self.room_help(user, room, sink),
            Some(Command::Me) => self.room_emote(user, room, rest, sink),
            Some(Command::Quiet(on)) => self.set_quiet(user, room, on, sink),
            None => self.answer(user, Text::UnknownCommand, &[Param::Bytes(line)], sink),
        }
    }

    /// Whether `user` may give the owner's commands.
    fn commands(&self, user: UserKey, room: GameKey) -> bool {
        let owns = self.games.get(room).is_some_and(|game| game.owner == user);
        let level = self.users.get(user).map(|user| user.level);
        owns || level >= Some(AccessLevel::SuperAdmin)
    }

    /// None if the command was used wrongly.
    fn owner_command(
        &mut self,
        now: Time,
        user: UserKey,
        room: GameKey,
        command: OwnerCommand,
        rest: &[u8],
        sink: &mut impl Sink,
    ) -> Option<()> {
        let game = self.games.get_mut(room)?;
        match command {
            OwnerCommand::MaxPing => {
                let limit = number(rest).filter(|limit| (1..=1000).contains(limit))?;
                game.max_ping = Duration::from_millis(limit.into());
                let params = [Param::Number(limit.into())];
                self.say_room(room, Text::MaxPing, &params, sink);
            }
            OwnerCommand::MaxUsers => {
                let limit = u8::try_from(number(rest)?).ok();
                game.capacity = limit.filter(|limit| (1..=100).contains(limit))?;
                let params = [Param::Number(game.capacity.into())];
                self.say_room(room, Text::MaxUsers, &params, sink);
                self.show_status(room, sink);
            }
            OwnerCommand::Members => {
                let params = [Param::Number(game.player_count().into())];
                self.answer(user, Text::Members, &params, sink);
            }
            OwnerCommand::SameDelay => {
                game.same_delay = rest.eq_ignore_ascii_case(b"true");
                let text = match game.same_delay {
                    true => Text::SameDelayOn,
                    false => Text::SameDelayOff,
                };
                self.say_room(room, text, &[], sink);
            }
            OwnerCommand::SetEmulator => {
                game.owners_emulator_only = restricts(rest)?;
                let emulator = game.emulator.clone();
                match game.owners_emulator_only {
                    true => {
                        let params = [Param::Bytes(&emulator)];
                        self.say_room(room, Text::SetEmulatorOnly, &params, sink);
                    }
                    false => self.say_room(room, Text::SetEmulatorAny, &[], sink),
                }
            }
            OwnerCommand::SetType => {
                game.owners_type_only = restricts(rest)?;
                let params = [Param::Text(type_text(game.connection_type))];
                let text = match game.owners_type_only {
                    true => Text::SetTypeOnly,
                    false => Text::SetTypeAny,
                };
                self.say_room(room, text, &params, sink);
            }
            OwnerCommand::Start => {
                if let Err(reason) = self.try_start(now, user, sink) {
                    self.answer(user, Text::CommandFailed, &[Param::Text(reason)], sink);
                }
            }
        }
        Some(())
    }

    fn room_help(&self, user: UserKey, room: GameKey, sink: &mut impl Sink) {
        let (game, owners_game) = game::helps();
        let everybodys = TABLE.iter().map(|entry| entry.help).chain(game);
        for text in everybodys {
            self.answer(user, text, &[], sink);
        }
        if self.commands(user, room) {
            let owners = OWNER_TABLE.iter().map(|entry| entry.help);
            for text in owners.chain(owners_game) {
                self.answer(user, text, &[], sink);
            }
        }
    }

    fn room_emote(&mut self, user: UserKey, room: GameKey, text: &[u8], sink: &mut impl Sink) {
        let Some(sender) = self.users.get(user) else {
            return;
        };
        if text.is_empty() {
            let usage = [Param::Text(Text::HelpMe)];
            self.answer(user, Text::CommandUsage, &usage, sink);
        } else if let Err(reason) = self.check_chat(sender, text) {
            self.answer(user, Text::ChatDenied, &[Param::Text(reason)], sink);
        } else {
            let name = sender.name.clone();
            let params = [Param::Bytes(&name), Param::Bytes(text)];
            self.say_room(room, Text::Emote, &params, sink);
        }
    }

    /// Holds lobby messages back while a user plays: for all if the owner says so.
    fn set_quiet(&mut self, user: UserKey, room: GameKey, on: bool, sink: &mut impl Sink) {
        let Some(game) = self.games.get(room) else {
            return;
        };
        let is_owner = game.owner == user;
        let members = game.members.iter().map(|member| member.user);
        let concerned: Vec<UserKey> = members.filter(|key| is_owner || *key == user).collect();
        let playing: Vec<UserKey> = game
            .seats()
            .map(|(key, _)| key)
            .filter(|key| concerned.contains(key))
            .collect();
        for key in &concerned {
            if let Some(user) = self.users.get_mut(*key) {
                user.wants_quiet = on;
            }
        }
        let (all, one) = match on {
            true => (Text::QuietOnAll, Text::QuietOn),
            false => (Text::QuietOffAll, Text::QuietOff),
        };
        if is_owner {
            self.say_room(room, all, &[], sink);
        } else if let Some(user) = self.users.get(user) {
            let name = user.name.clone();
            self.say_room(room, one, &[Param::Bytes(&name)], sink);
        }
        if on {
            self.users.set_presence(playing, Presence::Quiet);
        } else {
            playing.into_iter().for_each(|key| self.wake(key, sink));
        }
    }

    /// A notice of the server's to one member.
    pub(super) fn answer(
        &self,
        user: UserKey,
        text: Text,
        params: &[Param<'_>],
        sink: &mut impl Sink,
    ) {
        say(&[user], ROOM_NAME, &self.catalogue.line(text, params), sink);
    }
}

/// Whether the owner's own is required: without a word it is, with `any` it is not.
fn restricts(rest: &[u8]) -> Option<bool> {
    match rest {
        [] => Some(true),
        rest if rest.eq_ignore_ascii_case(b"any") => Some(false),
        _ => None,
    }
}
