//! Eight lanes in a plain word: for CPUs without a backend of their own.

#![forbid(unsafe_code)]

use super::{
    scalar,
    tile::{self, NUMBERS, Vector},
};

const TILE: usize = 64;

/// The least length worth a tile, in bytes; the scalar scan waits for each byte in turn.
const WORTH_ENCRYPTING: usize = 40;
/// The same of decryption, where the scalar passes overlap.
const WORTH_DECRYPTING: usize = 56;

pub(super) fn encrypt(data: &mut [u8]) {
    if data.len() < WORTH_ENCRYPTING {
        scalar::encrypt(data);
    } else {
        tile::encrypt::<Word, TILE>((), data);
    }
}

pub(super) fn decrypt(data: &mut [u8]) {
    if data.len() < WORTH_DECRYPTING {
        scalar::decrypt(data);
    } else {
        tile::decrypt::<Word, TILE>((), data);
    }
}

/// One byte of eight lanes, the lowest lane in the lowest bits.
#[derive(Clone, Copy)]
struct Word(u64);

/// The highest bit of each byte, which addition must not carry out of.
const HIGH: u64 = splat(0x80);

const fn splat(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

impl Vector<TILE> for Word {
    type Cpu = ();
    type Mask = u64;

    #[inline(always)]
    fn splat((): (), byte: u8) -> Self {
        Self(splat(byte))
    }

    #[inline(always)]
    fn offsets((): ()) -> Self {
        Self(u64::from_le_bytes([0, 8, 16, 24, 32, 40, 48, 56]))
    }

    #[inline(always)]
    fn present((): (), missing: usize) -> [u64; 8] {
        NUMBERS.map(|k| u64::MAX.unbounded_shl(((missing + 7 - k) as u32) & !7))
    }

    #[inline(always)]
    fn gather((): (), bytes: &[u8; TILE]) -> [Self; 8] {
        transpose(Self::load((), bytes).map(|word| word.0)).map(Self)
    }

    #[inline(always)]
    fn scatter(tile: [Self; 8], bytes: &mut [u8; TILE]) {
        Self::store(transpose(tile.map(|word| word.0)).map(Self), bytes);
    }

    #[inline(always)]
    fn gather_end((): (), bytes: &[u8]) -> [Self; 8] {
        let mut tile = [0; TILE];
        if let Some(end) = tile.get_mut(TILE.saturating_sub(bytes.len())..) {
            end.copy_from_slice(bytes);
        }
        Self::gather((), &tile)
    }

    #[inline(always)]
    fn scatter_end((): (), tile: [Self; 8], bytes: &mut [u8]) {
        let mut whole = [0; TILE];
        Self::scatter(tile, &mut whole);
        if let Some(end) = whole.get(TILE.saturating_sub(bytes.len())..) {
            bytes.copy_from_slice(end);
        }
    }

    #[inline(always)]
    fn load((): (), bytes: &[u8; TILE]) -> [Self; 8] {
        let (words, _) = bytes.as_chunks::<8>();
        let mut tile = [Self(0); 8];
        for (word, bytes) in tile.iter_mut().zip(words) {
            word.0 = u64::from_le_bytes(*bytes);
        }
        tile
    }

    #[inline(always)]
    fn store(tile: [Self; 8], bytes: &mut [u8; TILE]) {
        for (word, bytes) in tile.iter().zip(bytes.as_chunks_mut().0) {
            *bytes = word.0.to_le_bytes();
        }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self(((a & !HIGH) + (b & !HIGH)) ^ ((a ^ b) & HIGH))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self(((a | HIGH) - (b & !HIGH)) ^ ((a ^ !b) & HIGH))
    }

    #[inline(always)]
    fn rotate(self, by: usize) -> Self {
        let kept = splat(0xFF << by);
        Self(((self.0 << by) & kept) | ((self.0 >> ((8 - by) % 8)) & !kept))
    }

    #[inline(always)]
    fn keep(self, mask: u64) -> Self {
        Self(self.0 & mask)
    }

    #[inline(always)]
    fn shift_up(self, before: Self) -> Self {
        Self(self.0 << 8 | before.0 >> 56)
    }

    #[inline(always)]
    fn shift_down(self, after: Self) -> Self {
        Self(self.0 >> 8 | after.0 << 56)
    }

    #[inline(always)]
    fn scan_up(self) -> (Self, Self) {
        let sums = self.0 ^ self.0 << 8;
        let sums = sums ^ sums << 16;
        let sums = sums ^ sums << 32;
        (Self(sums << 8), Self(splat((sums >> 56) as u8)))
    }

    #[inline(always)]
    fn scan_down(self) -> (Self, Self) {
        let (below, total) = self.scan_up();
        (below.xor(self).xor(total), total)
    }
}

/// Transposes eight words of eight bytes.
#[inline(always)]
fn transpose(words: [u64; 8]) -> [u64; 8] {
    let [a, b, c, d, e, f, g, h] = words;
    let ((a, b), (c, d)) = (swap::<8>(a, b), swap::<8>(c, d));
    let ((e, f), (g, h)) = (swap::<8>(e, f), swap::<8>(g, h));
    let ((a, c), (b, d)) = (swap::<16>(a, c), swap::<16>(b, d));
    let ((e, g), (f, h)) = (swap::<16>(e, g), swap::<16>(f, h));
    let ((a, e), (b, f)) = (swap::<32>(a, e), swap::<32>(b, f));
    let ((c, g), (d, h)) = (swap::<32>(c, g), swap::<32>(d, h));
    [a, b, c, d, e, f, g, h]
}

/// Exchanges every second group of `BITS` bits of `a` with the first of `b`.
#[inline(always)]
fn swap<const BITS: u32>(a: u64, b: u64) -> (u64, u64) {
    let low = u64::MAX / ((1 << BITS) + 1);
    let moved = ((a >> BITS) ^ b) & low;
    (a ^ moved << BITS, b ^ moved)
}
