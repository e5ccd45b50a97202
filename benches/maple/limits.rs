//! What the machine allows, measured beside the codec.

use crate::table::time;
use aes::{
    Aes256Enc, Block,
    cipher::{
        BlockCipherEncBackend, BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, KeyInit,
        consts::U16,
    },
};
use samara::maple::{FIRST_CHUNK, Key, blocks_needed, shanda::Shanda};
use std::hint::black_box;

/// Lengths of the mixed packets.
pub(crate) const MIXED: [usize; 5] = [32, 128, 512, 1460, 8192];

/// What the machine allows.
pub(crate) struct Limits {
    /// Nanoseconds per AES-256 block that waits for the one before.
    pub(crate) latency: f64,
    /// Nanoseconds per AES-256 block among many that wait for nothing.
    pub(crate) parallel: f64,
    /// Nanoseconds to copy so many bytes within the first cache.
    copy: Vec<(usize, f64)>,
}

pub(crate) struct Chain<'a> {
    block: &'a mut Block,
    steps: usize,
}

impl BlockSizeUser for Chain<'_> {
    type BlockSize = U16;
}

impl BlockCipherEncClosure for Chain<'_> {
    fn call<B: BlockCipherEncBackend<BlockSize = U16>>(self, backend: &B) {
        for _ in 0..self.steps {
            backend.encrypt_block_inplace(self.block);
        }
    }
}

impl Limits {
    pub(crate) fn measure() -> Self {
        let aes = Aes256Enc::new(&Key::DEFAULT.expanded().into());
        let mut block = Block::default();
        let steps = 1000;
        let latency = time(steps, || {
            aes.encrypt_with_backend(Chain {
                block: &mut block,
                steps,
            });
            black_box(&block);
        });
        let mut blocks = [Block::default(); 64];
        let narrow = time(64, || {
            aes.encrypt_blocks(&mut blocks);
            black_box(&blocks);
        });
        let parallel = wide_limit().map_or(narrow, |wide| wide.min(narrow));
        let copy = [24, 64, 512, 1460, 8192]
            .into_iter()
            .map(|len| {
                let (from, mut to) = (vec![1_u8; len], vec![0_u8; len]);
                let ns = time(16, || {
                    for _ in 0..16 {
                        to.copy_from_slice(black_box(&from));
                        black_box(&mut to);
                    }
                });
                (len, ns)
            })
            .collect();
        Self {
            latency,
            parallel,
            copy,
        }
    }

    pub(crate) fn print(&self) {
        println!("Shanda backend: {}", Shanda::detect().name());
        #[cfg(target_arch = "x86_64")]
        for (name, there) in [
            ("aes", is_x86_feature_detected!("aes")),
            ("avx2", is_x86_feature_detected!("avx2")),
            ("vaes", is_x86_feature_detected!("vaes")),
            ("avx512f", is_x86_feature_detected!("avx512f")),
            ("avx512bw", is_x86_feature_detected!("avx512bw")),
            ("avx512vbmi", is_x86_feature_detected!("avx512vbmi")),
            ("gfni", is_x86_feature_detected!("gfni")),
            ("vpclmulqdq", is_x86_feature_detected!("vpclmulqdq")),
        ] {
            print!("{}{name} ", if there { "+" } else { "-" });
        }
        println!();
        println!("AES-256 block, dependent     {:>8.2} ns", self.latency);
        println!("AES-256 block, in parallel   {:>8.2} ns", self.parallel);
        for (len, ns) in &self.copy {
            println!("copy of {len:>4} bytes           {ns:>8.2} ns");
        }
    }

    pub(crate) fn copy(&self, len: usize) -> f64 {
        let found = self.copy.iter().find(|(known, _)| *known >= len);
        found.map_or(f64::NAN, |(known, ns)| ns * len as f64 / *known as f64)
    }

    pub(crate) fn copy_mixed(&self) -> f64 {
        MIXED.into_iter().map(|len| self.copy(len)).sum::<f64>() / 5.0
    }
}

/// Nanoseconds per block of chains in the widest registers, if there are any.
fn wide_limit() -> Option<f64> {
    #[cfg(target_arch = "x86_64")]
    {
        use crate::vaes;
        const STEPS: usize = 100;
        vaes::chains(1)?;
        Some(time(STEPS * vaes::BLOCKS, || {
            black_box(vaes::chains(black_box(STEPS)));
        }))
    }
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// Keystream blocks of a mixed packet, on average.
pub(crate) fn mixed_blocks() -> f64 {
    let blocks = MIXED.map(|len| blocks_needed(len, FIRST_CHUNK));
    blocks.into_iter().sum::<usize>() as f64 / 5.0
}

pub(crate) fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x1234_ABCD_u32;
    std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    })
    .take(len)
    .collect()
}
