//! `language.properties`: greetings, and the operator's own texts (kaillera-server.md 4.1).

use super::LANGUAGE;
use crate::config::{
    Config, Wording, charset,
    error::ConfigError,
    keys::{WELCOME_LINE, WELCOME_LINES},
    properties::{Dialect, Properties, decode},
};
use encoding_rs::Encoding;
use std::path::{Path, PathBuf};

/// Most lines whose mistakes are told one by one.
const TOLD: usize = 20;

/// What the environment says the machine's locale is; empty if it does not.
pub(super) fn locale() -> String {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter();
    let mut values = names.filter_map(|name| std::env::var(name).ok());
    values.find(|value| !value.is_empty()).unwrap_or_default()
}

/// The file in `directory` for a locale such as `pt_BR.UTF-8`: the one for language and country,
/// or for the language, or for all. A machine without a language speaks English, as in Java.
pub(super) fn path(directory: &Path, locale: &str) -> PathBuf {
    let locale = locale.split(['.', '@']).next().unwrap_or_default();
    let locale = match locale {
        "" | "C" | "POSIX" => "en",
        locale => locale,
    };
    let language = locale.split('_').next().unwrap_or(locale);
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let names = [locale, language].into_iter();
    let names = names.filter(|name| name.chars().all(is_word));
    let mut paths = names.map(|name| directory.join(format!("language_{name}.properties")));
    let found = paths.find(|path| path.exists());
    found.unwrap_or_else(|| directory.join(LANGUAGE))
}

/// Reads the file into `config`; answers with its mistakes, in the order of its lines.
pub(in crate::config) fn read(path: &Path, bytes: &[u8], config: &mut Config) -> Vec<ConfigError> {
    let name = path.display().to_string();
    let (text, not_utf8) = decode(bytes, Dialect::Language);
    if not_utf8 {
        config.notices.push(format!(
            "{name}: not UTF-8, read as ISO-8859-1: letters beyond western ones are wrong; \
             save the file as UTF-8"
        ));
    }
    let (properties, faults) = Properties::parse(&text, Dialect::Language);
    let lines = properties
        .iter()
        .map(|property| (&*property.key, property.first()));
    let (mut wording, mistakes) = Wording::read(lines.clone());
    for mistake in mistakes.iter().take(TOLD) {
        let line = properties
            .last(&mistake.key)
            .map_or(0, |property| property.line);
        config.notices.push(format!("{name}:{line}: {mistake}"));
    }
    if mistakes.len() > TOLD {
        let more = mistakes.len() - TOLD;
        config.notices.push(format!(
            "{name}: {more} more lines are not shown as they were meant"
        ));
    }
    let charset = config.rules.charset;
    fit(&mut wording.welcome, charset);
    fit(&mut wording.room_welcome, charset);
    wording.apply(&mut config.rules);
    config.texts = lines
        .filter(|(key, _)| config.rules.texts.has(key))
        .map(|(key, text)| (key.to_owned(), text.to_owned()))
        .collect();
    faults
        .into_iter()
        .map(|fault| fault.of_file(&name))
        .collect()
}

/// Makes several lines of each that is too long.
fn fit(lines: &mut Vec<String>, charset: &'static Encoding) {
    let pieces = lines
        .iter()
        .flat_map(|line| charset::fit(charset, line, WELCOME_LINE));
    *lines = pieces.take(WELCOME_LINES).collect();
}
