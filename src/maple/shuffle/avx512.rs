//! 64 IVs in AVX-512 registers, a register per byte.

#![allow(unsafe_code)]

use super::WIDTH;
use crate::maple::{
    Iv,
    iv::{START, TABLE},
};
use std::arch::x86_64::*;

/// Proof that this CPU has AVX-512 F, BW and VBMI.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx512(());

/// Byte `k` of sixteen IVs becomes lane `k` of the register's four, and back.
const GATHER: [u8; WIDTH] = transposed(4);
const SCATTER: [u8; WIDTH] = transposed(16);

const fn transposed(columns: usize) -> [u8; WIDTH] {
    let rows = WIDTH / columns;
    let mut order = [0; WIDTH];
    let mut rest: &mut [u8] = &mut order;
    let mut at = 0;
    while let Some((place, more)) = rest.split_first_mut() {
        *place = (at % rows * columns + at / rows) as u8;
        rest = more;
        at += 1;
    }
    order
}

impl Avx512 {
    /// Asks the CPU.
    pub(super) fn new() -> Option<Self> {
        (is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi"))
        .then_some(Self(()))
    }

    pub(super) fn advance(self, ivs: &mut [Iv; WIDTH]) {
        let mut bytes = [[0; 4]; WIDTH];
        for (place, iv) in bytes.iter_mut().zip(&*ivs) {
            *place = iv.bytes();
        }
        // SAFETY: `self` proves the features.
        unsafe { advance(&mut bytes) };
        for (iv, after) in ivs.iter_mut().zip(bytes) {
            *iv = Iv::new(after);
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn advance(ivs: &mut [[u8; 4]; WIDTH]) {
    let (quarters, _) = ivs.as_flattened_mut().as_chunks_mut::<WIDTH>();
    let [first, second, third, fourth] = quarters else {
        return;
    };
    let rows = [load(first), load(second), load(third), load(fourth)];
    let gather = load(&GATHER);
    let planes = turned(rows.map(|row| _mm512_permutexvar_epi8(gather, row)));
    let [low, more, many, most] = TABLE.as_chunks::<WIDTH>().0 else {
        return;
    };
    let table = [load(low), load(more), load(many), load(most)];
    let mut state = START.map(|byte| _mm512_set1_epi8(byte.cast_signed()));
    for plane in planes {
        state = step(state, plane, table);
    }
    let scatter = load(&SCATTER);
    let rows = turned(state).map(|row| _mm512_permutexvar_epi8(scatter, row));
    store(rows, [first, second, third, fourth]);
}

/// The inner step of the shuffle, as [`iv`](crate::maple::iv) has it.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn step(state: [__m512i; 4], byte: __m512i, table: [__m512i; 4]) -> [__m512i; 4] {
    let [mut s0, mut s1, mut s2, mut s3] = state;
    let t = substitute(byte, table);
    s0 = _mm512_sub_epi8(_mm512_add_epi8(s0, substitute(s1, table)), byte);
    s1 = _mm512_sub_epi8(s1, _mm512_xor_si512(s2, t));
    s2 = _mm512_xor_si512(s2, _mm512_add_epi8(substitute(s3, table), byte));
    s3 = _mm512_sub_epi8(s3, _mm512_sub_epi8(s0, t));
    [carry(s0, s3), carry(s1, s0), carry(s2, s1), carry(s3, s2)]
}

/// A byte of a word that is rotated left by three: its own low five bits above the high three
/// of the byte `below`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn carry(byte: __m512i, below: __m512i) -> __m512i {
    /// Bits of the first where the third has ones, else of the second.
    const CHOOSE: i32 = 0b1110_0100;
    let (high, low) = (_mm512_slli_epi16::<3>(byte), _mm512_srli_epi16::<5>(below));
    let own = _mm512_set1_epi8(0xF8_u8.cast_signed());
    _mm512_ternarylogic_epi64::<CHOOSE>(high, low, own)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn substitute(bytes: __m512i, table: [__m512i; 4]) -> __m512i {
    let [first, second, third, fourth] = table;
    let low = _mm512_permutex2var_epi8(first, bytes, second);
    let high = _mm512_permutex2var_epi8(third, bytes, fourth);
    _mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes), low, high)
}

/// Exchanges registers and lanes of 16 bytes: a transposed matrix of four by four.
#[inline]
#[target_feature(enable = "avx512f")]
pub(in crate::maple) fn turned([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let (even_ab, odd_ab) = halves(a, b);
    let (even_cd, odd_cd) = halves(c, d);
    let (first, third) = halves(even_ab, even_cd);
    let (second, fourth) = halves(odd_ab, odd_cd);
    [first, second, third, fourth]
}

/// The lanes with even and with odd numbers of both.
#[inline]
#[target_feature(enable = "avx512f")]
fn halves(a: __m512i, b: __m512i) -> (__m512i, __m512i) {
    (
        _mm512_shuffle_i64x2::<0b10_00_10_00>(a, b),
        _mm512_shuffle_i64x2::<0b11_01_11_01>(a, b),
    )
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn load(bytes: &[u8; WIDTH]) -> __m512i {
    // SAFETY: the reference is to 64 bytes, and the instruction asks for no alignment.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn store(rows: [__m512i; 4], places: [&mut [u8; WIDTH]; 4]) {
    for (row, place) in rows.into_iter().zip(places) {
        // SAFETY: the reference is to 64 bytes, and the instruction asks for no alignment.
        unsafe { _mm512_storeu_si512(place.as_mut_ptr().cast(), row) };
    }
}
