//! `language.properties`: greetings, and the operator's own texts (kaillera-server.md 4.1).

use crate::config::{
    Config, Wording, charset,
    error::ConfigError,
    keys::{WELCOME_LINE, WELCOME_LINES},
    properties::{Dialect, Properties, decode},
};
use encoding_rs::Encoding;
use std::path::Path;

/// Most lines whose mistakes are told one by one.
const TOLD: usize = 20;

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
