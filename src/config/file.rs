//! Files as bytes.

use super::error::{ConfigError, ConfigErrors, Problem};
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// Most bytes of a file; a longer one, or an endless device, is no configuration.
pub(super) const LARGEST: u64 = 256 << 10;
/// The same of a file with rules, which may name every address that was ever banned.
pub(super) const LARGEST_RULES: u64 = 4 << 20;

/// All of the file at `path`, which has at most so many bytes.
pub(super) fn read(path: &Path, largest: u64) -> Result<Vec<u8>, ConfigErrors> {
    read_bytes(path, largest).map_err(|error| {
        ConfigErrors::from(ConfigError {
            file: path.display().to_string(),
            line: None,
            key: String::new(),
            problem: match error.kind() {
                io::ErrorKind::NotFound => Problem::Missing,
                _ => Problem::Unreadable(error.to_string()),
            },
            valid: String::new(),
        })
    })
}

fn read_bytes(path: &Path, largest: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(largest + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        let kilobytes = largest >> 10;
        let what = format!("longer than {kilobytes} KiB");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, what));
    }
    Ok(bytes)
}
