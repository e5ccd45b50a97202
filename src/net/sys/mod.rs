//! Batches of UDP datagrams: one interface, and what each system makes of it.
//!
//! | | `linux` | `portable` |
//! |---|---|---|
//! | system calls | one for each batch | one for each datagram |
//! | [`Arrival::local`] | known | `None` |
//! | [`Transmit::local`] | obeyed | the system chooses |
//!
//! Both are compiled on Linux and pass the same tests; the names exported here are the best
//! the system at hand has. Nothing in this module logs, and once
//! constructed only a pool that makes frames allocates.

#[cfg(target_os = "linux")]
pub mod linux;
pub mod portable;

#[cfg(target_os = "linux")]
pub use linux::{ReceiveBatch, SendBatch};
#[cfg(not(target_os = "linux"))]
pub use portable::{ReceiveBatch, SendBatch};

use std::{
    collections::VecDeque,
    io,
    net::{IpAddr, SocketAddr},
    ops::ControlFlow,
};

use mio::net::UdpSocket;
use socket2::{Domain, Protocol, Socket, Type};

use crate::buffer::Frame;

/// Whether sockets bound to one port with [`BindOptions::reuse_port`] share its load.
///
/// Where they do not, the option is ignored and only one socket can have the port.
pub const REUSE_PORT_BALANCES: bool = cfg!(target_os = "linux");

/// How a socket is bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BindOptions {
    /// Lets more sockets of this process bind the same port; see [`REUSE_PORT_BALANCES`].
    pub reuse_port: bool,
}

/// Where a datagram came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Who sent it. An IPv6 flow label is left out: it does not identify the sender.
    pub peer: SocketAddr,
    /// The address of ours that an answer has to leave from, if the system tells: the one
    /// the datagram was sent to, unless that was a broadcast or multicast address.
    pub local: Option<IpAddr>,
}

/// A datagram to send.
#[derive(Debug)]
pub struct Transmit {
    /// Who receives it.
    pub peer: SocketAddr,
    /// The address of ours it leaves from, usually an [`Arrival::local`]; `None` leaves the
    /// choice to the system.
    pub local: Option<IpAddr>,
    /// What it says.
    pub frame: Frame,
}

/// What one receive did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// Datagrams handed out.
    pub datagrams: usize,
    /// Datagrams dropped because they were longer than a frame, or named no sender.
    pub truncated: usize,
    /// Datagrams dropped because the pool had no frame.
    pub starved: usize,
    /// Whether the socket may hold more, and so has to be received from again before
    /// the next wait.
    pub more: bool,
}

/// What one send did.
#[derive(Debug, Default)]
pub struct Sent {
    /// Datagrams the system took.
    pub datagrams: usize,
    /// Datagrams the system refused for good; they are dropped.
    pub failed: usize,
    /// Why the last of the `failed` was refused.
    pub error: Option<io::Error>,
    /// Whether the rest of the queue has to wait until the socket is writable.
    pub would_block: bool,
}

/// Binds a socket that never blocks, with buffers as large as the system grants.
///
/// An IPv6 socket takes IPv6 only, so both families can have the same port.
///
/// # Errors
///
/// Those of the system: the port is in use, the address is not ours, too many open files.
pub fn bind(addr: SocketAddr, options: BindOptions) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(addr), Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_nonblocking(true)?;
    if addr.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    #[cfg(target_os = "linux")]
    {
        socket.set_reuse_port(options.reuse_port)?;
        linux::report_destinations(&socket, addr)?;
    }
    #[cfg(not(target_os = "linux"))]
    let BindOptions { reuse_port: _ } = options;

    enlarge(|size| socket.set_recv_buffer_size(size));
    enlarge(|size| socket.set_send_buffer_size(size));
    socket.bind(&addr.into())?;
    Ok(UdpSocket::from_std(socket.into()))
}

/// Checks that nobody has the port of `addr`, not even somebody who would share it, and gives
/// the address back; port 0 becomes a free one.
///
/// Sockets that share a port also share it with those of a second server started by
/// mistake; whoever binds that way asks here first.
///
/// # Errors
///
/// As for [`bind`]; [`io::ErrorKind::AddrInUse`] if the port is taken.
pub fn probe(addr: SocketAddr) -> io::Result<SocketAddr> {
    bind(addr, BindOptions { reuse_port: false })?.local_addr()
}

const LARGEST_SOCKET_BUFFER: usize = 4 << 20;
const SMALLEST_SOCKET_BUFFER: usize = 64 << 10;

/// Linux cuts a size to its limit; the BSDs refuse one above it.
fn enlarge(set: impl Fn(usize) -> io::Result<()>) {
    let mut size = LARGEST_SOCKET_BUFFER;
    while size >= SMALLEST_SOCKET_BUFFER && set(size).is_err() {
        size /= 2;
    }
}

/// Applies the outcome of one attempt to send the front of `queue`; breaks when the socket
/// would block.
fn settle(
    queue: &mut VecDeque<Transmit>,
    outcome: io::Result<usize>,
    sent: &mut Sent,
) -> ControlFlow<()> {
    match outcome {
        Ok(count) => {
            debug_assert_ne!(count, 0);
            debug_assert!(count <= queue.len());
            queue.drain(..count.min(queue.len()));
            sent.datagrams += count;
        }
        Err(error) => match error.kind() {
            io::ErrorKind::WouldBlock => {
                sent.would_block = true;
                return ControlFlow::Break(());
            }
            io::ErrorKind::Interrupted => {}
            // How kernels of different age say that `local` has left this machine since the
            // peer wrote to it. An answer from another address may still get through.
            io::ErrorKind::InvalidInput | io::ErrorKind::NetworkUnreachable
                if forget_local(queue) => {}
            // Whatever else it is, only dropping what caused it makes progress: a full
            // device queue, for one, is not followed by an edge.
            _ => {
                queue.pop_front();
                sent.failed += 1;
                sent.error = Some(error);
            }
        },
    }
    ControlFlow::Continue(())
}

fn forget_local(queue: &mut VecDeque<Transmit>) -> bool {
    queue
        .front_mut()
        .is_some_and(|transmit| transmit.local.take().is_some())
}

/// Whether a failed receive says nothing about the socket: a signal came, or the system
/// reports what became of an earlier send.
///
/// Windows does so for any datagram ever sent, so every peer can cause these at will.
fn is_passing(error: &io::Error) -> bool {
    /// An ICMP "time exceeded" came back; it has no `ErrorKind`.
    const WSAENETRESET: i32 = 10052;

    matches!(
        error.kind(),
        io::ErrorKind::Interrupted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable
    ) || (cfg!(windows) && error.raw_os_error() == Some(WSAENETRESET))
}

#[cfg(test)]
mod tests;
