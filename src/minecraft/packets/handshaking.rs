//! The first packet of a connection.

use crate::minecraft::{Text, VarInt};

/// The next state for the server list.
pub const NEXT_STATUS: i32 = 1;

/// The next state for a player who joins.
pub const NEXT_LOGIN: i32 = 2;

packets! {
    /// What a client may send first.
    Serverbound<'a>: Handshaking, Serverbound;

    /// Says what the connection is for. Host and port are what the player typed.
    0x00 "set_protocol" Handshake<'a> {
        protocol: VarInt,
        host: Text<'a, 255>,
        port: u16,
        /// [`NEXT_STATUS`] or [`NEXT_LOGIN`].
        next_state: VarInt,
    }
}
