//! Lines: which of them belong together, and what is key and value in them.

use super::{Dialect, Fault, Property};
use crate::config::error::{Problem, printable};

/// Longest piece of a line in a complaint, in characters.
const EXCERPT: usize = 40;

/// A line with those it goes on in; neither blank nor a comment.
pub(super) struct Logical {
    /// The first of its lines.
    number: usize,
    text: String,
}

/// Puts lines together.
pub(super) fn logical_lines(text: &str, dialect: Dialect) -> impl Iterator<Item = Logical> {
    let mut lines = (1..).zip(lines(text));
    std::iter::from_fn(move || {
        let mut logical: Option<Logical> = None;
        for (number, line) in lines.by_ref() {
            let line = line.trim_start_matches(is_blank);
            let says_nothing = line.is_empty() || line.starts_with(['#', '!']);
            if says_nothing && (logical.is_none() || dialect == Dialect::Config) {
                continue;
            }
            let line = match dialect {
                Dialect::Config => line.trim_end_matches(is_blank),
                Dialect::Language => line,
            };
            let logical = logical.get_or_insert_with(|| Logical {
                number,
                text: String::new(),
            });
            match goes_on(line) {
                Some(line) => logical.text.push_str(line),
                None => {
                    logical.text.push_str(line);
                    break;
                }
            }
        }
        logical
    })
}

impl Logical {
    /// Key and value; a value that cannot be read is told.
    pub(super) fn split(&self, dialect: Dialect) -> (Property, Option<Fault>) {
        let (key, value) = key_and_value(&self.text);
        let commas = dialect == Dialect::Config;
        let (key, bad_key) = unescape(key, false);
        let (values, bad_value) = unescape(trim_end(value), commas);
        let key = key.concat();
        let fault = bad_key.or(bad_value).map(|escape| Fault {
            line: self.number,
            key: key.clone(),
            problem: Problem::NotAccepted {
                value: printable(&escape),
            },
            valid: "\\u and four hexadecimal digits, or \\\\u for the letters themselves",
        });
        let property = Property {
            key,
            line: self.number,
            values,
        };
        (property, fault)
    }
}

/// The lines of a text, however they end.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.split('\n');
    let lines = lines.map(|line| line.strip_suffix('\r').unwrap_or(line));
    lines.flat_map(|line| line.split('\r'))
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\x0c')
}

/// The line without the backslash that makes it go on, if one does.
fn goes_on(line: &str) -> Option<&str> {
    let (_, backslashes) = trailing_backslashes(line);
    line.strip_suffix('\\').filter(|_| backslashes % 2 == 1)
}

fn trailing_backslashes(text: &str) -> (&str, usize) {
    let rest = text.trim_end_matches('\\');
    (rest, text.len() - rest.len())
}

/// Without blanks at the end, but with one that is escaped.
fn trim_end(text: &str) -> &str {
    let trimmed = text.trim_end_matches(is_blank);
    let (_, backslashes) = trailing_backslashes(trimmed);
    let escaped = usize::from(backslashes % 2 == 1 && trimmed.len() < text.len());
    text.get(..trimmed.len() + escaped).unwrap_or(trimmed)
}

/// Splits at the first blank, `=` or `:` that is not escaped; blanks around it go with it.
fn key_and_value(text: &str) -> (&str, &str) {
    let mut escaped = false;
    let end = text.find(|c: char| {
        let ends = !escaped && (is_blank(c) || c == '=' || c == ':');
        escaped = c == '\\' && !escaped;
        ends
    });
    let (key, rest) = text
        .split_at_checked(end.unwrap_or(text.len()))
        .unwrap_or((text, ""));
    let rest = rest.trim_start_matches(is_blank);
    let rest = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    (key, rest.trim_start_matches(is_blank))
}

/// The parts of a value without its escapes, and the first escape that is none.
fn unescape(text: &str, commas: bool) -> (Vec<String>, Option<String>) {
    let mut parts = Vec::new();
    let mut part = Part::default();
    let mut bad = None;
    let mut rest = text;
    while let Some(c) = take(&mut rest) {
        match c {
            ',' if commas => parts.push(std::mem::take(&mut part).finish(commas)),
            '\\' => match take(&mut rest) {
                Some('t') => part.letter('\t'),
                Some('n') => part.letter('\n'),
                Some('r') => part.letter('\r'),
                Some('f') => part.letter('\x0c'),
                Some('u') => match unit(rest) {
                    Some(unit) => {
                        part.unit(unit);
                        rest = rest.get(4..).unwrap_or_default();
                    }
                    None => {
                        let digits: String = rest.chars().take(4).collect();
                        bad.get_or_insert(format!("\\u{digits}"));
                        part.letter('u');
                    }
                },
                Some(c) => part.letter(c),
                None => {}
            },
            c => part.letter(c),
        }
    }
    parts.push(part.finish(commas));
    (parts, bad.map(|bad| bad.chars().take(EXCERPT).collect()))
}

fn take(text: &mut &str) -> Option<char> {
    let mut chars = text.chars();
    let c = chars.next()?;
    *text = chars.as_str();
    Some(c)
}

/// The UTF-16 unit of `\u`, whose digits `text` begins with.
fn unit(text: &str) -> Option<u16> {
    let digits = text.get(..4)?;
    let is_number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u16::from_str_radix(digits, 16).ok().filter(|_| is_number)
}

/// A part of a value, letter by letter.
#[derive(Default)]
struct Part {
    text: String,
    /// The first half of a letter that `\u` writes in two.
    high: Option<u16>,
}

impl Part {
    fn letter(&mut self, c: char) {
        self.end_pair();
        self.text.push(c);
    }

    fn unit(&mut self, unit: u16) {
        let pair = self.high.map(|high| String::from_utf16(&[high, unit]));
        if let Some(Ok(letter)) = pair {
            self.high = None;
            self.text.push_str(&letter);
            return;
        }
        self.end_pair();
        match char::from_u32(unit.into()) {
            Some(letter) => self.text.push(letter),
            None if unit < 0xDC00 => self.high = Some(unit),
            None => self.text.push(char::REPLACEMENT_CHARACTER),
        }
    }

    /// Half a letter without its other half is none.
    fn end_pair(&mut self) {
        if self.high.take().is_some() {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
    }

    /// The part; without outer blanks and control characters where parts are those of a list.
    fn finish(mut self, of_list: bool) -> String {
        self.end_pair();
        match of_list {
            true => self.text.trim_matches(|c| c <= ' ').to_owned(),
            false => self.text,
        }
    }
}
