//! Levels for a time, and being unseen.

use super::{Failure, Given, Lobby, Outcome, numbered, only_number};
use crate::{
    access::AccessLevel,
    lobby::{
        Sink,
        catalogue::{Param, Text},
        chat::inform,
    },
};
use std::time::Duration;

impl Lobby {
    /// `<id> <minutes>`
    pub(super) fn grant(
        &mut self,
        given: Given<'_>,
        level: AccessLevel,
        sink: &mut impl Sink,
    ) -> Outcome {
        let Given { now, user, rest } = given;
        let (id, minutes) = numbered(rest)?;
        let minutes = only_number(minutes)?;
        let target = self.target(user, id, [Text::LevelSelf, Text::LevelAdminAlready])?;
        let (address, name) = (target.address, target.name.clone());
        if target.level >= level {
            return Err(Failure::About(Text::LevelAlready, name));
        }
        let length = Duration::from_secs(u64::from(minutes) * 60);
        self.access.grant(now, address, level, length);
        let text = match level {
            AccessLevel::Elevated => Text::TempElevated,
            AccessLevel::Moderator => Text::TempModerator,
            _ => Text::TempAdmin,
        };
        let params = [Param::Number(minutes.into()), Param::Bytes(&name)];
        self.proclaim(text, &params, sink);
        self.apply_access(now, sink);
        Ok(())
    }

    /// Whether this admin enters rooms unseen from now on.
    pub(super) fn set_stealth(
        &mut self,
        given: Given<'_>,
        on: bool,
        sink: &mut impl Sink,
    ) -> Outcome {
        let user = given.user;
        if let Some(user) = self.users.get_mut(user) {
            if user.room.is_some() {
                return Err(Failure::Reason(Text::StealthInRoom));
            }
            user.is_unseen = on;
        }
        let text = match on {
            true => Text::StealthOn,
            false => Text::StealthOff,
        };
        inform(&[user], &self.catalogue.line(text, &[]), sink);
        Ok(())
    }
}

/// The name of a level in the server's language.
pub(in crate::lobby::command) fn level_text(level: AccessLevel) -> Text {
    match level {
        AccessLevel::Banned => Text::LevelBanned,
        AccessLevel::Normal => Text::LevelNormal,
        AccessLevel::Elevated => Text::LevelElevated,
        AccessLevel::Moderator => Text::LevelModerator,
        AccessLevel::Admin => Text::LevelAdmin,
        AccessLevel::SuperAdmin => Text::LevelSuperAdmin,
    }
}
