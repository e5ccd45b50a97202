//! Shanda, the byte cipher.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(target_arch = "x86_64")]
mod row;
pub mod scalar;
#[cfg(test)]
mod tests;
mod tile;

/// What pass F subtracts its running XOR from.
const MINUEND: u8 = 0x47;
/// What pass B XORs its running XOR with.
const MASK: u8 = 0x13;
/// How often both passes run.
const ROUNDS: usize = 3;

/// One way to run the cipher, chosen once; all give the same bytes.
#[derive(Clone, Copy, Debug)]
pub struct Shanda(Backend);

#[derive(Clone, Copy, Debug)]
enum Backend {
    Scalar,
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
}

impl Shanda {
    /// Chooses the fastest backend this CPU can run.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(avx512) = avx512::Avx512::new() {
                return Self(Backend::Avx512(avx512));
            }
            if let Some(avx2) = avx2::Avx2::new() {
                return Self(Backend::Avx2(avx2));
            }
        }
        Self(Backend::Portable)
    }

    /// Chooses the plain definition, [`scalar`].
    pub fn scalar() -> Self {
        Self(Backend::Scalar)
    }

    /// Lists every backend this CPU can run, the slowest first; for tests and benchmarks.
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self(Backend::Scalar), Self(Backend::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(avx2::Avx2::new().map(|avx2| Self(Backend::Avx2(avx2))));
            all.extend(avx512::Avx512::new().map(|avx512| Self(Backend::Avx512(avx512))));
        }
        all
    }

    /// Names the backend, for logs and benchmarks.
    pub fn name(self) -> &'static str {
        match self.0 {
            Backend::Scalar => "scalar",
            Backend::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512(_) => "avx512",
        }
    }

    /// Encrypts a whole payload in place (spec 5.1).
    #[inline]
    pub fn encrypt(self, data: &mut [u8]) {
        match self.0 {
            Backend::Scalar => scalar::encrypt(data),
            Backend::Portable => portable::encrypt(data),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2(avx2) => avx2.encrypt(data),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512(avx512) => avx512.encrypt(data),
        }
    }

    /// Decrypts a whole payload in place (spec 5.2).
    #[inline]
    pub fn decrypt(self, data: &mut [u8]) {
        match self.0 {
            Backend::Scalar => scalar::decrypt(data),
            Backend::Portable => portable::decrypt(data),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2(avx2) => avx2.decrypt(data),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512(avx512) => avx512.decrypt(data),
        }
    }

    /// Decrypts the start of a payload of `len` bytes in place and returns the bytes that are plaintext.
    ///
    /// A byte depends on the three to its right (spec 5.3), so of a cut payload all but the last
    /// three bytes are: five bytes show the two of an opcode.
    pub fn decrypt_prefix(self, data: &mut [u8], len: usize) -> &[u8] {
        scalar::decrypt_prefix(data, len)
    }
}
