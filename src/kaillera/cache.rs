//! The input cache (kaillera.md 8.2).
//!
//! Both ends of a link keep the same list of the last 256 payloads sent in full, so that
//! a payload still in it travels as one byte, its position:
//!
//! ```text
//!   index   0        1                    255
//!         +--------+--------+-- ... --+--------+
//!         | oldest |        |         | newest |   one more: the oldest goes, the others
//!         +--------+--------+-- ... --+--------+   move down by one
//! ```

#[cfg(test)]
mod tests;

/// Entries of the cache on the wire.
const CAPACITY: usize = 256;

/// Chains of entries whose hashes agree in their low bits.
const BUCKETS: usize = 256;

/// Entries of one hash but other bytes that a search looks at before it gives up. Only
/// payloads made for it collide, and a sender that misses an equal entry just sends it again.
const COLLISIONS_MAX: usize = 8;

/// The golden ratio in 64 bits: no pattern, and odd.
const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

/// The last 256 payloads sent in full in one direction, by position.
///
/// `N` is another number in tests only.
#[derive(Debug)]
pub struct InputCache<const N: usize = CAPACITY> {
    max_len: usize,
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    buckets: Vec<u64>,
    oldest: u64,
    next: u64,
}

/// Entries bear serial numbers that never start over. A link to a number below the oldest
/// is dead, so neither eviction nor reset has to mend a chain.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    older: u64,
    tag: u32,
    len: u32,
}

impl InputCache {
    /// Creates a cache that holds nothing and owns no memory; [`reset`](Self::reset) makes room.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<const N: usize> Default for InputCache<N> {
    fn default() -> Self {
        Self {
            max_len: 0,
            bytes: Vec::new(),
            entries: Vec::new(),
            buckets: Vec::new(),
            oldest: 1,
            next: 1,
        }
    }
}

impl<const N: usize> InputCache<N> {
    /// Empties the cache and makes room for payloads of at most `max_len` bytes.
    ///
    /// Allocates only if more memory is needed than ever before.
    pub fn reset(&mut self, max_len: usize) {
        self.max_len = max_len;
        self.oldest = self.next;
        self.entries.resize(N, Entry::default());
        self.buckets.resize(BUCKETS, 0);
        let needed = N * max_len;
        if self.bytes.len() < needed {
            self.bytes.clear();
            self.bytes.reserve_exact(needed);
            self.bytes.resize(needed, 0);
        }
    }

    /// Counts the entries.
    pub fn len(&self) -> usize {
        (self.next - self.oldest) as usize
    }

    /// Tells whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.next == self.oldest
    }

    /// Appends `payload`, cut to the longest allowed, and evicts the oldest entry if full.
    pub fn push(&mut self, payload: &[u8]) {
        debug_assert!(payload.len() <= self.max_len);
        let payload = payload.get(..self.max_len).unwrap_or(payload);
        self.insert(hash(payload), payload);
    }

    /// Answers the entry at `index`; 0 is the oldest.
    pub fn get(&self, index: u8) -> Option<&[u8]> {
        let serial = self.oldest + u64::from(index);
        if serial >= self.next {
            return None;
        }
        self.payload(serial, self.entries.get(Self::place(serial))?)
    }

    /// Answers the position of the newest entry equal to `payload`.
    ///
    /// An equal entry may be missed among entries made to collide with it; another one is
    /// never answered.
    pub fn find(&self, payload: &[u8]) -> Option<u8> {
        self.search(hash(payload), payload)
    }

    /// Does what a sender must: answers the position of the newest entry equal to `payload`,
    /// or appends it and answers `None`, and then it has to be sent in full.
    pub fn find_or_push(&mut self, payload: &[u8]) -> Option<u8> {
        debug_assert!(payload.len() <= self.max_len);
        let payload = payload.get(..self.max_len).unwrap_or(payload);
        let hash = hash(payload);
        let found = self.search(hash, payload);
        if found.is_none() {
            self.insert(hash, payload);
        }
        found
    }

    fn search(&self, hash: u64, payload: &[u8]) -> Option<u8> {
        let mut serial = *self.buckets.get(bucket(hash))?;
        let mut collisions = 0;
        while serial >= self.oldest && collisions < COLLISIONS_MAX {
            let entry = self.entries.get(Self::place(serial))?;
            if entry.tag == tag(hash) {
                if self.payload(serial, entry)? == payload {
                    return u8::try_from(serial - self.oldest).ok();
                }
                collisions += 1;
            }
            serial = entry.older;
        }
        None
    }

    fn insert(&mut self, hash: u64, payload: &[u8]) {
        let serial = self.next;
        let place = Self::place(serial);
        let start = place * self.max_len;
        let (Some(bytes), Some(entry), Some(newest)) = (
            self.bytes.get_mut(start..start + payload.len()),
            self.entries.get_mut(place),
            self.buckets.get_mut(bucket(hash)),
        ) else {
            return;
        };
        bytes.copy_from_slice(payload);
        *entry = Entry {
            older: std::mem::replace(newest, serial),
            tag: tag(hash),
            len: payload.len() as u32,
        };
        self.next += 1;
        if self.len() > N {
            self.oldest += 1;
        }
    }

    fn payload(&self, serial: u64, entry: &Entry) -> Option<&[u8]> {
        let start = Self::place(serial) * self.max_len;
        self.bytes.get(start..start + entry.len as usize)
    }

    fn place(serial: u64) -> usize {
        (serial % N as u64) as usize
    }
}

fn bucket(hash: u64) -> usize {
    hash as usize % BUCKETS
}

fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

fn hash(payload: &[u8]) -> u64 {
    let (words, rest) = payload.as_chunks::<8>();
    let state = words.iter().fold(seed(payload.len()), |state, word| {
        mix(state ^ u64::from_le_bytes(*word))
    });
    let last = rest
        .iter()
        .fold(0, |last, &byte| last << 8 | u64::from(byte));
    mix(state ^ last)
}

/// Spreads the length over the word, so that inputs, which are mostly small numbers, cannot
/// cancel it.
fn seed(len: usize) -> u64 {
    (len as u64 + 1).wrapping_mul(ODD)
}

/// Both halves of a full product, folded: each bit of `word` reaches the low and the high
/// bits of the result.
fn mix(word: u64) -> u64 {
    let product = u128::from(word) * u128::from(ODD);
    product as u64 ^ (product >> 64) as u64
}
