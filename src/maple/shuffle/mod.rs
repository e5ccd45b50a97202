//! The IV shuffle of many sessions at once (maple.md 4).
//!
//! One shuffle is a chain of sixteen table look-ups, each waiting for the one before. Other
//! sessions' chains wait for nothing: with one byte of 64 IVs in a register, a look-up in the
//! table of 256 is two instructions for all of them.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;

use super::Iv;

/// IVs that are shuffled together at best.
pub(super) const WIDTH: usize = 64;

/// One way to shuffle; all give the same IVs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shuffle(Backend);

#[derive(Clone, Copy, Debug)]
enum Backend {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
}

impl Shuffle {
    /// Chooses the fastest backend this CPU can run.
    pub(super) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx512) = avx512::Avx512::new() {
            return Self(Backend::Avx512(avx512));
        }
        Self(Backend::Portable)
    }

    /// Makes each IV the one after it.
    #[inline]
    pub(super) fn advance(self, ivs: &mut [Iv]) {
        match self.0 {
            Backend::Portable => portable(ivs),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512(avx512) => {
                // Fewer take longer together than one after the other.
                const FEW: usize = 4;
                for ivs in ivs.chunks_mut(WIDTH) {
                    if ivs.len() < FEW {
                        portable(ivs);
                        continue;
                    }
                    let mut all = [Iv::FIXED; WIDTH];
                    for (place, iv) in all.iter_mut().zip(&*ivs) {
                        *place = *iv;
                    }
                    avx512.advance(&mut all);
                    for (iv, after) in ivs.iter_mut().zip(all) {
                        *iv = after;
                    }
                }
            }
        }
    }
}

fn portable(ivs: &mut [Iv]) {
    for iv in ivs {
        *iv = iv.shuffled();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_backend_is_the_shuffle() {
        let mut iv = Iv::new([0x4D, 0x23, 0xC7, 0x2B]);
        for len in (0..200).chain([1000]) {
            let mut ivs: Vec<Iv> = (0..len)
                .map(|_| {
                    iv = iv.stepped_by_lcg();
                    iv
                })
                .collect();
            let expected: Vec<Iv> = ivs.iter().map(|iv| iv.shuffled()).collect();
            let mut portably = ivs.clone();
            portable(&mut portably);
            assert_eq!(portably, expected);
            Shuffle::detect().advance(&mut ivs);
            assert_eq!(ivs, expected, "{len} IVs");
        }
    }

    #[test]
    fn every_byte_takes_its_row_of_the_table() {
        for place in 0..4 {
            let mut ivs: Vec<Iv> = (0..=255)
                .map(|byte| {
                    let mut bytes = [0xA5; 4];
                    bytes[place] = byte;
                    Iv::new(bytes)
                })
                .collect();
            let expected: Vec<Iv> = ivs.iter().map(|iv| iv.shuffled()).collect();
            Shuffle::detect().advance(&mut ivs);
            assert_eq!(ivs, expected);
        }
    }
}
