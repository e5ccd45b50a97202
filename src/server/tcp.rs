//! What is served over TCP: the services of each loop and their listeners.

use super::{StartError, ports};
use crate::{
    buffer::FramePool,
    config::Config,
    metrics::Histogram,
    net::tcp::{Capacity, TcpDoor, TcpService, TcpSetup},
    service::{
        http::{Exposition, Gauge, HttpService},
        kaillera::Census,
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
}

/// What the pages show of the rest of the server.
pub(super) struct Shown {
    pub(super) census: Census,
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
) -> Result<Parts, StartError> {
    let loops = listeners.len();
    let mut parts = Parts {
        capacity: None,
        setups: Vec::new(),
        http: Vec::new(),
    };
    if !config.tcp.enabled && config.http.listen.is_empty() {
        return Ok(parts);
    }
    let census = &shown.census;
    let (metrics, drops) = (census.metrics(), census.drops());
    let capacity = Arc::new(Capacity::new(config.tcp.settings, loops, metrics, drops));
    let exposition = Arc::new(exposition(shown, &capacity));
    let shared = |socket| TcpDoor {
        socket,
        service: None,
    };
    parts.setups = listeners
        .into_iter()
        .map(|listeners| TcpSetup {
            capacity: capacity.clone(),
            services: vec![http_service(config, &exposition)],
            listeners: listeners.into_iter().map(shared).collect(),
        })
        .collect();
    for &address in &config.http.listen {
        let (bound, listeners) = ports::listen(address, loops)?;
        parts.http.push(bound);
        for (setup, socket) in parts.setups.iter_mut().zip(listeners) {
            setup.listeners.push(TcpDoor {
                socket,
                service: Some(HTTP),
            });
        }
    }
    parts.capacity = Some(capacity);
    Ok(parts)
}

/// Where the pages are in the order of the services.
const HTTP: usize = 0;

fn http_service(config: &Config, exposition: &Arc<Exposition>) -> Box<dyn TcpService> {
    let service = HttpService::new(exposition.clone());
    Box::new(service.on_shared_port(config.http.on_shared_port))
}

fn exposition(shown: Shown, capacity: &Arc<Capacity>) -> Exposition {
    let Shown {
        census,
        frames_in,
        turns,
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
