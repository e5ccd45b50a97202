//! What the gateway is told.

use super::{Filter, Listener, Public, Rate, Routes};
use crate::{
    maple::{Lookahead, Opcodes},
    service::maple::Greeting,
};
use std::{
    net::{AddrParseError, Ipv4Addr, SocketAddr},
    str::FromStr,
    time::Duration,
};

/// In front of which servers the gateway is, and what it allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Who is served, and how they are greeted. Servers must greet alike.
    pub greeting: Greeting,
    /// The opcodes of that version.
    pub opcodes: Opcodes,
    /// Where the servers are.
    pub routes: Routes,
    /// Where clients are sent that a server sends elsewhere.
    pub public: Public,
    /// Ports of the gateway's own, with the real numbers, that may tell something else.
    pub listeners: Vec<Listener>,
    /// Whether a client that is sent to a server that no route leads to is cut off; else it is
    /// sent there, past the gateway.
    pub close_unrouted: bool,
    /// Whether a character may come back from another address than it left.
    pub any_client: bool,
    /// Clients of one address that have not said yet what they want.
    pub undecided_per_address: usize,
    /// How long they may take to.
    pub undecided_timeout: Duration,
    /// How long a client that has a server may say nothing.
    pub idle_timeout: Duration,
    /// How much a client may say.
    pub rate: Rate,
    /// Which packets of clients pass.
    pub filter: Filter,
    /// The longest payload taken from a client, in bytes.
    pub longest: usize,
    /// Whether a server on a loopback address sees a source address per client.
    pub source_per_client: bool,
    /// Whether a server is told the client's address in a PROXY header, version 2.
    pub proxy_protocol: bool,
    /// Keystreams made before their packets, on each of a link's four streams.
    pub lookahead: Lookahead,
}

impl Settings {
    /// What clients are told that came to `local`.
    pub fn public_at(&self, local: Option<SocketAddr>) -> Public {
        let mut listeners = self.listeners.iter();
        let own = local.and_then(|local| listeners.find(|it| it.is_at(local)));
        own.and_then(|own| own.public).unwrap_or(self.public)
    }
}

/// The address that clients are told to come back to (maple.md 13.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advertise {
    /// The one they came to.
    Arrived,
    /// This one.
    Address(Ipv4Addr),
    /// What the server said; only the port is changed.
    Keep,
}

/// `arrived`, `keep` or an IPv4 address.
impl FromStr for Advertise {
    type Err = AddrParseError;

    fn from_str(text: &str) -> Result<Self, AddrParseError> {
        match text {
            "arrived" => Ok(Self::Arrived),
            "keep" => Ok(Self::Keep),
            text => text.parse().map(Self::Address),
        }
    }
}
