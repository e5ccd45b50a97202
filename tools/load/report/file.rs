//! Records and pages as files.

use crate::record::{FORMAT, Record};
use serde::Deserialize;
use std::{
    ffi::OsString,
    fmt, fs, io,
    path::{Path, PathBuf},
    process,
};

/// Why a file's content is no record.
#[derive(Debug)]
enum Unreadable {
    NotJson(serde_json::Error),
    NoRecord(serde_json::Error),
    Format(u32),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson(error) => write!(f, "this is not JSON: {error}"),
            Self::NoRecord(error) => write!(f, "this is not the record of a run: {error}"),
            Self::Format(format) => {
                write!(f, "format {format} is not known here, only {FORMAT} is")
            }
        }
    }
}

/// Writes `record` to `file`.
///
/// # Errors
///
/// When the file cannot be made; the error names it, and what was there before is left.
pub(crate) fn write_json(record: &Record, file: &Path) -> io::Result<()> {
    let mut json = serde_json::to_vec(record)?;
    json.push(b'\n');
    write(file, &json)
}

/// Reads what [`write_json`] wrote.
///
/// # Errors
///
/// When there is no such file or it is no record of a known format; the error names the file.
pub(crate) fn read_json(file: &Path) -> io::Result<Record> {
    let json = fs::read(file).map_err(|error| naming(file, error.kind(), error))?;
    parse(&json).map_err(|error| naming(file, io::ErrorKind::InvalidData, error))
}

/// Puts `content` beside `file` and then in its place, so that nobody sees half of it.
///
/// What is no plain file, such as a link or `/dev/stdout`, is written to and stays what it is.
pub(super) fn write(file: &Path, content: &[u8]) -> io::Result<()> {
    if fs::symlink_metadata(file).is_ok_and(|it| !it.is_file()) {
        return fs::write(file, content).map_err(|error| naming(file, error.kind(), error));
    }
    let beside = beside(file);
    let written = fs::write(&beside, content).and_then(|()| fs::rename(&beside, file));
    written.map_err(|error| {
        // It may never have come to be.
        let _ = fs::remove_file(&beside);
        naming(file, error.kind(), error)
    })
}

fn beside(file: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(file.file_name().unwrap_or_default());
    name.push(format!(".{}", process::id()));
    file.with_file_name(name)
}

fn parse(json: &[u8]) -> Result<Record, Unreadable> {
    #[derive(Deserialize)]
    struct Head {
        format: u32,
    }
    let refused = |error: serde_json::Error| match error.classify() {
        serde_json::error::Category::Data => Unreadable::NoRecord(error),
        _ => Unreadable::NotJson(error),
    };
    let head: Head = serde_json::from_slice(json).map_err(refused)?;
    if head.format != FORMAT {
        return Err(Unreadable::Format(head.format));
    }
    serde_json::from_slice(json).map_err(refused)
}

fn naming(file: &Path, kind: io::ErrorKind, error: impl fmt::Display) -> io::Error {
    io::Error::new(kind, format!("{}: {error}", file.display()))
}
