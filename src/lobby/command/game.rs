//! Commands about a room's game (kaillera-server.md 7.4, 7.5).

use super::{Entry, find, number};
use crate::lobby::{
    GameKey, Lobby, Sink, UserKey,
    catalogue::{Param, Text},
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
    Play,
    Watch,
}

#[derive(Clone, Copy)]
pub(super) enum OwnerCommand {
    Autofire,
    StartAt,
    Swap,
}

const TABLE: &[Entry<Command>] = &[
    Entry {
        word: "/delay",
        command: Command::Delay,
        help: Text::HelpDelay,
    },
    Entry {
        word: "/fps",
        command: Command::FrameRate,
        help: Text::HelpFrameRate,
    },
    Entry {
        word: "/lagreset",
        command: Command::LagReset,
        help: Text::HelpLagReset,
    },
    Entry {
        word: "/lagstat",
        command: Command::LagStat,
        help: Text::HelpLagStat,
    },
    Entry {
        word: "/play",
        command: Command::Play,
        help: Text::HelpPlay,
    },
    Entry {
        word: "/watch",
        command: Command::Watch,
        help: Text::HelpWatchNext,
    },
];

const OWNER_TABLE: &[Entry<OwnerCommand>] = &[
    Entry {
        word: "/autofire",
        command: OwnerCommand::Autofire,
        help: Text::HelpAutofire,
    },
    Entry {
        word: "/detectautofire",
        command: OwnerCommand::Autofire,
        help: Text::HelpAutofire,
    },
    Entry {
        word: "/startn",
        command: OwnerCommand::StartAt,
        help: Text::HelpStartAt,
    },
    Entry {
        word: "/swap",
        command: OwnerCommand::Swap,
        help: Text::HelpSwap,
    },
];

/// What `/help` says of these commands; the second is for owners.
pub(super) fn helps() -> (impl Iterator<Item = Text>, impl Iterator<Item = Text>) {
    let everybodys = TABLE.iter().map(|entry| entry.help);
    // Two words for one thing are listed once.
    let owners = OWNER_TABLE.iter().skip(1).map(|entry| entry.help);
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
        let Some(entry) = find(TABLE, word) else {
            return false;
        };
        match entry.command {
            Command::Delay if !self.rules.choose_delay => return false,
            Command::Delay => {
                if self.choose_delay(room, user, rest, sink).is_none() {
                    let usage = [Param::Text(entry.help)];
                    self.answer(user, Text::CommandUsage, &usage, sink);
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
            Command::Play => self.only_watch(room, user, false, sink),
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
            OwnerCommand::Swap => self.swap(room, rest, sink)?,
        }
        Some(())
    }

    fn set_autofire(&mut self, user: UserKey, room: GameKey, rest: &[u8], sink: &mut impl Sink) {
        let Some(game) = self.games.get_mut(room) else {
            return;
        };
        if game.phase != Phase::Waiting {
            self.answer(user, Text::AutofireInGame, &[], sink);
            return;
        }
        let level = number(rest).and_then(|level| u8::try_from(level).ok());
        if let Some(sensitivity) = level.and_then(Sensitivity::new) {
            game.autofire = sensitivity;
            let level = [Param::Number(sensitivity.level().into())];
            self.say_room(room, autofire_text(sensitivity), &level, sink);
            return;
        }
        let now = game.autofire;
        let level = [Param::Number(now.level().into())];
        self.answer(user, Text::AutofireHelpOn, &[], sink);
        self.answer(user, Text::AutofireHelpOff, &[], sink);
        self.answer(user, autofire_text(now), &level, sink);
    }
}

fn autofire_text(sensitivity: Sensitivity) -> Text {
    match sensitivity.level() {
        0 => Text::AutofireOff,
        _ => Text::AutofireLevel,
    }
}
