//! Whose the first bytes of a connection are, on a port that several services share.
//!
//! The bytes are read once, into the connection's own block, and stay there for the service that
//! gets it.

use super::tcp::TcpService;

/// What a service says of a connection's first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sniff {
    /// They are its own.
    Yes,
    /// They begin like its own, and are too few to tell.
    NeedMore,
    /// They are not its own, whatever follows.
    No,
}

impl Sniff {
    /// Whether `first` begins with one of `words`, or could still.
    pub fn prefix(first: &[u8], words: &[&[u8]]) -> Self {
        let answer = |word: &&[u8]| {
            if first.starts_with(word) {
                Self::Yes
            } else if word.starts_with(first) {
                Self::NeedMore
            } else {
                Self::No
            }
        };
        let mut best = Self::No;
        for word in words {
            match answer(word) {
                Self::Yes => return Self::Yes,
                Self::NeedMore => best = Self::NeedMore,
                Self::No => {}
            }
        }
        best
    }
}

/// Who gets a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The service at this position.
    Service(usize),
    /// More than one could, and more bytes will tell.
    NeedMore,
    /// No service speaks like that.
    Nobody,
}

/// Asks `services` in their order; the first that is sure gets the connection.
pub(super) fn decide(services: &[Box<dyn TcpService>], first: &[u8]) -> Verdict {
    let mut verdict = Verdict::Nobody;
    for (index, service) in services.iter().enumerate() {
        match service.sniff(first) {
            Sniff::Yes => return Verdict::Service(index),
            Sniff::NeedMore => verdict = Verdict::NeedMore,
            Sniff::No => {}
        }
    }
    verdict
}
