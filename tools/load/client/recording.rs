//! The inputs of a game that somebody played.
//!
//! As text, a line of hex digits is the input of one frame, a line `xN` repeats the line above
//! it N more times, and what follows a `#` is for people. A file of anything else is taken as
//! bytes, cut into inputs of a given length.

use std::{fmt, fs, io, path::Path};

/// Longest recording, in bytes of its inputs: hours of play.
const LONGEST: usize = 64 << 20;

/// Inputs of one length, one after the other.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Recording {
    bytes: Vec<u8>,
    input_len: usize,
}

/// What is wrong with a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// Not a single input is in it.
    Empty,
    /// It holds more than this tool keeps in memory.
    TooLong,
    /// This line is no input as long as the first, and no repetition of one.
    Line(usize),
}

impl Recording {
    /// Reads a file; bytes are cut into inputs of `input_len`.
    ///
    /// # Errors
    ///
    /// When it cannot be read or a [`Flaw`] is in it.
    pub(crate) fn read(file: &Path, input_len: usize) -> io::Result<Self> {
        if fs::metadata(file)?.len() > LONGEST as u64 {
            return Err(io::Error::other(Flaw::TooLong.to_string()));
        }
        Self::parse(&fs::read(file)?, input_len).map_err(|flaw| io::Error::other(flaw.to_string()))
    }

    /// Reads what a file holds.
    ///
    /// # Errors
    ///
    /// See [`Flaw`].
    pub(crate) fn parse(file: &[u8], input_len: usize) -> Result<Self, Flaw> {
        let recording = match str::from_utf8(file) {
            Ok(text) if is_text(text) => Self::parse_text(text)?,
            _ => Self {
                bytes: file.to_vec(),
                input_len,
            },
        };
        if recording.inputs() == 0 {
            return Err(Flaw::Empty);
        }
        Ok(recording)
    }

    /// Bytes of each input.
    pub(crate) fn input_len(&self) -> usize {
        self.input_len
    }

    /// The input at `number`, and from the beginning again after the last.
    pub(crate) fn input(&self, number: usize) -> &[u8] {
        let begin = number % self.inputs().max(1) * self.input_len;
        let input = self.bytes.get(begin..begin + self.input_len);
        input.unwrap_or_default()
    }

    fn inputs(&self) -> usize {
        self.bytes.len() / self.input_len.max(1)
    }

    fn parse_text(text: &str) -> Result<Self, Flaw> {
        let mut bytes = Vec::new();
        let mut input = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = content(line);
            let times = if let Some(times) = line.strip_prefix('x') {
                let times = times.parse().map_err(|_| Flaw::Line(number))?;
                if input.is_empty() {
                    return Err(Flaw::Line(number));
                }
                times
            } else if line.is_empty() {
                continue;
            } else {
                let before = input.len();
                input = digits(line).ok_or(Flaw::Line(number))?;
                if before != 0 && before != input.len() {
                    return Err(Flaw::Line(number));
                }
                1
            };
            if input.len().saturating_mul(times) > LONGEST - bytes.len() {
                return Err(Flaw::TooLong);
            }
            for _ in 0..times {
                bytes.extend_from_slice(&input);
            }
        }
        Ok(Self {
            input_len: input.len(),
            bytes,
        })
    }
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recording({} x {})", self.inputs(), self.input_len)
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("there is no input in it"),
            Self::TooLong => write!(f, "more than {} MB of inputs", LONGEST >> 20),
            Self::Line(line) => write!(
                f,
                "line {line} is no input in hex, as long as the others, and no xN"
            ),
        }
    }
}

/// Whether it is meant as text: its first line with something on it begins as one would.
fn is_text(text: &str) -> bool {
    let mut lines = text.lines();
    let first = lines.find(|line| !line.trim().is_empty());
    first.is_some_and(|line| {
        let line = content(line);
        line.is_empty() || line.starts_with('x') || line.chars().all(|it| it.is_ascii_hexdigit())
    })
}

/// A line without what is for people.
fn content(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

fn digits(line: &str) -> Option<Vec<u8>> {
    let (pairs, []) = line.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let byte = |pair: &[u8; 2]| {
        let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
        Some((high? << 4 | low?) as u8)
    };
    pairs.iter().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_inputs_and_repetitions() {
        let text = "# two bytes\n0a0B # pressed\nx2\n\nffff\r\nx1\n";
        let recording = Recording::parse(text.as_bytes(), 9).unwrap();
        assert_eq!((recording.input_len(), recording.inputs()), (2, 5));
        let inputs: Vec<_> = (0..6).map(|n| recording.input(n).to_vec()).collect();
        let [a, f] = [vec![10, 11], vec![255, 255]];
        assert_eq!(inputs, [&a, &a, &a, &f, &f, &a].map(Clone::clone));
    }

    #[test]
    fn anything_else_is_bytes() {
        let recording = Recording::parse(&[0xFF, 0, 1, 2, 3, 4, 5], 3).unwrap();
        assert_eq!(recording.inputs(), 2, "a rest is left out");
        assert_eq!(recording.input(1), [2, 3, 4]);
        let recording = Recording::parse(b"hello, world", 4).unwrap();
        assert_eq!(recording.input(2), *b"orld");
    }

    #[test]
    fn flaws_have_their_line() {
        let flaw = |text: &str| Recording::parse(text.as_bytes(), 4).unwrap_err();
        assert_eq!(flaw("0a0b\n0a\n"), Flaw::Line(2));
        assert_eq!(flaw("0a0b\n\n0a0\n"), Flaw::Line(3));
        assert_eq!(flaw("x3\n0a"), Flaw::Line(1));
        assert_eq!(flaw("0a\nxy"), Flaw::Line(2));
        assert_eq!(flaw("0a\nx-1"), Flaw::Line(2));
        assert_eq!(flaw("0a\nx99999999999"), Flaw::TooLong);
        assert_eq!(flaw("# nothing\n"), Flaw::Empty);
        assert_eq!(flaw(""), Flaw::Empty);
        assert_eq!(flaw("\u{1}"), Flaw::Empty, "shorter than an input");
    }
}
