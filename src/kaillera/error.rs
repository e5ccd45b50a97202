//! Why bytes from a peer were not understood.

use crate::buffer::Truncated;
use std::{error::Error, fmt};

/// Why a datagram or a message was dropped. The name of the variant is the label of its counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The bytes ended before the value did, or a text has no terminator.
    Truncated,
    /// A bundle's count byte is not 1..=32.
    BadCount,
    /// A message's length field leaves no room for a body, or goes beyond the end of the datagram.
    BadLength,
    /// A value outside the set the protocol knows.
    BadValue,
    /// A kind of message nobody knows, or one that only the other side may send.
    UnknownKind,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "the bytes ended before the value did",
            Self::BadCount => "a bundle's count is not 1 to 32",
            Self::BadLength => "a message's length is too small or beyond the datagram",
            Self::BadValue => "a value is outside the set the protocol knows",
            Self::UnknownKind => "the sender may not send this kind of message",
        })
    }
}

impl Error for DecodeError {}

impl From<Truncated> for DecodeError {
    fn from(_: Truncated) -> Self {
        Self::Truncated
    }
}
