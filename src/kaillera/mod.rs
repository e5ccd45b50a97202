//! What Kaillera says: one user's link, as bytes (v0.83, the "v086" generation).
//!
//! A datagram is one of two things, told apart by its first byte:
//!
//! ```text
//! 'H' 'P' 'T' 'V'   a connect string, see [`connect`]     "HELLO0.83\0", "PING\0"
//! 1..=32            a bundle, see [`bundle`]
//!
//! Bundle     0        1..3     3..5     5        6..
//!          +--------+--------+--------+--------+------------+--- next message ...
//!          | count  | number | length | kind   | body       |   newest message first
//!          +--------+--------+--------+--------+------------+---
//! ```
//!
//! Integers are little-endian; `length` counts the kind and the body. A sender repeats its
//! last few messages in each bundle, which is all the protocol has against loss.
//!
//! The path of one input: [`connect::Connect::parse`] says that the datagram is no connect
//! string, [`bundle::Bundle::parse`] finds its messages, [`bundle::MessageNumber::order_after`]
//! picks those not seen yet, and [`message::ClientMessage::decode`] reads each in place.
//! Nothing here allocates, and nothing a peer sends can make it panic.

#![forbid(unsafe_code)]

mod backlog;
pub mod bundle;
mod cache;
mod channel;
pub mod client;
pub mod connect;
mod error;
pub mod fuzz;
mod history;
pub mod message;

pub use backlog::Backlog;
pub use cache::InputCache;
pub use channel::Channel;
pub use client::Client;
pub use error::DecodeError;
pub use message::Kind;

/// Longest datagram sent, unless one message alone is longer (kaillera.md 2.6).
pub const MAX_DATAGRAM: usize = 1400;

/// Longest message sent, kind and body: the game data of one step.
pub const MAX_MESSAGE: usize = 4 + 4096;
