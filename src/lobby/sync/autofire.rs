//! Players whose buttons press themselves (kaillera.md 11).
//!
//! A machine presses for as long as it lets go, over and over: two inputs take turns, each
//! held for the same few frames every time. One state per player sees that input by input;
//! it begins anew every so many inputs, which are the blocks that the specification scans.

/// How soon an alternation counts as autofire; 0 is never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sensitivity(u8);

impl Sensitivity {
    /// The highest one.
    pub const MAX: u8 = 5;

    /// A sensitivity from 0 to [`MAX`](Self::MAX).
    pub fn new(level: u8) -> Option<Self> {
        (level <= Self::MAX).then_some(Self(level))
    }

    /// The number players know it by.
    pub fn level(self) -> u8 {
        self.0
    }

    fn limits(self) -> Option<Limits> {
        let (max_run, min_repeats) = match self.0 {
            1 => (2, 13),
            2 => (3, 11),
            3 => (4, 9),
            4 => (5, 7),
            5 => (6, 5),
            _ => return None,
        };
        Some(Limits {
            max_run,
            min_repeats,
        })
    }
}

#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Longest time, in inputs, that a button may be held or let go.
    max_run: u32,
    /// Turns of one length in a row.
    min_repeats: u32,
}

impl Limits {
    /// Inputs after which the search begins anew.
    fn block(self) -> u32 {
        (self.max_run + 1) * self.min_repeats * 5
    }
}

/// For how many frames each of two inputs is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rhythm(pub u32, pub u32);

/// One of the two inputs that take turns.
#[derive(Clone, Debug, Default)]
struct Side {
    input: Vec<u8>,
    known: bool,
    /// Length of the run in hand or, while the other side has its turn, of the last one.
    run: u32,
    /// Length of the run before.
    before: u32,
    /// Runs of one length in a row.
    repeats: u32,
}

impl Side {
    fn is(&self, input: &[u8]) -> bool {
        self.known && self.input == input
    }

    /// Begins anew with another input.
    fn take(&mut self, input: &[u8], run: u32) {
        self.input.clear();
        self.input.extend_from_slice(input);
        self.known = true;
        self.run = run;
        self.before = 0;
        self.repeats = 0;
    }

    /// Its input came, and its turn may be new.
    fn add(&mut self, is_new: bool, max_run: u32) {
        if !is_new {
            self.run += 1;
            return;
        }
        let repeats = self.run == self.before && self.run <= max_run;
        self.repeats = if repeats { self.repeats + 1 } else { 0 };
        self.before = self.run;
        self.run = 1;
    }
}

/// Looks for autofire in the inputs of one player.
#[derive(Debug, Default)]
pub(super) struct Detector {
    limits: Option<Limits>,
    first: Side,
    second: Side,
    /// Whose turn it is.
    second_has_turn: bool,
    seen: u32,
    found: bool,
}

impl Detector {
    pub(super) fn begin(&mut self, sensitivity: Sensitivity) {
        self.limits = sensitivity.limits();
        self.begin_block();
    }

    /// Makes room for inputs of `len` bytes, if it looks at any.
    pub(super) fn make_room(&mut self, len: usize) {
        if self.limits.is_some() {
            self.first.input.reserve(len);
            self.second.input.reserve(len);
        }
    }

    pub(super) fn is_off(&self) -> bool {
        self.limits.is_none()
    }

    /// Looks at the next input; says so once per block if it is one of a machine's.
    pub(super) fn observe(&mut self, input: &[u8]) -> Option<Rhythm> {
        let limits = self.limits?;
        if self.seen == limits.block() {
            self.begin_block();
        }
        self.seen += 1;
        if self.found {
            return None;
        }
        self.follow(input, limits);
        let enough = |side: &Side| side.repeats >= limits.min_repeats;
        self.found = enough(&self.first) && enough(&self.second);
        self.found
            .then_some(Rhythm(self.first.before, self.second.before))
    }

    fn follow(&mut self, input: &[u8], limits: Limits) {
        let had_second = self.second_has_turn;
        if !self.first.known {
            self.first.take(input, 1);
        } else if self.first.is(input) {
            self.first.add(had_second, limits.max_run);
            self.second_has_turn = false;
        } else if !self.second.known {
            self.second.take(input, 1);
            self.second_has_turn = true;
        } else if self.second.is(input) {
            self.second.add(!had_second, limits.max_run);
            self.second_has_turn = true;
        } else {
            if had_second {
                std::mem::swap(&mut self.first.input, &mut self.second.input);
            }
            self.first.run = 1;
            self.first.before = 0;
            self.first.repeats = 0;
            self.second.take(input, 0);
            self.second_has_turn = true;
        }
    }

    fn begin_block(&mut self) {
        self.first.known = false;
        self.first.repeats = 0;
        self.second.known = false;
        self.second.repeats = 0;
        self.second_has_turn = false;
        self.seen = 0;
        self.found = false;
    }
}

#[cfg(test)]
mod tests;
