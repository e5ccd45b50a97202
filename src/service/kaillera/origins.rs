//! How many sessions come from where.

use super::Limits;
use std::{
    collections::HashMap,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

/// Sessions by address and by network.
///
/// The handshake has no secret, so a session may belong to somebody who forged its address; this
/// bounds what one victim, or one network of them, can be made to receive (kaillera-server.md 15).
#[derive(Debug, Default)]
pub(super) struct Origins {
    addresses: HashMap<IpAddr, usize>,
    networks: HashMap<IpAddr, usize>,
}

impl Origins {
    /// Whether no session more may come from there.
    ///
    /// This machine's own address has no bound: nobody beyond it can forge that, and tunnels bring
    /// many players from there. Other loopback addresses count, so that the bounds can be tried.
    pub(super) fn are_full(&self, address: IpAddr, limits: &Limits) -> bool {
        let address = address.to_canonical();
        if [
            IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(Ipv6Addr::LOCALHOST),
        ]
        .contains(&address)
        {
            return false;
        }
        let count = |of: &HashMap<IpAddr, usize>, key| of.get(&key).copied().unwrap_or(0);
        count(&self.addresses, holder(address)) >= limits.sessions_per_address
            || count(&self.networks, network(address)) >= limits.sessions_per_network
    }

    /// One more.
    pub(super) fn add(&mut self, address: IpAddr) {
        *self.addresses.entry(holder(address)).or_default() += 1;
        *self.networks.entry(network(address)).or_default() += 1;
    }

    /// One less.
    pub(super) fn remove(&mut self, address: IpAddr) {
        remove(&mut self.addresses, holder(address));
        remove(&mut self.networks, network(address));
    }
}

fn remove(counts: &mut HashMap<IpAddr, usize>, key: IpAddr) {
    if let Some(count) = counts.get_mut(&key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&key);
        }
    }
}

/// What one household has: an IPv4 address, or 64 bits of IPv6.
pub(super) fn holder(address: IpAddr) -> IpAddr {
    begin_of(address, 32, 64)
}

fn network(address: IpAddr) -> IpAddr {
    begin_of(address, 24, 48)
}

/// The address with only its first bits, as many as its version has by convention.
fn begin_of(address: IpAddr, of_v4: u32, of_v6: u32) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(it) => {
            let mask = u32::MAX << (u32::BITS - of_v4);
            Ipv4Addr::from_bits(it.to_bits() & mask).into()
        }
        IpAddr::V6(it) => {
            let mask = u128::MAX << (u128::BITS - of_v6);
            Ipv6Addr::from_bits(it.to_bits() & mask).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn this_machines_own_address_is_never_full() {
        let mut origins = Origins::default();
        for (address, is_full) in [
            ("127.0.0.1", false),
            ("::ffff:127.0.0.1", false),
            ("::1", false),
            ("127.0.0.2", true),
        ] {
            (0..600).for_each(|_| origins.add(ip(address)));
            let found = origins.are_full(ip(address), &Limits::default());
            assert_eq!(found, is_full, "{address}");
        }
    }

    #[test]
    fn addresses_and_networks_are_full_and_empty_again() {
        let limits = Limits {
            sessions_per_address: 2,
            sessions_per_network: 3,
            ..Limits::default()
        };
        for (one, near, far) in [
            ("192.0.2.1", "192.0.2.9", "192.0.3.1"),
            ("::ffff:192.0.2.1", "192.0.2.9", "192.0.3.1"),
            ("2001:db8:1::1", "2001:db8:1:9::1", "2001:db8:2::1"),
        ] {
            let (one, near, far) = (ip(one), ip(near), ip(far));
            let mut origins = Origins::default();
            origins.add(one);
            assert!(!origins.are_full(one, &limits));
            origins.add(one);
            assert!(origins.are_full(one, &limits));
            assert!(!origins.are_full(near, &limits));
            origins.add(near);
            assert!(origins.are_full(near, &limits));
            assert!(!origins.are_full(far, &limits));
            for address in [one, one, near] {
                origins.remove(address);
            }
            assert!(!origins.are_full(one, &limits));
            assert!(origins.addresses.is_empty() && origins.networks.is_empty());
        }
    }

    #[test]
    fn a_household_has_64_bits_of_ipv6() {
        assert_eq!(holder(ip("2001:db8::1")), holder(ip("2001:db8::ffff:2")));
        assert_ne!(holder(ip("2001:db8::1")), holder(ip("2001:db8:0:1::1")));
        assert_ne!(holder(ip("192.0.2.1")), holder(ip("192.0.2.2")));
        assert_eq!(holder(ip("::ffff:192.0.2.1")), ip("192.0.2.1"));
    }
}
