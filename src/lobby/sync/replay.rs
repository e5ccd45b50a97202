//! All frames of a game since its start, as its players were sent them.
//!
//! ```text
//!   entry    a position in the output cache    0 | position
//!            frames in full                    1 | which bytes changed | those bytes
//! ```
//!
//! Changes are against the frames last sent in full, so an entry is a few bytes however many
//! play. The entries lie in a ring: while it is not full, who reads from its start is shown
//! the whole game; later the oldest go, and who needs those has lost the thread.

use super::Output;

const CACHED: u8 = 0;
const DATA: u8 = 1;

/// The frames of one game, in a fixed number of bytes.
#[derive(Debug, Default)]
pub(super) struct Replay {
    bytes: Box<[u8]>,
    /// The frames last sent in full.
    last: Vec<u8>,
    start: u64,
    end: u64,
}

/// What is gone is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gone;

/// Someone who reads a replay from its start.
#[derive(Debug, Default)]
pub(super) struct Reading {
    at: u64,
    /// The frames last read in full.
    last: Vec<u8>,
}

impl Replay {
    /// Begins one of at most `capacity` bytes.
    pub(super) fn begin(&mut self, capacity: usize) {
        self.bytes = vec![0; capacity].into_boxed_slice();
        self.last = Vec::new();
        self.start = 0;
        self.end = 0;
    }

    /// Says how long frames are that are sent in full.
    pub(super) fn make_room(&mut self, len: usize) {
        if !self.bytes.is_empty() {
            self.last.resize(len, 0);
        }
    }

    /// Gives its memory back.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Whether it holds the game from its start on.
    pub(super) fn is_whole(&self) -> bool {
        self.start == 0 && !self.bytes.is_empty()
    }

    pub(super) fn record(&mut self, output: Output<'_>) {
        match output {
            _ if self.bytes.is_empty() => {}
            Output::Cached(place) => {
                self.forget(2);
                self.push(CACHED);
                self.push(place);
            }
            Output::Data(frames) => self.record_frames(frames),
        }
    }

    fn record_frames(&mut self, frames: &[u8]) {
        debug_assert_eq!(self.last.len(), frames.len());
        let mut last = std::mem::take(&mut self.last);
        let differs = |(now, before): &(&u8, &mut u8)| *now != *before;
        let changed = frames.iter().zip(&mut last).filter(differs).count();
        self.forget(1 + frames.len().div_ceil(8) + changed);
        self.push(DATA);
        for (now, before) in frames.chunks(8).zip(last.chunks(8)) {
            let bits = now.iter().zip(before).rev();
            self.push(bits.fold(0, |bits, (now, before)| bits << 1 | u8::from(now != before)));
        }
        for (now, before) in frames.iter().zip(&mut last) {
            if now != before {
                self.push(*now);
                *before = *now;
            }
        }
        self.last = last;
    }

    /// Forgets the oldest bytes for `count` new ones; readers notice.
    fn forget(&mut self, count: usize) {
        let capacity = self.bytes.len() as u64;
        let end = self.end + count as u64;
        self.start = self.start.max(end.saturating_sub(capacity));
    }

    fn push(&mut self, byte: u8) {
        let place = self.end % (self.bytes.len() as u64).max(1);
        if let Some(place) = self.bytes.get_mut(place as usize) {
            *place = byte;
        }
        self.end += 1;
    }

    fn byte(&self, at: u64) -> u8 {
        let place = at % (self.bytes.len() as u64).max(1);
        self.bytes.get(place as usize).copied().unwrap_or_default()
    }
}

impl Reading {
    /// Neutral frames, as they come before all others.
    pub(super) fn blank(&mut self, len: usize) -> &[u8] {
        self.last.clear();
        self.last.resize(len, 0);
        &self.last
    }

    /// Whether there is something left to read.
    pub(super) fn is_behind(&self, replay: &Replay) -> bool {
        self.at < replay.end
    }

    /// The next frames, of `len` bytes when they are sent in full.
    ///
    /// # Errors
    ///
    /// [`Gone`] if the replay has forgotten them.
    pub(super) fn next(&mut self, replay: &Replay, len: usize) -> Result<Option<Output<'_>>, Gone> {
        if self.at < replay.start {
            return Err(Gone);
        }
        if self.at >= replay.end {
            return Ok(None);
        }
        let kind = replay.byte(self.at);
        if kind == CACHED {
            let place = replay.byte(self.at + 1);
            self.at += 2;
            return Ok(Some(Output::Cached(place)));
        }
        self.last.resize(len, 0);
        let map = self.at + 1;
        let mut changed = map + len.div_ceil(8) as u64;
        for (index, byte) in self.last.iter_mut().enumerate() {
            if replay.byte(map + index as u64 / 8) >> (index % 8) & 1 == 1 {
                *byte = replay.byte(changed);
                changed += 1;
            }
        }
        self.at = changed;
        Ok(Some(Output::Data(&self.last)))
    }
}

#[cfg(test)]
mod tests;
