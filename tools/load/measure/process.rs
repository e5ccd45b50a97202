//! What a server's process or thread takes, as its system tells.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

/// One look at a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Processor time of its threads so far.
    pub(crate) cpu: Duration,
    /// Bytes in memory; nothing of a single thread.
    pub(crate) resident: Option<u64>,
    /// Times its threads went to sleep, and were interrupted.
    pub(crate) slept: u64,
    pub(crate) interrupted: u64,
    pub(crate) threads: u64,
}

/// Whose processor time is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Observed {
    /// A process with all its threads.
    Process(u32),
    /// Two of them, as if they were one.
    Processes(u32, u32),
    /// One thread of this program, by the system's number.
    Thread(u64),
}

impl Observed {
    /// Looks at it.
    ///
    /// # Errors
    ///
    /// When it does not exist, or the system has no `/proc`.
    pub(crate) fn look(self) -> io::Result<Usage> {
        match self {
            Self::Process(pid) => process(pid),
            Self::Processes(one, other) => Ok(process(one)?.with(&process(other)?)),
            Self::Thread(id) => {
                let mut usage = Usage::default();
                usage.add(&PathBuf::from(format!("/proc/self/task/{id}")))?;
                Ok(usage)
            }
        }
    }
}

fn process(pid: u32) -> io::Result<Usage> {
    let process = PathBuf::from(format!("/proc/{pid}"));
    let resident = field(&fs::read_to_string(process.join("status"))?, "VmRSS:");
    let mut usage = Usage {
        resident: Some(1024 * resident),
        ..Usage::default()
    };
    for thread in fs::read_dir(process.join("task"))? {
        // It may end between the listing and the look.
        let _ = usage.add(&thread?.path());
    }
    Ok(usage)
}

impl Usage {
    fn with(self, other: &Self) -> Self {
        let resident = self.resident.zip(other.resident);
        Self {
            cpu: self.cpu + other.cpu,
            resident: resident.map(|(one, other)| one + other),
            slept: self.slept + other.slept,
            interrupted: self.interrupted + other.interrupted,
            threads: self.threads + other.threads,
        }
    }

    fn add(&mut self, thread: &Path) -> io::Result<()> {
        let schedule = fs::read_to_string(thread.join("schedstat"))?;
        let status = fs::read_to_string(thread.join("status"))?;
        let nanos = schedule.split_whitespace().next();
        let nanos = nanos.and_then(|it| it.parse().ok()).unwrap_or(0);
        self.cpu += Duration::from_nanos(nanos);
        self.slept += field(&status, "voluntary_ctxt_switches:");
        self.interrupted += field(&status, "nonvoluntary_ctxt_switches:");
        self.threads += 1;
        Ok(())
    }
}

/// The number after `name` at the beginning of a line; 0 without one.
fn field(text: &str, name: &str) -> u64 {
    let mut rest = text.lines().filter_map(|line| line.strip_prefix(name));
    let number = rest.next().and_then(|it| it.split_whitespace().next());
    number.and_then(|it| it.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_whole_names() {
        let text = "Name:\tx\nVmRSS:\t  5120 kB\nvoluntary_ctxt_switches:\t7\n\
                    nonvoluntary_ctxt_switches:\t3\n";
        assert_eq!(field(text, "VmRSS:"), 5120);
        assert_eq!(field(text, "voluntary_ctxt_switches:"), 7);
        assert_eq!(field(text, "nonvoluntary_ctxt_switches:"), 3);
        assert_eq!(field(text, "VmHWM:"), 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn sees_itself() {
        let pid = std::process::id();
        let usage = Observed::Process(pid).look().unwrap();
        assert!(usage.threads >= 1);
        assert!(usage.resident > Some(100 << 10));
        // The first thread has the number of its process.
        let usage = Observed::Thread(pid.into()).look().unwrap();
        assert_eq!((usage.threads, usage.resident), (1, None));
        let usage = Observed::Processes(pid, pid).look().unwrap();
        assert!(usage.threads >= 2 && usage.resident > Some(200 << 10));
    }
}
