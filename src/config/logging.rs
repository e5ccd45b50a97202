//! The sections about the log, and about newer versions.

use super::document::Document;
use crate::{
    privacy::{Addresses, Privacy},
    service::lists::is_url,
};
use std::path::PathBuf;

/// What a log filter is, in words.
pub const LOG_FILTERS: &str =
    "off, error, warn, info, debug or trace, or target=level, several separated by commas";

/// What is logged, and where to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// What is logged, as [`is_log_filter`] takes it; empty leaves it to the environment.
    pub filter: String,
    /// Whether standard error has it.
    pub console: bool,
    /// A file that has it, too.
    pub file: Option<PathBuf>,
    /// What is shown of people.
    pub privacy: Privacy,
}

impl Default for Log {
    fn default() -> Self {
        Self {
            filter: String::new(),
            console: true,
            file: None,
            privacy: Privacy::default(),
        }
    }
}

/// Whether `filter` says what to log: a level, or `target=level`, several separated by commas.
///
/// A bare target is refused: it would be a misspelt level far more often.
pub fn is_log_filter(filter: &str) -> bool {
    filter.split(',').all(|directive| {
        let (target, level) = match directive.split_once('=') {
            Some((target, level)) => (Some(target.trim()), level.trim()),
            None => (None, directive.trim()),
        };
        level.parse::<log::LevelFilter>().is_ok()
            && target.is_none_or(|target| {
                let is_path = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
                !target.is_empty() && target.chars().all(is_path)
            })
    })
}

pub(super) fn log(document: &mut Document<'_>, log: &mut Log) {
    let mut section = document.section("log");
    let Log {
        filter,
        console,
        file,
        privacy,
    } = log;
    let parse = |text: &str| is_log_filter(text).then(|| text.to_owned());
    section.text("filter", LOG_FILTERS, parse, filter);
    section.boolean("console", console);
    let path = |text: &str| Some((!text.is_empty()).then(|| PathBuf::from(text)));
    section.text("file", "a file's name, or \"\"", path, file);
    let addresses = |text: &str| {
        let found = Addresses::NAMES.iter().find(|(name, _)| *name == text);
        found.map(|(_, addresses)| *addresses)
    };
    let valid = "\"shortened\", \"full\" or \"hidden\"";
    section.text("addresses", valid, addresses, &mut privacy.addresses);
    section.boolean("chat", &mut privacy.chat);
    section.boolean("game_chat", &mut privacy.game_chat);
}

pub(super) fn updates(document: &mut Document<'_>, url: &mut Option<String>) {
    let valid = "an address that begins with http:// or https://, or \"\"";
    let parse = |text: &str| match text {
        "" => Some(None),
        text => is_url(text).then(|| Some(text.to_owned())),
    };
    document.section("updates").text("url", valid, parse, url);
}
