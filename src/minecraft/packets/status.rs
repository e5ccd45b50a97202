//! The server list's packets.

use crate::minecraft::LongText;

packets! {
    /// What a client may ask.
    Serverbound: Status, Serverbound;

    /// Asks for the description.
    0x00 "ping_start" Request {}

    /// Measures the way there and back.
    0x01 "ping" Ping {
        /// Any number; it comes back.
        time: i64,
    }
}

packets! {
    /// What a server answers.
    Clientbound<'a>: Status, Clientbound;

    /// Describes the server, in JSON.
    0x00 "server_info" Response<'a> {
        json: LongText<'a>,
    }

    /// Answers a ping.
    0x01 "ping" Pong {
        /// The ping's number.
        time: i64,
    }
}
