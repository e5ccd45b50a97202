//! 32 lanes in four plain words: for CPUs without a backend of their own.

#![forbid(unsafe_code)]

use super::tile::{self, Vector};

const WORDS: usize = 4;
const TILE: usize = 64 * WORDS;

pub(super) fn encrypt(data: &mut [u8]) {
    tile::encrypt::<Words, TILE>((), data);
}

pub(super) fn decrypt(data: &mut [u8]) {
    tile::decrypt::<Words, TILE>((), data);
}

/// One byte of 32 lanes, eight to a word, the lowest lane in the lowest bits.
#[derive(Clone, Copy)]
struct Words([u64; WORDS]);

/// The highest bit of each byte, which addition must not carry out of.
const HIGH: u64 = splat(0x80);

const fn splat(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

impl Words {
    #[inline(always)]
    fn with(self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        let [a, b, c, d] = self.0;
        let [e, f, g, h] = other.0;
        Self([join(a, e), join(b, f), join(c, g), join(d, h)])
    }
}

impl Vector<TILE> for Words {
    type Cpu = ();
    type Mask = Self;

    #[inline(always)]
    fn splat((): (), byte: u8) -> Self {
        Self([splat(byte); WORDS])
    }

    #[inline(always)]
    fn offsets((): ()) -> Self {
        let word = u64::from_le_bytes([0, 8, 16, 24, 32, 40, 48, 56]);
        Self([word, word + splat(64), word + splat(128), word + splat(192)])
    }

    #[inline(always)]
    fn lanes_from((): (), first: usize) -> Self {
        let before = |lanes| 8 * first.saturating_sub(lanes) as u32;
        Self([0, 8, 16, 24].map(|lanes| u64::MAX.unbounded_shl(before(lanes))))
    }

    #[inline(always)]
    fn gather((): (), bytes: &[u8; TILE]) -> [Self; 8] {
        let mut tile = [Self([0; WORDS]); 8];
        for (w, lanes) in bytes.as_chunks::<64>().0.iter().enumerate() {
            let mut words = [0; 8];
            for (word, lane) in words.iter_mut().zip(lanes.as_chunks().0) {
                *word = u64::from_le_bytes(*lane);
            }
            for (vector, word) in tile.iter_mut().zip(transpose(words)) {
                if let Some(place) = vector.0.get_mut(w) {
                    *place = word;
                }
            }
        }
        tile
    }

    #[inline(always)]
    fn scatter(tile: [Self; 8], bytes: &mut [u8; TILE]) {
        for (w, lanes) in bytes.as_chunks_mut::<64>().0.iter_mut().enumerate() {
            let words = transpose(tile.map(|vector| vector.0.get(w).copied().unwrap_or_default()));
            for (word, lane) in words.iter().zip(lanes.as_chunks_mut().0) {
                *lane = word.to_le_bytes();
            }
        }
    }

    #[inline(always)]
    fn gather_end((): (), bytes: &[u8]) -> [Self; 8] {
        let mut tile = [0; TILE];
        for (to, from) in tile.iter_mut().rev().zip(bytes.iter().rev()) {
            *to = *from;
        }
        Self::gather((), &tile)
    }

    #[inline(always)]
    fn scatter_end(tile: [Self; 8], bytes: &mut [u8]) {
        let mut whole = [0; TILE];
        Self::scatter(tile, &mut whole);
        for (to, from) in bytes.iter_mut().rev().zip(whole.iter().rev()) {
            *to = *from;
        }
    }

    #[inline(always)]
    fn load((): (), bytes: &[u8; TILE]) -> [Self; 8] {
        let mut tile = [Self([0; WORDS]); 8];
        let words = tile.iter_mut().flat_map(|vector| &mut vector.0);
        for (word, bytes) in words.zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        tile
    }

    #[inline(always)]
    fn store(tile: [Self; 8], bytes: &mut [u8; TILE]) {
        let words = tile.iter().flat_map(|vector| &vector.0);
        for (word, bytes) in words.zip(bytes.as_chunks_mut().0) {
            *bytes = word.to_le_bytes();
        }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.with(other, |a, b| a ^ b)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |a, b| ((a & !HIGH) + (b & !HIGH)) ^ ((a ^ b) & HIGH))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, |a, b| ((a | HIGH) - (b & !HIGH)) ^ ((a ^ !b) & HIGH))
    }

    #[inline(always)]
    fn rotate(self, by: usize) -> Self {
        let kept = splat(0xFF << by);
        Self(self.0.map(|word| ((word << by) & kept) | ((word >> ((8 - by) % 8)) & !kept)))
    }

    #[inline(always)]
    fn keep(self, mask: Self) -> Self {
        self.with(mask, |word, mask| word & mask)
    }

    #[inline(always)]
    fn shift_up(self, before: Self) -> Self {
        let ([a, b, c, d], [.., last]) = (self.0, before.0);
        Self([a << 8 | last >> 56, b << 8 | a >> 56, c << 8 | b >> 56, d << 8 | c >> 56])
    }

    #[inline(always)]
    fn shift_down(self, after: Self) -> Self {
        let ([a, b, c, d], [first, ..]) = (self.0, after.0);
        Self([a >> 8 | b << 56, b >> 8 | c << 56, c >> 8 | d << 56, d >> 8 | first << 56])
    }

    #[inline(always)]
    fn scan_up(self) -> (Self, Self) {
        // All ones times a word is the sum of all bytes up to each; without carries, their XOR.
        let [a, b, c, d] = self.0.map(|word| {
            let word = word ^ word << 8;
            let word = word ^ word << 16;
            word ^ word << 32
        });
        let all = |word: u64| splat((word >> 56) as u8);
        let (e, f, g, h) = (all(a), all(a) ^ all(b), all(c), all(c) ^ all(d));
        (Self([a << 8, b << 8 ^ e, c << 8 ^ f, d << 8 ^ f ^ g]), Self([f ^ h; WORDS]))
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
