//! Receiving a delivery.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::stream;
use http::header::{CONTENT_LENGTH, LOCATION, RETRY_AFTER};
use http::{HeaderMap, Method, StatusCode, Uri};

use super::log::{Answer, Delivery, Log, Ticket};
use super::script::Behaviour;
use crate::server::Line;

/// Bytes of an answer sent at a time.
const CHUNK: u64 = 16 << 10;
/// How often a slow body sends a little.
const TICK: Duration = Duration::from_millis(100);

/// Writes the delivery down before anything else, and answers it as the scripts say.
pub(super) async fn receive(
    State(log): State<Arc<Log>>,
    Path(name): Path<String>,
    Extension(line): Extension<Line>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let delivery = Delivery { name, method, target: uri.to_string(), headers, body };
    let (plan, ticket) = log.arrive(delivery);
    tokio::time::sleep(Duration::from_millis(plan.behaviour.delay_ms)).await;
    if plan.behaviour.hang {
        // Until the sender leaves: then this is dropped, and the ticket with it.
        std::future::pending::<()>().await;
    }
    if plan.behaviour.reset {
        ticket.answer(Answer::Reset);
        return line.reset().await;
    }
    let status = StatusCode::from_u16(plan.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    ticket.answer(Answer::Status(status.as_u16()));
    let mut response = Response::builder().status(status);
    if !status.is_success()
        && let Some(value) = &plan.behaviour.retry_after
    {
        response = response.header(RETRY_AFTER, value);
    }
    if let Some(place) = &plan.behaviour.redirect_to {
        response = response.header(LOCATION, place);
    }
    let body = if bodiless(status) {
        Body::empty()
    } else {
        response = response.header(CONTENT_LENGTH, plan.behaviour.body_bytes);
        answer_body(&plan.behaviour, ticket)
    };
    response.body(body).unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

/// Statuses that HTTP gives no body.
fn bodiless(status: StatusCode) -> bool {
    status.is_informational() || status == StatusCode::NO_CONTENT || status == StatusCode::NOT_MODIFIED
}

/// The body holds the ticket: the delivery is in flight until the last byte is sent or the sender has left.
fn answer_body(behaviour: &Behaviour, ticket: Ticket) -> Body {
    let pace = behaviour.slow_body_bytes_per_s.map(|rate| (rate / 10).max(1));
    let pieces = stream::unfold((behaviour.body_bytes, ticket), move |(left, ticket)| async move {
        if left == 0 {
            return None;
        }
        if pace.is_some() {
            tokio::time::sleep(TICK).await;
        }
        let piece = left.min(pace.unwrap_or(CHUNK));
        let bytes = Bytes::from(vec![b'x'; usize::try_from(piece).unwrap_or_default()]);
        Some((Ok::<_, Infallible>(bytes), (left - piece, ticket)))
    });
    Body::from_stream(pieces)
}
