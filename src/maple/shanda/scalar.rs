//! Shanda as the specification writes it (5.1, 5.2): one byte after the other.
//!
//! This is the definition; every other backend must give the same bytes.

#![forbid(unsafe_code)]

use super::{MASK, MINUEND};

const ROUNDS: usize = 3;

/// Encrypts a whole payload in place (maple.md 5.1).
pub fn encrypt(data: &mut [u8]) {
    for _ in 0..ROUNDS {
        encrypt_forward(data);
        encrypt_backward(data);
    }
}

/// Decrypts a whole payload in place (maple.md 5.2).
pub fn decrypt(data: &mut [u8]) {
    decrypt_as(data, data.len());
}

/// Decrypts the first bytes of a payload of `len` bytes in place and returns those that are
/// plaintext.
///
/// Garbage enters where the payload was cut and reaches three bytes to the left (maple.md 5.3), so
/// these are all but the last three; all of them if nothing was cut.
pub fn decrypt_prefix(data: &mut [u8], len: usize) -> &[u8] {
    decrypt_as(data, len);
    let whole = if data.len() < len {
        data.len().saturating_sub(ROUNDS)
    } else {
        data.len()
    };
    data.get(..whole).unwrap_or_default()
}

fn decrypt_as(data: &mut [u8], len: usize) {
    for _ in 0..ROUNDS {
        decrypt_backward(data);
        decrypt_forward(data, len);
    }
}

pub(super) fn encrypt_forward(data: &mut [u8]) {
    let mut counter = data.len() as u8;
    let mut sum = 0;
    for byte in data {
        sum ^= byte.rotate_left(3).wrapping_add(counter);
        *byte = MINUEND.wrapping_sub(sum.rotate_right(u32::from(counter)));
        counter = counter.wrapping_sub(1);
    }
}

pub(super) fn encrypt_backward(data: &mut [u8]) {
    let mut counter = data.len() as u8;
    let mut sum = 0;
    for byte in data.iter_mut().rev() {
        sum ^= byte.rotate_left(4).wrapping_add(counter);
        *byte = (sum ^ MASK).rotate_right(3);
        counter = counter.wrapping_sub(1);
    }
}

pub(super) fn decrypt_backward(data: &mut [u8]) {
    let mut counter = data.len() as u8;
    let mut right = 0;
    for byte in data.iter_mut().rev() {
        let sum = byte.rotate_left(3) ^ MASK;
        *byte = (sum ^ right).wrapping_sub(counter).rotate_right(4);
        right = sum;
        counter = counter.wrapping_sub(1);
    }
}

pub(super) fn decrypt_forward(data: &mut [u8], len: usize) {
    let mut counter = len as u8;
    let mut left = 0;
    for byte in data {
        let sum = MINUEND.wrapping_sub(*byte).rotate_left(u32::from(counter));
        *byte = (sum ^ left).wrapping_sub(counter).rotate_right(3);
        left = sum;
        counter = counter.wrapping_sub(1);
    }
}
