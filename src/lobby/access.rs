//! The access rules' way into the lobby, and what follows for those who are in it
//! (kaillera-server.md 5.4, 6.5).

use super::{
    Lobby, Sink, UserKey,
    catalogue::Text,
    rights::{Right, may},
    user::Presence,
};
use crate::{
    access::{self, Access, AccessLevel, Names},
    timer::Time,
};
use std::{net::IpAddr, sync::Arc};

impl Lobby {
    /// Who may do what.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The same, for what moderators of before this process have decided.
    pub fn access_mut(&mut self) -> &mut Access {
        &mut self.access
    }

    /// Puts `rules` in the place of those it has; they hold at once for those who are here.
    pub fn set_access_rules(&mut self, now: Time, rules: Arc<access::Rules>, sink: &mut impl Sink) {
        self.access.set_rules(rules);
        self.apply_access(now, sink);
    }

    /// Puts `names` in the place of those it knows; they hold at once for those who are here.
    pub fn set_names(&mut self, now: Time, names: Names, sink: &mut impl Sink) {
        self.access.set_names(names);
        self.apply_access(now, sink);
    }

    /// The level of an address; [`AccessLevel::Banned`] for one that may not connect.
    pub(super) fn level_of(&self, now: Time, address: IpAddr) -> AccessLevel {
        match self.access.may_connect(now, address) {
            true => self.access.level(now, address),
            false => AccessLevel::Banned,
        }
    }

    pub(super) fn allows_emulator(&self, emulator: &[u8]) -> bool {
        self.access.allows_emulator(&self.charset.decode(emulator))
    }

    pub(super) fn allows_game(&self, rom: &[u8]) -> bool {
        self.access.allows_game(&self.charset.decode(rom))
    }

    /// Gives everybody the level it has by now, and sends away whoever may not stay. Who may not
    /// be unseen any longer leaves its room as it came.
    pub(super) fn apply_access(&mut self, now: Time, sink: &mut impl Sink) {
        self.access_ends = self.access.next_end(now);
        let keys: Vec<UserKey> = self.users.iter().map(|user| user.key).collect();
        for key in keys {
            let Some((address, emulator)) = self
                .users
                .get(key)
                .map(|user| (user.address, self.allows_emulator(&user.emulator)))
            else {
                continue;
            };
            let level = self.level_of(now, address);
            let Some(user) = self.users.get_mut(key) else {
                continue;
            };
            user.level = level;
            if user.is_unseen && !user.may(Right::Administer) {
                self.quit_game(now, key, sink);
                if let Some(user) = self.users.get_mut(key) {
                    user.is_unseen = false;
                }
            }
            let text = if level == AccessLevel::Banned {
                Text::QuitAccess
            } else if !emulator && !may(level, Right::AnyText) {
                Text::QuitEmulator
            } else {
                continue;
            };
            let words = self.parting_words(text);
            self.leave(now, key, &words, Presence::Leaving, sink);
        }
    }
}
