//! Commands in a room, the owner's and everybody's (kaillera-server.md 7.4, 7.5).

use super::{Entry, Place, find, game, number, order, social, split};
use crate::{
    lobby::{
        GameKey, Lobby, Sink, UserKey,
        catalogue::{Param, Text},
        login::type_text,
        rights::Right,
        user::Presence,
    },
    timer::Time,
};
use std::time::Duration;

#[derive(Clone, Copy)]
enum Command {
    Help,
    Quiet(bool),
    Stop,
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

const TABLE: &[Entry<Command>] = table! {
    "/help" Command::Help, HelpHelp;
    "/p2poff" Command::Quiet(false), HelpQuietOff;
    "/p2pon" Command::Quiet(true), HelpQuietOn;
    "/stop" Command::Stop, HelpStop;
};

const OWNER_TABLE: &[Entry<OwnerCommand>] = table! {
    "/maxping" OwnerCommand::MaxPing, HelpMaxPing;
    "/maxusers" OwnerCommand::MaxUsers, HelpMaxUsers;
    "/num" OwnerCommand::Members, HelpMembers;
    "/samedelay" OwnerCommand::SameDelay, HelpSameDelay;
    "/setconn" OwnerCommand::SetType, HelpSetType;
    "/setemu" OwnerCommand::SetEmulator, HelpSetEmulator;
    "/start" OwnerCommand::Start, HelpStart;
};

pub(super) fn words() -> impl Iterator<Item = &'static str> {
    let owners = super::words(OWNER_TABLE).chain(order::words());
    super::words(TABLE).chain(owners).chain(game::words())
}

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
        if self.offers(word)
            && let Some((command, help)) = owners(word)
        {
            if !self.commands(user, room) {
                self.reply(user, Place::Room, Text::CommandOwner, &[], sink);
                return;
            }
            let done = match command {
                Owners::Room(it) => self.owner_command(now, user, room, it, rest, sink),
                Owners::Order(it) => self.order_command(now, user, room, it, rest, sink),
                Owners::Game(it) => self.owners_game_command(user, room, it, rest, sink),
            };
            if done.is_none() {
                let usage = [Param::Text(help)];
                self.reply(user, Place::Room, Text::CommandUsage, &usage, sink);
            }
            return;
        }
        if let Some(Command::Quiet(on)) = find(TABLE, word).map(|entry| entry.command) {
            self.set_quiet(user, room, on, sink);
            return;
        }
        if let Some(Command::Stop) = find(TABLE, word).map(|entry| entry.command) {
            self.stop_post(user, room, sink);
            return;
        }
        if !self.take_turn(now, user, Place::Room, sink) {
            return;
        }
        if let Some(entry) = find(social::TABLE, word) {
            self.social_command(now, user, Place::Room, entry.command, rest, sink);
            return;
        }
        if self.game_command(user, room, line, (word, rest), sink) {
            return;
        }
        match find(TABLE, word).map(|entry| entry.command) {
            Some(Command::Help) => self.room_help(user, room, sink),
            _ => self.reply(
                user,
                Place::Room,
                Text::UnknownCommand,
                &[Param::Bytes(line)],
                sink,
            ),
        }
    }

    /// Whether `user` may give the owner's commands.
    fn commands(&self, user: UserKey, room: GameKey) -> bool {
        let owns = self.games.get(room).is_some_and(|game| game.owner == user);
        let user = self.users.get(user);
        owns || user.is_some_and(|user| user.may(Right::OwnRooms))
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
                self.reply(user, Place::Room, Text::Members, &params, sink);
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
                    self.reply(
                        user,
                        Place::Room,
                        Text::CommandFailed,
                        &[Param::Text(reason)],
                        sink,
                    );
                }
            }
        }
        Some(())
    }

    fn room_help(&self, user: UserKey, room: GameKey, sink: &mut impl Sink) {
        let (game, owners_game) = game::helps();
        let everybodys = TABLE.iter().map(Entry::line).chain(game);
        let everybodys = everybodys.chain(social::TABLE.iter().map(Entry::line));
        let owners = OWNER_TABLE.iter().map(Entry::line);
        let owners = owners.chain(owners_game).chain(order::helps());
        let owners = owners.filter(|_| self.commands(user, room));
        let lines = everybodys.chain(owners);
        for (_, text) in lines.filter(|(word, _)| self.offers(word.as_bytes())) {
            self.reply(user, Place::Room, text, &[], sink);
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
}

/// A command of the owner's, by what it is about.
enum Owners {
    Room(OwnerCommand),
    Order(order::Command),
    Game(game::OwnerCommand),
}

/// The owner's command that `word` is, and its line of help.
fn owners(word: &[u8]) -> Option<(Owners, Text)> {
    let of_room = find(OWNER_TABLE, word).map(|it| (Owners::Room(it.command), it.help));
    let of_order = || order::command(word).map(|(it, help)| (Owners::Order(it), help));
    let of_game = || game::owner_command(word).map(|(it, help)| (Owners::Game(it), help));
    of_room.or_else(of_order).or_else(of_game)
}

/// Whether the owner's own is required: without a word it is, with `any` it is not.
fn restricts(rest: &[u8]) -> Option<bool> {
    match rest {
        [] => Some(true),
        rest if rest.eq_ignore_ascii_case(b"any") => Some(false),
        _ => None,
    }
}
