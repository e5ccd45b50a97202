//! Streams in every shape: long ones, cut ones, and those whose ends go away.

use super::{config, start, wait_until};
use crate::peer::{FLOOD, LOGIN, Sender, Stream, Upstream};
use samara::{metrics::Reason, server::Server};
use socket2::SockRef;
use std::{
    collections::hash_map::DefaultHasher,
    hash::Hasher,
    io::Write,
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    thread,
    time::Duration,
};

/// Sends packets of mixed sizes; gives their hash.
fn send_mixed(sender: &mut Sender, packets: usize) -> u64 {
    let mut hash = DefaultHasher::new();
    let mut packet = vec![0; 20_000];
    let mut random = 1_u64;
    for n in 0..packets {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let size = match n % 1000 {
            0 => 3000 + (random >> 33) as usize % 17_000,
            _ => 2 + (random >> 33) as usize % 150,
        };
        for chunk in packet[..size].chunks_mut(8) {
            let bytes = random.rotate_left(n as u32).to_le_bytes();
            chunk.copy_from_slice(&bytes[..chunk.len()]);
        }
        packet[..2].copy_from_slice(b"\x31\0");
        hash.write(&packet[..size]);
        sender.send(&packet[..size]);
    }
    hash.finish()
}

#[test]
fn a_hundred_thousand_packets_are_the_same_on_both_ways() {
    const PACKETS: usize = 100_000;
    let login = Upstream::start(None);
    let (server, address) = start(login.address);
    let (mut sender, mut receiver) = Stream::connect(address).split();
    let sends = thread::spawn(move || send_mixed(&mut sender, PACKETS));
    let mut hash = DefaultHasher::new();
    for _ in 0..PACKETS {
        hash.write(&receiver.receive().unwrap());
    }
    assert_eq!(sends.join().unwrap(), hash.finish());
    let metrics = server.metrics();
    assert_eq!(metrics.maple_relayed_in.get(), PACKETS as u64);
    assert_eq!(metrics.maple_relayed_out.get(), PACKETS as u64);
}

/// Writes `stream` in two pieces; the server has read the first before the second leaves.
fn write_cut(server: &Server, socket: &mut TcpStream, stream: &[u8], cut: usize) {
    let (first, second) = stream.split_at(cut);
    let metrics = server.metrics();
    let read = metrics.stream_bytes_in.get() + first.len() as u64;
    socket.write_all(first).unwrap();
    wait_until("the first piece is read", || {
        metrics.stream_bytes_in.get() >= read
    });
    socket.write_all(second).unwrap();
}

/// Each session's streams are cut at another byte: in the server's hello, in headers, in bodies,
/// in the packet that is rewritten, and on the way from the client.
#[test]
fn a_stream_may_be_cut_anywhere() {
    const HELLO: usize = 16;
    const GO: &[u8] = b"\x0C\0\0\0\x7F\0\0\x01\x97\x1D\x31\x75\0\0\0\0\0\0\0";
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let (server, address) = start(listener.local_addr().unwrap());
    let upward = [LOGIN, b"\x31\0", &[0x31; 40]];
    let downward: [&[u8]; 4] = [b"\x11\0", &[0x32; 30], GO, b"\x41\0end"];
    let len = |packets: &[&[u8]]| packets.iter().map(|it| it.len() + 4).sum::<usize>();
    let (up_len, down_len) = (len(&upward), HELLO + len(&downward));
    for cut in 0..up_len.max(down_len) {
        let mut client = Stream::connect(address);
        let stream: Vec<u8> = upward.iter().flat_map(|it| client.frame(it)).collect();
        // The gateway reads on once it knows the server's hello.
        let is_known = cut >= LOGIN.len() + 4;
        let (early, late) = stream.split_at(match is_known {
            true => cut.min(up_len),
            false => up_len,
        });
        match is_known {
            true => client.socket.write_all(early).unwrap(),
            false => write_cut(&server, &mut client.socket, early, cut),
        }
        let (socket, _) = listener.accept().unwrap();
        let (mut upstream, hello) = Stream::silent(socket);
        let frames = downward.iter().flat_map(|it| upstream.frame(it));
        let stream: Vec<u8> = hello.into_iter().chain(frames).collect();
        write_cut(&server, &mut upstream.socket, &stream, cut.min(down_len));
        if is_known {
            client.socket.write_all(late).unwrap();
        }
        for expected in upward {
            assert_eq!(
                upstream.receive().as_deref(),
                Some(expected),
                "cut at {cut}"
            );
        }
        for expected in downward {
            let heard = client.receive().unwrap();
            match expected == GO {
                true => assert_eq!(super::place(&heard[4..]), address, "cut at {cut}"),
                false => assert_eq!(heard, expected, "cut at {cut}"),
            }
        }
    }
}

#[test]
fn a_client_that_resets_ends_its_server_alone() {
    let login = Upstream::start(None);
    let (server, address) = start(login.address);
    let mut stays = Stream::connect(address);
    assert_eq!(stays.ask(LOGIN).as_deref(), Some(LOGIN));
    for has_flood in [false, true] {
        let mut goes = Stream::connect(address);
        assert_eq!(goes.ask(LOGIN).as_deref(), Some(LOGIN));
        if has_flood {
            goes.send(FLOOD);
            goes.receive();
        }
        SockRef::from(&goes.socket)
            .set_linger(Some(Duration::ZERO))
            .unwrap();
        drop(goes);
        wait_until("its session ends", || server.connections() == 1);
    }
    // Each client had a server's connection, and all but one of both are closed.
    let metrics = server.metrics();
    wait_until("its servers' connections end", || {
        metrics.connections_closed.get() == 4
    });
    assert_eq!(stays.ask(LOGIN).as_deref(), Some(LOGIN));
}

#[test]
fn a_client_that_says_no_more_ends_in_order() {
    let login = Upstream::start(None);
    let (server, address) = start(login.address);
    let mut client = Stream::connect(address);
    client.send(LOGIN);
    client.socket.shutdown(Shutdown::Write).unwrap();
    while client.receive().is_some() {}
    wait_until("its session ends", || server.connections() == 0);
}

#[test]
fn a_client_that_vanished_is_not_kept() {
    let login = Upstream::start(None);
    let mut config = config(login.address);
    config.gateway.idle_timeout = Duration::from_secs(1);
    let server = Server::start(&config).unwrap();
    let mut client = Stream::connect(server.addresses()[0]);
    assert_eq!(client.ask(LOGIN).as_deref(), Some(LOGIN));
    wait_until("its session ends", || server.connections() == 0);
    assert_eq!(server.drops().count(Reason::IdleTimeout), 1);
    assert_eq!(client.receive(), None);
}

#[test]
fn garbage_of_a_server_ends_its_client() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let (server, address) = start(listener.local_addr().unwrap());
    for says_hello in [true, false] {
        let mut client = Stream::connect(address);
        client.send(LOGIN);
        let (mut socket, _) = listener.accept().unwrap();
        if says_hello {
            socket = Stream::accepted(socket).socket;
        }
        socket.write_all(&[0xFF; 600]).unwrap();
        assert_eq!(client.receive(), None);
    }
    assert_eq!(server.drops().count(Reason::BadUpstream), 2);
    wait_until("sessions end", || server.connections() == 0);
}

#[test]
fn a_listener_tells_its_own_address() {
    let second = Upstream::start(None);
    let login = Upstream::start(Some(second.address));
    let mut config = config(login.address);
    config.gateway.listen = vec!["127.0.0.1:0 => 203.0.113.9:8585".parse().unwrap()];
    let server = Server::start(&config).unwrap();
    let told = |address: SocketAddr| {
        let mut client = Stream::connect(address);
        super::place(&client.ask(crate::peer::SELECT).unwrap()[4..])
    };
    let own = server.gateway_addresses()[0];
    assert_eq!(told(own), "203.0.113.9:8585".parse().unwrap());
    assert_eq!(told(server.addresses()[0]), server.addresses()[0]);
}
