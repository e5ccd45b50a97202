//! Sockets with the options that all of ours have.

use mio::net::{TcpListener, TcpStream};
use socket2::{Domain, Protocol, Socket, Type};
use std::{
    io,
    net::{IpAddr, SocketAddr},
};

/// Connections that the system may hold until they are accepted.
const BACKLOG: i32 = 1024;

/// Begins to connect to `peer`, from `source` if it is given.
pub(super) fn connect(peer: SocketAddr, source: Option<IpAddr>) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(peer), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_nonblocking(true)?;
    socket.set_tcp_nodelay(true)?;
    if let Some(source) = source {
        socket.bind(&SocketAddr::new(source, 0).into())?;
    }
    match socket.connect(&peer.into()) {
        Err(error) if !is_in_progress(&error) => Err(error),
        _ => Ok(TcpStream::from_std(socket.into())),
    }
}

/// Windows says that it would block, the others that it is in progress, for which
/// [`io::ErrorKind`] has no stable name.
fn is_in_progress(error: &io::Error) -> bool {
    #[cfg(target_os = "linux")]
    const IN_PROGRESS: i32 = libc::EINPROGRESS;
    /// Of macOS and the BSDs.
    #[cfg(not(target_os = "linux"))]
    const IN_PROGRESS: i32 = 36;

    error.kind() == io::ErrorKind::WouldBlock || error.raw_os_error() == Some(IN_PROGRESS)
}

/// Listens at `address`; with `shared`, more sockets of this process can, see
/// [`crate::net::sys::REUSE_PORT_BALANCES`].
///
/// An IPv6 socket takes IPv6 only, so both families can have the same port.
///
/// # Errors
///
/// Those of the system: the port is in use, the address is not ours, too many open files.
pub fn listen(address: SocketAddr, shared: bool) -> io::Result<TcpListener> {
    let socket = bound(address, shared)?;
    socket.listen(BACKLOG)?;
    Ok(TcpListener::from_std(socket.into()))
}

/// Checks that nobody listens at `address`, not even somebody who would share it, and gives the
/// address back; port 0 becomes a free one.
///
/// # Errors
///
/// As for [`listen`]; [`io::ErrorKind::AddrInUse`] if the port is taken.
pub fn probe(address: SocketAddr) -> io::Result<SocketAddr> {
    let address = bound(address, false)?.local_addr()?.as_socket();
    address.ok_or(io::ErrorKind::AddrNotAvailable.into())
}

fn bound(address: SocketAddr, shared: bool) -> io::Result<Socket> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM,
        Some(Protocol::TCP),
    )?;
    socket.set_nonblocking(true)?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    // A server that starts again has its port though old connections are still remembered; on
    // Windows the option would take the port from another process.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    #[cfg(target_os = "linux")]
    socket.set_reuse_port(shared)?;
    #[cfg(not(target_os = "linux"))]
    let _ = shared;
    socket.bind(&address.into())?;
    Ok(socket)
}
