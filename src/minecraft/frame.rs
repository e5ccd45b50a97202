//! How bodies lie in the stream (minecraft.md 3.1, 3.2).
//!
//! ```text
//!              plain                       compressed, or not worth it
//!            +--------+------+           +--------+-------------+------------+
//!            | length | body |           | length | data length | zlib, body |
//!            +--------+------+           +--------+-------------+------------+
//!              VarInt                      VarInt   VarInt: 0 if it is the body itself
//! ```

use super::{FrameError, field::MAX_BODY};
use crate::buffer::{BadValue, Encode, Full, Reader, Writer, var_int_len};

/// Longest length a frame can say, in three bytes.
pub const MAX_FRAME: usize = 2_097_151;

/// Longest length prefix.
const MAX_PREFIX: usize = 3;

/// The form of one connection's frames, the same in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// Shortest body that is compressed; `None` while there is no compression.
    threshold: Option<usize>,
    /// Longest length accepted.
    accepted: usize,
}

/// A frame of a stream, with its parts where they were received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'b> {
    /// All of it, the length included: what is passed on.
    pub bytes: &'b [u8],
    /// What is in it.
    pub content: Content<'b>,
}

/// What is in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'b> {
    /// A body.
    Body(&'b [u8]),
    /// A body that is compressed.
    Deflated {
        /// Its length.
        len: usize,
        /// A zlib stream.
        zlib: &'b [u8],
    },
}

/// What the front of a receive buffer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received<'b> {
    /// A frame; the next one begins after its bytes.
    Frame(Frame<'b>),
    /// The start of a frame.
    Incomplete {
        /// Bytes that must follow before there is more to say; 1 at least.
        missing: usize,
    },
}

impl Framing {
    /// The form that a connection begins with: plain, and no longer than `accepted` bytes.
    pub const fn new(accepted: usize) -> Self {
        Self {
            threshold: None,
            accepted: if accepted < MAX_FRAME {
                accepted
            } else {
                MAX_FRAME
            },
        }
    }

    /// The form after Set Compression; a negative threshold means plain frames.
    #[must_use]
    pub fn with_threshold(self, threshold: i32) -> Self {
        Self {
            threshold: usize::try_from(threshold).ok(),
            ..self
        }
    }

    /// The same, accepting frames of other lengths.
    #[must_use]
    pub const fn accepting(self, accepted: usize) -> Self {
        Self {
            threshold: self.threshold,
            ..Self::new(accepted)
        }
    }

    /// Shortest body that is compressed, if any is.
    pub const fn threshold(&self) -> Option<usize> {
        self.threshold
    }

    /// Looks at the front of `received`.
    ///
    /// Fails if the connection must be closed.
    #[inline]
    pub fn receive<'b>(&self, received: &'b [u8]) -> Result<Received<'b>, FrameError> {
        let Some((len, prefix)) = self.prefix(received)? else {
            return Ok(Received::Incomplete { missing: 1 });
        };
        let end = prefix + len;
        let Some(bytes) = received.get(..end) else {
            let missing = end.saturating_sub(received.len());
            return Ok(Received::Incomplete { missing });
        };
        let inside = bytes.get(prefix..).unwrap_or_default();
        Ok(Received::Frame(Frame {
            bytes,
            content: self.content(inside)?,
        }))
    }

    /// The length a frame says, and that of its prefix; `None` while too little is there.
    #[inline]
    fn prefix(&self, received: &[u8]) -> Result<Option<(usize, usize)>, FrameError> {
        let front = received.get(..MAX_PREFIX).unwrap_or(received);
        let mut reader = Reader::new(front);
        match reader.var_int() {
            Ok(len) => match usize::try_from(len) {
                Ok(len) if (1..=self.accepted).contains(&len) => Ok(Some((len, reader.position()))),
                _ => Err(FrameError::BadLength),
            },
            Err(BadValue::Truncated) if front.len() < MAX_PREFIX => Ok(None),
            Err(_) => Err(FrameError::BadLength),
        }
    }

    #[inline]
    fn content<'b>(&self, inside: &'b [u8]) -> Result<Content<'b>, FrameError> {
        let Some(threshold) = self.threshold else {
            return Ok(Content::Body(inside));
        };
        let mut reader = Reader::new(inside);
        let len = reader.var_int().map_err(|_| FrameError::BadLength)?;
        let rest = reader.rest();
        match usize::try_from(len) {
            Ok(0) if rest.is_empty() => Err(FrameError::BadLength),
            Ok(0) => Ok(Content::Body(rest)),
            Ok(len) if len > MAX_BODY => Err(FrameError::BadLength),
            Ok(len) if len < threshold => Err(FrameError::BelowThreshold),
            Ok(len) => Ok(Content::Deflated { len, zlib: rest }),
            Err(_) => Err(FrameError::BadLength),
        }
    }
}

/// A packet's frame while there is no compression, as one value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plain<P>(pub P);

impl<P: Encode> Encode for Plain<P> {
    const MIN_LEN: usize = P::MIN_LEN + var_int_len(P::MIN_LEN as i32);
    const MAX_LEN: usize = P::MAX_LEN + var_int_len(P::MAX_LEN as i32);

    #[inline]
    fn encoded_len(&self) -> usize {
        let len = self.0.encoded_len();
        len + var_int_len(i32::try_from(len).unwrap_or(i32::MAX))
    }

    #[inline]
    fn encode(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let frame = |writer: &mut Writer<'_>| {
            let len = if P::MIN_LEN == P::MAX_LEN {
                P::MAX_LEN
            } else {
                self.0.encoded_len()
            };
            if len > MAX_FRAME {
                return Err(Full);
            }
            writer.var_int(len as i32)?;
            self.0.encode(writer)
        };
        if Self::MIN_LEN == Self::MAX_LEN {
            writer.exactly(Self::MAX_LEN, frame)
        } else {
            writer.all_or_nothing(frame)
        }
    }
}

#[cfg(test)]
mod tests;
