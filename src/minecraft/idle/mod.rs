//! Keeps a player's session at another server alive while the player is away, and brings the
//! player back into its world (minecraft.md 10, 11).
//!
//! ```text
//!            receive_from_client               receive_from_upstream
//!   client ----------------------> Session <------------------------ upstream server
//!                                   | one verdict each: pass it on as it is, or not
//!   attach, write_client            | World: what the server said, as far as a client needs it
//!   client <------------------------' Replay: the world as frames, then what came meanwhile
//! ```
//!
//! Frames are passed on as they were received: both sides have one threshold and no encryption.
//! Nothing is allocated for a frame that is passed on and says nothing new about the world.
//!
//! What is kept is bounded by [`Limits`]: frames of columns by bytes, everything else by number
//! and by bytes each. A replay shares the columns' frames; those that are replaced or dropped
//! while a client still waits for them stay until it has them, so a session's columns take twice
//! [`Limits::column_bytes`] at most.

mod boards;
mod columns;
mod entities;
mod limits;
mod passage;
mod player;
mod replay;
mod roster;
mod session;
mod upstream;
mod world;

pub use limits::{Dropped, Limits};
pub use passage::{AntiAfk, ClientLoss, Fault, Passage, Settings};
pub use session::{MAX_CLIENT_FRAME, Session};
pub use upstream::{Answer, NEEDS_ACCOUNT, UpstreamLogin};

use super::field::Field;
use crate::buffer::{Reader, Writer};
use std::collections::BTreeMap;

/// Encoded values, kept.
type Kept = Box<[u8]>;

/// A value as its bytes; `None` if they are more than `most`.
fn keep<'a, T: Field<'a>>(value: &T, most: usize) -> Option<Kept> {
    let len = value.wire_len();
    if len > most {
        return None;
    }
    let mut bytes = vec![0; len];
    value.write(&mut Writer::new(&mut bytes)).ok()?;
    Some(bytes.into())
}

/// Keeps `bytes` under `key`, in the memory of the old ones if they are as long.
fn put<K: Ord>(map: &mut BTreeMap<K, Kept>, key: K, bytes: &[u8]) {
    match map.get_mut(&key) {
        Some(kept) if kept.len() == bytes.len() => kept.copy_from_slice(bytes),
        _ => drop(map.insert(key, bytes.into())),
    }
}

/// The value that was kept.
fn recall<'a, T: Field<'a>>(kept: &'a [u8]) -> Option<T> {
    T::read(&mut Reader::new(kept)).ok()
}
