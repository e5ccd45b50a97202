//! Who plays as which number, when a game starts by itself, and with which delay
//! (kaillera-server.md 7.5).

use super::{
    GameKey, Lobby, Player, Sink, UserKey,
    catalogue::{Param, ROOM_NAME, Text},
    chat::say,
    delay::frame_delay,
    game::{Game, Phase},
};
use crate::{kaillera::message::ConnectionType, timer::Time};
use std::time::Duration;

/// What a room has agreed on for its next game.
#[derive(Debug, Default)]
pub(super) struct Lineup {
    /// The number of each player in the order they joined, as far as they were there then.
    swap: Vec<u8>,
    /// Players with whom the game starts.
    pub(super) start_at: Option<u8>,
}

impl Lineup {
    /// The number of the player at this place among `count` who joined.
    fn number(&self, place: usize, count: usize) -> usize {
        let swapped = self.swap.get(place).filter(|_| self.swap.len() <= count);
        swapped.map_or(place + 1, |number| usize::from(*number))
    }

    /// The order in which the first number is the first to have joined.
    fn is_natural(&self) -> bool {
        self.swap
            .iter()
            .zip(1..)
            .all(|(number, place)| *number == place)
    }
}

/// Longest delay that can be chosen, in messages: what a round trip of a second takes.
pub(super) fn longest_delay(connection_type: ConnectionType) -> u16 {
    60 / connection_type as u16
}

/// Reads an order such as `312` or `3 1 2`: each number from 1 to `count` once.
fn permutation(text: &[u8], count: usize) -> Option<Vec<u8>> {
    let is_separator = |byte: &u8| matches!(byte, b' ' | b',');
    let numbers: Vec<u8> = if text.iter().any(is_separator) {
        let words = text.split(is_separator).filter(|word| !word.is_empty());
        let words = words.map(|word| std::str::from_utf8(word).ok()?.parse().ok());
        words.collect::<Option<_>>()?
    } else {
        let digit = |byte: &u8| byte.is_ascii_digit().then(|| byte - b'0');
        text.iter().map(digit).collect::<Option<_>>()?
    };
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    let is_whole = sorted.len() == count && sorted.iter().zip(1..).all(|(is, due)| *is == due);
    is_whole.then_some(numbers)
}

impl Lobby {
    /// The players of the room's next game in the order of their numbers.
    pub(super) fn line_up(&self, key: GameKey) -> Option<Vec<Player>> {
        let game = self.games.get(key)?;
        let count = game.would_play().count();
        let mut numbered: Vec<(usize, Player)> = game
            .would_play()
            .enumerate()
            .map(|(place, user)| {
                let delay = self.delay_of(user, game);
                (game.lineup.number(place, count), Player { user, delay })
            })
            .collect();
        numbered.sort_by_key(|(number, _)| *number);
        Some(numbered.into_iter().map(|(_, player)| player).collect())
    }

    /// The delay `user` chose, or the one that hides its ping.
    pub(super) fn delay_of(&self, user: UserKey, game: &Game) -> u16 {
        let user = self.users.get(user);
        let ping = user.map_or(Duration::ZERO, |user| user.ping);
        let chosen = user.and_then(|user| user.delay);
        let longest = longest_delay(game.connection_type);
        chosen.map_or_else(
            || frame_delay(ping, game.connection_type),
            |delay| delay.min(longest),
        )
    }

    /// None if `order` is not one of the room's players.
    pub(super) fn swap(&mut self, key: GameKey, order: &[u8], sink: &mut impl Sink) -> Option<()> {
        let game = self.games.get_mut(key)?;
        let players: Vec<UserKey> = game.would_play().collect();
        game.lineup.swap = permutation(order, players.len())?;
        let numbers = game.lineup.swap.clone();
        for (user, number) in players.into_iter().zip(numbers) {
            if let Some(user) = self.users.get(user) {
                let name = user.name.clone();
                let params = [Param::Bytes(&name), Param::Number(number.into())];
                self.say_room(key, Text::Swapped, &params, sink);
            }
        }
        Some(())
    }

    /// Puts the room's players back in the order they joined; says whether that is another.
    pub(super) fn undo_swap(&mut self, key: GameKey) -> bool {
        let Some(game) = self.games.get_mut(key) else {
            return false;
        };
        let was_swapped = !game.lineup.is_natural();
        game.lineup.swap.clear();
        was_swapped
    }

    /// None if `count` is no number of players; without one the game starts by hand.
    pub(super) fn start_at(
        &mut self,
        key: GameKey,
        count: Option<u32>,
        sink: &mut impl Sink,
    ) -> Option<()> {
        let Some(count) = count else {
            self.forget_start_at(key, sink);
            return Some(());
        };
        let count = u8::try_from(count).ok();
        let count = count.filter(|count| (1..=100).contains(count))?;
        self.games.get_mut(key)?.lineup.start_at = Some(count);
        let params = [Param::Number(count.into())];
        self.say_room(key, Text::StartAt, &params, sink);
        Some(())
    }

    pub(super) fn forget_start_at(&mut self, key: GameKey, sink: &mut impl Sink) {
        let game = self.games.get_mut(key);
        if game.is_some_and(|game| game.lineup.start_at.take().is_some()) {
            self.say_room(key, Text::StartAtOff, &[], sink);
        }
    }

    /// Starts the game of a room that waited only for the one who just came.
    pub(super) fn start_if_enough(&mut self, now: Time, key: GameKey, sink: &mut impl Sink) {
        let Some(game) = self.games.get(key) else {
            return;
        };
        let owner = game.owner;
        let enough = |count: u8| game.would_play().count() >= count.into();
        if game.phase != Phase::Waiting || !game.lineup.start_at.is_some_and(enough) {
            return;
        }
        if let Err(reason) = self.try_start(now, owner, sink) {
            let params = [Param::Text(reason)];
            let text = self.catalogue.line(Text::CommandFailed, &params);
            say(&[owner], ROOM_NAME, &text, sink);
        }
    }

    /// Sets the frame delay of `user` from the next start on; none if that is no delay.
    pub(super) fn choose_delay(
        &mut self,
        key: GameKey,
        user: UserKey,
        delay: &[u8],
        sink: &mut impl Sink,
    ) -> Option<()> {
        let longest = longest_delay(self.games.get(key)?.connection_type);
        let delay = match delay {
            delay if delay.eq_ignore_ascii_case(b"auto") => None,
            delay => {
                let delay = std::str::from_utf8(delay).ok()?.parse().ok();
                Some(delay.filter(|delay| (1..=longest).contains(delay))?)
            }
        };
        let user = self.users.get_mut(user)?;
        user.delay = delay;
        let (name, user) = (user.name.clone(), user.key);
        let delay = self.delay_of(user, self.games.get(key)?);
        let params = [Param::Bytes(&name), Param::Number(delay.into())];
        self.say_room(key, Text::DelayChanged, &params, sink);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_name_each_player_once() {
        assert_eq!(permutation(b"21", 2), Some(vec![2, 1]));
        assert_eq!(permutation(b"3124", 4), Some(vec![3, 1, 2, 4]));
        assert_eq!(permutation(b"3 1, 2", 3), Some(vec![3, 1, 2]));
        let many: Vec<String> = (1..=100)
            .rev()
            .map(|number: u8| number.to_string())
            .collect();
        let reversed: Vec<u8> = (1..=100).rev().collect();
        assert_eq!(permutation(many.join(" ").as_bytes(), 100), Some(reversed));
        for (text, count) in [
            (&b""[..], 2),
            (b"1", 2),
            (b"11", 2),
            (b"1213", 4),
            (b"22", 2),
            (b"123", 2),
            (b"01", 2),
            (b"1 300", 2),
            (b"1 -2", 2),
            (b"1 2 3", 2),
            (b"2,,1,x", 2),
            (b"\xB2\xB9", 2),
        ] {
            assert_eq!(permutation(text, count), None, "{text:?}");
        }
    }

    #[test]
    fn who_comes_later_gets_the_next_number() {
        let lineup = Lineup {
            swap: vec![2, 1],
            start_at: None,
        };
        let numbers = |count: usize| -> Vec<usize> {
            (0..count)
                .map(|place| lineup.number(place, count))
                .collect()
        };
        assert_eq!(numbers(4), [2, 1, 3, 4]);
        assert_eq!(numbers(1), [1]);
    }
}
