//! A file of log lines, written by a thread of its own: whoever logs never waits for a disk.
//!
//! ```text
//!   samara.log          lines of today, at most 10 MB
//!   samara.log.1.gz     what was before
//!   ...
//!   samara.log.10.gz    the oldest that is kept
//! ```

use flate2::{Compression, write::GzEncoder};
use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        atomic::{AtomicU64, Ordering},
        mpsc::{self, Receiver, SyncSender, TryRecvError},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

/// Lines that may wait to be written.
const LINES: usize = 4096;
/// Bytes that are written at once, about.
const BATCH: usize = 64 << 10;
/// Bytes of a file.
const LARGEST: u64 = 10_000_000;
/// Old files.
const KEPT: u32 = 10;
/// A disk that does not take what it is given is left alone for this long.
const REST: Duration = Duration::from_secs(10);

/// A file that cannot be moved is let grow for this long.
const RETRY: Duration = Duration::from_secs(600);

/// The way to the file.
#[derive(Debug)]
pub(super) struct LogFile {
    sender: SyncSender<Mail>,
    left_out: std::sync::Arc<AtomicU64>,
}

enum Mail {
    Line(Box<[u8]>),
    /// To be answered when all before it is written.
    Finish(SyncSender<()>),
}

impl LogFile {
    /// Opens the file, whose lines stay, and starts its thread.
    pub(super) fn start(path: &Path) -> io::Result<Self> {
        let roll = Roll::open(path, LARGEST, today())?;
        let (sender, mail) = mpsc::sync_channel(LINES);
        let left_out = std::sync::Arc::<AtomicU64>::default();
        let its = left_out.clone();
        let thread = thread::Builder::new().name("log".to_owned());
        thread.spawn(move || write_on(roll, &mail, &its))?;
        Ok(Self { sender, left_out })
    }

    /// A line; counted and left out if too many wait.
    pub(super) fn push(&self, line: &[u8]) {
        if self.sender.try_send(Mail::Line(line.into())).is_err() {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until what was pushed is written, but no longer than `most`.
    pub(super) fn finish(&self, most: Duration) {
        let deadline = Instant::now() + most;
        let (sender, done) = mpsc::sync_channel(1);
        let mut mail = Mail::Finish(sender);
        while Instant::now() < deadline {
            match self.sender.try_send(mail) {
                Ok(()) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    let _ = done.recv_timeout(left);
                    return;
                }
                Err(mpsc::TrySendError::Full(back)) => mail = back,
                Err(mpsc::TrySendError::Disconnected(_)) => return,
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// The thread: lines in batches, until nobody can push any more.
fn write_on(mut roll: Roll, mail: &Receiver<Mail>, left_out: &AtomicU64) {
    let mut batch = Vec::new();
    let mut rests_until: Option<Instant> = None;
    while let Ok(first) = mail.recv() {
        let mut next = Ok(first);
        let mut waiting = None;
        let mut lines = 0;
        loop {
            match next {
                Ok(Mail::Line(line)) => {
                    batch.extend_from_slice(&line);
                    lines += 1;
                }
                Ok(Mail::Finish(sender)) => {
                    waiting = Some(sender);
                    break;
                }
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
            }
            if batch.len() >= BATCH {
                break;
            }
            next = mail.try_recv();
        }
        if rests_until.is_some_and(|until| Instant::now() < until) {
            left_out.fetch_add(lines, Ordering::Relaxed);
        } else {
            rests_until = None;
            let lost = left_out.swap(0, Ordering::Relaxed);
            if lost > 0 {
                let words = format!("({lost} lines were left out of this file)\n");
                batch.splice(..0, words.into_bytes());
            }
            if let Err(error) = roll.write(today(), &batch) {
                left_out.fetch_add(lost + lines, Ordering::Relaxed);
                rests_until = Some(Instant::now() + REST);
                complain("write", &error);
            }
        }
        batch.clear();
        if let Some(waiting) = waiting {
            let _ = waiting.try_send(());
        }
    }
}

/// On the console, as the log would only lead back here; without one there is nobody to tell.
fn complain(verb: &str, error: &io::Error) {
    let _ = writeln!(
        io::stderr(),
        "samara: cannot {verb} the log's file: {error}"
    );
}

/// The day by UTC, as the times of the lines are.
fn today() -> u64 {
    day(SystemTime::now())
}

fn day(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    since.unwrap_or_default().as_secs() / (24 * 60 * 60)
}

/// A file that is begun anew each day, and before it is too large.
#[derive(Debug)]
struct Roll {
    path: PathBuf,
    largest: u64,
    file: Option<File>,
    size: u64,
    /// Of its lines.
    day: u64,
    /// When beginning a new one is tried again, after it could not be.
    retry: Option<Instant>,
}

impl Roll {
    fn open(path: &Path, largest: u64, today: u64) -> io::Result<Self> {
        let mut roll = Self {
            path: path.to_owned(),
            largest,
            file: None,
            size: 0,
            day: today,
            retry: None,
        };
        roll.begin(today)?;
        Ok(roll)
    }

    /// Whole lines of `today`.
    fn write(&mut self, today: u64, lines: &[u8]) -> io::Result<()> {
        let len = lines.len() as u64;
        let is_old = self.day != today || self.size + len > self.largest;
        let rests = self.retry.is_some_and(|retry| Instant::now() < retry);
        if is_old && self.size > 0 && !rests {
            self.file = None;
            self.retry = None;
            if let Err(error) = self.shift() {
                // A file that cannot be moved still takes lines.
                complain("roll", &error);
                self.retry = Some(Instant::now() + RETRY);
            }
        }
        if self.file.is_none() {
            self.begin(today)?;
        }
        self.day = today;
        if let Some(file) = &mut self.file {
            if let Err(error) = file.write_all(lines) {
                // It may have been removed with its directory: it is opened again next time.
                self.file = None;
                return Err(error);
            }
            self.size += len;
        }
        Ok(())
    }

    fn begin(&mut self, today: u64) -> io::Result<()> {
        let file = File::options().append(true).create(true).open(&self.path)?;
        let metadata = file.metadata()?;
        self.size = metadata.len();
        self.day = match self.size {
            0 => today,
            _ => metadata.modified().map_or(today, day),
        };
        self.file = Some(file);
        Ok(())
    }

    /// Makes the file the first of the old ones, and compresses it.
    fn shift(&self) -> io::Result<()> {
        let old = |number: u32, ending: &str| {
            let mut name: OsString = self.path.clone().into();
            name.push(format!(".{number}{ending}"));
            PathBuf::from(name)
        };
        // Only when the newest can be moved are the others: else each try would lose the oldest.
        let newest = old(0, "");
        fs::rename(&self.path, &newest)?;
        for number in (1..=KEPT).rev() {
            // One without ending was left by a server that was ended before it was compressed.
            for ending in ["", ".gz"] {
                let file = old(number, ending);
                match number {
                    KEPT => unless_missing(fs::remove_file(file))?,
                    _ => unless_missing(fs::rename(file, old(number + 1, ending)))?,
                }
            }
        }
        let first = old(1, "");
        fs::rename(&newest, &first)?;
        unless_missing(compress(&first, &old(1, ".gz")))
    }
}

fn compress(from: &Path, to: &Path) -> io::Result<()> {
    let mut source = File::open(from)?;
    let mut encoder = GzEncoder::new(File::create(to)?, Compression::default());
    io::copy(&mut source, &mut encoder)?;
    encoder.finish()?.flush()?;
    fs::remove_file(from)
}

fn unless_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Read;

    struct Directory(PathBuf);

    impl Directory {
        fn new(name: &str) -> Self {
            let name = format!("samara-log-{name}-{}", std::process::id());
            let path = std::env::temp_dir().join(name);
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn file(&self) -> PathBuf {
            self.0.join("a.log")
        }

        fn old(&self, number: u32) -> Option<String> {
            let file = File::open(self.0.join(format!("a.log.{number}.gz"))).ok()?;
            let mut text = String::new();
            GzDecoder::new(file).read_to_string(&mut text).unwrap();
            Some(text)
        }

        fn names(&self) -> usize {
            fs::read_dir(&self.0).unwrap().count()
        }
    }

    impl Drop for Directory {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_file_is_begun_anew_each_day_and_when_it_is_full() {
        let directory = Directory::new("roll");
        let mut roll = Roll::open(&directory.file(), 30, 7).unwrap();
        for (day, line) in [(7, "first, of the day\n"), (8, "next\n"), (8, "day\n")] {
            roll.write(day, line.as_bytes()).unwrap();
        }
        assert_eq!(directory.old(1).as_deref(), Some("first, of the day\n"));
        assert_eq!(fs::read_to_string(directory.file()).unwrap(), "next\nday\n");
        roll.write(8, &[b'x'; 25]).unwrap();
        assert_eq!(directory.old(1).as_deref(), Some("next\nday\n"));
        assert_eq!(directory.old(2).as_deref(), Some("first, of the day\n"));
        // One that is too long for any file is whole all the same.
        roll.write(8, &[b'y'; 100]).unwrap();
        assert_eq!(fs::metadata(directory.file()).unwrap().len(), 100);
    }

    #[test]
    fn so_many_are_kept() {
        let directory = Directory::new("kept");
        let mut roll = Roll::open(&directory.file(), 10, 1).unwrap();
        // As one that was ended in the middle leaves it.
        fs::write(directory.0.join("a.log.1"), "left").unwrap();
        for number in 0..30 {
            roll.write(1, format!("line {number:03}\n").as_bytes())
                .unwrap();
        }
        assert_eq!(directory.old(1).as_deref(), Some("line 028\n"));
        assert_eq!(directory.old(KEPT).as_deref(), Some("line 019\n"));
        assert_eq!(directory.names(), 1 + KEPT as usize);
    }

    /// As in a directory that only somebody else may change.
    #[test]
    fn one_that_cannot_be_moved_goes_on_and_no_old_one_is_lost() {
        let directory = Directory::new("stuck");
        let mut roll = Roll::open(&directory.file(), 10, 1).unwrap();
        roll.write(1, b"line 1\n").unwrap();
        roll.write(2, b"line 2\n").unwrap();
        fs::create_dir_all(directory.0.join("a.log.0/full")).unwrap();
        for day in 3..30 {
            roll.write(day, b"line\n").unwrap();
            roll.retry = None;
        }
        let text = fs::read_to_string(directory.file()).unwrap();
        assert_eq!(text, "line 2\n".to_owned() + &"line\n".repeat(27));
        assert_eq!(directory.old(1).as_deref(), Some("line 1\n"));
        fs::remove_dir_all(directory.0.join("a.log.0")).unwrap();
        roll.write(30, b"anew\n").unwrap();
        assert_eq!(fs::read_to_string(directory.file()).unwrap(), "anew\n");
        assert_eq!(directory.old(2).as_deref(), Some("line 1\n"));
    }

    #[test]
    fn what_was_there_stays() {
        let directory = Directory::new("stays");
        fs::write(directory.file(), "before\n").unwrap();
        let mut roll = Roll::open(&directory.file(), 1000, today()).unwrap();
        roll.write(today(), b"after\n").unwrap();
        let text = fs::read_to_string(directory.file()).unwrap();
        assert_eq!(text, "before\nafter\n");
        // Yesterday's is old even for a server that was started today.
        let file = File::options().write(true).open(directory.file()).unwrap();
        let yesterday = SystemTime::now() - Duration::from_secs(24 * 60 * 60);
        file.set_modified(yesterday).unwrap();
        let mut roll = Roll::open(&directory.file(), 1000, today()).unwrap();
        roll.write(today(), b"today\n").unwrap();
        assert_eq!(directory.old(1).as_deref(), Some("before\nafter\n"));
    }

    #[test]
    fn lines_get_there_and_nobody_waits() {
        let directory = Directory::new("thread");
        let log = LogFile::start(&directory.file()).unwrap();
        for number in 0..1000 {
            log.push(format!("line {number}\n").as_bytes());
        }
        log.finish(Duration::from_secs(60));
        let text = fs::read_to_string(directory.file()).unwrap();
        let expected: String = (0..1000).map(|number| format!("line {number}\n")).collect();
        assert_eq!(text, expected);
    }

    #[test]
    fn what_does_not_fit_is_counted_and_told() {
        let directory = Directory::new("full");
        let roll = Roll::open(&directory.file(), 1_000_000, today()).unwrap();
        let (sender, mail) = mpsc::sync_channel(2);
        let left_out = std::sync::Arc::<AtomicU64>::default();
        let log = LogFile {
            sender,
            left_out: left_out.clone(),
        };
        // Nobody writes yet.
        (0..5).for_each(|number| log.push(format!("line {number}\n").as_bytes()));
        drop(log);
        write_on(roll, &mail, &left_out);
        let text = fs::read_to_string(directory.file()).unwrap();
        assert_eq!(
            text,
            "(3 lines were left out of this file)\nline 0\nline 1\n"
        );
    }
}
