//! What must hold for any file of an operator's: one function per kind of file.
//!
//! Tests feed them what they make up, a fuzzer what it finds. Each panics when its reader breaks a
//! promise, and returns quietly when the file is refused.

use super::{
    Config, ConfigError, access, emulinker,
    error::ConfigErrors,
    properties::{Dialect, Properties, decode},
};
use std::path::Path;

const NAME: &str = "f";

/// Java's properties in both dialects.
///
/// # Panics
///
/// If a key or a mistake has no line of the text.
pub fn properties(data: &[u8]) {
    for dialect in [Dialect::Config, Dialect::Language] {
        let (text, _) = decode(data, dialect);
        let (properties, faults) = Properties::parse(&text, dialect);
        let lines = lines(&text);
        let numbers = properties.iter().map(|property| property.line);
        assert!(numbers.clone().is_sorted());
        assert!(faults.is_sorted_by_key(|fault| fault.line));
        let faulty = faults.iter().map(|fault| fault.line);
        assert!(
            numbers
                .chain(faulty)
                .all(|line| (1..=lines).contains(&line))
        );
        for property in properties.iter() {
            assert!(!property.values.is_empty());
            assert!(dialect == Dialect::Config || property.values.len() == 1);
        }
    }
}

/// `emulinker.cfg`.
///
/// # Panics
///
/// If a mistake has no line of the text, or something is refused without a mistake.
pub fn emulinker(data: &[u8]) {
    let mut config = Config::default();
    let path = Path::new(NAME);
    let errors = emulinker::read_config(path, data, &mut config);
    let (text, _) = decode(data, Dialect::Config);
    errors.iter().for_each(|error| check(error, &text));
    let errors = emulinker::read_language(path, data, &mut config);
    let (text, _) = decode(data, Dialect::Language);
    errors.iter().for_each(|error| check(error, &text));
    config
        .notices
        .iter()
        .for_each(|notice| check_place(notice, &text));
    assert!(config.rules.max_user_name_length <= 30);
    assert!(config.limits.sessions >= config.rules.max_users as usize);
}

/// A file with rules, as the configuration reads one.
///
/// # Panics
///
/// If a line that is left out, or what makes the file unusable, has no line of the text.
pub fn rules(data: &[u8]) {
    let config = Config::default();
    let (text, ..) = config.rules.charset.decode(data);
    let left_out = match config.rules_of(Path::new(NAME), data) {
        Ok(parsed) => access::left_out_of(NAME, parsed.mistakes),
        Err(errors) => errors.into_iter().collect(),
    };
    left_out.iter().for_each(|error| check(error, &text));
}

/// The server's own configuration.
///
/// # Panics
///
/// If a mistake has no line of the text.
pub fn native(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    match Config::parse(NAME, text) {
        Ok(config) => config.notices.iter().for_each(|notice| check_line(notice)),
        Err(errors) => {
            assert_ne!(ConfigErrors::iter(&errors).count(), 0);
            errors.iter().for_each(|error| check(error, text));
        }
    }
}

fn check(error: &ConfigError, text: &str) {
    let shown = error.to_string();
    check_line(&shown);
    match error.line {
        Some(line) => {
            assert!((1..=lines(text)).contains(&line), "{shown}");
            assert!(shown.starts_with(&format!("{NAME}:{line}: ")), "{shown}");
        }
        None => assert!(shown.ends_with("(bytes)"), "{shown}"),
    }
}

/// Whether a notice names its file, and a line of it or none.
fn check_place(notice: &str, text: &str) {
    check_line(notice);
    let rest = notice
        .strip_prefix(NAME)
        .and_then(|it| it.strip_prefix(':'));
    let Some((line, _)) = rest.and_then(|it| it.split_once(' ')) else {
        panic!("{notice:?}");
    };
    if let Some(line) = line.strip_suffix(':') {
        let line: usize = line.parse().unwrap_or_default();
        assert!((1..=lines(text)).contains(&line), "{notice:?}");
    }
}

/// Whether a line of a log is one.
fn check_line(shown: &str) {
    assert!(!shown.contains(['\n', '\r']), "{shown:?}");
}

fn lines(text: &str) -> usize {
    1 + text.matches(['\n', '\r']).count()
}

#[cfg(test)]
mod tests;
