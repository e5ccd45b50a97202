//! TCP on event loops: connections stay on the loop that accepted them, unless their service parts
//! with one for another loop's to adopt, and know no protocol.
//!
//! ```text
//! listener (SO_REUSEPORT: one per loop)
//!   | accept, a budget per turn; caps in all and per address
//!   v
//! connection --- read once per turn into a pooled block ---> sniff: whose are these bytes?
//!   ^                                                          |  or: whose is this silence?
//!   |                                                          v
//!   '--- one vectored write per turn <--- blocks <--- TcpService::{received, ...}
//! ```
//!
//! What a service wants sent waits in blocks from a pool. Above the high mark the source that it
//! comes from ([`Connections::feed`]) is not read any more, so its own peer waits; below the low
//! mark it is. A peer that lets more than the hard cap come together is cut off.

mod capacity;
mod connection;
mod connections;
mod driver;
mod endpoint;
mod handover;
mod input;
mod queue;
mod rehearsal;
mod service;
mod settings;
mod sockets;

pub use capacity::Capacity;
pub use connections::Connections;
pub use endpoint::{TcpDoor, TcpSetup};
pub use handover::Parted;
pub use rehearsal::Rehearsal;
pub use service::{ConnectionId, Ending, Origin, SendError, TcpService};
pub use settings::TcpSettings;
pub use sockets::{listen, probe};

pub(super) use endpoint::TcpEndpoint;

#[cfg(test)]
mod tests;
