//! The rooms.

use super::{
    GameKey, UserKey,
    lineup::Lineup,
    misses::Misses,
    posts::Posted,
    rights::Right,
    sync::{FrameRate, LagReport, Sensitivity},
    user::{Presence, User, Users, next_id},
};
use crate::{
    kaillera::message::{ConnectionType, GameId, GameStatus},
    timer::Time,
};
use std::{net::IpAddr, time::Duration};

/// Members a room can have, whoever they are: player numbers and counts go out in a byte.
pub(super) const MAX_MEMBERS: usize = 100;

/// What a room does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Players gather; nobody has a seat.
    Waiting,
    /// Started; those not ready by the deadline are dropped.
    Synchronizing { deadline: Time },
    /// Every seat is ready.
    Playing,
}

impl Phase {
    pub(super) fn status(self) -> GameStatus {
        match self {
            Self::Waiting => GameStatus::Waiting,
            Self::Synchronizing { .. } => GameStatus::Synchronizing,
            Self::Playing => GameStatus::Playing,
        }
    }
}

/// A member's part in the game that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seat {
    /// The player's number, 1 is the first; fixed until the game ends.
    pub(super) number: u8,
    /// The frame delay sent to the player.
    pub(super) delay: u16,
    pub(super) ready: bool,
    /// The watcher's index its data comes under, if it has come back.
    pub(super) came_as: Option<u8>,
}

impl Seat {
    /// The player's place among the inputs, 0 is the first.
    pub(super) fn index(self) -> usize {
        usize::from(self.number).saturating_sub(1)
    }
}

/// A member's view of the game that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Watch {
    /// Its place among the watchers, 0 is the first.
    pub(super) index: u8,
    /// The number its emulator is told.
    pub(super) number: u8,
    pub(super) delay: u16,
    /// Its emulator has been told to start.
    pub(super) started: bool,
    /// Its emulator runs.
    pub(super) ready: bool,
    /// The seat it takes once it has caught up.
    pub(super) returns_to: Option<Seat>,
}

/// A user in a room.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) user: UserKey,
    /// None while the room waits, after a drop, and for one who came in later.
    pub(super) seat: Option<Seat>,
    /// What it sees of the game without a seat.
    pub(super) watch: Option<Watch>,
    /// It gets no seat when a game starts.
    pub(super) only_watches: bool,
}

impl Member {
    pub(super) fn new(user: UserKey) -> Self {
        Self {
            user,
            seat: None,
            watch: None,
            only_watches: false,
        }
    }
}

/// A player whose session broke off in the game that runs.
#[derive(Debug)]
pub(super) struct Lost {
    pub(super) seat: Seat,
    pub(super) name: Box<[u8]>,
    pub(super) emulator: Box<[u8]>,
    pub(super) address: IpAddr,
}

/// Who joined last, and how often in a row.
#[derive(Debug)]
pub(super) struct LastJoin {
    pub(super) address: IpAddr,
    pub(super) folded_name: Vec<u8>,
    pub(super) times: u32,
}

impl LastJoin {
    pub(super) fn is_by(&self, user: &User) -> bool {
        self.address == user.address && self.folded_name == user.folded_name
    }
}

/// One room. The owner is always a member.
#[derive(Debug)]
pub(super) struct Game {
    pub(super) key: GameKey,
    pub(super) id: GameId,
    pub(super) rom: Box<[u8]>,
    pub(super) owner: UserKey,
    /// The owner's.
    pub(super) emulator: Box<[u8]>,
    /// The owner's.
    pub(super) connection_type: ConnectionType,
    pub(super) phase: Phase,
    /// In the order they joined.
    pub(super) members: Vec<Member>,
    pub(super) capacity: u8,
    pub(super) max_ping: Duration,
    pub(super) owners_emulator_only: bool,
    pub(super) owners_type_only: bool,
    pub(super) same_delay: bool,
    pub(super) autofire: Sensitivity,
    /// Whether its games may be watched by those who do not play in it.
    pub(super) lets_watch: bool,
    pub(super) lineup: Lineup,
    /// What lag is measured against.
    pub(super) rate: FrameRate,
    /// The lag of the last game that is over.
    pub(super) last_lag: Option<Box<LagReport>>,
    /// Players in the game that runs or ran last, gone or not.
    pub(super) players: u8,
    /// Their highest delay.
    pub(super) highest_delay: u16,
    /// Those of them that may come back.
    pub(super) lost: Vec<Lost>,
    /// Addresses that may not come back.
    pub(super) kicked: Vec<IpAddr>,
    /// Addresses that may not write here.
    pub(super) muted: Vec<IpAddr>,
    /// Only the owner and admins may write.
    pub(super) mutes_all: bool,
    /// What ordinary users have to give before they join.
    pub(super) password: Option<Box<[u8]>>,
    /// Who gave wrong passwords of late.
    pub(super) misses: Misses,
    pub(super) last_join: Option<LastJoin>,
    pub(super) posted: Posted,
}

impl Game {
    /// Whether this is a room to talk in only.
    pub(super) fn is_chat_room(&self) -> bool {
        self.rom.first() == Some(&b'*')
    }

    /// Members who play or would; those who only watch take nobody's place.
    pub(super) fn player_count(&self) -> u8 {
        u8::try_from(self.would_play().count()).unwrap_or(u8::MAX)
    }

    pub(super) fn has_member(&self, user: UserKey) -> bool {
        self.members.iter().any(|member| member.user == user)
    }

    /// The seat of `user`, if it plays.
    pub(super) fn seat(&self, user: UserKey) -> Option<Seat> {
        let member = self.members.iter().find(|member| member.user == user);
        member?.seat
    }

    pub(super) fn member_mut(&mut self, user: UserKey) -> Option<&mut Member> {
        self.members.iter_mut().find(|member| member.user == user)
    }

    /// Whether `user` may not write here.
    pub(super) fn mutes(&self, user: &User) -> bool {
        let by_all = self.mutes_all && user.key != self.owner && !user.may(Right::HeardByAll);
        by_all || self.muted.contains(&user.address)
    }

    /// Keeps an address from coming back.
    pub(super) fn bar(&mut self, address: IpAddr) {
        if !self.kicked.contains(&address) {
            self.kicked.push(address);
        }
    }

    /// Whether the others are not to know that `user` is here.
    pub(super) fn hides(&self, user: &User) -> bool {
        user.is_unseen && user.key != self.owner
    }

    /// Members who are to play when a game starts.
    pub(super) fn would_play(&self) -> impl Iterator<Item = UserKey> {
        let members = self.members.iter().filter(|member| !member.only_watches);
        members.map(|member| member.user)
    }

    /// Those who watch the game that runs.
    pub(super) fn watchers(&self) -> impl Iterator<Item = (UserKey, Watch)> {
        let watch = |member: &Member| Some((member.user, member.watch?));
        self.members.iter().filter_map(watch)
    }

    /// Those who play, in the order they joined.
    pub(super) fn seats(&self) -> impl Iterator<Item = (UserKey, Seat)> {
        let seat = |member: &Member| Some((member.user, member.seat?));
        self.members.iter().filter_map(seat)
    }

    /// Whoever has the player number `index + 1` in the running game.
    pub(super) fn player(&self, index: usize) -> Option<UserKey> {
        let mut seats = self.seats();
        seats.find_map(|(user, seat)| (seat.index() == index).then_some(user))
    }

    /// The room and everybody in it.
    pub(super) fn room<'a>(&self, users: &Users, scratch: &'a mut Vec<UserKey>) -> &'a [UserKey] {
        let hears = |key: &UserKey| {
            let user = users.get(*key);
            user.is_some_and(|user| user.presence != Presence::Replaced)
        };
        scratch.clear();
        scratch.extend(self.members.iter().map(|member| member.user).filter(hears));
        scratch
    }

    /// Whoever in the room hears what `speaker` says there.
    pub(super) fn audience<'a>(
        &self,
        users: &Users,
        speaker: &User,
        scratch: &'a mut Vec<UserKey>,
    ) -> &'a [UserKey] {
        let hears = |key: &UserKey| users.get(*key).is_some_and(|user| user.hears(speaker));
        self.room(users, scratch);
        scratch.retain(hears);
        scratch
    }

    /// The lobby, and those members who hear only their room.
    pub(super) fn around<'a>(
        &self,
        users: &'a Users,
        scratch: &'a mut Vec<UserKey>,
    ) -> &'a [UserKey] {
        let hears_room_only = |key: &UserKey| {
            let user = users.get(*key);
            user.is_some_and(|user| matches!(user.presence, Presence::Quiet | Presence::Leaving))
        };
        let members = self.members.iter().map(|member| member.user);
        scratch.clear();
        scratch.extend(members.filter(hears_room_only));
        if scratch.is_empty() {
            return users.listeners();
        }
        scratch.extend_from_slice(users.listeners());
        scratch
    }
}

/// The table of rooms.
#[derive(Debug, Default)]
pub(super) struct Games {
    places: Vec<Place>,
    len: usize,
    last_id: u16,
}

#[derive(Debug, Default)]
struct Place {
    generation: u32,
    game: Option<Game>,
}

impl Games {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn get(&self, key: GameKey) -> Option<&Game> {
        let game = self.places.get(key.index as usize)?.game.as_ref();
        game.filter(|game| game.key == key)
    }

    pub(super) fn get_mut(&mut self, key: GameKey) -> Option<&mut Game> {
        let game = self.places.get_mut(key.index as usize)?.game.as_mut();
        game.filter(|game| game.key == key)
    }

    pub(super) fn with_id(&self, id: GameId) -> Option<&Game> {
        self.iter().find(|game| game.id == id)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Game> {
        self.places.iter().filter_map(|place| place.game.as_ref())
    }

    /// Opens a room with its owner in it; none if all numbers are taken.
    pub(super) fn open(
        &mut self,
        owner: &User,
        rom: &[u8],
        capacity: u8,
        autofire: Sensitivity,
    ) -> Option<&Game> {
        let taken = |id| self.with_id(GameId(u32::from(id))).is_some();
        let id = next_id(self.last_id, taken)?;
        let index = self.places.iter().position(|place| place.game.is_none());
        let index = index.unwrap_or_else(|| {
            self.places.push(Place::default());
            self.places.len() - 1
        });
        let place = self.places.get_mut(index)?;
        place.generation = place.generation.wrapping_add(1);
        self.last_id = id;
        self.len += 1;
        let game = place.game.insert(Game {
            key: GameKey {
                index: u32::try_from(index).ok()?,
                generation: place.generation,
            },
            id: GameId(u32::from(id)),
            rom: rom.into(),
            owner: owner.key,
            emulator: owner.emulator.clone(),
            connection_type: owner.connection_type,
            phase: Phase::Waiting,
            members: vec![Member::new(owner.key)],
            capacity,
            max_ping: Duration::from_millis(1000),
            owners_emulator_only: false,
            owners_type_only: false,
            same_delay: false,
            autofire,
            lets_watch: true,
            lineup: Lineup::default(),
            rate: FrameRate::USUAL,
            last_lag: None,
            players: 0,
            highest_delay: 1,
            lost: Vec::new(),
            kicked: Vec::new(),
            muted: Vec::new(),
            mutes_all: false,
            password: None,
            misses: Misses::default(),
            last_join: None,
            posted: Posted::No,
        });
        Some(game)
    }

    pub(super) fn remove(&mut self, key: GameKey) -> Option<Game> {
        self.get(key)?;
        let game = self.places.get_mut(key.index as usize)?.game.take()?;
        self.len -= 1;
        Some(game)
    }

    /// Removes every room.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = Game> {
        self.len = 0;
        self.places.iter_mut().filter_map(|place| place.game.take())
    }

    pub(super) fn check_invariants(&self) {
        debug_assert_eq!(self.iter().count(), self.len);
        for game in self.iter() {
            debug_assert!(std::ptr::eq(self.with_id(game.id).unwrap_or(game), game));
            debug_assert!(game.has_member(game.owner));
            debug_assert!(game.members.len() <= MAX_MEMBERS);
            let seats = game.seats().count();
            let ready = game.seats().filter(|(_, seat)| seat.ready).count();
            match game.phase {
                Phase::Waiting => debug_assert_eq!(seats, 0),
                Phase::Synchronizing { .. } => debug_assert!(ready < seats),
                Phase::Playing => debug_assert!(seats > 0 && ready == seats),
            }
            for (user, seat) in game.seats() {
                debug_assert_eq!(game.player(seat.index()), Some(user));
            }
            let watches = |member: &&Member| member.watch.is_some();
            debug_assert!(
                game.phase != Phase::Waiting || !game.members.iter().any(|it| watches(&it))
            );
            debug_assert!(
                game.members
                    .iter()
                    .all(|it| it.watch.is_none() || it.seat.is_none())
            );
        }
    }
}
