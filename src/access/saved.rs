//! Bans and silences as they outlive the process.

use super::{Access, Sanction, Term, sanction::Ledger};
use crate::timer::Time;
use serde::{Deserialize, Serialize};
use std::{net::IpAddr, time::Duration};

/// The date, in seconds since 1970, of the moment [`Time::ZERO`].
///
/// Sanctions run on the monotonic clock, which nobody sets; dates are needed only between two
/// processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Epoch(pub u64);

/// Everything moderators have decided that outlives the process. Levels they have granted do not:
/// no right outlives the process that it was granted in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Saved {
    /// The bans.
    pub bans: Vec<SavedSanction>,
    /// The silences.
    pub silences: Vec<SavedSanction>,
}

/// One ban or silence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedSanction {
    /// Whose.
    pub address: IpAddr,
    /// When it ends, in seconds since 1970; none is never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
    /// Who decided.
    #[serde(default)]
    pub issuer: String,
    /// Why.
    #[serde(default)]
    pub reason: String,
}

impl Epoch {
    /// The date of `time`, rounded up.
    fn date(self, time: Time) -> u64 {
        let seconds = time.as_nanos().div_ceil(1_000_000_000);
        self.0.saturating_add(seconds)
    }

    /// The moment with this date; none if it was before the process began.
    fn time(self, date: u64) -> Option<Time> {
        let seconds = date.checked_sub(self.0)?;
        Some(Time::ZERO + Duration::from_secs(seconds))
    }
}

impl Access {
    /// What has to be remembered.
    pub fn saved(&self, now: Time, epoch: Epoch) -> Saved {
        let list = |ledger: &Ledger| ledger.iter(now).map(|it| save(it, epoch)).collect();
        Saved {
            bans: list(&self.bans),
            silences: list(&self.silences),
        }
    }

    /// Adds what a process before this one has remembered; what has ended since is left out, and
    /// so is what no table has room for.
    pub fn restore(&mut self, now: Time, epoch: Epoch, saved: &Saved) {
        let lists = [
            (&mut self.bans, &saved.bans),
            (&mut self.silences, &saved.silences),
        ];
        for (ledger, list) in lists {
            for entry in list {
                let term = match entry.until {
                    None => Some(Term::Forever),
                    Some(date) => epoch.time(date).map(Term::Until),
                };
                if let Some(term) = term {
                    let sanction = Sanction::new(term, &entry.issuer, &entry.reason);
                    // Only a file that was tampered with has more than there may be.
                    let _ = ledger.add(now, entry.address, sanction);
                }
            }
        }
    }
}

fn save((address, sanction): (IpAddr, &Sanction), epoch: Epoch) -> SavedSanction {
    SavedSanction {
        address,
        until: match sanction.term {
            Term::Until(end) => Some(epoch.date(end)),
            Term::Forever => None,
        },
        issuer: sanction.issuer.to_string(),
        reason: sanction.reason.to_string(),
    }
}
