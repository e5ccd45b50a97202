//! Commands about a room's game (kaillera-server.md 7.4, 7.5).

use super::{Entry, Place, find, number};
use crate::lobby::{
    GameKey, Lobby, Sink, UserKey,
    catalogue::{Param, ROOM_NAME, Text},
    chat::say,
    game::Phase,
    lag::frame_rate,
    sync::Sensitivity,
};

#[derive(Clone, Copy)]
enum Command {
    Delay,
    FrameRate,
    LagReset,
    LagStat,
    Unwatch,
    Watch,
}

#[derive(Clone, Copy)]
pub(super) enum OwnerCommand {
    Autofire,
    StartAt,
    Swap,
    Watchers,
}

const TABLE: &[Entry<Command>] = table! {
    "/delay" Command::Delay, HelpDelay;
    "/fps" Command::FrameRate, HelpFps;
    "/lagreset" Command::LagReset, HelpLagReset;
    "/lagstat" Command::LagStat, HelpLagstat;
    "/unwatch" Command::Unwatch, HelpUnwatch;
    "/watch" Command::Watch, HelpWatchHere;
};

const OWNER_TABLE: &[Entry<OwnerCommand>] = table! {
    "/autofire" OwnerCommand::Autofire, HelpDetectAutofire;
    "/detectautofire" OwnerCommand::Autofire, HelpDetectAutofire;
    "/startn" OwnerCommand::StartAt, HelpStartAt;
    "/swap" OwnerCommand::Swap, HelpSwap;
    "/watchers" OwnerCommand::Watchers, HelpWatchers;
};

pub(super) fn words() -> impl Iterator<Item = &'static str> {
    super::words(TABLE).chain(super::words(OWNER_TABLE))
}

/// What `/help` says of these commands; the second is for owners.
pub(super) fn helps() -> (
    impl Iterator<Item = (&'static str, Text)>,
    impl Iterator<Item = (&'static str, Text)>,
) {
    let everybodys = TABLE.iter().map(Entry::line);
    // Two words for one thing are listed once.
    let owners = OWNER_TABLE.iter().skip(1).map(Entry::line);
    (everybodys, owners)
}

/// The owner's command for a word, and how it is used.
pub(super) fn owner_command(word: &[u8]) -> Option<(OwnerCommand, Text)> {
    let entry = find(OWNER_TABLE, word)?;
    Some((entry.command, entry.help))
}

impl Lobby {
    /// Everybody's commands; says whether `word` is one.
    pub(super) fn game_command(
        &mut self,
        user: UserKey,
        room: GameKey,
        line: &[u8],
        (word, rest): (&[u8], &[u8]),
        sink: &mut impl Sink,
    ) -> bool {
        let Some(entry) = find(TABLE, word).filter(|_| self.offers(word)) else {
            return false;
        };
        match entry.command {
            // What is shown to the room must not be a way to write to it.
            Command::LagReset | Command::LagStat if !rest.is_empty() => return false,
            Command::Delay => {
                if self.choose_delay(room, user, rest, sink).is_none() {
                    let usage = [Param::Text(entry.help)];
                    self.reply(user, Place::Room, Text::CommandUsage, &usage, sink);
                }
            }
            Command::FrameRate => {
                let Some(rate) = frame_rate(rest) else {
                    return false;
                };
                self.echo(user, room, line, sink);
                self.measure_against(room, rate, sink);
            }
            Command::LagReset => {
                self.echo(user, room, line, sink);
                self.reset_lag(room, sink);
            }
            Command::LagStat => {
                self.echo(user, room, line, sink);
                self.ask_lag(room, sink);
            }
            Command::Unwatch => self.only_watch(room, user, false, sink),
            Command::Watch => self.only_watch(room, user, true, sink),
        }
        true
    }

    /// None if the command was used wrongly.
    pub(super) fn owners_game_command(
        &mut self,
        user: UserKey,
        room: GameKey,
        command: OwnerCommand,
        rest: &[u8],
        sink: &mut impl Sink,
    ) -> Option<()> {
        match command {
            OwnerCommand::Autofire => self.set_autofire(user, room, rest, sink),
            OwnerCommand::StartAt => {
                let off = rest.eq_ignore_ascii_case(b"off");
                let count = if off { None } else { Some(number(rest)?) };
                self.start_at(room, count, sink)?;
            }
            OwnerCommand::Swap => {
                if self.swap(room, rest, sink).is_none() {
                    self.reply(user, Place::Room, Text::SwapOrder, &[], sink);
                }
            }
            OwnerCommand::Watchers => {
                let on = rest.eq_ignore_ascii_case(b"on");
                if !on && !rest.eq_ignore_ascii_case(b"off") {
                    return None;
                }
                self.let_watch(user, room, on, sink);
            }
        }
        Some(())
    }

    fn set_autofire(&mut self, user: UserKey, room: GameKey, rest: &[u8], sink: &mut impl Sink) {
        let Some(game) = self.games.get_mut(room) else {
            return;
        };
        if game.phase != Phase::Waiting {
            self.reply(user, Place::Room, Text::AutofireInGame, &[], sink);
            return;
        }
        let level = number(rest).and_then(|level| u8::try_from(level).ok());
        if let Some(sensitivity) = level.and_then(Sensitivity::new) {
            game.autofire = sensitivity;
            let line = self.autofire_level(sensitivity);
            if let Some(game) = self.games.get(room) {
                let to = game.room(&self.users, &mut self.scratch);
                say(to, ROOM_NAME, &line, sink);
            }
            return;
        }
        let now = game.autofire;
        let line = self.autofire_level(now);
        self.reply(user, Place::Room, Text::AutofireLevels, &[], sink);
        self.reply(user, Place::Room, Text::AutofireDisable, &[], sink);
        say(&[user], ROOM_NAME, &line, sink);
    }

    fn autofire_level(&self, sensitivity: Sensitivity) -> Vec<u8> {
        let level = [Param::Number(sensitivity.level().into())];
        let mut line = self.catalogue.line(Text::AutofireLevel, &level);
        if sensitivity.level() == 0 {
            line.extend(self.catalogue.line(Text::AutofireOff, &[]));
        }
        self.catalogue.cut(line)
    }
}
