//! Receiving a delivery.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{CONTENT_LENGTH, LOCATION, RETRY_AFTER};
use http::{HeaderMap, Method, StatusCode, Uri};

use super::body;
use super::log::{Answer, Delivery, Log, Ticket};
use super::script::{Ending, Plan};
use crate::server::Line;

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
    let delivery = Delivery { name, method, path: uri.to_string(), headers, body };
    let (plan, ticket) = log.arrive(delivery);
    tokio::time::sleep(Duration::from_millis(plan.behaviour.delay_ms)).await;
    let size = if has_no_body(plan.status) { 0 } else { plan.behaviour.size() };
    match plan.behaviour.ending {
        Ending::Answer => {
            ticket.answer(Answer::Status(plan.status.as_u16()));
            answer(&plan, size, send_all(size, &plan, ticket))
        }
        Ending::Hang => {
            ticket.answer(Answer::Hang);
            // Until the sender leaves: then this is dropped, and the ticket with it.
            std::future::pending().await
        }
        Ending::ResetMidResponse if size > 0 => {
            ticket.answer(Answer::Reset);
            answer(&plan, size, body::send_half(size, plan.behaviour.slow_body_bytes_per_s, line, ticket))
        }
        Ending::Reset | Ending::ResetMidResponse => {
            ticket.answer(Answer::Reset);
            line.reset().await
        }
    }
}

/// Statuses that HTTP gives no body.
fn has_no_body(status: StatusCode) -> bool {
    status == StatusCode::NO_CONTENT || status == StatusCode::NOT_MODIFIED
}

fn send_all(size: u64, plan: &Plan, ticket: Ticket) -> Body {
    // Nothing to send: the delivery is over with its head.
    if size == 0 { Body::empty() } else { body::send(size, plan.behaviour.slow_body_bytes_per_s, ticket) }
}

fn answer(plan: &Plan, size: u64, body: Body) -> Response {
    let mut headers = HeaderMap::new();
    if size > 0 {
        headers.insert(CONTENT_LENGTH, size.into());
    }
    if let Some(value) = plan.behaviour.retry_after.clone().filter(|_| !plan.status.is_success()) {
        headers.insert(RETRY_AFTER, value);
    }
    if let Some(place) = plan.behaviour.redirect_to.clone() {
        headers.insert(LOCATION, place);
    }
    (plan.status, headers, body).into_response()
}
