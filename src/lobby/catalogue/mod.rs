//! Every text of the server's own that a user can see (kaillera-server.md 4.3).

mod pattern;
mod text;

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

/// Longest line, in bytes: the oldest clients' buffers have 256.
pub(super) const LINE: usize = 200;
/// Longest reason for a rejection, in bytes: clients' buffers have 128.
pub(super) const REASON: usize = 126;
/// Longest name, in bytes: clients' buffers have 32.
pub(super) const NAME: usize = 30;

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

/// The texts as they go out.
#[derive(Debug)]
pub(super) struct Catalogue {
    charset: Charset,
    /// By the place of their text.
    patterns: Vec<Pattern>,
}

/// A text in the server's character set, ready to be put together.
#[derive(Debug)]
struct Pattern {
    /// How it is shown without parameters.
    plain: Box<[u8]>,
    pieces: Box<[Piece]>,
}

#[derive(Debug)]
enum Piece {
    Literal(Box<[u8]>),
    /// The parameter's number, and what is shown if there is none.
    Place(usize, Box<[u8]>),
}

impl Catalogue {
    pub(super) fn new(encoding: &'static Encoding) -> Self {
        let charset = Charset::new(encoding);
        let patterns = Text::ALL.iter();
        let patterns = patterns.map(|text| Pattern::new(text.english(), charset));
        Self {
            charset,
            patterns: patterns.collect(),
        }
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

    /// A line of the operator's that is in no catalogue, split to [`LINE`] bytes.
    pub(super) fn lines(&self, text: &str) -> Vec<Vec<u8>> {
        let mut bytes = Vec::new();
        self.charset.encode_into(text, &mut bytes);
        self.split(&bytes)
    }

    fn split(&self, bytes: &[u8]) -> Vec<Vec<u8>> {
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
            out.extend_from_slice(&pattern.plain);
            return;
        }
        for piece in &pattern.pieces {
            match piece {
                Piece::Literal(bytes) => out.extend_from_slice(bytes),
                Piece::Place(index, source) => match params.get(*index) {
                    Some(param) => self.put(*param, out),
                    None => out.extend_from_slice(source),
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

impl Pattern {
    fn new(template: &str, charset: Charset) -> Self {
        let encode = |text: &str| {
            let mut bytes = Vec::new();
            charset.encode_into(text, &mut bytes);
            bytes.into_boxed_slice()
        };
        let piece = |part| match part {
            Part::Literal(text) => Piece::Literal(encode(&text)),
            Part::Place { index, source } => Piece::Place(index, encode(&format!("{{{source}}}"))),
        };
        Self {
            plain: encode(template),
            pieces: pattern::parse(template).into_iter().map(piece).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{SHIFT_JIS, WINDOWS_1252};
    use std::collections::HashSet;

    #[test]
    fn keys_are_unique() {
        let keys: HashSet<_> = Text::ALL.iter().map(|text| text.key()).collect();
        assert_eq!(keys.len(), Text::ALL.len());
    }

    #[test]
    fn parameters_take_their_places() {
        let catalogue = Catalogue::new(WINDOWS_1252);
        let params = [Param::Number(12345), Param::Number(1), Param::Number(2)];
        let line = catalogue.line(Text::Delay, &params);
        assert_eq!(line, b"P12345 Delay = 1 (2 frame delay)");
        let nested = catalogue.line(Text::ChatDenied, &[Param::Text(Text::ChatFlood)]);
        assert_eq!(nested, b"Not sent: you are sending too fast");
    }

    #[test]
    fn no_parameter_makes_a_data_line() {
        let catalogue = Catalogue::new(WINDOWS_1252);
        let params = [Param::Bytes(b"::ACCESS=x"), Param::Bytes(b"g")];
        assert_eq!(
            catalogue.line(Text::RoomOpened, &params),
            b"ACCESS=x opened a room: g"
        );
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        let catalogue = Catalogue::new(SHIFT_JIS);
        let long = [0x95, 0x5C].repeat(200);
        let line = catalogue.line(Text::UnknownCommand, &[Param::Bytes(&long)]);
        let prefix = "No such command: ".len();
        assert_eq!(line.len(), prefix + (LINE - prefix) / 2 * 2);
        let lines = catalogue.lines(&"表".repeat(150));
        assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [200, 100]);
    }
}
