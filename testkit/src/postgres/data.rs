//! The data directory: making one, and telling a lock file that somebody holds from one that a killed server left.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, test_kill_process};

use super::Error;
use super::account::{Account, run_as};
use super::binaries::{Binaries, SHARED, short_hash};

/// How long a server that starts or stops may keep the directory. A fast shutdown of a test server takes some
/// 100 ms; the limit covers a loaded machine.
const HANDOVER: Duration = Duration::from_secs(10);
/// How long a server that says it is ready may: its watchdog may be about to stop it, its owner just killed.
const REPRIEVE: Duration = Duration::from_secs(1);

/// Where to keep the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// This folder, made when missing and kept afterwards. When the server's account cannot reach it, a folder below
    /// `/var/tmp` that is named after it, always the same one.
    Kept(PathBuf),
    /// A new folder below `/var/tmp`, removed when the server stops.
    Throwaway,
}

/// What the lock file in a data directory says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Lock {
    /// No server has it.
    Free,
    /// This process, a live Postgres on this very directory, has it.
    Held(i32),
    /// The process in it is gone: the server was killed. Postgres itself recognises this one.
    Stale,
    /// The process in it lives and is something else: the number was given out again. Postgres would believe it.
    Misleading(i32),
}

/// The folder that stands for `data`, with what a caller without privileges needs to use it.
pub(super) fn prepare(data: &Data, account: Option<Account>) -> Result<PathBuf, Error> {
    let folder = match data {
        Data::Throwaway => {
            Path::new(SHARED).join(format!("testkit-postgres-{}", uuid::Uuid::now_v7().simple()))
        }
        Data::Kept(wanted) => {
            let wanted = std::path::absolute(wanted).map_err(Error::files(wanted))?;
            let parent = wanted.parent().unwrap_or(&wanted);
            if account.is_none_or(|account| account.reaches(parent)) {
                wanted
            } else {
                let name = short_hash(&wanted.display().to_string());
                Path::new(SHARED).join(format!("testkit-postgres-data-{name}"))
            }
        }
    };
    make_private(&folder, account).map_err(Error::files(&folder))?;
    Ok(folder)
}

/// Only the data directory itself is private: a mode given to a recursive `mkdir` would go to its parents too.
fn make_private(folder: &Path, account: Option<Account>) -> io::Result<()> {
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent)?;
    }
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    account.map_or(Ok(()), |account| chown(folder, Some(account.uid), Some(account.gid)))
}

/// Makes the database cluster unless `folder` holds one already. Blocks for about a second. It is made beside the
/// folder and moved there when complete: half a cluster, of an `initdb` that was killed, looks like a whole one.
pub(super) fn initialise(binaries: &Binaries, folder: &Path, account: Option<Account>) -> Result<(), Error> {
    if folder.join("PG_VERSION").exists() {
        return Ok(());
    }
    let fresh = folder.with_extension(format!("new-{}", uuid::Uuid::now_v7().simple()));
    let made = make_private(&fresh, account)
        .map_err(Error::files(&fresh))
        .and_then(|()| run_initdb(binaries, &fresh, account))
        .and_then(|()| fs::rename(&fresh, folder).map_err(Error::files(folder)));
    made.inspect_err(|_| drop(fs::remove_dir_all(&fresh)))
}

fn run_initdb(binaries: &Binaries, folder: &Path, account: Option<Account>) -> Result<(), Error> {
    let mut command = Command::new(binaries.program("initdb"));
    command.arg("-D").arg(folder);
    command.args([
        "-U",
        "postgres",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--locale=C",
        "--no-sync",
        "--no-instructions",
    ]);
    command.env_clear().env("LC_ALL", "C").env("TZ", "UTC").env("PATH", "/usr/bin:/bin");
    command.current_dir("/").stdin(Stdio::null());
    run_as(&mut command, account);
    let output = command.output().map_err(Error::files(&binaries.program("initdb")))?;
    if output.status.success() {
        return Ok(());
    }
    Err(Error::Initialise(format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )))
}

/// Waits until no server holds the directory, and removes a lock file that would mislead Postgres.
///
/// A merely stale file stays: Postgres looks in it for shared memory of the dead server that is still in use, which
/// is what keeps two servers apart when the children of a killed one live on.
pub(super) async fn claim(folder: &Path) -> Result<(), Error> {
    let began = tokio::time::Instant::now();
    loop {
        match read_lock(folder) {
            Lock::Free | Lock::Stale => return Ok(()),
            Lock::Misleading(pid) => {
                tracing::info!(pid, data = %folder.display(), "removing the lock file of a killed Postgres whose process id belongs to another program now");
                let file = folder.join("postmaster.pid");
                return fs::remove_file(&file).map_err(Error::files(&file));
            }
            Lock::Held(pid) if began.elapsed() > patience(folder, pid) => {
                return Err(Error::InUse { data: folder.to_owned(), pid });
            }
            Lock::Held(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
}

fn patience(folder: &Path, pid: i32) -> Duration {
    let ready = u32::try_from(pid).is_ok_and(|pid| is_ready(folder, pid));
    if ready { REPRIEVE } else { HANDOVER }
}

/// Judges the lock file of `folder`.
pub(super) fn read_lock(folder: &Path) -> Lock {
    let Ok(text) = fs::read_to_string(folder.join("postmaster.pid")) else { return Lock::Free };
    let Some(number) = text.lines().next().and_then(|line| line.trim().parse::<i32>().ok()) else {
        return Lock::Stale;
    };
    let Some(pid) = Pid::from_raw(number) else { return Lock::Stale };
    // A process of another account cannot be signalled, yet it is there.
    let alive = match test_kill_process(pid) {
        Ok(()) => true,
        Err(error) => error == rustix::io::Errno::PERM,
    };
    if !alive {
        return Lock::Stale;
    }
    match fs::read(format!("/proc/{number}/cmdline")) {
        // A zombie has an empty command line; it holds nothing any more.
        Ok(line) if line.is_empty() => Lock::Stale,
        Ok(line) if serves(&line, folder) => Lock::Held(number),
        Ok(_) => Lock::Misleading(number),
        // No /proc on this system: believe the file, as Postgres does.
        Err(_) => Lock::Held(number),
    }
}

/// Is this the command line (arguments ended by NUL) of a Postgres on `folder`?
fn serves(line: &[u8], folder: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let mut arguments = line.split(|byte| *byte == 0);
    let program = arguments.next().map(|first| Path::new(std::ffi::OsStr::from_bytes(first)));
    let postgres =
        program.and_then(Path::file_name).is_some_and(|name| name == "postgres" || name == "postmaster");
    postgres && arguments.any(|argument| argument == folder.as_os_str().as_bytes())
}

/// Has the server `pid` written into its lock file that it takes connections?
pub(super) fn is_ready(folder: &Path, pid: u32) -> bool {
    let Ok(text) = fs::read_to_string(folder.join("postmaster.pid")) else { return false };
    let mut lines = text.lines();
    let own = lines.next().is_some_and(|line| line.trim() == pid.to_string());
    own && lines.nth(6).is_some_and(|status| status.trim() == "ready")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::{Lock, SHARED, is_ready, read_lock, serves};

    fn folder_with_lock(text: &str) -> PathBuf {
        let folder = Path::new(SHARED).join(format!("testkit-lock-{}", uuid::Uuid::now_v7().simple()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("postmaster.pid"), text).unwrap();
        folder
    }

    #[test]
    fn the_lock_file_of_a_process_that_is_gone_is_stale() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = child.id();
        child.wait().unwrap();
        let folder = folder_with_lock(&format!("{pid}\n/data\n"));
        assert_eq!(read_lock(&folder), Lock::Stale);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_lock_file_with_the_number_of_another_program_misleads() {
        let own = std::process::id();
        let folder = folder_with_lock(&format!("{own}\n/data\n"));
        assert_eq!(read_lock(&folder), Lock::Misleading(i32::try_from(own).unwrap()));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn only_a_postgres_on_this_very_folder_holds_it() {
        let folder = Path::new("/var/data");
        assert!(serves(b"/opt/bin/postgres\0-D\0/var/data\0-c\0port=1\0", folder));
        assert!(!serves(b"/opt/bin/postgres\0-D\0/var/data2\0", folder));
        assert!(!serves(b"/bin/ls\0/var/data\0", folder));
    }

    #[test]
    fn a_server_is_ready_when_its_own_lock_file_says_so() {
        let folder = folder_with_lock("77\n/data\n170\n5432\n\n127.0.0.1\n  123  0\nready   \n");
        assert!(is_ready(&folder, 77));
        assert!(!is_ready(&folder, 78));
        fs::write(folder.join("postmaster.pid"), "77\n/data\n170\n5432\n\n127.0.0.1\n  123  0\nstarting\n")
            .unwrap();
        assert!(!is_ready(&folder, 77));
        fs::remove_dir_all(folder).unwrap();
    }
}
