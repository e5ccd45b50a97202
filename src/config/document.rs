//! A TOML text, read key by key; every complaint knows its line.
//!
//! Reading a key makes it known, so what is left over at the end is what nobody knows.

use super::{
    error::{ConfigError, ConfigErrors, Problem},
    section::Section,
    spelling,
};
use std::ops::Range;
use toml::{
    Spanned,
    de::{DeString, DeTable, DeValue},
};

/// Longest excerpt of a value in a complaint, in characters.
const EXCERPT: usize = 40;

pub(super) struct Document<'t> {
    source: Source<'t>,
    root: DeTable<'t>,
    known: Vec<KeyName>,
    errors: Vec<ConfigError>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyName {
    pub(super) section: &'static str,
    pub(super) key: &'static str,
}

impl KeyName {
    /// In the place of the names of a section that has any.
    pub(super) const ANY: &'static str = "*";

    pub(super) const fn new(section: &'static str, key: &'static str) -> Self {
        Self { section, key }
    }
}

impl<'t> Document<'t> {
    pub(super) fn parse(file: &'t str, text: &'t str) -> Result<Self, ConfigErrors> {
        let source = Source { file, text };
        let root = DeTable::parse(text).map_err(|error| {
            let span = error.span().unwrap_or_default();
            let reason = error.message().lines().collect::<Vec<_>>().join("; ");
            let place = match source.excerpt(span.clone()) {
                text if text.trim().is_empty() => String::new(),
                text => format!(", at `{text}`"),
            };
            let problem = Problem::Syntax(format!("{reason}{place}"));
            source.error(span.start, String::new(), problem, String::new())
        })?;
        Ok(Self {
            source,
            root: root.into_inner(),
            known: Vec::new(),
            errors: Vec::new(),
        })
    }

    pub(super) fn section(&mut self, name: &'static str) -> Section<'_, 't> {
        let value = self.root.get(name);
        let table = value.and_then(|value| value.get_ref().as_table());
        if let Some(value) = value
            && table.is_none()
        {
            let valid = format!("[{name}]");
            let expected = Expected {
                kind: "a section",
                valid,
            };
            let error = self.source.fault(name, value, Fault::Type, &expected);
            self.errors.push(error);
        }
        Section::new(name, table, self.source, &mut self.known, &mut self.errors)
    }

    /// Complains that two keys contradict each other, at the first of `sides` that is in the
    /// text; each side comes with what would be valid there.
    pub(super) fn contradiction(&mut self, sides: [(KeyName, String); 2]) {
        for (KeyName { section, key }, valid) in sides {
            let table = self
                .root
                .get(section)
                .and_then(|value| value.get_ref().as_table());
            if let Some(value) = table.and_then(|table| table.get(key)) {
                let expected = Expected { kind: "", valid };
                let name = format!("{section}.{key}");
                let error = self.source.fault(&name, value, Fault::Range, &expected);
                self.errors.push(error);
                return;
            }
        }
    }

    /// The keys that have been read so far.
    #[cfg(test)]
    pub(super) fn known(&self) -> &[KeyName] {
        &self.known
    }

    /// Adds the names nobody asked for to the complaints, and hands all of them over.
    pub(super) fn finish(self) -> Result<(), ConfigErrors> {
        let mut errors = Vec::new();
        for (name, value) in &self.root {
            let section = name.get_ref().as_ref();
            let is_known = self.known.iter().any(|known| known.section == section);
            match value.get_ref().as_table() {
                Some(table) if is_known => {
                    let keys = table.keys();
                    let strangers = keys.filter(|key| !self.knows(section, key.get_ref()));
                    errors.extend(strangers.map(|key| self.unknown_key(Some(section), key)));
                }
                None if is_known => {}
                Some(_) => errors.push(self.unknown_section(name)),
                None => errors.push(self.unknown_key(None, name)),
            }
        }
        errors.extend(self.errors);
        ConfigErrors::check(errors)
    }

    fn unknown_section(&self, name: &Spanned<DeString<'_>>) -> ConfigError {
        let shown = format!("[{}]", name.get_ref().escape_debug());
        self.source
            .error(name.span().start, shown, Problem::Unknown, self.sections())
    }

    fn unknown_key(&self, section: Option<&str>, key: &Spanned<DeString<'_>>) -> ConfigError {
        let name = key.get_ref().as_ref();
        let shown = match section {
            Some(section) => format!("{section}.{}", name.escape_debug()),
            None => name.escape_debug().to_string(),
        };
        let (problem, valid) = match (spelling::nearest(&self.known, section, name), section) {
            (Some(near), _) => (Problem::Misspelt, format!("{}.{}", near.section, near.key)),
            (None, Some(section)) => (Problem::Unknown, self.keys(section)),
            (None, None) => (Problem::Unknown, self.sections()),
        };
        self.source.error(key.span().start, shown, problem, valid)
    }

    fn knows(&self, section: &str, key: &str) -> bool {
        let fits = |known: &str| known == key || known == KeyName::ANY;
        self.known
            .iter()
            .any(|known| known.section == section && fits(known.key))
    }

    fn keys(&self, section: &str) -> String {
        let keys = self.known.iter().filter(|known| known.section == section);
        keys.map(|known| known.key).collect::<Vec<_>>().join(", ")
    }

    fn sections(&self) -> String {
        let names = self
            .known
            .iter()
            .map(|known| format!("[{}]", known.section));
        let mut names: Vec<_> = names.collect();
        names.dedup();
        names.join(", ")
    }
}

/// A text and where it comes from.
#[derive(Clone, Copy)]
pub(super) struct Source<'t> {
    file: &'t str,
    text: &'t str,
}

/// What is wrong with a value.
pub(super) enum Fault {
    Type,
    Range,
    Text,
}

/// What a value should be: its type, and which values of that type.
pub(super) struct Expected {
    pub(super) kind: &'static str,
    pub(super) valid: String,
}

impl Source<'_> {
    /// The complaint about the value of `key`.
    pub(super) fn fault(
        &self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        fault: Fault,
        expected: &Expected,
    ) -> ConfigError {
        let Expected { kind, valid } = expected;
        let excerpt = self.excerpt(value.span());
        let (problem, valid) = match fault {
            Fault::Type => {
                let problem = Problem::WrongType {
                    value: excerpt,
                    found: type_name(value.get_ref()),
                };
                let comma = if valid.is_empty() { "" } else { ", " };
                (problem, format!("{kind}{comma}{valid}"))
            }
            Fault::Range => (Problem::OutOfRange { value: excerpt }, valid.clone()),
            Fault::Text => (Problem::NotAccepted { value: excerpt }, valid.clone()),
        };
        self.error(value.span().start, key.to_owned(), problem, valid)
    }

    fn error(&self, at: usize, key: String, problem: Problem, valid: String) -> ConfigError {
        ConfigError {
            file: self.file.to_owned(),
            line: Some(line(self.text.as_bytes(), at)),
            key,
            problem,
            valid,
        }
    }

    fn excerpt(&self, span: Range<usize>) -> String {
        let text = self.text.get(span).unwrap_or_default();
        let first = text.lines().next().unwrap_or_default();
        let mut excerpt: String = first.chars().take(EXCERPT).collect();
        if excerpt.len() < text.len() {
            excerpt.push_str("...");
        }
        excerpt
    }
}

/// The line, counted from 1, of the byte at `at`.
pub(super) fn line(text: &[u8], at: usize) -> usize {
    1 + text.iter().take(at).filter(|byte| **byte == b'\n').count()
}

fn type_name(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a section",
    }
}
