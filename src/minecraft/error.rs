//! Why bytes are no packet, and no frame.

use crate::buffer::{BadValue, Truncated};
use std::{error::Error, fmt};

/// Why a body is not the packet it was taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The body ended before its last field did.
    Truncated,
    /// A number or a text longer than its field allows.
    TooLong,
    /// A negative length or count, or one beyond what is there.
    BadLength,
    /// A text that is not UTF-8.
    BadText,
    /// A tag, an item or a piece of metadata of no known form, or nested too deep.
    BadData,
    /// A choice between forms that has no such form.
    BadChoice,
    /// Bytes after the last field.
    TrailingBytes,
    /// No packet of this state and direction, or not the one asked for.
    UnknownId,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "the packet ends before its last field does",
            Self::TooLong => "a value is longer than its field allows",
            Self::BadLength => "a length or count cannot be",
            Self::BadText => "a text is not UTF-8",
            Self::BadData => "tags or metadata are of no known form",
            Self::BadChoice => "a field has no such form",
            Self::TrailingBytes => "bytes follow the last field",
            Self::UnknownId => "there is no such packet",
        })
    }
}

impl Error for DecodeError {}

impl From<Truncated> for DecodeError {
    fn from(_: Truncated) -> Self {
        Self::Truncated
    }
}

impl From<BadValue> for DecodeError {
    fn from(error: BadValue) -> Self {
        match error {
            BadValue::Truncated => Self::Truncated,
            BadValue::TooLong => Self::TooLong,
            BadValue::BadLength => Self::BadLength,
            BadValue::BadText => Self::BadText,
        }
    }
}

/// Why a connection must be closed: its stream has no way back from any of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameError {
    /// A length of nothing, or beyond what is allowed.
    BadLength,
    /// Compressed although shorter than the threshold.
    BelowThreshold,
    /// More or fewer bytes than the frame says.
    SizeMismatch,
    /// Not a zlib stream.
    BadZlib,
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BadLength => "a frame's length cannot be",
            Self::BelowThreshold => "a frame is compressed below the threshold",
            Self::SizeMismatch => "a frame inflates to another size than it says",
            Self::BadZlib => "a frame is not a zlib stream",
        })
    }
}

impl Error for FrameError {}
