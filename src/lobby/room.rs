//! Rooms: open, enter, leave, remove, close (kaillera.md 6.2-6.6).

use super::{
    Event, GameKey, Lobby, Room, Sink, UserKey, Who,
    catalogue::{Param, ROOM_NAME, Text},
    charset::trim,
    chat::{inform, say},
    game::{Game, LastJoin, MAX_MEMBERS, Member, Phase},
    login::type_text,
    posts::RoomEventKind,
    rights::Right,
    status::send_members,
    user::{Presence, User},
    watch::Part,
};
use crate::{
    kaillera::message::{GameId, ServerMessage, UserId},
    timer::Time,
};

/// Longest name of a game in bytes: clients' buffers have 128.
const ROM: usize = 126;

/// Joins of one user in a row until the room is closed to it.
const JOINS_IN_A_ROW: u32 = 4;

impl Lobby {
    pub(super) fn create_game(
        &mut self,
        now: Time,
        user: UserKey,
        rom: &[u8],
        sink: &mut impl Sink,
    ) {
        let Some(owner) = self.users.get(user) else {
            return;
        };
        if let Err(reason) = self.check_create(now, owner, rom) {
            self.refuse(owner, &reason, sink);
            return;
        }
        let (capacity, autofire) = (self.rules.room_capacity, self.rules.autofire);
        let Some(game) = self.games.open(owner, rom, capacity, autofire) else {
            return;
        };
        let (key, emulator) = (game.key, &*game.emulator);
        let created = ServerMessage::CreateGame {
            owner: &owner.name,
            rom,
            emulator,
            game: game.id,
        };
        sink.event(&Event::RoomOpened(game.as_room(), owner.who()));
        sink.notice(self.users.listeners(), &created);
        if let Some(owner) = self.users.get_mut(user) {
            owner.last_create = Some(now);
            owner.room = Some(key);
        }
        self.show_status(key, sink);
        self.introduce(key, user, sink);
        if let Some(owner) = self.users.get(user) {
            let params = [Param::Bytes(&owner.name), Param::Bytes(rom)];
            let text = self.catalogue.line(Text::RoomOpened, &params);
            inform(self.users.listeners(), &text, sink);
        }
        self.plan_post(now, key, sink);
        self.greet(user, sink);
    }

    /// What the user is told if it may not open this room.
    fn check_create(&self, now: Time, owner: &User, rom: &[u8]) -> Result<(), Vec<u8>> {
        let reason = |reason: Param<'_>| self.catalogue.line(Text::CreateDenied, &[reason]);
        let refuse = |text| Err(reason(Param::Text(text)));
        let is_paced = !owner.may(Right::AnyPace);
        let is_checked = !owner.may(Right::AnyText);
        let pause = self.rules.create_game_flood;
        let too_soon = |last| now.since(last) < pause;
        if self.plays(owner) {
            return refuse(Text::CreatePlaying);
        }
        if owner.room.is_some() {
            return refuse(Text::CreateInRoom);
        }
        if self.draining {
            return refuse(Text::CreateDraining);
        }
        let length = self.charset.count(trim(rom));
        if rom.len() > ROM || length > self.rules.max_game_name_length {
            return refuse(Text::CreateLong);
        }
        if self.charset.has(rom, '|') {
            return refuse(Text::CreateIllegal);
        }
        if is_paced && owner.last_create.is_some_and(too_soon) {
            return Err(self.catalogue.line(Text::CreateFlood, &[]));
        }
        let limit = self.rules.max_games;
        if is_paced && limit != 0 && self.games.len() >= limit as usize {
            let params = [Param::Number(limit.into())];
            let limit = self.catalogue.line(Text::CreateMaxGames, &params);
            return Err(reason(Param::Bytes(&limit)));
        }
        if is_checked && self.charset.has_control(rom) {
            return refuse(Text::CreateIllegal);
        }
        if trim(rom).is_empty() {
            return refuse(Text::CreateEmpty);
        }
        if is_checked && self.is_filtered(rom) {
            return refuse(Text::CreateFiltered);
        }
        if is_checked && !self.allows_game(rom) {
            return refuse(Text::CreateBarred);
        }
        Ok(())
    }

    pub(super) fn join_game(&mut self, now: Time, user: UserKey, id: GameId, sink: &mut impl Sink) {
        let (Some(joiner), game) = (self.users.get(user), self.games.with_id(id)) else {
            return;
        };
        let key = match self.check_join(now, joiner, game) {
            Ok(key) => key,
            Err(reason) => {
                let reason = [Param::Bytes(&reason)];
                let refusal = self.catalogue.line(Text::JoinDenied, &reason);
                self.refuse(joiner, &refusal, sink);
                self.hint_at_watching(joiner, game, sink);
                self.take_password(now, user, id);
                self.bar_if_spamming(user, id);
                return;
            }
        };
        let part = self.part_of(joiner, key);
        self.take_password(now, user, id);
        self.enter(key, user, part);
        self.tell_of_member(key, user, Event::RoomEntered, sink);
        self.show_status(key, sink);
        self.introduce(key, user, sink);
        self.compare_emulators(key, user, sink);
        self.greet(user, sink);
        self.take_part(key, user, part, sink);
        let game = self.games.get(key);
        if game.is_some_and(|game| game.would_play().any(|player| player == user)) {
            self.start_if_enough(now, key, sink);
        }
    }

    /// The operator's lines for one who is in a room now.
    fn greet(&self, user: UserKey, sink: &mut impl Sink) {
        let texts = self.rules.room_welcome.iter();
        for line in texts.flat_map(|text| self.catalogue.lines(text)) {
            say(&[user], ROOM_NAME, &line, sink);
        }
    }

    fn check_join(
        &self,
        now: Time,
        joiner: &User,
        game: Option<&Game>,
    ) -> Result<GameKey, Vec<u8>> {
        let refuse = |text| Err(self.catalogue.line(text, &[]));
        let normal = !joiner.may(Right::EnterRoom);
        if let Some(room) = joiner.room {
            let here = game.is_some_and(|game| game.key == room);
            return refuse(if here {
                Text::JoinMember
            } else {
                Text::JoinInRoom
            });
        }
        let Some(game) = game else {
            return refuse(Text::JoinGone);
        };
        let returns = joiner.may(Right::ReturnToRoom);
        if !returns && is_spamming(game, joiner) {
            return refuse(Text::JoinSpam);
        }
        let part = self.part_of(joiner, game.key);
        if part == Part::Watches {
            self.check_watch(joiner, game)?;
            let asked = if normal {
                self.check_password(now, joiner, game)
            } else {
                Ok(())
            };
            return asked.map(|()| game.key);
        }
        let is_full = normal && game.player_count() >= game.capacity;
        if is_full || game.members.len() >= MAX_MEMBERS {
            return refuse(Text::JoinFull);
        }
        if normal && joiner.ping > game.max_ping {
            return refuse(Text::JoinPing);
        }
        if normal && game.owners_emulator_only && joiner.emulator != game.emulator {
            let params = [Param::Bytes(&game.emulator)];
            return Err(self.catalogue.line(Text::JoinEmulator, &params));
        }
        if normal && game.owners_type_only && joiner.connection_type != game.connection_type {
            let params = [Param::Text(type_text(game.connection_type))];
            return Err(self.catalogue.line(Text::JoinType, &params));
        }
        if !returns && game.kicked.contains(&joiner.address) {
            return refuse(Text::JoinKicked);
        }
        if normal && part != Part::Returns {
            self.check_password(now, joiner, game)?;
        }
        if normal && game.phase != Phase::Waiting && part != Part::Returns {
            return refuse(Text::JoinRunning);
        }
        Ok(game.key)
    }

    fn check_password(&self, now: Time, joiner: &User, game: &Game) -> Result<(), Vec<u8>> {
        let asked = game.password.as_ref().filter(|_| self.rules.passwords);
        let text = match (asked, &joiner.password) {
            (None, _) => return Ok(()),
            _ if game.misses.are_too_many(now, joiner.address) => Text::JoinPasswordTries,
            (Some(_), None) => Text::JoinPassword,
            (Some(asked), Some(given)) if asked == given => return Ok(()),
            (Some(_), Some(_)) => Text::JoinPasswordWrong,
        };
        let command = [Param::Word("/password <...>")];
        Err(self.catalogue.line(text, &command))
    }

    /// Whoever knocks gives its password away: one that was wrong counts as a try.
    fn take_password(&mut self, now: Time, user: UserKey, id: GameId) {
        let Some(joiner) = self.users.get_mut(user) else {
            return;
        };
        let (address, given) = (joiner.address, joiner.password.take());
        let key = self.games.with_id(id).map(|game| game.key);
        if let Some(game) = key.and_then(|key| self.games.get_mut(key))
            && game.password.is_some()
            && given.is_some()
            && given != game.password
        {
            game.misses.add(now, address);
        }
    }

    /// Puts a user that joins too often in a row on the room's list of the removed.
    fn bar_if_spamming(&mut self, user: UserKey, id: GameId) {
        let key = self.games.with_id(id).map(|game| game.key);
        let (Some(joiner), Some(key)) = (self.users.get(user), key) else {
            return;
        };
        if let Some(game) = self.games.get_mut(key)
            && joiner.room.is_none()
            && is_spamming(game, joiner)
        {
            game.bar(joiner.address);
        }
    }

    fn enter(&mut self, key: GameKey, user: UserKey, part: Part) {
        let (Some(joiner), Some(game)) = (self.users.get_mut(user), self.games.get_mut(key)) else {
            return;
        };
        joiner.room = Some(key);
        game.members.push(Member {
            only_watches: part == Part::Watches || joiner.is_unseen,
            ..Member::new(user)
        });
        match &mut game.last_join {
            Some(last) if last.is_by(joiner) => last.times += 1,
            last => {
                *last = Some(LastJoin {
                    address: joiner.address,
                    folded_name: joiner.folded_name.clone(),
                    times: 1,
                });
            }
        }
    }

    /// Sends a new member the others, and the room the new member.
    fn introduce(&mut self, key: GameKey, user: UserKey, sink: &mut impl Sink) {
        let (Some(joiner), Some(game)) = (self.users.get(user), self.games.get(key)) else {
            return;
        };
        send_members(&self.users, game, user, sink);
        let joined = ServerMessage::JoinGame {
            game: game.id,
            name: &joiner.name,
            ping: joiner.ping_ms(),
            id: joiner.id,
            connection_type: joiner.connection_type,
        };
        match game.hides(joiner) {
            true => sink.notice(&[user], &joined),
            false => sink.notice(game.room(&self.users, &mut self.scratch), &joined),
        }
    }

    fn compare_emulators(&mut self, key: GameKey, user: UserKey, sink: &mut impl Sink) {
        let (Some(joiner), Some(game)) = (self.users.get(user), self.games.get(key)) else {
            return;
        };
        if joiner.may(Right::OwnEmulator) || game.is_chat_room() || joiner.emulator == game.emulator
        {
            return;
        }
        let params = [Param::Bytes(&joiner.name), Param::Bytes(&joiner.emulator)];
        let text = self.catalogue.line(Text::OtherEmulator, &params);
        say(
            game.room(&self.users, &mut self.scratch),
            ROOM_NAME,
            &text,
            sink,
        );
    }

    /// Takes a user out of its room, and closes the room if it is the owner's.
    pub(super) fn quit_game(&mut self, now: Time, user: UserKey, sink: &mut impl Sink) {
        let Some(key) = self.users.get(user).and_then(|user| user.room) else {
            return;
        };
        self.give_up_seat(now, key, user, sink);
        self.stop_watching(key, user, sink);
        if let Some(leaver) = self.users.get_mut(user) {
            leaver.room = None;
            leaver.wants_quiet = false;
        }
        let mut played = false;
        if let Some(game) = self.games.get_mut(key) {
            played = game.would_play().any(|player| player == user);
            game.members.retain(|member| member.user != user);
        }
        let was_swapped = played && self.undo_swap(key);
        let (Some(leaver), Some(game)) = (self.users.get(user), self.games.get(key)) else {
            return;
        };
        let closes = game.owner == user;
        let id = leaver.id;
        let name = leaver.name.clone();
        let left = ServerMessage::QuitGame { name: &name, id };
        let told = leaver.presence != Presence::Replaced;
        let remaining = game.room(&self.users, &mut self.scratch);
        if !remaining.is_empty() && !game.hides(leaver) {
            sink.notice(remaining, &left);
        }
        if closes {
            self.close_room(key, sink);
        } else {
            self.tell_of_member(key, user, Event::RoomLeft, sink);
            self.show_status(key, sink);
        }
        if told {
            sink.notice(&[user], &left);
        }
        if was_swapped {
            self.say_room(key, Text::SwapUndone, &[], sink);
        }
        self.play_if_ready(now, key, sink);
    }

    fn close_room(&mut self, key: GameKey, sink: &mut impl Sink) {
        let Some(game) = self.games.remove(key) else {
            return;
        };
        sink.event(&Event::RoomClosed(game.as_room()));
        let to = game.around(&self.users, &mut self.scratch);
        if !to.is_empty() {
            sink.notice(to, &ServerMessage::CloseGame { game: game.id });
        }
        if game.phase != Phase::Waiting {
            sink.end(key);
        }
        self.report(&game, RoomEventKind::Closed, sink);
        let mut woken = Vec::new();
        for member in &game.members {
            if let Some(user) = self.users.get_mut(member.user) {
                user.room = None;
                user.wants_quiet = false;
                if user.presence == Presence::Quiet {
                    woken.push(user.key);
                }
            }
        }
        if !woken.is_empty() {
            self.users
                .set_presence(woken.iter().copied(), Presence::Attentive);
            inform(&woken, &self.catalogue.line(Text::QuietEnd, &[]), sink);
        }
    }

    pub(super) fn kick(&mut self, now: Time, user: UserKey, target: UserId, sink: &mut impl Sink) {
        match self.check_kick(user, target) {
            Ok(Some((key, target))) => {
                self.tell_of_removal(key, target, user, sink);
                let address = self.users.get(target).map(|target| target.address);
                if let (Some(game), Some(address)) = (self.games.get_mut(key), address) {
                    game.bar(address);
                }
                self.quit_game(now, target, sink);
            }
            Ok(None) => {}
            Err(text) => self.say_error(user, text, sink),
        }
    }

    /// An event of a room and one in it.
    pub(super) fn tell_of_member<'a>(
        &'a self,
        key: GameKey,
        user: UserKey,
        event: impl FnOnce(Room<'a>, Who<'a>) -> Event<'a>,
        sink: &mut impl Sink,
    ) {
        if let (Some(game), Some(user)) = (self.games.get(key), self.users.get(user)) {
            sink.event(&event(game.as_room(), user.who()));
        }
    }

    fn tell_of_removal(&self, key: GameKey, target: UserKey, by: UserKey, sink: &mut impl Sink) {
        if let Some(by) = self.users.get(by) {
            let by = by.who();
            let removed = |room, who| Event::Removed { room, who, by };
            self.tell_of_member(key, target, removed, sink);
        }
    }

    /// The room and the member to remove; none for one who is above that.
    fn check_kick(
        &self,
        user: UserKey,
        target: UserId,
    ) -> Result<Option<(GameKey, UserKey)>, Text> {
        let Some(kicker) = self.users.get(user) else {
            return Ok(None);
        };
        let Some(game) = kicker.room.and_then(|key| self.games.get(key)) else {
            return Err(Text::KickNotInRoom);
        };
        if game.owner != user && !kicker.may(Right::LeadRooms) {
            return Err(Text::KickNotOwner);
        }
        if kicker.id == target {
            return Err(Text::KickSelf);
        }
        let target = self.users.with_id(target);
        let target = target.filter(|target| target.room == Some(game.key) && !game.hides(target));
        let target = target.ok_or(Text::KickNotFound)?;
        let is_above = target.may(Right::Untouched) && !kicker.may(Right::ActOnAdmins);
        Ok((!is_above).then_some((game.key, target.key)))
    }

    /// Tells everybody what a room does and how full it is.
    pub(super) fn show_status(&mut self, key: GameKey, sink: &mut impl Sink) {
        let Some(game) = self.games.get(key) else {
            return;
        };
        let status = ServerMessage::GameStatus {
            game: game.id,
            status: game.phase.status(),
            players: game.player_count(),
            capacity: game.capacity,
        };
        let to = game.around(&self.users, &mut self.scratch);
        if !to.is_empty() {
            sink.notice(to, &status);
        }
    }

    /// Refuses to let a user open or enter a room, whose window its client shows already.
    /// One who has a room is not told to leave that (kaillera.md 13).
    fn refuse(&self, user: &User, text: &[u8], sink: &mut impl Sink) {
        inform(&[user.key], text, sink);
        if user.room.is_none() {
            let left = ServerMessage::QuitGame {
                name: &user.name,
                id: user.id,
            };
            sink.notice(&[user.key], &left);
        }
    }
}

fn is_spamming(game: &Game, user: &User) -> bool {
    let last = game.last_join.as_ref();
    last.is_some_and(|last| last.is_by(user) && last.times >= JOINS_IN_A_ROW)
}
