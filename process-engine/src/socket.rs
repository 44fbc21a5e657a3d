use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// A listening unix socket whose file is removed with it.
#[derive(Debug)]
pub(crate) struct ClaimedSocket {
    path: PathBuf,
    file: (u64, u64),
}

/// Why a socket path is not ours.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    #[error("{0} is in use: something answers there")]
    InUse(PathBuf),
    #[error("{0} exists and is no socket")]
    NoSocket(PathBuf),
    #[error("cannot listen on {path}")]
    Io { path: PathBuf, source: io::Error },
}

/// Listens on `path`, replacing the socket file of an engine that is gone.
///
/// # Errors
/// [`ClaimError::InUse`] if something answers on `path`, [`ClaimError::NoSocket`] if a file of another kind is there.
pub(crate) fn claim(path: &Path) -> Result<(ClaimedSocket, UnixListener), ClaimError> {
    let failed = |source| ClaimError::Io { path: path.to_owned(), source };
    // Two engines that both find the same stale file must not remove each other's fresh one. The lock is advisory
    // and on the folder itself, so it leaves nothing behind; it is held for these few calls only.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let lock = File::open(folder).map_err(failed)?;
    lock.lock().map_err(failed)?;
    remove_stale(path)?;
    let listener = UnixListener::bind(path).map_err(failed)?;
    // Whoever can connect can run programs: that is for the owner only.
    fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(failed)?;
    let file = identity(path).map_err(failed)?;
    Ok((ClaimedSocket { path: path.to_owned(), file }, listener))
}

fn remove_stale(path: &Path) -> Result<(), ClaimError> {
    let failed = |source| ClaimError::Io { path: path.to_owned(), source };
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
        Ok(found) if !found.file_type().is_socket() => return Err(ClaimError::NoSocket(path.to_owned())),
        Ok(_) => {}
    }
    match UnixStream::connect(path) {
        Ok(_) => Err(ClaimError::InUse(path.to_owned())),
        // Nobody has the socket open any more: the kernel refuses at once.
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => fs::remove_file(path).map_err(failed),
        Err(error) => Err(failed(error)),
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let found = fs::symlink_metadata(path)?;
    Ok((found.dev(), found.ino()))
}

impl Drop for ClaimedSocket {
    fn drop(&mut self) {
        // If somebody put another file there meanwhile, that one is not ours to remove.
        if identity(&self.path).is_ok_and(|found| found == self.file) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_socket_is_replaced_and_a_live_one_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine.sock");
        drop(UnixListener::bind(&path).unwrap());
        assert!(path.exists(), "a closed listener leaves its file behind");

        let (claimed, listener) = claim(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(matches!(claim(&path), Err(ClaimError::InUse(_))));
        drop((claimed, listener));
        assert!(!path.exists());
    }

    #[test]
    fn a_file_of_another_kind_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        fs::write(&path, "precious").unwrap();
        assert!(matches!(claim(&path), Err(ClaimError::NoSocket(_))));
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
    }

    #[test]
    fn the_socket_of_a_successor_is_not_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine.sock");
        let (claimed, _listener) = claim(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let _successor = UnixListener::bind(&path).unwrap();
        drop(claimed);
        assert!(path.exists());
    }
}
