//! The packets by which a player joins.

use crate::minecraft::{Bytes, Json, Text, VarInt};

packets! {
    /// What a client says.
    Serverbound<'a>: Login, Serverbound;

    /// Names the player.
    0x00 "login_start" LoginStart<'a> {
        username: Text<'a, 16>,
    }

    /// Gives the secret, encrypted for the server.
    0x01 "encryption_begin" EncryptionResponse<'a> {
        shared_secret: Bytes<'a>,
        verify_token: Bytes<'a>,
    }
}

packets! {
    /// What a server says.
    Clientbound<'a>: Login, Clientbound;

    /// Refuses the player; the connection closes after it.
    0x00 "disconnect" Disconnect<'a> {
        reason: Json<'a>,
    }

    /// Wants an authenticated account and an encrypted connection.
    0x01 "encryption_begin" EncryptionRequest<'a> {
        server_id: Text<'a, 20>,
        public_key: Bytes<'a>,
        verify_token: Bytes<'a>,
    }

    /// Lets the player in; everything that follows is play.
    0x02 "success" LoginSuccess<'a> {
        /// With dashes.
        uuid: Text<'a, 36>,
        username: Text<'a, 16>,
    }

    /// Changes the form of every later frame, in both directions.
    0x03 "compress" SetCompression {
        /// Shortest body that is compressed; none is if it is negative.
        threshold: VarInt,
    }
}
