//! The quiz (kaillera-server.md 13.1): how its commands are written.

use super::{Failure, Given, Lobby, Outcome, only_number};
use crate::lobby::{Sink, TriviaCommand, command::split};
use std::{net::IpAddr, ops::RangeInclusive, time::Duration};

/// Seconds there may be between two questions; without any, the quiz would flood the lobby.
const PAUSES: RangeInclusive<u32> = 1..=3600;

impl Lobby {
    pub(super) fn lead(
        &mut self,
        given: Given<'_>,
        command: TriviaCommand,
        sink: &mut impl Sink,
    ) -> Outcome {
        self.trivia(given.now, given.user, command, sink);
        Ok(())
    }

    /// `<seconds>`
    pub(super) fn trivia_time(&mut self, given: Given<'_>, sink: &mut impl Sink) -> Outcome {
        let seconds = only_number(given.rest)?;
        if !PAUSES.contains(&seconds) {
            return Err(Failure::Usage);
        }
        let pause = Duration::from_secs(seconds.into());
        self.lead(given, TriviaCommand::Time(pause), sink)
    }

    /// `<old address> <new address>`
    pub(super) fn trivia_update(&mut self, given: Given<'_>, sink: &mut impl Sink) -> Outcome {
        let (old, new) = split(given.rest);
        let update = TriviaCommand::Update {
            old: address(old)?,
            new: address(new)?,
        };
        self.lead(given, update, sink)
    }
}

fn address(word: &[u8]) -> Result<IpAddr, Failure> {
    let text = std::str::from_utf8(word).ok();
    let address = text.and_then(|text| text.parse().ok());
    address.ok_or(Failure::Usage)
}
