//! The text handshake: hello, ping, the port reply, full (kaillera.md 1).

/// A datagram of the connect phase, as a server understands it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connect<'a> {
    /// `PING\0`: answer with `PONG\0`.
    Ping,
    /// `HELLO<version>\0`; only version `0.83` is served.
    Hello {
        /// The bytes between `HELLO` and the terminator.
        version: &'a [u8],
    },
    /// Begins like a connect string (`H`, `P`, `T`, `V`) but is none that a server answers.
    Unanswered,
}
