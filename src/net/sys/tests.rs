use std::{
    net::{Ipv4Addr, Ipv6Addr, UdpSocket as StdSocket},
    time::{Duration, Instant},
};

use mio::{Events, Interest, Poll, Token};

use super::*;
use crate::buffer::FramePool;

const PATIENCE: Duration = Duration::from_secs(5);
const BATCH: usize = 32;
const FRAME_SIZE: usize = 4096;
const V4: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const V6: IpAddr = IpAddr::V6(Ipv6Addr::LOCALHOST);

trait Platform {
    type Receiver: Send;
    const TELLS_LOCAL: bool;

    fn receiver(pool: &FramePool) -> Self::Receiver;
    fn receive(
        receiver: &mut Self::Receiver,
        socket: &UdpSocket,
        each: impl FnMut(Arrival, Frame),
    ) -> io::Result<Received>;
    fn send(socket: &UdpSocket, queue: &mut VecDeque<Transmit>) -> Sent;
}

macro_rules! platform {
    ($name:ident, $module:ident, tells_local: $tells_local:expr) => {
        struct $name;

        impl Platform for $name {
            type Receiver = $module::ReceiveBatch;
            const TELLS_LOCAL: bool = $tells_local;

            fn receiver(pool: &FramePool) -> Self::Receiver {
                $module::ReceiveBatch::new(pool, BATCH)
            }

            fn receive(
                receiver: &mut Self::Receiver,
                socket: &UdpSocket,
                each: impl FnMut(Arrival, Frame),
            ) -> io::Result<Received> {
                receiver.receive(socket, each)
            }

            fn send(socket: &UdpSocket, queue: &mut VecDeque<Transmit>) -> Sent {
                $module::SendBatch::new(BATCH).send(socket, queue)
            }
        }
    };
}

#[cfg(target_os = "linux")]
platform!(Linux, linux, tells_local: true);
platform!(Portable, portable, tells_local: false);

macro_rules! on_each_platform {
    ($($test:ident,)*) => {
        #[cfg(target_os = "linux")]
        mod on_linux {
            $(#[test] fn $test() { super::$test::<super::Linux>(); })*
        }
        mod on_portable {
            $(#[test] fn $test() { super::$test::<super::Portable>(); })*
        }
    };
}

on_each_platform! {
    receives_any_number_in_order,
    receives_any_size,
    sends_any_number_in_order,
    sends_any_size,
    serves_ipv6,
    moves_between_threads,
    tells_the_address_written_to,
    answers_a_broadcast_from_an_address_of_ours,
    answers_although_our_address_is_gone,
    drains_the_socket_when_the_pool_is_empty,
    loses_only_the_datagram_that_is_refused,
    brings_every_frame_home,
}

/// A socket under test and what it needs, waited for as an event loop would.
struct Side<P: Platform> {
    socket: UdpSocket,
    poll: Poll,
    receiver: P::Receiver,
    pool: FramePool,
}

impl<P: Platform> Side<P> {
    fn new(ip: IpAddr, frames: usize) -> Self {
        let mut socket = bind(SocketAddr::new(ip, 0), BindOptions::default()).unwrap();
        let poll = Poll::new().unwrap();
        poll.registry()
            .register(&mut socket, Token(0), Interest::READABLE)
            .unwrap();
        let pool = FramePool::new(frames, FRAME_SIZE);
        Self {
            socket,
            poll,
            receiver: P::receiver(&pool),
            pool,
        }
    }

    fn addr(&self) -> SocketAddr {
        self.socket.local_addr().unwrap()
    }

    /// Receives until `count` datagrams have been handed out or dropped.
    fn receive(&mut self, count: usize) -> (Vec<(Arrival, Frame)>, Received) {
        let mut arrived = Vec::new();
        let mut total = Received::default();
        let mut events = Events::with_capacity(8);
        while total.datagrams + total.truncated + total.starved < count {
            self.poll.poll(&mut events, Some(PATIENCE)).unwrap();
            assert!(!events.is_empty(), "only {total:?} of {count} arrived");
            let mut more = true;
            while more {
                let each = |arrival, frame| arrived.push((arrival, frame));
                let received = P::receive(&mut self.receiver, &self.socket, each).unwrap();
                total.datagrams += received.datagrams;
                total.truncated += received.truncated;
                total.starved += received.starved;
                more = received.more;
            }
        }
        assert_eq!(arrived.len(), total.datagrams);
        let rest = P::receive(&mut self.receiver, &self.socket, |_, _| {
            panic!("one too many")
        });
        assert_eq!(rest.unwrap(), Received::default());
        (arrived, total)
    }

    fn transmit(&self, peer: SocketAddr, bytes: &[u8]) -> Transmit {
        let mut frame = self.pool.try_take().unwrap();
        frame.copy_from(bytes).unwrap();
        Transmit {
            peer,
            local: None,
            frame,
        }
    }

    fn send(&self, transmits: impl IntoIterator<Item = Transmit>) -> Sent {
        let mut queue = transmits.into_iter().collect();
        let sent = P::send(&self.socket, &mut queue);
        assert!(queue.is_empty());
        sent
    }
}

fn other_side(ip: IpAddr) -> StdSocket {
    let socket = StdSocket::bind((ip, 0)).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket
}

fn receive_one(socket: &StdSocket) -> (Vec<u8>, SocketAddr) {
    let mut buffer = vec![0; 65_535];
    let (len, from) = socket.recv_from(&mut buffer).unwrap();
    buffer.truncate(len);
    (buffer, from)
}

fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 31 + len) as u8).collect()
}

fn receives_any_number_in_order<P: Platform>() {
    for count in [1, 31, 32, 33, 200_u32] {
        let mut side = Side::<P>::new(V4, 300);
        let other = other_side(V4);
        for number in 0..count {
            other.send_to(&number.to_le_bytes(), side.addr()).unwrap();
        }
        let (arrived, _) = side.receive(count as usize);
        for ((arrival, frame), number) in arrived.iter().zip(0..) {
            assert_eq!(arrival.peer, other.local_addr().unwrap());
            assert_eq!(**frame, u32::to_le_bytes(number));
        }
    }
}

fn receives_any_size<P: Platform>() {
    let mut side = Side::<P>::new(V4, 64);
    let other = other_side(V4);
    for len in [0, 1, 5, 1400, FRAME_SIZE, FRAME_SIZE + 1, 60_000, 7] {
        other.send_to(&pattern(len), side.addr()).unwrap();
    }
    let (arrived, total) = side.receive(8);
    assert_eq!(total.truncated, 2);
    for ((_, frame), len) in arrived.iter().zip([0, 1, 5, 1400, FRAME_SIZE, 7]) {
        assert_eq!(**frame, pattern(len));
    }
}

fn sends_any_number_in_order<P: Platform>() {
    for count in [1, 31, 32, 33, 200_u32] {
        let side = Side::<P>::new(V4, 300);
        let other = other_side(V4);
        let peer = other.local_addr().unwrap();
        let sent = side.send((0..count).map(|number| side.transmit(peer, &number.to_le_bytes())));
        assert_eq!(sent.datagrams, count as usize);
        for number in 0..count {
            assert_eq!(
                receive_one(&other),
                (number.to_le_bytes().to_vec(), side.addr())
            );
        }
    }
}

fn sends_any_size<P: Platform>() {
    let side = Side::<P>::new(V4, 64);
    let other = other_side(V4);
    let peer = other.local_addr().unwrap();
    let sizes = [0, 1, 5, 1400, FRAME_SIZE, 7];
    assert_eq!(
        side.send(sizes.map(|len| side.transmit(peer, &pattern(len))))
            .datagrams,
        6
    );
    for len in sizes {
        assert_eq!(receive_one(&other).0, pattern(len));
    }
}

fn serves_ipv6<P: Platform>() {
    if StdSocket::bind((V6, 0)).is_err() {
        println!("skipped: this machine has no IPv6");
        return;
    }
    let mut side = Side::<P>::new(Ipv6Addr::UNSPECIFIED.into(), 64);
    let other = other_side(V6);
    let to = SocketAddr::new(V6, side.addr().port());
    for len in [0, 5, 1400, FRAME_SIZE + 1] {
        other.send_to(&pattern(len), to).unwrap();
    }
    let (arrived, total) = side.receive(4);
    assert_eq!((total.datagrams, total.truncated), (3, 1));
    for (arrival, frame) in arrived {
        assert_eq!(arrival.peer, other.local_addr().unwrap());
        assert_eq!(arrival.local, P::TELLS_LOCAL.then_some(V6));
        let Arrival { peer, local } = arrival;
        assert_eq!(side.send([Transmit { peer, local, frame }]).datagrams, 1);
    }
    for len in [0, 5, 1400] {
        assert_eq!(receive_one(&other), (pattern(len), to));
    }
    bind(
        SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), to.port()),
        BindOptions::default(),
    )
    .expect("an IPv6 socket leaves the port free for IPv4");
}

fn moves_between_threads<P: Platform>() {
    let mut side = Side::<P>::new(V4, 64);
    let other = other_side(V4);
    for _ in 0..2 {
        other.send_to(b"here", side.addr()).unwrap();
        side = std::thread::scope(|scope| {
            let at_work = scope.spawn(|| {
                assert_eq!(*side.receive(1).0[0].1, *b"here");
                side
            });
            at_work.join().unwrap()
        });
    }
}

fn tells_the_address_written_to<P: Platform>() {
    if !P::TELLS_LOCAL {
        return;
    }
    let mut side = Side::<P>::new(Ipv4Addr::UNSPECIFIED.into(), 64);
    let other = other_side(V4);
    let targets: [IpAddr; 3] = [[127, 0, 0, 2].into(), V4, [127, 9, 8, 7].into()];
    for ip in targets {
        other.send_to(b"hello", (ip, side.addr().port())).unwrap();
    }
    let (arrived, _) = side.receive(3);
    let told: Vec<_> = arrived
        .iter()
        .filter_map(|(arrival, _)| arrival.local)
        .collect();
    assert_eq!(told, targets);

    let answers = arrived
        .into_iter()
        .map(|(Arrival { peer, local }, frame)| Transmit { peer, local, frame });
    assert_eq!(side.send(answers).datagrams, 3);
    for ip in targets {
        assert_eq!(
            receive_one(&other).1,
            SocketAddr::new(ip, side.addr().port())
        );
    }
}

fn answers_a_broadcast_from_an_address_of_ours<P: Platform>() {
    let mut side = Side::<P>::new(Ipv4Addr::UNSPECIFIED.into(), 64);
    let other = other_side(V4);
    other.set_broadcast(true).unwrap();
    let to = SocketAddr::from(([127, 255, 255, 255], side.addr().port()));
    if let Err(error) = other.send_to(b"anybody?", to) {
        println!("skipped: the loopback interface takes no broadcast: {error}");
        return;
    }
    let (mut arrived, _) = side.receive(1);
    let (Arrival { peer, local }, frame) = arrived.remove(0);
    assert_ne!(local, Some(to.ip()));
    let sent = side.send([Transmit { peer, local, frame }]);
    assert_eq!((sent.datagrams, sent.failed), (1, 0));
    assert_eq!(receive_one(&other).0, b"anybody?");
}

fn answers_although_our_address_is_gone<P: Platform>() {
    let side = Side::<P>::new(Ipv4Addr::UNSPECIFIED.into(), 64);
    let other = other_side(V4);
    let peer = other.local_addr().unwrap();
    let mut transmits = [b"1", b"2", b"3"].map(|bytes| side.transmit(peer, bytes));
    transmits[1].local = Some([203, 0, 113, 9].into());
    transmits[2].local = Some(Ipv4Addr::UNSPECIFIED.into());
    let sent = side.send(transmits);
    assert_eq!((sent.datagrams, sent.failed), (3, 0), "{:?}", sent.error);
    for bytes in [b"1", b"2", b"3"] {
        assert_eq!(receive_one(&other).0, bytes);
    }
}

fn drains_the_socket_when_the_pool_is_empty<P: Platform>() {
    const FRAMES: usize = 40;
    let mut side = Side::<P>::new(V4, FRAMES);
    let other = other_side(V4);
    for number in 0..100_u8 {
        other.send_to(&[number], side.addr()).unwrap();
    }
    let (arrived, total) = side.receive(100);
    assert_eq!((total.datagrams, total.starved), (FRAMES, 60));
    assert!(
        arrived
            .iter()
            .zip(0..)
            .all(|((_, frame), number)| **frame == [number])
    );

    drop(arrived);
    other.send_to(b"again", side.addr()).unwrap();
    assert_eq!(*side.receive(1).0[0].1, *b"again");
}

fn loses_only_the_datagram_that_is_refused<P: Platform>() {
    let mut side = Side::<P>::new(V4, 64);
    let other = other_side(V4);
    let peer = other.local_addr().unwrap();
    let nobody = SocketAddr::new(peer.ip(), 0);
    side.pool = FramePool::new(64, 65_535);
    let sent = side.send([
        side.transmit(peer, b"first"),
        side.transmit(peer, &pattern(65_535)),
        side.transmit(nobody, b"lost"),
        side.transmit(peer, b"last"),
    ]);
    assert_eq!(
        (sent.datagrams, sent.failed, sent.would_block),
        (2, 2, false)
    );
    assert!(sent.error.is_some());
    assert_eq!(receive_one(&other).0, b"first");
    assert_eq!(receive_one(&other).0, b"last");
}

fn brings_every_frame_home<P: Platform>() {
    let mut side = Side::<P>::new(V4, 64);
    let other = other_side(V4);
    for len in [3, FRAME_SIZE + 1, 0] {
        other.send_to(&pattern(len), side.addr()).unwrap();
    }
    let (arrived, _) = side.receive(3);
    let answers = arrived
        .into_iter()
        .map(|(Arrival { peer, local }, frame)| Transmit { peer, local, frame });
    side.send(answers);
    let Side { receiver, pool, .. } = side;
    drop(receiver);
    assert_eq!(pool.available(), pool.capacity());
}

#[test]
fn what_would_block_stays_queued() {
    let pool = FramePool::new(4, 8);
    let peer = SocketAddr::new(V4, 9);
    let local = Some(V4);
    let transmit = |frame| Transmit { peer, local, frame };
    let mut queue: VecDeque<_> = std::iter::from_fn(|| pool.try_take())
        .take(4)
        .map(transmit)
        .collect();
    let mut sent = Sent::default();

    assert!(settle(&mut queue, Ok(2), &mut sent).is_continue());
    assert_eq!((queue.len(), pool.available()), (2, 2));
    let interrupted = Err(io::ErrorKind::Interrupted.into());
    assert!(settle(&mut queue, interrupted, &mut sent).is_continue());
    let would_block = Err(io::ErrorKind::WouldBlock.into());
    assert!(settle(&mut queue, would_block, &mut sent).is_break());
    assert_eq!((queue.len(), sent.failed, sent.would_block), (2, 0, true));

    for kind in [
        io::ErrorKind::InvalidInput,
        io::ErrorKind::NetworkUnreachable,
    ] {
        queue[0].local = local;
        assert!(settle(&mut queue, Err(kind.into()), &mut sent).is_continue());
        assert_eq!(
            (queue.len(), queue[0].local, queue[1].local),
            (2, None, local)
        );
    }
    let refused = Err(io::ErrorKind::PermissionDenied.into());
    assert!(settle(&mut queue, refused, &mut sent).is_continue());
    assert_eq!((queue.len(), sent.datagrams, sent.failed), (1, 2, 1));
    assert_eq!(queue[0].local, local);
}

#[test]
fn a_port_in_use_is_noticed_even_if_it_could_be_shared() {
    let shared = BindOptions { reuse_port: true };
    let first = bind(SocketAddr::new(V4, 0), shared).unwrap();
    let addr = first.local_addr().unwrap();
    assert_eq!(probe(addr).unwrap_err().kind(), io::ErrorKind::AddrInUse);
    let alone = bind(addr, BindOptions::default());
    assert_eq!(alone.unwrap_err().kind(), io::ErrorKind::AddrInUse);
    assert_eq!(bind(addr, shared).is_ok(), REUSE_PORT_BALANCES);
    drop(first);
    probe(addr).unwrap();
}

#[test]
fn sockets_on_one_port_share_its_load() {
    if !REUSE_PORT_BALANCES {
        return;
    }
    let shared = BindOptions { reuse_port: true };
    let first = bind(SocketAddr::new(V4, 0), shared).unwrap();
    let addr = first.local_addr().unwrap();
    let mut sockets = [first, bind(addr, shared).unwrap()];
    let mut poll = Poll::new().unwrap();
    for (socket, token) in sockets.iter_mut().zip(0..) {
        poll.registry()
            .register(socket, Token(token), Interest::READABLE)
            .unwrap();
    }
    let others: Vec<_> = (0..64).map(|_| other_side(V4)).collect();
    for other in &others {
        other.send_to(b"hello", addr).unwrap();
    }

    let pool = FramePool::new(128, FRAME_SIZE);
    let mut receiver = ReceiveBatch::new(&pool, BATCH);
    let mut events = Events::with_capacity(8);
    let mut counts = [0, 0];
    let start = Instant::now();
    while counts[0] + counts[1] < others.len() {
        assert!(
            start.elapsed() < PATIENCE,
            "only {counts:?} of {} arrived",
            others.len()
        );
        poll.poll(&mut events, Some(PATIENCE)).unwrap();
        for (socket, count) in sockets.iter().zip(&mut counts) {
            while {
                let received = receiver.receive(socket, |_, _| {}).unwrap();
                *count += received.datagrams;
                received.more
            } {}
        }
    }
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
}
