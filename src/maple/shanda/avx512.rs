//! 64 lanes in AVX-512 registers: rotations and scans are products of bit matrices.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::row::{self, Row};
use super::tile::{self, Vector};

const LANES: usize = 64;
const TILE: usize = 8 * LANES;

/// Proof that this CPU has AVX-512 F, BW and VBMI, GFNI, and BMI2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx512(());

impl Avx512 {
    /// Asks the CPU.
    pub(super) fn new() -> Option<Self> {
        (is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("gfni")
            && is_x86_feature_detected!("bmi2"))
        .then_some(Self(()))
    }

    pub(super) fn encrypt(self, data: &mut [u8]) {
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni,bmi2")]
        fn encrypt(cpu: Avx512, data: &mut [u8]) {
            match data.len().div_ceil(LANES) {
                0 => {}
                1 => row::encrypt::<Lanes, TILE, 1>(cpu, data),
                2 => row::encrypt::<Lanes, TILE, 2>(cpu, data),
                3 => row::encrypt::<Lanes, TILE, 3>(cpu, data),
                4 => row::encrypt::<Lanes, TILE, 4>(cpu, data),
                _ => tile::encrypt::<Lanes, TILE>(cpu, data),
            }
        }
        // SAFETY: `self` proves the features.
        unsafe { encrypt(self, data) }
    }

    pub(super) fn decrypt(self, data: &mut [u8]) {
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni,bmi2")]
        fn decrypt(cpu: Avx512, data: &mut [u8]) {
            match data.len().div_ceil(LANES) {
                0 => {}
                1 => row::decrypt::<Lanes, TILE, 1>(cpu, data),
                2 => row::decrypt::<Lanes, TILE, 2>(cpu, data),
                3 => row::decrypt::<Lanes, TILE, 3>(cpu, data),
                4 => row::decrypt::<Lanes, TILE, 4>(cpu, data),
                _ => tile::decrypt::<Lanes, TILE>(cpu, data),
            }
        }
        // SAFETY: `self` proves the features.
        unsafe { decrypt(self, data) }
    }
}

/// One byte of 64 lanes; made only from an [`Avx512`], so that holding one is proof as well.
#[derive(Clone, Copy)]
struct Lanes(__m512i);

/// `[f(0), f(1), .., f(63)]`, cut to bytes.
macro_rules! table {
    (|$at:ident| $value:expr) => {{
        let mut table = [0u8; LANES];
        let mut rest: &mut [u8] = &mut table;
        let mut $at = 0;
        while let Some((byte, more)) = rest.split_first_mut() {
            *byte = ($value) as u8;
            rest = more;
            $at += 1;
        }
        table
    }};
}

/// The number of each lane, and eight times as much.
const NUMBERS: [u8; LANES] = table!(|at| at);
const OFFSETS: [u8; LANES] = table!(|at| 8 * at);

/// Which of the 128 lanes of two registers to take: those with even and with odd numbers,
const EVEN: [u8; LANES] = table!(|at| 2 * at);
const ODD: [u8; LANES] = table!(|at| 2 * at + 1);
/// alternately from the lower and from the upper halves of both,
const LOW: [u8; LANES] = table!(|at| at / 2 + at % 2 * LANES);
const HIGH: [u8; LANES] = table!(|at| at / 2 + at % 2 * LANES + LANES / 2);
/// the last of the first and then the second; the first but for its first and then the second's.
const UP: [u8; LANES] = table!(|at| at + LANES - 1);
const DOWN: [u8; LANES] = table!(|at| at + 1);

/// The unit matrix in a mirror. Multiplied with a matrix, it transposes that, and turns it so
/// that byte `m` of a word is bit `7 - m` of each of its eight planes.
const MIRROR: i64 = 0x0102_0408_1020_4080;
/// The bytes below and above each in its word, and the words below and above that of each, as
/// bits of a plane.
const BELOW: [u8; LANES] = table!(|at| 0xFF00 >> (at % 8));
const ABOVE: [u8; LANES] = table!(|at| 0x7F >> (at % 8));
const WORDS_BELOW: [u8; LANES] = table!(|at| 0xFF00 >> (at / 8));
const WORDS_ABOVE: [u8; LANES] = table!(|at| 0x7F >> (at / 8));
/// The first byte of each word, in every word.
const HEADS: [u8; LANES] = table!(|at| at % 8 * 8);

/// The first bit of each byte in its word, and the `at % 8` lowest bits.
const BITS: [u8; LANES] = table!(|at| at % 8 * 8);
const LOW_BITS: [u8; LANES] = table!(|at| (1 << (at % 8)) - 1);

/// The matrix that rotates a byte left by `by` bits: row `7 - i` chooses bit `i - by` as bit `i`.
const fn rotation_matrix(by: usize) -> i64 {
    let mut rows = 0;
    let mut i = 0;
    while i < 8 {
        rows |= 1 << (8 * (7 - i) + (i + 8 - by) % 8);
        i += 1;
    }
    rows
}

impl Lanes {
    #[inline(always)]
    fn from_table(_: Avx512, bytes: &[u8; LANES]) -> Self {
        // SAFETY: the argument proves the features; the reference is to 64 bytes.
        Self(unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) })
    }

    /// Takes lanes of `self`, 0 to 63, and of `other`, 64 to 127.
    #[inline(always)]
    fn pick(self, lanes: &[u8; LANES], other: Self) -> Self {
        // SAFETY: `self` proves the features; the reference is to 64 bytes.
        unsafe {
            let lanes = _mm512_loadu_si512(lanes.as_ptr().cast());
            Self(_mm512_permutex2var_epi8(self.0, lanes, other.0))
        }
    }

    /// Takes, per lane, the XOR of the chosen bytes of its word and of the chosen words; and, in
    /// every lane, the XOR of all.
    #[inline(always)]
    fn scan(self, bytes: &[u8; LANES], words: &[u8; LANES]) -> (Self, Self) {
        // SAFETY: `self` proves the features; the references are to 64 bytes.
        unsafe {
            let mirror = _mm512_set1_epi64(MIRROR);
            let all = _mm512_set1_epi8(-1);
            let bytes = _mm512_loadu_si512(bytes.as_ptr().cast());
            let words = _mm512_loadu_si512(words.as_ptr().cast());
            let heads = _mm512_loadu_si512(HEADS.as_ptr().cast());

            let planes = _mm512_gf2p8affine_epi64_epi8::<0>(mirror, self.0);
            let inner = _mm512_gf2p8affine_epi64_epi8::<0>(bytes, planes);
            let totals = _mm512_gf2p8affine_epi64_epi8::<0>(all, planes);
            let totals = _mm512_permutexvar_epi8(heads, totals);
            let planes = _mm512_gf2p8affine_epi64_epi8::<0>(mirror, totals);
            let outer = _mm512_gf2p8affine_epi64_epi8::<0>(words, planes);
            let total = _mm512_gf2p8affine_epi64_epi8::<0>(all, planes);
            (Self(_mm512_xor_si512(inner, outer)), Self(total))
        }
    }
}

impl Vector<TILE> for Lanes {
    type Cpu = Avx512;
    type Mask = __mmask64;

    #[inline(always)]
    fn splat(_: Avx512, byte: u8) -> Self {
        // SAFETY: the argument proves the features.
        Self(unsafe { _mm512_set1_epi8(byte.cast_signed()) })
    }

    #[inline(always)]
    fn offsets(cpu: Avx512) -> Self {
        Self::from_table(cpu, &OFFSETS)
    }

    #[inline(always)]
    fn present(cpu: Avx512, missing: usize) -> [__mmask64; 8] {
        // SAFETY: the argument proves the features.
        unsafe {
            let room = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
            let bytes = _mm512_add_epi64(_mm512_set1_epi64(missing as i64), room);
            ones_from(cpu, _mm512_srli_epi64::<3>(bytes))
        }
    }

    #[inline(always)]
    fn load(cpu: Avx512, bytes: &[u8; TILE]) -> [Self; 8] {
        let mut rows = [Self::splat(cpu, 0); 8];
        for (row, bytes) in rows.iter_mut().zip(bytes.as_chunks().0) {
            *row = Self::from_table(cpu, bytes);
        }
        rows
    }

    #[inline(always)]
    fn store(rows: [Self; 8], bytes: &mut [u8; TILE]) {
        for (row, bytes) in rows.iter().zip(bytes.as_chunks_mut::<LANES>().0) {
            // SAFETY: `row` proves the features; the reference is to 64 bytes.
            unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), row.0) }
        }
    }

    #[inline(always)]
    fn gather_end(cpu: Avx512, bytes: &[u8]) -> [Self; 8] {
        let missing = TILE.saturating_sub(bytes.len());
        let mut at = bytes.as_ptr().wrapping_sub(missing);
        let mut rows = [Self::splat(cpu, 0); 8];
        for (row, mask) in rows.iter_mut().zip(rows_present(cpu, missing)) {
            // SAFETY: the argument proves the features; the mask keeps to `bytes`.
            *row = Self(unsafe { _mm512_maskz_loadu_epi8(mask, at.cast()) });
            at = at.wrapping_add(LANES);
        }
        transpose(rows)
    }

    #[inline(always)]
    fn scatter_end(cpu: Avx512, tile: [Self; 8], bytes: &mut [u8]) {
        let missing = TILE.saturating_sub(bytes.len());
        let mut at = bytes.as_mut_ptr().wrapping_sub(missing);
        for (row, mask) in transpose_back(tile)
            .into_iter()
            .zip(rows_present(cpu, missing))
        {
            // SAFETY: `row` proves the features; the mask keeps to `bytes`.
            unsafe { _mm512_mask_storeu_epi8(at.cast(), mask, row.0) }
            at = at.wrapping_add(LANES);
        }
    }

    #[inline(always)]
    fn gather(cpu: Avx512, bytes: &[u8; TILE]) -> [Self; 8] {
        transpose(Self::load(cpu, bytes))
    }

    #[inline(always)]
    fn scatter(tile: [Self; 8], bytes: &mut [u8; TILE]) {
        Self::store(transpose_back(tile), bytes);
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: `self` proves the features.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: `self` proves the features.
        Self(unsafe { _mm512_add_epi8(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: `self` proves the features.
        Self(unsafe { _mm512_sub_epi8(self.0, other.0) })
    }

    #[inline(always)]
    fn rotate(self, by: usize) -> Self {
        let matrix = match by {
            1 => const { rotation_matrix(1) },
            2 => const { rotation_matrix(2) },
            3 => const { rotation_matrix(3) },
            4 => const { rotation_matrix(4) },
            5 => const { rotation_matrix(5) },
            6 => const { rotation_matrix(6) },
            7 => const { rotation_matrix(7) },
            _ => return self,
        };
        // SAFETY: `self` proves the features.
        Self(unsafe { _mm512_gf2p8affine_epi64_epi8::<0>(self.0, _mm512_set1_epi64(matrix)) })
    }

    #[inline(always)]
    fn keep(self, mask: __mmask64) -> Self {
        // SAFETY: `self` proves the features.
        Self(unsafe { _mm512_maskz_mov_epi8(mask, self.0) })
    }

    #[inline(always)]
    fn shift_up(self, before: Self) -> Self {
        before.pick(&UP, self)
    }

    #[inline(always)]
    fn shift_down(self, after: Self) -> Self {
        self.pick(&DOWN, after)
    }

    #[inline(always)]
    fn scan_up(self) -> (Self, Self) {
        self.scan(&BELOW, &WORDS_BELOW)
    }

    #[inline(always)]
    fn scan_down(self) -> (Self, Self) {
        self.scan(&ABOVE, &WORDS_ABOVE)
    }
}

impl Row<TILE> for Lanes {
    type Rotation = Rotation;

    #[inline(always)]
    fn numbers(cpu: Avx512) -> Self {
        Self::from_table(cpu, &NUMBERS)
    }

    #[inline(always)]
    fn first(_: Avx512, count: usize) -> __mmask64 {
        !u64::MAX.unbounded_shl(count as u32)
    }

    #[inline(always)]
    fn read(cpu: Avx512, bytes: &[u8]) -> Self {
        let mask = Self::first(cpu, bytes.len());
        // SAFETY: the argument proves the features; the mask keeps to `bytes`.
        Self(unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn write(self, bytes: &mut [u8]) {
        let mask = !u64::MAX.unbounded_shl(bytes.len() as u32);
        // SAFETY: `self` proves the features; the mask keeps to `bytes`.
        unsafe { _mm512_mask_storeu_epi8(bytes.as_mut_ptr().cast(), mask, self.0) }
    }

    #[inline(always)]
    fn rotation(self) -> Rotation {
        // SAFETY: `self` proves the features; the references are to 64 bytes.
        unsafe {
            let by = _mm512_and_si512(self.0, _mm512_set1_epi8(7));
            let low = _mm512_loadu_si512(LOW_BITS.as_ptr().cast());
            let below = _mm512_sub_epi8(_mm512_loadu_si512(BITS.as_ptr().cast()), by);
            Rotation {
                below,
                above: _mm512_add_epi8(below, _mm512_set1_epi8(8)),
                low: _mm512_shuffle_epi8(low, by),
            }
        }
    }

    #[inline(always)]
    fn rotate_each(self, by: Rotation) -> Self {
        // SAFETY: `self` proves the features.
        unsafe {
            let below = _mm512_multishift_epi64_epi8(by.below, self.0);
            let above = _mm512_multishift_epi64_epi8(by.above, self.0);
            Self(_mm512_ternarylogic_epi64::<0xCA>(by.low, above, below))
        }
    }
}

/// Two cuts of eight bits out of a word, whose other bytes fill what neither has of its own.
#[derive(Clone, Copy)]
struct Rotation {
    /// Where the cut begins that has the low bits of the byte on top.
    below: __m512i,
    /// Where the cut begins that has the high bits of the byte at the bottom.
    above: __m512i,
    /// The bits to take from the latter.
    low: __m512i,
}

#[inline(always)]
fn transpose(mut rows: [Lanes; 8]) -> [Lanes; 8] {
    for _ in 0..3 {
        let [a, b, c, d, e, f, g, h] = rows;
        rows = [
            a.pick(&EVEN, b),
            c.pick(&EVEN, d),
            e.pick(&EVEN, f),
            g.pick(&EVEN, h),
            a.pick(&ODD, b),
            c.pick(&ODD, d),
            e.pick(&ODD, f),
            g.pick(&ODD, h),
        ];
    }
    rows
}

#[inline(always)]
fn transpose_back(mut tile: [Lanes; 8]) -> [Lanes; 8] {
    for _ in 0..3 {
        let [a, b, c, d, e, f, g, h] = tile;
        tile = [
            a.pick(&LOW, e),
            a.pick(&HIGH, e),
            b.pick(&LOW, f),
            b.pick(&HIGH, f),
            c.pick(&LOW, g),
            c.pick(&HIGH, g),
            d.pick(&LOW, h),
            d.pick(&HIGH, h),
        ];
    }
    tile
}

/// The bytes of each row that are not among the `missing` first of a tile.
#[inline(always)]
fn rows_present(cpu: Avx512, missing: usize) -> [__mmask64; 8] {
    // SAFETY: the argument proves the features.
    unsafe {
        let before = _mm512_set_epi64(448, 384, 320, 256, 192, 128, 64, 0);
        // Saturates at zero, as a word of 64 bits is below 2^16 here.
        ones_from(
            cpu,
            _mm512_subs_epu16(_mm512_set1_epi64(missing as i64), before),
        )
    }
}

/// Words of ones from the bit on that each count names.
#[inline(always)]
fn ones_from(_: Avx512, counts: __m512i) -> [u64; 8] {
    let mut masks = [0; 8];
    // SAFETY: the argument proves the features; the array is 64 bytes.
    unsafe {
        let ones = _mm512_sllv_epi64(_mm512_set1_epi64(-1), counts);
        _mm512_storeu_si512(masks.as_mut_ptr().cast(), ones);
    }
    masks
}
