//! `GET|HEAD /v1/generations/{id}/output[/{index}]`: the stored bytes, whole or by range (RFC 9110 §13, §14), for whoever
//! has the client's key or a link that has not expired.

use axum::extract::Extension;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use domain::error::Code;
use domain::job::Status;
use domain::output::StoredOutput;
use domain::signed::Refused;
use http::header::{HeaderName, HeaderValue, IF_NONE_MATCH, IF_RANGE, RANGE};
use http::{Method, StatusCode, Uri};
use platform::{now, session};
use store::Job;
use worker::{Bucket, Conditional, Env, Object, Range, ResponseBuilder};

use super::{Segments, client_key, found, job_id};
use crate::config;
use crate::http::{App, Streamed};
use crate::problem::Problem;

mod range;
use range::Asked;

#[cfg_attr(test, utoipa::path(
    get, path = "/v1/generations/{id}/output", tag = "Generations", security(("client_key" = []), ("link" = [])),
    params(("id" = String, Path, description = "The generation's id", format = "uuid"),
        ("Range" = Option<String>, Header, description = "One range of bytes", example = "bytes=0-1023"),
        ("If-None-Match" = Option<String>, Header, description = "Entity tags"),
        ("If-Range" = Option<String>, Header, description = "The entity tag that `Range` was made for"),
        ("expires" = Option<String>, Query, description = "Of a link: when it expires, seconds since 1970"),
        ("signature" = Option<String>, Query, description = "Of a link")),
    responses(
        (status = 200, description = "The bytes, under their own media type", content_type = "*/*",
            headers(("ETag" = String), ("Accept-Ranges" = String))),
        (status = 206, description = "The range that was asked for", content_type = "*/*",
            headers(("ETag" = String), ("Content-Range" = String))),
        (status = 304, description = "`If-None-Match` names what is stored", headers(("ETag" = String))),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND", "OUTPUT_NOT_READY", "EXPIRED", "RANGE_NOT_SATISFIABLE", "LINK_INVALID", "LINK_EXPIRED"]))),
))]
#[worker::send]
pub async fn first(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    uri: Uri,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let job = seen(&app, &id, &uri, &headers).await?;
    serve(&app, &job, "0", &method, &headers).await
}

#[cfg_attr(test, utoipa::path(
    get, path = "/v1/generations/{id}/output/{index}", tag = "Generations", security(("client_key" = []), ("link" = [])),
    params(("id" = String, Path, description = "The generation's id", format = "uuid"),
        ("index" = u32, Path, description = "Which output, from 0"),
        ("Range" = Option<String>, Header, description = "One range of bytes", example = "bytes=0-1023"),
        ("If-None-Match" = Option<String>, Header, description = "Entity tags"),
        ("If-Range" = Option<String>, Header, description = "The entity tag that `Range` was made for"),
        ("expires" = Option<String>, Query, description = "Of a link: when it expires, seconds since 1970"),
        ("signature" = Option<String>, Query, description = "Of a link")),
    responses(
        (status = 200, description = "The bytes, under their own media type", content_type = "*/*",
            headers(("ETag" = String), ("Accept-Ranges" = String))),
        (status = 206, description = "The range that was asked for", content_type = "*/*",
            headers(("ETag" = String), ("Content-Range" = String))),
        (status = 304, description = "`If-None-Match` names what is stored", headers(("ETag" = String))),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND", "OUTPUT_NOT_READY", "EXPIRED", "RANGE_NOT_SATISFIABLE", "LINK_INVALID", "LINK_EXPIRED"]))),
))]
#[worker::send]
pub async fn indexed(
    Extension(app): Extension<App>,
    Segments((id, index)): Segments<(String, String)>,
    uri: Uri,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let job = seen(&app, &id, &uri, &headers).await?;
    serve(&app, &job, &index, &method, &headers).await
}

/// The job, for who has its client's key, or a link to this very path. A link is judged before anything is looked up; a
/// key counts before a link, so that an expired link and a key go together.
async fn seen(app: &App, id: &str, uri: &Uri, headers: &HeaderMap) -> Result<Job, Problem> {
    let (key, query) = (client_key(headers), uri.query().unwrap_or_default());
    let judged = match &key {
        Ok(_) => None,
        Err(_) => config::link_keys(&app.env)?.judge(uri.path(), query, now().timestamp()),
    };
    match (key, judged) {
        (Ok(key), _) => {
            let id = job_id(id)?;
            found(session(&app.env, async |db| store::jobs::find(db, key, id).await).await?)
        }
        (Err(problem), None) => Err(problem),
        (Err(_), Some(Err(refused))) => Err(refusal(refused)),
        (Err(_), Some(Ok(()))) => {
            let id = job_id(id)?;
            let job = session(&app.env, async |db| store::jobs::get(db, id).await).await?;
            job.ok_or_else(Problem::not_found)
        }
    }
}

fn refusal(refused: Refused) -> Problem {
    match refused {
        Refused::Invalid => {
            let detail = "the URL's signature is not good for it; use it exactly as it was given, or send your client key";
            Problem::new(Code::LinkInvalid, detail)
        }
        Refused::Expired => {
            let detail =
                "the URL has expired; read the generation again for a fresh one, or send your client key";
            Problem::new(Code::LinkExpired, detail)
        }
    }
}

async fn serve(
    app: &App,
    job: &Job,
    index: &str,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    send(&app.env, pick(job, index)?, method, headers).await
}

/// The bytes of `output`, as `headers` ask for them.
pub async fn send(
    env: &Env,
    output: &StoredOutput,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let bucket = env.bucket(config::MEDIA)?;
    let object = bucket.head(&output.key).await?.ok_or_else(|| {
        Problem::new(Code::NotFound, "the output is no longer stored; its record stands in the generation")
    })?;
    send_object(&bucket, output, &object, method, headers).await
}

fn pick<'j>(job: &'j Job, index: &str) -> Result<&'j StoredOutput, Problem> {
    match job.status {
        Status::Succeeded if job.expired.outputs.is_some() => {
            let detail = "the output was kept for a time that is over; its record stands in the generation";
            Err(Problem::new(Code::Expired, detail))
        }
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
async fn send_object(
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
