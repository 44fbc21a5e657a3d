//! The account the server runs as. Postgres refuses to run as root, so a root caller lends it another one.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use super::Error;

/// Accounts tried in this order; `initdb` wants the account to be in the password file.
const CANDIDATES: [&str; 2] = ["postgres", "nobody"];

/// An account without privileges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) uid: u32,
    pub(super) gid: u32,
}

/// The account the server must run as, or `None` when the caller's own will do.
pub(super) fn unprivileged() -> Result<Option<Account>, Error> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let passwd = fs::read_to_string("/etc/passwd").map_err(Error::files(Path::new("/etc/passwd")))?;
    CANDIDATES.iter().find_map(|name| find(&passwd, name)).map(Some).ok_or(Error::NoAccount)
}

fn find(passwd: &str, name: &str) -> Option<Account> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        if fields.next() != Some(name) {
            return None;
        }
        let uid = fields.nth(1)?.parse().ok()?;
        let gid = fields.next()?.parse().ok()?;
        Some(Account { uid, gid })
    })
}

impl Account {
    /// May this account walk down to `path`? What does not exist yet is judged by the folder it will be made in.
    pub(super) fn reaches(self, path: &Path) -> bool {
        path.ancestors().all(|folder| match fs::metadata(folder) {
            Ok(found) => self.enters(found.mode(), found.uid(), found.gid()),
            Err(_) => true,
        })
    }

    fn enters(self, mode: u32, owner: u32, group: u32) -> bool {
        let execute = if owner == self.uid {
            0o100
        } else if group == self.gid {
            0o010
        } else {
            0o001
        };
        mode & execute != 0
    }
}

/// Makes `command` run as `account` (std drops the supplementary groups of root along with its uid).
pub(super) fn run_as(command: &mut Command, account: Option<Account>) {
    if let Some(account) = account {
        command.gid(account.gid).uid(account.uid);
    }
}

#[cfg(test)]
mod tests {
    use super::{Account, find};

    #[test]
    fn an_account_is_found_by_its_whole_name() {
        let passwd =
            "root:x:0:0:root:/root:/bin/sh\nnobody2:x:7:8::/:/bin/sh\nnobody:x:65534:65533:n:/:/bin/false\n";
        assert_eq!(find(passwd, "nobody"), Some(Account { uid: 65534, gid: 65533 }));
        assert_eq!(find(passwd, "postgres"), None);
    }

    #[test]
    fn the_bits_of_the_closest_class_decide() {
        let account = Account { uid: 5, gid: 6 };
        assert!(account.enters(0o700, 5, 0));
        assert!(!account.enters(0o077, 5, 6), "the owner's bits count for the owner, not the group's");
        assert!(account.enters(0o710, 0, 6));
        assert!(!account.enters(0o700, 0, 0));
        assert!(account.enters(0o701, 0, 0));
    }
}
