//! The directory of an EmuLinker-K server, read as it is (kaillera-server.md 2 to 5).
//!
//! | file | where | what of it counts |
//! |---|---|---|
//! | `emulinker.cfg` | in the directory | every key, see [`keys`] |
//! | `access.cfg` | in the directory; must be there | see [`crate::access`] |
//! | `language.properties` | in the directory, if it is there; `language_xx.properties` of the machine's locale in its place | greetings and texts |
//! | `questions.txt`, `scores.txt` | beside the directory, where EmuLinker-K runs | the quiz |
//!
//! Whatever else is there is not looked at. What moderators decide for longer than a moment is
//! kept in the directory, in a file of the server's own.

pub(super) mod import;
mod keys;
mod language;
mod reader;

use super::{
    Config, access,
    error::{ConfigError, ConfigErrors},
    file,
    properties::{Dialect, Properties, decode},
};
pub(super) use language::read as read_language;

use reader::Reader;
use std::path::Path;

pub(super) const CONFIG: &str = "emulinker.cfg";
const ACCESS: &str = "access.cfg";
const LANGUAGE: &str = "language.properties";

/// Reads and checks all files in and beside `directory`.
///
/// # Errors
///
/// All mistakes of all files.
pub(super) fn load(directory: &Path) -> Result<Config, ConfigErrors> {
    let mut config = Config::default();
    let mut errors = Vec::new();
    let path = directory.join(CONFIG);
    config.files.push(path.clone());
    match file::read(&path, file::LARGEST) {
        Ok(bytes) => errors.extend(read_config(&path, &bytes, &mut config)),
        Err(more) => errors.extend(more),
    }
    let path = language::path(directory, &language::locale());
    if path.file_name() != Some(LANGUAGE.as_ref()) {
        let name = path.display();
        config.notices.push(format!(
            "{name}: read in the place of {LANGUAGE}, as the machine's locale says"
        ));
    }
    config.files.push(path.clone());
    if path.exists() {
        match file::read(&path, file::LARGEST) {
            Ok(bytes) => errors.extend(language::read(&path, &bytes, &mut config)),
            Err(more) => errors.extend(more),
        }
    }
    config.access.file = Some(directory.join(ACCESS));
    config.access.state = Some(directory.join(access::STATE));
    let canonical = directory.canonicalize().ok();
    let beside = canonical.as_deref().and_then(Path::parent);
    let beside = beside.map_or_else(|| directory.join(".."), Path::to_owned);
    config.trivia.questions = beside.join("questions.txt");
    config.trivia.scores = beside.join("scores.txt");
    config.read_rules(errors)
}

/// Reads `emulinker.cfg` into `config`; answers with its mistakes, in the order of its lines.
pub(super) fn read_config(path: &Path, bytes: &[u8], config: &mut Config) -> Vec<ConfigError> {
    let name = path.display().to_string();
    let (text, _) = decode(bytes, Dialect::Config);
    let (properties, faults) = Properties::parse(&text, Dialect::Config);
    let mut reader = Reader::new(&name, &properties);
    keys::read(&mut reader, config);
    let (mut errors, notices) = reader.finish();
    config.notices.extend(notices);
    // A key that cannot be read as it is written is not complained about a second time.
    errors.retain(|error| faults.iter().all(|fault| Some(fault.line) != error.line));
    let faults = faults.into_iter().map(|fault| fault.of_file(&name));
    errors.extend(faults);
    errors.sort_by_key(|error| error.line);
    errors
}

#[cfg(test)]
mod tests;
