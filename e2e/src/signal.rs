use std::process::Command;

use crate::wait::fail;

/// Sends `name` (`KILL`, `STOP`, …) to a process. False: it is gone.
///
/// # Panics
/// When signals cannot be sent.
pub fn signal(pid: u32, name: &str) -> bool {
    let sent = Command::new("kill").args([format!("-{name}"), pid.to_string()]).status();
    sent.unwrap_or_else(|error| fail(&format!("kill -{name} {pid}: {error}"))).success()
}
