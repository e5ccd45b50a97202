mod decisions;
mod patterns;
mod rules;
mod sanctions;

use super::{Names, Rules};
use std::net::IpAddr;

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn names(entries: &[(&str, &str)]) -> Names {
    let entries = entries.iter();
    entries
        .map(|(host, address)| (host.to_string(), ip(address)))
        .collect()
}

/// Rules without a mistake.
fn rules(text: &str) -> Rules {
    let parsed = Rules::parse(text);
    assert_eq!(parsed.mistakes, []);
    parsed.rules
}
