//! Sending away, silencing and banning, and taking that back.

use super::{Failure, Given, Lobby, Outcome, numbered, only_number};
use crate::{
    access::{Access, Clear, Sanction, Sentence, Term, TooMany},
    lobby::{
        Sink, UserKey,
        catalogue::{Param, Text},
        chat::inform,
        command::number,
        rights::Right,
        user::Presence,
    },
    timer::Time,
};
use std::{net::IpAddr, time::Duration};

/// Most minutes a moderator may silence somebody.
const MODERATORS_MINUTES: u32 = 15;

const KICK: [Text; 2] = [Text::AdminKickSelf, Text::KickAdmin];
const SILENCE: [Text; 2] = [Text::SilenceSelf, Text::SilenceAdmin];
const BAN: [Text; 2] = [Text::BanSelf, Text::BanAdmin];
const OTHER: [Text; 2] = [Text::TargetSelf, Text::TargetAdmin];

impl From<TooMany> for Failure {
    fn from(_: TooMany) -> Self {
        Self::Reason(Text::TooManyEntries)
    }
}

impl Lobby {
    pub(super) fn send_away(&mut self, given: Given<'_>, sink: &mut impl Sink) -> Outcome {
        let Given { now, user, rest } = given;
        let target = self.target(user, only_number(rest)?, KICK)?.key;
        let words = self.parting_words(Text::QuitKicked);
        self.leave(now, target, &words, Presence::Leaving, sink);
        Ok(())
    }

    /// `<id> <minutes> [reason]`
    pub(super) fn silence(&mut self, given: Given<'_>, sink: &mut impl Sink) -> Outcome {
        let Given { now, user, rest } = given;
        let (id, rest) = numbered(rest)?;
        let (minutes, reason) = numbered(rest)?;
        let target = self.target(user, id, SILENCE)?;
        let (address, name) = (target.address, target.name.clone());
        let is_admin = self
            .users
            .get(user)
            .is_some_and(|user| user.may(Right::Administer));
        if !is_admin && minutes > MODERATORS_MINUTES {
            let limit = MODERATORS_MINUTES.into();
            return Err(Failure::Limit(Text::SilenceLimit, limit));
        }
        if !is_admin && self.access.is_silenced(now, address) {
            return Err(Failure::About(Text::SilencedAlready, name));
        }
        let length = Some(length(minutes));
        self.decide(now, user, Access::silence, (address, length, reason))?;
        let params = [Param::Number(minutes.into()), Param::Bytes(&name)];
        self.proclaim(Text::Silenced, &params, sink);
        Ok(())
    }

    /// `<id> [reason]`
    pub(super) fn silence_for_good(&mut self, given: Given<'_>, sink: &mut impl Sink) -> Outcome {
        let Given { now, user, rest } = given;
        let (id, reason) = numbered(rest)?;
        let target = self.target(user, id, SILENCE)?;
        let (address, name) = (target.address, target.name.clone());
        self.decide(now, user, Access::silence, (address, None, reason))?;
        self.proclaim(Text::SilencedForGood, &[Param::Bytes(&name)], sink);
        Ok(())
    }

    pub(super) fn unsilence(&mut self, given: Given<'_>, sink: &mut impl Sink) -> Outcome {
        let Given { now, user, rest } = given;
        let target = self.target(user, only_number(rest)?, OTHER)?;
        let (address, name) = (target.address, target.name.clone());
        if !self.access.clear(now, address, Clear::Silences) {
            return Err(Failure::Reason(Text::ClearNotFound));
        }
        self.proclaim(Text::Unsilenced, &[Param::Bytes(&name)], sink);
        Ok(())
    }

    /// `<id> <minutes> [reason]`
    pub(super) fn ban(&mut self, given: Given<'_>, sink: &mut impl Sink) -> Outcome {
        let Given { now, user, rest } = given;
        let (id, rest) = numbered(rest)?;
        let (minutes, reason) = numbered(rest)?;
        let length = Some(length(minutes));
        let name = self.ban_target(now, user, id, length, reason)?;
        let params = [Param::Number(minutes.into()), Param::Bytes(&name)];
        self.proclaim(Text::Banned, &params, sink);
        self.remove_banned(now, id, sink);
        Ok(())
    }

    /// `<id> [reason]`
    pub(super) fn ban_for_good(&mut self, given: Given<'_>, sink: &mut impl Sink) -> Outcome {
        let Given { now, user, rest } = given;
        let (id, reason) = numbered(rest)?;
        let name = self.ban_target(now, user, id, None, reason)?;
        self.proclaim(Text::BannedForGood, &[Param::Bytes(&name)], sink);
        self.remove_banned(now, id, sink);
        Ok(())
    }

    /// Bans the address of a user and answers the user's name.
    fn ban_target(
        &mut self,
        now: Time,
        user: UserKey,
        id: u32,
        length: Option<Duration>,
        reason: &[u8],
    ) -> Result<Box<[u8]>, Failure> {
        let target = self.target(user, id, BAN)?;
        let (address, name) = (target.address, target.name.clone());
        self.decide(now, user, Access::ban, (address, length, reason))?;
        Ok(name)
    }

    /// Bans or silences an address in the name of `user`, for some time or for good.
    fn decide(
        &mut self,
        now: Time,
        user: UserKey,
        how: impl Fn(&mut Access, Time, IpAddr, Sentence<'_>) -> Result<(), TooMany>,
        (address, length, reason): (IpAddr, Option<Duration>, &[u8]),
    ) -> Outcome {
        let issuer = self.issuer(user);
        let sentence = Sentence {
            length,
            issuer: &issuer,
            reason: &self.charset.decode(reason),
        };
        Ok(how(&mut self.access, now, address, sentence)?)
    }

    /// Sends a banned user away, and whoever else is at its address.
    fn remove_banned(&mut self, now: Time, id: u32, sink: &mut impl Sink) {
        if let Ok(target) = self.user_numbered(id).map(|target| target.key) {
            let words = self.parting_words(Text::QuitBanned);
            self.leave(now, target, &words, Presence::Leaving, sink);
        }
        self.apply_access(now, sink);
    }

    /// `<id> <minutes>`: nobody but the user itself sees its lines, and it is not told.
    pub(super) fn shadow_mute(&mut self, given: Given<'_>, sink: &mut impl Sink) -> Outcome {
        let Given { now, user, rest } = given;
        let (id, minutes) = numbered(rest)?;
        let minutes = only_number(minutes)?;
        let target = self.target(user, id, OTHER)?;
        let (address, name) = (target.address, target.name.clone());
        self.shadows.add(now, address, length(minutes))?;
        let line = self
            .catalogue
            .line(Text::ShadowMuted, &[Param::Bytes(&name)]);
        inform(&[user], &line, sink);
        Ok(())
    }

    pub(super) fn shadow_unmute(&mut self, given: Given<'_>, sink: &mut impl Sink) -> Outcome {
        let Given { user, rest, .. } = given;
        let target = self.target(user, only_number(rest)?, OTHER)?;
        let (address, name) = (target.address, target.name.clone());
        if !self.shadows.remove(address) {
            return Err(Failure::Reason(Text::ClearNotFound));
        }
        let params = [Param::Bytes(&name)];
        let line = self.catalogue.line(Text::ShadowUnmuted, &params);
        inform(&[user], &line, sink);
        Ok(())
    }

    /// `<address|id|name>`
    pub(super) fn clear(&mut self, given: Given<'_>, sink: &mut impl Sink) -> Outcome {
        let Given { now, user, rest } = given;
        let (address, _) = self.meant(rest)?;
        let what = match self
            .users
            .get(user)
            .is_some_and(|user| user.may(Right::Promote))
        {
            true => Clear::All,
            false => Clear::Sanctions,
        };
        let found = self.access.clear(now, address, what) | self.shadows.remove(address);
        if !found {
            return Err(Failure::Reason(Text::ClearNotFound));
        }
        self.apply_access(now, sink);
        inform(&[user], &self.catalogue.line(Text::ClearSuccess, &[]), sink);
        Ok(())
    }

    /// `<address|id|name>`
    pub(super) fn info(&mut self, given: Given<'_>, sink: &mut impl Sink) -> Outcome {
        let Given { now, user, rest } = given;
        let (address, named) = self.meant(rest)?;
        let info = self.access.info(now, address);
        let shown = address.to_canonical().to_string();
        let level = Param::Text(super::levels::level_text(info.level));
        let first = match named.and_then(|key| self.users.get(key)) {
            Some(named) => {
                let params = [Param::Bytes(&named.name), Param::Word(&shown), level];
                self.catalogue.line(Text::InfoUser, &params)
            }
            None => self
                .catalogue
                .line(Text::InfoAddress, &[Param::Word(&shown), level]),
        };
        let bans = [Text::InfoBan, Text::InfoBanForGood];
        let silences = [Text::InfoSilence, Text::InfoSilenceForGood];
        let otherwise = |holds, by_rules, none| match holds {
            true => self.catalogue.line(by_rules, &[]),
            false => self.catalogue.line(none, &[]),
        };
        let ban = self.sanction_line(now, info.ban, bans);
        let silence = self.sanction_line(now, info.silence, silences);
        let refused = || otherwise(!info.may_connect, Text::InfoRefused, Text::InfoNoBan);
        let mute = || otherwise(info.is_silenced, Text::InfoRuleSilence, Text::InfoNoSilence);
        let lines = [
            Some(first),
            info.level_ends.map(|end| {
                let params = [Param::Number(minutes_to(now, end))];
                self.catalogue.line(Text::InfoLevelEnds, &params)
            }),
            Some(ban.unwrap_or_else(refused)),
            Some(silence.unwrap_or_else(mute)),
        ];
        for line in lines.into_iter().flatten() {
            inform(&[user], &line, sink);
        }
        Ok(())
    }

    /// What a moderator decided: for some time, or for good.
    fn sanction_line(
        &self,
        now: Time,
        sanction: Option<&Sanction>,
        [timed, for_good]: [Text; 2],
    ) -> Option<Vec<u8>> {
        let sanction = sanction?;
        let issuer = Param::Word(&sanction.issuer);
        let reason = match sanction.reason.is_empty() {
            true => Param::Text(Text::InfoNoReason),
            false => Param::Word(&sanction.reason),
        };
        Some(match sanction.term {
            Term::Until(end) => {
                let params = [Param::Number(minutes_to(now, end)), issuer, reason];
                self.catalogue.line(timed, &params)
            }
            Term::Forever => self.catalogue.line(for_good, &[issuer, reason]),
        })
    }

    /// The address that is meant by an address, the number of a user, or a name; nothing is
    /// looked up anywhere.
    fn meant(&self, rest: &[u8]) -> Result<(IpAddr, Option<UserKey>), Failure> {
        if rest.is_empty() {
            return Err(Failure::Usage);
        }
        let address = std::str::from_utf8(rest).ok();
        if let Some(address) = address.and_then(|text| text.parse().ok()) {
            return Ok((address, None));
        }
        if let Some(id) = number(rest) {
            let user = self.user_numbered(id)?;
            return Ok((user.address, Some(user.key)));
        }
        let folded = self.charset.fold(rest);
        let user = self.users.iter().find(|user| user.folded_name == folded);
        let user = user.ok_or(Failure::Reason(Text::NoUsersFound))?;
        Ok((user.address, Some(user.key)))
    }
}

/// Whole minutes to `end`, rounded up.
fn minutes_to(now: Time, end: Time) -> u64 {
    end.since(now).as_nanos().div_ceil(60_000_000_000) as u64
}

fn length(minutes: u32) -> Duration {
    Duration::from_secs(u64::from(minutes) * 60)
}
