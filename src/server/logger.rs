//! The log: standard error and, if there is to be one, a file.

use super::{StartError, log_file::LogFile};
use crate::config::Log as Settings;
use env_logger::{Builder, Env, Target, WriteStyle};
use std::{
    io::{self, Write},
    path::Path,
    sync::{Arc, OnceLock, PoisonError, RwLock},
    time::Duration,
};

/// How long the last lines may take to the file.
const FAREWELL: Duration = Duration::from_secs(2);

static LOG: OnceLock<Log> = OnceLock::new();

/// The log of the process. There is one; it is started once.
#[derive(Debug)]
pub struct Log {
    /// What is logged can be changed while it is.
    logger: RwLock<env_logger::Logger>,
    file: Option<Arc<LogFile>>,
}

impl Log {
    /// Starts it.
    ///
    /// # Errors
    ///
    /// When its file cannot be written, or when there is a log already.
    pub fn start(settings: &Settings) -> Result<&'static Self, StartError> {
        let file = match &settings.file {
            Some(path) => Some(Arc::new(open(path)?)),
            None => None,
        };
        let log = Self {
            logger: RwLock::new(logger(settings, file.as_ref())),
            file,
        };
        let already = || StartError {
            what: "cannot start the log".to_owned(),
            error: io::ErrorKind::AlreadyExists.into(),
        };
        LOG.set(log).map_err(|_| already())?;
        let log = LOG.get().ok_or_else(already)?;
        log::set_logger(log).map_err(|_| already())?;
        log.set_max_level();
        settings.privacy.set();
        Ok(log)
    }

    /// Logs by other settings from here on, except for the file.
    pub fn set(&self, settings: &Settings) {
        let new = logger(settings, self.file.as_ref());
        *self.logger.write().unwrap_or_else(PoisonError::into_inner) = new;
        self.set_max_level();
        settings.privacy.set();
    }

    /// Waits until the file has all lines there are, but not for ever.
    pub fn finish(&self) {
        if let Some(file) = &self.file {
            file.finish(FAREWELL);
        }
    }

    fn set_max_level(&self) {
        let logger = self.logger.read().unwrap_or_else(PoisonError::into_inner);
        log::set_max_level(logger.filter());
    }
}

impl log::Log for Log {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        let logger = self.logger.read().unwrap_or_else(PoisonError::into_inner);
        logger.enabled(metadata)
    }

    fn log(&self, record: &log::Record<'_>) {
        let logger = self.logger.read().unwrap_or_else(PoisonError::into_inner);
        logger.log(record);
    }

    fn flush(&self) {}
}

fn open(path: &Path) -> Result<LogFile, StartError> {
    LogFile::start(path).map_err(|error| StartError {
        what: format!("cannot write the log to {}", path.display()),
        error,
    })
}

fn logger(settings: &Settings, file: Option<&Arc<LogFile>>) -> env_logger::Logger {
    let mut builder = match settings.filter.as_str() {
        "" => Builder::from_env(Env::default().default_filter_or("info")),
        filter => {
            let mut builder = Builder::new();
            builder.parse_filters(filter);
            builder
        }
    };
    builder.format_timestamp_millis().target(Target::Stderr);
    if file.is_some() || !settings.console {
        let outputs = Outputs {
            has_console: settings.console,
            file: file.cloned(),
        };
        builder
            .target(Target::Pipe(Box::new(outputs)))
            .write_style(WriteStyle::Never);
    }
    builder.build()
}

/// Where lines go if not to standard error alone.
struct Outputs {
    has_console: bool,
    file: Option<Arc<LogFile>>,
}

impl Write for Outputs {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if let Some(file) = &self.file {
            file.push(line);
        }
        if self.has_console {
            // A console that is gone is no reason to lose the file, too.
            let _ = io::stderr().write_all(line);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
