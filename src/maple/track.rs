//! One direction's place in its stream: which keystream is next, and the IV behind it.

#![forbid(unsafe_code)]

use super::{
    Direction, Iv, IvUpdate, KeySchedule, KeystreamCache, KeystreamOf, Layer, Lookahead, Profile,
    StartBlock,
    ahead::{Ahead, Recipe},
    cipher,
    keystream::{BLOCK, FIRST_CHUNK, FIRST_CHUNK_EXTENDED, blocks_needed, xor_chunks},
};

/// Which way a payload is transformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Encrypt,
    Decrypt,
}

#[derive(Debug)]
pub(super) struct Track {
    iv: Iv,
    update: IvUpdate,
    start: StartBlock,
    layer: Layer,
    schedule: KeySchedule,
    ahead: Ahead,
}

impl Track {
    pub(super) fn new(
        profile: &Profile,
        direction: Direction,
        schedule: KeySchedule,
        iv: Iv,
    ) -> Self {
        Self {
            iv,
            update: profile.iv_update,
            start: profile.start_block,
            layer: match direction {
                Direction::ToServer => profile.to_server,
                Direction::ToClient => profile.to_client,
            },
            schedule,
            ahead: Ahead::new(Lookahead::OFF, iv),
        }
    }

    pub(super) fn look_ahead(&mut self, lookahead: Lookahead) {
        let lookahead = match self.layer {
            Layer::Aes => lookahead,
            _ => Lookahead::OFF,
        };
        self.ahead = Ahead::new(lookahead, self.iv);
    }

    pub(super) fn iv(&self) -> Iv {
        self.iv
    }

    pub(super) fn layer(&self) -> Layer {
        self.layer
    }

    pub(super) fn schedule(&self) -> &KeySchedule {
        &self.schedule
    }

    pub(super) fn ahead(&self) -> &Ahead {
        &self.ahead
    }

    pub(super) fn ahead_mut(&mut self) -> (&mut Ahead, Recipe<'_>) {
        let recipe = Recipe {
            schedule: &self.schedule,
            start: self.start,
            update: self.update,
        };
        (&mut self.ahead, recipe)
    }

    /// Makes all keystreams that the lookahead allows.
    pub(super) fn prefetch(&mut self) {
        let (ahead, recipe) = self.ahead_mut();
        ahead.fill(recipe);
    }

    /// Transforms the payload of the current packet and goes on to the next.
    pub(super) fn crypt(&mut self, way: Way, first_chunk: usize, payload: &mut [u8]) {
        match (self.layer, way) {
            (Layer::Aes, _) => self.xor(first_chunk, payload),
            (Layer::Kms, Way::Encrypt) => cipher::kms_encrypt(self.iv, payload),
            (Layer::Kms, Way::Decrypt) => cipher::kms_decrypt(self.iv, payload),
            (Layer::Xor, Way::Encrypt) => cipher::xor_encrypt(self.iv, payload),
            (Layer::Xor, Way::Decrypt) => cipher::xor_decrypt(self.iv, payload),
            (Layer::Linear, Way::Encrypt) => cipher::linear_encrypt(self.iv, payload),
            (Layer::Linear, Way::Decrypt) => cipher::linear_decrypt(self.iv, payload),
            (Layer::None, _) => {}
        }
        self.advance();
    }

    /// The same with keystreams from `cache`, if it is one for this key.
    pub(super) fn crypt_cached(
        &mut self,
        way: Way,
        first_chunk: usize,
        payload: &mut [u8],
        cache: &mut KeystreamCache,
    ) {
        if self.layer == Layer::Aes
            && self.ahead.ready() == 0
            && cache.serves(&self.schedule, self.start)
            && let blocks = blocks_needed(payload.len(), first_chunk)
            && let Some(keystream) = cache.keystream(self.iv, blocks)
        {
            xor_chunks(keystream, first_chunk, payload);
            self.advance();
        } else {
            self.crypt(way, first_chunk, payload);
        }
    }

    /// Ends the current packet.
    pub(super) fn advance(&mut self) {
        self.iv = self.ahead.pop(self.iv, self.update);
    }

    /// The same when the shuffle of the current IV is known.
    pub(super) fn advance_shuffled(&mut self, shuffled: Iv) {
        if self.update == IvUpdate::Shuffle && self.ahead.ready() == 0 {
            self.iv = self.ahead.restart(shuffled);
        } else {
            self.advance();
        }
    }

    /// What the current packet's keystream is made of, if it is AES and not at hand.
    pub(super) fn unprepared(&self) -> Option<KeystreamOf<'_>> {
        (self.layer == Layer::Aes && self.ahead.is_off()).then_some(KeystreamOf {
            schedule: &self.schedule,
            start: self.start,
            iv: self.iv,
        })
    }

    /// The start of the current packet's keystream.
    pub(super) fn first_block(&self) -> [u8; BLOCK] {
        self.schedule.first_block(self.start, self.iv)
    }

    /// The current packet's start block, from which its keystream follows.
    pub(super) fn start_block(&self) -> [u8; BLOCK] {
        self.start.bytes(self.iv)
    }

    fn xor(&mut self, first_chunk: usize, payload: &mut [u8]) {
        let blocks = blocks_needed(payload.len(), first_chunk);
        if blocks == 0 {
            return;
        }
        if !self.ahead.is_off() && self.ahead.ready() == 0 {
            self.prefetch();
        }
        match self.ahead.front(&self.schedule, blocks) {
            Some(keystream) => keystream.xor(first_chunk, payload),
            None => self
                .schedule
                .crypt(self.start, self.iv, first_chunk, payload),
        }
    }
}

/// Bytes of the first chunk of a payload whose header is of this length.
pub(super) fn first_chunk(header_is_long: bool) -> usize {
    if header_is_long {
        FIRST_CHUNK_EXTENDED
    } else {
        FIRST_CHUNK
    }
}
