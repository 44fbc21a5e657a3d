//! What processes have used, by `/proc`: CPU time and memory. A process that is gone has used nothing.

use std::fs;
use std::time::Duration;

use crate::failure::{OrFail, Outcome};
use crate::process::Table;

/// `USER_HZ`, the unit of `/proc/PID/stat`, which is 100 on every architecture that we run on.
const TICK: Duration = Duration::from_millis(10);

/// User and system time of these processes so far, all their threads included.
pub(super) fn cpu(pids: &[i32]) -> Duration {
    let stats = pids.iter().filter_map(|pid| fs::read_to_string(format!("/proc/{pid}/stat")).ok());
    TICK * stats.filter_map(|stat| ticks(&stat)).sum::<u32>()
}

/// That of the processes called `name` that `root` has started, and theirs.
pub(super) fn cpu_below(root: i32, name: &str) -> Outcome<Duration> {
    let table = Table::read()?;
    let pids = table.descendants(root).into_iter().map(|entry| entry.identity.pid);
    let called =
        |pid: &i32| fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|found| found.trim() == name);
    Ok(cpu(&pids.filter(called).collect::<Vec<_>>()))
}

/// What a process holds in memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    pub(super) resident: u64,
    /// The most that it ever held.
    pub(super) peak: u64,
}

/// The memory of a process.
pub(super) fn memory(pid: i32) -> Outcome<Memory> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"));
    let status = status.or_fail("cannot read a process's memory", "check that it runs, on Linux")?;
    let bytes = |name| kib(&status, name).map(|kib| kib * 1024);
    let found = bytes("VmRSS").zip(bytes("VmHWM")).map(|(resident, peak)| Memory { resident, peak });
    found.or_fail("a process has no memory", "report this")
}

/// The number in the line `name:   number kB`.
pub(super) fn kib(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Fields 14 and 15 of `pid (name) state …`; the name may hold spaces and parentheses.
fn ticks(stat: &str) -> Option<u32> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut times = rest.split_whitespace().skip(11).map(|field| field.parse::<u32>().ok());
    Some(times.next()?? + times.next()??)
}

#[cfg(test)]
mod tests {
    use super::{kib, ticks};

    #[test]
    fn the_kernels_lines_are_read() {
        let meminfo = "MemTotal:       24689764 kB\nMemFree: 1 kB\n";
        assert_eq!(kib(meminfo, "MemTotal"), Some(24_689_764));
        assert_eq!((kib(meminfo, "Mem"), kib("", "MemTotal")), (None, None));
    }

    #[test]
    fn user_and_system_time_are_found_behind_any_name() {
        assert_eq!(ticks("7 (a ) b) S 1 7 7 0 -1 0 0 0 0 0 40 2 9 9 20 0 1 0 4242 0"), Some(42));
        assert_eq!(ticks("7 (a) S 1"), None);
    }
}
