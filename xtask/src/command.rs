//! Runs other programs: silently with a log for set-up steps, openly for tests and checks.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::failure::{Failure, OrFail, Outcome};
use crate::paths::Repo;

/// Lines of a log that a failure shows.
const SHOWN_LINES: usize = 30;

/// Runs `command` with its output in `target/xtask/logs/<name>.log`; a failure shows the log's end and `next`.
pub(crate) fn logged(repo: &Repo, name: &str, command: &mut Command, next: &str) -> Outcome {
    let path = repo.notes().join("logs").join(format!("{name}.log"));
    let mut log = create_log(&path)?;
    let line = shown(command);
    log.write_all(format!("$ {line}\n").as_bytes())
        .or_fail(format!("cannot write {}", path.display()), "check the disk")?;
    let errors = log.try_clone().or_fail("cannot share the log", "check the limit of open files")?;
    let status = command
        .stdin(Stdio::null())
        .stdout(log)
        .stderr(errors)
        .status()
        .or_fail(format!("cannot start `{line}`"), next)?;
    if status.success() {
        return Ok(());
    }
    let end = last_lines(&path, SHOWN_LINES);
    Err(Failure::new(format!("`{line}` failed ({status}); the end of {}:\n{end}", repo.shown(&path)), next))
}

/// Runs `command` with its output where ours goes.
pub(crate) fn shown_run(command: &mut Command, next: &str) -> Outcome {
    let line = shown(command);
    eprintln!("$ {line}");
    let status = command.stdin(Stdio::null()).status().or_fail(format!("cannot start `{line}`"), next)?;
    if status.success() { Ok(()) } else { Err(Failure::new(format!("`{line}` failed ({status})"), next)) }
}

/// What `command` prints on stdout, without the white space at its ends.
pub(crate) fn output(command: &mut Command, next: &str) -> Outcome<String> {
    let line = shown(command);
    let output = command.stdin(Stdio::null()).output().or_fail(format!("cannot start `{line}`"), next)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::new(format!("`{line}` failed ({}): {}", output.status, said.trim()), next));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Cargo on this workspace, without what the cargo above us has set.
pub(crate) fn cargo(repo: &Repo) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(repo.root());
    for name in ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "CARGO_PKG_NAME", "CARGO_PKG_VERSION"] {
        command.env_remove(name);
    }
    command
}

/// The last `count` lines of a file, or a note that it cannot be read.
pub(crate) fn last_lines(path: &Path, count: usize) -> String {
    match fs::read(path) {
        Ok(bytes) => {
            let text = without_colours(&String::from_utf8_lossy(&bytes));
            let mut lines: Vec<String> = text.lines().map(|line| format!("  | {line}")).collect();
            lines.split_off(lines.len().saturating_sub(count)).join("\n")
        }
        Err(error) => format!("  ({} cannot be read: {error})", path.display()),
    }
}

/// Drops escape sequences such as `ESC [ 3 1 m`.
pub(crate) fn without_colours(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            let _ = chars.find(char::is_ascii_alphabetic);
        } else {
            text.push(c);
        }
    }
    text
}

/// The command as a person would type it; the program by its name only.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words: Vec<_> =
        std::iter::once(program).chain(command.get_args()).map(OsStr::to_string_lossy).collect();
    words.join(" ")
}

fn create_log(path: &Path) -> Outcome<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .or_fail(format!("cannot create {}", folder.display()), "check its permissions")?;
    }
    File::create(path).or_fail(format!("cannot create {}", path.display()), "check its permissions")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{output, shown};

    #[test]
    fn a_failing_program_is_named_with_what_it_said() {
        let failure =
            output(Command::new("sh").args(["-c", "echo broken >&2; exit 3"]), "mend it").unwrap_err();
        let text = failure.to_string();
        assert!(
            text.contains("broken") && text.contains("exit status: 3") && text.ends_with("next: mend it"),
            "{text}"
        );
    }

    #[test]
    fn a_command_is_shown_without_the_folder_of_its_program() {
        assert_eq!(shown(Command::new("/usr/bin/env").arg("a b")), "env a b");
    }
}
