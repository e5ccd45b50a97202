//! Why a frame was not made or not understood.

#![forbid(unsafe_code)]

use std::{error::Error, fmt};

/// Why a payload was not sent; the encoder is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodeError {
    /// The payload is longer than the header can say.
    TooLong,
    /// The frame has no room for its header.
    NoHeaderRoom,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "the payload is longer than the header can say",
            Self::NoHeaderRoom => "the frame has no room for its header",
        })
    }
}

impl Error for EncodeError {}

/// Why a connection must be closed: a stream has no way back from any of these (maple.md 2.1).
/// The decoder is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The header shows another version or another IV: a lost or repeated packet, or not this
    /// protocol.
    BadHeader,
    /// The header announces fewer bytes than the limits allow.
    TooShort,
    /// The header announces more bytes than the limits allow.
    TooLong,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BadHeader => "the header is of another version or another place in the stream",
            Self::TooShort => "the header announces fewer bytes than allowed",
            Self::TooLong => "the header announces more bytes than allowed",
        })
    }
}

impl Error for DecodeError {}
