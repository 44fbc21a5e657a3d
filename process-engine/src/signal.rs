use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use rustix::process::Signal;

/// Docker's spelling of a signal: `SIGTERM`, `TERM`, `term` or `15`.
pub(crate) fn parse(text: &str) -> Option<Signal> {
    if let Ok(number) = text.parse::<i32>() {
        return Signal::from_named_raw(number);
    }
    let upper = text.to_ascii_uppercase();
    let name = upper.strip_prefix("SIG").unwrap_or(&upper);
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, signal)| *signal)
}

/// What an engine reports as exit code: the program's own, or 128 + signal.
pub(crate) fn exit_code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(255)
}

/// The exit code of something that ended because of `signal`.
pub(crate) fn killed_by(signal: Signal) -> i32 {
    128 + signal.as_raw()
}

const NAMES: [(&str, Signal); 29] = [
    ("HUP", Signal::HUP),
    ("INT", Signal::INT),
    ("QUIT", Signal::QUIT),
    ("ILL", Signal::ILL),
    ("TRAP", Signal::TRAP),
    ("ABRT", Signal::ABORT),
    ("BUS", Signal::BUS),
    ("FPE", Signal::FPE),
    ("KILL", Signal::KILL),
    ("USR1", Signal::USR1),
    ("SEGV", Signal::SEGV),
    ("USR2", Signal::USR2),
    ("PIPE", Signal::PIPE),
    ("ALRM", Signal::ALARM),
    ("TERM", Signal::TERM),
    ("CHLD", Signal::CHILD),
    ("CONT", Signal::CONT),
    ("STOP", Signal::STOP),
    ("TSTP", Signal::TSTP),
    ("TTIN", Signal::TTIN),
    ("TTOU", Signal::TTOU),
    ("URG", Signal::URG),
    ("XCPU", Signal::XCPU),
    ("XFSZ", Signal::XFSZ),
    ("VTALRM", Signal::VTALARM),
    ("PROF", Signal::PROF),
    ("WINCH", Signal::WINCH),
    ("IO", Signal::IO),
    ("SYS", Signal::SYS),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_read_as_docker_reads_them() {
        for text in ["SIGKILL", "KILL", "kill", "9"] {
            assert_eq!(parse(text), Some(Signal::KILL), "{text}");
        }
        assert_eq!(parse("SIGNOTHING"), None);
        assert_eq!(parse(""), None);
        assert_eq!(parse("0"), None);
    }

    #[test]
    fn exit_codes_are_reported_as_docker_reports_them() {
        assert_eq!(exit_code(ExitStatus::from_raw(3 << 8)), 3);
        assert_eq!(exit_code(ExitStatus::from_raw(9)), 137);
        assert_eq!(killed_by(Signal::TERM), 143);
    }
}
