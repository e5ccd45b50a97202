//! TCP by itself: a relay in front of an echo, both services of one event loop.

use super::{PATIENCE, counting, nothing_allocated};
use samara::{
    actor::Bell,
    buffer::FramePool,
    net::{
        Clock, EventLoop, NoDatagrams, Sniff,
        tcp::{
            self, Capacity, ConnectionId, Connections, Ending, Origin, TcpDoor, TcpService,
            TcpSettings, TcpSetup,
        },
    },
    timer::Time,
};
use std::{
    io::{Read, Write},
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// Blocks that nothing may be allocated for.
const BLOCKS: usize = 5_000;

#[derive(Debug)]
struct Echo;

impl TcpService for Echo {
    fn name(&self) -> &'static str {
        "echo"
    }

    fn sniff(&self, _: &[u8]) -> Sniff {
        Sniff::No
    }

    fn opened(&mut self, _: Time, id: ConnectionId, _: Origin, net: &mut Connections) {
        let local = IpAddr::from([127, 0, 0, 7]);
        assert_eq!(net.peer(id).map(|peer| peer.ip()), Some(local));
        net.admit(id);
        net.feed(id, id);
    }

    fn received(
        &mut self,
        _: Time,
        id: ConnectionId,
        bytes: &mut [u8],
        net: &mut Connections,
    ) -> usize {
        net.send(id, bytes).unwrap();
        bytes.len()
    }
}

/// Connects each client to the echo, from an address of its own.
#[derive(Debug)]
struct Relay {
    echo: SocketAddr,
    /// By the index of either side, the other.
    others: Vec<Option<ConnectionId>>,
}

impl TcpService for Relay {
    fn name(&self) -> &'static str {
        "relay"
    }

    fn sniff(&self, _: &[u8]) -> Sniff {
        Sniff::No
    }

    fn opened(&mut self, _: Time, id: ConnectionId, origin: Origin, net: &mut Connections) {
        net.admit(id);
        if origin == Origin::Connected {
            return;
        }
        let source = IpAddr::from([127, 0, 0, 7]);
        let other = net.connect(self.echo, Some(source)).unwrap();
        self.others[id.index as usize] = Some(other);
        self.others[other.index as usize] = Some(id);
        net.feed(id, other);
        net.feed(other, id);
    }

    fn received(
        &mut self,
        _: Time,
        id: ConnectionId,
        bytes: &mut [u8],
        net: &mut Connections,
    ) -> usize {
        let other = self.others[id.index as usize].unwrap();
        net.send(other, bytes).unwrap();
        bytes.len()
    }

    fn closed(&mut self, _: Time, id: ConnectionId, _: Ending, net: &mut Connections) {
        if let Some(other) = self.others[id.index as usize].take() {
            net.close(other);
        }
    }
}

/// A block passes four connections and comes back; nothing is allocated for it, nor for the next
/// connections.
pub(super) fn allocates_nothing() {
    let settings = TcpSettings {
        connections: 8,
        outgoing: 4,
        extra_blocks: 16,
        ..TcpSettings::default()
    };
    let listen = || tcp::listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), false).unwrap();
    let (relay, echo) = (listen(), listen());
    let to = relay.local_addr().unwrap();
    let capacity = Arc::new(Capacity::new(settings, 1, Arc::default(), Arc::default()));
    let relaying = Relay {
        echo: echo.local_addr().unwrap(),
        others: vec![None; settings.places()],
    };
    let door = |socket, service| TcpDoor {
        socket,
        service: Some(service),
    };
    let setup = TcpSetup {
        capacity: capacity.clone(),
        services: vec![Box::new(relaying), Box::new(Echo)],
        listeners: vec![door(relay, 0), door(echo, 1)],
    };
    let frames = FramePool::new(64, 2048);
    let event_loop = EventLoop::new(Vec::new(), &frames, Clock::start(), NoDatagrams).unwrap();
    let mut event_loop = event_loop.with_tcp(setup).unwrap();
    let bell = Bell::new();
    let waker = event_loop.waker().unwrap();
    bell.install(move || waker.wake().unwrap());
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let running = thread::spawn(move || event_loop.run(&stopped).unwrap());

    let mut buffer = vec![0; 50_000];
    let mut pass = |stream: &mut TcpStream, size: usize| {
        let block = &mut buffer[..size];
        block.fill(size as u8);
        stream.write_all(block).unwrap();
        block.fill(0);
        stream.read_exact(block).unwrap();
        assert!(block.iter().all(|byte| *byte == size as u8));
    };
    let connect = || {
        let stream = TcpStream::connect(to).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    };
    let mut one = connect();
    let mut other = connect();
    for _ in 0..20 {
        for size in [1, 700, 50_000] {
            pass(&mut one, size);
            pass(&mut other, size);
        }
    }
    nothing_allocated("relayed and echoed blocks", || {
        for n in 0..BLOCKS {
            pass(&mut one, 1 + n % 1000);
            if n % 100 == 0 {
                pass(&mut other, 50_000);
            }
        }
    });
    drop(other);
    let gone = || {
        super::wait_until(&capacity, || capacity.open() == 2);
    };
    gone();
    nothing_allocated("connections that come and go", || {
        for _ in 0..50 {
            pass(&mut connect(), 100);
            gone();
        }
    });
    assert!(counting::of_the_server().allocations > 0);
    stop.store(true, Ordering::Relaxed);
    drop(one);
    running.join().unwrap();
}
