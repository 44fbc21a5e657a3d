//! Between the runtime's requests and axum's router.
//!
//! Bodies are read and written in one piece: axum over JavaScript streams costs more than twice the CPU of a raw
//! handler. Media do not go through here as bytes: a handler puts the runtime's own response beside an empty one, and gets
//! the runtime's own request where it takes a file in.

use platform::log;
use std::cell::RefCell;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::response::IntoResponse;
use domain::error::Code;
use domain::generation::limit::BODY_BYTES;
use domain::trace::Trace;
use futures::StreamExt;
use serde_json::json;
use tower_service::Service;
use uuid::Uuid;
use worker::send::SendWrapper;
use worker::{Context, Date, Env, Request, Response, ResponseBuilder, Result};

use crate::access::{self, Asked};
use crate::api::UPLOADS;
use crate::problem::Problem;
use crate::request_id::{self, RequestId};
use crate::{admin, api, callbacks, internal, review, style_runs};

/// What handlers work with: an extension of each request.
#[derive(Clone)]
pub struct App {
    pub env: Env,
    pub context: Arc<Context>,
}

/// A request whose body its handler reads piece by piece. The router gets it as an extension, beside an empty body.
#[derive(Clone)]
pub struct Unread(Arc<SendWrapper<RefCell<Option<Request>>>>);

impl Unread {
    fn new(request: Request) -> Self {
        Self(Arc::new(SendWrapper::new(RefCell::new(Some(request)))))
    }

    /// The request; `None` if it was taken before.
    pub fn take(&self) -> Option<Request> {
        self.0.0.borrow_mut().take()
    }
}

/// A response of the runtime's, for bodies that stream from storage. A handler adds it to its response's extensions.
#[derive(Clone)]
pub struct Streamed(Arc<SendWrapper<RefCell<Option<Response>>>>);

impl Streamed {
    pub fn new(response: Response) -> Self {
        Self(Arc::new(SendWrapper::new(RefCell::new(Some(response)))))
    }

    fn take(&self) -> Option<Response> {
        self.0.0.borrow_mut().take()
    }
}

pub async fn serve(request: Request, env: Env, context: Context) -> Result<Response> {
    let started = Date::now().as_millis();
    let (method, path) = (method(&request), request.path());
    let id = RequestId::of(request.headers().get(request_id::HEADER.as_str())?.as_deref());
    let trace = trace(&request)?;
    let app = App { env, context: Arc::new(context) };
    let answer = match buffer(request).await? {
        Ok(mut request) => {
            request.extensions_mut().insert(id.clone());
            request.extensions_mut().insert(trace.clone());
            request.extensions_mut().insert(app.clone());
            let asked = Asked::of(&request);
            let answer =
                ROUTER.with(Router::clone).call(request).await.unwrap_or_else(|never| match never {});
            access::follow_up(&app, asked, answer).await
        }
        Err(problem) => problem.into_response(),
    };
    let answer = id.stamp(answer);
    log::info(
        "request",
        json!({
            "request.id": id.as_str(), "trace.id": trace.id(), "http.method": method, "http.path": review::without_token(&path), "http.status": answer.status().as_u16(),
            "duration_ms": Date::now().as_millis().saturating_sub(started),
        }),
    );
    into_runtime(answer).await
}

/// The caller's trace, or a fresh one. Headers that came more than once are joined by the runtime, which makes a
/// `traceparent` invalid and leaves a `tracestate` what it is, both as the standard has it.
fn trace(request: &Request) -> Result<Trace> {
    let headers = request.headers();
    let (parent, state) = (headers.get("traceparent")?, headers.get("tracestate")?);
    Ok(Trace::of(parent.as_deref(), state.as_deref(), Uuid::now_v7()))
}

thread_local! {
    /// To build it is a tenth of the CPU of a create, so it is built once. What belongs to a request, its [`App`] too, is
    /// among the request's extensions.
    static ROUTER: Router = router();
}

fn router() -> Router {
    api::router()
        .merge(admin::router())
        .merge(callbacks::router())
        .merge(internal::router())
        .merge(style_runs::router())
        .merge(review::router())
        .fallback(async || Problem::new(Code::NotFound, "there is no such path; the API lives under /v1"))
        .method_not_allowed_fallback(async || {
            Problem::new(Code::MethodNotAllowed, "this path does not take that method")
        })
}

/// As it was sent: `worker::Request::method` takes every method that it does not know for GET.
fn method(request: &Request) -> String {
    request.inner().method()
}

async fn buffer(mut request: Request) -> Result<std::result::Result<http::Request<Body>, Problem>> {
    let method = method(&request);
    let is_upload = method == http::Method::POST.as_str() && request.path() == UPLOADS;
    let read = if is_upload { Ok(Vec::new()) } else { read(&mut request).await? };
    let body = match read {
        Ok(bytes) => Body::from(bytes),
        Err(problem) => return Ok(Err(problem)),
    };
    let url = request.url()?;
    let uri = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
    let mut buffered = http::Request::builder().method(method.as_str()).uri(uri);
    for (name, value) in request.headers().entries() {
        buffered = buffered.header(name, value);
    }
    let malformed = |_| Problem::new(Code::InvalidRequest, "the request line or a header is malformed");
    let buffered = buffered.body(body).map_err(malformed);
    Ok(buffered.map(|mut buffered| {
        if is_upload {
            buffered.extensions_mut().insert(Unread::new(request));
        }
        buffered
    }))
}

async fn read(request: &mut Request) -> Result<std::result::Result<Vec<u8>, Problem>> {
    let too_large =
        || Problem::new(Code::BodyTooLarge, format!("a body may have at most {BODY_BYTES} bytes"));
    let promised = request.headers().get("content-length")?.and_then(|length| length.parse::<usize>().ok());
    if promised.is_some_and(|length| length > BODY_BYTES) {
        return Ok(Err(too_large()));
    }
    if request.inner().body().is_none() {
        return Ok(Ok(Vec::new()));
    }
    // A promised length is the body's, so one read takes it all; a stream costs a turn of the runtime for each chunk.
    if promised.is_some() {
        let body = request.bytes().await?;
        return Ok(if body.len() > BODY_BYTES { Err(too_large()) } else { Ok(body) });
    }
    let mut body = Vec::new();
    let mut chunks = request.stream()?;
    while let Some(chunk) = chunks.next().await {
        body.extend(chunk?);
        if body.len() > BODY_BYTES {
            return Ok(Err(too_large()));
        }
    }
    Ok(Ok(body))
}

async fn into_runtime(answer: axum::response::Response) -> Result<Response> {
    if let Some(mut streamed) = answer.extensions().get::<Streamed>().and_then(Streamed::take) {
        if let Some(id) = answer.headers().get(request_id::HEADER).and_then(|id| id.to_str().ok()) {
            streamed.headers_mut().set(request_id::HEADER.as_str(), id)?;
        }
        return Ok(streamed);
    }
    let (parts, body) = answer.into_parts();
    let bytes = axum::body::to_bytes(body, usize::MAX)
        .await
        .map_err(|error| worker::Error::RustError(error.to_string()))?;
    let mut builder = ResponseBuilder::new().with_status(parts.status.as_u16());
    for (name, value) in &parts.headers {
        if let Ok(value) = value.to_str() {
            builder = builder.with_header(name.as_str(), value)?;
        }
    }
    Ok(if bytes.is_empty() { builder.empty() } else { builder.fixed(bytes.to_vec()) })
}
