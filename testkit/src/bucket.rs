//! A bucket that takes any amount and keeps none of it: as much of S3 as the executor speaks, for measurements in which the
//! store itself must cost next to nothing. Objects have their headers and their length, and no bytes.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Query, State};
use axum::response::{IntoResponse, Response};
use futures::StreamExt as _;
use http::header::{CONTENT_LENGTH, ETAG, IF_NONE_MATCH};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};

use crate::server::{self, Closing, Server};

/// A running bucket. Dropping it ends its connections.
#[derive(Debug)]
pub struct Bucket {
    server: Server,
    shelf: Arc<Mutex<Shelf>>,
}

/// What is known of an object.
#[derive(Clone, Debug, Default)]
struct Object {
    headers: Vec<(HeaderName, HeaderValue)>,
    bytes: u64,
}

#[derive(Debug, Default)]
struct Shelf {
    objects: BTreeMap<String, Object>,
    uploads: BTreeMap<String, Object>,
    made: u64,
}

/// Starts a bucket on any port.
///
/// # Errors
/// Fails when there is no port.
pub async fn start() -> io::Result<Bucket> {
    let shelf = Arc::new(Mutex::new(Shelf::default()));
    let router =
        Router::new().fallback(answer).layer(DefaultBodyLimit::disable()).with_state(Arc::clone(&shelf));
    Ok(Bucket { server: server::start(0, router, Closing::Ends).await?, shelf })
}

impl Bucket {
    /// The S3 endpoint, path style; any bucket's name will do.
    pub fn endpoint(&self) -> String {
        format!("{}/", self.server.url())
    }

    /// The lengths of all objects together.
    pub fn bytes(&self) -> u64 {
        lock(&self.shelf).objects.values().map(|object| object.bytes).sum()
    }
}

async fn answer(
    State(shelf): State<Arc<Mutex<Shelf>>>,
    method: Method,
    uri: Uri,
    Query(query): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let mut bytes = 0;
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let Ok(chunk) = chunk else { return StatusCode::BAD_REQUEST.into_response() };
        bytes += u64::try_from(chunk.len()).unwrap_or_default();
    }
    let asked = Asked { key: uri.path(), upload: query.get("uploadId"), headers: &headers, bytes };
    let mut shelf = lock(&shelf);
    match (method, query.contains_key("uploads")) {
        (Method::HEAD, _) => shelf.head(&asked),
        (Method::PUT, _) if asked.upload.is_some() => shelf.part(&asked),
        (Method::PUT, _) => shelf.put(&asked),
        (Method::POST, true) => shelf.create(&asked),
        (Method::POST, false) => shelf.complete(&asked),
        (Method::DELETE, _) => shelf.abort(&asked),
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

struct Asked<'r> {
    key: &'r str,
    upload: Option<&'r String>,
    headers: &'r HeaderMap,
    /// Of the body.
    bytes: u64,
}

impl Shelf {
    fn head(&self, asked: &Asked<'_>) -> Response {
        let Some(object) = self.objects.get(asked.key) else {
            return StatusCode::NOT_FOUND.into_response();
        };
        let mut response = Response::new(Body::empty());
        response.headers_mut().extend(object.headers.iter().cloned());
        response.headers_mut().insert(CONTENT_LENGTH, object.bytes.into());
        response
    }

    fn put(&mut self, asked: &Asked<'_>) -> Response {
        self.keep(asked, Object { headers: kept(asked.headers), bytes: asked.bytes })
    }

    /// Only conditional writes are taken.
    fn keep(&mut self, asked: &Asked<'_>, object: Object) -> Response {
        if asked.headers.get(IF_NONE_MATCH).is_none_or(|value| value != "*") {
            return StatusCode::BAD_REQUEST.into_response();
        }
        if self.objects.contains_key(asked.key) {
            return StatusCode::PRECONDITION_FAILED.into_response();
        }
        self.objects.insert(asked.key.to_owned(), object);
        ([(ETAG, "\"whole\"")], "").into_response()
    }

    fn create(&mut self, asked: &Asked<'_>) -> Response {
        self.made += 1;
        let id = format!("upload-{}", self.made);
        self.uploads.insert(id.clone(), Object { headers: kept(asked.headers), bytes: 0 });
        xml("InitiateMultipartUploadResult", &format!("<UploadId>{id}</UploadId>"))
    }

    fn part(&mut self, asked: &Asked<'_>) -> Response {
        match asked.upload.and_then(|id| self.uploads.get_mut(id)) {
            Some(object) => {
                object.bytes += asked.bytes;
                ([(ETAG, "\"part\"")], "").into_response()
            }
            None => StatusCode::NOT_FOUND.into_response(),
        }
    }

    fn complete(&mut self, asked: &Asked<'_>) -> Response {
        let Some(object) = asked.upload.and_then(|id| self.uploads.remove(id)) else {
            return StatusCode::NOT_FOUND.into_response();
        };
        let kept = self.keep(asked, object);
        if kept.status() != StatusCode::OK {
            return kept;
        }
        xml("CompleteMultipartUploadResult", "<ETag>\"whole\"</ETag>")
    }

    fn abort(&mut self, asked: &Asked<'_>) -> Response {
        if let Some(id) = asked.upload {
            self.uploads.remove(id);
        }
        StatusCode::NO_CONTENT.into_response()
    }
}

/// What an object keeps of the request that made it.
fn kept(headers: &HeaderMap) -> Vec<(HeaderName, HeaderValue)> {
    let keeps =
        |name: &HeaderName| name.as_str() == "content-type" || name.as_str().starts_with("x-amz-meta-");
    headers
        .iter()
        .filter(|(name, _)| keeps(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn xml(element: &str, inner: &str) -> Response {
    let namespace = "http://s3.amazonaws.com/doc/2006-03-01/";
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
    let text = format!("{head}<{element} xmlns=\"{namespace}\">{inner}</{element}>");
    ([("content-type", "application/xml")], text).into_response()
}

fn lock(shelf: &Mutex<Shelf>) -> std::sync::MutexGuard<'_, Shelf> {
    shelf.lock().unwrap_or_else(PoisonError::into_inner)
}
