//! How servers behind the gateway can tell its clients apart: a source address for each, or a
//! PROXY protocol header (version 2, haproxy's proxy-protocol.txt).

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// The loopback address that stands for a client: its own last three bytes behind 127, so that
/// it has the same on every connection and an operator can tell whose it is.
///
/// For IPv6 clients they are made of the first 64 bits. Two clients may share one.
pub fn source(client: IpAddr) -> Ipv4Addr {
    let [b, c, d] = match client {
        IpAddr::V4(address) => {
            let [_, b, c, d] = address.octets();
            [b, c, d]
        }
        IpAddr::V6(address) => {
            let network = (address.to_bits() >> 64) as u64;
            // Fibonacci hashing: the high bits depend on all.
            let [b, c, d, ..] = network.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes();
            [b, c, d]
        }
    };
    match [b, c, d] {
        // Where servers listen.
        [0, 0, d] => Ipv4Addr::new(127, 1, 0, d),
        // The network's broadcast address.
        [255, 255, 255] => Ipv4Addr::new(127, 255, 255, 254),
        [b, c, d] => Ipv4Addr::new(127, b, c, d),
    }
}

/// Bytes of the longest PROXY header written here.
pub const LONGEST_PROXY: usize = 16 + 36;

const SIGNATURE: [u8; 12] = *b"\r\n\r\n\0\r\nQUIT\n";

/// Writes the header that says that a connection is `client`'s, who came to `local`, into
/// `room`; gives its length.
///
/// Addresses of two families go as IPv6.
pub fn proxy_header(
    client: SocketAddr,
    local: SocketAddr,
    room: &mut [u8; LONGEST_PROXY],
) -> usize {
    let (head, addresses) = room.split_at_mut(16);
    let (signature, rest) = head.split_at_mut(12);
    signature.copy_from_slice(&SIGNATURE);
    let (family, len) = match (client.ip(), local.ip()) {
        (IpAddr::V4(from), IpAddr::V4(to)) => {
            let ips = from.octets().into_iter().chain(to.octets());
            write(addresses, ips.chain(ports(client, local)));
            (0x11, 12)
        }
        (from, to) => {
            let [from, to] = [from, to].map(|ip| match ip {
                IpAddr::V4(ip) => ip.to_ipv6_mapped(),
                IpAddr::V6(ip) => ip,
            });
            let ips = from.octets().into_iter().chain(to.octets());
            write(addresses, ips.chain(ports(client, local)));
            (0x21, 36)
        }
    };
    // Version 2, on behalf of somebody.
    rest.copy_from_slice(&[0x21, family, 0, len]);
    16 + usize::from(len)
}

fn ports(client: SocketAddr, local: SocketAddr) -> impl Iterator<Item = u8> {
    let [from, to] = [client, local].map(|it| it.port().to_be_bytes());
    from.into_iter().chain(to)
}

fn write(room: &mut [u8], bytes: impl Iterator<Item = u8>) {
    for (place, byte) in room.iter_mut().zip(bytes) {
        *place = byte;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_stay_and_avoid_where_servers_listen() {
        let of = |text: &str| source(text.parse().unwrap()).to_string();
        assert_eq!(of("203.0.113.9"), "127.0.113.9");
        assert_eq!(of("127.0.0.1"), "127.1.0.1");
        assert_eq!(of("1.255.255.255"), "127.255.255.254");
        assert_eq!(of("2001:db8::1"), of("2001:db8::2"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
    }

    #[test]
    fn headers_are_as_the_specification_draws_them() {
        let mut room = [0; LONGEST_PROXY];
        let client = "203.0.113.9:50000".parse().unwrap();
        let local = "198.51.100.1:8484".parse().unwrap();
        let len = proxy_header(client, local, &mut room);
        let expected = b"\x0D\x0A\x0D\x0A\x00\x0D\x0A\x51\x55\x49\x54\x0A\x21\x11\x00\x0C\
            \xCB\x00\x71\x09\xC6\x33\x64\x01\xC3\x50\x21\x24";
        assert_eq!(&room[..len], expected);
        let six = "[2001:db8::1]:1".parse().unwrap();
        let len = proxy_header(six, local, &mut room);
        assert_eq!((len, room[13], room[15]), (52, 0x21, 36));
        assert_eq!(&room[32..44], b"\0\0\0\0\0\0\0\0\0\0\xFF\xFF");
    }
}
