//! What TCP is allowed, and how long it waits.

use std::time::Duration;

/// Caps, marks and times of TCP connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpSettings {
    /// Accepted connections at a time, over all loops.
    pub connections: usize,
    /// The same from one address.
    pub connections_per_address: usize,
    /// Connections made by services at a time, on each loop.
    pub outgoing: usize,
    /// How long a connection may take until its service admits it, its first bytes included.
    pub handshake_timeout: Duration,
    /// How long a connection may receive nothing; [`super::Connections::set_idle_timeout`]
    /// changes it for one.
    pub idle_timeout: Duration,
    /// How long what waits to be sent may make no progress.
    pub stall_timeout: Duration,
    /// How long a connection that a service makes may take until the service admits it.
    pub connect_timeout: Duration,
    /// How long a silent peer of a shared port is waited for until its silence counts.
    pub sniff_delay: Duration,
    /// Bytes that wait to be sent at which a held source is read from again.
    pub low_mark: usize,
    /// Bytes that wait to be sent above which the source is not read from any more.
    pub high_mark: usize,
    /// Bytes that wait to be sent above which the connection is closed. At least
    /// `high_mark` and a block: a source is held after what it has sent, not within it.
    pub hard_cap: usize,
    /// Bytes of a block: the longest message a service can be offered or can write at once.
    pub block: usize,
    /// Blocks for sending beyond one for each connection, over all loops.
    pub extra_blocks: usize,
}

impl TcpSettings {
    /// How many connections one loop can have: every [`super::ConnectionId::index`] is below.
    pub const fn places(&self) -> usize {
        self.connections.saturating_add(self.outgoing)
    }
}

impl Default for TcpSettings {
    fn default() -> Self {
        Self {
            connections: 4096,
            connections_per_address: 64,
            outgoing: 0,
            handshake_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(120),
            stall_timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(5),
            sniff_delay: Duration::from_millis(300),
            low_mark: 64 << 10,
            high_mark: 256 << 10,
            hard_cap: 1 << 20,
            block: 66 << 10,
            extra_blocks: 1024,
        }
    }
}
