//! Where results lie in the bucket, and what is written beside them (A20 to A23).

use serde::{Deserialize, Serialize};

use crate::JobId;

/// Object metadata names (`x-amz-meta-…` in S3, `customMetadata` in R2).
pub mod metadata {
    /// The job that wrote the object (A23).
    pub const JOB: &str = "job-id";
    /// The attempt that paid for it.
    pub const ATTEMPT: &str = "attempt-id";
    pub const PROVIDER: &str = "provider";
    pub const MODEL: &str = "model";
    /// Lower-case hex SHA-256 of the bytes.
    pub const SHA256: &str = "sha256";
    /// The client that uploaded an input.
    pub const CLIENT: &str = "client-id";
    /// How many files the result has, on the first of them.
    pub const COUNT: &str = "outputs";
}

/// The key of a job's output file. The first is written **last**, so that its presence says that all are there and
/// one HEAD answers "is there a result?" (A20).
pub fn key(job: JobId, index: u32) -> String {
    if index == 0 { format!("generations/{job}/output") } else { format!("generations/{job}/output-{index}") }
}

/// What the keys of a job's files, and of no other's, begin with.
pub fn prefix(job: JobId) -> String {
    format!("generations/{job}/")
}

/// A file in the bucket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredOutput {
    pub index: u32,
    pub key: String,
    pub content_type: String,
    pub bytes: u64,
    /// Lower-case hex.
    pub sha256: String,
}
