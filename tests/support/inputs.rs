//! What players press: generated, so that every run and every receiver agrees.

/// A well mixed number for each pair.
pub fn hash(seed: u64, n: u64) -> u64 {
    let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ n.wrapping_mul(0xD1B5_4A32_D192_ED03);
    x = (x ^ (x >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x = (x ^ (x >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x ^ (x >> 32)
}

/// How each player's messages are made.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// Bytes per frame.
    pub input_len: usize,
    /// Frames per message.
    pub frames: usize,
    /// Messages between two changes: 1 presses something else all the time.
    pub hold: u64,
}

impl Recipe {
    /// The payload of message `index` (0 is the first of the game) of a player.
    ///
    /// Half of the changes bring something new, the other half one of the last hundred
    /// inputs again, so that caches are both hit and missed long after they are full.
    pub fn message(&self, player: usize, index: usize) -> Vec<u8> {
        let seed = player as u64 + 1;
        let change = index as u64 / self.hold;
        let dice = hash(seed, change);
        let pressed = match dice % 2 {
            0 => change,
            _ => change.saturating_sub((dice >> 8) % 100),
        };
        let length = self.frames * self.input_len;
        let words = (0..length.div_ceil(8) as u64)
            .flat_map(|word| hash(seed << 32 | word, pressed).to_le_bytes());
        words.take(length).collect()
    }
}
