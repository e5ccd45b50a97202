//! Samara: a single-port, event-loop game server.
//!
//! The rooms, in reading order. A room imports only from rooms above its own line;
//! rooms on one line do not know each other.
//!
//! | layer | rooms |
//! |---|---|
//! | 0 | [`buffer`], [`privacy`], [`timer`] |
//! | 1 | [`metrics`], [`kaillera`], [`maple`], [`minecraft`], [`access`] |
//! | 2 | [`lobby`], [`actor`], [`net`] |
//! | 3 | [`service`] |
//! | 4 | [`config`] |
//! | 5 | [`server`] and the binary |
//!
//! Protocol and game logic ([`kaillera`], [`maple`], [`minecraft`], [`access`], [`lobby`]) know no
//! socket and no clock: time and bytes come in as arguments, output goes to a sink.

pub mod buffer;
pub mod privacy;
pub mod timer;

pub mod access;
pub mod kaillera;
pub mod maple;
pub mod metrics;
pub mod minecraft;

pub mod actor;
pub mod lobby;
pub mod net;

pub mod service;

pub mod config;

pub mod server;
