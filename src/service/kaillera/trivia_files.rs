//! The quiz's files: read and written on a thread that ends with its errand, never on a loop.

use super::{
    durable,
    exchange::Exchange,
    mail::LobbyMail,
    post::{Post, deliver},
};
use crate::lobby::TriviaFiles;
use std::{
    fs::File,
    hash::{BuildHasher, RandomState},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
    thread,
};

/// Most bytes that are read of a file.
const LARGEST: u64 = 8 << 20;

/// Where the quiz's files are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriviaPaths {
    /// Questions with their answers.
    pub questions: PathBuf,
    /// Everybody's points.
    pub scores: PathBuf,
}

impl Default for TriviaPaths {
    fn default() -> Self {
        Self {
            questions: PathBuf::from("questions.txt"),
            scores: PathBuf::from("scores.txt"),
        }
    }
}

/// Something to do with the files.
#[derive(Clone, Debug)]
pub(super) enum Errand {
    Fetch,
    Save(String),
}

/// Sends somebody with `errand`; the lobby gets mail when it is done.
pub(super) fn run(exchange: &Arc<Exchange>, errand: Errand) {
    exchange.errands.fetch_add(1, Ordering::AcqRel);
    let its = exchange.clone();
    let failed = match errand {
        Errand::Fetch => LobbyMail::TriviaFetched(Box::default()),
        Errand::Save(_) => LobbyMail::TriviaSaved(false),
    };
    let thread = thread::Builder::new().name("trivia".to_owned());
    let started = thread.spawn(move || {
        let mail = answer(&its.settings.trivia, errand);
        deliver(&its, mail);
        its.errands.fetch_sub(1, Ordering::AcqRel);
    });
    if let Err(error) = started {
        log::warn!("cannot start a thread for the quiz's files: {error}");
        exchange.errands.fetch_sub(1, Ordering::AcqRel);
        let post = Post::new(exchange.clone());
        // A lobby with so much to do that this is lost has no quiz until the next start.
        let _ = post.lobby(failed);
        post.ring();
    }
}

fn answer(paths: &TriviaPaths, errand: Errand) -> LobbyMail {
    match errand {
        Errand::Fetch => {
            let files = TriviaFiles {
                questions: read(&paths.questions),
                scores: read(&paths.scores),
                seed: RandomState::new().hash_one(0),
            };
            LobbyMail::TriviaFetched(Box::new(files))
        }
        Errand::Save(text) => {
            let saved = durable::replace(&paths.scores, &text);
            if let Err(error) = &saved {
                log::warn!("cannot write {}: {error}", paths.scores.display());
            }
            LobbyMail::TriviaSaved(saved.is_ok())
        }
    }
}

/// What is in a file; nothing if it cannot be read.
fn read(path: &Path) -> String {
    let mut bytes = Vec::new();
    let file = File::open(path).and_then(|it| it.take(LARGEST).read_to_end(&mut bytes));
    match file {
        Ok(_) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => {
            if error.kind() != io::ErrorKind::NotFound {
                log::warn!("cannot read {}: {error}", path.display());
            }
            String::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_read() {
        let directory = std::env::temp_dir();
        let directory = directory.join(format!("samara-trivia-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let path = directory.join("scores.txt");
        assert_eq!(read(&path), "");
        for text in ["first, longer", "second"] {
            durable::replace(&path, text).unwrap();
            assert_eq!(read(&path), text);
        }
        let names = std::fs::read_dir(&directory).unwrap();
        assert_eq!(names.count(), 1);
        std::fs::write(&path, b"\xFFn:\xC3\xA9").unwrap();
        assert_eq!(read(&path), "\u{FFFD}n:\u{e9}");
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
