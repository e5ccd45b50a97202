//! Reading the configuration again while the server runs.

use super::Server;
use crate::{
    config::{Config, ConfigError, ConfigErrors},
    lobby::Report,
};
use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Most mistakes of one file that admins are told.
const TOLD: usize = 5;

/// A way to read the configuration again.
pub type Source = Box<dyn Fn() -> Result<Config, ConfigErrors>>;

/// What a file looks like from outside; another look means other content.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Look {
    bytes: u64,
    modified: Option<SystemTime>,
    inode: u64,
}

/// Files that are looked at from time to time.
#[derive(Debug)]
pub(super) struct Watch {
    files: Vec<PathBuf>,
    /// As they were when they were last read.
    read: Vec<Option<Look>>,
    /// As they were at the last look.
    seen: Vec<Option<Look>>,
}

impl Watch {
    pub(super) fn new(files: &[PathBuf]) -> Self {
        let looks = looks(files);
        Self {
            files: files.to_vec(),
            read: looks.clone(),
            seen: looks,
        }
    }

    /// Whether a file is not what it was when it was read; not before two looks in a row are the
    /// same, so that nothing is read while it is written.
    pub(super) fn has_changed(&mut self) -> bool {
        let looks = looks(&self.files);
        let is_quiet = looks == self.seen;
        self.seen = looks;
        is_quiet && self.seen != self.read
    }

    /// Takes the files as they are now to have been read.
    fn mark(&mut self) {
        self.read = looks(&self.files);
        self.seen = self.read.clone();
    }
}

/// A configuration that is in force, and where it is from.
pub(super) struct Reloader {
    running: Config,
    source: Source,
    pub(super) watch: Watch,
}

impl Reloader {
    pub(super) fn new(running: Config, source: Source) -> Self {
        Self {
            watch: Watch::new(&running.files),
            running,
            source,
        }
    }

    /// What is in force.
    pub(super) fn running(&self) -> &Config {
        &self.running
    }

    /// Reads the files again. What cannot be read leaves everything as it is; what counts only
    /// from the next start on is told.
    pub(super) fn reload(&mut self, server: &mut Server) {
        self.watch.mark();
        match (self.source)() {
            Ok(new) => self.take_on(new, server),
            Err(errors) => {
                let errors: Vec<ConfigError> = errors.iter().cloned().collect();
                errors.iter().for_each(|error| log::error!("{error}"));
                log::error!("the configuration stays as it was");
                let mut reports = mistakes(&errors);
                let files = files_of(&errors);
                reports.extend(files.into_iter().map(Report::Kept));
                server.control.report(reports);
            }
        }
    }

    fn take_on(&mut self, new: Config, server: &mut Server) {
        new.log_warnings_beside(&self.running.notices);
        let settings = new.settings();
        if !server.control.set_rules(settings.rules) || !server.set_access(&new) {
            log::error!("the lobby is too busy to be told of the configuration; do it again");
            return;
        }
        let restart = new.needs_restart(&self.running);
        let mut reports: Vec<Report> = shown(&new.files).map(Report::Read).collect();
        reports.extend(mistakes(&new.left_out));
        if restart.is_empty() {
            log::info!("the configuration was read again");
        } else {
            let list = restart.join(", ");
            log::warn!("the configuration was read again; from the next start on count: {list}");
            reports.push(Report::Restart(list));
        }
        server.control.report(reports);
        if new.files != self.running.files {
            self.watch = Watch::new(&new.files);
        }
        // What is compared next time is what the server was started with.
        let started = std::mem::take(&mut self.running);
        self.running = Config {
            drain: new.drain,
            notices: new.notices,
            files: new.files,
            ..started
        };
    }
}

/// The mistakes as admins are told them.
fn mistakes(errors: &[ConfigError]) -> Vec<Report> {
    let mut reports = Vec::new();
    for file in files_of(errors) {
        let of_file = errors.iter().filter(|error| base_name(&error.file) == file);
        let count = of_file.clone().count();
        reports.extend(of_file.take(TOLD).map(|error| Report::Mistake {
            file: file.clone(),
            line: error.line.unwrap_or_default(),
            what: error.what().to_string(),
        }));
        if count > TOLD {
            reports.push(Report::More((count - TOLD) as u64, file));
        }
    }
    reports
}

fn files_of(errors: &[ConfigError]) -> Vec<String> {
    let mut files: Vec<String> = errors.iter().map(|error| base_name(&error.file)).collect();
    files.dedup();
    files
}

/// Files without the directories they are in, which are nobody's business in a lobby.
fn shown(files: &[PathBuf]) -> impl Iterator<Item = String> {
    files.iter().map(|path| base_name(&path.to_string_lossy()))
}

fn base_name(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map_or_else(
        || path.to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

fn looks(files: &[PathBuf]) -> Vec<Option<Look>> {
    files.iter().map(|path| look(path)).collect()
}

/// None for a file that is not there.
fn look(path: &Path) -> Option<Look> {
    let metadata = fs::metadata(path).ok()?;
    Some(Look {
        bytes: metadata.len(),
        modified: metadata.modified().ok(),
        inode: inode(&metadata),
    })
}

#[cfg(unix)]
fn inode(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_metadata: &fs::Metadata) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    struct Directory(PathBuf);

    impl Directory {
        fn new(name: &str) -> Self {
            let name = format!("samara-reload-{name}-{}", std::process::id());
            let path = std::env::temp_dir().join(name);
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Directory {
        fn drop(&mut self) {
            _ = fs::remove_dir_all(&self.0);
        }
    }

    /// Whether a change is seen, and at which of the looks after it.
    fn seen_at(watch: &mut Watch) -> Option<usize> {
        let looks = (1..=3).find(|_| watch.has_changed());
        watch.mark();
        looks
    }

    #[test]
    fn every_change_is_seen_at_the_second_look() {
        let directory = Directory::new("watch");
        let (path, other) = (directory.0.join("a"), directory.0.join("b"));
        let mut watch = Watch::new(std::slice::from_ref(&path));
        assert_eq!(seen_at(&mut watch), None);
        fs::write(&path, "one").unwrap();
        assert_eq!(seen_at(&mut watch), Some(2));
        assert_eq!(seen_at(&mut watch), None);
        // As long as before, and older: another file was moved into its place.
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&other, "two").unwrap();
        let file = fs::File::options().write(true).open(&other).unwrap();
        file.set_modified(time - Duration::from_secs(3600)).unwrap();
        fs::rename(&other, &path).unwrap();
        assert_eq!(seen_at(&mut watch), Some(2));
        fs::remove_file(&path).unwrap();
        assert_eq!(seen_at(&mut watch), Some(2));
    }

    #[test]
    fn a_file_that_is_being_written_is_waited_for() {
        let directory = Directory::new("writing");
        let path = directory.0.join("a");
        let mut watch = Watch::new(std::slice::from_ref(&path));
        for length in 1..5 {
            fs::write(&path, "x".repeat(length)).unwrap();
            assert!(!watch.has_changed());
        }
        assert!(watch.has_changed());
    }

    #[test]
    fn admins_are_told_the_first_mistakes_of_each_file() {
        let text = "user,KING,*\n".repeat(TOLD + 2);
        let rules = crate::access::Rules::parse(&text);
        let error = |mistake: &crate::access::Mistake| ConfigError {
            file: "conf/access.cfg".to_owned(),
            line: Some(mistake.line),
            key: String::new(),
            problem: crate::config::Problem::Rule(Box::new(mistake.clone())),
            valid: String::new(),
        };
        let errors: Vec<_> = rules.mistakes.iter().map(error).collect();
        let reports = mistakes(&errors);
        assert_eq!(reports.len(), TOLD + 1);
        assert_eq!(
            reports.last(),
            Some(&Report::More(2, "access.cfg".to_owned()))
        );
        let Report::Mistake { file, line, what } = &reports[1] else {
            panic!("{reports:?}");
        };
        assert_eq!((file.as_str(), *line), ("access.cfg", 2));
        assert!(what.starts_with("`KING`: no such level"), "{what}");
    }
}
