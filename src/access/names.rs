//! What host names of rules stand for.

use std::{collections::HashMap, net::IpAddr};

/// The address of each host name, as far as it could be looked up; whoever drives the rules
/// looks names up and hands in a new table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(HashMap<String, IpAddr>);

impl Names {
    /// The address of `host`, which is in lower case.
    pub fn address(&self, host: &str) -> Option<IpAddr> {
        self.0.get(host).copied()
    }
}

impl FromIterator<(String, IpAddr)> for Names {
    fn from_iter<I: IntoIterator<Item = (String, IpAddr)>>(entries: I) -> Self {
        let entries = entries.into_iter();
        Self(
            entries
                .map(|(host, address)| (host.to_lowercase(), address.to_canonical()))
                .collect(),
        )
    }
}
