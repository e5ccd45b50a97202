//! The bytes that AES adds to a packet: a chain of blocks that depends on key and IV only
//! (maple.md 3).
//!
//! ```text
//! X0 = iv iv iv iv      X1 = AES(X0)      X2 = AES(X1)  ...      keystream = X1 X2 X3 ...
//!
//! payload    | first chunk, 1456 bytes | 1460 bytes | 1460 bytes | ...
//! keystream  | from its start          | from start | from start | ...
//! ```
//!
//! Each chunk starts the stream again, so that 92 blocks serve a packet of any length. Within
//! a packet each block waits for the one before it; other packets' chains wait for nothing,
//! which [`Lanes`](super::Lanes) and a [`Lookahead`](super::Lookahead) put to use.

#![forbid(unsafe_code)]

use super::{
    Iv, Key,
    lanes::{self, Input, Lane},
};
use aes::{
    Aes256Enc, Block,
    cipher::{
        BlockCipherEncBackend, BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, KeyInit,
        consts::U16,
    },
};
use std::{fmt, sync::Arc};

/// Bytes of a payload that follow a 4-byte header in the first segment.
pub const FIRST_CHUNK: usize = 1456;

/// The same after an 8-byte header (maple.md 2.3).
pub const FIRST_CHUNK_EXTENDED: usize = 1452;

/// Bytes of each later chunk.
pub const NEXT_CHUNK: usize = 1460;

/// Bytes of one AES block.
pub const BLOCK: usize = 16;

/// The most blocks a packet needs, whatever its length (maple.md 3.1).
pub const MAX_BLOCKS: usize = NEXT_CHUNK.div_ceil(BLOCK);

/// The blocks of one keystream.
pub(super) type Row = [[u8; BLOCK]; MAX_BLOCKS];

/// How many keystream blocks a payload of `len` bytes needs.
pub fn blocks_needed(len: usize, first_chunk: usize) -> usize {
    let first = len.min(first_chunk);
    let later = (len - first).min(NEXT_CHUNK);
    first.max(later).div_ceil(BLOCK)
}

/// What the chain starts from (maple.md 3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartBlock {
    /// The IV four times: everything from about 2008 on.
    #[default]
    Standard,
    /// The IV's first byte sixteen times: JMS up to v141.
    Duplicate,
    /// Four inner steps of the shuffle: TMS of about 2005 to 2007.
    Tms,
}

impl StartBlock {
    /// The 16 bytes for `iv`; the first keystream block is their encryption.
    #[inline]
    pub fn bytes(self, iv: Iv) -> [u8; BLOCK] {
        let bytes = iv.bytes();
        match self {
            Self::Standard => {
                // As one number: four short writes cannot be read again as one at once.
                let once = u128::from(u32::from_le_bytes(bytes));
                (once | once << 32 | once << 64 | once << 96).to_le_bytes()
            }
            Self::Duplicate => {
                let [first, ..] = bytes;
                [first; BLOCK]
            }
            Self::Tms => tms_start(bytes),
        }
    }
}

fn tms_start(mut state: [u8; 4]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    let (words, _) = block.as_chunks_mut();
    for (word, byte) in words.iter_mut().zip(0..) {
        state = super::iv::step(state, super::iv::substitute(byte));
        *word = state;
    }
    block
}

/// A key made ready for use; clones share it, and it is one word.
#[derive(Clone)]
pub struct KeySchedule {
    shared: Arc<Shared>,
}

struct Shared {
    aes: Aes256Enc,
    #[cfg(target_arch = "x86_64")]
    wide: Option<lanes::vaes::RoundKeys>,
    key: Key,
}

impl KeySchedule {
    /// Expands `key`; allocates the memory that all clones share.
    pub fn new(key: Key) -> Self {
        Self {
            shared: Arc::new(Shared {
                aes: Aes256Enc::new(&key.expanded().into()),
                #[cfg(target_arch = "x86_64")]
                wide: lanes::vaes::RoundKeys::new(key),
                key,
            }),
        }
    }

    /// The key it was made of.
    pub fn key(&self) -> Key {
        self.shared.key
    }

    /// Whether AES runs on instructions of this machine; the portable code is constant-time
    /// and some twenty times slower.
    pub fn is_accelerated() -> bool {
        aes::hardware_accelerated()
    }

    /// The first keystream block of `iv`: enough for a payload's first 16 bytes.
    pub fn first_block(&self, start: StartBlock, iv: Iv) -> [u8; BLOCK] {
        let mut block = Block::from(start.bytes(iv));
        self.shared.aes.encrypt_block(&mut block);
        block.into()
    }

    /// XORs `payload` with the keystream of `iv`, nothing of which was prepared: 92 dependent
    /// AES blocks at most. Encrypts and decrypts alike.
    pub fn crypt(&self, start: StartBlock, iv: Iv, first_chunk: usize, payload: &mut [u8]) {
        if payload.len() <= first_chunk {
            self.shared.aes.encrypt_with_backend(Fused {
                state: start.bytes(iv).into(),
                payload,
            });
        } else {
            let mut keystream = Keystream::new();
            keystream.begin(start.bytes(iv));
            self.extend(&mut keystream, blocks_needed(payload.len(), first_chunk));
            keystream.xor(first_chunk, payload);
        }
    }

    /// Makes `keystream` that of `iv`, `bytes` long at least (1,472 at most).
    pub fn fill(&self, start: StartBlock, iv: Iv, bytes: usize, keystream: &mut Keystream) {
        keystream.begin(start.bytes(iv));
        self.extend(keystream, bytes.div_ceil(BLOCK));
    }

    /// Goes on with a keystream until it has `blocks` blocks (92 at most).
    pub(super) fn extend(&self, keystream: &mut Keystream, blocks: usize) {
        let wanted = blocks.min(MAX_BLOCKS);
        if keystream.ready < wanted {
            let last = keystream.ready.checked_sub(1);
            let last = last.and_then(|last| keystream.blocks.get(last));
            let state = last.copied().unwrap_or(keystream.start);
            if let Some(out) = keystream.blocks.get_mut(keystream.ready..wanted) {
                self.chain(state, out);
            }
            keystream.ready = wanted;
        }
    }

    /// Fills `out` with the blocks that follow `state`.
    pub(super) fn chain(&self, state: [u8; BLOCK], out: &mut [[u8; BLOCK]]) {
        self.shared.aes.encrypt_with_backend(Chain {
            state: state.into(),
            out,
        });
    }

    /// Whether both are the same key.
    pub(super) fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared) || self.shared.key == other.shared.key
    }

    /// Runs many chains, [`lanes::WIDTH`] of them at a time.
    pub(super) fn run<const CHAINS: usize>(&self, lanes: &mut [Lane<'_, CHAINS>]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(keys) = &self.shared.wide {
            return lanes
                .chunks_mut(lanes::WIDTH)
                .for_each(|lanes| keys.run(lanes));
        }
        lanes::portable(&self.shared.aes, lanes);
    }
}

impl fmt::Debug for KeySchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeySchedule").field(&self.key()).finish()
    }
}

/// The keystream of one packet, as much of it as was asked for yet: up to 1,472 bytes, inline.
#[derive(Clone)]
pub struct Keystream {
    blocks: Row,
    ready: usize,
    start: [u8; BLOCK],
}

impl Keystream {
    /// Nothing yet; [`KeySchedule::fill`] makes it a packet's.
    pub const fn new() -> Self {
        Self {
            blocks: [[0; BLOCK]; MAX_BLOCKS],
            ready: 0,
            start: [0; BLOCK],
        }
    }

    /// The bytes there are.
    pub fn bytes(&self) -> &[u8] {
        let blocks = self.blocks.get(..self.ready).unwrap_or_default();
        blocks.as_flattened()
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.ready
    }

    /// XORs `payload` with the keystream, started again for each chunk (maple.md 3).
    ///
    /// A keystream shorter than [`blocks_needed`] leaves the end of each chunk as it is.
    pub fn xor(&self, first_chunk: usize, payload: &mut [u8]) {
        xor_chunks(self.bytes(), first_chunk, payload);
    }

    pub(super) fn begin(&mut self, start: [u8; BLOCK]) {
        self.ready = 0;
        self.start = start;
    }

    /// Makes it the one that begins at `start`, `blocks` long, once the lane was run.
    pub(super) fn lane(&mut self, start: [u8; BLOCK], blocks: usize) -> Lane<'_> {
        self.start = start;
        self.ready = blocks.min(MAX_BLOCKS);
        let out = self.blocks.get_mut(..self.ready).unwrap_or_default();
        Lane {
            starts: [start],
            input: Input::Nothing,
            out: out.as_flattened_mut(),
        }
    }
}

impl Default for Keystream {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Keystream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keystream")
            .field("blocks", &self.ready)
            .finish_non_exhaustive()
    }
}

/// XORs the chunks of `payload` with `keystream`, each from the keystream's start.
pub(super) fn xor_chunks(keystream: &[u8], first_chunk: usize, payload: &mut [u8]) {
    let (first, later) = payload.split_at_mut(first_chunk.min(payload.len()));
    xor(first, keystream);
    for chunk in later.chunks_mut(NEXT_CHUNK) {
        xor(chunk, keystream);
    }
}

#[inline(always)]
pub(super) fn xor(bytes: &mut [u8], keystream: &[u8]) {
    for (byte, key) in bytes.iter_mut().zip(keystream) {
        *byte ^= key;
    }
}

/// Writes the chunks of `from`, XORed with `keystream`, into `out` of the same length.
pub(super) fn xor_chunks_into(keystream: &[u8], first_chunk: usize, from: &[u8], out: &mut [u8]) {
    let first = first_chunk.min(out.len()).min(from.len());
    let (first_out, later_out) = out.split_at_mut(first);
    let (first_from, later_from) = from.split_at(first);
    xor_into(keystream, first_from, first_out);
    let later = later_out.chunks_mut(NEXT_CHUNK);
    for (out, from) in later.zip(later_from.chunks(NEXT_CHUNK)) {
        xor_into(keystream, from, out);
    }
}

fn xor_into(keystream: &[u8], from: &[u8], out: &mut [u8]) {
    for ((out, from), key) in out.iter_mut().zip(from).zip(keystream) {
        *out = from ^ key;
    }
}

/// A whole block at once: byte by byte it does not always become one instruction.
#[inline(always)]
pub(super) fn xor_block(place: &mut [u8; BLOCK], block: &[u8; BLOCK]) {
    *place = (u128::from_ne_bytes(*place) ^ u128::from_ne_bytes(*block)).to_ne_bytes();
}

/// One chain into a buffer.
struct Chain<'a> {
    state: Block,
    out: &'a mut [[u8; BLOCK]],
}

impl BlockSizeUser for Chain<'_> {
    type BlockSize = U16;
}

impl BlockCipherEncClosure for Chain<'_> {
    #[inline(always)]
    fn call<B: BlockCipherEncBackend<BlockSize = U16>>(self, backend: &B) {
        let mut state = self.state;
        for place in self.out {
            backend.encrypt_block_inplace(&mut state);
            *place = state.into();
        }
    }
}

/// One chain straight into a payload of one chunk: no keystream is kept.
struct Fused<'a> {
    state: Block,
    payload: &'a mut [u8],
}

impl BlockSizeUser for Fused<'_> {
    type BlockSize = U16;
}

impl BlockCipherEncClosure for Fused<'_> {
    #[inline(always)]
    fn call<B: BlockCipherEncBackend<BlockSize = U16>>(self, backend: &B) {
        let mut state = self.state;
        let (whole, tail) = self.payload.as_chunks_mut::<BLOCK>();
        for block in whole {
            backend.encrypt_block_inplace(&mut state);
            xor_block(block, &state.0);
        }
        if !tail.is_empty() {
            backend.encrypt_block_inplace(&mut state);
            xor(tail, &state);
        }
    }
}
