//! One direction's way in: received bytes become payloads in place (maple.md 2.1, 6).

#![forbid(unsafe_code)]

use super::{
    DecodeError, Direction, HEADER_LEN, HeaderForm, Iv, KeystreamCache, Layer, Lookahead,
    MAX_HEADER_LEN, Profile, cipher,
    header::Announced,
    keystream::xor,
    shanda::Shanda,
    track::{Track, Way, first_chunk},
};
use std::ops::RangeInclusive;

/// The longest payload accepted unless something else is asked for.
const MAX_ACCEPTED: usize = 1 << 20;

/// What the front of a receive buffer holds.
#[derive(Debug, PartialEq, Eq)]
pub enum Decoded<'b> {
    /// A packet, decrypted where it was received.
    Packet {
        /// The opcode and what follows it.
        payload: &'b mut [u8],
        /// Bytes of the buffer that the packet took; the next frame begins there.
        frame_len: usize,
    },
    /// The start of a packet.
    Incomplete {
        /// Bytes that must follow before there is more to say; 1 at least.
        missing: usize,
    },
}

/// Turns received bytes into payloads, one direction of one session.
#[derive(Debug)]
pub struct Decoder {
    form: HeaderForm,
    mask: u16,
    pub(super) shanda: Option<Shanda>,
    opcode_len: usize,
    accepted: RangeInclusive<usize>,
    pub(super) track: Track,
}

impl Decoder {
    pub(super) fn new(
        profile: &Profile,
        direction: Direction,
        shanda: Option<Shanda>,
        track: Track,
    ) -> Self {
        let most = profile.header.max_len().min(MAX_ACCEPTED);
        Self {
            form: profile.header,
            mask: direction.mask(profile.version),
            shanda,
            opcode_len: profile.opcode_len.clamp(1, 2),
            accepted: profile.opcode_len..=most,
            track,
        }
    }

    /// Refuses payloads of other lengths (maple.md 2.2).
    #[must_use]
    pub fn accepting(mut self, lengths: RangeInclusive<usize>) -> Self {
        self.accepted = lengths;
        self
    }

    /// Prepares keystreams of packets to come, in memory allocated here.
    #[must_use]
    pub fn looking_ahead(mut self, lookahead: Lookahead) -> Self {
        self.track.look_ahead(lookahead);
        self
    }

    /// The IV of the next packet.
    pub fn iv(&self) -> Iv {
        self.track.iv()
    }

    /// Reads the header at the start of `received`; `None` while it is incomplete.
    ///
    /// Fails if the connection must be closed.
    pub fn header(&self, received: &[u8]) -> Result<Option<Announced>, DecodeError> {
        let parsed = Announced::parse(self.form, self.mask, self.track.iv(), received)?;
        match parsed {
            Some(it) if it.len < *self.accepted.start() => Err(DecodeError::TooShort),
            Some(it) if it.len > *self.accepted.end() => Err(DecodeError::TooLong),
            other => Ok(other),
        }
    }

    /// Decodes the packet at the start of `received` in place, if all of it is there.
    ///
    /// Fails if the connection must be closed; then, and while the packet is incomplete, neither
    /// the decoder nor the bytes change.
    pub fn decode<'b>(&mut self, received: &'b mut [u8]) -> Result<Decoded<'b>, DecodeError> {
        match self.frame(received)? {
            Front::Frame { payload, frame_len } => {
                let chunk = self.first_chunk(payload.len());
                self.track.crypt(Way::Decrypt, chunk, payload);
                self.unscramble(payload);
                Ok(Decoded::Packet { payload, frame_len })
            }
            Front::Incomplete { missing } => Ok(Decoded::Incomplete { missing }),
        }
    }

    /// The same with keystreams from `cache`.
    pub fn decode_cached<'b>(
        &mut self,
        received: &'b mut [u8],
        cache: &mut KeystreamCache,
    ) -> Result<Decoded<'b>, DecodeError> {
        match self.frame(received)? {
            Front::Frame { payload, frame_len } => {
                let chunk = self.first_chunk(payload.len());
                self.track.crypt_cached(Way::Decrypt, chunk, payload, cache);
                self.unscramble(payload);
                Ok(Decoded::Packet { payload, frame_len })
            }
            Front::Incomplete { missing } => Ok(Decoded::Incomplete { missing }),
        }
    }

    /// The opcode of the packet at the start of `received`, without decoding it: one AES block
    /// and five payload bytes at most (maple.md 5.3). `None` while too little is there, or if
    /// the payload is shorter than an opcode.
    pub fn peek_opcode(&self, received: &[u8]) -> Result<Option<u16>, DecodeError> {
        let Some(announced) = self.header(received)? else {
            return Ok(None);
        };
        let opcode_len = self.opcode_len;
        let reach = if self.shanda.is_some() { 3 } else { 0 };
        let needed = (opcode_len + reach).min(announced.len);
        let end = announced.header_len + needed;
        let Some(front) = received.get(announced.header_len..end) else {
            return Ok(None);
        };
        let mut work = [0; 5];
        let Some(work) = work.get_mut(..front.len()) else {
            return Ok(None);
        };
        work.copy_from_slice(front);
        self.track.crypt_front(work);
        let plain = match self.shanda {
            Some(shanda) => shanda.decrypt_prefix(work, announced.len),
            None => work,
        };
        Ok(match (opcode_len, plain) {
            (1, &[low, ..]) => Some(u16::from(low)),
            (2, &[low, high, ..]) => Some(u16::from_le_bytes([low, high])),
            _ => None,
        })
    }

    /// Makes all keystreams that the lookahead allows: for when there is nothing else to do.
    pub fn prefetch(&mut self) {
        self.track.prefetch();
    }

    /// Packets whose keystream is ready.
    pub fn prefetched(&self) -> usize {
        self.track.ahead().ready()
    }

    pub(super) fn first_chunk(&self, len: usize) -> usize {
        first_chunk(self.form.is_long(len))
    }

    pub(super) fn frame<'b>(&self, received: &'b mut [u8]) -> Result<Front<'b>, DecodeError> {
        let Some(announced) = self.header(received)? else {
            let wanted = if received.len() < HEADER_LEN {
                HEADER_LEN
            } else {
                MAX_HEADER_LEN
            };
            let missing = wanted - received.len().min(wanted - 1);
            return Ok(Front::Incomplete { missing });
        };
        let frame_len = announced.header_len + announced.len;
        let there = received.len();
        match received.get_mut(announced.header_len..frame_len) {
            Some(payload) => Ok(Front::Frame { payload, frame_len }),
            None => Ok(Front::Incomplete {
                missing: frame_len.saturating_sub(there),
            }),
        }
    }

    pub(super) fn unscramble(&self, payload: &mut [u8]) {
        if let Some(shanda) = self.shanda {
            shanda.decrypt(payload);
        }
    }
}

/// The front of a receive buffer, still encrypted.
pub(super) enum Front<'b> {
    Frame {
        payload: &'b mut [u8],
        frame_len: usize,
    },
    Incomplete {
        missing: usize,
    },
}

impl Track {
    /// Decrypts the first few bytes of the current packet; they fit one block.
    fn crypt_front(&self, bytes: &mut [u8]) {
        match self.layer() {
            Layer::Aes => xor(bytes, &self.first_block()),
            Layer::Kms => cipher::kms_decrypt(self.iv(), bytes),
            Layer::Xor => cipher::xor_decrypt(self.iv(), bytes),
            Layer::Linear => cipher::linear_decrypt(self.iv(), bytes),
            Layer::None => {}
        }
    }
}
