//! `GET|HEAD /v1/generations/{id}/output[/{index}]`: the stored bytes, whole or by range (RFC 9110 §13, §14).

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use domain::error::Code;
use domain::job::Status;
use domain::output::StoredOutput;
use http::header::{HeaderName, HeaderValue, IF_NONE_MATCH, IF_RANGE, RANGE};
use http::{Method, StatusCode};
use platform::session;
use store::Job;
use worker::{Bucket, Conditional, Env, Object, Range, ResponseBuilder};

use super::{Segments, client_key, found, job_id};
use crate::config;
use crate::http::{App, Streamed};
use crate::problem::Problem;

mod range;
use range::Asked;

#[cfg_attr(test, utoipa::path(
    get, path = "/v1/generations/{id}/output", tag = "Generations", security(("client_key" = [])),
    params(("id" = String, Path, description = "The generation's id", format = "uuid"),
        ("Range" = Option<String>, Header, description = "One range of bytes", example = "bytes=0-1023"),
        ("If-None-Match" = Option<String>, Header, description = "Entity tags"),
        ("If-Range" = Option<String>, Header, description = "The entity tag that `Range` was made for"),),
    responses(
        (status = 200, description = "The bytes, under their own media type", content_type = "*/*",
            headers(("ETag" = String), ("Accept-Ranges" = String))),
        (status = 206, description = "The range that was asked for", content_type = "*/*",
            headers(("ETag" = String), ("Content-Range" = String))),
        (status = 304, description = "`If-None-Match` names what is stored", headers(("ETag" = String))),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND", "OUTPUT_NOT_READY", "RANGE_NOT_SATISFIABLE"]))),
))]
#[worker::send]
pub async fn first(
    State(app): State<App>,
    Segments(id): Segments<String>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    serve(&app, &id, "0", &method, &headers).await
}

#[cfg_attr(test, utoipa::path(
    get, path = "/v1/generations/{id}/output/{index}", tag = "Generations", security(("client_key" = [])),
    params(("id" = String, Path, description = "The generation's id", format = "uuid"),
        ("index" = u32, Path, description = "Which output, from 0"),
        ("Range" = Option<String>, Header, description = "One range of bytes", example = "bytes=0-1023"),
        ("If-None-Match" = Option<String>, Header, description = "Entity tags"),
        ("If-Range" = Option<String>, Header, description = "The entity tag that `Range` was made for"),),
    responses(
        (status = 200, description = "The bytes, under their own media type", content_type = "*/*",
            headers(("ETag" = String), ("Accept-Ranges" = String))),
        (status = 206, description = "The range that was asked for", content_type = "*/*",
            headers(("ETag" = String), ("Content-Range" = String))),
        (status = 304, description = "`If-None-Match` names what is stored", headers(("ETag" = String))),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND", "OUTPUT_NOT_READY", "RANGE_NOT_SATISFIABLE"]))),
))]
#[worker::send]
pub async fn indexed(
    State(app): State<App>,
    Segments((id, index)): Segments<(String, String)>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    serve(&app, &id, &index, &method, &headers).await
}

async fn serve(
    app: &App,
    id: &str,
    index: &str,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let (key, id) = (client_key(headers)?, job_id(id)?);
    let job = found(session(&app.env, async |db| store::jobs::find(db, key, id).await).await?)?;
    let output = pick(&job, index)?;
    let bucket = bucket(&app.env)?;
    let object = bucket.head(&output.key).await?.ok_or_else(|| {
        Problem::new(Code::NotFound, "the output is no longer stored; its record stands in the generation")
    })?;
    send(&bucket, output, &object, method, headers).await
}

fn bucket(env: &Env) -> Result<Bucket, Problem> {
    Ok(env.bucket(config::MEDIA)?)
}

fn pick<'j>(job: &'j Job, index: &str) -> Result<&'j StoredOutput, Problem> {
    match job.status {
        Status::Succeeded => {
            let wanted = index.parse::<u32>().ok().filter(|wanted| wanted.to_string() == index);
            let output = job.outputs.iter().find(|output| Some(output.index) == wanted);
            output.ok_or_else(|| {
                Problem::new(
                    Code::NotFound,
                    format!("this generation has {} output(s), from 0", job.outputs.len()),
                )
            })
        }
        Status::Queued | Status::Running | Status::Waiting => {
            let detail = format!("the generation is {}; ask again when it has succeeded", job.status);
            Err(Problem::new(Code::OutputNotReady, detail))
        }
        Status::Failed | Status::Cancelled => {
            Err(Problem::new(Code::NotFound, format!("the generation is {} and has no output", job.status)))
        }
    }
}

/// Size and range are computed from `object`; the body is then read from the version with that etag, so that both
/// belong together.
async fn send(
    bucket: &Bucket,
    output: &StoredOutput,
    object: &Object,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let (size, etag) = (object.size(), object.http_etag());
    let header = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if header(IF_NONE_MATCH).is_some_and(|tags| range::matches_any(tags, &etag)) {
        return Ok(described(StatusCode::NOT_MODIFIED, output, &etag, None, None)?.empty().into_streamed());
    }
    // A range of another version is no range (RFC 9110 §13.1.5).
    let honoured = header(RANGE).filter(|_| header(IF_RANGE).is_none_or(|tag| tag == etag));
    let (status, content_range, length, part) = match range::parse(honoured, size) {
        Asked::Whole => (StatusCode::OK, None, size, None),
        Asked::Part { first, last } => {
            let length = last - first + 1;
            let part = Range::OffsetWithLength { offset: first, length };
            (StatusCode::PARTIAL_CONTENT, Some(format!("bytes {first}-{last}/{size}")), length, Some(part))
        }
        Asked::Unsatisfiable => {
            let detail = format!("the output has {size} bytes");
            let total = HeaderValue::try_from(format!("bytes */{size}"))
                .unwrap_or(HeaderValue::from_static("bytes */*"));
            return Err(Problem::new(Code::RangeNotSatisfiable, detail)
                .with_header(http::header::CONTENT_RANGE, total));
        }
    };
    let builder = described(status, output, &etag, content_range.as_deref(), Some(length))?;
    if method == Method::HEAD {
        return Ok(builder.empty().into_streamed());
    }
    let mut get = bucket
        .get(&output.key)
        .only_if(Conditional { etag_matches: Some(object.etag()), ..Conditional::default() });
    if let Some(part) = part {
        get = get.range(part);
    }
    let gone = || Problem::new(Code::NotFound, "the output was removed while it was being read");
    let read = get.execute().await?.ok_or_else(gone)?;
    let body = read.body().ok_or_else(gone)?.response_body()?;
    Ok(builder.body(body).into_streamed())
}

fn described(
    status: StatusCode,
    output: &StoredOutput,
    etag: &str,
    content_range: Option<&str>,
    length: Option<u64>,
) -> Result<ResponseBuilder, Problem> {
    let mut builder = ResponseBuilder::new()
        .with_status(status.as_u16())
        .with_header("content-type", &output.content_type)?
        .with_header("etag", etag)?
        .with_header("accept-ranges", "bytes")?
        // The bytes under an output key never change (I9).
        .with_header("cache-control", "private, max-age=31536000, immutable")?
        .with_header("x-content-type-options", "nosniff")?;
    if let Some(content_range) = content_range {
        builder = builder.with_header("content-range", content_range)?;
    }
    if let Some(length) = length {
        builder = builder.with_header("content-length", &length.to_string())?;
    }
    Ok(builder)
}

pub trait IntoStreamed {
    fn into_streamed(self) -> Response;
}

impl IntoStreamed for worker::Response {
    /// An empty response of axum's that carries the runtime's own, and its status for the log.
    fn into_streamed(self) -> Response {
        let status = StatusCode::from_u16(self.status_code()).unwrap_or(StatusCode::OK);
        let mut response = status.into_response();
        response.extensions_mut().insert(Streamed::new(self));
        response
    }
}
