//! What a look into the bucket found, as values that later steps insist on.

use std::str::FromStr;

use domain::output::{StoredOutput, key, metadata};
use domain::{AttemptId, JobId};
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap};

/// More files than a model returns; a damaged count must not become a thousand requests.
const COUNT_LIMIT: u32 = 64;

/// The bucket was asked: needed to take the lease (A20). Made only by a look.
#[derive(Debug)]
pub struct Looked(());

/// The bucket was asked and has no result: needed to open an attempt, and used up by that (I5). Made only by a look.
#[derive(Debug)]
pub struct Absent {
    looked: Looked,
}

impl Absent {
    pub(super) fn found_nothing() -> Self {
        Self { looked: Looked(()) }
    }

    /// What allows taking the lease.
    pub fn looked(&self) -> &Looked {
        &self.looked
    }
}

/// The job's whole result, stored.
#[derive(Debug)]
pub struct Kept {
    pub outputs: Vec<StoredOutput>,
    /// The attempt that paid for it.
    pub attempt: Option<AttemptId>,
    looked: Looked,
}

impl Kept {
    pub(super) fn found(outputs: Vec<StoredOutput>, attempt: Option<AttemptId>) -> Self {
        Self { outputs, attempt, looked: Looked(()) }
    }

    /// What allows taking the lease.
    pub fn looked(&self) -> &Looked {
        &self.looked
    }
}

/// What lies under a job's output key.
#[derive(Debug)]
pub enum Look {
    /// No object.
    Nothing(Absent),
    /// This job wrote it (A21).
    Ours(Kept),
    /// Another job wrote it, or nobody knows who (A22).
    Others,
}

/// One object's headers.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) job: Option<String>,
    pub(super) client: Option<String>,
    pub(super) attempt: Option<AttemptId>,
    count: Option<u32>,
    pub(super) content_type: String,
    pub(super) bytes: u64,
    sha256: String,
}

impl Found {
    pub(super) fn read(headers: &HeaderMap) -> Self {
        Self {
            job: meta(headers, metadata::JOB).map(str::to_owned),
            client: meta(headers, metadata::CLIENT).map(str::to_owned),
            attempt: meta(headers, metadata::ATTEMPT).and_then(|text| text.parse().ok()),
            count: meta(headers, metadata::COUNT).and_then(|text| text.parse().ok()),
            content_type: text(headers, CONTENT_TYPE.as_str()).unwrap_or_default().to_owned(),
            bytes: text(headers, CONTENT_LENGTH.as_str())
                .and_then(|text| u64::from_str(text).ok())
                .unwrap_or(0),
            sha256: meta(headers, metadata::SHA256).unwrap_or_default().to_owned(),
        }
    }

    /// How many files the result has; `None` if the object is not this job's.
    pub(super) fn count_if_of(&self, job: JobId) -> Option<u32> {
        let ours = self.job.as_ref().is_some_and(|found| *found == job.to_string());
        ours.then(|| self.count.unwrap_or(1).clamp(1, COUNT_LIMIT))
    }

    pub(super) fn output(&self, job: JobId, index: u32) -> StoredOutput {
        StoredOutput {
            index,
            key: key(job, index),
            content_type: self.content_type.clone(),
            bytes: self.bytes,
            sha256: self.sha256.clone(),
        }
    }
}

fn meta<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    text(headers, &format!("x-amz-meta-{name}"))
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
