//! What the system says of this process.

use std::{fs, path::Path, time::Duration};

/// Processor time of the calling thread; `None` where there is no `/proc`.
pub(crate) fn cpu_of_this_thread() -> Option<Duration> {
    cpu(Path::new("/proc/thread-self"))
}

/// Processor time of all other threads that run.
pub(crate) fn cpu_of_other_threads() -> Option<Duration> {
    let this = fs::read_link("/proc/thread-self").ok()?;
    let mut sum = Duration::ZERO;
    for thread in fs::read_dir("/proc/self/task").ok()? {
        let thread = thread.ok()?;
        if Some(thread.file_name().as_os_str()) != this.file_name() {
            sum += cpu(&thread.path()).unwrap_or_default();
        }
    }
    Some(sum)
}

/// The most bytes that have been in memory at a time (`VmHWM`).
pub(crate) fn peak_resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let number: u64 = kilobytes.split_whitespace().next()?.parse().ok()?;
    Some(number * 1024)
}

fn cpu(thread: &Path) -> Option<Duration> {
    let times = fs::read_to_string(thread.join("schedstat")).ok()?;
    let nanos = times.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanos))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn sees_the_process_it_is_in() {
        assert!(peak_resident().unwrap() > 100_000);
        assert!(cpu_of_other_threads().is_some());
        let before = cpu_of_this_thread().unwrap();
        let busy = (0..1_000_000u64).map(std::hint::black_box).sum::<u64>();
        assert!(std::hint::black_box(busy) > 0);
        assert!(cpu_of_this_thread().unwrap() >= before);
    }
}
