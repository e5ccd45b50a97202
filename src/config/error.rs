//! What is wrong with a configuration, and what would be right.

use crate::access::Mistake;
use std::{error::Error, fmt};

/// Everything that is wrong, file by file, in the order of their lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors(Vec<ConfigError>);

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The file, as it was named.
    pub file: String,
    /// The line, counted from 1; none if the file could not be read.
    pub line: Option<usize>,
    /// `section.key`; empty if the mistake is not about a key.
    pub key: String,
    /// What is wrong.
    pub problem: Problem,
    /// What would be right; empty if the problem says it.
    pub valid: String,
}

/// The kinds of mistakes. Values are quoted as the file has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The file does not exist.
    Missing,
    /// The file could not be read: the system's reason.
    Unreadable(String),
    /// The bytes are not UTF-8.
    NotUtf8,
    /// The text is not TOML: the parser's reason.
    Syntax(String),
    /// A key that has to be there is not.
    Absent,
    /// A rule that cannot be read.
    Rule(Box<Mistake>),
    /// Not one line of a file with rules is one.
    NoRules,
    /// No key or section has this name.
    Unknown,
    /// No key has this name, but one has a name that is close to it.
    Misspelt,
    /// The value is of another type than the key takes.
    WrongType {
        /// The value.
        value: String,
        /// Its type, with an article.
        found: &'static str,
    },
    /// The value is a number or a count that is too small or too large.
    OutOfRange {
        /// The value.
        value: String,
    },
    /// The value is a text the key does not take.
    NotAccepted {
        /// The value.
        value: String,
    },
}

impl ConfigErrors {
    /// Sorts `errors` by line; `Ok` if there are none.
    pub(super) fn check(mut errors: Vec<ConfigError>) -> Result<(), Self> {
        if errors.is_empty() {
            return Ok(());
        }
        errors.sort_by_key(|error| error.line);
        Err(Self(errors))
    }

    /// `errors` as they are; `Ok` if there are none.
    pub(super) fn in_order(errors: Vec<ConfigError>) -> Result<(), Self> {
        if errors.is_empty() {
            return Ok(());
        }
        Err(Self(errors))
    }

    /// The mistakes, in the order of their lines.
    pub fn iter(&self) -> std::slice::Iter<'_, ConfigError> {
        self.0.iter()
    }
}

impl IntoIterator for ConfigErrors {
    type Item = ConfigError;
    type IntoIter = std::vec::IntoIter<ConfigError>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a ConfigErrors {
    type Item = &'a ConfigError;
    type IntoIter = std::slice::Iter<'a, ConfigError>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<ConfigError> for ConfigErrors {
    fn from(error: ConfigError) -> Self {
        Self(vec![error])
    }
}

impl fmt::Display for ConfigErrors {
    /// One line per mistake.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl Error for ConfigErrors {}

impl fmt::Display for ConfigError {
    /// `file:line: key = value is ...; valid: ...`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, .. } = self;
        match line {
            Some(line) => write!(f, "{file}:{line}: {}", self.what()),
            None => write!(f, "{file}: {}", self.what()),
        }
    }
}

impl ConfigError {
    /// What is wrong and what would be right, without the place.
    pub fn what(&self) -> What<'_> {
        What(self)
    }
}

/// What is wrong and what would be right, without the place.
#[derive(Clone, Copy, Debug)]
pub struct What<'e>(&'e ConfigError);

impl fmt::Display for What<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ConfigError {
            key,
            problem,
            valid,
            ..
        } = self.0;
        match problem {
            Problem::Missing => f.write_str("no such file")?,
            Problem::Unreadable(reason) => write!(f, "cannot be read: {reason}")?,
            Problem::NotUtf8 => f.write_str("not UTF-8 text")?,
            Problem::Syntax(reason) => write!(f, "not TOML: {reason}")?,
            Problem::Absent => write!(f, "{key} is missing")?,
            Problem::Rule(mistake) => return mistake.fmt(f),
            Problem::NoRules => f.write_str("not one line is a rule")?,
            Problem::Unknown => write!(f, "{key} is unknown")?,
            Problem::Misspelt => return write!(f, "{key} is unknown; did you mean {valid}?"),
            Problem::WrongType { value, found } => write!(f, "{key} = {value} is {found}")?,
            Problem::OutOfRange { value } => write!(f, "{key} = {value} is out of range")?,
            Problem::NotAccepted { value } => write!(f, "{key} = {value} is not accepted")?,
        }
        if valid.is_empty() {
            Ok(())
        } else {
            write!(f, "; valid: {valid}")
        }
    }
}

impl Error for ConfigError {}

/// `text` on one line, whatever is in it.
pub(super) fn printable(text: &str) -> String {
    let mut printable = String::new();
    for c in text.chars() {
        match c.is_control() {
            true => printable.extend(c.escape_default()),
            false => printable.push(c),
        }
    }
    printable
}
