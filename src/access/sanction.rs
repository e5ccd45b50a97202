//! What moderators have decided about an address.

use crate::timer::Time;
use std::{collections::BTreeMap, net::IpAddr, time::Duration};

/// Most entries of one kind; far more than moderators can type.
const MOST: usize = 65_536;

/// Longest issuer or reason that is kept, in bytes.
const LONGEST: usize = 256;

/// How long something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// To this moment, which is not included.
    Until(Time),
    /// Until somebody takes it back.
    Forever,
}

/// What is decided: how long, by whom, and why.
#[derive(Clone, Copy, Debug)]
pub struct Sentence<'a> {
    /// How long it holds; none is for ever.
    pub length: Option<Duration>,
    /// Who decided.
    pub issuer: &'a str,
    /// Why; may be empty.
    pub reason: &'a str,
}

/// A ban or a silence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sanction {
    /// How long it holds.
    pub term: Term,
    /// Who decided; without control characters.
    pub issuer: Box<str>,
    /// Why, if that was said; without control characters.
    pub reason: Box<str>,
}

/// There are so many entries that no more are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

impl Sanction {
    pub(super) fn new(term: Term, issuer: &str, reason: &str) -> Self {
        Self {
            term,
            issuer: clean(issuer),
            reason: clean(reason),
        }
    }

    fn holds(&self, now: Time) -> bool {
        match self.term {
            Term::Until(end) => now < end,
            Term::Forever => true,
        }
    }
}

/// The bans, or the silences: for each address a permanent one, a temporary one, or both.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    permanent: BTreeMap<IpAddr, Sanction>,
    temporary: BTreeMap<IpAddr, Sanction>,
}

impl Ledger {
    /// Puts `sanction` in the place of the one of its kind that the address has.
    pub(super) fn add(
        &mut self,
        now: Time,
        address: IpAddr,
        sanction: Sanction,
    ) -> Result<(), TooMany> {
        self.temporary.retain(|_, sanction| sanction.holds(now));
        let entries = match sanction.term {
            Term::Forever => &mut self.permanent,
            Term::Until(_) => &mut self.temporary,
        };
        let address = address.to_canonical();
        if entries.len() >= MOST && !entries.contains_key(&address) {
            return Err(TooMany);
        }
        entries.insert(address, sanction);
        Ok(())
    }

    /// The sanction that holds longest.
    pub(super) fn find(&self, now: Time, address: IpAddr) -> Option<&Sanction> {
        let address = address.to_canonical();
        let permanent = self.permanent.get(&address);
        permanent.or_else(|| self.temporary.get(&address).filter(|it| it.holds(now)))
    }

    /// Takes back what holds for the address; answers whether there was anything.
    pub(super) fn clear(&mut self, now: Time, address: IpAddr) -> bool {
        let held = self.find(now, address).is_some();
        let address = address.to_canonical();
        self.permanent.remove(&address);
        self.temporary.remove(&address);
        held
    }

    /// What holds, the permanent ones first.
    pub(super) fn iter(&self, now: Time) -> impl Iterator<Item = (IpAddr, &Sanction)> {
        let all = self.permanent.iter().chain(&self.temporary);
        all.filter(move |(_, sanction)| sanction.holds(now))
            .map(|(address, sanction)| (*address, sanction))
    }

    /// When the next temporary one ends.
    pub(super) fn next_end(&self, now: Time) -> Option<Time> {
        let ends = self.temporary.values().filter_map(|it| match it.term {
            Term::Until(end) => Some(end),
            Term::Forever => None,
        });
        ends.filter(|end| *end > now).min()
    }
}

/// `text` without control characters and outer blanks, cut between characters.
fn clean(text: &str) -> Box<str> {
    let clean: String = text.chars().filter(|c| !is_unprintable(*c)).collect();
    let clean = clean.trim();
    let ends = clean.char_indices().map(|(at, c)| at + c.len_utf8());
    let end = ends.take_while(|end| *end <= LONGEST).last();
    clean.get(..end.unwrap_or(0)).unwrap_or_default().into()
}

/// Control characters, and what some readers take for the end of a line.
fn is_unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}
