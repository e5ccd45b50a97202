//! One direction's way out: payloads become frames in place (maple.md 6).

#![forbid(unsafe_code)]

use super::{
    Direction, EncodeError, HEADER_LEN, Header, HeaderForm, Iv, KeystreamCache, Lookahead, Profile,
    shanda::Shanda,
    track::{Track, Way, first_chunk},
};

/// Turns payloads into frames, one direction of one session.
#[derive(Debug)]
pub struct Encoder {
    form: HeaderForm,
    mask: u16,
    shanda: Option<Shanda>,
    pub(super) track: Track,
}

impl Encoder {
    pub(super) fn new(
        profile: &Profile,
        direction: Direction,
        shanda: Option<Shanda>,
        track: Track,
    ) -> Self {
        Self {
            form: profile.header,
            mask: direction.mask(profile.version),
            shanda,
            track,
        }
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

    /// Bytes to keep free before a payload of `len` bytes.
    pub fn header_len(&self, len: usize) -> usize {
        self.form.header_len(len)
    }

    /// Makes `frame` a frame: [`Encoder::header_len`] bytes of any content, then the payload.
    ///
    /// Fails without a change if that is not what it can be.
    pub fn encode(&mut self, frame: &mut [u8]) -> Result<(), EncodeError> {
        let (room, payload) = self.split(frame)?;
        let header = self.encode_payload(payload)?;
        header.fill(room);
        Ok(())
    }

    /// The same with keystreams from `cache`.
    pub fn encode_cached(
        &mut self,
        frame: &mut [u8],
        cache: &mut KeystreamCache,
    ) -> Result<(), EncodeError> {
        let (room, payload) = self.split(frame)?;
        let header = self.header(payload.len())?;
        self.scramble(payload);
        let chunk = self.first_chunk(payload.len());
        self.track.crypt_cached(Way::Encrypt, chunk, payload, cache);
        header.fill(room);
        Ok(())
    }

    /// Transforms a payload in place and gives the header to send before it.
    ///
    /// Fails without a change if the payload is too long for a header.
    pub fn encode_payload(&mut self, payload: &mut [u8]) -> Result<Header, EncodeError> {
        let header = self.header(payload.len())?;
        self.scramble(payload);
        let chunk = self.first_chunk(payload.len());
        self.track.crypt(Way::Encrypt, chunk, payload);
        Ok(header)
    }

    /// Makes all keystreams that the lookahead allows: for when there is nothing else to do.
    pub fn prefetch(&mut self) {
        self.track.prefetch();
    }

    /// Packets whose keystream is ready.
    pub fn prefetched(&self) -> usize {
        self.track.ahead().ready()
    }

    pub(super) fn shanda(&self) -> Option<Shanda> {
        self.shanda
    }

    /// The header of the next packet if its payload has `len` bytes.
    pub(super) fn header(&self, len: usize) -> Result<Header, EncodeError> {
        Header::new(self.form, self.mask, self.track.iv(), len)
    }

    pub(super) fn first_chunk(&self, len: usize) -> usize {
        first_chunk(self.form.is_long(len))
    }

    /// A frame's room for its header, and its payload.
    pub(super) fn split<'f>(
        &self,
        frame: &'f mut [u8],
    ) -> Result<(&'f mut [u8], &'f mut [u8]), EncodeError> {
        let short = frame.len().saturating_sub(HEADER_LEN);
        let header_len = self.form.header_len(short);
        let (room, payload) = frame
            .split_at_mut_checked(header_len)
            .ok_or(EncodeError::NoHeaderRoom)?;
        // A length of 65,276 to 65,279 behind 8 bytes would have had a header of 4.
        if self.form.header_len(payload.len()) != header_len {
            return Err(EncodeError::NoHeaderRoom);
        }
        Ok((room, payload))
    }

    pub(super) fn scramble(&self, payload: &mut [u8]) {
        if let Some(shanda) = self.shanda {
            shanda.encrypt(payload);
        }
    }
}
