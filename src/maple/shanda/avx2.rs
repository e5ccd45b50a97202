//! 32 lanes in AVX2 registers: rotations are shifts and masks, scans are shifts by lanes.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::row::{self, Row};
use super::tile::{self, Vector};

const LANES: usize = 32;
const TILE: usize = 8 * LANES;

/// Proof that this CPU has AVX2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2(());

impl Avx2 {
    /// Asks the CPU.
    pub(super) fn new() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }

    pub(super) fn encrypt(self, data: &mut [u8]) {
        #[target_feature(enable = "avx2")]
        fn encrypt(cpu: Avx2, data: &mut [u8]) {
            match data.len().div_ceil(LANES) {
                0 => {}
                1 => row::encrypt::<Lanes, TILE, 1>(cpu, data),
                2 => row::encrypt::<Lanes, TILE, 2>(cpu, data),
                3 => row::encrypt::<Lanes, TILE, 3>(cpu, data),
                4 => row::encrypt::<Lanes, TILE, 4>(cpu, data),
                _ => tile::encrypt::<Lanes, TILE>(cpu, data),
            }
        }
        // SAFETY: `self` proves AVX2.
        unsafe { encrypt(self, data) }
    }

    pub(super) fn decrypt(self, data: &mut [u8]) {
        #[target_feature(enable = "avx2")]
        fn decrypt(cpu: Avx2, data: &mut [u8]) {
            match data.len().div_ceil(LANES) {
                0 => {}
                1 => row::decrypt::<Lanes, TILE, 1>(cpu, data),
                2 => row::decrypt::<Lanes, TILE, 2>(cpu, data),
                3 => row::decrypt::<Lanes, TILE, 3>(cpu, data),
                4 => row::decrypt::<Lanes, TILE, 4>(cpu, data),
                _ => tile::decrypt::<Lanes, TILE>(cpu, data),
            }
        }
        // SAFETY: `self` proves AVX2.
        unsafe { decrypt(self, data) }
    }
}

/// One byte of 32 lanes; made only from an [`Avx2`], so that holding one proves AVX2 as well.
#[derive(Clone, Copy)]
struct Lanes(__m256i);

impl Lanes {
    #[inline(always)]
    fn load_halves(_: Avx2, low: &[u8; 16], high: &[u8; 16]) -> Self {
        // SAFETY: the argument proves AVX2; both references are to 16 bytes, of any alignment.
        unsafe {
            Self(_mm256_loadu2_m128i(
                high.as_ptr().cast(),
                low.as_ptr().cast(),
            ))
        }
    }

    #[inline(always)]
    fn store_halves(self, low: &mut [u8; 16], high: &mut [u8; 16]) {
        // SAFETY: `self` proves AVX2; both references are to 16 bytes, of any alignment.
        unsafe {
            _mm256_storeu2_m128i(high.as_mut_ptr().cast(), low.as_mut_ptr().cast(), self.0);
        }
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> (Self, Self) {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let low = _mm256_unpacklo_epi8(self.0, other.0);
            (Self(low), Self(_mm256_unpackhi_epi8(self.0, other.0)))
        }
    }
}

impl Vector<TILE> for Lanes {
    type Cpu = Avx2;
    type Mask = Self;

    #[inline(always)]
    fn splat(_: Avx2, byte: u8) -> Self {
        // SAFETY: the argument proves AVX2.
        Self(unsafe { _mm256_set1_epi8(byte.cast_signed()) })
    }

    #[inline(always)]
    fn offsets(cpu: Avx2) -> Self {
        const OFFSETS: [[u8; 16]; 2] = [
            [
                0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120,
            ],
            [
                128, 136, 144, 152, 160, 168, 176, 184, 192, 200, 208, 216, 224, 232, 240, 248,
            ],
        ];
        let [low, high] = &OFFSETS;
        Self::load_halves(cpu, low, high)
    }

    #[inline(always)]
    fn present(cpu: Avx2, missing: usize) -> [Self; 8] {
        let lanes = Self::numbers(cpu);
        let mut masks = [lanes; 8];
        for (mask, room) in masks.iter_mut().zip([7, 6, 5, 4, 3, 2, 1, 0]) {
            let first = Self::splat(cpu, ((missing + room) / 8) as u8);
            let last_before = first.sub(Self::splat(cpu, 1));
            // SAFETY: `mask` proves AVX2.
            *mask = Self(unsafe { _mm256_cmpgt_epi8(mask.0, last_before.0) });
        }
        masks
    }

    // The lower half of a tile is in the lower halves, so that lanes keep their order.
    #[inline(always)]
    fn load(cpu: Avx2, bytes: &[u8; TILE]) -> [Self; 8] {
        let mut rows = [Self::splat(cpu, 0); 8];
        let (low, high) = bytes.split_at(TILE / 2);
        let chunks = low.as_chunks().0.iter().zip(high.as_chunks().0);
        for (row, (low, high)) in rows.iter_mut().zip(chunks) {
            *row = Self::load_halves(cpu, low, high);
        }
        rows
    }

    #[inline(always)]
    fn store(rows: [Self; 8], bytes: &mut [u8; TILE]) {
        let (low, high) = bytes.split_at_mut(TILE / 2);
        let chunks = low.as_chunks_mut().0.iter_mut().zip(high.as_chunks_mut().0);
        for (row, (low, high)) in rows.into_iter().zip(chunks) {
            row.store_halves(low, high);
        }
    }

    #[inline(always)]
    fn gather(cpu: Avx2, bytes: &[u8; TILE]) -> [Self; 8] {
        riffle(riffle(riffle(riffle(Self::load(cpu, bytes)))))
    }

    #[inline(always)]
    fn scatter(tile: [Self; 8], bytes: &mut [u8; TILE]) {
        Self::store(riffle(riffle(riffle(tile))), bytes);
    }

    #[inline(always)]
    fn gather_end(cpu: Avx2, bytes: &[u8]) -> [Self; 8] {
        let mut tile = [0; TILE];
        if let Some(end) = tile.get_mut(TILE.saturating_sub(bytes.len())..) {
            end.copy_from_slice(bytes);
        }
        Self::gather(cpu, &tile)
    }

    #[inline(always)]
    fn scatter_end(_: Avx2, tile: [Self; 8], bytes: &mut [u8]) {
        let mut whole = [0; TILE];
        Self::scatter(tile, &mut whole);
        if let Some(end) = whole.get(TILE.saturating_sub(bytes.len())..) {
            bytes.copy_from_slice(end);
        }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_add_epi8(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_sub_epi8(self.0, other.0) })
    }

    #[inline(always)]
    fn rotate(self, by: usize) -> Self {
        let by = by as i32 & 7;
        // SAFETY: `self` proves AVX2.
        unsafe {
            if by == 0 {
                return self;
            }
            let high = _mm256_sll_epi16(self.0, _mm_cvtsi32_si128(by));
            let low = _mm256_srl_epi16(self.0, _mm_cvtsi32_si128(8 - by));
            let mask = _mm256_set1_epi8((0xFFu8 << by).cast_signed());
            Self(_mm256_or_si256(
                _mm256_and_si256(mask, high),
                _mm256_andnot_si256(mask, low),
            ))
        }
    }

    #[inline(always)]
    fn keep(self, mask: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_and_si256(self.0, mask.0) })
    }

    #[inline(always)]
    fn shift_up(self, before: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let halves = _mm256_permute2x128_si256::<0x21>(before.0, self.0);
            Self(_mm256_alignr_epi8::<15>(self.0, halves))
        }
    }

    #[inline(always)]
    fn shift_down(self, after: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let halves = _mm256_permute2x128_si256::<0x21>(self.0, after.0);
            Self(_mm256_alignr_epi8::<1>(halves, self.0))
        }
    }

    #[inline(always)]
    fn scan_up(self) -> (Self, Self) {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let mut sums = self.0;
            sums = _mm256_xor_si256(sums, _mm256_bslli_epi128::<1>(sums));
            sums = _mm256_xor_si256(sums, _mm256_bslli_epi128::<2>(sums));
            sums = _mm256_xor_si256(sums, _mm256_bslli_epi128::<4>(sums));
            sums = _mm256_xor_si256(sums, _mm256_bslli_epi128::<8>(sums));
            let totals = _mm256_shuffle_epi8(sums, _mm256_set1_epi8(15));
            let below = _mm256_permute2x128_si256::<0x08>(totals, totals);
            let above = _mm256_permute2x128_si256::<0x11>(totals, totals);
            let exclusive = _mm256_xor_si256(sums, self.0);
            (
                Self(_mm256_xor_si256(exclusive, below)),
                Self(_mm256_xor_si256(
                    above,
                    _mm256_permute2x128_si256::<0x00>(totals, totals),
                )),
            )
        }
    }

    #[inline(always)]
    fn scan_down(self) -> (Self, Self) {
        let (below, total) = self.scan_up();
        (total.xor(below).xor(self), total)
    }
}

impl Row<TILE> for Lanes {
    type Rotation = Rotation;

    #[inline(always)]
    fn numbers(cpu: Avx2) -> Self {
        const LANE_NUMBERS: [[u8; 16]; 2] = [
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
            [
                16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
            ],
        ];
        let [low, high] = &LANE_NUMBERS;
        Self::load_halves(cpu, low, high)
    }

    #[inline(always)]
    fn first(cpu: Avx2, count: usize) -> Self {
        let end = Self::splat(cpu, count.min(LANES) as u8);
        // SAFETY: `end` proves AVX2.
        Self(unsafe { _mm256_cmpgt_epi8(end.0, Self::numbers(cpu).0) })
    }

    #[inline(always)]
    fn read(cpu: Avx2, bytes: &[u8]) -> Self {
        let mut row = [0; LANES];
        match bytes.first_chunk() {
            Some(whole) => row = *whole,
            None => {
                if let Some(start) = row.get_mut(..bytes.len()) {
                    start.copy_from_slice(bytes);
                }
            }
        }
        let [low, high] = row.as_chunks().0 else {
            return Self::splat(cpu, 0);
        };
        Self::load_halves(cpu, low, high)
    }

    #[inline(always)]
    fn write(self, bytes: &mut [u8]) {
        let mut row = [0; LANES];
        if let [low, high] = row.as_chunks_mut().0 {
            self.store_halves(low, high);
        }
        match bytes.first_chunk_mut() {
            Some(whole) => *whole = row,
            None => {
                if let Some(start) = row.get(..bytes.len()) {
                    bytes.copy_from_slice(start);
                }
            }
        }
    }

    #[inline(always)]
    fn rotation(self) -> Rotation {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let powers = _mm256_set1_epi64x(i64::from_le_bytes([1, 2, 4, 8, 16, 32, 64, 128]));
            let by = _mm256_and_si256(self.0, _mm256_set1_epi8(7));
            let factors = _mm256_shuffle_epi8(powers, by);
            let even = _mm256_and_si256(factors, _mm256_set1_epi16(0xFF));
            Rotation {
                even,
                odd: _mm256_srli_epi16::<8>(factors),
            }
        }
    }

    #[inline(always)]
    fn rotate_each(self, by: Rotation) -> Self {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let low = _mm256_set1_epi16(0xFF);
            let even = _mm256_mullo_epi16(_mm256_and_si256(self.0, low), by.even);
            let even = _mm256_or_si256(even, _mm256_srli_epi16::<8>(even));
            let odd = _mm256_mullo_epi16(_mm256_srli_epi16::<8>(self.0), by.odd);
            let odd = _mm256_or_si256(odd, _mm256_slli_epi16::<8>(odd));
            Self(_mm256_blendv_epi8(odd, even, low))
        }
    }
}

/// What the bytes at even and at odd places are multiplied by, as words of 16 bits.
#[derive(Clone, Copy)]
struct Rotation {
    even: __m256i,
    odd: __m256i,
}

/// Interleaves the first half of the rows with the second, within each half of a register.
///
/// A byte's place in the eight half rows is an address of seven bits: three name the row, and as
/// rows of a tile the upper four name the lane, as vectors the lower four. This rotates that
/// address to the left by one bit; four times turn rows into vectors, three times back.
#[inline(always)]
fn riffle([a, b, c, d, e, f, g, h]: [Lanes; 8]) -> [Lanes; 8] {
    let (p, q) = a.interleave(e);
    let (r, s) = b.interleave(f);
    let (t, u) = c.interleave(g);
    let (v, w) = d.interleave(h);
    [p, q, r, s, t, u, v, w]
}
