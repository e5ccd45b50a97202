//! What is made of a [`Record`]: a table, a file, a page, a comparison.
#![allow(dead_code, reason = "not called yet")]

use crate::record::Record;
use std::{fmt::Display, io, path::Path};

/// The table that is printed at the end of a run.
pub(crate) fn table(record: &Record) -> impl Display {
    record.scenario.clone()
}

/// Writes `record` to `file`.
pub(crate) fn write_json(_record: &Record, _file: &Path) -> io::Result<()> {
    Ok(())
}

/// Reads what [`write_json`] wrote.
pub(crate) fn read_json(file: &Path) -> io::Result<Record> {
    serde_json::from_slice(&std::fs::read(file)?).map_err(io::Error::other)
}

/// Writes one self-contained page with plots.
pub(crate) fn write_html(_record: &Record, _file: &Path) -> io::Result<()> {
    Ok(())
}

/// Two runs side by side, for the terminal.
pub(crate) fn compare(before: &Record, _after: &Record) -> impl Display {
    before.scenario.clone()
}

/// Two runs side by side, as a page.
pub(crate) fn write_comparison(_before: &Record, _after: &Record, _file: &Path) -> io::Result<()> {
    Ok(())
}
