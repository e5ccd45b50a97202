//! Every packet of protocol 340, one declaration each (minecraft.md 4, 6, 9).
//!
//! A declaration gives the type, its id, both directions, the bounds of its size and its
//! documentation. All packets of a state and direction are one table, with an enum over them.
//! What a field is on the wire is its type: numbers are big-endian, the others are the types of
//! [`super`].
//!
//! ```
//! use samara::{
//!     buffer::{ByteBuf, Encode},
//!     minecraft::{Packet, packets::play::serverbound::PositionLook},
//! };
//!
//! let packet = PositionLook {
//!     x: 3.0,
//!     y: 3.2,
//!     z: 15_503.24,
//!     yaw: 315.0,
//!     pitch: 15_423.0,
//!     on_ground: true,
//! };
//! // A smaller buffer would not compile.
//! let mut body = ByteBuf::<{ PositionLook::MAX_LEN }>::new();
//! body.encode(&packet)?;
//! assert_eq!(body.unread().len(), 34);
//! assert_eq!(PositionLook::decode(body.unread())?, packet);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[macro_use]
mod declare;
pub mod handshaking;
pub mod login;
pub mod play;
pub mod status;

use super::{DecodeError, field::Field};
use crate::buffer::{Encode, Reader};

/// What a connection is about; packets mean something else in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The client says what it wants.
    Handshaking,
    /// The server list.
    Status,
    /// A player joins.
    Login,
    /// A player is in a world.
    Play,
}

/// Who sends a packet to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From a client to a server.
    Serverbound,
    /// From a server to a client.
    Clientbound,
}

/// A packet with its fields; [`Encode`] writes its body: the id, and the fields.
pub trait Packet<'a>: Field<'a> + Encode {
    /// Its number among the packets of its state and direction.
    const ID: u8;

    /// What the published protocol data call it.
    const NAME: &'static str;

    /// When it is sent.
    const STATE: State;

    /// Who sends it.
    const DIRECTION: Direction;

    /// Reads exactly one body.
    #[inline]
    fn decode(body: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(body);
        let packet = if <Self as Encode>::MIN_LEN == <Self as Encode>::MAX_LEN {
            reader.exactly(<Self as Encode>::MIN_LEN, |reader| {
                // Every id is below 128; a longer form of one would leave a field too short.
                if reader.u8()? != Self::ID {
                    return Err(DecodeError::UnknownId);
                }
                Self::read(reader)
            })?
        } else {
            if reader.var_int()? != i32::from(Self::ID) {
                return Err(DecodeError::UnknownId);
            }
            Self::read(&mut reader)?
        };
        if reader.is_empty() {
            Ok(packet)
        } else {
            Err(DecodeError::TrailingBytes)
        }
    }
}

/// The id that a body begins with.
pub fn id_of(body: &[u8]) -> Result<i32, DecodeError> {
    Ok(Reader::new(body).var_int()?)
}

#[cfg(test)]
mod tests;
