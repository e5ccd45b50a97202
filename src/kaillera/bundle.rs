//! The v086 bundle, and the order of message numbers (kaillera.md 2).
//!
//! ```text
//!   0        1..3     3..5     5        6..
//! +--------+--------+--------+--------+------------+--- next message ...
//! | count  | number | length | kind   | body       |
//! +--------+--------+--------+--------+------------+---
//! ```
//!
//! 1 to 32 messages, the newest first. Only the length field leads to the next message: a
//! body that is longer than its kind needs, or of an unknown kind, derails nothing.

use super::{DecodeError, message::Kind};
use crate::buffer::{Full, Writer};

/// Most messages in a bundle.
pub const MAX_MESSAGES: usize = 32;

/// Least bytes in a datagram that is looked at.
const MIN_DATAGRAM: usize = 5;

/// Bytes of a message before its kind: the number and the length field.
const HEADER: usize = 4;

/// The number of a message in its direction; the first is 0, and 0 follows 65535.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MessageNumber(pub u16);

impl MessageNumber {
    /// The number of the message that follows.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }

    /// Where a message stands when `last` is the newest that was processed; `None` is none yet.
    pub const fn order_after(self, last: Option<Self>) -> Order {
        let Some(last) = last else {
            return Order::First;
        };
        match self.0.wrapping_sub(last.0) {
            0 => Order::Duplicate,
            1 => Order::Next,
            ahead @ 2..0x8000 => Order::Newer { missed: ahead - 1 },
            0x8000.. => Order::Old,
        }
    }
}

/// Where a message stands among those already processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Nothing was processed before.
    First,
    /// The newest processed message again.
    Duplicate,
    /// The one after the newest.
    Next,
    /// Newer, but the messages in between are missing.
    Newer {
        /// How many, 1..=32766.
        missed: u16,
    },
    /// Older than the newest.
    Old,
}

impl Order {
    /// Whether the message is yet to be processed.
    pub const fn is_new(self) -> bool {
        matches!(self, Self::First | Self::Next | Self::Newer { .. })
    }
}

/// A message in a bundle; its body is not decoded yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawMessage<'a> {
    /// Its number.
    pub number: MessageNumber,
    /// Its kind, which may be one nobody knows.
    pub kind: u8,
    /// What follows the kind; empty for a bare keepalive or ready only.
    pub body: &'a [u8],
    /// Where its kind stands in the datagram; the body follows.
    pub start: u16,
}

impl RawMessage<'_> {
    /// Where the message ends in the datagram.
    pub fn end(&self) -> u16 {
        // A bundle has no message that ends beyond 65535.
        self.start
            .saturating_add(1)
            .saturating_add(self.body.len() as u16)
    }
}

/// A datagram whose framing was checked from end to end.
#[derive(Clone, Copy, Debug)]
pub struct Bundle<'a> {
    datagram: &'a [u8],
    newest: MessageNumber,
    count: usize,
    /// Where the first `count` messages begin.
    offsets: [u16; MAX_MESSAGES],
}

impl<'a> Bundle<'a> {
    /// Checks the framing of a datagram; bytes after the counted messages are ignored.
    ///
    /// # Errors
    ///
    /// The whole datagram is to be dropped: it is too short ([`DecodeError::Truncated`]), its
    /// count is not 1..=32 ([`DecodeError::BadCount`]), or a length field is not possible
    /// ([`DecodeError::BadLength`]).
    pub fn parse(datagram: &'a [u8]) -> Result<Self, DecodeError> {
        let count = match datagram.first() {
            Some(&count) if datagram.len() >= MIN_DATAGRAM => usize::from(count),
            _ => return Err(DecodeError::Truncated),
        };
        let mut offsets = [0; MAX_MESSAGES];
        let places = match offsets.get_mut(..count) {
            Some(places) if !places.is_empty() => places,
            _ => return Err(DecodeError::BadCount),
        };
        let mut end = 1;
        for place in places {
            *place = u16::try_from(end).map_err(|_| DecodeError::BadLength)?;
            end = message_end(datagram, end)?;
        }
        let newest = match *datagram {
            [_, low, high, ..] => MessageNumber(u16::from_le_bytes([low, high])),
            _ => return Err(DecodeError::Truncated),
        };
        Ok(Self {
            datagram,
            newest,
            count,
            offsets,
        })
    }

    /// How many messages the bundle has, 1..=32.
    #[expect(clippy::len_without_is_empty, reason = "a bundle is never empty")]
    pub fn len(&self) -> usize {
        self.count
    }

    /// The number of its first message, the newest.
    pub fn newest(&self) -> MessageNumber {
        self.newest
    }

    /// The messages as they stand in the datagram.
    pub fn newest_first(&self) -> impl DoubleEndedIterator<Item = RawMessage<'a>> {
        let offsets = self.offsets.get(..self.count).unwrap_or_default();
        // `parse` checked every offset: none is filtered out.
        offsets
            .iter()
            .filter_map(|&offset| message_at(self.datagram, usize::from(offset)))
    }

    /// The messages in the order in which they are to be processed.
    pub fn oldest_first(&self) -> impl DoubleEndedIterator<Item = RawMessage<'a>> {
        self.newest_first().rev()
    }
}

/// The fields before a body, and where they leave off: number, length, kind.
fn header_at(datagram: &[u8], offset: usize) -> Option<(u16, usize, u8)> {
    let header = datagram.get(offset..)?.first_chunk::<{ HEADER + 1 }>()?;
    let [number_low, number_high, length_low, length_high, kind] = *header;
    let number = u16::from_le_bytes([number_low, number_high]);
    let length = u16::from_le_bytes([length_low, length_high]);
    Some((number, usize::from(length), kind))
}

fn message_end(datagram: &[u8], offset: usize) -> Result<usize, DecodeError> {
    let (_, length, kind) = header_at(datagram, offset).ok_or(DecodeError::Truncated)?;
    let end = offset + HEADER + length;
    let shortest = if may_be_bare(kind) { 1 } else { 2 };
    if length < shortest || end > datagram.len() {
        return Err(DecodeError::BadLength);
    }
    Ok(end)
}

fn message_at(datagram: &[u8], offset: usize) -> Option<RawMessage<'_>> {
    let (number, length, kind) = header_at(datagram, offset)?;
    let start = offset + HEADER;
    let body = datagram.get(start + 1..start + length)?;
    Some(RawMessage {
        number: MessageNumber(number),
        kind,
        body,
        start: u16::try_from(start).ok()?,
    })
}

/// Whether messages of a kind may come without a body.
const fn may_be_bare(kind: u8) -> bool {
    kind == Kind::KeepAlive as u8 || kind == Kind::AllReady as u8
}

/// Writes a bundle into a slice; its count byte agrees with its content after each push.
#[derive(Debug)]
pub struct BundleWriter<'a> {
    buf: &'a mut [u8],
    len: usize,
    count: u8,
}

impl<'a> BundleWriter<'a> {
    /// Bytes before the first message.
    pub const HEADER: usize = 1;

    /// Bytes of a message besides its kind and body.
    pub const ENTRY: usize = HEADER;

    /// A bundle without messages that may grow to the size of `buf`.
    pub fn new(buf: &'a mut [u8]) -> Self {
        Self {
            buf,
            len: 1,
            count: 0,
        }
    }

    /// Appends a message, which must be older than those before it.
    ///
    /// # Errors
    ///
    /// [`Full`], and nothing is written, if it does not fit or 32 messages are in already.
    pub fn push(&mut self, number: MessageNumber, kind_and_body: &[u8]) -> Result<(), Full> {
        debug_assert!(!kind_and_body.is_empty(), "a message has a kind");
        if usize::from(self.count) == MAX_MESSAGES {
            return Err(Full);
        }
        let length = u16::try_from(kind_and_body.len()).map_err(|_| Full)?;
        let end = self.len + HEADER + kind_and_body.len();
        let mut writer = Writer::new(self.buf.get_mut(self.len..end).ok_or(Full)?);
        writer.u16_le(number.0)?;
        writer.u16_le(length)?;
        writer.bytes(kind_and_body)?;
        self.len = end;
        self.count += 1;
        if let Some(count) = self.buf.first_mut() {
            *count = self.count;
        }
        Ok(())
    }

    /// Whether nothing was pushed.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many bytes of the slice the bundle takes; 0 if nothing was pushed.
    pub fn finish(self) -> usize {
        if self.count == 0 { 0 } else { self.len }
    }
}

#[cfg(test)]
mod tests;
