//! Patterns for names and for addresses (kaillera-server.md 5.3).

use super::Names;
use std::{
    fmt::Write as _,
    net::{IpAddr, Ipv6Addr},
};

/// Before a host name; in any case.
const HOST: &str = "dns:";

/// Fewer letters are no host name.
const SHORTEST_HOST: usize = 2;

/// Which names are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Box<[Wildcard]>);

impl Pattern {
    /// The pattern written as `text`; an empty one matches whatever `*` matches.
    pub fn new(text: &str) -> Self {
        Self(alternatives(text).map(Wildcard::new).collect())
    }

    /// Whether one of the alternatives is `subject`.
    pub fn matches(&self, subject: &str) -> bool {
        let folded = fold(subject);
        !subject.trim().is_empty() && self.0.iter().any(|wildcard| wildcard.matches(&folded))
    }
}

/// Which addresses are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressPattern(Box<[Alternative]>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Alternative {
    /// Compared as text.
    Text(Wildcard),
    /// The addresses that begin like this one; a single address has all its bits.
    Network(IpAddr, u8),
    /// A host name in lower case.
    Host(Box<str>),
    /// No address looks like this.
    Never(Box<str>),
}

/// A `dns:` without a host name behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortHost;

impl AddressPattern {
    /// The pattern written as `text`.
    ///
    /// # Errors
    ///
    /// When there is no name behind a `dns:`.
    pub fn parse(text: &str) -> Result<Self, ShortHost> {
        let alternatives = alternatives(text).map(Alternative::parse);
        alternatives.collect::<Result<_, _>>().map(Self)
    }

    /// Whether one of the alternatives is `address`; host names are looked up in `names`.
    pub fn matches(&self, address: IpAddr, names: &Names) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|it| it.matches(address, names))
    }

    /// The host names whose addresses have to be known.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|alternative| match alternative {
            Alternative::Host(host) => Some(&**host),
            _ => None,
        })
    }

    /// The alternatives that match no address at all, as they were written; all of an empty
    /// list do not match either.
    pub fn unmatchable(&self) -> impl Iterator<Item = &str> {
        let nothing = self.0.is_empty().then_some("|");
        let never = self.0.iter().filter_map(|alternative| match alternative {
            Alternative::Never(text) => Some(&**text),
            _ => None,
        });
        nothing.into_iter().chain(never)
    }
}

impl Alternative {
    fn parse(text: &str) -> Result<Self, ShortHost> {
        let prefix = text.get(..HOST.len());
        if prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(HOST)) {
            let host = text.get(HOST.len()..).unwrap_or_default().trim();
            return match host.chars().count() {
                0..SHORTEST_HOST => Err(ShortHost),
                _ => Ok(Self::Host(host.to_lowercase().into())),
            };
        }
        if text.is_empty() {
            return Ok(Self::Text(Wildcard::new(text)));
        }
        let of_address = |c: char| c.is_ascii_hexdigit() || matches!(c, '.' | ':' | '*');
        let found = match network(text) {
            Some((address, bits)) => Self::Network(address, bits),
            None if text.contains('*') && text.chars().all(of_address) => {
                Self::Text(Wildcard::new(text))
            }
            None => Self::Never(text.into()),
        };
        Ok(found)
    }

    fn matches(&self, address: IpAddr, names: &Names) -> bool {
        match self {
            Self::Text(wildcard) => match address {
                IpAddr::V4(address) => wildcard.matches(&address.to_string()),
                IpAddr::V6(address) => {
                    wildcard.matches(&long_form(address)) || wildcard.matches(&address.to_string())
                }
            },
            Self::Network(network, bits) => is_within(address, *network, *bits),
            Self::Host(host) => names.address(host) == Some(address),
            Self::Never(_) => false,
        }
    }
}

/// `address` or `address/bits`, IPv6 that stands for IPv4 as IPv4.
fn network(text: &str) -> Option<(IpAddr, u8)> {
    let (address, bits) = match text.split_once('/') {
        Some((address, bits)) => (address, Some(bits)),
        None => (text, None),
    };
    let address: IpAddr = address.parse().ok()?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    let is_number = |bits: &&str| bits.bytes().all(|byte| byte.is_ascii_digit());
    let bits = match bits {
        Some(bits) => Some(bits).filter(is_number)?.parse().ok()?,
        None => most,
    };
    let mapped = (address.is_ipv6() && address.to_canonical().is_ipv4()).then_some(96);
    match mapped {
        Some(mapped) if (mapped..=most).contains(&bits) => {
            Some((address.to_canonical(), bits - mapped))
        }
        _ => (bits <= most).then_some((address, bits)),
    }
}

fn is_within(address: IpAddr, network: IpAddr, bits: u8) -> bool {
    let bits = u32::from(bits);
    match (address, network) {
        (IpAddr::V4(address), IpAddr::V4(network)) => {
            let differing = address.to_bits() ^ network.to_bits();
            differing.leading_zeros() >= bits
        }
        (IpAddr::V6(address), IpAddr::V6(network)) => {
            let differing = address.to_bits() ^ network.to_bits();
            differing.leading_zeros() >= bits
        }
        _ => false,
    }
}

/// Eight groups, none left out, as Java writes them.
fn long_form(address: Ipv6Addr) -> String {
    let mut text = String::new();
    for (index, group) in address.segments().iter().enumerate() {
        let colon = if index == 0 { "" } else { ":" };
        // Writing to a String cannot fail.
        let _ = write!(text, "{colon}{group:x}");
    }
    text
}

/// The parts between the bars; empty ones do not count, but an empty text is one of its own.
fn alternatives(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split('|');
    parts.filter(move |part| !part.is_empty() || text.is_empty())
}

/// A text in which `*` is any run of characters.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wildcard(Box<str>);

impl Wildcard {
    fn new(text: &str) -> Self {
        Self(if text.is_empty() {
            "*".into()
        } else {
            fold(text).into()
        })
    }

    /// Whether all of `subject`, which is folded, matches.
    ///
    /// Bytes are compared: no character of UTF-8 begins within another one.
    fn matches(&self, subject: &str) -> bool {
        let (mut pattern, mut subject) = (self.0.as_bytes(), subject.as_bytes());
        // What follows the last star, and where the run it stands for ends.
        let mut star = None;
        loop {
            match (pattern, subject) {
                ([b'*', rest @ ..], _) => {
                    star = Some((rest, subject));
                    pattern = rest;
                }
                ([wanted, rest @ ..], [found, others @ ..]) if wanted == found => {
                    (pattern, subject) = (rest, others);
                }
                ([], []) => return true,
                _ => {
                    let Some((after, [_, rest @ ..])) = star else {
                        return false;
                    };
                    star = Some((after, rest));
                    (pattern, subject) = (after, rest);
                }
            }
        }
    }
}

/// Equal for texts that differ only in case.
fn fold(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}
