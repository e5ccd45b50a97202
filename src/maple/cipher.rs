//! The payload ciphers that are not AES (maple.md 10): short, old, and byte by byte.

#![forbid(unsafe_code)]

use super::{
    Iv,
    iv::{step, substitute},
};

/// Encrypts with the feedback cipher of KMS, KMST and IMS (maple.md 10.1); each byte feeds the
/// next, so there is nothing to run in parallel.
pub fn kms_encrypt(iv: Iv, payload: &mut [u8]) {
    let mut state = iv.bytes();
    for byte in payload {
        let plain = *byte;
        let [s0, ..] = state;
        *byte = substitute(s0) ^ swap_bits(swap_nibbles(plain));
        state = step(state, plain);
    }
}

/// Decrypts what [`kms_encrypt`] made.
pub fn kms_decrypt(iv: Iv, payload: &mut [u8]) {
    let mut state = iv.bytes();
    for byte in payload {
        let [s0, ..] = state;
        *byte = swap_nibbles(swap_bits(*byte ^ substitute(s0)));
        state = step(state, *byte);
    }
}

/// Encrypts with the XOR cipher of the 2004 clients (maple.md 10.2).
pub fn xor_encrypt(iv: Iv, payload: &mut [u8]) {
    let [key, ..] = iv.bytes();
    for byte in payload {
        *byte = swap_nibbles(*byte) ^ key;
    }
}

/// Decrypts what [`xor_encrypt`] made.
pub fn xor_decrypt(iv: Iv, payload: &mut [u8]) {
    let [key, ..] = iv.bytes();
    for byte in payload {
        *byte = swap_nibbles(*byte ^ key);
    }
}

/// Encrypts with the linear cipher of newer game servers (maple.md 10.3).
pub fn linear_encrypt(iv: Iv, payload: &mut [u8]) {
    let [key, ..] = iv.bytes();
    for byte in payload {
        *byte = byte.wrapping_add(key);
    }
}

/// Decrypts what [`linear_encrypt`] made.
pub fn linear_decrypt(iv: Iv, payload: &mut [u8]) {
    let [key, ..] = iv.bytes();
    for byte in payload {
        *byte = byte.wrapping_sub(key);
    }
}

const fn swap_nibbles(byte: u8) -> u8 {
    byte.rotate_left(4)
}

const fn swap_bits(byte: u8) -> u8 {
    (byte >> 1) & 0x55 | (byte << 1) & 0xAA
}
