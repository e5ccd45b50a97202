//! What the server's process takes, as its system tells.

use std::{fs, io, path::PathBuf, time::Duration};

/// One look at a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Processor time of its threads so far.
    pub(crate) cpu: Duration,
    /// Bytes in memory.
    pub(crate) resident: u64,
    /// Times its threads went to sleep, and were interrupted.
    pub(crate) slept: u64,
    pub(crate) interrupted: u64,
    pub(crate) threads: u64,
}

/// Looks at a process.
///
/// # Errors
///
/// When there is no such process, or the system has no `/proc`.
pub(crate) fn look(pid: u32) -> io::Result<Usage> {
    let process = PathBuf::from(format!("/proc/{pid}"));
    let mut usage = Usage {
        resident: 1024 * field(&fs::read_to_string(process.join("status"))?, "VmRSS:"),
        ..Usage::default()
    };
    for thread in fs::read_dir(process.join("task"))? {
        let thread = thread?.path();
        let of_thread = |file| fs::read_to_string(thread.join(file));
        let (Ok(schedule), Ok(status)) = (of_thread("schedstat"), of_thread("status")) else {
            // It ended between the listing and the look.
            continue;
        };
        let nanos = schedule
            .split_whitespace()
            .next()
            .and_then(|it| it.parse().ok());
        usage.cpu += Duration::from_nanos(nanos.unwrap_or(0));
        usage.slept += field(&status, "voluntary_ctxt_switches:");
        usage.interrupted += field(&status, "nonvoluntary_ctxt_switches:");
        usage.threads += 1;
    }
    Ok(usage)
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
        let usage = look(std::process::id()).unwrap();
        assert!(usage.threads >= 1);
        assert!(usage.resident > 100 << 10);
    }
}
