//! Games: start, ready, drop, out of sync (kaillera.md 7.1, 7.3, 9).

use super::{
    Event, GameKey, Lobby, Sink, Start, UserKey,
    catalogue::{ERROR_NAME, NAME, Param, ROOM_NAME, Text},
    chat::say,
    delay::blank_frames,
    game::{Game, Phase, Seat},
    login::type_text,
    rights::Right,
    sync::Desync,
    user::Presence,
};
use crate::{kaillera::message::ServerMessage, timer::Time};
use std::time::Duration;

/// Players that each get a line of their own about their delay. At most four messages
/// may follow AllReady before the first data (kaillera.md 7.3).
const DELAY_LINES: usize = 3;

/// Room that one player's delay takes in a shared line: `P100 65535 (393215), `.
const SHARED_DELAY: usize = 21;
/// Bytes of a shared line before its frame is added.
const SHARED_LINE: usize = 180;

impl Lobby {
    /// A player stops playing, by its own wish or after a long silence.
    pub fn drop_player(&mut self, now: Time, user: UserKey, sink: &mut impl Sink) {
        if let Some(room) = self.users.get(user).and_then(|user| user.room) {
            self.give_up_seat(now, room, user, sink);
            self.stop_watching(room, user, sink);
            self.play_if_ready(now, room, sink);
        }
    }

    /// Tells a room that its player with this index (0 is the first) is out of sync. One that
    /// kept the others waiting is dropped, unless the rules say otherwise.
    pub fn desynchronised(
        &mut self,
        now: Time,
        key: GameKey,
        player: usize,
        cause: Desync,
        sink: &mut impl Sink,
    ) {
        let Some(game) = self.games.get(key) else {
            return;
        };
        let Some(user) = game.player(player).and_then(|key| self.users.get(key)) else {
            return;
        };
        let (text, waited) = match cause {
            Desync::Gap => (Text::DesyncGap, Duration::ZERO),
            Desync::Stall(waited) if self.rules.drop_stalled => (Text::HangDropped, waited),
            Desync::Stall(waited) => (Text::DesyncStall, waited),
        };
        let drops = text == Text::HangDropped;
        let user_key = user.key;
        sink.event(&Event::OutOfSync {
            room: game.as_room(),
            who: user.who(),
            cause,
            dropped: drops,
        });
        let params = [Param::Bytes(&user.name), Param::Number(waited.as_secs())];
        let text = self.catalogue.line(text, &params);
        let name = self.catalogue.bytes(Text::DesyncName, &[], NAME);
        say(
            game.room(&self.users, &mut self.scratch),
            &name,
            &text,
            sink,
        );
        if drops {
            self.mark_lost(user_key, true);
            self.give_up_seat(now, key, user_key, sink);
            self.mark_lost(user_key, false);
            self.play_if_ready(now, key, sink);
        }
    }

    /// Tells the player with this index that it named an input the server does not have.
    pub fn bad_cache_index(
        &mut self,
        _now: Time,
        game: GameKey,
        player: usize,
        sink: &mut impl Sink,
    ) {
        let player = self.games.get(game).and_then(|game| game.player(player));
        if let Some(user) = player {
            let text = self.catalogue.line(Text::BadCacheIndex, &[]);
            say(&[user], ERROR_NAME, &text, sink);
        }
    }

    /// Drops whoever has not become ready in time, ends levels and bans that held for a time, posts
    /// rooms that have waited long enough, and lets the quiz go on.
    pub fn handle_timeout(&mut self, now: Time, sink: &mut impl Sink) {
        if self.access_ends.is_some_and(|end| end <= now) {
            self.apply_access(now, sink);
        }
        self.post_due(now, sink);
        self.trivia_timeout(now, sink);
        while let Some(key) = self.first_late(now) {
            while let Some(user) = self.games.get(key).and_then(first_missing) {
                self.tell_of_member(key, user, Event::NotReady, sink);
                if let Some(missing) = self.users.get(user) {
                    let name = missing.name.clone();
                    self.say_room(key, Text::NotReady, &[Param::Bytes(&name)], sink);
                }
                self.give_up_seat(now, key, user, sink);
            }
            self.play_if_ready(now, key, sink);
        }
    }

    /// A room whose players should all be ready by `now`.
    fn first_late(&self, now: Time) -> Option<GameKey> {
        let is_late = |game: &&Game| match game.phase {
            Phase::Synchronizing { deadline } => deadline <= now,
            Phase::Waiting | Phase::Playing => false,
        };
        self.games.iter().find(is_late).map(|game| game.key)
    }

    pub(super) fn start_game(&mut self, now: Time, user: UserKey, sink: &mut impl Sink) {
        if let Err(text) = self.try_start(now, user, sink) {
            self.say_error(user, text, sink);
        }
    }

    /// Starts the room's game; chat rooms stay as they are.
    pub(super) fn try_start(
        &mut self,
        now: Time,
        user: UserKey,
        sink: &mut impl Sink,
    ) -> Result<(), Text> {
        let Some(starter) = self.users.get(user) else {
            return Ok(());
        };
        let game = starter.room.and_then(|key| self.games.get(key));
        let game = game.ok_or(Text::StartNotInRoom)?;
        if game.owner != user && !starter.may(Right::LeadRooms) {
            return Err(Text::StartNotOwner);
        }
        match game.phase {
            Phase::Waiting => {}
            Phase::Synchronizing { .. } => return Err(Text::StartSynchronizing),
            Phase::Playing => return Err(Text::StartPlaying),
        }
        let players = game.would_play().count();
        if players == 0 {
            return Err(Text::StartNobody);
        }
        let is_alone = players < 2;
        if is_alone && !starter.may(Right::PlayAlone) && !self.rules.allow_single_player {
            return Err(Text::StartAlone);
        }
        if game.is_chat_room() {
            return Ok(());
        }
        if self.draining {
            return Err(Text::StartDraining);
        }
        let key = game.key;
        self.check_alike(key, sink)?;
        self.begin(now, key, sink);
        Ok(())
    }

    /// Whether all members have the owner's connection type and emulator; else the room is told.
    fn check_alike(&mut self, key: GameKey, sink: &mut impl Sink) -> Result<(), Text> {
        let Some(game) = self.games.get(key) else {
            return Ok(());
        };
        let members = || game.would_play().filter_map(|user| self.users.get(user));
        let type_differs = members().any(|member| member.connection_type != game.connection_type);
        let emulator_differs = members().any(|member| member.emulator != game.emulator);
        if type_differs {
            let params = [Param::Text(type_text(game.connection_type))];
            self.say_room(key, Text::StartTypeInfo, &params, sink);
            return Err(Text::StartType);
        }
        if emulator_differs {
            let emulator = game.emulator.clone();
            self.say_room(
                key,
                Text::StartEmulatorInfo,
                &[Param::Bytes(&emulator)],
                sink,
            );
            return Err(Text::StartEmulator);
        }
        Ok(())
    }

    fn begin(&mut self, now: Time, key: GameKey, sink: &mut impl Sink) {
        let Some(mut players) = self.line_up(key) else {
            return;
        };
        let deadline = now + self.rules.ready_timeout;
        let Some(game) = self.games.get_mut(key) else {
            return;
        };
        let highest = players.iter().map(|player| player.delay).max();
        let highest = highest.unwrap_or(1);
        if game.same_delay {
            players.iter_mut().for_each(|player| player.delay = highest);
        }
        game.phase = Phase::Synchronizing { deadline };
        game.players = u8::try_from(players.len()).unwrap_or(u8::MAX);
        game.highest_delay = highest;
        for (number, player) in (1..).zip(&players) {
            if let Some(member) = game.member_mut(player.user) {
                member.seat = Some(Seat {
                    number,
                    delay: player.delay,
                    ready: false,
                    came_as: None,
                });
            }
        }
        let start = Start {
            connection_type: game.connection_type,
            players: &players,
            autofire: game.autofire,
            rate: game.rate,
        };
        sink.begin(key, &start);
        self.report_start(key, sink);
        self.show_status(key, sink);
        self.hush(key, sink);
        self.send_start(key, sink);
        self.watch_from_the_start(key, sink);
    }

    fn send_start(&self, key: GameKey, sink: &mut impl Sink) {
        let Some(game) = self.games.get(key) else {
            return;
        };
        for (user, seat) in game.seats() {
            let start = ServerMessage::StartGame {
                delay: seat.delay,
                player: seat.number,
                players: game.players,
            };
            sink.notice(&[user], &start);
        }
    }

    /// Spares players the lobby's traffic, if they asked for it or the server is crowded.
    fn hush(&mut self, key: GameKey, sink: &mut impl Sink) {
        let Some(game) = self.games.get(key) else {
            return;
        };
        let limit = self.rules.quiet_games_above;
        let is_crowded = limit != 0 && self.users.len() > limit as usize;
        let is_spared = |user: &UserKey| {
            is_crowded || self.users.get(*user).is_some_and(|user| user.wants_quiet)
        };
        let players = game.seats().map(|(user, _)| user);
        let spared: Vec<UserKey> = players.filter(is_spared).collect();
        if spared.is_empty() {
            return;
        }
        self.users
            .set_presence(spared.iter().copied(), Presence::Quiet);
        let text = self.catalogue.line(Text::QuietStart, &[]);
        say(&spared, ROOM_NAME, &text, sink);
    }

    pub(super) fn ready(&mut self, now: Time, user: UserKey, sink: &mut impl Sink) {
        let Some(key) = self.users.get(user).and_then(|user| user.room) else {
            return;
        };
        let member = self
            .games
            .get_mut(key)
            .and_then(|game| game.member_mut(user));
        let Some(member) = member else {
            return;
        };
        if let Some(seat) = &mut member.seat {
            seat.ready = true;
            self.play_if_ready(now, key, sink);
        } else {
            self.watcher_ready(key, user, sink);
        }
    }

    /// Lets the game go once everybody who still plays is ready.
    pub(super) fn play_if_ready(&mut self, now: Time, key: GameKey, sink: &mut impl Sink) {
        let Some(game) = self.games.get_mut(key) else {
            return;
        };
        let is_loading = matches!(game.phase, Phase::Synchronizing { .. });
        if !is_loading || first_missing(game).is_some() {
            return;
        }
        game.phase = Phase::Playing;
        sink.play(now, key);
        self.show_status(key, sink);
        let Some(game) = self.games.get(key) else {
            return;
        };
        let watching = game.watchers().filter(|(_, watch)| watch.ready);
        let watching = watching.map(|(user, _)| user);
        let playing = game.seats().map(|(user, _)| user);
        let everybody: Vec<UserKey> = playing.chain(watching).collect();
        sink.notice(&everybody, &ServerMessage::AllReady);
        for line in self.delay_lines(game) {
            say(
                game.room(&self.users, &mut self.scratch),
                ROOM_NAME,
                &line,
                sink,
            );
        }
    }

    /// Who has which delay: a line each for few players, else at most two lines.
    fn delay_lines(&self, game: &Game) -> Vec<Vec<u8>> {
        let frames = |seat: Seat| blank_frames(seat.delay, game.connection_type);
        let seats = || game.seats().map(|(_, seat)| seat);
        let first = seats().next().map(|seat| seat.delay);
        if game.same_delay && seats().all(|seat| Some(seat.delay) == first) {
            let line = |seat: Seat| {
                let delay = Param::Number(seat.delay.into());
                let params = [delay, Param::Number(frames(seat).into())];
                self.catalogue.line(Text::SameDelay, &params)
            };
            return seats().take(1).map(line).collect();
        }
        if seats().count() <= DELAY_LINES {
            let line = |seat: Seat| {
                let number = Param::Number(seat.number.into());
                let delay = Param::Number(seat.delay.into());
                let params = [number, delay, Param::Number(frames(seat).into())];
                self.catalogue.line(Text::Delay, &params)
            };
            return seats().map(line).collect();
        }
        let mut lines = [String::new(), String::new()];
        let mut open = lines.iter_mut();
        let mut line = open.next();
        for seat in seats() {
            if line
                .as_ref()
                .is_some_and(|line| line.len() + SHARED_DELAY > SHARED_LINE)
            {
                line = open.next();
            }
            let Some(line) = &mut line else {
                break;
            };
            let separator = if line.is_empty() { "" } else { ", " };
            let (number, delay) = (seat.number, seat.delay);
            line.push_str(&format!("{separator}P{number} {delay} ({})", frames(seat)));
        }
        let lines = lines.iter().filter(|line| !line.is_empty());
        lines
            .map(|line| self.catalogue.line(Text::Delays, &[Param::Word(line)]))
            .collect()
    }

    /// The drop flow up to, but not including, the go for those who waited for this player.
    pub(super) fn give_up_seat(
        &mut self,
        now: Time,
        key: GameKey,
        user: UserKey,
        sink: &mut impl Sink,
    ) {
        let Some(game) = self.games.get_mut(key) else {
            return;
        };
        let Some(seat) = game.member_mut(user).and_then(|member| member.seat.take()) else {
            return;
        };
        let is_over = game.seats().next().is_none();
        if is_over {
            game.phase = Phase::Waiting;
            game.lost.clear();
            self.show_status(key, sink);
        } else {
            self.remember_lost(key, user, seat);
        }
        let (Some(player), Some(game)) = (self.users.get(user), self.games.get(key)) else {
            return;
        };
        let dropped = ServerMessage::PlayerDrop {
            name: &player.name,
            player: seat.number,
        };
        if is_over {
            sink.event(&Event::GameOver(game.as_room()));
        }
        let to = game.room(&self.users, &mut self.scratch);
        if !to.is_empty() {
            sink.notice(to, &dropped);
        }
        sink.remove(now, key, seat.index());
        if is_over {
            self.end_watching(key, sink);
            sink.end(key);
            self.forget_start_at(key, sink);
        }
        self.wake(user, sink);
    }

    /// Gives a spared player the lobby's traffic back.
    pub(super) fn wake(&mut self, user: UserKey, sink: &mut impl Sink) {
        let presence = self.users.get(user).map(|user| user.presence);
        if presence == Some(Presence::Quiet) {
            self.users.set_presence([user], Presence::Attentive);
            let text = self.catalogue.line(Text::QuietEnd, &[]);
            say(&[user], ROOM_NAME, &text, sink);
        }
    }
}

/// A player that is not ready.
fn first_missing(game: &Game) -> Option<UserKey> {
    let mut missing = game.seats().filter(|(_, seat)| !seat.ready);
    missing.next().map(|(user, _)| user)
}
