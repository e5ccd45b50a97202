//! Who keeps a game waiting, as its room is told (kaillera-server.md 8.6).

use super::{
    Event, GameKey, LagOrder, Lobby, Sink, UserKey,
    catalogue::{Param, ROOM_NAME, Text, USER_LINE},
    chat::say,
    game::{Game, Phase},
    sync::{FrameRate, LagReport, Rhythm},
};
use crate::kaillera::message::ConnectionType;
use std::time::Duration;

/// Advice is given for what was measured for longer than this.
const ADVICE_AFTER: Duration = Duration::from_secs(10);
/// Lag per minute that a game may have without advice.
const TOLERABLE: Duration = Duration::from_millis(300);
/// Bytes of a line of players.
const PLAYERS_LINE: usize = 180;

impl Lobby {
    /// Tells the room what was measured, if it `asked`; else keeps it for when it does.
    pub fn lag_measured(
        &mut self,
        key: GameKey,
        report: Option<Box<LagReport>>,
        asked: bool,
        sink: &mut impl Sink,
    ) {
        if asked {
            if let Some(report) = report {
                self.tell_lag(key, &report, sink);
            }
        } else if let Some(game) = self.games.get_mut(key) {
            game.last_lag = report;
        }
    }

    /// Tells a room whose player's buttons press themselves.
    pub fn autofire(&mut self, key: GameKey, player: usize, rhythm: Rhythm, sink: &mut impl Sink) {
        let Some(game) = self.games.get(key) else {
            return;
        };
        let Some(user) = game.player(player).and_then(|key| self.users.get(key)) else {
            return;
        };
        sink.event(&Event::Autofire {
            room: game.as_room(),
            who: user.who(),
            level: game.autofire.level(),
            rhythm,
        });
        let name = user.name.clone();
        self.say_room(key, Text::Autofire, &[Param::Bytes(&name)], sink);
    }

    /// Shows a member's command to its room, as some are.
    pub(super) fn echo(&mut self, user: UserKey, key: GameKey, line: &[u8], sink: &mut impl Sink) {
        if let (Some(game), Some(user)) = (self.games.get(key), self.users.get(user)) {
            let to = game.audience(&self.users, user, &mut self.scratch);
            for line in self.charset.pieces(line, USER_LINE) {
                say(to, &user.name, line, sink);
            }
        }
    }

    pub(super) fn ask_lag(&mut self, key: GameKey, sink: &mut impl Sink) {
        let Some(game) = self.games.get_mut(key) else {
            return;
        };
        if game.phase != Phase::Waiting {
            sink.lag(key, LagOrder::Report);
        } else if let Some(report) = game.last_lag.take() {
            self.tell_lag(key, &report, sink);
            if let Some(game) = self.games.get_mut(key) {
                game.last_lag = Some(report);
            }
        }
    }

    pub(super) fn reset_lag(&mut self, key: GameKey, sink: &mut impl Sink) {
        if let Some(game) = self.games.get_mut(key) {
            game.last_lag = None;
            if game.phase != Phase::Waiting {
                sink.lag(key, LagOrder::Reset);
            }
            self.say_room(key, Text::LagReset, &[], sink);
        }
    }

    pub(super) fn measure_against(&mut self, key: GameKey, rate: FrameRate, sink: &mut impl Sink) {
        if let Some(game) = self.games.get_mut(key) {
            game.rate = rate;
            if game.phase != Phase::Waiting {
                sink.lag(key, LagOrder::Rate(rate));
            }
            let params = [Param::Number(rate.rounded().into())];
            self.say_room(key, Text::Fps, &params, sink);
        }
    }

    fn tell_lag(&mut self, key: GameKey, report: &LagReport, sink: &mut impl Sink) {
        let seconds = |text: &str| self.catalogue.line(Text::Seconds, &[Param::Word(text)]);
        let window = seconds(&report.window.as_secs().to_string());
        let lost = seconds(&hundredths(report.game));
        let params = [Param::Bytes(&window), Param::Bytes(&lost)];
        self.say_room(key, Text::LagTotal, &params, sink);
        let lines = self.player_lines(report);
        let Some(game) = self.games.get(key) else {
            return;
        };
        for line in lines {
            let to = game.room(&self.users, &mut self.scratch);
            say(to, ROOM_NAME, &line, sink);
        }
        let is_lan = game.connection_type == ConnectionType::Lan;
        if !is_lan || report.window <= ADVICE_AFTER {
            return;
        }
        if !is_laggy(report) {
            self.say_room(key, Text::LagNone, &[], sink);
        } else if let Some((name, delay)) = self.slowest(game, report) {
            let ping = u64::from(2 * delay - 1) * 500 * game.connection_type as u64 / 60;
            let params = [
                Param::Bytes(&name),
                Param::Number(delay.into()),
                Param::Number(ping),
            ];
            self.say_room(key, Text::LagAdvice, &params, sink);
        }
    }

    /// `Lag known to come from: P1: 0.25s, P2: 0.00s`, in as many lines as it takes.
    fn player_lines(&self, report: &LagReport) -> Vec<Vec<u8>> {
        let mut lines = vec![self.catalogue.line(Text::LagPlayers, &[])];
        let mut separator: &[u8] = b" ";
        for (number, lost) in (1..).zip(&report.players) {
            let lost = [Param::Word(&hundredths(*lost))];
            let lost = self.catalogue.line(Text::Seconds, &lost);
            let params = [Param::Number(number), Param::Bytes(&lost)];
            let part = self.catalogue.line(Text::LagPlayer, &params);
            match lines.last_mut() {
                Some(line) if line.len() + 2 + part.len() <= PLAYERS_LINE => {
                    line.extend_from_slice(separator);
                    line.extend_from_slice(&part);
                }
                _ => lines.push(part),
            }
            separator = b", ";
        }
        lines
    }

    /// The player that the others waited for most, and the delay it should have.
    fn slowest(&self, game: &Game, report: &LagReport) -> Option<(Box<[u8]>, u16)> {
        let lost = report.players.iter().enumerate();
        let (index, lost) = lost.max_by_key(|(_, lost)| **lost)?;
        let user = self.users.get(game.player(index)?)?;
        let delay = game.seat(user.key)?.delay;
        (!lost.is_zero()).then(|| (user.name.clone(), delay.saturating_add(1)))
    }
}

/// Whether a game lost more than it may in the time that was measured.
fn is_laggy(report: &LagReport) -> bool {
    report.game.as_nanos() * 60 > TOLERABLE.as_nanos() * u128::from(report.window.as_secs().max(1))
}

fn hundredths(duration: Duration) -> String {
    format!("{:.2}", duration.as_secs_f64())
}

/// Reads a rate such as `60` or `59.94`.
pub(super) fn frame_rate(text: &[u8]) -> Option<FrameRate> {
    let text = std::str::from_utf8(text).ok()?;
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    if whole.len() > 3 || part.is_empty() || !is_number(whole) || !is_number(part) {
        return None;
    }
    let thousandths: String = part.chars().chain("000".chars()).take(3).collect();
    let whole: u32 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    FrameRate::from_thousandths(whole * 1000 + thousandths.parse::<u32>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lobby::rules::Rules;

    #[test]
    fn rates_may_have_decimals() {
        let rate = |thousandths| FrameRate::from_thousandths(thousandths);
        for (text, thousandths) in [
            ("60", 60_000),
            ("59.94", 59_940),
            ("0.1", 100),
            (".5", 500),
            ("100", 100_000),
            ("49.99999", 49_999),
        ] {
            assert_eq!(frame_rate(text.as_bytes()), rate(thousandths), "{text}");
        }
        for text in [
            "",
            ".",
            "0",
            "0.09",
            "100.1",
            "1e1",
            "-5",
            "5.",
            "6 0",
            "9999999999",
            "60,5",
        ] {
            assert_eq!(frame_rate(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_hundred_players_take_few_lines() {
        let report = LagReport {
            window: Duration::from_secs(60),
            game: Duration::from_millis(1),
            players: vec![Duration::from_millis(12_345); 100].into(),
        };
        let lines = Lobby::new(Rules::default()).player_lines(&report);
        assert!(lines.len() <= 9 && lines.iter().all(|line| line.len() <= PLAYERS_LINE));
        assert!(lines[0].starts_with(b"Lag known to come from: P1: 12.35s, P2: 12.35s, "));
    }

    #[test]
    fn three_tenths_of_a_second_a_minute_are_tolerable() {
        let laggy = |window, game| {
            is_laggy(&LagReport {
                window: Duration::from_secs(window),
                game: Duration::from_millis(game),
                players: Box::default(),
            })
        };
        assert!(!laggy(60, 300) && laggy(60, 301));
        assert!(!laggy(20, 100) && laggy(20, 101));
    }
}
