//! What the AES unit can do with sixteen chains in registers, when nothing is done with them.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

const REGISTERS: usize = 4;
const ROUNDS: usize = 14;

/// Steps all chains `steps` times; `None` if this CPU has no VAES.
pub(crate) fn chains(steps: usize) -> Option<[u8; 64]> {
    let able = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("vaes");
    // SAFETY: the features were detected.
    able.then(|| unsafe { step(steps) })
}

/// Blocks of one step.
pub(crate) const BLOCKS: usize = 4 * REGISTERS;

#[target_feature(enable = "avx512f,vaes")]
fn step(steps: usize) -> [u8; 64] {
    let key = _mm512_set1_epi32(steps as i32);
    let mut states = [key; REGISTERS];
    for _ in 0..steps {
        for _ in 0..ROUNDS {
            for state in &mut states {
                *state = _mm512_aesenc_epi128(*state, key);
            }
        }
    }
    let [first, ..] = states;
    let all = states
        .iter()
        .fold(first, |sum, state| _mm512_xor_si512(sum, *state));
    // SAFETY: both are 64 bytes, of which any are valid.
    unsafe { std::mem::transmute::<__m512i, [u8; 64]>(all) }
}
