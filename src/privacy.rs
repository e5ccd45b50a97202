//! What the log shows of people: how much of their addresses, and whether what they say.
//!
//! One setting for the process, as there is one log; whoever logs an address of a user's writes
//! [`shown`] around it.

#![forbid(unsafe_code)]

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::atomic::{AtomicU8, Ordering},
};

/// What the log shows of people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Privacy {
    /// How much of their addresses.
    pub addresses: Addresses,
    /// Whether what they say in the lobby, and when they leave.
    pub chat: bool,
    /// Whether what they say in rooms.
    pub game_chat: bool,
}

/// How much of an address is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Addresses {
    /// The network it is in: 24 bits of an IPv4 address, 48 of an IPv6 one.
    #[default]
    Shortened,
    /// All of it, with the port.
    Full,
    /// Nothing.
    Hidden,
}

impl Addresses {
    /// What configuration files call them.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("shortened", Self::Shortened),
        ("full", Self::Full),
        ("hidden", Self::Hidden),
    ];
}

const CHAT: u8 = 1 << 2;
const GAME_CHAT: u8 = 1 << 3;

/// Below [`CHAT`], the place in [`Addresses::NAMES`].
static IN_FORCE: AtomicU8 = AtomicU8::new(0);

impl Privacy {
    /// What holds for the process; the default until something else is set.
    pub fn in_force() -> Self {
        let bits = IN_FORCE.load(Ordering::Relaxed);
        let place = usize::from(bits & (CHAT - 1));
        let addresses = Addresses::NAMES.get(place);
        Self {
            addresses: addresses.map_or(Addresses::Hidden, |(_, addresses)| *addresses),
            chat: bits & CHAT != 0,
            game_chat: bits & GAME_CHAT != 0,
        }
    }

    /// Lets it hold for the process.
    pub fn set(self) {
        let bit = |on, bit| if on { bit } else { 0 };
        let bits = self.addresses as u8 | bit(self.chat, CHAT) | bit(self.game_chat, GAME_CHAT);
        IN_FORCE.store(bits, Ordering::Relaxed);
    }
}

/// An address as the log may show it.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    address: IpAddr,
    port: Option<u16>,
    how: Addresses,
}

/// What holds for the process, applied to an address.
pub fn shown(address: impl Into<Address>) -> Shown {
    address.into().shown(Privacy::in_force().addresses)
}

/// An address of a user's, with a port or without.
#[derive(Clone, Copy, Debug)]
pub struct Address(IpAddr, Option<u16>);

impl Address {
    /// As it is shown under this setting.
    pub fn shown(self, how: Addresses) -> Shown {
        let Self(address, port) = self;
        Shown {
            address: address.to_canonical(),
            port,
            how,
        }
    }
}

impl From<IpAddr> for Address {
    fn from(address: IpAddr) -> Self {
        Self(address, None)
    }
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Self {
        Self(address.ip(), Some(address.port()))
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.how, self.address, self.port) {
            (Addresses::Hidden, _, _) => f.write_str("(hidden)"),
            (Addresses::Full, address, Some(port)) => SocketAddr::new(address, port).fmt(f),
            (Addresses::Full, address, None) => address.fmt(f),
            (Addresses::Shortened, IpAddr::V4(address), _) => {
                let [a, b, c, _] = address.octets();
                write!(f, "{}/24", Ipv4Addr::new(a, b, c, 0))
            }
            (Addresses::Shortened, IpAddr::V6(address), _) => {
                let [a, b, c, ..] = address.segments();
                write!(f, "{}/48", Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_as_they_are_shown() {
        use Addresses::{Full, Hidden, Shortened};
        for (address, how, expected) in [
            ("192.0.2.77:27888", Shortened, "192.0.2.0/24"),
            ("192.0.2.77:27888", Full, "192.0.2.77:27888"),
            ("192.0.2.77:27888", Hidden, "(hidden)"),
            ("[2001:db8:1:2::3]:1", Shortened, "2001:db8:1::/48"),
            ("[2001:db8:1:2::3]:1", Full, "[2001:db8:1:2::3]:1"),
            ("[2001:db8:1:2::3]:1", Hidden, "(hidden)"),
            ("[::ffff:192.0.2.77]:1", Shortened, "192.0.2.0/24"),
            ("[::ffff:192.0.2.77]:1", Full, "192.0.2.77:1"),
            ("[::1]:1", Shortened, "::/48"),
        ] {
            let address: SocketAddr = address.parse().unwrap();
            assert_eq!(Address::from(address).shown(how).to_string(), expected);
        }
        let alone = Address::from(IpAddr::from([192, 0, 2, 77]));
        assert_eq!(alone.shown(Full).to_string(), "192.0.2.77");
        assert_eq!(alone.shown(Shortened).to_string(), "192.0.2.0/24");
    }

    #[test]
    fn names_are_in_the_order_of_their_numbers() {
        for (place, (_, addresses)) in Addresses::NAMES.iter().enumerate() {
            assert_eq!(*addresses as usize, place);
        }
        assert_eq!(Privacy::in_force(), Privacy::default());
    }
}
