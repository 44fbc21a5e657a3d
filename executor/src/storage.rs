//! The bucket: looking for a stored result (A20 to A22) and creating one exactly once (B6).
//!
//! Repeating a create is harmless: the put is conditional, and after anything but a clean answer the object that
//! stands is read and decides. A bucket that ignores the condition on a multipart completion (the local one does)
//! leaves a gap of one round trip between the last look and the completion; the key names the job, so only the
//! job's own executions can meet there, and the journal's lease keeps them apart (B8).

use std::sync::Arc;
use std::time::Duration;

use domain::output::{StoredOutput, key, metadata};
use domain::provider::Provider;
use domain::timing::Timing;
use domain::{AttemptId, JobId};
use reqwest::Body;
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, IF_NONE_MATCH};
use rusty_s3::actions::{HeadObject, PutObject};
use rusty_s3::{Bucket, BucketError, Credentials, S3Action, UrlStyle};
use tokio::time::sleep;

use crate::config::S3Config;
use crate::machine::Machine;
use crate::net::{self, Client};
use crate::retry::Backoff;
use crate::spool::Spooled;

mod found;
mod inputs;
mod multipart;

use found::Found;
pub use found::{Absent, Kept, Look, Looked};
pub use inputs::StoredInput;

/// Files up to here go up in one request; R2 takes 5 GB so, but a failed one starts from its first byte.
const SINGLE_LIMIT: u64 = 64 << 20;
/// A signature outlives the longest request made with it.
const SIGNED_FOR: Duration = Duration::from_hours(1);
/// A HEAD carries no body.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// The slowest upload that is worth waiting for, in bytes a second.
const SLOWEST_UPLOAD: u64 = 128 * 1024;

/// The bucket could not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// No answer that says anything, after all tries.
    #[error("the bucket is away: {0}")]
    Away(String),
    /// File 0 is written last, so this is not the work of an execution that was lost.
    #[error("file {index} of {count} is missing in the bucket")]
    Incomplete { index: u32, count: u32 },
}

/// The bucket and what is needed to reach it. Cheap to clone.
#[derive(Clone)]
pub struct Storage(Arc<Inner>);

struct Inner {
    bucket: Bucket,
    credentials: Credentials,
    http: Client,
    timing: Timing,
    machine: Arc<dyn Machine>,
}

/// Who paid for a file: its metadata (A23).
#[derive(Clone, Debug)]
pub struct Origin {
    pub job: JobId,
    pub attempt: AttemptId,
    pub provider: Provider,
    pub model: String,
    /// Files of the whole result.
    pub count: u32,
}

/// What stands under a key after a create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Created {
    /// The file just given, or the same attempt's from an earlier try.
    Stored(StoredOutput),
    /// The job's own, from another attempt: it was first and stays (I9).
    Stands { output: StoredOutput, attempt: Option<AttemptId> },
    /// Another job's (A22).
    Others,
}

/// How one upload went.
enum Upload {
    Clean,
    Unclear(String),
}

impl Storage {
    /// `http` must neither follow redirects nor have a limit on a whole request.
    pub fn new(
        config: &S3Config,
        http: Client,
        timing: Timing,
        machine: Arc<dyn Machine>,
    ) -> Result<Self, BucketError> {
        let mut endpoint = config.endpoint.clone();
        if !endpoint.path().ends_with('/') {
            endpoint.set_path(&format!("{}/", endpoint.path()));
        }
        let bucket = Bucket::new(endpoint, UrlStyle::Path, config.bucket.clone(), "auto")?;
        let credentials = Credentials::new(config.access_key_id.expose(), config.secret_access_key.expose());
        Ok(Self(Arc::new(Inner { bucket, credentials, http, timing, machine })))
    }

    /// Looks for the job's result: one HEAD where there is none, one for each file where there is.
    pub async fn look(&self, job: JobId) -> Result<Look, StoreError> {
        let Some(first) = self.head_patiently(&key(job, 0)).await? else {
            return Ok(Look::Nothing(Absent::found_nothing()));
        };
        let Some(count) = first.count_if_of(job) else {
            return Ok(Look::Others);
        };
        let attempt = first.attempt;
        let mut outputs = vec![first.output(job, 0)];
        for index in 1..count {
            let found = self.head_patiently(&key(job, index)).await?;
            let found = found.ok_or(StoreError::Incomplete { index, count })?;
            if found.count_if_of(job).is_none() {
                return Ok(Look::Others);
            }
            outputs.push(found.output(job, index));
        }
        Ok(Look::Ours(Kept::found(outputs, attempt)))
    }

    /// Writes a file unless its key is taken, and says what stands there then.
    pub async fn create(&self, index: u32, file: &Spooled, origin: &Origin) -> Result<Created, StoreError> {
        let key = key(origin.job, index);
        let mut backoff = Backoff::new(&self.0.timing, &self.0.machine);
        loop {
            if let Some(found) = self.head_patiently(&key).await? {
                return Ok(judge(&found, index, origin));
            }
            let upload = if file.bytes <= SINGLE_LIMIT {
                self.put(&key, file, origin).await
            } else {
                multipart::upload(self, &key, file, origin).await
            };
            let reason = match upload {
                Upload::Clean if file.bytes <= SINGLE_LIMIT => {
                    return Ok(Created::Stored(output_of(index, key, file)));
                }
                // The condition on a completion may have been ignored: what stands decides.
                Upload::Clean => match self.head_patiently(&key).await? {
                    Some(found) => return Ok(judge(&found, index, origin)),
                    None => "a completed upload is not there".to_owned(),
                },
                Upload::Unclear(reason) => reason,
            };
            let pause = backoff.pause();
            if backoff.failures() > self.0.timing.free_retries {
                let found = self.head_patiently(&key).await?;
                return found.map(|found| judge(&found, index, origin)).ok_or(StoreError::Away(reason));
            }
            tracing::warn!(job.id = %origin.job, attempt.id = %origin.attempt, output.index = index,
                storage.error = reason, "the upload was not confirmed");
            sleep(pause).await;
        }
    }

    async fn put(&self, key: &str, file: &Spooled, origin: &Origin) -> Upload {
        let headers = origin.headers(file);
        let mut action = PutObject::new(&self.0.bucket, Some(&self.0.credentials), key);
        let mut request_headers = vec![(IF_NONE_MATCH.as_str().to_owned(), "*".to_owned())];
        request_headers.extend(headers);
        for (name, value) in &request_headers {
            action.headers_mut().insert(name.clone(), value.clone());
        }
        let mut request = self.0.http.put(action.sign(SIGNED_FOR));
        for (name, value) in &request_headers {
            request = request.header(name, value);
        }
        let body = Body::wrap_stream(file.stream(0, file.bytes));
        let request = request.header(CONTENT_LENGTH, file.bytes).timeout(time_for(file.bytes)).body(body);
        match self.0.http.send(request).await {
            Ok(response) if response.status().as_u16() == 200 => Upload::Clean,
            Ok(response) => Upload::Unclear(format!("put answered {}", response.status().as_u16())),
            Err(error) => Upload::Unclear(net::told(error)),
        }
    }

    /// A HEAD with its free retries.
    async fn head_patiently(&self, key: &str) -> Result<Option<Found>, StoreError> {
        let mut backoff = Backoff::new(&self.0.timing, &self.0.machine);
        loop {
            let reason = match self.head(key).await {
                Ok(found) => return Ok(found),
                Err(reason) => reason,
            };
            let pause = backoff.pause();
            if backoff.failures() > self.0.timing.free_retries {
                return Err(StoreError::Away(reason));
            }
            tracing::warn!(storage.key = key, storage.error = reason, "the bucket did not answer");
            sleep(pause).await;
        }
    }

    async fn head(&self, key: &str) -> Result<Option<Found>, String> {
        let action = HeadObject::new(&self.0.bucket, Some(&self.0.credentials), key);
        let request = self.0.http.head(action.sign(SIGNED_FOR)).timeout(HEAD_TIMEOUT);
        let response = self.0.http.send(request).await.map_err(net::told)?;
        match response.status().as_u16() {
            200 => Ok(Some(Found::read(response.headers()))),
            404 => Ok(None),
            status => Err(format!("head answered {status}")),
        }
    }
}

impl Origin {
    /// The headers that an object is created with, lower-case as they are signed.
    fn headers(&self, file: &Spooled) -> Vec<(String, String)> {
        let mut headers = vec![(CONTENT_TYPE.as_str().to_owned(), file.content_type.as_str().to_owned())];
        let members = [
            (metadata::JOB, self.job.to_string()),
            (metadata::ATTEMPT, self.attempt.to_string()),
            (metadata::PROVIDER, self.provider.to_string()),
            (metadata::MODEL, self.model.clone()),
            (metadata::SHA256, file.sha256.clone()),
            (metadata::COUNT, self.count.to_string()),
        ];
        headers.extend(members.map(|(name, value)| (format!("x-amz-meta-{name}"), value)));
        headers
    }
}

fn judge(found: &Found, index: u32, origin: &Origin) -> Created {
    if found.count_if_of(origin.job).is_none() {
        return Created::Others;
    }
    let output = found.output(origin.job, index);
    if found.attempt == Some(origin.attempt) {
        Created::Stored(output)
    } else {
        Created::Stands { output, attempt: found.attempt }
    }
}

fn output_of(index: u32, key: String, file: &Spooled) -> StoredOutput {
    let content_type = file.content_type.as_str().to_owned();
    StoredOutput { index, key, content_type, bytes: file.bytes, sha256: file.sha256.clone() }
}

fn time_for(bytes: u64) -> Duration {
    Duration::from_secs(60 + bytes / SLOWEST_UPLOAD)
}
