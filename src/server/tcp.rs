//! What is served over TCP: the services of each loop and their listeners.

use super::{StartError, ports};
use crate::{
    buffer::FramePool,
    config::Config,
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
        packet_log::{LogThread, PacketLog},
    },
};
use std::{net::SocketAddr, sync::Arc};

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
    /// Writes what the gateway's loops leave for it.
    pub(super) packet_log: Option<LogThread>,
}

/// What the server of a library user serves over TCP beside its own, on each loop.
pub(super) type Extra<'e> = &'e mut dyn FnMut(usize, &Arc<Metrics>) -> Vec<Box<dyn TcpService>>;

/// What the pages show of the rest of the server.
pub(super) struct Shown {
    pub(super) census: Census,
    pub(super) identity: Identity,
    /// Per loop, the buffers datagrams are received into.
    pub(super) frames_in: Vec<FramePool>,
    /// Per loop, how long its turns take.
    pub(super) turns: Vec<Arc<Histogram>>,
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
        packet_log: None,
    };
    let its_own = config.http.listen.len() + config.gateway.listen.len();
    if !config.tcp.enabled && its_own == 0 {
        return Ok(parts);
    }
    let census = &shown.census;
    let (metrics, drops) = (census.metrics(), census.drops());
    let gateway = Gateway::new(config, clock, &metrics, &mut parts.packet_log)?;
    let mut settings = config.tcp.settings;
    if gateway.is_some() {
        // A server for each client.
        settings.outgoing = settings.connections;
    }
    let capacity = Arc::new(Capacity::new(settings, loops, metrics.clone(), drops));
    let status = Status::new(shown.identity.clone(), census.clone());
    let pages = (Arc::new(exposition(shown, &capacity)), Arc::new(status));
    let shared = |socket| TcpDoor {
        socket,
        service: None,
    };
    for (index, listeners) in listeners.into_iter().enumerate() {
        let mut services = vec![http_service(config, &pages)];
        services.extend(gateway.as_ref().map(Gateway::service));
        services.extend(extra(index, &metrics));
        parts.setups.push(TcpSetup {
            capacity: capacity.clone(),
            services,
            listeners: listeners.into_iter().map(shared).collect(),
        });
    }
    let setups = &mut parts.setups;
    parts.http = listen(&config.http.listen, HTTP, setups)?;
    if gateway.is_some() {
        parts.gateway = listen(&config.gateway.listen, GATEWAY, setups)?;
    }
    parts.capacity = Some(capacity);
    Ok(parts)
}

/// Where the pages are in the order of the services.
const HTTP: usize = 0;
/// Where the gateway is, if there is one.
const GATEWAY: usize = 1;

/// Listens at `addresses` for one service alone; gives the real ones.
fn listen(
    addresses: &[SocketAddr],
    service: usize,
    setups: &mut [TcpSetup],
) -> Result<Vec<SocketAddr>, StartError> {
    let mut bound = Vec::new();
    for &address in addresses {
        let (real, listeners) = ports::listen(address, setups.len())?;
        bound.push(real);
        for (setup, socket) in setups.iter_mut().zip(listeners) {
            setup.listeners.push(TcpDoor {
                socket,
                service: Some(service),
            });
        }
    }
    Ok(bound)
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
    fn new(
        config: &Config,
        clock: Clock,
        metrics: &Arc<Metrics>,
        thread: &mut Option<LogThread>,
    ) -> Result<Option<Self>, StartError> {
        let Some(settings) = config.gateway_settings() else {
            return Ok(None);
        };
        let mut log = None;
        if let Some(wanted) = &config.packet_log {
            let (profile, opcodes) = (settings.greeting.profile, settings.opcodes);
            let started =
                PacketLog::start(wanted.clone(), profile, opcodes, clock, metrics.clone());
            let (started, writes) = started.map_err(|error| StartError {
                what: format!("cannot write packets to {}", wanted.path.display()),
                error,
            })?;
            (log, *thread) = (Some(started), Some(writes));
        }
        Ok(Some(Self {
            settings: Arc::new(settings),
            shared: Arc::default(),
            metrics: metrics.clone(),
            log,
            on_shared_port: config.gateway.on_shared_port,
        }))
    }

    fn service(&self) -> Box<dyn TcpService> {
        let (settings, shared) = (self.settings.clone(), self.shared.clone());
        let service = GatewayService::new(settings, shared, self.metrics.clone());
        let service = service.with_log(self.log.clone());
        Box::new(service.on_shared_port(self.on_shared_port))
    }
}

fn http_service(
    config: &Config,
    (exposition, status): &(Arc<Exposition>, Arc<Status>),
) -> Box<dyn TcpService> {
    let service = HttpService::new(exposition.clone()).with_status(status.clone());
    Box::new(service.on_shared_port(config.http.on_shared_port))
}

fn exposition(shown: Shown, capacity: &Arc<Capacity>) -> Exposition {
    let Shown {
        census,
        frames_in,
        turns,
        identity: _,
    } = shown;
    Exposition {
        metrics: census.metrics(),
        drops: census.drops(),
        gauges: gauges(&census, frames_in, capacity),
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
        of_census("games", "Rooms, whether they play or not.", Census::games),
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
