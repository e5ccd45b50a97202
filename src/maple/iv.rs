//! The four bytes that make each packet of a direction differ from the one before, and their
//! shuffle (maple.md 4).

#![forbid(unsafe_code)]

use std::fmt;

/// One direction's initialisation vector: picks the keystream of the next packet.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Iv([u8; 4]);

impl Iv {
    /// The only IV that the shuffle leaves as it is (maple.md 4.1).
    pub const FIXED: Self = Self([0xD4, 0xF4, 0x67, 0xEC]);

    /// The IV with these bytes, in wire order.
    pub const fn new(bytes: [u8; 4]) -> Self {
        Self(bytes)
    }

    /// The bytes in wire order.
    pub const fn bytes(self) -> [u8; 4] {
        self.0
    }

    /// The half that a header shows: bytes 2 and 3, little-endian (maple.md 2).
    pub const fn sequence(self) -> u16 {
        let [_, _, low, high] = self.0;
        u16::from_le_bytes([low, high])
    }

    /// The IV of the packet after this one (maple.md 4).
    #[must_use]
    pub fn shuffled(self) -> Self {
        Self(self.0.into_iter().fold(START, step))
    }

    /// The IV of the next packet under the 2004 clients' generator (maple.md 10.2).
    #[must_use]
    pub fn stepped_by_lcg(self) -> Self {
        let value = u32::from_le_bytes(self.0);
        let next = value.wrapping_mul(214_013).wrapping_add(2_531_011);
        Self(next.to_le_bytes())
    }
}

impl fmt::Debug for Iv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d] = self.0;
        write!(f, "Iv({a:02X} {b:02X} {c:02X} {d:02X})")
    }
}

/// How whoever writes the hello picks the IVs of both directions (maple.md 4.1).
///
/// The shuffle is no permutation: ten cycles swallow every start, and one of them is a single
/// fixed point. A session that starts on a short cycle repeats a few keystreams, so that a
/// [`KeystreamCache`](super::KeystreamCache) of as many entries leaves no AES to do. Clients
/// follow the shuffle and need not know. The price: equal packets are equal on the wire, and
/// a header no longer shows that a packet was lost or repeated. Keys are public and IVs go in
/// clear, so there is no secrecy to lose; still, whoever wants this asks for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IvPolicy {
    /// Four random bytes per direction.
    #[default]
    Random,
    /// `46 72 7A rr` to the server and `52 30 78 rr` to the client, as most servers do.
    Classic,
    /// Any IV of the 71-cycle that holds `89 81 EB 07`, for each direction.
    ShortCycle,
    /// [`Iv::FIXED`] for both directions: one keystream per key, for ever.
    Fixed,
}

impl IvPolicy {
    /// The IVs of a session, first to the server, then to the client, made of 8 random bytes.
    pub fn choose(self, random: [u8; 8]) -> (Iv, Iv) {
        let [a, b, c, d, e, f, g, h] = random;
        match self {
            Self::Random => (Iv([a, b, c, d]), Iv([e, f, g, h])),
            Self::Classic => (
                Iv([0x46, 0x72, 0x7A, a % 255]),
                Iv([0x52, 0x30, 0x78, e % 255]),
            ),
            Self::ShortCycle => (on_short_cycle(a), on_short_cycle(e)),
            Self::Fixed => (Iv::FIXED, Iv::FIXED),
        }
    }
}

/// The shuffle's cycles: how many IVs each has, and one of them (maple.md 4.1).
pub const CYCLES: [(u32, Iv); 10] = [
    (1, Iv::FIXED),
    (71, Iv([0x89, 0x81, 0xEB, 0x07])),
    (71, Iv([0x17, 0x5E, 0x24, 0x06])),
    (104, Iv([0x21, 0xFE, 0x6C, 0x00])),
    (110, Iv([0xD5, 0xF2, 0x63, 0x03])),
    (136, Iv([0xC4, 0x07, 0x57, 0x00])),
    (324, Iv([0xFB, 0xF6, 0x47, 0x01])),
    (1_501, Iv([0x75, 0x3B, 0x76, 0x00])),
    (19_973, Iv([0x63, 0x53, 0x04, 0x00])),
    (23_438, Iv([0x1A, 0x5D, 0x00, 0x00])),
];

fn on_short_cycle(random: u8) -> Iv {
    let [_, (len, member), ..] = CYCLES;
    (0..u32::from(random) % len).fold(member, |iv, _| iv.shuffled())
}

/// What the shuffle starts from.
pub(super) const START: [u8; 4] = [0xF2, 0x53, 0x50, 0xC6];

/// One inner step of the shuffle: mixes `byte` into `state` (maple.md 4).
pub(super) fn step(state: [u8; 4], byte: u8) -> [u8; 4] {
    let [mut s0, mut s1, mut s2, mut s3] = state;
    let t = substitute(byte);
    s0 = s0.wrapping_add(substitute(s1)).wrapping_sub(byte);
    s1 = s1.wrapping_sub(s2 ^ t);
    s2 ^= substitute(s3).wrapping_add(byte);
    s3 = s3.wrapping_sub(s0.wrapping_sub(t));
    u32::from_le_bytes([s0, s1, s2, s3])
        .rotate_left(3)
        .to_le_bytes()
}

/// `T[byte]` of maple.md 4.
#[expect(
    clippy::indexing_slicing,
    reason = "a byte is within a table of 256, which saves a branch in the shuffle's chain"
)]
pub(super) fn substitute(byte: u8) -> u8 {
    TABLE[usize::from(byte)]
}

#[rustfmt::skip]
pub(super) const TABLE: [u8; 256] = [
    0xEC, 0x3F, 0x77, 0xA4, 0x45, 0xD0, 0x71, 0xBF, 0xB7, 0x98, 0x20, 0xFC, 0x4B, 0xE9, 0xB3, 0xE1,
    0x5C, 0x22, 0xF7, 0x0C, 0x44, 0x1B, 0x81, 0xBD, 0x63, 0x8D, 0xD4, 0xC3, 0xF2, 0x10, 0x19, 0xE0,
    0xFB, 0xA1, 0x6E, 0x66, 0xEA, 0xAE, 0xD6, 0xCE, 0x06, 0x18, 0x4E, 0xEB, 0x78, 0x95, 0xDB, 0xBA,
    0xB6, 0x42, 0x7A, 0x2A, 0x83, 0x0B, 0x54, 0x67, 0x6D, 0xE8, 0x65, 0xE7, 0x2F, 0x07, 0xF3, 0xAA,
    0x27, 0x7B, 0x85, 0xB0, 0x26, 0xFD, 0x8B, 0xA9, 0xFA, 0xBE, 0xA8, 0xD7, 0xCB, 0xCC, 0x92, 0xDA,
    0xF9, 0x93, 0x60, 0x2D, 0xDD, 0xD2, 0xA2, 0x9B, 0x39, 0x5F, 0x82, 0x21, 0x4C, 0x69, 0xF8, 0x31,
    0x87, 0xEE, 0x8E, 0xAD, 0x8C, 0x6A, 0xBC, 0xB5, 0x6B, 0x59, 0x13, 0xF1, 0x04, 0x00, 0xF6, 0x5A,
    0x35, 0x79, 0x48, 0x8F, 0x15, 0xCD, 0x97, 0x57, 0x12, 0x3E, 0x37, 0xFF, 0x9D, 0x4F, 0x51, 0xF5,
    0xA3, 0x70, 0xBB, 0x14, 0x75, 0xC2, 0xB8, 0x72, 0xC0, 0xED, 0x7D, 0x68, 0xC9, 0x2E, 0x0D, 0x62,
    0x46, 0x17, 0x11, 0x4D, 0x6C, 0xC4, 0x7E, 0x53, 0xC1, 0x25, 0xC7, 0x9A, 0x1C, 0x88, 0x58, 0x2C,
    0x89, 0xDC, 0x02, 0x64, 0x40, 0x01, 0x5D, 0x38, 0xA5, 0xE2, 0xAF, 0x55, 0xD5, 0xEF, 0x1A, 0x7C,
    0xA7, 0x5B, 0xA6, 0x6F, 0x86, 0x9F, 0x73, 0xE6, 0x0A, 0xDE, 0x2B, 0x99, 0x4A, 0x47, 0x9C, 0xDF,
    0x09, 0x76, 0x9E, 0x30, 0x0E, 0xE4, 0xB2, 0x94, 0xA0, 0x3B, 0x34, 0x1D, 0x28, 0x0F, 0x36, 0xE3,
    0x23, 0xB4, 0x03, 0xD8, 0x90, 0xC8, 0x3C, 0xFE, 0x5E, 0x32, 0x24, 0x50, 0x1F, 0x3A, 0x43, 0x8A,
    0x96, 0x41, 0x74, 0xAC, 0x52, 0x33, 0xF0, 0xD9, 0x29, 0x80, 0xB1, 0x16, 0xD3, 0xAB, 0x91, 0xB9,
    0x84, 0x7F, 0x61, 0x1E, 0xCF, 0xC5, 0xD1, 0x56, 0x3D, 0xCA, 0xF4, 0x05, 0xC6, 0xE5, 0x08, 0x49,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_a_permutation() {
        let mut seen = TABLE;
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..=255));
    }

    #[test]
    fn a_short_cycle_starts_on_its_cycle() {
        let (len, member) = CYCLES[1];
        let cycle: Vec<_> = std::iter::successors(Some(member), |iv| Some(iv.shuffled()))
            .take(71)
            .collect();
        assert_eq!(cycle.len(), len as usize);
        for random in [0, 1, 70, 71, 255] {
            let (to_server, to_client) = IvPolicy::ShortCycle.choose([random; 8]);
            assert!(cycle.contains(&to_server) && cycle.contains(&to_client));
        }
    }

    #[test]
    fn policies_differ_in_what_they_take_from_chance() {
        let random = [1, 2, 3, 4, 5, 6, 7, 8];
        let ivs = |policy: IvPolicy| policy.choose(random);
        assert_eq!(IvPolicy::default(), IvPolicy::Random);
        assert_eq!(ivs(IvPolicy::Random), (Iv([1, 2, 3, 4]), Iv([5, 6, 7, 8])));
        assert_eq!(
            ivs(IvPolicy::Classic),
            (Iv([0x46, 0x72, 0x7A, 1]), Iv([0x52, 0x30, 0x78, 5]))
        );
        assert_eq!(ivs(IvPolicy::Fixed), (Iv::FIXED, Iv::FIXED));
        assert_eq!(Iv::FIXED.shuffled(), Iv::FIXED);
    }
}
