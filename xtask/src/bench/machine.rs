//! The machine that a number was measured on: what explains it, and nothing that names the machine.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::DateTime;
use serde_json::{Value, json};

use super::usage;

/// Where, when, and beside how much other work.
pub(super) struct Machine {
    date: String,
    cores: usize,
    memory_gib: u64,
    cpu: String,
    /// Processes that wanted to run, averaged over the five minutes before; as the kernel writes it.
    load: String,
}

impl Machine {
    /// Reads it now, before the bench adds its own load. What the system does not say is left out or `unknown`.
    pub(super) fn read() -> Self {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let now = i64::try_from(seconds).ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
        let load = read("/proc/loadavg");
        let unknown = || "unknown".to_owned();
        Self {
            date: now.map_or_else(unknown, |now| now.format("%Y-%m-%d").to_string()),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            memory_gib: usage::kib(&read("/proc/meminfo"), "MemTotal").unwrap_or_default().div_ceil(1 << 20),
            cpu: cpu(&read("/proc/cpuinfo")).unwrap_or_else(unknown),
            load: load.split_whitespace().nth(1).map_or_else(unknown, str::to_owned),
        }
    }

    /// One line for a reader.
    pub(super) fn line(&self) -> String {
        let Self { date, cores, memory_gib, cpu, load } = self;
        format!("{date}, {cores} cores ({cpu}), {memory_gib} GiB; shared, load average {load} before the run")
    }

    /// The same for programs.
    pub(super) fn json(&self) -> Value {
        json!({
            "date": self.date, "cores": self.cores, "memory_gib": self.memory_gib, "cpu": self.cpu,
            "load_before": self.load,
        })
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn cpu(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::cpu;

    #[test]
    fn the_kernels_words_are_read() {
        assert_eq!(
            cpu("processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n").as_deref(),
            Some("Some CPU @ 2 GHz")
        );
        assert_eq!(cpu(""), None);
    }
}
