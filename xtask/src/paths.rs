//! Where things are: the checkout, the cache of built tools, the state of a local stack.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, OrFail, Outcome};

/// The checkout that the command works on. Every path handed out is absolute.
#[derive(Debug, Clone)]
pub(crate) struct Repo {
    root: PathBuf,
    target: PathBuf,
    cache: PathBuf,
}

impl Repo {
    /// The checkout that holds this crate, else (a copied binary) the one above the current folder.
    pub(crate) fn locate() -> Outcome<Self> {
        let start = match env::var_os("CARGO_MANIFEST_DIR") {
            Some(manifest) => PathBuf::from(manifest),
            None => env::current_dir().or_fail("cannot read the current folder", "change to the checkout")?,
        };
        let root = start
            .ancestors()
            .find(|folder| folder.join("xtask/Cargo.toml").is_file() && folder.join("Cargo.lock").is_file())
            .or_fail(
                format!("no checkout of AFC above {}", start.display()),
                "run this inside the checkout",
            )?;
        let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
        Ok(Self { root: root.to_path_buf(), target: root.join(target), cache: cache_folder()? })
    }

    /// A checkout at `root` with its tools in `cache`; for tests.
    #[cfg(test)]
    pub(crate) fn at(root: &Path, cache: &Path) -> Self {
        Self { root: root.to_path_buf(), target: root.join("target"), cache: cache.to_path_buf() }
    }

    /// The repository root.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// `relative` below the root.
    pub(crate) fn join(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// `relative` as a person writes it: below the root, otherwise as it is.
    pub(crate) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }

    /// Where tools are built once for all checkouts.
    pub(crate) fn cache(&self) -> &Path {
        &self.cache
    }

    /// Cargo's target folder (`CARGO_TARGET_DIR` is honoured).
    pub(crate) fn target(&self) -> PathBuf {
        self.target.clone()
    }

    /// A binary of this workspace in the debug profile.
    pub(crate) fn debug_binary(&self, name: &str) -> PathBuf {
        self.target().join("debug").join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }

    /// What xtask keeps for itself: fingerprints, locks, logs of set-up steps.
    pub(crate) fn notes(&self) -> PathBuf {
        self.target().join("xtask")
    }

    /// A program of `node_modules/.bin`.
    pub(crate) fn node_program(&self, name: &str) -> PathBuf {
        self.join("node_modules/.bin").join(name)
    }

    /// A program that was built into the cache.
    pub(crate) fn tool(&self, name: &str) -> PathBuf {
        self.cache.join("tools/bin").join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }

    /// `PATH` with the Node of `node_modules` first: wrangler needs a newer one than machines may have.
    pub(crate) fn node_path(&self) -> Outcome<OsString> {
        let inherited = env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.join("node_modules/.bin")).chain(env::split_paths(&inherited));
        env::join_paths(folders).or_fail(
            "cannot put node_modules/.bin on PATH",
            "move the checkout to a folder without a colon in its path",
        )
    }
}

fn cache_folder() -> Outcome<PathBuf> {
    let non_empty = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = non_empty("AFC_CACHE_DIR")
        .or_else(|| non_empty("XDG_CACHE_HOME").map(|folder| folder.join("afc")))
        .or_else(|| non_empty("HOME").map(|folder| folder.join(".cache/afc")))
        .ok_or_else(|| {
            Failure::new(
                "no folder for built tools: HOME is not set",
                "set AFC_CACHE_DIR to a folder that may be written",
            )
        })?;
    std::path::absolute(&folder)
        .or_fail("cannot resolve the cache folder", "set AFC_CACHE_DIR to an absolute path")
}
