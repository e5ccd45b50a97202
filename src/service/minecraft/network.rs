//! Addresses that begin alike.

use std::{error::Error, fmt, net::IpAddr, str::FromStr};

/// A network such as `192.168.0.0/16`, or one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    ip: IpAddr,
    bits: u8,
}

/// Not a network: no address, or more bits than it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadNetwork;

impl Network {
    /// Whether `ip` is in it; an IPv4 address counts as that, however it came.
    pub fn contains(&self, ip: IpAddr) -> bool {
        let (ours, width) = number(self.ip);
        let (theirs, other) = number(ip.to_canonical());
        let free = width - u32::from(self.bits);
        width == other && (ours ^ theirs).checked_shr(free).unwrap_or(0) == 0
    }
}

/// An address as a number, and how many bits it has.
fn number(ip: IpAddr) -> (u128, u32) {
    match ip {
        IpAddr::V4(ip) => (u128::from(ip.to_bits()), 32),
        IpAddr::V6(ip) => (ip.to_bits(), 128),
    }
}

impl FromStr for Network {
    type Err = BadNetwork;

    fn from_str(text: &str) -> Result<Self, BadNetwork> {
        let (ip, bits) = match text.split_once('/') {
            Some((ip, bits)) => (ip, Some(bits.parse().map_err(|_| BadNetwork)?)),
            None => (text, None),
        };
        let ip: IpAddr = ip.parse().map_err(|_| BadNetwork)?;
        let width: u8 = if ip.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(width);
        let fits = bits <= width;
        fits.then_some(Self { ip, bits }).ok_or(BadNetwork)
    }
}

impl fmt::Display for BadNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an address or a network")
    }
}

impl Error for BadNetwork {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_in_their_networks() {
        for (network, inside, outside) in [
            ("192.168.1.7", "192.168.1.7", "192.168.1.6"),
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.1"),
            ("10.0.0.0/8", "::ffff:10.1.2.3", "::a00:1"),
            ("0.0.0.0/0", "1.2.3.4", "::1"),
            ("2001:db8::/32", "2001:db8:9::1", "2001:db9::"),
            ("::/0", "2001:db8::", "1.2.3.4"),
        ] {
            let network: Network = network.parse().unwrap();
            assert!(network.contains(inside.parse().unwrap()), "{network:?}");
            assert!(!network.contains(outside.parse().unwrap()), "{network:?}");
        }
        for wrong in [
            "",
            "10.0.0.0/33",
            "::/129",
            "10.0.0.0/-1",
            "host",
            "1.2.3.4/",
        ] {
            assert_eq!(wrong.parse::<Network>(), Err(BadNetwork), "{wrong}");
        }
    }
}
