//! Results on their way from a provider to the bucket: in files without a name, which vanish with their last handle
//! and so with the process, however it ends.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use domain::media::{ContentType, HEAD_BYTES};
use futures::{Stream, stream};
use sha2::{Digest, Sha256};
use tokio::io::AsyncWriteExt;

/// One read from the disk. Small, since the container has 256 MiB for everything.
const CHUNK: usize = 256 * 1024;

/// Where files are made.
#[derive(Clone, Debug)]
pub struct Spool {
    folder: PathBuf,
    limit: u64,
}

/// A whole result file.
#[derive(Clone, Debug)]
pub struct Spooled {
    file: Arc<File>,
    pub bytes: u64,
    /// Lower-case hex.
    pub sha256: String,
    pub content_type: ContentType,
}

/// Why a file could not be taken in.
#[derive(Debug, thiserror::Error)]
pub enum SpoolError {
    /// More than the limit, in bytes.
    #[error("the file is longer than {0} bytes")]
    TooLarge(u64),
    /// Full, read-only, gone.
    #[error("the disk refuses: {0}")]
    Disk(#[from] io::Error),
}

impl Spool {
    /// `limit` is in bytes, for each file.
    pub fn new(folder: Option<PathBuf>, limit: u64) -> Self {
        Self { folder: folder.unwrap_or_else(std::env::temp_dir), limit }
    }

    /// Bytes that one file may have.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Begins a file.
    pub fn begin(&self) -> Result<Intake, SpoolError> {
        let file = tempfile::tempfile_in(&self.folder)?;
        let writer = tokio::fs::File::from_std(file.try_clone()?);
        Ok(Intake { file, writer, hash: Sha256::new(), head: Vec::new(), bytes: 0, limit: self.limit })
    }
}

/// A file that is being written, hashed on the way.
#[derive(Debug)]
pub struct Intake {
    file: File,
    writer: tokio::fs::File,
    hash: Sha256,
    head: Vec<u8>,
    bytes: u64,
    limit: u64,
}

impl Intake {
    /// Takes the next bytes. After an error the file is to be dropped.
    pub async fn write(&mut self, chunk: &[u8]) -> Result<(), SpoolError> {
        self.bytes = self.bytes.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
        if self.bytes > self.limit {
            return Err(SpoolError::TooLarge(self.limit));
        }
        let missing = HEAD_BYTES.saturating_sub(self.head.len());
        self.head.extend(chunk.iter().take(missing));
        self.hash.update(chunk);
        self.writer.write_all(chunk).await?;
        Ok(())
    }

    /// Bytes so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The first bytes, which tell what the file is.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The file as it will be stored.
    pub async fn finish(mut self, content_type: ContentType) -> Result<Spooled, SpoolError> {
        self.writer.flush().await?;
        let sha256 = hex(&self.hash.finalize());
        Ok(Spooled { file: Arc::new(self.file), bytes: self.bytes, sha256, content_type })
    }
}

impl Spooled {
    /// The bytes from `from`, `length` of them. May be called again: a failed upload begins anew.
    pub fn stream(&self, from: u64, length: u64) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
        let file = Arc::clone(&self.file);
        stream::try_unfold((file, from, length), |(file, at, left)| async move {
            if left == 0 {
                return Ok(None);
            }
            let wanted = usize::try_from(left).unwrap_or(CHUNK).min(CHUNK);
            let reader = Arc::clone(&file);
            let chunk = tokio::task::spawn_blocking(move || read(&reader, at, wanted)).await??;
            let read = u64::try_from(chunk.len()).unwrap_or(left);
            Ok(Some((chunk, (file, at.saturating_add(read), left.saturating_sub(read)))))
        })
    }
}

fn read(file: &File, at: u64, length: usize) -> io::Result<Bytes> {
    let mut chunk = vec![0; length];
    file.read_exact_at(&mut chunk, at)?;
    Ok(chunk.into())
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use futures::TryStreamExt;

    use super::*;

    async fn spooled(limit: u64, chunks: &[&[u8]]) -> Result<Spooled, SpoolError> {
        let mut intake = Spool::new(None, limit).begin()?;
        for chunk in chunks {
            intake.write(chunk).await?;
        }
        intake.finish(ContentType::Png).await
    }

    #[tokio::test]
    async fn a_file_is_read_back_in_pieces_and_again() {
        let file = spooled(100, &[b"hello ", b"world"]).await.unwrap();
        assert_eq!((file.bytes, file.sha256.len()), (11, 64));
        assert!(file.sha256.starts_with("b94d27b9"));
        for _ in 0..2 {
            let parts: Vec<Bytes> = file.stream(3, 5).try_collect().await.unwrap();
            assert_eq!(parts.concat(), b"lo wo");
        }
    }

    #[tokio::test]
    async fn a_file_beyond_the_limit_is_refused() {
        assert!(matches!(spooled(4, &[b"hel", b"lo"]).await, Err(SpoolError::TooLarge(4))));
    }
}
