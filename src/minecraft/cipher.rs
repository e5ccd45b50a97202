//! The stream cipher of authenticated connections (minecraft.md 3.3).

use aes::Aes128;
use cfb8::cipher::KeyIvInit;
use std::fmt;

/// The secret both sides share: key and start of either direction.
pub type SharedSecret = [u8; 16];

/// One direction's way out.
pub struct Encryptor(cfb8::Encryptor<Aes128>);

impl Encryptor {
    /// A cipher at the start of its stream.
    pub fn new(secret: &SharedSecret) -> Self {
        Self(cfb8::Encryptor::new(secret.into(), secret.into()))
    }

    /// Encrypts the next bytes of the stream in place, length prefixes included.
    pub fn encrypt(&mut self, bytes: &mut [u8]) {
        self.0.encrypt(bytes);
    }
}

/// One direction's way in.
pub struct Decryptor(cfb8::Decryptor<Aes128>);

impl Decryptor {
    /// A cipher at the start of its stream.
    pub fn new(secret: &SharedSecret) -> Self {
        Self(cfb8::Decryptor::new(secret.into(), secret.into()))
    }

    /// Decrypts the next bytes of the stream in place, however they are split.
    pub fn decrypt(&mut self, bytes: &mut [u8]) {
        self.0.decrypt(bytes);
    }
}

impl fmt::Debug for Encryptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Encryptor")
    }
}

impl fmt::Debug for Decryptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Decryptor")
    }
}
