//! What serves TCP connections, and how it learns of them.

use super::Connections;
use crate::{
    metrics::Reason,
    net::{Progress, Sniff},
    timer::Time,
};
use std::{fmt, io};

/// A protocol spoken over TCP, on one event loop.
///
/// A service holds no socket and reads no clock: bytes, times and events come in as calls, what
/// it has to say goes into the outgoing buffers that [`Connections`] keeps, and leaves at the end
/// of the turn in one write per connection. It keeps its own state per connection, found by
/// [`ConnectionId`].
///
/// ```text
///                    sniff: Yes, or silence and speaks_first
///   accepted ------------------------------------------------.
///                                                            v
///   Connections::connect ------- connected ---------------> opened
///            |                                               |
///            | failed                 received, writable, expired, in any order
///            |                                               |
///            |                                        ended (the peer says no more)
///            v                                               v
///          closed <----------------------------------------- closed
/// ```
///
/// After [`TcpService::opened`], or a [`Connections::connect`] or [`Connections::adopt`] that gave
/// an id, [`TcpService::closed`] comes exactly once and is the connection's last call.
///
/// # Example
///
/// ```
/// use samara::{
///     net::{
///         Sniff,
///         tcp::{ConnectionId, Connections, Origin, Rehearsal, TcpService, TcpSettings},
///     },
///     timer::Time,
/// };
///
/// #[derive(Debug)]
/// struct Echo;
///
/// impl TcpService for Echo {
///     fn name(&self) -> &'static str {
///         "echo"
///     }
///
///     fn sniff(&self, _first: &[u8]) -> Sniff {
///         Sniff::Yes
///     }
///
///     fn opened(&mut self, _: Time, id: ConnectionId, _: Origin, net: &mut Connections) {
///         // A slow reader is read from no faster than it reads.
///         net.feed(id, id);
///         net.admit(id);
///     }
///
///     fn received(
///         &mut self,
///         _: Time,
///         id: ConnectionId,
///         bytes: &mut [u8],
///         net: &mut Connections,
///     ) -> usize {
///         // A connection that takes no more is closed, and told so by `closed`.
///         let _ = net.send(id, bytes);
///         bytes.len()
///     }
/// }
///
/// let mut echo = Rehearsal::new(Echo, TcpSettings::default());
/// let id = echo.open();
/// echo.receive(id, b"hello");
/// assert_eq!(echo.take_sent(id), b"hello");
/// ```
pub trait TcpService: fmt::Debug + Send {
    /// What the log and the configuration call it.
    fn name(&self) -> &'static str;

    /// Whether `first`, the first bytes of a connection and at least one, are its protocol's.
    ///
    /// Asked again with more bytes after [`Sniff::NeedMore`]; the answer depends on the bytes
    /// alone.
    fn sniff(&self, first: &[u8]) -> Sniff;

    /// Whether its side speaks first, so that a client's silence means it. At most one service
    /// of a shared port can.
    fn speaks_first(&self) -> bool {
        false
    }

    /// A connection is its own from here on. Until [`Connections::admit`] the handshake timeout
    /// runs.
    fn opened(&mut self, now: Time, id: ConnectionId, origin: Origin, net: &mut Connections);

    /// `bytes` are what was received and not yet consumed, oldest first; answers how many of
    /// them, from the front, are done with.
    ///
    /// The rest is kept and offered again with whatever follows, or after
    /// [`Connections::resume`]. The bytes may be changed in place: what is changed and not
    /// consumed is offered as it was left. They are at most [`super::TcpSettings::block`]; a
    /// service that consumes none of so many ends the connection ([`Ending::TooLong`]).
    fn received(
        &mut self,
        now: Time,
        id: ConnectionId,
        bytes: &mut [u8],
        net: &mut Connections,
    ) -> usize;

    /// The peer will send no more and all it sent has been offered. It can still be sent to, for
    /// an idle timeout from here on; unless the service means to, the connection is closed.
    fn ended(&mut self, now: Time, id: ConnectionId, net: &mut Connections) {
        let _ = now;
        net.close(id);
    }

    /// What waited to be sent had passed the high mark and is now below the low one.
    fn writable(&mut self, now: Time, id: ConnectionId, net: &mut Connections) {
        let _ = (now, id, net);
    }

    /// The time set by [`Connections::set_timer`] has come; it is set no more.
    fn expired(&mut self, now: Time, id: ConnectionId, net: &mut Connections) {
        let _ = (now, id, net);
    }

    /// The connection is gone; `id` finds nothing any more.
    fn closed(&mut self, now: Time, id: ConnectionId, ending: Ending, net: &mut Connections) {
        let _ = (now, id, ending, net);
    }

    /// Does what there is to do without anything coming in: what other threads have left for it.
    /// Called once in each of the loop's turns.
    fn turn(&mut self, now: Time, net: &mut Connections) -> Progress {
        let _ = (now, net);
        Progress::default()
    }

    /// Whether [`TcpService::turn`] would find nothing to do. Asked after the loop has said that
    /// it is about to sleep: whoever brings work after that rings its bell.
    fn is_idle(&self) -> bool {
        true
    }

    /// Does a little of what can wait, some microseconds' worth, when the loop has nothing else to
    /// do; answers whether there is more.
    fn idle(&mut self) -> bool {
        false
    }

    /// The server stops: a last word. Nobody connects any more, and connections that are still
    /// open a moment later are closed in good order.
    fn stopping(&mut self, now: Time, net: &mut Connections) {
        let _ = (now, net);
    }
}

/// One connection of one event loop, never the same again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConnectionId {
    /// Its place, below [`super::TcpSettings::places`]; taken again by others once it is closed.
    pub index: u32,
    /// How often the place was taken before.
    pub generation: u32,
}

/// Where a connection comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A peer connected to the loop's listener at this position.
    Accepted {
        /// Position in the order the listeners were given to the loop.
        listener: usize,
    },
    /// The service connected, [`Connections::connect`].
    Connected,
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Both sides have said all they had to.
    Done,
    /// The service ended it, [`Connections::close`] or [`Connections::abort`].
    Service,
    /// The peer reset it or cannot be reached any more.
    Failed(io::ErrorKind),
    /// It was never made, [`Connections::connect`].
    ConnectFailed(io::ErrorKind),
    /// Not admitted in time.
    Handshake,
    /// Nothing was received for the idle timeout.
    Idle,
    /// Nothing of what waits could be sent for the stall timeout.
    Stalled,
    /// More waits to be sent than the hard cap.
    Overflow,
    /// No block of memory was left.
    NoBlock,
    /// A full block was offered and nothing of it consumed.
    TooLong,
    /// It goes on elsewhere, [`Connections::part`].
    Parted,
    /// The server stopped.
    Stopped,
}

impl Ending {
    /// What it counts as, if the peer did not keep to the rules.
    pub(super) fn reason(self) -> Option<Reason> {
        Some(match self {
            Self::Handshake => Reason::HandshakeTimeout,
            Self::Idle => Reason::IdleTimeout,
            Self::Stalled => Reason::Stalled,
            Self::Overflow => Reason::SlowReader,
            Self::NoBlock => Reason::NoBufferOut,
            Self::TooLong => Reason::MessageTooLong,
            _ => return None,
        })
    }
}

/// Why nothing was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendError {
    /// The connection is closed, being closed, or its sending side is.
    Gone,
    /// More would wait than the hard cap, or no block was left; the connection ends.
    Overflow,
    /// More at once than a block holds; nothing changed.
    TooLong,
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gone => "the connection is closed",
            Self::Overflow => "too much waits for the peer",
            Self::TooLong => "longer than a block",
        })
    }
}

impl std::error::Error for SendError {}
