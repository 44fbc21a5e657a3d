//! `GET /v1/generations/{id}/events`: the timeline as it grows, as server-sent events.

use std::time::Duration;

use axum::extract::{Extension, RawQuery};
use axum::response::{IntoResponse, Response};
use domain::JobId;
use domain::timeline::{Entry, Mark};
use domain::timing::{STREAM_ALIVE_MS, STREAM_MAX_MS, STREAM_RETRY_MS, next_look_ms};
use domain::watch;
use futures::{Stream, StreamExt, stream};
use http::header::{CONTENT_TYPE, HeaderMap};
use http::{HeaderValue, Method, StatusCode};
use platform::{log, now, session};
use serde_json::json;
use store::clients::KeyHash;
use store::timeline::Told;
use worker::{Delay, Env, ResponseBuilder};

use super::{IntoStreamed, Segments, client_key, found, job_id, view};
use crate::http::App;
use crate::problem::Problem;

/// The first look is made before the answer begins, so that whoever may not see the job gets a problem and no stream.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/generations/{id}/events", tag = "Generations", security(("client_key" = [])),
    params(("id" = String, Path, description = "The generation's id", format = "uuid"),
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that came: the stream goes on behind it", example = "3.31"),
        ("last_event_id" = Option<String>, Query, description = "The same, for clients that cannot send the header")),
    responses(
        (status = 200, description = "Server-sent events (`text/event-stream`): the timeline as it grows. Each has an `id`, the type as \
            `event`, and the entry as `data`. After the terminal one comes `event: end`, and the stream is over",
            body = String, content_type = "text/event-stream"),
        (status = 204, description = "It has ended and everything was told: do not come back"),
    ),
    extensions(("x-problems" = json!(["INVALID_REQUEST", "NOT_FOUND"]))),
))]
#[worker::send]
pub async fn events(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    RawQuery(query): RawQuery,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (key, id) = (client_key(&headers)?, job_id(&id)?);
    let last = headers.get("last-event-id").map(|value| value.to_str().unwrap_or("?"));
    let told = watch::told(last, query.as_deref().unwrap_or_default()).map_err(Problem::invalid)?;
    let first = found(session(&app.env, async |db| store::timeline::read(db, key, id).await).await?)?;
    let entries = first.history.since(&told);
    if entries.is_empty() && first.status.is_terminal() {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    if method == Method::HEAD {
        return Ok(([(CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM))], ()).into_response());
    }
    let builder = ResponseBuilder::new()
        .with_header(CONTENT_TYPE.as_str(), EVENT_STREAM)?
        // Whatever stands in between must neither keep the stream nor gather it up into larger pieces.
        .with_header("cache-control", "no-store, no-transform")?
        .with_header("x-accel-buffering", "no")?;
    let follower = Follower { env: app.env, key, job: id, told, began: now().timestamp_millis() };
    let stream = follower.follow(first).map(|text| Ok::<_, worker::Error>(text.into_bytes()));
    Ok(builder.from_stream(stream)?.into_streamed())
}

const EVENT_STREAM: &str = "text/event-stream; charset=utf-8";

/// Somebody who reads a job's events. The stream is asked for its next piece as the client takes them; a client that
/// leaves ends it, and with it all reads.
struct Follower {
    env: Env,
    key: KeyHash,
    job: JobId,
    told: Mark,
    /// Milliseconds.
    began: i64,
}

/// What a stream does when it is asked for its next piece.
enum Next {
    /// Tell what this look found.
    Tell(Follower, Told),
    /// Look again after so many milliseconds; nothing was sent for so long.
    Look {
        follower: Follower,
        pause_ms: u64,
        silent_ms: u64,
    },
    Over,
}

impl Follower {
    fn follow(self, first: Told) -> impl Stream<Item = String> {
        let opening = stream::once(std::future::ready(format!("retry: {STREAM_RETRY_MS}\n\n")));
        let told = stream::unfold(Next::Tell(self, first), |mut next| async move {
            loop {
                next = match next {
                    Next::Tell(follower, told) => match follower.tell(&told) {
                        (Some(text), next) => return Some((text, next)),
                        (None, next) => next,
                    },
                    Next::Look { follower, pause_ms, silent_ms } => {
                        match follower.look(pause_ms, silent_ms).await {
                            (Some(text), next) => return Some((text, next)),
                            (None, next) => next,
                        }
                    }
                    Next::Over => return None,
                }
            }
        });
        opening.chain(told)
    }

    fn tell(mut self, told: &Told) -> (Option<String>, Next) {
        let entries = told.history.since(&self.told);
        let mut text: String = entries.iter().map(|entry| event(self.job, entry)).collect();
        if let Some(last) = entries.into_iter().next_back() {
            self.told = last.mark;
        }
        if told.status.is_terminal() {
            // Without an id, so that a client that comes back all the same is told that there is no more (204).
            text.push_str("event: end\ndata: {}\n\n");
            return (Some(text), Next::Over);
        }
        let next = Next::Look { follower: self, pause_ms: 0, silent_ms: 0 };
        ((!text.is_empty()).then_some(text), next)
    }

    async fn look(self, before_ms: u64, silent_ms: u64) -> (Option<String>, Next) {
        let age = u64::try_from(now().timestamp_millis() - self.began).unwrap_or(u64::MAX);
        if age >= STREAM_MAX_MS {
            // Without `end`: the client comes back with its last id.
            return (None, Next::Over);
        }
        let pause_ms = next_look_ms(before_ms);
        Delay::from(Duration::from_millis(pause_ms)).await;
        let (key, job) = (self.key, self.job);
        let silent_ms = silent_ms + pause_ms;
        match session(&self.env, async |db| store::timeline::read(db, key, job).await).await.map(found) {
            Ok(Ok(told)) if told.status.is_terminal() || !told.history.since(&self.told).is_empty() => {
                (None, Next::Tell(self, told))
            }
            Ok(Ok(_)) if silent_ms >= STREAM_ALIVE_MS => {
                // A comment: it has no id and is no event.
                (Some(": alive\n\n".to_owned()), Next::Look { follower: self, pause_ms, silent_ms: 0 })
            }
            Ok(Ok(_)) => (None, Next::Look { follower: self, pause_ms, silent_ms }),
            // The key has ended meanwhile; coming back tells why.
            Ok(Err(_)) => (None, Next::Over),
            Err(error) => {
                log::error("events.look", json!({"job.id": job, "error": error.to_string()}));
                (None, Next::Over)
            }
        }
    }
}

/// One event on the wire. JSON text has no line breaks of its own, so `data` is one line.
fn event(job: JobId, entry: &Entry) -> String {
    format!("id: {}\nevent: {}\ndata: {}\n\n", entry.mark, entry.kind, view::entry(job, entry))
}
