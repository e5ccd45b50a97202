use super::{super::*, *};
use crate::net::Sniff;
use mio::{Events, Poll};
use std::{
    io::{ErrorKind, Read, Write},
    net::{Ipv4Addr, TcpStream as Peer},
    sync::Mutex,
};

const PATIENCE: Duration = Duration::from_secs(20);

/// Real sockets, in a time that the test makes.
struct Bench {
    poll: Poll,
    events: Events,
    endpoint: TcpEndpoint,
    now: Time,
    to: SocketAddr,
    endings: Endings,
}

/// How connections ended, and how many were made and opened by others.
#[derive(Clone, Debug, Default)]
struct Endings(Arc<Mutex<(Vec<Ending>, usize)>>);

/// Connects where its clients tell it to, and counts.
#[derive(Debug)]
struct Dialler {
    endings: Endings,
}

impl TcpService for Dialler {
    fn name(&self) -> &'static str {
        "dialler"
    }

    fn sniff(&self, _: &[u8]) -> Sniff {
        Sniff::Yes
    }

    fn opened(&mut self, _: Time, id: ConnectionId, origin: Origin, net: &mut Connections) {
        self.endings.0.lock().unwrap().1 += 1;
        net.admit(id);
        if origin == Origin::Connected {
            let local = net.local(id).unwrap();
            net.send(id, local.to_string().as_bytes()).unwrap();
        }
    }

    fn received(
        &mut self,
        _: Time,
        _: ConnectionId,
        bytes: &mut [u8],
        net: &mut Connections,
    ) -> usize {
        let text = std::str::from_utf8(bytes).unwrap();
        if let Some((peer, source)) = text.split_once(' ') {
            let source = source.parse().unwrap();
            net.connect(peer.parse().unwrap(), Some(source)).unwrap();
        }
        bytes.len()
    }

    fn closed(&mut self, _: Time, _: ConnectionId, ending: Ending, _: &mut Connections) {
        self.endings.0.lock().unwrap().0.push(ending);
    }
}

impl Bench {
    fn new(settings: TcpSettings) -> Self {
        let endings = Endings::default();
        let service = Dialler {
            endings: endings.clone(),
        };
        let localhost = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let socket = listen(localhost, false).unwrap();
        let to = socket.local_addr().unwrap();
        let setup = TcpSetup {
            capacity: Arc::new(Capacity::new(settings, 1, Arc::default(), Arc::default())),
            services: vec![Box::new(service)],
            listeners: vec![TcpDoor {
                socket,
                service: Some(0),
            }],
        };
        let poll = Poll::new().unwrap();
        let endpoint = TcpEndpoint::new(setup, poll.registry(), 7).unwrap();
        Self {
            poll,
            events: Events::with_capacity(64),
            endpoint,
            now: Time::ZERO,
            to,
            endings,
        }
    }

    fn turn(&mut self) -> Progress {
        let millisecond = Some(Duration::from_millis(1));
        self.poll.poll(&mut self.events, millisecond).unwrap();
        self.events.iter().for_each(|it| self.endpoint.event(it));
        self.endpoint.turn(self.now)
    }

    fn turn_until(&mut self, mut done: impl FnMut(&mut Self) -> bool) {
        let begin = std::time::Instant::now();
        while !done(self) {
            assert!(begin.elapsed() < PATIENCE, "waited in vain");
            self.turn();
        }
    }

    fn connect(&mut self) -> Peer {
        let peer = Peer::connect(self.to).unwrap();
        let open = self.opened() + 1;
        self.turn_until(|bench| bench.opened() == open);
        peer
    }

    fn opened(&self) -> usize {
        self.endings.0.lock().unwrap().1
    }

    fn endings(&self) -> Vec<Ending> {
        self.endings.0.lock().unwrap().0.clone()
    }
}

fn settings() -> TcpSettings {
    TcpSettings {
        connections: 200,
        connections_per_address: 200,
        outgoing: 2,
        block: 4096,
        extra_blocks: 8,
        ..TcpSettings::default()
    }
}

#[test]
fn a_connection_is_made_from_the_address_that_was_asked_for() {
    let upstream = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let mut bench = Bench::new(settings());
    let mut client = bench.connect();
    let source = Ipv4Addr::new(127, 0, 3, 9);
    let address = upstream.local_addr().unwrap();
    client
        .write_all(format!("{address} {source}").as_bytes())
        .unwrap();
    bench.turn_until(|bench| bench.opened() == 2);
    bench.turn();
    let (mut stream, peer) = upstream.accept().unwrap();
    assert_eq!(peer.ip(), source);
    let mut text = [0; 64];
    let len = stream.read(&mut text).unwrap();
    assert_eq!(text[..len], *peer.to_string().as_bytes());
    drop(stream);
    bench.turn_until(|bench| bench.endings() == [Ending::Done]);
}

#[test]
fn a_refused_connection_is_told() {
    let nobody = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = nobody.local_addr().unwrap();
    drop(nobody);
    let mut bench = Bench::new(settings());
    let mut client = bench.connect();
    for count in 1..4 {
        client
            .write_all(format!("{address} 127.0.0.1").as_bytes())
            .unwrap();
        bench.turn_until(|bench| bench.endings().len() == count);
    }
    let refused = Ending::ConnectFailed(ErrorKind::ConnectionRefused);
    assert_eq!(bench.endings(), [refused; 3]);
}

#[test]
fn a_reset_is_told_as_such() {
    let mut bench = Bench::new(settings());
    let client = bench.connect();
    SockRef::from(&client)
        .set_linger(Some(Duration::ZERO))
        .unwrap();
    drop(client);
    bench.turn_until(|bench| !bench.endings().is_empty());
    let reset = Ending::Failed(ErrorKind::ConnectionReset);
    assert_eq!(bench.endings(), [reset]);
}

#[test]
fn a_half_open_peer_is_idle_in_the_end() {
    let mut bench = Bench::new(settings());
    let _client = bench.connect();
    bench.now += Duration::from_secs(119);
    bench.turn();
    assert_eq!(bench.endings(), []);
    bench.now += Duration::from_secs(1);
    let progress = bench.turn();
    assert_eq!(bench.endings(), [Ending::Idle]);
    assert_eq!(progress, Progress::default(), "nothing is left to wait for");
}

#[test]
fn newcomers_are_taken_in_portions() {
    let mut bench = Bench::new(settings());
    let peers: Vec<_> = (0..ACCEPTS + 5)
        .map(|_| Peer::connect(bench.to).unwrap())
        .collect();
    let progress = bench.turn();
    assert_eq!(bench.opened(), ACCEPTS);
    assert!(progress.more);
    bench.turn();
    assert_eq!(bench.opened(), peers.len());
}

#[test]
fn nobody_is_let_in_once_the_server_stops() {
    let mut bench = Bench::new(settings());
    let mut client = bench.connect();
    bench.endpoint.capacity.announce_stop();
    assert!(!bench.endpoint.is_idle(), "there is something to announce");
    bench.turn();
    assert!(Peer::connect(bench.to).is_err());
    client.write_all(b"heard").unwrap();
    bench.turn();
    bench.endpoint.capacity.close_all();
    bench.turn();
    let mut byte = [0];
    assert_eq!(client.read(&mut byte).unwrap(), 0);
    drop(client);
    bench.turn_until(|bench| bench.endings() == [Ending::Service]);
    assert_eq!(bench.endpoint.capacity.open(), 0);
}
