//! The room against the vectors, and its fast ways against its plain ones.

mod streams;
mod vectors;
mod writing;

use super::*;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

pub(super) static VECTORS: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../../tests/data/maple.json")).unwrap());

pub(super) fn cases(section: &str) -> impl Iterator<Item = &'static Value> {
    let cases = VECTORS[section]["cases"].as_array().unwrap();
    assert!(!cases.is_empty());
    cases.iter()
}

pub(super) fn unhex(text: &Value) -> Vec<u8> {
    let text = text.as_str().unwrap();
    (0..text.len() / 2)
        .map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap())
        .collect()
}

pub(super) fn number(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

fn iv(text: &Value) -> Iv {
    Iv::new(unhex(text).try_into().unwrap())
}

fn key(name: &Value) -> Key {
    let bytes = unhex(&VECTORS["constants"]["keys"][name.as_str().unwrap()]);
    Key::from_untrimmed(&bytes.try_into().unwrap())
}

pub(super) fn sha256(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(bytes).to_vec()
}

pub(super) fn lcg(seed: u32, len: usize) -> Vec<u8> {
    let mut state = seed;
    std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    })
    .take(len)
    .collect()
}

/// The vectors' `P(n)`.
pub(super) fn plain(len: usize) -> Vec<u8> {
    lcg(0x1234_ABCD_u32.wrapping_add(len as u32), len)
}

/// The bytes of Java's generator.
fn jrand(seed: u64, len: usize) -> Vec<u8> {
    let mask = (1 << 48) - 1;
    let mut state = (seed ^ 0x5_DEEC_E66D) & mask;
    let mut bytes = Vec::new();
    while bytes.len() < len {
        state = (state.wrapping_mul(0x5_DEEC_E66D) + 0xB) & mask;
        bytes.extend(((state >> 16) as u32).to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

/// Compares with an output that is given whole, or by digest, head and tail.
pub(super) fn check(bytes: &[u8], expected: &Value, what: &str) {
    if let Some(expected) = expected.as_object() {
        if let Some(hex) = expected.get("hex") {
            assert_eq!(bytes, unhex(hex), "{what}");
        } else {
            assert_eq!(sha256(bytes), unhex(&expected["sha256"]), "{what}");
        }
    } else {
        assert_eq!(bytes, unhex(expected), "{what}");
    }
}
