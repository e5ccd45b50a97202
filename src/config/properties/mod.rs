//! Java's properties, in the two dialects an EmuLinker server reads (kaillera-server.md 3.1, 4.1).
//!
//! ```text
//!   # comment                         first letter of a line that is not a blank
//!   ! comment
//!   key = value                       or key: value, or key value
//!   key = first \                     a backslash at the end: goes on in the next line,
//!         second                      whose leading blanks do not count
//!   key = caf\u00e9 \t \n \\          escapes; an unknown one is its letter
//! ```
//!
//! | | [`Dialect::Config`] | [`Dialect::Language`] |
//! |---|---|---|
//! | bytes | ISO-8859-1 | UTF-8, or ISO-8859-1 where they are not UTF-8 |
//! | a comma | splits a list; `\,` does not | is a comma |
//! | `${key}` | is the value of that key; `$${key}` is `${key}` | is itself |
//! | a key twice | is a list; the first one counts alone | the last one counts |
//! | blanks after a final backslash | do not count | make it an escaped blank |
//! | blank lines and comments within a line that goes on | are left out | belong to it |

mod line;
mod variables;

use super::error::{ConfigError, Problem, printable};
use std::borrow::Cow;

/// What a comma, a dollar sign and a repeated key mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `emulinker.cfg`.
    Config,
    /// `language.properties`.
    Language,
}

/// The keys and values of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Properties(Vec<Property>);

/// One line with a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// The key.
    pub key: String,
    /// The line it is on, counted from 1.
    pub line: usize,
    /// The parts of its value, at least one; only one in the language dialect.
    pub values: Vec<String>,
}

/// A line that cannot be read; its value is what could be made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, counted from 1.
    pub line: usize,
    /// Its key.
    pub key: String,
    /// What is wrong, with the offending text.
    pub problem: Problem,
    /// What would be right.
    pub valid: &'static str,
}

impl Properties {
    /// Reads `text`. What is wrong with it comes in the order of its lines.
    pub fn parse(text: &str, dialect: Dialect) -> (Self, Vec<Fault>) {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut properties = Self::default();
        let mut faults = Vec::new();
        for logical in line::logical_lines(text, dialect) {
            let (property, fault) = logical.split(dialect);
            properties.0.push(property);
            faults.extend(fault);
        }
        if dialect == Dialect::Config {
            faults.extend(variables::substitute(&mut properties.0));
            faults.sort_by_key(|fault| fault.line);
        }
        (properties, faults)
    }

    /// The lines with a key, in the order of the text.
    pub fn iter(&self) -> std::slice::Iter<'_, Property> {
        self.0.iter()
    }

    /// The first line with this key.
    pub fn first(&self, key: &str) -> Option<&Property> {
        self.iter().find(|property| property.key == key)
    }

    /// The last line with this key.
    pub fn last(&self, key: &str) -> Option<&Property> {
        self.iter().rfind(|property| property.key == key)
    }
}

impl Property {
    /// The first part of the value.
    pub fn first(&self) -> &str {
        self.values.first().map(String::as_str).unwrap_or_default()
    }
}

impl Fault {
    /// The complaint about the file called `name`.
    pub(super) fn of_file(self, name: &str) -> ConfigError {
        ConfigError {
            file: name.to_owned(),
            line: Some(self.line),
            key: printable(&self.key),
            problem: self.problem,
            valid: self.valid.to_owned(),
        }
    }
}

/// The letters of a file in `dialect`, and whether each byte was taken for a letter because they
/// are not UTF-8, as they should be.
pub fn decode(bytes: &[u8], dialect: Dialect) -> (Cow<'_, str>, bool) {
    match (dialect, std::str::from_utf8(bytes)) {
        (Dialect::Language, Ok(text)) => (text.into(), false),
        (Dialect::Language, Err(_)) => (encoding_rs::mem::decode_latin1(bytes), true),
        (Dialect::Config, _) => (encoding_rs::mem::decode_latin1(bytes), false),
    }
}

#[cfg(test)]
mod tests;
