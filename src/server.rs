//! Assembly.

#![forbid(unsafe_code)]

use crate::config::Config;
use std::io;

/// Serves until it is told to stop.
///
/// # Errors
///
/// The system refused a socket or a thread.
pub fn run(_: Config) -> io::Result<()> {
    Ok(())
}
