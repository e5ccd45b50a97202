//! Why bytes from a peer were not understood.

use crate::buffer::Truncated;

/// Why a datagram or a message was dropped. The name of the variant is the label of its counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The bytes ended before the value did, or a text has no terminator.
    Truncated,
    /// A bundle's count byte is not 1..=32.
    BadCount,
    /// A message's length field is below 1 or beyond the end of the datagram.
    BadLength,
    /// A value outside the set the protocol knows.
    BadValue,
    /// A kind of message nobody knows, or one that only the other side may send.
    UnknownKind,
}

impl From<Truncated> for DecodeError {
    fn from(_: Truncated) -> Self {
        Self::Truncated
    }
}
