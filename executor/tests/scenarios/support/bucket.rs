//! A bucket that speaks as much of S3 as the executor uses, and checks how it is spoken to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, RawQuery, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};

use super::gates::{Gates, Through};
use super::serve::{Server, hang_up};

pub(crate) struct FakeBucket {
    pub(crate) url: String,
    _server: Server,
    world: Arc<World>,
}

struct World {
    shelf: Mutex<Shelf>,
    gates: Gates,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Object {
    pub(crate) bytes: Bytes,
    pub(crate) headers: BTreeMap<String, String>,
}

#[derive(Default)]
pub(crate) struct Shelf {
    pub(crate) objects: BTreeMap<String, Object>,
    pub(crate) uploads: BTreeMap<String, (Object, BTreeMap<u32, Bytes>)>,
    uploads_made: u32,
    pub(crate) aborted: u32,
    pub(crate) parts: Vec<usize>,
    /// Put under its key just before the next write is carried out: somebody else was faster.
    pub(crate) intruder: Option<Object>,
    /// Objects are told of and cannot be had.
    pub(crate) unreadable: bool,
    /// So many writes are answered 500 and not carried out.
    pub(crate) failing: u32,
    /// So many writes are carried out and their connection reset.
    pub(crate) silent: u32,
    /// The condition on a completion is not looked at, as the local R2 does.
    pub(crate) ignores_condition: bool,
    pub(crate) writes: Vec<String>,
    pub(crate) first_write: Option<DateTime<Utc>>,
}

impl Object {
    pub(crate) fn of(job: &str, attempt: &str, bytes: &'static [u8]) -> Self {
        let headers = [
            ("content-type", "video/mp4"),
            ("x-amz-meta-job-id", job),
            ("x-amz-meta-attempt-id", attempt),
            ("x-amz-meta-sha256", "feed"),
            ("x-amz-meta-outputs", "1"),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        Self { bytes: Bytes::from_static(bytes), headers }
    }
}

impl Object {
    /// A client's upload.
    pub(crate) fn upload(client: &str, content_type: &str, bytes: &'static [u8]) -> Self {
        let headers = [("content-type", content_type), ("x-amz-meta-client-id", client)];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        Self { bytes: Bytes::from_static(bytes), headers }
    }
}

impl FakeBucket {
    pub(crate) async fn start(gates: Gates) -> Self {
        let world = Arc::new(World { shelf: Mutex::default(), gates });
        let router =
            Router::new().fallback(answer).layer(DefaultBodyLimit::disable()).with_state(Arc::clone(&world));
        let server = Server::start(router).await;
        Self { url: format!("{}/s3", server.url), _server: server, world }
    }

    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut Shelf) -> T) -> T {
        look(&mut self.world.shelf.lock().unwrap())
    }

    pub(crate) fn get(&self, key: &str) -> Option<Object> {
        self.with(|shelf| shelf.objects.get(key).cloned())
    }

    pub(crate) fn put(&self, key: String, object: Object) {
        self.with(|shelf| shelf.objects.insert(key, object));
    }
}

async fn answer(
    State(world): State<Arc<World>>,
    method: Method,
    uri: Uri,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let query: BTreeMap<String, String> =
        url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect();
    let Some(key) = uri.path().strip_prefix("/s3/afc-media/").map(str::to_owned) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    if !query.contains_key("X-Amz-Signature") {
        return StatusCode::FORBIDDEN.into_response();
    }
    let name = match (&method, query.contains_key("uploads"), query.contains_key("uploadId")) {
        (&Method::HEAD, _, _) => "head",
        (&Method::GET, _, _) => "get",
        (&Method::PUT, _, false) => "put",
        (&Method::POST, true, _) => "create",
        (&Method::PUT, _, true) => "part",
        (&Method::POST, _, true) => "complete",
        (&Method::DELETE, _, true) => "abort",
        _ => return StatusCode::METHOD_NOT_ALLOWED.into_response(),
    };
    let Ok(bytes) = axum::body::to_bytes(body, usize::MAX).await else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    if world.gates.pass(&format!("bucket.{name}:before")).await == Through::Lost {
        return hang_up();
    }
    let written = world.shelf.lock().unwrap().act(name, &key, &query, &headers, bytes);
    world.gates.pass(&format!("bucket.{name}")).await;
    match written {
        Ok(response) => response,
        Err(Silence) => hang_up(),
    }
}

/// Carried out, and no answer.
struct Silence;

impl Shelf {
    fn act(
        &mut self,
        name: &str,
        key: &str,
        query: &BTreeMap<String, String>,
        headers: &HeaderMap,
        bytes: Bytes,
    ) -> Result<Response, Silence> {
        let upload = query.get("uploadId").cloned().unwrap_or_default();
        if name == "head" {
            return Ok(self.head(key));
        }
        if name == "get" && self.unreadable {
            return Ok(StatusCode::INTERNAL_SERVER_ERROR.into_response());
        }
        if name == "get" {
            let object = self.objects.get(key).cloned();
            return Ok(object.map_or_else(
                || StatusCode::NOT_FOUND.into_response(),
                |object| {
                    ([("content-type", object.headers["content-type"].clone())], object.bytes).into_response()
                },
            ));
        }
        if matches!(name, "put" | "part" | "complete") && self.failing > 0 {
            self.failing -= 1;
            return Ok(StatusCode::INTERNAL_SERVER_ERROR.into_response());
        }
        match name {
            "put" => self.write(key, headers, Object { bytes, headers: kept(headers) }),
            "create" => {
                self.uploads_made += 1;
                let id = format!("upload-{}", self.uploads_made);
                self.uploads.insert(id.clone(), (Object { bytes, headers: kept(headers) }, BTreeMap::new()));
                Ok(xml(&format!(
                    "<InitiateMultipartUploadResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><UploadId>{id}</UploadId></InitiateMultipartUploadResult>"
                )))
            }
            "part" => {
                let number = query["partNumber"].parse().unwrap();
                self.parts.push(bytes.len());
                let Some((_, parts)) = self.uploads.get_mut(&upload) else {
                    return Ok(StatusCode::NOT_FOUND.into_response());
                };
                parts.insert(number, bytes);
                Ok(([("etag", format!("\"part-{number}\""))], "").into_response())
            }
            "complete" => {
                let Some((mut object, parts)) = self.uploads.get(&upload).cloned() else {
                    return Ok(StatusCode::NOT_FOUND.into_response());
                };
                object.bytes = parts.into_values().collect::<Vec<_>>().concat().into();
                let written = self.write(key, headers, object)?;
                if written.status() == StatusCode::OK {
                    self.uploads.remove(&upload);
                    return Ok(xml(
                        "<CompleteMultipartUploadResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><ETag>\"whole\"</ETag></CompleteMultipartUploadResult>",
                    ));
                }
                Ok(written)
            }
            _ => {
                self.aborted += 1;
                self.uploads.remove(&upload);
                Ok(StatusCode::NO_CONTENT.into_response())
            }
        }
    }

    fn head(&self, key: &str) -> Response {
        let Some(object) = self.objects.get(key) else {
            return StatusCode::NOT_FOUND.into_response();
        };
        let mut response = Response::builder().header("content-length", object.bytes.len());
        for (name, value) in &object.headers {
            response = response.header(name, value);
        }
        response.body(Body::empty()).unwrap()
    }

    /// Only conditional writes are taken.
    fn write(&mut self, key: &str, headers: &HeaderMap, object: Object) -> Result<Response, Silence> {
        if headers.get("if-none-match").is_none_or(|value| value != "*") {
            return Ok(StatusCode::BAD_REQUEST.into_response());
        }
        if let Some(intruder) = self.intruder.take() {
            self.objects.insert(key.to_owned(), intruder);
        }
        let multipart = object.headers.contains_key("content-type") && headers.get("content-type").is_none();
        let unconditional = multipart && self.ignores_condition;
        if self.objects.contains_key(key) && !unconditional {
            return Ok(StatusCode::PRECONDITION_FAILED.into_response());
        }
        self.objects.insert(key.to_owned(), object);
        self.writes.push(key.to_owned());
        self.first_write = self.first_write.or_else(|| Some(Utc::now()));
        if self.silent > 0 {
            self.silent -= 1;
            return Err(Silence);
        }
        Ok(([("etag", "\"whole\"")], "").into_response())
    }
}

/// What an object keeps of the request that made it.
fn kept(headers: &HeaderMap) -> BTreeMap<String, String> {
    let kept = headers
        .iter()
        .filter(|(name, _)| name.as_str() == "content-type" || name.as_str().starts_with("x-amz-meta-"));
    kept.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect()
}

fn xml(text: &str) -> Response {
    ([("content-type", "application/xml")], format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>{text}"))
        .into_response()
}
