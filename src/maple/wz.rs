//! The key stream of WZ archives: the packet keystream without restarts (maple.md 15).

#![forbid(unsafe_code)]

use super::{Iv, Key, KeySchedule, StartBlock, keystream::BLOCK};
use std::{error::Error, fmt};

/// A WZ key as long as was asked for yet; a zero IV makes it all zeros.
///
/// Two are equal when IV and key are, however long each has grown.
#[derive(Clone)]
pub struct WzKey {
    iv: Iv,
    schedule: KeySchedule,
    blocks: Vec<[u8; BLOCK]>,
}

/// More was asked of a [`WzKey`] than [`WzKey::MAX_LEN`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WzKeyTooLong;

impl fmt::Display for WzKeyTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a WZ key is not longer than 64 MiB")
    }
}

impl Error for WzKeyTooLong {}

impl WzKey {
    /// The IV of GMS archives.
    pub const GMS: Iv = Iv::new([0x4D, 0x23, 0xC7, 0x2B]);
    /// The IV of MSEA and EMS archives, and of Lua entries everywhere.
    pub const MSEA: Iv = Iv::new([0xB9, 0x7D, 0x63, 0xE9]);
    /// The IV of archives without encryption.
    pub const PLAIN: Iv = Iv::new([0; 4]);

    /// The longest key, a guard against hostile lengths.
    pub const MAX_LEN: usize = 64 << 20;

    /// Bytes by which a key grows.
    const STEP: usize = 4096;

    /// A key that grows when it is read.
    pub fn new(iv: Iv, key: Key) -> Self {
        Self {
            iv,
            schedule: KeySchedule::new(key),
            blocks: Vec::new(),
        }
    }

    /// The key that a ZLZ.dll holds, from the whole file; `None` if the file is too short.
    pub fn from_zlz(file: &[u8]) -> Option<Self> {
        let iv = file.get(0x10040..)?.first_chunk()?;
        let user = file.get(0x10060..)?.first_chunk()?;
        Some(Self::new(Iv::new(*iv), Key::from_user_key(user)))
    }

    /// The IV.
    pub fn iv(&self) -> Iv {
        self.iv
    }

    /// The AES key.
    pub fn key(&self) -> Key {
        self.schedule.key()
    }

    /// Changes the user key; what has grown is kept unless a byte that counts is different.
    pub fn set_user_key(&mut self, user: &[u8; Key::USER_KEY_LEN]) {
        let key = Key::from_user_key(user);
        if key != self.key() {
            self.schedule = KeySchedule::new(key);
            self.blocks.clear();
        }
    }

    /// The first `len` bytes; grows in steps of 4,096 when it must.
    pub fn bytes(&mut self, len: usize) -> Result<&[u8], WzKeyTooLong> {
        if len > Self::MAX_LEN {
            return Err(WzKeyTooLong);
        }
        self.grow(len);
        let bytes = self.blocks.as_flattened();
        Ok(bytes.get(..len).unwrap_or(bytes))
    }

    /// The byte at `index`.
    pub fn byte(&mut self, index: usize) -> Result<u8, WzKeyTooLong> {
        let len = index.checked_add(1).ok_or(WzKeyTooLong)?;
        let bytes = self.bytes(len)?;
        bytes.last().copied().ok_or(WzKeyTooLong)
    }

    fn grow(&mut self, len: usize) {
        let grown = self.blocks.len();
        let wanted = len.next_multiple_of(Self::STEP) / BLOCK;
        if wanted <= grown {
            return;
        }
        self.blocks.resize(wanted, [0; BLOCK]);
        if self.iv == Self::PLAIN {
            return;
        }
        let (old, new) = self.blocks.split_at_mut(grown);
        let state = old.last().copied();
        let state = state.unwrap_or_else(|| StartBlock::Standard.bytes(self.iv));
        self.schedule.chain(state, new);
    }
}

impl PartialEq for WzKey {
    fn eq(&self, other: &Self) -> bool {
        self.iv == other.iv && self.key() == other.key()
    }
}

impl Eq for WzKey {}

impl fmt::Debug for WzKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WzKey")
            .field("iv", &self.iv)
            .field("key", &self.key())
            .field("len", &(self.blocks.len() * BLOCK))
            .finish()
    }
}

/// Writes the first `count` bytes of `pattern` into `out` over and over until it is full: what
/// the C# library calls multiplying bytes. `None` if `pattern` is shorter than `count`, or if
/// `out` has no whole number of patterns.
pub fn repeat_pattern(pattern: &[u8], count: usize, out: &mut [u8]) -> Option<()> {
    let pattern = pattern.get(..count)?;
    if count == 0 {
        return out.is_empty().then_some(());
    }
    let mut places = out.chunks_exact_mut(count);
    for place in &mut places {
        place.copy_from_slice(pattern);
    }
    places.into_remainder().is_empty().then_some(())
}
