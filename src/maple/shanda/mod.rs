//! Shanda, the byte cipher under the keystream (maple.md 5): no key, no IV, only the payload's
//! length.
//!
//! [`scalar`] is the definition. [`Shanda`] runs the fastest backend of this CPU; all give the
//! same bytes. What follows derives what the backends compute.
//!
//! # The passes
//!
//! Of a payload of `n` bytes, `c_i = n - i` and `d_i = i + 1`; bytes count modulo 256, `<<<`
//! rotates within a byte by its right side modulo 8, `^` is XOR. Encryption is three rounds of
//!
//! ```text
//! F, from the front:  a_i = a_{i-1} ^ ((x_i <<< 3) + c_i)  a_{-1} = 0  y_i = 0x47 - (a_i >>> c_i)
//! B, from the back:   b_i = b_{i+1} ^ ((y_i <<< 4) + d_i)  b_n    = 0  z_i = (b_i ^ 0x13) >>> 3
//! ```
//!
//! A round begins with the rotation that undoes the end of the one before, so both go, but for
//! the first and the last. The XOR with 0x13 goes as well: let `b_n = 0x13`, and every `b_i` has
//! it. With `v = x <<< 3` before the first round and `x = v >>> 3` behind the last, a round is
//!
//! ```text
//! u_i = v_i + c_i                          encryption, F
//! w_i = (0x47 - ((u_0 ^ .. ^ u_i) >>> c_i) <<< 4) + d_i
//! v_i = w_i ^ .. ^ w_{n-1} ^ 0x13          encryption, B
//! ```
//!
//! and undone, with `v_n = 0x13` and `t_{-1} = 0`, as the XOR of two neighbouring sums is one term,
//!
//! ```text
//! t_i = (0x47 - ((v_i ^ v_{i+1}) - d_i <<< 4)) <<< c_i      decryption, B then half of F
//! v_i = (t_i ^ t_{i-1}) - c_i                               decryption, the other half of F
//! ```
//!
//! So encryption is arithmetic on each byte by itself around a prefix and a suffix XOR, and
//! decryption is only arithmetic with a neighbour: three rounds look three bytes far (maple.md
//! 5.3).
//!
//! # Tiles
//!
//! `c_i` names a different rotation for each of eight neighbours, and a prefix XOR within a
//! register takes many steps. Both become simple if a register holds every eighth byte (`tile.rs`):
//!
//! ```text
//! a tile's bytes       0  1  2  3  4  5  6  7 | 8  9 10 11 12 13 14 15 | 16 ..
//!                      `----- lane 0 -----'     `----- lane 1 ------'
//! vector 0             0  8 16 24 ..              one rotation for all, as `c` falls by eight
//! vector 1             1  9 17 25 ..              from lane to lane
//! ..
//! vector 7             7 15 23 31 ..              prefix XOR in all lanes: seven XORs
//! ```
//!
//! The scan is then seven XORs down the vectors, one scan across the lanes of vector 7, whose
//! lanes hold the sums of all eight, and one XOR of its result to all vectors; a tile hands its
//! total on as the next one's carry. A neighbour is in the next vector, but for one lane shift a
//! tile. Tiles are cut from the end of the payload: `c_i` is then `-k` modulo 8 in vector `k`, a
//! constant, vector 0 does not rotate at all, and the full value of `c` is constant too, as tiles
//! that are a multiple of 256 bytes do not show in it. Only the first tile may be short.
//!
//! The bytes that it lacks, in front, are zeros. They change no suffix XOR behind them; in the
//! prefix XOR their `u_i` is their `c_i`, so the sum begins with the XOR of `n + 1` to `n +
//! missing`, and what B makes of them is set to zero again. In decryption they are `t_{-1}`, set to
//! zero.
//!
//! # Rows
//!
//! Transposing costs as much as a round, and an eighth of a full tile costs as much as all of it.
//! Payloads of at most four registers keep their order (`row.rs`), scan each register and
//! rotate each lane by its own amount.
//!
//! # Scans by matrix
//!
//! AVX-512's Galois field instruction takes eight bytes as a matrix of 8 by 8 bits and multiplies
//! it with bytes as vectors. With the roles exchanged, the data being the matrix `D`, a constant
//! `X` gives `X * transposed(D)`; doing so twice with the mirror image of the unit matrix and then
//! with a triangle of ones gives `triangle * D`: the prefix XOR of eight bytes at once. The same on
//! the eight sums of eight scans 64 bytes. That takes seven instructions, where shifting by 1, 2,
//! 4, .. lanes takes at least twelve, and no carry-less multiplication, which takes as long and
//! does only half a register.

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

/// One way to run the cipher; all give the same bytes.
///
/// ```
/// # use samara::maple::shanda::Shanda;
/// let shanda = Shanda::detect();
/// let mut data = *b"\x11\x00Henesys";
/// shanda.encrypt(&mut data);
///
/// // Five bytes show the opcode, the first two.
/// let mut start = [data[0], data[1], data[2], data[3], data[4]];
/// assert_eq!(shanda.decrypt_prefix(&mut start, data.len()), [0x11, 0x00]);
///
/// shanda.decrypt(&mut data);
/// assert_eq!(&data[2..], b"Henesys");
/// ```
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

    /// Encrypts a whole payload in place (maple.md 5.1).
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

    /// Decrypts a whole payload in place (maple.md 5.2).
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

    /// Decrypts the start of a payload of `len` bytes in place and returns the bytes that are
    /// plaintext.
    ///
    /// A byte depends on the three to its right (maple.md 5.3), so of a cut payload all but the
    /// last three bytes are: five bytes show the two of an opcode.
    pub fn decrypt_prefix(self, data: &mut [u8], len: usize) -> &[u8] {
        scalar::decrypt_prefix(data, len)
    }
}
