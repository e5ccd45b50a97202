//! Names of players.

use std::fmt;

/// Longest name.
const MAX_LEN: usize = 16;

/// A name that a player may log in with: 1 to 16 of `A-Z a-z 0-9 _`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoginName {
    bytes: [u8; MAX_LEN],
    len: usize,
}

impl LoginName {
    /// `name`, if a player may have it.
    pub fn new(name: &str) -> Option<Self> {
        let may = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if name.is_empty() || !name.bytes().all(may) {
            return None;
        }
        let mut bytes = [0; MAX_LEN];
        bytes
            .get_mut(..name.len())?
            .copy_from_slice(name.as_bytes());
        let len = name.len();
        Some(Self { bytes, len })
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        let name = self.bytes.get(..self.len).unwrap_or_default();
        str::from_utf8(name).unwrap_or_default()
    }
}

impl fmt::Display for LoginName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for LoginName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}
