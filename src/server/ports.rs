//! Binds the port: UDP, and TCP on the same number, once per loop.

use super::StartError;
use crate::{
    config::Config,
    net::{sys, tcp},
};
use std::{
    io,
    net::{IpAddr, SocketAddr},
};

/// How often a free port is looked for that all addresses have.
const ATTEMPTS: usize = 16;

/// The sockets of the server's own port.
pub(super) struct Ports {
    pub(super) addresses: Vec<SocketAddr>,
    /// Per loop, one socket per address.
    pub(super) udp: Vec<Vec<mio::net::UdpSocket>>,
    /// Per loop, one listener per address; none if TCP is off.
    pub(super) tcp: Vec<Vec<mio::net::TcpListener>>,
}

/// Binds every address once per loop, all on the same port.
///
/// The default asks for IPv4 and IPv6; a machine without one of them is served on the other.
pub(super) fn bind(config: &Config, loops: usize) -> Result<Ports, StartError> {
    let mut attempts = if config.net.port == 0 { ATTEMPTS } else { 1 };
    loop {
        attempts -= 1;
        match bind_all(config, loops) {
            // The port that was free for the first socket is taken for another.
            Err(StartError { error, .. })
                if error.kind() == io::ErrorKind::AddrInUse && attempts > 0 => {}
            done => return done,
        }
    }
}

fn bind_all(config: &Config, loops: usize) -> Result<Ports, StartError> {
    let hosts = &config.net.bind;
    let mut port = config.net.port;
    let mut ports = Ports {
        addresses: Vec::new(),
        udp: per_loop(loops),
        tcp: per_loop(loops),
    };
    let wildcard = hosts.len() > 1 && hosts.iter().all(IpAddr::is_unspecified);
    let mut missing = None;
    for &host in hosts {
        let address = SocketAddr::new(host, port);
        let (bound, sockets) = match bind_udp(address, loops) {
            Ok(bound) => bound,
            Err(error) if wildcard && error.kind() != io::ErrorKind::AddrInUse => {
                log::warn!("not listening on udp {address}: {error}");
                missing = Some((address, error));
                continue;
            }
            Err(error) => return Err(cannot_listen("udp", address, error)),
        };
        port = bound.port();
        ports.addresses.push(bound);
        hand_out(&mut ports.udp, sockets);
        if config.tcp.enabled {
            let (_, listeners) = listen(bound, loops)?;
            hand_out(&mut ports.tcp, listeners);
        }
    }
    match missing {
        Some((address, error)) if ports.addresses.is_empty() => {
            Err(cannot_listen("udp", address, error))
        }
        _ => Ok(ports),
    }
}

/// Listens at `address` once per loop; port 0 becomes a free one.
pub(super) fn listen(
    mut address: SocketAddr,
    loops: usize,
) -> Result<(SocketAddr, Vec<mio::net::TcpListener>), StartError> {
    let shared = loops > 1;
    let mut listeners = Vec::with_capacity(loops);
    let mut bind = || {
        if shared {
            address = tcp::probe(address)?;
        }
        for _ in 0..loops {
            let listener = tcp::listen(address, shared)?;
            address = listener.local_addr()?;
            listeners.push(listener);
        }
        Ok(())
    };
    match bind() {
        Ok(()) => Ok((address, listeners)),
        Err(error) => Err(cannot_listen("tcp", address, error)),
    }
}

fn cannot_listen(what: &str, address: SocketAddr, error: io::Error) -> StartError {
    StartError {
        what: format!("cannot listen on {what} {address}"),
        error,
    }
}

fn bind_udp(
    mut address: SocketAddr,
    loops: usize,
) -> io::Result<(SocketAddr, Vec<mio::net::UdpSocket>)> {
    let shared = loops > 1;
    if shared {
        // Asked for a free port to share, the system may name one that others share already.
        address = sys::probe(address)?;
    }
    let mut sockets = Vec::with_capacity(loops);
    for _ in 0..loops {
        let socket = sys::bind(address, sys::BindOptions { reuse_port: shared })?;
        address = socket.local_addr()?;
        sockets.push(socket);
    }
    Ok((address, sockets))
}

fn per_loop<T>(loops: usize) -> Vec<Vec<T>> {
    std::iter::repeat_with(Vec::new).take(loops).collect()
}

fn hand_out<T>(of_loops: &mut [Vec<T>], sockets: Vec<T>) {
    for (of_loop, socket) in of_loops.iter_mut().zip(sockets) {
        of_loop.push(socket);
    }
}
