//! The users that are logged in.

use super::{
    GameKey, Login, UserKey,
    rights::{self, Right},
};
use crate::{
    access::AccessLevel,
    kaillera::message::{ConnectionType, GameId, UserId},
    timer::Time,
};
use std::{collections::HashMap, net::IpAddr, time::Duration};

/// A login takes so many round trips.
const ACKS: u32 = 4;

/// What a user gets to hear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// Everything.
    Attentive,
    /// Only its room, while it plays.
    Quiet,
    /// Only its room, while it is on its way out.
    Leaving,
    /// Nothing: its seat has a new user.
    Replaced,
}

/// When a user's login began: what it took before the user was let in, at this moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Connected {
    pub(super) let_in: Time,
    pub(super) after: Duration,
}

impl Connected {
    /// The time from the login's beginning to `now`.
    pub(super) fn since(self, now: Time) -> Duration {
        now.since(self.let_in) + self.after
    }
}

/// Lines a user sent to its room of late.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineWindow {
    /// When the window began.
    pub(super) since: Time,
    /// Lines since then.
    pub(super) lines: u32,
}

/// One user.
#[derive(Debug)]
pub(super) struct User {
    pub(super) key: UserKey,
    pub(super) id: UserId,
    pub(super) name: Box<[u8]>,
    /// The name as it is compared with others.
    pub(super) folded_name: Vec<u8>,
    pub(super) emulator: Box<[u8]>,
    pub(super) connection_type: ConnectionType,
    pub(super) ping: Duration,
    pub(super) address: IpAddr,
    pub(super) level: AccessLevel,
    pub(super) presence: Presence,
    pub(super) room: Option<GameKey>,
    /// Asked to get no lobby messages during games.
    pub(super) wants_quiet: bool,
    /// The password it gave for the room it joins next.
    pub(super) password: Option<Box<[u8]>>,
    /// Enters rooms unseen.
    pub(super) is_unseen: bool,
    /// Takes private messages.
    pub(super) takes_messages: bool,
    /// Whom a private message without a number goes to.
    pub(super) partner: Option<UserId>,
    /// Addresses whose lines this user does not want to see.
    pub(super) ignored: Vec<IpAddr>,
    /// Wants to see nobody's lines.
    pub(super) ignores_all: bool,
    /// The room it will watch when it joins it.
    pub(super) watches: Option<GameId>,
    /// The frame delay it chose.
    pub(super) delay: Option<u16>,
    /// Its session broke off: it did not leave by its own wish.
    pub(super) lost: bool,
    /// When its login began.
    pub(super) connected: Connected,
    pub(super) last_chat: Option<Time>,
    pub(super) last_create: Option<Time>,
    pub(super) room_lines: LineWindow,
}

impl User {
    /// Whether this user has `right`.
    pub(super) fn may(&self, right: Right) -> bool {
        rights::may(self.level, right)
    }

    /// The ping as it is sent: whole milliseconds, in 16 bits.
    pub(super) fn ping_ms(&self) -> u32 {
        let rounded = (self.ping.as_micros() + 500) / 1000;
        u32::from(u16::try_from(rounded).unwrap_or(u16::MAX))
    }

    /// Whether this user wants to see the lines of `speaker`.
    pub(super) fn hears(&self, speaker: &Self) -> bool {
        let is_self = self.key == speaker.key;
        let ignores_all = self.ignores_all && !speaker.may(Right::HeardByAll);
        is_self || !ignores_all && !self.ignores(speaker)
    }

    /// Whether this user has named `speaker` as one whose lines it does not want to see.
    pub(super) fn ignores(&self, speaker: &Self) -> bool {
        self.ignored.contains(&speaker.address) && !speaker.may(Right::NotIgnored)
    }
}

/// The table of users: by key, by number, and in the order of their logins.
#[derive(Debug, Default)]
pub(super) struct Users {
    /// By seat; grows to the highest seat in use.
    seats: Vec<Option<User>>,
    order: Vec<UserKey>,
    /// The attentive ones, in the order of `order`.
    listeners: Vec<UserKey>,
    ids: HashMap<UserId, UserKey>,
    last_id: u16,
}

impl Users {
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn get(&self, key: UserKey) -> Option<&User> {
        self.on_seat(key.seat).filter(|user| user.key == key)
    }

    pub(super) fn get_mut(&mut self, key: UserKey) -> Option<&mut User> {
        let user = self.seats.get_mut(key.seat as usize)?.as_mut();
        user.filter(|user| user.key == key)
    }

    /// Whoever is on this seat.
    pub(super) fn on_seat(&self, seat: u32) -> Option<&User> {
        self.seats.get(seat as usize)?.as_ref()
    }

    pub(super) fn with_id(&self, id: UserId) -> Option<&User> {
        self.get(*self.ids.get(&id)?)
    }

    /// Everybody, in the order of their logins.
    pub(super) fn iter(&self) -> impl Iterator<Item = &User> {
        self.order.iter().filter_map(|key| self.get(*key))
    }

    /// Whoever hears what happens in the lobby.
    pub(super) fn listeners(&self) -> &[UserKey] {
        &self.listeners
    }

    /// Whoever hears what `speaker` says in the lobby.
    pub(super) fn audience<'a>(
        &self,
        speaker: &User,
        scratch: &'a mut Vec<UserKey>,
    ) -> &'a [UserKey] {
        let hears = |key: &UserKey| self.get(*key).is_some_and(|user| user.hears(speaker));
        scratch.clear();
        scratch.extend(self.listeners.iter().copied().filter(hears));
        scratch
    }

    /// The number the next user gets; none if all are taken.
    pub(super) fn next_id(&self) -> Option<UserId> {
        next_id(self.last_id, |id| self.ids.contains_key(&UserId(id))).map(UserId)
    }

    /// Adds a user; its seat must be free, its number from [`next_id`](Self::next_id).
    pub(super) fn insert(
        &mut self,
        now: Time,
        key: UserKey,
        id: UserId,
        login: &Login<'_>,
        folded_name: Vec<u8>,
        level: AccessLevel,
    ) {
        debug_assert!(self.on_seat(key.seat).is_none());
        let index = key.seat as usize;
        if index >= self.seats.len() {
            self.seats.resize_with(index + 1, || None);
        }
        let Some(seat) = self.seats.get_mut(index) else {
            return;
        };
        *seat = Some(User {
            key,
            id,
            name: login.name.into(),
            folded_name,
            emulator: login.emulator.into(),
            connection_type: login.connection_type,
            ping: login.ping,
            address: login.address,
            level,
            presence: Presence::Attentive,
            room: None,
            wants_quiet: false,
            password: None,
            is_unseen: false,
            takes_messages: true,
            partner: None,
            ignored: Vec::new(),
            ignores_all: false,
            watches: None,
            delay: None,
            lost: false,
            connected: Connected {
                let_in: now,
                after: login.ping.saturating_mul(ACKS),
            },
            last_chat: None,
            last_create: None,
            room_lines: LineWindow {
                since: Time::ZERO,
                lines: 0,
            },
        });
        self.order.push(key);
        self.listeners.push(key);
        self.ids.insert(id, key);
        self.last_id = id.0;
    }

    pub(super) fn remove(&mut self, key: UserKey) -> Option<User> {
        self.get(key)?;
        let user = self.seats.get_mut(key.seat as usize)?.take()?;
        self.order.retain(|other| *other != key);
        self.listeners.retain(|other| *other != key);
        self.ids.remove(&user.id);
        Some(user)
    }

    /// Removes everybody and yields them in the order of their logins.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = User> {
        self.listeners.clear();
        self.ids.clear();
        let order = std::mem::take(&mut self.order);
        let mut seats = std::mem::take(&mut self.seats);
        order
            .into_iter()
            .filter_map(move |key| seats.get_mut(key.seat as usize)?.take())
    }

    pub(super) fn set_presence(
        &mut self,
        keys: impl IntoIterator<Item = UserKey>,
        presence: Presence,
    ) {
        for key in keys {
            if let Some(user) = self.get_mut(key) {
                user.presence = presence;
            }
        }
        let mut listeners = std::mem::take(&mut self.listeners);
        listeners.clear();
        let attentive = |user: &&User| user.presence == Presence::Attentive;
        listeners.extend(self.iter().filter(attentive).map(|user| user.key));
        self.listeners = listeners;
    }

    pub(super) fn check_invariants(&self) {
        let seated = self.seats.iter().flatten().count();
        debug_assert_eq!(seated, self.order.len());
        debug_assert_eq!(self.iter().count(), self.order.len());
        debug_assert_eq!(self.ids.len(), self.order.len());
        for user in self.iter() {
            debug_assert_eq!(self.ids.get(&user.id), Some(&user.key));
            debug_assert_ne!(user.id.0, 0);
            debug_assert!(matches!(
                user.presence,
                Presence::Attentive | Presence::Quiet
            ));
        }
        let attentive = self
            .iter()
            .filter(|user| user.presence == Presence::Attentive);
        debug_assert!(
            attentive
                .map(|user| user.key)
                .eq(self.listeners.iter().copied())
        );
    }
}

/// The first free number after `last`, counting 1..=65535 and round again.
pub(super) fn next_id(last: u16, taken: impl Fn(u16) -> bool) -> Option<u16> {
    let mut id = last;
    for _ in 0..u16::MAX {
        id = id.checked_add(1).unwrap_or(1);
        if !taken(id) {
            return Some(id);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_wrap_and_skip_those_in_use() {
        assert_eq!(next_id(0, |_| false), Some(1));
        assert_eq!(next_id(65534, |_| false), Some(65535));
        assert_eq!(next_id(65535, |_| false), Some(1));
        assert_eq!(next_id(65535, |id| id < 4), Some(4));
        assert_eq!(next_id(7, |_| true), None);
        assert_eq!(next_id(7, |id| id != 7), Some(7));
    }
}
