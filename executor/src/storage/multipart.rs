//! Uploads of large files, in parts.

use std::time::Duration;

use reqwest::header::{CONTENT_LENGTH, ETAG, IF_NONE_MATCH};
use reqwest::{Body, Response};
use rusty_s3::S3Action;
use rusty_s3::actions::{
    AbortMultipartUpload, CompleteMultipartUpload, CompleteMultipartUploadResponse, CreateMultipartUpload,
    UploadPart,
};
use tokio::time::sleep;

use super::{Origin, SIGNED_FOR, Storage, Upload, time_for};
use crate::net;
use crate::retry::Backoff;
use crate::spool::Spooled;

/// R2 wants all parts but the last of equal size, at least 5 MiB, at most 10 000 of them: up to 156 GiB so.
const PART: u64 = 16 << 20;
/// Answers of these calls are a few hundred bytes of XML.
const ANSWER_LIMIT: usize = 64 * 1024;
const CALL_TIMEOUT: Duration = Duration::from_secs(30);
/// Completing assembles the parts.
const COMPLETE_TIMEOUT: Duration = Duration::from_mins(5);

/// One upload. Whatever way it is left other than completed, its parts are thrown away.
struct Multipart {
    storage: Storage,
    key: String,
    id: Option<String>,
}

/// Uploads the file and completes it on the condition that the key is free. The caller looks afterwards in any case.
pub(super) async fn upload(storage: &Storage, key: &str, file: &Spooled, origin: &Origin) -> Upload {
    match attempt(storage, key, file, origin).await {
        Ok(()) => Upload::Clean,
        Err(reason) => Upload::Unclear(reason),
    }
}

async fn attempt(storage: &Storage, key: &str, file: &Spooled, origin: &Origin) -> Result<(), String> {
    let mut upload = create(storage, key, file, origin).await?;
    let mut etags = Vec::new();
    let mut at = 0;
    while at < file.bytes {
        let length = PART.min(file.bytes - at);
        etags.push(upload.part(etags.len(), file, at, length).await?);
        at = at.saturating_add(length);
    }
    upload.complete(&etags).await
}

async fn create(storage: &Storage, key: &str, file: &Spooled, origin: &Origin) -> Result<Multipart, String> {
    let inner = &storage.0;
    let headers = origin.headers(file);
    let mut action = CreateMultipartUpload::new(&inner.bucket, Some(&inner.credentials), key);
    for (name, value) in &headers {
        action.headers_mut().insert(name.clone(), value.clone());
    }
    let mut request = inner.http.post(action.sign(SIGNED_FOR)).timeout(CALL_TIMEOUT);
    for (name, value) in &headers {
        request = request.header(name, value);
    }
    let text = answer(inner.http.send(request).await.map_err(net::told)?, "create").await?;
    let created = CreateMultipartUpload::parse_response(&text)
        .map_err(|_| "create answered no upload id".to_owned())?;
    Ok(Multipart { storage: storage.clone(), key: key.to_owned(), id: Some(created.upload_id().to_owned()) })
}

impl Multipart {
    fn id(&self) -> Result<&str, String> {
        self.id.as_deref().ok_or_else(|| "the upload is completed".to_owned())
    }

    /// Uploads one part, again after a failure: a part that is sent twice replaces itself.
    async fn part(&self, earlier: usize, file: &Spooled, from: u64, length: u64) -> Result<String, String> {
        let inner = &self.storage.0;
        let number = u16::try_from(earlier + 1).map_err(|_| "too many parts".to_owned())?;
        let mut backoff = Backoff::new(&inner.timing, &inner.machine);
        loop {
            let action =
                UploadPart::new(&inner.bucket, Some(&inner.credentials), &self.key, number, self.id()?);
            let request = inner.http.put(action.sign(SIGNED_FOR)).header(CONTENT_LENGTH, length);
            let body = Body::wrap_stream(file.stream(from, length));
            let request = request.timeout(time_for(length)).body(body);
            let reason = match inner.http.send(request).await {
                Ok(response) if response.status().as_u16() == 200 => match response.headers().get(ETAG) {
                    Some(etag) => {
                        return etag.to_str().map(str::to_owned).map_err(|_| "unreadable etag".to_owned());
                    }
                    None => "a part has no etag".to_owned(),
                },
                Ok(response) => format!("part {number} answered {}", response.status().as_u16()),
                Err(error) => net::told(error),
            };
            let pause = backoff.pause();
            if backoff.failures() > inner.timing.free_retries {
                return Err(reason);
            }
            sleep(pause).await;
        }
    }

    async fn complete(&mut self, etags: &[String]) -> Result<(), String> {
        let inner = &self.storage.0;
        let etags = etags.iter().map(String::as_str);
        let mut action = CompleteMultipartUpload::new(
            &inner.bucket,
            Some(&inner.credentials),
            &self.key,
            self.id()?,
            etags,
        );
        action.headers_mut().insert(IF_NONE_MATCH.as_str(), "*");
        let url = action.sign(SIGNED_FOR);
        let request =
            inner.http.post(url).header(IF_NONE_MATCH, "*").timeout(COMPLETE_TIMEOUT).body(action.body());
        let text = answer(inner.http.send(request).await.map_err(net::told)?, "complete").await?;
        // A 200 may carry an error: the answer begins before the outcome is known.
        CompleteMultipartUploadResponse::parse(&text)
            .map_err(|_| "complete failed inside its answer".to_owned())?;
        self.id = None;
        Ok(())
    }
}

impl Drop for Multipart {
    /// Also when the future that uploads is dropped. Best effort: R2 throws unfinished uploads away after a week.
    fn drop(&mut self) {
        let (Some(id), Ok(runtime)) = (self.id.take(), tokio::runtime::Handle::try_current()) else {
            return;
        };
        let (storage, key) = (self.storage.clone(), std::mem::take(&mut self.key));
        runtime.spawn(async move {
            let inner = &storage.0;
            let action = AbortMultipartUpload::new(&inner.bucket, Some(&inner.credentials), &key, &id);
            let request = inner.http.delete(action.sign(SIGNED_FOR)).timeout(CALL_TIMEOUT);
            if let Err(error) = inner.http.send(request).await {
                tracing::warn!(
                    storage.key = key,
                    storage.error = net::told(error),
                    "an upload was not thrown away"
                );
            }
        });
    }
}

async fn answer(response: Response, call: &str) -> Result<String, String> {
    let status = response.status().as_u16();
    if status != 200 {
        return Err(format!("{call} answered {status}"));
    }
    let body = net::body(response, ANSWER_LIMIT).await.map_err(|error| error.to_string())?;
    String::from_utf8(body.into()).map_err(|_| format!("{call} answered no text"))
}
