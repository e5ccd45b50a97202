//! The backend for every CPU: arrays of bytes, which the compiler turns into whatever vectors
//! the target is sure to have (SSE2 on x86-64, NEON on AArch64).

#![forbid(unsafe_code)]

use super::tile::{self, Vector};

const LANES: usize = 16;
const TILE: usize = 8 * LANES;

pub(super) fn encrypt(data: &mut [u8]) {
    tile::encrypt::<Lanes, TILE>((), data);
}

pub(super) fn decrypt(data: &mut [u8]) {
    tile::decrypt::<Lanes, TILE>((), data);
}

#[derive(Clone, Copy)]
struct Lanes([u8; LANES]);

impl Lanes {
    #[inline(always)]
    fn with(mut self, other: Self, op: impl Fn(u8, u8) -> u8) -> Self {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a = op(*a, b);
        }
        self
    }
}

impl Vector<TILE> for Lanes {
    type Cpu = ();
    type Mask = Self;

    #[inline(always)]
    fn splat((): (), byte: u8) -> Self {
        Self([byte; LANES])
    }

    #[inline(always)]
    fn offsets((): ()) -> Self {
        Self(std::array::from_fn(|lane| 8 * lane as u8))
    }

    #[inline(always)]
    fn lanes_from((): (), first: usize) -> Self {
        let mut lanes = [0; LANES];
        for (lane, byte) in lanes.iter_mut().enumerate() {
            *byte = if lane < first { 0 } else { 0xFF };
        }
        Self(lanes)
    }

    #[inline(always)]
    fn load((): (), bytes: &[u8; TILE]) -> [Self; 8] {
        let mut rows = [Self([0; LANES]); 8];
        for (row, bytes) in rows.iter_mut().zip(bytes.as_chunks().0) {
            *row = Self(*bytes);
        }
        rows
    }

    #[inline(always)]
    fn store(rows: [Self; 8], bytes: &mut [u8; TILE]) {
        for (row, bytes) in rows.iter().zip(bytes.as_chunks_mut().0) {
            *bytes = row.0;
        }
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> (Self, Self) {
        let (mut low, mut high) = ([0; LANES], [0; LANES]);
        let (a, b) = (self.0.as_chunks::<8>().0, other.0.as_chunks::<8>().0);
        for ((pairs, a), b) in [&mut low, &mut high].into_iter().zip(a).zip(b) {
            for ((pair, a), b) in pairs.as_chunks_mut::<2>().0.iter_mut().zip(a).zip(b) {
                *pair = [*a, *b];
            }
        }
        (Self(low), Self(high))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.with(other, |a, b| a ^ b)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, u8::wrapping_add)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, u8::wrapping_sub)
    }

    #[inline(always)]
    fn rotate(mut self, by: usize) -> Self {
        for byte in &mut self.0 {
            *byte = byte.rotate_left(by as u32);
        }
        self
    }

    #[inline(always)]
    fn or_else(self, mask: Self, other: Self) -> Self {
        let kept = self.with(mask, |byte, mask| byte & mask);
        kept.xor(other.with(mask, |byte, mask| byte & !mask))
    }

    #[inline(always)]
    fn shift_up(self, before: Self) -> Self {
        let [.., entering] = before.0;
        Self((u128::from_le_bytes(self.0) << 8 | u128::from(entering)).to_le_bytes())
    }

    #[inline(always)]
    fn shift_down(self, after: Self) -> Self {
        let [entering, ..] = after.0;
        Self((u128::from_le_bytes(self.0) >> 8 | u128::from(entering) << 120).to_le_bytes())
    }

    #[inline(always)]
    fn scan_up(self) -> (Self, Self) {
        let mut sums = u128::from_le_bytes(self.0);
        for bits in [8, 16, 32, 64] {
            sums ^= sums << bits;
        }
        (Self((sums << 8).to_le_bytes()), Self([(sums >> 120) as u8; LANES]))
    }

    #[inline(always)]
    fn scan_down(self) -> (Self, Self) {
        let mut sums = u128::from_le_bytes(self.0);
        for bits in [8, 16, 32, 64] {
            sums ^= sums >> bits;
        }
        (Self((sums >> 8).to_le_bytes()), Self([sums as u8; LANES]))
    }
}
