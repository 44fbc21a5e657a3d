//! The folder of a stack's state, owned by one process at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Name;
use crate::failure::{Failure, OrFail, Outcome};
use crate::hash::sha256_hex;
use crate::paths::Repo;
use crate::process::Identity;

const ADVICE: &str = "check the permissions of the target folder";

/// A claimed folder. The claim ends with [`Place::release`] or with this process, however it ends.
pub(crate) struct Place {
    folder: PathBuf,
    /// For sockets: their paths must be short (108 bytes), which a checkout's need not be.
    sockets: PathBuf,
    _lock: File,
}

/// What was started, for the one who has to end it when we cannot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) owner: Option<Identity>,
    /// Leaders of process groups, in the order of their start.
    pub(super) members: Vec<Member>,
    /// Other descendants that were seen: the apps of the container engine lead sessions of their own.
    #[serde(default)]
    pub(super) others: Vec<Identity>,
    /// With the Docker engine: the address of the api-worker, which its containers were given.
    #[serde(default)]
    pub(super) docker_api: Option<String>,
}

/// One started process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Member {
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) identity: Identity,
}

impl Place {
    /// Claims the folder of `name`; refused while another process owns it.
    pub(crate) fn claim(repo: &Repo, name: &Name) -> Outcome<Self> {
        let folder = repo.target().join(name.folder());
        fs::create_dir_all(folder.join("logs"))
            .or_fail(format!("cannot create {}", folder.display()), ADVICE)?;
        let path = folder.join("lock");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .or_fail(format!("cannot open {}", path.display()), ADVICE)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(refusal(name, &mut file)),
            Err(TryLockError::Error(cause)) => {
                return Err(cause).or_fail("cannot lock the stack's folder", ADVICE);
            }
        }
        let pid = std::process::id();
        file.set_len(0).and_then(|()| write!(file, "{pid}")).or_fail("cannot write the lock", ADVICE)?;
        let sockets = socket_folder(&folder);
        Ok(Self { folder, sockets, _lock: file })
    }

    /// `relative` below the folder.
    pub(super) fn join(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.folder.join(relative)
    }

    /// The log of a process.
    pub(super) fn log(&self, name: &str) -> PathBuf {
        self.folder.join("logs").join(format!("{name}.log"))
    }

    /// A short path for a socket; its folder is there and is ours alone.
    pub(super) fn socket(&self, name: &str) -> Outcome<PathBuf> {
        if !self.sockets.is_dir() {
            let advice = "set TMPDIR to a folder with a short path that may be written";
            let created = fs::DirBuilder::new().mode(0o700).create(&self.sockets);
            created.or_fail(format!("cannot create {}", self.sockets.display()), advice)?;
        }
        Ok(self.sockets.join(name))
    }

    /// Creates a folder below ours.
    pub(super) fn folder(&self, relative: &str) -> Outcome<PathBuf> {
        let folder = self.join(relative);
        fs::create_dir_all(&folder).or_fail(format!("cannot create {}", folder.display()), ADVICE)?;
        Ok(folder)
    }

    /// Writes a file whole or not at all, readable by its owner only.
    pub(super) fn write(&self, relative: &str, text: &str) -> Outcome {
        let path = self.join(relative);
        let partial = path.with_extension("partial");
        let write = || {
            let mut file =
                OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&partial)?;
            file.write_all(text.as_bytes())?;
            fs::rename(&partial, &path)
        };
        write().or_fail(format!("cannot write {}", path.display()), ADVICE)
    }

    /// Deletes a file or folder, which may be absent.
    pub(super) fn delete(&self, relative: impl AsRef<Path>) -> Outcome {
        delete(&self.join(relative))
    }

    /// What an earlier owner left, if it left anything.
    pub(super) fn left_behind(&self) -> Outcome<Option<Record>> {
        let path = self.join("pids.json");
        match fs::read(&path) {
            Ok(bytes) => {
                let advice = "end what is left of that stack by hand and delete the file";
                serde_json::from_slice(&bytes)
                    .map(Some)
                    .or_fail(format!("cannot read {}", path.display()), advice)
            }
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(cause).or_fail(format!("cannot read {}", path.display()), ADVICE),
        }
    }

    /// Notes what runs.
    pub(super) fn record(&self, record: &Record) -> Outcome {
        let text = serde_json::to_string_pretty(record).or_fail("cannot write pids.json", ADVICE)?;
        self.write("pids.json", &text)
    }

    /// Removes what says that a stack is here.
    pub(super) fn clear(&self) -> Outcome {
        delete(&self.sockets)?;
        self.delete("stack.json")?;
        self.delete("pids.json")
    }

    /// Clears the folder and ends the claim.
    pub(crate) fn release(self) -> Outcome {
        self.clear()
    }
}

fn delete(path: &Path) -> Outcome {
    let deleted = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match deleted {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
            Err(cause).or_fail(format!("cannot delete {}", path.display()), ADVICE)
        }
        _ => Ok(()),
    }
}

fn refusal(name: &Name, lock: &mut File) -> Failure {
    let mut owner = String::new();
    // Only the pid in the message is lost when this fails.
    let _ = lock.read_to_string(&mut owner);
    let (name, owner) = (name.as_str(), owner.trim());
    Failure::new(
        format!("the stack `{name}` of this checkout is already up, under the process {owner}"),
        format!("stop that one (`kill {owner}`), or give this one another name"),
    )
}

fn socket_folder(folder: &Path) -> PathBuf {
    let hash = sha256_hex(folder.to_string_lossy().as_bytes());
    std::env::temp_dir().join(format!("afc-{}", hash.get(..12).unwrap_or(&hash)))
}

#[cfg(test)]
mod tests {
    use super::{Member, Place, Record};
    use crate::paths::Repo;
    use crate::process::Table;
    use crate::scratch::Scratch;

    fn repo() -> (Scratch, Repo) {
        let folder = Scratch::new();
        let repo = Repo::at(folder.path(), &folder.path().join("cache"));
        (folder, repo)
    }

    #[test]
    fn a_second_claim_of_the_same_name_is_refused_and_names_the_first() {
        let (_folder, repo) = repo();
        let (dev, demo) = ("dev".parse().unwrap(), "demo".parse().unwrap());
        let first = Place::claim(&repo, &dev).unwrap();
        let refused = Place::claim(&repo, &dev).err().unwrap().to_string();
        assert!(refused.contains(&format!("under the process {}", std::process::id())), "{refused}");
        let other = Place::claim(&repo, &demo).unwrap();
        first.release().unwrap();
        Place::claim(&repo, &dev).unwrap().release().unwrap();
        other.release().unwrap();
    }

    #[test]
    fn a_record_comes_back_as_it_was_written_and_goes_with_the_claim() {
        let (_folder, repo) = repo();
        let place = Place::claim(&repo, &"dev".parse().unwrap()).unwrap();
        assert_eq!(place.left_behind().unwrap(), None);
        let us =
            Table::read().unwrap().find(i32::try_from(std::process::id()).unwrap()).unwrap().identity.clone();
        let members = vec![Member { name: "postgres".to_owned(), identity: us.clone() }];
        let record = Record { owner: Some(us.clone()), members, others: vec![us], docker_api: None };
        place.record(&record).unwrap();
        assert_eq!(place.left_behind().unwrap(), Some(record));
        let socket = place.socket("engine.sock").unwrap();
        assert!(socket.as_os_str().len() < 100 && socket.parent().unwrap().is_dir());
        place.clear().unwrap();
        assert!(place.left_behind().unwrap().is_none() && !socket.parent().unwrap().exists());
    }
}
