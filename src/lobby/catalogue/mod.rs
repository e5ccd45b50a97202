//! Every text of the server's own that a user can see (kaillera-server.md 4.3).

mod language;
mod operator;
mod pattern;
#[cfg(test)]
mod tests;
mod text;

pub use language::Language;
pub use operator::{OperatorTexts, TextMistake, keys};
pub(super) use text::Text;

use super::charset::Charset;
use encoding_rs::Encoding;
use pattern::Part;

/// Who signs information lines and rejections.
pub(super) const LOBBY_NAME: &[u8] = b"server";
/// Who signs notices in a room.
pub(super) const ROOM_NAME: &[u8] = b"Server";
/// Who signs refusals in a room.
pub(super) const ERROR_NAME: &[u8] = b"Error";

/// Longest line of the server's own, in bytes: names that clients put before it have room too.
pub(super) const LINE: usize = 200;
/// Longest line of anybody's, in bytes: the oldest clients' buffers have 256
/// (kaillera-server.md 16.3).
pub(super) const USER_LINE: usize = 255;
/// Longest reason for a rejection, in bytes: clients' buffers have 128.
pub(super) const REASON: usize = 126;
/// Longest name, in bytes: clients' buffers have 32.
pub(super) const NAME: usize = 30;

/// Pieces and bytes of a text, about.
const USUAL_PIECES: usize = 2;
const USUAL_BYTES: usize = 46;

/// A value put into a text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Param<'a> {
    /// Another text of the catalogue.
    Text(Text),
    /// A word of the server's.
    Word(&'a str),
    /// What a user or an earlier rendering provided, already in bytes.
    Bytes(&'a [u8]),
    /// A number, in decimal without grouping.
    Number(u64),
}

/// The texts in the server's character set, ready to be put together.
#[derive(Debug)]
pub(super) struct Catalogue {
    charset: Charset,
    /// By the place of their text.
    patterns: Vec<Pattern>,
    pieces: Vec<Piece>,
    bytes: Vec<u8>,
}

#[derive(Debug)]
struct Pattern {
    /// The bytes it is without parameters.
    plain: Span,
    /// The pieces it is with parameters.
    pieces: Span,
}

#[derive(Debug)]
enum Piece {
    Literal(Span),
    /// The parameter's number, and what is shown if there is none.
    Place(u8, Span),
}

/// A range in one of the catalogue's lists, small as there are many.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    end: u32,
}

impl Span {
    fn new<T>(list: &[T], start: usize) -> Self {
        let place = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        Self {
            start: place(start),
            end: place(list.len()),
        }
    }

    fn of<T>(self, list: &[T]) -> &[T] {
        let range = self.start as usize..self.end as usize;
        list.get(range).unwrap_or_default()
    }
}

impl Catalogue {
    /// The texts of `language` in `encoding`; those of `operator` win.
    pub(super) fn new(
        encoding: &'static Encoding,
        language: Language,
        operator: &OperatorTexts,
    ) -> Self {
        let mut catalogue = Self {
            charset: Charset::new(encoding),
            patterns: Vec::with_capacity(Text::ALL.len()),
            pieces: Vec::with_capacity(Text::ALL.len() * USUAL_PIECES),
            bytes: Vec::with_capacity(Text::ALL.len() * USUAL_BYTES),
        };
        let mut entries = language.entries().peekable();
        for text in Text::ALL.iter().copied() {
            let translation = entries.next_if(|(key, _)| *key == text.key());
            let template = translation.map_or(text.english(), |(_, template)| template);
            catalogue.add(operator.get(text).unwrap_or(template));
        }
        catalogue
    }

    fn add(&mut self, template: &str) {
        let plain = self.encode(template);
        let first = self.pieces.len();
        for part in pattern::parse(template) {
            let piece = match part {
                Part::Literal(text) if text == template => Piece::Literal(plain),
                Part::Literal(text) => Piece::Literal(self.encode(text)),
                Part::Place { index, source } => Piece::Place(index, self.encode(source)),
            };
            self.pieces.push(piece);
        }
        let pieces = Span::new(&self.pieces, first);
        self.patterns.push(Pattern { plain, pieces });
    }

    fn encode(&mut self, text: &str) -> Span {
        let start = self.bytes.len();
        self.charset.encode_into(text, &mut self.bytes);
        Span::new(&self.bytes, start)
    }

    /// The bytes of `text` with its parameters, at most [`LINE`] of them.
    pub(super) fn line(&self, text: Text, params: &[Param<'_>]) -> Vec<u8> {
        self.bytes(text, params, LINE)
    }

    /// The bytes of `text` with its parameters, cut between characters to `limit` bytes.
    ///
    /// Lines that begin with a colon are data to the admin client family; no parameter
    /// can make one (kaillera-server.md 16.1).
    pub(super) fn bytes(&self, text: Text, params: &[Param<'_>], limit: usize) -> Vec<u8> {
        let mut out = Vec::new();
        self.render(text, params, &mut out);
        let colons = out.iter().take_while(|byte| **byte == b':').count();
        out.drain(..colons);
        let end = self.charset.split(&out, limit).0.len();
        out.truncate(end);
        out
    }

    /// The bytes of `text` with its parameters in as many lines of [`LINE`] bytes as it takes.
    pub(super) fn wrapped(&self, text: Text, params: &[Param<'_>]) -> Vec<Vec<u8>> {
        let mut out = Vec::new();
        self.render(text, params, &mut out);
        self.split(&out)
    }

    /// `line`, not longer than [`LINE`] bytes.
    pub(super) fn cut(&self, mut line: Vec<u8>) -> Vec<u8> {
        let end = self.charset.split(&line, LINE).0.len();
        line.truncate(end);
        line
    }

    /// A line of the operator's that is in no catalogue, split to [`LINE`] bytes.
    pub(super) fn lines(&self, text: &str) -> Vec<Vec<u8>> {
        let mut bytes = Vec::new();
        self.charset.encode_into(text, &mut bytes);
        self.split(&bytes)
    }

    /// `bytes` in as many lines of [`LINE`] bytes as it takes.
    pub(super) fn split(&self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let colons = rest.iter().take_while(|byte| **byte == b':').count();
            let (line, tail) = self
                .charset
                .split(rest.get(colons..).unwrap_or_default(), LINE);
            lines.push(line.to_vec());
            rest = tail;
        }
        lines
    }

    fn render(&self, text: Text, params: &[Param<'_>], out: &mut Vec<u8>) {
        let Some(pattern) = self.patterns.get(text as usize) else {
            return;
        };
        if params.is_empty() {
            out.extend_from_slice(pattern.plain.of(&self.bytes));
            return;
        }
        for piece in pattern.pieces.of(&self.pieces) {
            match piece {
                Piece::Literal(literal) => out.extend_from_slice(literal.of(&self.bytes)),
                Piece::Place(index, source) => match params.get(usize::from(*index)) {
                    Some(param) => self.put(*param, out),
                    None => out.extend_from_slice(source.of(&self.bytes)),
                },
            }
        }
    }

    fn put(&self, param: Param<'_>, out: &mut Vec<u8>) {
        match param {
            Param::Text(text) => self.render(text, &[], out),
            Param::Word(word) => self.charset.encode_into(word, out),
            Param::Bytes(bytes) => out.extend_from_slice(bytes),
            Param::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
        }
    }
}
