//! The executors' logs, which the process engine writes: one file a container, new ones all the time.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::output::Terminal;

const PERIOD: Duration = Duration::from_millis(300);

/// Shows what is written to files of `folder`, line by line, under the name `executor`; for ever.
pub(super) async fn follow(folder: &Path, terminal: &Terminal) {
    let mut followed = Followed::default();
    loop {
        for line in followed.new_lines(folder) {
            terminal.show("executor", &line);
        }
        tokio::time::sleep(PERIOD).await;
    }
}

/// How far each file was read.
#[derive(Default)]
struct Followed(BTreeMap<PathBuf, u64>);

impl Followed {
    /// Whole lines that were added since the last call.
    fn new_lines(&mut self, folder: &Path) -> Vec<String> {
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths.into_iter().flat_map(|path| self.new_lines_of(path)).collect()
    }

    fn new_lines_of(&mut self, path: PathBuf) -> Vec<String> {
        // A log that cannot be read now is read next time.
        let added = read_from(&path, self.0.get(&path).copied().unwrap_or_default()).unwrap_or_default();
        let whole = added.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let lines = added.get(..whole).unwrap_or_default();
        *self.0.entry(path).or_default() += u64::try_from(whole).unwrap_or_default();
        String::from_utf8_lossy(lines).lines().map(str::to_owned).collect()
    }
}

fn read_from(path: &Path, offset: u64) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut added = Vec::new();
    // Most files are of containers that ended long ago.
    if file.metadata()?.len() > offset {
        file.seek(SeekFrom::Start(offset))?;
        file.read_to_end(&mut added)?;
    }
    Ok(added)
}

#[cfg(test)]
mod tests {
    use super::Followed;
    use crate::scratch::Scratch;

    #[test]
    fn each_whole_line_is_seen_once() {
        let folder = Scratch::new();
        let mut followed = Followed::default();
        assert!(followed.new_lines(&folder.path().join("absent")).is_empty());
        folder.write("a.log", "one\ntw");
        assert_eq!(followed.new_lines(folder.path()), ["one"]);
        folder.write("a.log", "one\ntwo\n");
        folder.write("b.log", "three\n");
        assert_eq!(followed.new_lines(folder.path()), ["two", "three"]);
        assert!(followed.new_lines(folder.path()).is_empty());
    }
}
