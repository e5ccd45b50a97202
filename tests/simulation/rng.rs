//! The only source of chance. Written here, so that a seed means the same run whatever crates
//! are in use.

use std::{ops::RangeInclusive, time::Duration};

/// Odds in ten thousand; 0 is never.
pub(crate) type Odds = u32;

/// xoshiro256**, seeded by SplitMix64.
#[derive(Clone, Debug)]
pub(crate) struct Rng([u64; 4]);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        let mut state = seed;
        Self(std::array::from_fn(|_| {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            mix(state)
        }))
    }

    /// A generator of its own for one part, so that parts do not disturb each other's luck.
    pub(crate) fn fork(&mut self) -> Self {
        Self::new(self.next())
    }

    pub(crate) fn next(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.0;
        let result = b.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        result
    }

    pub(crate) fn within(&mut self, range: RangeInclusive<u64>) -> u64 {
        let span = range.end() - range.start() + 1;
        range.start() + self.next() % span
    }

    pub(crate) fn millis(&mut self, range: RangeInclusive<u64>) -> Duration {
        let nanos = range.start() * 1_000_000..=range.end() * 1_000_000;
        Duration::from_nanos(self.within(nanos))
    }

    pub(crate) fn chance(&mut self, odds: Odds) -> bool {
        odds > 0 && self.within(0..=9_999) < u64::from(odds)
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.index(from.len())]
    }

    pub(crate) fn index(&mut self, len: usize) -> usize {
        self.within(0..=len as u64 - 1) as usize
    }

    /// Swarm testing: a fault is off in half of all seeds, else up to `most`.
    pub(crate) fn swarm(&mut self, most: Odds) -> Odds {
        match self.chance(5_000) {
            true => self.within(1..=u64::from(most)) as Odds,
            false => 0,
        }
    }
}

/// SplitMix64's output function.
pub(crate) fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A hash that is the same in every process.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut chunks = bytes.chunks_exact(8);
    let mut hash = bytes.len() as u64;
    for chunk in &mut chunks {
        let word = u64::from_le_bytes(chunk.try_into().unwrap());
        hash = mix(hash ^ word);
    }
    let mut word = [0; 8];
    let rest = chunks.remainder();
    word[..rest.len()].copy_from_slice(rest);
    mix(hash ^ u64::from_le_bytes(word))
}

#[test]
fn a_seed_means_the_same_for_ever() {
    let mut rng = Rng::new(1);
    let first: Vec<u64> = (0..3).map(|_| rng.next()).collect();
    assert_eq!(
        first,
        [
            0xB3F2_AF6D_0FC7_10C5,
            0x853B_5596_4736_4CEA,
            0x92F8_9756_082A_4514
        ]
    );
}
