//! A file on its way into the bucket: judged by its first bytes, hashed as it passes, never held whole.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;
use std::rc::Rc;

use axum::http::HeaderMap;
use domain::error::Code;
use domain::inputs::{self, limit};
use domain::media::{ContentType, HEAD_BYTES, admits, judge};
use domain::output::metadata;
use futures::stream::LocalBoxStream;
use futures::{StreamExt, TryStreamExt, stream};
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use sha2::{Digest, Sha256};
use store::inputs::{Outlived, Taken};
use worker::{Env, FixedLengthStream, HttpMetadata};

use crate::config;
use crate::http::Unread;
use crate::problem::Problem;

/// What the headers say of the file.
pub struct Announced {
    pub bytes: u64,
    media_type: Option<String>,
}

impl Announced {
    /// Refuses what cannot be taken before any of it is read.
    pub fn read(headers: &HeaderMap) -> Result<Self, Problem> {
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default().to_owned());
        if text(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
            let detail = "send the file without Content-Encoding";
            return Err(Problem::new(Code::UnsupportedMediaType, detail));
        }
        let media_type = text(CONTENT_TYPE);
        if !admits(media_type.as_deref()) {
            let known = ContentType::ALL.map(ContentType::as_str).join(", ");
            let detail =
                format!("send the file itself as the body, as one of {known} or application/octet-stream");
            return Err(Problem::new(Code::UnsupportedMediaType, detail));
        }
        let bytes = text(CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
        let bytes = bytes.ok_or_else(|| {
            Problem::new(Code::LengthRequired, "send the file with its Content-Length, not chunked")
        })?;
        match bytes {
            0 => Err(Problem::new(Code::InputInvalid, "the body is empty")),
            1..=limit::BYTES => Ok(Self { bytes, media_type }),
            _ => {
                let detail = format!("an upload may have at most {} bytes, not {bytes}", limit::BYTES);
                Err(Problem::new(Code::BodyTooLarge, detail))
            }
        }
    }
}

/// A file whose first bytes are read.
pub struct Intake {
    bytes: u64,
    content_type: ContentType,
    chunks: LocalBoxStream<'static, worker::Result<Vec<u8>>>,
    passed: Rc<RefCell<Passed>>,
}

#[derive(Default)]
struct Passed {
    bytes: u64,
    hash: Sha256,
}

impl Intake {
    pub async fn begin(unread: &Unread, announced: &Announced) -> Result<Self, Problem> {
        let no_body = || Problem::new(Code::InputInvalid, "there is no body");
        let mut request = unread.take().ok_or_else(no_body)?;
        if request.inner().body().is_none() {
            return Err(no_body());
        }
        let mut rest = request.stream()?;
        let mut head = Vec::new();
        while head.len() < HEAD_BYTES {
            match rest.next().await {
                Some(Ok(chunk)) => head.extend(chunk),
                Some(Err(_)) | None => break,
            }
        }
        let content_type = judge(announced.media_type.as_deref(), &head).map_err(|why| {
            Problem::new(Code::InputInvalid, format!("the body is not what is taken: {why}"))
        })?;
        let passed = Rc::new(RefCell::new(Passed::default()));
        let passing = Rc::clone(&passed);
        let chunks = stream::once(async { Ok(head) }).chain(rest).inspect_ok(move |chunk| {
            let mut passed = passing.borrow_mut();
            passed.bytes = passed.bytes.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
            passed.hash.update(chunk);
        });
        Ok(Self { bytes: announced.bytes, content_type, chunks: chunks.boxed_local(), passed })
    }

    /// Reads it to its end and stores nothing; its hash in hex.
    pub async fn digest(mut self) -> Result<String, Problem> {
        while let Some(chunk) = self.chunks.next().await {
            chunk.map_err(|_| cut_off(&self.passed.borrow(), self.bytes))?;
        }
        let taken = taken(&self.passed.borrow(), self.bytes, self.content_type)?;
        Ok(taken.hex())
    }

    /// Streams it to its place. A repeat has another id, so that nothing is ever overwritten.
    pub async fn store(self, env: &Env, own: Outlived) -> Result<Stored, Problem> {
        let key = inputs::key(own.client, own.id);
        let named = HashMap::from([(metadata::CLIENT.to_owned(), own.client.to_string())]);
        let content_type = Some(self.content_type.as_str().to_owned());
        let file = FixedLengthStream::wrap(self.chunks, self.bytes);
        let bucket = env.bucket(config::MEDIA)?;
        let put = bucket
            .put(key, file)
            .http_metadata(HttpMetadata { content_type, ..HttpMetadata::default() })
            .custom_metadata(named);
        let stored = put.execute().await;
        let passed = self.passed.borrow();
        match stored {
            Ok(_) => taken(&passed, self.bytes, self.content_type),
            Err(_) if passed.bytes != self.bytes => Err(cut_off(&passed, self.bytes)),
            Err(error) => Err(error.into()),
        }
    }
}

/// A file that is there whole.
pub struct Stored {
    content_type: ContentType,
    bytes: u64,
    sha256: [u8; 32],
}

impl Stored {
    pub const fn row(&self) -> Taken<'static> {
        Taken { content_type: self.content_type.as_str(), bytes: self.bytes, sha256: self.sha256 }
    }

    /// The hash, as rows show it.
    pub fn hex(&self) -> String {
        self.sha256.iter().fold(String::new(), |mut text, byte| {
            // Writing to a String does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

fn taken(passed: &Passed, bytes: u64, content_type: ContentType) -> Result<Stored, Problem> {
    if passed.bytes != bytes {
        return Err(cut_off(passed, bytes));
    }
    Ok(Stored { content_type, bytes, sha256: passed.hash.clone().finalize().into() })
}

fn cut_off(passed: &Passed, bytes: u64) -> Problem {
    let detail = format!("the body has {} bytes where Content-Length says {bytes}", passed.bytes);
    Problem::new(Code::InputInvalid, detail)
}
