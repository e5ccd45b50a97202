//! What clients go through: a world, and a gateway or a bare relay in front of it.

use super::world::World;
use crate::options;
use samara::{
    actor::Bell,
    buffer::FramePool,
    config::{Config, Net},
    maple::{Lookahead, Profile},
    net::{
        Clock, EventLoop, NoDatagrams, Sniff,
        tcp::{
            self, Capacity, ConnectionId, Connections, Ending, Origin, TcpDoor, TcpService,
            TcpSettings, TcpSetup,
        },
    },
    server::Server,
    service::maple::{MapleService, Settings},
    timer::Time,
};
use std::{
    collections::BTreeSet,
    fs, io,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// What is between the clients and the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Through {
    /// Samara's gateway, which exchanges keystreams
    Gateway,
    /// A relay on the same event loop that passes on bytes: the gateway's limit
    Relay,
    /// Nothing
    World,
}

/// Everything that runs, each part on one thread.
pub(crate) struct Stage {
    pub(crate) address: SocketAddr,
    /// The thread that is measured; none where the system does not tell.
    thread: Option<u64>,
    _front: Option<Front>,
    _world: Server,
}

enum Front {
    Gateway { _server: Box<Server> },
    Relay { _relay: RelayThread },
}

impl Stage {
    /// Starts it, with room for all clients.
    ///
    /// # Errors
    ///
    /// When the system refuses sockets or threads.
    pub(crate) fn start(maple: &options::Maple) -> io::Result<Self> {
        let clients = maple.clients.users;
        let world = Server::start_with(&config(clients), |_, metrics| {
            let settings = Settings::new(Profile::GMS_83);
            let service = MapleService::new(World::default(), settings, metrics.clone());
            vec![Box::new(service)]
        });
        let world = world.map_err(io::Error::other)?;
        let mut address = first(world.addresses())?;
        // Beside it stands what is started later.
        let of_world = new_thread(&BTreeSet::new());
        let front = match maple.through {
            Through::World => None,
            Through::Gateway => {
                let mut config = config(clients);
                config.gateway.login = Some(address);
                config.maple.lookahead = Lookahead {
                    packets: maple.ahead as usize,
                    bytes: maple.ahead_bytes as usize,
                };
                config.gateway.undecided_per_address = clients as usize;
                let server = Server::start(&config).map_err(io::Error::other)?;
                address = first(server.addresses())?;
                Some(Front::Gateway {
                    _server: Box::new(server),
                })
            }
            Through::Relay => {
                let relay = RelayThread::start(address, clients)?;
                address = relay.address;
                Some(Front::Relay { _relay: relay })
            }
        };
        let known = of_world.into_iter().collect();
        let thread = match front {
            Some(_) => new_thread(&known),
            None => of_world,
        };
        Ok(Self {
            address,
            thread,
            _front: front,
            _world: world,
        })
    }

    /// Processor time of the thread that is measured.
    pub(crate) fn processor(&self) -> Option<Duration> {
        let file = format!("/proc/self/task/{}/schedstat", self.thread?);
        let text = fs::read_to_string(file).ok()?;
        let nanos = text.split_whitespace().next()?.parse().ok()?;
        Some(Duration::from_nanos(nanos))
    }
}

fn first(addresses: &[SocketAddr]) -> io::Result<SocketAddr> {
    let address = addresses.first().copied();
    address.ok_or_else(|| io::ErrorKind::AddrNotAvailable.into())
}

/// The thread of an event loop that is not `known`; it gets its name a little after its start.
fn new_thread(known: &BTreeSet<u64>) -> Option<u64> {
    for _ in 0..100 {
        let found = threads().into_iter().find(|it| !known.contains(it));
        if found.is_some() || !cfg!(target_os = "linux") {
            return found;
        }
        thread::sleep(Duration::from_millis(2));
    }
    None
}

/// This program's threads that are event loops, on Linux.
fn threads() -> BTreeSet<u64> {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten();
    let ids = tasks.filter_map(|task| {
        let task = task.ok()?;
        let name = fs::read_to_string(task.path().join("comm")).ok()?;
        let is_loop = name.starts_with("loop-") || name.starts_with("relay");
        is_loop.then(|| task.file_name().to_str()?.parse().ok())?
    });
    ids.collect()
}

fn config(clients: u32) -> Config {
    let mut config = Config {
        net: Net {
            bind: vec![Ipv4Addr::LOCALHOST.into()],
            port: 0,
            loops: 1,
            ..Net::default()
        },
        ..Config::default()
    };
    config.tcp.settings = settings(clients);
    config
}

fn settings(clients: u32) -> TcpSettings {
    let clients = clients as usize;
    TcpSettings {
        connections: clients,
        connections_per_address: clients,
        outgoing: clients,
        sniff_delay: Duration::from_millis(1),
        ..TcpSettings::default()
    }
}

/// The bare relay: the server's event loop and connections, and nothing else.
struct RelayThread {
    address: SocketAddr,
    bell: Arc<Bell>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl RelayThread {
    fn start(world: SocketAddr, clients: u32) -> io::Result<Self> {
        let settings = settings(clients);
        let listener = tcp::listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), false)?;
        let address = listener.local_addr()?;
        let relay = Relay {
            world,
            others: vec![None; settings.places()],
        };
        let setup = TcpSetup {
            capacity: Arc::new(Capacity::new(settings, 1, Arc::default(), Arc::default())),
            services: vec![Box::new(relay)],
            listeners: vec![TcpDoor {
                socket: listener,
                service: Some(0),
            }],
        };
        let frames = FramePool::new(64, 64);
        let event_loop = EventLoop::new(Vec::new(), &frames, Clock::start(), NoDatagrams)?;
        let mut event_loop = event_loop.with_tcp(setup)?;
        let bell = Arc::new(Bell::new());
        let waker = event_loop.waker()?;
        // A loop that cannot be woken looks after a second by itself.
        bell.install(move || _ = waker.wake());
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = thread::Builder::new().name("relay".to_owned());
        let thread = thread.spawn(move || {
            if let Err(error) = event_loop.run(&stopped) {
                eprintln!("samara-load: the relay failed: {error}");
            }
        })?;
        Ok(Self {
            address,
            bell,
            stop,
            thread: Some(thread),
        })
    }
}

impl Drop for RelayThread {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.bell.ring();
        if let Some(thread) = self.thread.take() {
            // It has said what went wrong.
            let _ = thread.join();
        }
    }
}

/// Passes on what comes.
#[derive(Debug)]
struct Relay {
    world: SocketAddr,
    /// By the place of either side, the other.
    others: Vec<Option<ConnectionId>>,
}

impl Relay {
    fn other(&mut self, id: ConnectionId) -> Option<&mut Option<ConnectionId>> {
        self.others.get_mut(id.index as usize)
    }
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
        let Ok(other) = net.connect(self.world, None) else {
            net.abort(id);
            return;
        };
        for (one, another) in [(id, other), (other, id)] {
            net.feed(one, another);
            if let Some(place) = self.other(one) {
                *place = Some(another);
            }
        }
    }

    fn received(
        &mut self,
        _: Time,
        id: ConnectionId,
        bytes: &mut [u8],
        net: &mut Connections,
    ) -> usize {
        if let Some(Some(other)) = self.other(id) {
            // If that fails, the other side ends and this one with it.
            let _ = net.send(*other, bytes);
        }
        bytes.len()
    }

    fn closed(&mut self, _: Time, id: ConnectionId, _: Ending, net: &mut Connections) {
        if let Some(other) = self.other(id).and_then(Option::take) {
            net.close(other);
        }
    }
}
