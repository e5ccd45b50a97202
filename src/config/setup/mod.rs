//! What an operator is asked once (kaillera-server.md 3.3), and where the answers are kept.
//!
//! | question | `emulinker.cfg` | TOML |
//! |---|---|---|
//! | name | `masterList.serverName` | `lists.server_name` |
//! | location | `masterList.serverLocation` | `lists.server_location` |
//! | language | `emulinker.language` | `kaillera.language` |
//! | character set | `emulinker.charset` | `kaillera.charset` |
//! | report to Kaillera's list | `masterList.touchKaillera` | `lists.kaillera` |
//! | report to EmuLinker's list | `masterList.touchEmulinker` | `lists.emulinker` |
//!
//! A question is asked while its value is missing or blank, so whoever asks again after an upgrade
//! keeps every answer. The rest of the file stays as it is, comments included, and nothing is
//! written before the last answer has been given.

mod dialogue;
mod emulinker;
mod native;
mod question;

use super::{
    Config,
    error::{ConfigError, ConfigErrors},
    file,
};
use crate::service::kaillera::replace_file;
use question::{Answers, Question};
use std::{
    error::Error,
    fmt,
    io::{self, BufRead, Write},
    path::{Path, PathBuf},
};

/// A file whose values are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The `emulinker.cfg` in this directory, which must be there.
    Emulinker(PathBuf),
    /// A file in TOML, which need not exist yet.
    Native(PathBuf),
}

/// How it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every question was answered before; nobody was asked.
    Complete,
    /// The input ended before the last answer; nothing was written.
    Ended,
    /// No question was answered; nothing was written.
    Unanswered,
    /// The answers are in this file.
    Written(PathBuf),
}

/// Why nothing was written.
#[derive(Debug)]
pub enum SetupError {
    /// The file has mistakes, or would have with these answers.
    Mistakes(ConfigErrors),
    /// The file is written in a way that leaves no place for an answer.
    NoPlace(PathBuf),
    /// Nobody could be asked.
    Terminal(io::Error),
    /// The file could not be written.
    Write(PathBuf, io::Error),
}

/// Asks for what is missing in `target` and writes the answers into it.
///
/// # Errors
///
/// Says why nothing was written.
pub fn setup(
    target: &Target,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> Result<Outcome, SetupError> {
    let path = target.file();
    let before = target.read(&path).map_err(SetupError::Mistakes)?;
    let known = target.known(&before);
    let mistakes = target.mistakes(&before);
    // What is asked for may well be blank.
    let others = mistakes.filter(|error| !target.asks_for(&error.key));
    ConfigErrors::check(others.collect()).map_err(SetupError::Mistakes)?;
    if Question::ALL.iter().all(|it| known.contains_key(it)) {
        return Ok(Outcome::Complete);
    }
    let takes_custom = matches!(target, Target::Emulinker(_));
    let answers = dialogue::ask(&known, takes_custom, input, output);
    let Some(answers) = answers.map_err(SetupError::Terminal)? else {
        return Ok(Outcome::Ended);
    };
    if answers.is_empty() {
        return Ok(Outcome::Unanswered);
    }
    let after = target.with(&before, &answers);
    let expected = known.into_iter().chain(answers).collect();
    let Some(after) = after.filter(|after| target.known(after) == expected) else {
        return Err(SetupError::NoPlace(path));
    };
    let mistakes = target.mistakes(&after).collect();
    ConfigErrors::check(mistakes).map_err(SetupError::Mistakes)?;
    match target.write(&path, &after) {
        Ok(()) => Ok(Outcome::Written(path)),
        Err(error) => Err(SetupError::Write(path, error)),
    }
}

impl Target {
    fn file(&self) -> PathBuf {
        match self {
            Self::Emulinker(directory) => directory.join(super::emulinker::CONFIG),
            Self::Native(path) => path.clone(),
        }
    }

    fn read(&self, path: &Path) -> Result<String, ConfigErrors> {
        match self {
            Self::Emulinker(_) => file::read(path, file::LARGEST).map(|it| emulinker::decode(&it)),
            Self::Native(_) if !path.exists() => Ok(native::NEW.to_owned()),
            Self::Native(_) => Config::read_text(path),
        }
    }

    /// What was answered before.
    fn known(&self, text: &str) -> Answers {
        match self {
            Self::Emulinker(_) => emulinker::known(text),
            Self::Native(_) => native::known(text),
        }
    }

    fn mistakes(&self, text: &str) -> impl Iterator<Item = ConfigError> + use<> {
        let (path, mut config) = (self.file(), Config::default());
        let errors = match self {
            Self::Emulinker(_) => {
                super::emulinker::read_config(&path, &emulinker::encode(text), &mut config)
            }
            Self::Native(_) => match Config::parse(&path.display().to_string(), text) {
                Ok(_) => Vec::new(),
                Err(errors) => errors.into_iter().collect(),
            },
        };
        errors.into_iter()
    }

    /// Whether one of the questions is about this key.
    fn asks_for(&self, key: &str) -> bool {
        Question::ALL.iter().any(|question| match self {
            Self::Emulinker(_) => emulinker::key(*question) == key,
            Self::Native(_) => {
                let (section, name) = native::key(*question);
                key.split_once('.') == Some((section, name))
            }
        })
    }

    /// `text` with the answers in it; none where there is no place for them.
    fn with(&self, text: &str, answers: &Answers) -> Option<String> {
        match self {
            Self::Emulinker(_) => Some(emulinker::with(text, answers)),
            Self::Native(_) => native::with(text, answers),
        }
    }

    /// Replaces the file, or what a link leads to.
    fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        let path = match path.exists() {
            true => path.canonicalize()?,
            false => path.to_owned(),
        };
        match self {
            Self::Emulinker(_) => replace_file(&path, emulinker::encode(text)),
            Self::Native(_) => replace_file(&path, text.as_bytes()),
        }
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mistakes(errors) => errors.fmt(f),
            Self::NoPlace(path) => {
                let path = path.display();
                write!(
                    f,
                    "{path}: the answers have no place here; write them by hand"
                )
            }
            Self::Terminal(error) => write!(f, "nobody can be asked: {error}"),
            Self::Write(path, error) => write!(f, "cannot write {}: {error}", path.display()),
        }
    }
}

impl Error for SetupError {}

#[cfg(test)]
mod tests;
