//! Sixteen AES-256 chains in four AVX-512 registers (VAES), and their keystreams' XOR.

#![allow(unsafe_code)]

use super::{Input, Lane, WIDTH};
use crate::maple::{Key, keystream::BLOCK, shuffle::avx512::turned};
use std::arch::x86_64::*;

/// Bytes of one register, and of a lane between two visits.
const WIDE: usize = 64;
/// Blocks of a lane between two visits.
const STEPS: usize = WIDE / BLOCK;
/// Additions of a round key in AES-256.
const ROUND_KEYS: usize = 15;

/// An expanded key; its existence proves that this CPU has AVX-512 F and BW, AES and VAES.
pub(in crate::maple) struct RoundKeys([RoundKey; ROUND_KEYS]);

/// A round key four times, within one line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct RoundKey([u8; WIDE]);

impl RoundKeys {
    /// Expands `key`, if this CPU can use it.
    pub(in crate::maple) fn new(key: Key) -> Option<Self> {
        let able = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("aes")
            && is_x86_feature_detected!("vaes");
        able.then(|| {
            // SAFETY: the features were detected.
            let keys = unsafe { expand(&key.expanded()) };
            Self(keys.map(|key| {
                let mut wide = [0; WIDE];
                wide.as_chunks_mut().0.fill(key);
                RoundKey(wide)
            }))
        })
    }

    /// Runs the first sixteen of `lanes`.
    pub(in crate::maple) fn run<const CHAINS: usize>(&self, lanes: &mut [Lane<'_, CHAINS>]) {
        // Four registers of four chains keep a unit busy that starts a register's round every
        // cycle and takes four cycles for it; fewer leave more of it to others.
        // SAFETY: `self` proves the features.
        unsafe {
            match lanes.len().div_ceil(STEPS) {
                0 | 1 => run::<1, CHAINS>(&self.0, lanes),
                2 => run::<2, CHAINS>(&self.0, lanes),
                _ => run::<4, CHAINS>(&self.0, lanes),
            }
        }
    }

    #[cfg(test)]
    pub(super) fn narrow(&self) -> [[u8; BLOCK]; ROUND_KEYS] {
        self.0.map(|key| *key.0.first_chunk().unwrap())
    }
}

/// The key expansion of AES-256: FIPS 197, 5.2.
#[target_feature(enable = "aes")]
fn expand(key: &[u8; 32]) -> [[u8; BLOCK]; ROUND_KEYS] {
    /// Eight words of the schedule, of which `$even` and `$odd` are the last.
    macro_rules! next {
        ($even:ident, $odd:ident, $constant:literal) => {{
            let word = _mm_aeskeygenassist_si128::<$constant>($odd);
            $even = mixed($even, _mm_shuffle_epi32::<0b11_11_11_11>(word));
            let word = _mm_aeskeygenassist_si128::<0>($even);
            $odd = mixed($odd, _mm_shuffle_epi32::<0b10_10_10_10>(word));
            [$even, $odd]
        }};
    }
    let [mut even, mut odd] = [0, BLOCK].map(|at| {
        let mut half = [0; BLOCK];
        half.copy_from_slice(key.get(at..at + BLOCK).unwrap_or(&[0; BLOCK]));
        // SAFETY: both are sixteen bytes, of which any are valid.
        unsafe { std::mem::transmute::<[u8; BLOCK], __m128i>(half) }
    });
    let pairs = [
        [even, odd],
        next!(even, odd, 0x01),
        next!(even, odd, 0x02),
        next!(even, odd, 0x04),
        next!(even, odd, 0x08),
        next!(even, odd, 0x10),
        next!(even, odd, 0x20),
        next!(even, odd, 0x40),
    ];
    let mut keys = [[0; BLOCK]; ROUND_KEYS];
    for (place, key) in keys.iter_mut().zip(pairs.into_iter().flatten()) {
        // SAFETY: both are sixteen bytes, of which any are valid.
        *place = unsafe { std::mem::transmute::<__m128i, [u8; BLOCK]>(key) };
    }
    keys
}

/// Four words of the schedule from the four that lie eight before, and the substituted word.
#[inline]
#[target_feature(enable = "aes")]
fn mixed(mut words: __m128i, substituted: __m128i) -> __m128i {
    for _ in 0..3 {
        // Each time one word more is the sum of all before it.
        words = _mm_xor_si128(words, _mm_slli_si128::<4>(words));
    }
    _mm_xor_si128(words, substituted)
}

/// Where a lane's bytes come from and go to.
#[derive(Clone, Copy)]
struct Place {
    input: *const u8,
    out: *mut u8,
    len: usize,
    /// Ones where the input counts: all of it, or nothing.
    counts: __mmask64,
}

impl Place {
    const NONE: Self = Self {
        input: std::ptr::null(),
        out: std::ptr::null_mut(),
        len: 0,
        counts: 0,
    };

    fn of<const CHAINS: usize>(lane: &mut Lane<'_, CHAINS>) -> Self {
        let len = lane.len();
        let out = lane.out.as_mut_ptr();
        let (input, counts) = match lane.input {
            Input::InPlace => (out.cast_const(), !0),
            Input::Bytes(bytes) => (bytes.as_ptr(), !0),
            Input::Nothing => (out.cast_const(), 0),
        };
        Self {
            input,
            out,
            len,
            counts,
        }
    }

    /// Writes the 64 bytes from `at` on, or as many as there are.
    ///
    /// # Safety
    ///
    /// The slices it was made of are still borrowed.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn put(&self, at: usize, keystream: __m512i) {
        let left = self.len.saturating_sub(at);
        let (input, out) = (self.input.wrapping_add(at), self.out.wrapping_add(at));
        if left >= WIDE {
            let bytes = match self.counts {
                0 => _mm512_setzero_si512(),
                // SAFETY: 64 bytes from `at` on are within the slice.
                _ => unsafe { _mm512_loadu_si512(input.cast()) },
            };
            // SAFETY: as above.
            unsafe { _mm512_storeu_si512(out.cast(), _mm512_xor_si512(bytes, keystream)) };
        } else if left > 0 {
            let within = !0 >> (WIDE - left.min(WIDE));
            // SAFETY: neither touches bytes outside its mask, and those inside are within both
            // slices.
            unsafe {
                let bytes = _mm512_maskz_loadu_epi8(within & self.counts, input.cast());
                let bytes = _mm512_xor_si512(bytes, keystream);
                _mm512_mask_storeu_epi8(out.cast(), within, bytes);
            }
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,vaes")]
fn run<const REGISTERS: usize, const CHAINS: usize>(
    keys: &[RoundKey; ROUND_KEYS],
    lanes: &mut [Lane<'_, CHAINS>],
) {
    let mut places = [Place::NONE; WIDTH];
    let mut starts = [[[0; BLOCK]; WIDTH]; CHAINS];
    for (index, (place, lane)) in places.iter_mut().zip(lanes).enumerate() {
        *place = Place::of(lane);
        for (starts, start) in starts.iter_mut().zip(lane.starts) {
            if let Some(place) = starts.get_mut(index) {
                *place = start;
            }
        }
    }
    let longest = places.iter().map(|place| place.len).max();
    let mut states = [[_mm512_setzero_si512(); REGISTERS]; CHAINS];
    for (states, starts) in states.iter_mut().zip(&starts) {
        for (state, starts) in states.iter_mut().zip(starts.as_chunks::<STEPS>().0) {
            // SAFETY: the reference is to 64 bytes.
            *state = unsafe { _mm512_loadu_si512(starts.as_ptr().cast()) };
        }
    }
    let longest = longest.unwrap_or_default();
    let mut tiles = [[[_mm512_setzero_si512(); STEPS]; REGISTERS]; 2];
    let [even, odd] = &mut tiles;
    let (mut blocks, mut before) = (even, odd);
    let mut at = 0;
    while at < longest {
        // The blocks of the steps before go to their places between these steps: that takes
        // long enough to leave the AES unit without work, and no step waits for it.
        for (step, places) in places.as_chunks::<STEPS>().0.iter().enumerate() {
            states = encrypt(keys, states);
            for (blocks, state) in blocks.iter_mut().zip(sum(states)) {
                if let Some(place) = blocks.get_mut(step) {
                    *place = state;
                }
            }
            if let (Some(at), Some(&before)) = (at.checked_sub(WIDE), before.get(step)) {
                // SAFETY: `lanes` are borrowed to the end of this function.
                unsafe { put(before, at, places) };
            }
        }
        std::mem::swap(&mut before, &mut blocks);
        at += WIDE;
    }
    if let Some(at) = at.checked_sub(WIDE) {
        for (&blocks, places) in before.iter().zip(places.as_chunks().0) {
            // SAFETY: as above.
            unsafe { put(blocks, at, places) };
        }
    }
}

/// Writes four blocks of each chain of one register.
///
/// # Safety
///
/// The slices that the places were made of are still borrowed.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn put(blocks: [__m512i; STEPS], at: usize, places: &[Place; STEPS]) {
    for (keystream, place) in turned(blocks).into_iter().zip(places) {
        // SAFETY: the caller keeps the contract of this very function.
        unsafe { place.put(at, keystream) };
    }
}

/// The lanes' chains put together.
#[inline]
#[target_feature(enable = "avx512f")]
fn sum<const REGISTERS: usize, const CHAINS: usize>(
    states: [[__m512i; REGISTERS]; CHAINS],
) -> [__m512i; REGISTERS] {
    let mut sums = [_mm512_setzero_si512(); REGISTERS];
    for states in states {
        for (sum, state) in sums.iter_mut().zip(states) {
            *sum = _mm512_xor_si512(*sum, state);
        }
    }
    sums
}

/// One block of each chain.
#[inline]
#[target_feature(enable = "avx512f,vaes")]
fn encrypt<const REGISTERS: usize, const CHAINS: usize>(
    keys: &[RoundKey; ROUND_KEYS],
    mut states: [[__m512i; REGISTERS]; CHAINS],
) -> [[__m512i; REGISTERS]; CHAINS] {
    let [first, middle @ .., last] = keys;
    let key = load(first);
    for state in states.as_flattened_mut() {
        *state = _mm512_xor_si512(*state, key);
    }
    for key in middle {
        let key = load(key);
        for state in states.as_flattened_mut() {
            *state = _mm512_aesenc_epi128(*state, key);
        }
    }
    let key = load(last);
    for state in states.as_flattened_mut() {
        *state = _mm512_aesenclast_epi128(*state, key);
    }
    states
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(key: &RoundKey) -> __m512i {
    // SAFETY: the reference is to 64 aligned bytes.
    unsafe { _mm512_load_si512(key.0.as_ptr().cast()) }
}
