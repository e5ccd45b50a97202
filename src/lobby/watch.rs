//! Watching a game, and coming back into one (kaillera.md 8.8).
//!
//! ```text
//!   /watch 7, join 7                 the game's actor says yes     AllReady
//!   (lobby) --------> asked for ------------------------> started ---------> shown
//!                        | no                                |                 |
//!                        +--> member without a view <--------+-----------------+
//!                                     drop, too slow, game over
//! ```
//!
//! Clients show frames only in a game that they have started themselves, in a room they have
//! joined themselves. So whoever watches joins the room like a player, after telling the
//! server by `/watch`; its emulator starts, and is shown the game from its first frame on, as
//! no other way leads to the same picture.

use super::{
    GameKey, Lobby, Sink, UserKey, Watcher,
    catalogue::{Param, ROOM_NAME, Text},
    chat::{inform, say},
    game::{Game, Lost, Phase, Seat, Watch},
    rights::Right,
    rules::WatcherNumber,
    sync::MAX_WATCHERS,
    user::{Presence, User},
};
use crate::{
    kaillera::message::{GameId, ServerMessage},
    timer::Time,
};

/// What a watcher's delay may be above twice the highest player's: it must get one zero
/// message before the frames, as the players' caches begin with one.
const EXTRA_DELAY: u16 = 4;

/// What a user joins a room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// To play its next game.
    Plays,
    /// To see what the others play.
    Watches,
    /// To take the seat it lost.
    Returns,
}

/// Why a watcher is shown no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchEnd {
    /// The game is not recorded, or not from its start.
    Refused,
    /// The recording has forgotten what comes next.
    Outrun,
    /// Messages of it were lost, or it sent too many.
    Lost,
}

impl Lobby {
    /// Says whether a watcher can be shown the game; its emulator starts if so.
    pub fn watch_answered(&mut self, key: GameKey, user: UserKey, index: u8, sink: &mut impl Sink) {
        let Some(game) = self.games.get_mut(key) else {
            return;
        };
        let players = game.players;
        let watch = game.member_mut(user).and_then(|it| it.watch.as_mut());
        let Some(watch) = watch.filter(|watch| watch.index == index && !watch.started) else {
            return;
        };
        watch.started = true;
        let start = ServerMessage::StartGame {
            delay: watch.delay,
            player: watch.number,
            players,
        };
        say(
            &[user],
            ROOM_NAME,
            &self.catalogue.line(Text::WatchBegins, &[]),
            sink,
        );
        sink.notice(&[user], &start);
    }

    /// A watcher cannot be shown the game, or not any longer.
    pub fn watch_ended(
        &mut self,
        key: GameKey,
        user: UserKey,
        index: u8,
        end: WatchEnd,
        sink: &mut impl Sink,
    ) {
        let text = match end {
            WatchEnd::Refused => Text::WatchDenied,
            WatchEnd::Outrun | WatchEnd::Lost => Text::WatchEnds,
        };
        let watch = self.games.get(key).and_then(|game| game.watch(user));
        if watch.is_some_and(|watch| watch.index == index) {
            say(&[user], ROOM_NAME, &self.catalogue.line(text, &[]), sink);
            self.stop_watching(key, user, sink);
        }
    }

    /// One that came back has caught up with its game: the others wait for it again.
    pub fn returned(
        &mut self,
        now: Time,
        key: GameKey,
        user: UserKey,
        player: usize,
        sink: &mut impl Sink,
    ) {
        let Some(game) = self.games.get_mut(key) else {
            return;
        };
        let runs = game.phase == Phase::Playing;
        let member = game.member_mut(user);
        let seat = member.and_then(|member| {
            let watch = member.watch.filter(|_| runs)?;
            let seat = watch.returns_to.filter(|seat| seat.index() == player)?;
            member.watch = None;
            Some(&*member.seat.insert(Seat {
                delay: watch.delay,
                ready: true,
                came_as: Some(watch.index),
                ..seat
            }))
        });
        let is_back = seat.is_some();
        if !runs {
            return;
        }
        sink.reseat(key, user, player);
        if !is_back {
            sink.remove(now, key, player);
        } else if let Some(user) = self.users.get(user) {
            let name = user.name.clone();
            self.say_room(key, Text::Rejoined, &[Param::Bytes(&name)], sink);
        }
    }

    /// A user will watch the room with this number when it joins it.
    pub(super) fn will_watch(&mut self, user: UserKey, id: GameId, sink: &mut impl Sink) {
        let game = self.games.with_id(id).map(|game| game.key);
        let text = match game {
            None => Text::JoinGone,
            Some(_) if !self.rules.watching => Text::WatchDenied,
            Some(_) => Text::WatchNext,
        };
        if let (Text::WatchNext, Some(user)) = (text, self.users.get_mut(user)) {
            user.watches = Some(id);
        }
        let params = [Param::Number(id.0.into())];
        inform(&[user], &self.catalogue.line(text, &params), sink);
    }

    /// A member watches, from the next start on, or plays again.
    pub(super) fn only_watch(
        &mut self,
        key: GameKey,
        user: UserKey,
        on: bool,
        sink: &mut impl Sink,
    ) {
        if on && !self.rules.watching {
            say(
                &[user],
                ROOM_NAME,
                &self.catalogue.line(Text::WatchDenied, &[]),
                sink,
            );
            return;
        }
        let (Some(game), Some(watcher)) = (self.games.get_mut(key), self.users.get(user)) else {
            return;
        };
        let runs = game.phase != Phase::Waiting;
        let is_full = !watcher.may(Right::EnterRoom) && game.player_count() >= game.capacity;
        if watcher.is_unseen && game.owner != user {
            say(
                &[user],
                ROOM_NAME,
                &self.catalogue.line(Text::WatchDenied, &[]),
                sink,
            );
            return;
        }
        let name = watcher.name.clone();
        let alike = is_alike(watcher, game);
        let Some(member) = game.member_mut(user) else {
            return;
        };
        if let Err(text) = alike {
            say(&[user], ROOM_NAME, &self.catalogue.line(text, &[]), sink);
            return;
        }
        if !on && member.only_watches && is_full {
            let text = self.catalogue.line(Text::JoinFull, &[]);
            say(&[user], ROOM_NAME, &text, sink);
            return;
        }
        let has_no_view = member.seat.is_none() && member.watch.is_none();
        let changes = member.only_watches != on;
        member.only_watches = on;
        let text = if on {
            Text::WatcherCame
        } else {
            Text::WatcherLeft
        };
        self.say_room(key, text, &[Param::Bytes(&name)], sink);
        if changes {
            self.show_status(key, sink);
        }
        if changes && self.undo_swap(key) {
            self.say_room(key, Text::SwapUndone, &[], sink);
        }
        if on && runs && has_no_view {
            self.show_game(key, user, None, sink);
        }
    }

    /// Whether others than the players may see a room's games; who watches already goes on.
    pub(super) fn let_watch(
        &mut self,
        user: UserKey,
        key: GameKey,
        on: bool,
        sink: &mut impl Sink,
    ) {
        if on && !self.rules.watching {
            let text = self.catalogue.line(Text::WatchDenied, &[]);
            say(&[user], ROOM_NAME, &text, sink);
        } else if let Some(game) = self.games.get_mut(key) {
            game.lets_watch = on;
            let text = if on {
                Text::WatchersOn
            } else {
                Text::WatchersOff
            };
            self.say_room(key, text, &[], sink);
        }
    }

    /// What `user` would do in a room.
    pub(super) fn part_of(&self, user: &User, key: GameKey) -> Part {
        let Some(game) = self.games.get(key) else {
            return Part::Plays;
        };
        if self.seat_of(user, game).is_some() {
            Part::Returns
        } else if self.rules.watching && user.watches == Some(game.id) {
            Part::Watches
        } else {
            Part::Plays
        }
    }

    /// Whether one that watches may come in; it takes nobody's place.
    pub(super) fn check_watch(&self, user: &User, game: &Game) -> Result<(), Vec<u8>> {
        let refuse = |text| Err(self.catalogue.line(text, &[]));
        if game.is_chat_room() || !game.lets_watch {
            return refuse(Text::WatchDenied);
        }
        if game.members.len() >= super::game::MAX_MEMBERS {
            return refuse(Text::WatchFull);
        }
        if game.kicked.contains(&user.address) {
            return refuse(Text::JoinKicked);
        }
        is_alike(user, game).or_else(refuse)
    }

    /// Tells one who may not enter a room while its game runs how to see that.
    pub(super) fn hint_at_watching(&self, user: &User, game: Option<&Game>, sink: &mut impl Sink) {
        let runs = |game: &&Game| game.phase != Phase::Waiting;
        if let Some(game) = game.filter(runs)
            && self.rules.watching
            && user.room.is_none()
            && user.watches != Some(game.id)
            && self.check_watch(user, game).is_ok()
        {
            let params = [Param::Number(game.id.0.into())];
            let line = self.catalogue.line(Text::WatchHint, &params);
            inform(&[user.key], &line, sink);
        }
    }

    /// A new member begins what it came for.
    pub(super) fn take_part(
        &mut self,
        key: GameKey,
        user: UserKey,
        part: Part,
        sink: &mut impl Sink,
    ) {
        let (Some(joiner), Some(game)) = (self.users.get(user), self.games.get(key)) else {
            return;
        };
        let seat = self.seat_of(joiner, game).filter(|_| part == Part::Returns);
        let runs = game.phase != Phase::Waiting;
        if let Some(joiner) = self.users.get_mut(user) {
            joiner.watches = None;
        }
        if seat.is_some() || runs && part == Part::Watches {
            self.show_game(key, user, seat, sink);
        }
    }

    /// Members without a seat are shown the game that starts.
    pub(super) fn watch_from_the_start(&mut self, key: GameKey, sink: &mut impl Sink) {
        let Some(game) = self.games.get(key).filter(|_| self.rules.watching) else {
            return;
        };
        let watching = game.members.iter().filter(|member| member.only_watches);
        let watching: Vec<UserKey> = watching.map(|member| member.user).collect();
        for user in watching {
            self.show_game(key, user, None, sink);
        }
    }

    /// Asks the game's actor to show a member the game.
    fn show_game(
        &mut self,
        key: GameKey,
        user: UserKey,
        returns_to: Option<Seat>,
        sink: &mut impl Sink,
    ) {
        let Some(game) = self.games.get(key) else {
            return;
        };
        let Some(index) = game.free_watch_index() else {
            return;
        };
        let most = game
            .highest_delay
            .saturating_mul(2)
            .saturating_add(EXTRA_DELAY);
        // The more messages are under way, the faster it catches up. What one presses that
        // plays again has to travel as long, so twice its own must do.
        let delay = match returns_to {
            Some(_) => self.delay_of(user, game).saturating_mul(2).min(most),
            None => most,
        };
        let number = match (returns_to, self.rules.watcher_number) {
            (Some(seat), _) => seat.number,
            (None, WatcherNumber::Next) => game.players.saturating_add(1),
            (None, WatcherNumber::Zero) => 0,
        };
        let game = self.games.get_mut(key);
        if let Some(member) = game.and_then(|game| game.member_mut(user)) {
            member.watch = Some(Watch {
                index,
                number,
                delay,
                started: false,
                ready: false,
                returns_to,
            });
            let player = returns_to.map(|seat| seat.number.saturating_sub(1));
            let watcher = Watcher {
                user,
                index,
                delay,
                player,
            };
            sink.watch(key, watcher);
        }
    }

    /// A watcher's emulator runs.
    pub(super) fn watcher_ready(&mut self, key: GameKey, user: UserKey, sink: &mut impl Sink) {
        let Some(game) = self.games.get_mut(key) else {
            return;
        };
        let plays = game.phase == Phase::Playing;
        let watch = game.member_mut(user).and_then(|it| it.watch.as_mut());
        if let Some(watch) = watch.filter(|watch| watch.started && !watch.ready) {
            watch.ready = true;
            if plays {
                sink.notice(&[user], &ServerMessage::AllReady);
            }
        }
    }

    /// A watcher is shown no more, and its emulator may stop.
    pub(super) fn stop_watching(&mut self, key: GameKey, user: UserKey, sink: &mut impl Sink) {
        let game = self.games.get_mut(key);
        let member = game.and_then(|game| game.member_mut(user));
        let Some(watch) = member.and_then(|member| member.watch.take()) else {
            return;
        };
        sink.unwatch(key, user, watch.index);
        let user = self.users.get(user);
        if let Some(user) = user.filter(|user| user.presence != Presence::Replaced) {
            let (name, player) = (&user.name, watch.number);
            sink.notice(&[user.key], &ServerMessage::PlayerDrop { name, player });
        }
    }

    /// The game is over for those who watch, too.
    pub(super) fn end_watching(&mut self, key: GameKey, sink: &mut impl Sink) {
        let watchers = self.games.get(key).map(|game| game.watchers());
        let watchers: Vec<UserKey> = watchers
            .into_iter()
            .flatten()
            .map(|(user, _)| user)
            .collect();
        for user in watchers {
            self.stop_watching(key, user, sink);
        }
    }

    /// Notes that a user's session broke off, for the seat that it gives up next.
    pub(super) fn mark_lost(&mut self, user: UserKey, lost: bool) {
        if let Some(user) = self.users.get_mut(user) {
            user.lost = lost;
        }
    }

    /// Keeps the seat of a player that left against its will.
    pub(super) fn remember_lost(&mut self, key: GameKey, user: UserKey, seat: Seat) {
        let user = self.users.get(user).filter(|user| user.lost);
        let Some((user, game)) = user.zip(self.games.get_mut(key)) else {
            return;
        };
        if self.rules.come_back && game.phase == Phase::Playing {
            game.lost.push(Lost {
                seat,
                name: user.name.clone(),
                emulator: user.emulator.clone(),
                address: user.address,
            });
        }
    }

    /// The seat that `user` lost in a game that still runs.
    ///
    /// Nothing a client sends proves who it is: this compares all that it sends. Whoever is
    /// behind the same address and knows the name can take the seat, so it is an option.
    fn seat_of(&self, user: &User, game: &Game) -> Option<Seat> {
        let is_theirs = |lost: &&Lost| {
            lost.address == user.address
                && lost.name == user.name
                && lost.emulator == user.emulator
                && game.connection_type == user.connection_type
                && game.player(lost.seat.index()).is_none()
                && game.watchers().all(|(_, watch)| {
                    let other = watch.returns_to.map(|seat| seat.number);
                    other != Some(lost.seat.number)
                })
        };
        let runs = self.rules.come_back && game.phase == Phase::Playing;
        let lost = game.lost.iter().filter(|_| runs).find(is_theirs)?;
        Some(lost.seat)
    }
}

/// Whether a user's emulator makes of the players' frames what theirs do.
fn is_alike(user: &User, game: &Game) -> Result<(), Text> {
    if user.connection_type != game.connection_type {
        return Err(Text::StartType);
    }
    if user.emulator != game.emulator {
        return Err(Text::StartEmulator);
    }
    Ok(())
}

impl Game {
    /// What `user` sees of the game without a seat.
    fn watch(&self, user: UserKey) -> Option<Watch> {
        let member = self.members.iter().find(|member| member.user == user);
        member?.watch
    }

    /// A place among the watchers that nobody's data comes under.
    fn free_watch_index(&self) -> Option<u8> {
        let is_taken = |index: u8| {
            let watches = self.watchers().any(|(_, watch)| watch.index == index);
            watches || self.seats().any(|(_, seat)| seat.came_as == Some(index))
        };
        (0..MAX_WATCHERS as u8).find(|index| !is_taken(*index))
    }
}
