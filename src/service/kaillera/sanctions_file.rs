//! Bans and silences in a file: read at the start, written on a thread that ends when nothing is
//! left to write, never on a loop.

use super::{durable, exchange::Exchange, mail::LobbyMail, post::deliver};
use crate::{access::Saved, lobby::Report};
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::Ordering},
    thread,
};

/// Most bytes that are read of a file.
const LARGEST: u64 = 64 << 20;

/// What waits to be written: the newest only.
#[derive(Debug, Default)]
pub(super) struct Keeper(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    newest: Option<Saved>,
    /// Somebody is at the file and will look here again.
    is_writing: bool,
}

/// What is in the file at `path`; nothing if there is none.
///
/// # Errors
///
/// When the file cannot be read, or is not what was written: to go on without it would let in
/// whoever was banned.
pub fn read_saved(path: &Path) -> io::Result<Saved> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(LARGEST).read_to_end(&mut bytes)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Saved::default()),
        Err(error) => return Err(error),
    };
    Ok(serde_json::from_slice(&bytes)?)
}

/// Has `saved` written, if there is a file for it.
pub(super) fn keep(exchange: &Arc<Exchange>, saved: Saved) {
    if exchange.settings.access.state.is_none() {
        return;
    }
    let mut waiting = exchange.keeper.waiting();
    waiting.newest = Some(saved);
    if waiting.is_writing {
        return;
    }
    waiting.is_writing = true;
    drop(waiting);
    exchange.errands.fetch_add(1, Ordering::AcqRel);
    let its = exchange.clone();
    let thread = thread::Builder::new().name("sanctions".to_owned());
    let started = thread.spawn(move || {
        while let Some(saved) = its.keeper.next() {
            write(&its, &saved);
        }
        its.errands.fetch_sub(1, Ordering::AcqRel);
    });
    if let Err(error) = started {
        log::error!("cannot start a thread to keep bans and silences: {error}");
        exchange.keeper.waiting().is_writing = false;
        exchange.errands.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Keeper {
    /// What is to be written next; with nothing left the writer is none any more.
    fn next(&self) -> Option<Saved> {
        let mut waiting = self.waiting();
        waiting.is_writing = waiting.newest.is_some();
        waiting.newest.take()
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn write(exchange: &Arc<Exchange>, saved: &Saved) {
    let Some(path) = &exchange.settings.access.state else {
        return;
    };
    let text = serde_json::to_string_pretty(saved).map_err(io::Error::from);
    let written = text.and_then(|text| durable::replace(path, format!("{text}\n")));
    if let Err(error) = written {
        let path = path.display();
        log::error!("cannot write {path}, bans and silences end with the server: {error}");
        deliver(exchange, LobbyMail::Report([Report::NotSaved].into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_no_state_is_refused() {
        let directory = std::env::temp_dir();
        let directory = directory.join(format!("samara-sanctions-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join("state.json");
        assert_eq!(read_saved(&path).unwrap(), Saved::default());
        fs::write(&path, "{\"bans\": [{\"address\": \"192.0.2.1\"}]}").unwrap();
        let saved = read_saved(&path).unwrap();
        assert_eq!((saved.bans.len(), saved.silences.len()), (1, 0));
        for text in ["", "{", "[]x", "{\"bans\": [{\"address\": \"nobody\"}]}"] {
            fs::write(&path, text).unwrap();
            assert!(read_saved(&path).is_err(), "{text}");
        }
        assert!(read_saved(&directory).is_err());
        fs::remove_dir_all(&directory).unwrap();
    }
}
