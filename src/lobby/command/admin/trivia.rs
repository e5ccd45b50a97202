//! The quiz (kaillera-server.md 13.1): how its commands are written.

use super::{Failure, Lobby, Outcome, only_number};
use crate::{
    lobby::{Sink, TriviaCommand, UserKey, command::split},
    timer::Time,
};
use std::{net::IpAddr, ops::RangeInclusive, time::Duration};

/// Seconds there may be between two questions; without any, the quiz would flood the lobby.
const PAUSES: RangeInclusive<u32> = 1..=3600;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Off,
    On,
    Pause,
    Reset,
    Resume,
    Save,
    Scores,
    Time,
    Update,
    Winner,
}

impl Lobby {
    pub(super) fn trivia_command(
        &mut self,
        now: Time,
        user: UserKey,
        command: Command,
        rest: &[u8],
        sink: &mut impl Sink,
    ) -> Outcome {
        let command = match command {
            Command::Off => TriviaCommand::Off,
            Command::On => TriviaCommand::On,
            Command::Pause => TriviaCommand::Pause,
            Command::Reset => TriviaCommand::Reset,
            Command::Resume => TriviaCommand::Resume,
            Command::Save => TriviaCommand::Save,
            Command::Scores => TriviaCommand::Scores,
            Command::Time => {
                let seconds = only_number(rest)?;
                if !PAUSES.contains(&seconds) {
                    return Err(Failure::Usage);
                }
                TriviaCommand::Time(Duration::from_secs(seconds.into()))
            }
            Command::Update => {
                let (old, new) = split(rest);
                TriviaCommand::Update {
                    old: address(old)?,
                    new: address(new)?,
                }
            }
            Command::Winner => TriviaCommand::Winner,
        };
        self.trivia(now, user, command, sink);
        Ok(())
    }
}

fn address(word: &[u8]) -> Result<IpAddr, Failure> {
    let text = std::str::from_utf8(word).ok();
    let address = text.and_then(|text| text.parse().ok());
    address.ok_or(Failure::Usage)
}
