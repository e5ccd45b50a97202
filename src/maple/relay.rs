//! Passing packets on without reading them: one keystream is taken off, another put on
//! (maple.md 6.1, 13.2).

#![forbid(unsafe_code)]

use super::{
    DecodeError, Decoder, EncodeError, Encoder, Iv, KeySchedule, StartBlock,
    decoder::Front,
    keystream::{BLOCK, MAX_BLOCKS, blocks_needed, xor_chunks},
    lanes::{Group, Input, Lane},
    track::Way,
};
use std::{error::Error, fmt};

/// A keystream by what it is made of.
#[derive(Clone, Copy, Debug)]
pub struct KeystreamOf<'a> {
    /// The key.
    pub schedule: &'a KeySchedule,
    /// How the IV begins the chain.
    pub start: StartBlock,
    /// The packet's IV.
    pub iv: Iv,
}

/// XORs `body` with both keystreams, side by side if they have one key: a payload encrypted
/// with either is then encrypted with the other, and Shanda is untouched.
pub fn rekey(from: KeystreamOf<'_>, to: KeystreamOf<'_>, first_chunk: usize, body: &mut [u8]) {
    Exchange::new().rekey(from, to, first_chunk, body);
}

/// Packets that are relayed together: up to sixteen of them wait until both chains of each can
/// run side by side.
///
/// A payload that waits is of no use before [`Exchange::run`], or the end of the exchange, has
/// made it what it is to be.
pub struct Exchange<'b> {
    group: Group<'b, 2>,
}

impl<'b> Exchange<'b> {
    /// Nothing waits.
    pub fn new() -> Self {
        Self {
            group: Group::new(),
        }
    }

    /// Makes all that waits what it is to be.
    pub fn run(&mut self) {
        self.group.run();
    }

    fn rekey(
        &mut self,
        from: KeystreamOf<'_>,
        to: KeystreamOf<'_>,
        first_chunk: usize,
        body: &'b mut [u8],
    ) {
        if !from.schedule.same(to.schedule) {
            from.schedule.crypt(from.start, from.iv, first_chunk, body);
            to.schedule.crypt(to.start, to.iv, first_chunk, body);
            return;
        }
        let starts = [from.start.bytes(from.iv), to.start.bytes(to.iv)];
        if body.len() <= first_chunk {
            let input = Input::InPlace;
            let out = body;
            self.group.push(from.schedule, Lane { starts, input, out });
        } else {
            several_chunks(from.schedule, starts, first_chunk, body);
        }
    }
}

/// XORs `body`, whose chunks need the keystream more than once, with that of both chains.
fn several_chunks(
    schedule: &KeySchedule,
    starts: [[u8; BLOCK]; 2],
    first_chunk: usize,
    body: &mut [u8],
) {
    let mut row = [[0; BLOCK]; MAX_BLOCKS];
    let blocks = blocks_needed(body.len(), first_chunk);
    let out = row.get_mut(..blocks).unwrap_or_default().as_flattened_mut();
    let input = Input::Nothing;
    schedule.run(&mut [Lane { starts, input, out }]);
    xor_chunks(row.as_flattened(), first_chunk, body);
}

impl Default for Exchange<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Exchange<'_> {
    fn drop(&mut self) {
        self.run();
    }
}

impl fmt::Debug for Exchange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").finish_non_exhaustive()
    }
}

impl Decoder {
    /// Passes the packet at the start of `received` on to `encoder` in place, unread: Shanda
    /// stays, the keystream is exchanged (maple.md 13.2). The frame is the first `frame_len`
    /// bytes of `received` afterwards, ready to be sent.
    ///
    /// Where the two do not share Shanda, or headers of one length, the payload is decoded and
    /// encoded instead if its frame keeps its length, or refused as [`RelayError::Reframe`].
    /// After an error neither side has changed.
    pub fn relay(
        &mut self,
        encoder: &mut Encoder,
        received: &mut [u8],
    ) -> Result<Relayed, RelayError> {
        self.relay_in(&mut Exchange::new(), encoder, received)
    }

    /// The same, but the payload may wait in `exchange` for others: the header and both streams
    /// are done with, and the next packet can follow.
    pub fn relay_in<'b>(
        &mut self,
        exchange: &mut Exchange<'b>,
        encoder: &mut Encoder,
        received: &'b mut [u8],
    ) -> Result<Relayed, RelayError> {
        let (header_len, len) = match self.frame(received).map_err(RelayError::Decode)? {
            Front::Frame { payload, frame_len } => (frame_len - payload.len(), payload.len()),
            Front::Incomplete { missing } => return Ok(Relayed::Incomplete { missing }),
        };
        let header = encoder.header(len).map_err(RelayError::Encode)?;
        if header.len() != header_len {
            return Err(RelayError::Reframe);
        }
        let frame_len = header_len + len;
        let frame = received.get_mut(..frame_len).unwrap_or_default();
        let (room, payload) = frame.split_at_mut(header_len);
        header.fill(room);
        let chunk = self.first_chunk(len);
        if self.shanda.is_some() != encoder.shanda().is_some() {
            self.track.crypt(Way::Decrypt, chunk, payload);
            self.unscramble(payload);
            encoder.scramble(payload);
            encoder.track.crypt(Way::Encrypt, chunk, payload);
        } else if let (Some(from), Some(to)) = (self.track.unprepared(), encoder.track.unprepared())
        {
            exchange.rekey(from, to, chunk, payload);
            self.track.advance();
            encoder.track.advance();
        } else {
            self.track.crypt(Way::Decrypt, chunk, payload);
            encoder.track.crypt(Way::Encrypt, chunk, payload);
        }
        Ok(Relayed::Frame { frame_len })
    }
}

/// What became of a packet that was to be passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relayed {
    /// It is the other side's frame now.
    Frame {
        /// Bytes of the buffer to send; the next received frame begins there.
        frame_len: usize,
    },
    /// It has not arrived whole.
    Incomplete {
        /// Bytes that must follow before there is more to say; 1 at least.
        missing: usize,
    },
}

/// Why a packet was not passed on; both sides are as they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelayError {
    /// The connection it came from must be closed.
    Decode(DecodeError),
    /// The other side's header cannot say the length.
    Encode(EncodeError),
    /// The other side's header has another length, so the frame does not fit its place.
    Reframe,
}

impl fmt::Display for RelayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decode(error) => error.fmt(f),
            Self::Encode(error) => error.fmt(f),
            Self::Reframe => f.write_str("the other side's header has another length"),
        }
    }
}

impl Error for RelayError {}
