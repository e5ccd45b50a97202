//! Frame delays (kaillera.md 7.2).

use crate::kaillera::message::ConnectionType;
use std::time::Duration;

/// The frame delay of a player, in messages.
pub fn frame_delay(ping: Duration, connection_type: ConnectionType) -> u16 {
    let whole = 60 * ping.as_nanos() / (connection_type as u128 * 1_000_000_000);
    u16::try_from(whole + 1).unwrap_or(u16::MAX)
}

/// The frames a client lets pass before it waits for the server's.
pub fn blank_frames(delay: u16, connection_type: ConnectionType) -> u32 {
    (u32::from(delay) + 1) * connection_type as u32 - 1
}
