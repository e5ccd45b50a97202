//! What is served over TCP: the services of each loop and their listeners.

use super::{Place, StartError, ports};
use crate::{
    actor::Bell,
    buffer::FramePool,
    config::{Config, Upstream},
    metrics::{Histogram, Metrics},
    net::{
        Clock,
        tcp::{Capacity, TcpDoor, TcpService, TcpSetup},
    },
    service::{
        gateway::{self, GatewayService},
        http::{Exposition, Gauge, HttpService, Status},
        kaillera::Census,
        lists::Identity,
        minecraft::{self, Crossing, Lobby, MinecraftService, Numbers},
        packet_log::{LogThread, PacketLog},
    },
};
use std::{
    io,
    net::{SocketAddr, ToSocketAddrs},
    sync::Arc,
};

/// What TCP is made of before the loops start.
pub(super) struct Parts {
    /// What the loops share; `None` if nothing is served over TCP.
    pub(super) capacity: Option<Arc<Capacity>>,
    /// One per loop, or none.
    pub(super) setups: Vec<TcpSetup>,
    /// Listeners that only answer HTTP.
    pub(super) http: Vec<SocketAddr>,
    /// Listeners that are the gateway's alone.
    pub(super) gateway: Vec<SocketAddr>,
    /// Listeners that are Minecraft's alone.
    pub(super) minecraft: Vec<SocketAddr>,
    /// Writes what the gateway's loops leave for it.
    pub(super) packet_log: Option<LogThread>,
}

/// What the server of a library user serves over TCP beside its own, on each loop.
pub(super) type Extra<'e> = &'e mut dyn FnMut(&Place) -> Vec<Box<dyn TcpService>>;

/// What there is of the rest of the server: most of it is shown on the pages.
pub(super) struct Shown {
    pub(super) census: Census,
    pub(super) identity: Identity,
    /// Per loop, the buffers datagrams are received into.
    pub(super) frames_in: Vec<FramePool>,
    /// Per loop, how long its turns take.
    pub(super) turns: Vec<Arc<Histogram>>,
    /// What wakes each loop.
    pub(super) bells: Vec<Arc<Bell>>,
}

/// Puts the services behind the listeners of each loop.
pub(super) fn build(
    config: &Config,
    listeners: Vec<Vec<mio::net::TcpListener>>,
    shown: Shown,
    clock: Clock,
    extra: Extra<'_>,
) -> Result<Parts, StartError> {
    let loops = listeners.len();
    let mut parts = Parts {
        capacity: None,
        setups: Vec::new(),
        http: Vec::new(),
        gateway: Vec::new(),
        minecraft: Vec::new(),
        packet_log: None,
    };
    if !config.tcp.enabled && !has_own_addresses(config) {
        return Ok(parts);
    }
    let (metrics, drops) = (shown.census.metrics(), shown.census.drops());
    let packet_log = packet_log(config, clock, &metrics, &mut parts.packet_log)?;
    let own = config
        .gateway
        .login
        .iter()
        .flat_map(|_| &config.gateway.listen);
    let doors = bind(own.map(|it| it.address), loops)?;
    parts.gateway = doors.iter().map(|(address, _)| *address).collect();
    let gateway = Gateway::new(config, &parts.gateway, &metrics, &packet_log);
    let mut settings = config.tcp.settings;
    if gateway.is_some() {
        // A server for each client.
        settings.outgoing = settings.connections;
    }
    let minecraft = Minecraft::new(config, &shown)?;
    if let Some(minecraft) = &minecraft {
        settings.outgoing += minecraft.upstreams();
    }
    let capacity = Arc::new(Capacity::new(settings, loops, metrics.clone(), drops));
    let bells = shown.bells.clone();
    let crossing = minecraft.as_ref().map(|it| it.crossing.clone());
    let status = Status::new(shown.identity.clone(), shown.census.clone());
    let exposition = exposition(shown, &capacity, crossing);
    let pages = (Arc::new(exposition), Arc::new(status));
    let shared = |socket| TcpDoor {
        socket,
        service: None,
    };
    for ((index, listeners), bell) in listeners.into_iter().enumerate().zip(bells) {
        let mut services = vec![http_service(config, &pages, &listeners)];
        services.extend(gateway.as_ref().map(Gateway::service));
        services.extend(minecraft.as_ref().map(|it| it.service(index)));
        services.extend(extra(&Place {
            index,
            loops,
            metrics: metrics.clone(),
            bell,
            packet_log: packet_log.clone(),
        }));
        parts.setups.push(TcpSetup {
            capacity: capacity.clone(),
            services,
            listeners: listeners.into_iter().map(shared).collect(),
        });
    }
    let gateway = gateway.is_some().then_some(doors);
    at_own_addresses(config, gateway, minecraft.is_some(), &mut parts)?;
    parts.capacity = Some(capacity);
    Ok(parts)
}

/// Whether one service alone is served somewhere.
fn has_own_addresses(config: &Config) -> bool {
    let (http, gateway) = (&config.http.listen, &config.gateway.listen);
    !http.is_empty() || !gateway.is_empty() || !config.minecraft.listen.is_empty()
}

/// Listens where one service alone is served; the gateway's listeners, if it is there, are open.
fn at_own_addresses(
    config: &Config,
    gateway: Option<Doors>,
    has_minecraft: bool,
    parts: &mut Parts,
) -> Result<(), StartError> {
    let loops = parts.setups.len();
    let http = bind(config.http.listen.iter().copied(), loops)?;
    parts.http = http.iter().map(|(address, _)| *address).collect();
    hand_out(http, HTTP, &mut parts.setups);
    let behind_gateway = GATEWAY + usize::from(gateway.is_some());
    hand_out(gateway.unwrap_or_default(), GATEWAY, &mut parts.setups);
    if has_minecraft {
        let doors = bind(config.minecraft.listen.iter().copied(), loops)?;
        parts.minecraft = doors.iter().map(|(address, _)| *address).collect();
        hand_out(doors, behind_gateway, &mut parts.setups);
    }
    Ok(())
}

/// Where the pages are in the order of the services.
const HTTP: usize = 0;
/// Where the gateway is, if there is one; Minecraft is behind it, or in its place.
const GATEWAY: usize = 1;

/// Real addresses, and the sockets that listen there, one for each loop.
type Doors = Vec<(SocketAddr, Vec<mio::net::TcpListener>)>;

fn bind(addresses: impl Iterator<Item = SocketAddr>, loops: usize) -> Result<Doors, StartError> {
    addresses.map(|it| ports::listen(it, loops)).collect()
}

/// Gives each loop its listeners, for one service alone.
fn hand_out(doors: Doors, service: usize, setups: &mut [TcpSetup]) {
    for (_, listeners) in doors {
        for (setup, socket) in setups.iter_mut().zip(listeners) {
            setup.listeners.push(TcpDoor {
                socket,
                service: Some(service),
            });
        }
    }
}

/// Starts the packet log if there shall be one.
fn packet_log(
    config: &Config,
    clock: Clock,
    metrics: &Arc<Metrics>,
    thread: &mut Option<LogThread>,
) -> Result<Option<PacketLog>, StartError> {
    let Some(wanted) = &config.packet_log else {
        return Ok(None);
    };
    let started = PacketLog::start(wanted.clone(), clock, metrics.clone());
    let (log, writes) = started.map_err(|error| StartError {
        what: format!("cannot write packets to {}", wanted.path.display()),
        error,
    })?;
    *thread = Some(writes);
    Ok(Some(log))
}

/// What the gateways of all loops are made of.
struct Gateway {
    settings: Arc<gateway::Settings>,
    shared: Arc<gateway::Shared>,
    metrics: Arc<Metrics>,
    log: Option<PacketLog>,
    on_shared_port: bool,
}

impl Gateway {
    /// With the real addresses of its own listeners.
    fn new(
        config: &Config,
        own: &[SocketAddr],
        metrics: &Arc<Metrics>,
        log: &Option<PacketLog>,
    ) -> Option<Self> {
        let mut settings = config.gateway_settings()?;
        for (listener, &address) in settings.listeners.iter_mut().zip(own) {
            listener.address = address;
        }
        Some(Self {
            settings: Arc::new(settings),
            shared: Arc::default(),
            metrics: metrics.clone(),
            log: log.clone(),
            on_shared_port: config.gateway.on_shared_port,
        })
    }

    fn service(&self) -> Box<dyn TcpService> {
        let (settings, shared) = (self.settings.clone(), self.shared.clone());
        let service = GatewayService::new(settings, shared, self.metrics.clone());
        let service = service.with_log(self.log.as_ref());
        Box::new(service.on_shared_port(self.on_shared_port))
    }
}

/// What the Minecraft services of all loops are made of.
struct Minecraft {
    settings: Arc<minecraft::Settings>,
    numbers: Numbers,
    metrics: Arc<Metrics>,
    crossing: Arc<Crossing>,
    on_shared_port: bool,
}

impl Minecraft {
    fn new(config: &Config, shown: &Shown) -> Result<Option<Self>, StartError> {
        let upstream = match &config.minecraft.upstream {
            Some(upstream) => Some(find(upstream)?),
            None => None,
        };
        let Some(settings) = config.minecraft_settings(upstream) else {
            return Ok(None);
        };
        let capacity = match config.rules.max_users {
            0 => config.limits.sessions,
            users => users as usize,
        };
        let census = shown.census.clone();
        let metrics = census.metrics();
        // Where nobody can play, nobody has to change the loop.
        let has_world = settings.idle.is_some();
        let bells = shown.bells.iter().filter(|_| has_world);
        let numbers = Numbers::new(move || Lobby {
            users: census.users(),
            rooms: census.games(),
            capacity,
        });
        Ok(Some(Self {
            settings: Arc::new(settings),
            numbers,
            metrics,
            crossing: Arc::new(Crossing::new(bells.cloned())),
            on_shared_port: config.minecraft.on_shared_port,
        }))
    }

    /// Connections to its upstream that there can be at a time, with those that are being closed.
    fn upstreams(&self) -> usize {
        self.settings
            .idle
            .as_ref()
            .map_or(0, |idle| 2 * idle.sessions)
    }

    fn service(&self, index: usize) -> Box<dyn TcpService> {
        let (settings, numbers) = (self.settings.clone(), self.numbers.clone());
        let (metrics, crossing) = (self.metrics.clone(), self.crossing.clone());
        let service = MinecraftService::new(settings, numbers, metrics, crossing, index);
        Box::new(service.on_shared_port(self.on_shared_port))
    }
}

/// Looks a server's name up.
fn find(upstream: &Upstream) -> Result<SocketAddr, StartError> {
    let Upstream { host, port } = upstream;
    let found = (host.as_str(), *port).to_socket_addrs();
    let first = found.and_then(|mut all| all.next().ok_or(io::ErrorKind::NotFound.into()));
    first.map_err(|error| StartError {
        what: format!("cannot find minecraft.upstream, {host}"),
        error,
    })
}

fn http_service(
    config: &Config,
    (exposition, status): &(Arc<Exposition>, Arc<Status>),
    shared: &[mio::net::TcpListener],
) -> Box<dyn TcpService> {
    let service = HttpService::new(exposition.clone()).with_status(status.clone());
    let shared = shared.first().and_then(|it| it.local_addr().ok());
    let guarded = shared.filter(|_| !config.http.metrics_to_all);
    let service = service.with_metrics_guarded(guarded.map(|it| it.port()));
    Box::new(service.on_shared_port(config.http.on_shared_port))
}

fn exposition(
    shown: Shown,
    capacity: &Arc<Capacity>,
    crossing: Option<Arc<Crossing>>,
) -> Exposition {
    let Shown {
        census,
        frames_in,
        turns,
        ..
    } = shown;
    let mut gauges = gauges(&census, frames_in, capacity);
    gauges.extend(crossing.map(|crossing| Gauge {
        name: "minecraft_sessions",
        help: "Sessions at a Minecraft server, with or without their players.",
        label: None,
        read: Box::new(move || crossing.sessions() as u64),
    }));
    Exposition {
        metrics: census.metrics(),
        drops: census.drops(),
        gauges,
        turns,
    }
}

fn gauges(census: &Census, frames_in: Vec<FramePool>, capacity: &Arc<Capacity>) -> Vec<Gauge> {
    let of_census = |name, help, read: fn(&Census) -> usize| {
        let census = census.clone();
        Gauge {
            name,
            help,
            label: None,
            read: Box::new(move || read(&census) as u64),
        }
    };
    let connections = capacity.clone();
    let mut gauges = vec![
        of_census("users", "Users that are logged in.", Census::users),
        of_census("users_idle", "Users that do not play.", |it| {
            it.users().saturating_sub(it.playing().1)
        }),
        of_census("games", "Rooms, whether they play or not.", Census::games),
        of_census("games_waiting", "Rooms that wait for players.", |it| {
            it.games().saturating_sub(it.playing().0)
        }),
        of_census("games_playing", "Rooms whose game runs.", |it| {
            it.playing().0
        }),
        of_census("users_playing", "Users that play.", |it| it.playing().1),
        of_census("sessions", "Sessions, logged in or not.", Census::sessions),
        Gauge {
            name: "connections",
            help: "TCP connections that were accepted and are open.",
            label: None,
            read: Box::new(move || connections.open() as u64),
        },
    ];
    let frames_out = census.clone();
    let (blocks_in, blocks_out) = (capacity.clone(), capacity.clone());
    let frames_in = Arc::new(frames_in);
    let sum = move || {
        let pools = frames_in.iter();
        pools.fold((0, 0), |(free, all), pool| {
            (free + pool.available(), all + pool.capacity())
        })
    };
    let pools: [(&'static str, Pool); 4] = [
        ("datagrams_in", Arc::new(sum)),
        ("datagrams_out", Arc::new(move || frames_out.frames())),
        ("blocks_in", Arc::new(move || blocks_in.blocks_in())),
        ("blocks_out", Arc::new(move || blocks_out.blocks_out())),
    ];
    let of_pools = |name, help, read: fn((usize, usize)) -> usize| {
        let gauge = |(pool, look): &(&'static str, Pool)| {
            let look = look.clone();
            Gauge {
                name,
                help,
                label: Some(("pool", *pool)),
                read: Box::new(move || read(look()) as u64),
            }
        };
        pools.iter().map(gauge).collect::<Vec<_>>()
    };
    let used = |(free, all): (usize, usize)| all.saturating_sub(free);
    gauges.extend(of_pools("pool_buffers", "Buffers there are.", |it| it.1));
    gauges.extend(of_pools("pool_buffers_used", "Buffers in use.", used));
    gauges
}

/// Buffers that are free, and all.
type Pool = Arc<dyn Fn() -> (usize, usize) + Send + Sync>;
