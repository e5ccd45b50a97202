//! Every question about an address or a name, answered (kaillera-server.md 5.4).

use super::{AccessLevel, Names, Rules, Sanction, Sentence, Term, TooMany, sanction::Ledger};
use crate::timer::Time;
use std::{collections::BTreeMap, net::IpAddr, sync::Arc, time::Duration};

/// The operator's rules, and what moderators have decided.
#[derive(Clone, Debug, Default)]
pub struct Access {
    rules: Arc<Rules>,
    names: Names,
    pub(super) bans: Ledger,
    pub(super) silences: Ledger,
    /// When each level that was granted to an address ends.
    levels: BTreeMap<(IpAddr, AccessLevel), Time>,
    revision: u64,
}

/// What `/clear` takes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clear {
    /// Silences, also permanent ones.
    Silences,
    /// Bans and silences, also permanent ones.
    Sanctions,
    /// Levels that were granted, too.
    All,
}

/// What is known about an address.
#[derive(Clone, Copy, Debug)]
pub struct Info<'a> {
    /// Its level.
    pub level: AccessLevel,
    /// When its level ends, if it was granted one above its rule's.
    pub level_ends: Option<Time>,
    /// Whether it may connect, by rules and bans.
    pub may_connect: bool,
    /// Whether it is silenced, by rules and moderators.
    pub is_silenced: bool,
    /// The ban that holds longest.
    pub ban: Option<&'a Sanction>,
    /// The silence that holds longest.
    pub silence: Option<&'a Sanction>,
}

impl Access {
    /// Rules alone.
    pub fn new(rules: Arc<Rules>) -> Self {
        Self {
            rules,
            ..Self::default()
        }
    }

    /// Puts `rules` in the place of those it has; what moderators have decided stays.
    pub fn set_rules(&mut self, rules: Arc<Rules>) {
        self.rules = rules;
    }

    /// The rules.
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// Puts `names` in the place of those it knows.
    pub fn set_names(&mut self, names: Names) {
        self.names = names;
    }

    /// The level of an address: the highest of those granted to it, or its rule's if that is
    /// higher. Whether it may connect is another question.
    pub fn level(&self, now: Time, address: IpAddr) -> AccessLevel {
        let address = address.to_canonical();
        let rule = self.rules.user(address, &self.names);
        let level = rule.map_or(AccessLevel::Normal, |(level, _)| level);
        let mut granted = self.granted(now, address).rev();
        granted.next().map_or(level, |granted| level.max(granted))
    }

    /// What everybody is told when somebody logs in from this address.
    pub fn announcement(&self, address: IpAddr) -> Option<&str> {
        let address = address.to_canonical();
        self.rules.user(address, &self.names)?.1
    }

    /// Whether an address may connect. Bans are asked first: no rule takes one back.
    pub fn may_connect(&self, now: Time, address: IpAddr) -> bool {
        self.bans.find(now, address).is_none() && self.rules.may_connect(address, &self.names)
    }

    /// Whether an ordinary user may log in with this emulator.
    pub fn allows_emulator(&self, name: &str) -> bool {
        self.rules.allows_emulator(name)
    }

    /// Whether an ordinary user may open a room for this game.
    pub fn allows_game(&self, name: &str) -> bool {
        self.rules.allows_game(name)
    }

    /// Whether an address may not chat.
    pub fn is_silenced(&self, now: Time, address: IpAddr) -> bool {
        self.silences.find(now, address).is_some() || self.rules.silences(address, &self.names)
    }

    /// Bans an address. A temporary ban takes the place of a temporary one, a permanent ban that
    /// of a permanent one.
    ///
    /// # Errors
    ///
    /// When there are too many bans.
    pub fn ban(
        &mut self,
        now: Time,
        address: IpAddr,
        sentence: Sentence<'_>,
    ) -> Result<(), TooMany> {
        self.revision += 1;
        self.bans.add(now, address, sanction(now, sentence))
    }

    /// Silences an address, as [`ban`](Self::ban) bans one.
    ///
    /// # Errors
    ///
    /// When there are too many silences.
    pub fn silence(
        &mut self,
        now: Time,
        address: IpAddr,
        sentence: Sentence<'_>,
    ) -> Result<(), TooMany> {
        self.revision += 1;
        self.silences.add(now, address, sanction(now, sentence))
    }

    /// Grants an address a level for some time. One that was granted before and is higher stays.
    pub fn grant(&mut self, now: Time, address: IpAddr, level: AccessLevel, length: Duration) {
        self.levels.retain(|_, end| now < *end);
        self.levels
            .insert((address.to_canonical(), level), now + length);
    }

    /// Takes back what was decided about an address; answers whether there was anything. What
    /// the rules say stays.
    pub fn clear(&mut self, now: Time, address: IpAddr, what: Clear) -> bool {
        let address = address.to_canonical();
        let mut found = what != Clear::Silences && self.bans.clear(now, address);
        found |= self.silences.clear(now, address);
        self.revision += u64::from(found);
        if what == Clear::All {
            found |= self.granted(now, address).next().is_some();
            self.levels.retain(|(of, _), _| *of != address);
        }
        found
    }

    /// What is known about an address.
    pub fn info(&self, now: Time, address: IpAddr) -> Info<'_> {
        Info {
            level: self.level(now, address),
            level_ends: self.level_ends(now, address),
            may_connect: self.may_connect(now, address),
            is_silenced: self.is_silenced(now, address),
            ban: self.bans.find(now, address),
            silence: self.silences.find(now, address),
        }
    }

    /// Changes whenever what [`saved`](Self::saved) answers does other than by time.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// When the next temporary ban, silence or level ends.
    pub fn next_end(&self, now: Time) -> Option<Time> {
        let levels = self.levels.values().copied().filter(|end| *end > now);
        let ledgers = [self.bans.next_end(now), self.silences.next_end(now)];
        levels.chain(ledgers.into_iter().flatten()).min()
    }

    /// When the level an address has by grant alone ends.
    fn level_ends(&self, now: Time, address: IpAddr) -> Option<Time> {
        let address = address.to_canonical();
        let highest = self.granted(now, address).next_back()?;
        let rule = self.rules.user(address, &self.names);
        let by_rule = rule.map_or(AccessLevel::Normal, |(level, _)| level);
        let end = self.levels.get(&(address, highest)).copied();
        end.filter(|_| highest > by_rule)
    }

    /// The levels an address was granted, the lowest first.
    fn granted(&self, now: Time, address: IpAddr) -> impl DoubleEndedIterator<Item = AccessLevel> {
        let all = (address, AccessLevel::Banned)..=(address, AccessLevel::SuperAdmin);
        let levels = self.levels.range(all).filter(move |(_, end)| now < **end);
        levels.map(|((_, level), _)| *level)
    }
}

fn sanction(now: Time, sentence: Sentence<'_>) -> Sanction {
    let term = match sentence.length {
        Some(length) => Term::Until(now + length),
        None => Term::Forever,
    };
    Sanction::new(term, sentence.issuer, sentence.reason)
}
