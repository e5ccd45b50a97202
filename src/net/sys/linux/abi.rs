//! The kernel's structures as the bytes they are.

#![forbid(unsafe_code)]

use std::{
    mem::offset_of,
    net::{IpAddr, SocketAddr, SocketAddrV6},
};

use crate::{
    buffer::{Full, Reader, Writer},
    net::sys::Transmit,
};

// A name is a `sockaddr_in` or a `sockaddr_in6`:
//
//     0        2        4            8
//     +--------+--------+------------+
//     | family | port   | address    |
//     +--------+--------+------------+----------+----------+
//     | family | port   | flow label | address  | scope id |   port big-endian, the rest native
//     +--------+--------+------------+----------+----------+
//     0        2        4            8          24         28

pub(super) const NAME_LEN: usize = size_of::<libc::sockaddr_in6>();
const _: () = {
    assert!(NAME_LEN == 28);
    assert!(size_of::<libc::sa_family_t>() == 2);
    assert!(offset_of!(libc::sockaddr_in, sin_addr) == 4);
    assert!(offset_of!(libc::sockaddr_in6, sin6_addr) == 8);
    assert!(offset_of!(libc::sockaddr_in6, sin6_scope_id) == 24);
};

pub(super) fn read_name(name: &[u8]) -> Option<SocketAddr> {
    let mut reader = Reader::new(name);
    let family = u16::from_ne_bytes(reader.array().ok()?);
    let port = u16::from_be_bytes(reader.array().ok()?);
    match libc::c_int::from(family) {
        libc::AF_INET => {
            let ip: [u8; 4] = reader.array().ok()?;
            Some(SocketAddr::from((ip, port)))
        }
        libc::AF_INET6 => {
            reader.bytes(4).ok()?;
            let ip: [u8; 16] = reader.array().ok()?;
            let scope_id = u32::from_ne_bytes(reader.array().ok()?);
            Some(SocketAddrV6::new(ip.into(), port, 0, scope_id).into())
        }
        _ => None,
    }
}

pub(super) fn write_name(name: &mut [u8; NAME_LEN], peer: SocketAddr) -> Result<usize, Full> {
    let mut writer = Writer::new(name);
    match peer {
        SocketAddr::V4(peer) => {
            writer.bytes(&(libc::AF_INET as libc::sa_family_t).to_ne_bytes())?;
            writer.bytes(&peer.port().to_be_bytes())?;
            writer.bytes(&peer.ip().octets())?;
            writer.bytes(&[0; 8])?;
        }
        SocketAddr::V6(peer) => {
            writer.bytes(&(libc::AF_INET6 as libc::sa_family_t).to_ne_bytes())?;
            writer.bytes(&peer.port().to_be_bytes())?;
            writer.bytes(&[0; 4])?;
            writer.bytes(&peer.ip().octets())?;
            writer.bytes(&peer.scope_id().to_ne_bytes())?;
        }
    }
    Ok(writer.len())
}

// Control data is a row of entries, each a `cmsghdr` and its body, padded to whole words. Two
// kinds of body are of interest, `in_pktinfo` and `in6_pktinfo`:
//
//     0        word    +4     +8
//     +--------+-------+------+-----------+-------------+-------------+
//     | length | level | kind | interface | our address | destination |   IPv4
//     +--------+-------+------+-----------+-------------+-------------+
//     | length | level | kind | destination             | interface   |   IPv6
//     +--------+-------+------+-------------------------+-------------+
//
// The length counts header and body. On IPv4 our address is the one to answer from, also
// where the destination was a broadcast; on sending the destination is ignored.

const CONTROL_HEADER_LEN: usize = size_of::<libc::cmsghdr>();
pub(super) const CONTROL_LEN: usize = 64;
const _: () = {
    assert!(CONTROL_HEADER_LEN == size_of::<usize>() + 8);
    assert!(size_of::<libc::in_pktinfo>() == 12);
    assert!(offset_of!(libc::in_pktinfo, ipi_spec_dst) == 4);
    assert!(size_of::<libc::in6_pktinfo>() == 20);
    assert!(offset_of!(libc::in6_pktinfo, ipi6_addr) == 0);
    assert!(CONTROL_HEADER_LEN + size_of::<libc::in6_pktinfo>() <= CONTROL_LEN);
};

/// Reads the address of ours that an answer has to leave from.
pub(super) fn read_control(control: &[u8]) -> Option<IpAddr> {
    let mut reader = Reader::new(control);
    loop {
        let length = usize::from_ne_bytes(reader.array().ok()?);
        let level = libc::c_int::from_ne_bytes(reader.array().ok()?);
        let kind = libc::c_int::from_ne_bytes(reader.array().ok()?);
        let mut body = Reader::new(reader.bytes(length.checked_sub(CONTROL_HEADER_LEN)?).ok()?);
        match (level, kind) {
            (libc::IPPROTO_IP, libc::IP_PKTINFO) => {
                body.bytes(4).ok()?;
                let ip: [u8; 4] = body.array().ok()?;
                return Some(IpAddr::from(ip)).filter(is_a_source);
            }
            (libc::IPPROTO_IPV6, libc::IPV6_PKTINFO) => {
                let ip: [u8; 16] = body.array().ok()?;
                return Some(IpAddr::from(ip)).filter(is_a_source);
            }
            _ => {
                let padding = length.next_multiple_of(size_of::<usize>()) - length;
                reader.bytes(padding).ok()?;
            }
        }
    }
}

/// Writes the address a datagram leaves from, or nothing if the kernel is to choose.
pub(super) fn write_control(
    control: &mut [u8; CONTROL_LEN],
    transmit: &Transmit,
) -> Result<usize, Full> {
    let mut writer = Writer::new(control);
    match (transmit.local.filter(is_a_source), transmit.peer) {
        (Some(IpAddr::V4(ip)), SocketAddr::V4(_)) => {
            let body_len = size_of::<libc::in_pktinfo>();
            write_control_header(&mut writer, libc::IPPROTO_IP, libc::IP_PKTINFO, body_len)?;
            writer.bytes(&[0; 4])?;
            writer.bytes(&ip.octets())?;
            writer.bytes(&[0; 4])?;
        }
        (Some(IpAddr::V6(ip)), SocketAddr::V6(_)) => {
            let body_len = size_of::<libc::in6_pktinfo>();
            write_control_header(
                &mut writer,
                libc::IPPROTO_IPV6,
                libc::IPV6_PKTINFO,
                body_len,
            )?;
            writer.bytes(&ip.octets())?;
            writer.bytes(&[0; 4])?;
        }
        _ => return Ok(0),
    }
    Ok(writer.len().next_multiple_of(size_of::<usize>()))
}

fn write_control_header(
    writer: &mut Writer<'_>,
    level: libc::c_int,
    kind: libc::c_int,
    body_len: usize,
) -> Result<(), Full> {
    writer.bytes(&(CONTROL_HEADER_LEN + body_len).to_ne_bytes())?;
    writer.bytes(&level.to_ne_bytes())?;
    writer.bytes(&kind.to_ne_bytes())
}

fn is_a_source(ip: &IpAddr) -> bool {
    !ip.is_unspecified() && !ip.is_multicast()
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use proptest::prelude::*;

    use super::*;
    use crate::buffer::FramePool;

    fn peers() -> impl Strategy<Value = SocketAddr> {
        let v4 = (any::<Ipv4Addr>(), any::<u16>()).prop_map(SocketAddr::from);
        let v6 = (any::<Ipv6Addr>(), any::<u16>(), any::<u32>())
            .prop_map(|(ip, port, scope)| SocketAddrV6::new(ip, port, 0, scope).into());
        prop_oneof![v4, v6]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn names_survive_the_kernels_form(peer in peers()) {
            let mut name = [0xFF; NAME_LEN];
            let len = write_name(&mut name, peer).unwrap();
            prop_assert_eq!(read_name(&name[..len]), Some(peer));
            prop_assert_eq!(read_name(&name[..len - 9]), None);
        }

        #[test]
        fn our_address_survives_the_kernels_form(ip in any::<IpAddr>(), peer in peers()) {
            let frame = FramePool::new(1, 0).try_take().unwrap();
            let mut control = [0xFF; CONTROL_LEN];
            let transmit = Transmit { peer, local: Some(ip), frame };
            let len = write_control(&mut control, &transmit).unwrap();
            let told = Some(ip).filter(is_a_source).filter(|ip| ip.is_ipv4() == peer.is_ipv4());
            prop_assert_eq!(len == 0, told.is_none());
            prop_assert_eq!(read_control(&control[..len]), told);
        }

        #[test]
        fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..CONTROL_LEN)) {
            read_name(&bytes);
            read_control(&bytes);
        }
    }

    #[test]
    fn other_control_data_is_stepped_over() {
        let mut control = [0; CONTROL_LEN];
        let mut writer = Writer::new(&mut control);
        write_control_header(&mut writer, libc::SOL_SOCKET, libc::SO_MARK, 4).unwrap();
        writer.bytes(&[7; 4]).unwrap();
        let padding = writer.len().next_multiple_of(size_of::<usize>()) - writer.len();
        writer.bytes(&[0; 8][..padding]).unwrap();
        write_control_header(&mut writer, libc::IPPROTO_IP, libc::IP_PKTINFO, 12).unwrap();
        writer
            .bytes(&[1, 0, 0, 0, 10, 0, 0, 9, 10, 0, 0, 255])
            .unwrap();
        let len = writer.len();
        assert_eq!(
            read_control(&control[..len]),
            Some(IpAddr::from([10, 0, 0, 9]))
        );
    }
}
