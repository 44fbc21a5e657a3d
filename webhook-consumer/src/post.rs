//! One post to a receiver.

use std::collections::BTreeMap;
use std::pin::pin;
use std::time::Duration;

use domain::DeliveryId;
use domain::callback_url::CallbackUrl;
use domain::trace::{Span, Trace};
use futures::StreamExt;
use futures::future::{Either, select};
use worker::{
    AbortController, AbortSignal, Delay, Fetch, Method, Request, RequestInit, RequestRedirect, Response,
};

use crate::verdict::{Answer, EXCERPT_BYTES, Reply};

/// The headers of Standard Webhooks, and what goes beside them.
pub(crate) struct Headers<'h> {
    pub(crate) id: &'h DeliveryId,
    /// Seconds since 1970.
    pub(crate) timestamp: i64,
    pub(crate) signature: &'h str,
    pub(crate) trace: Option<&'h Trace>,
    /// The endpoint's own.
    pub(crate) more: &'h BTreeMap<String, String>,
}

const USER_AGENT: &str = concat!("AFC-Webhooks/", env!("CARGO_PKG_VERSION"));

/// A receiver's body is read this far; the rest is not awaited.
const BODY_LIMIT: usize = EXCERPT_BYTES;

/// A body may take this long after its head. The verdict is in the status, so nothing depends on the body.
const BODY_PATIENCE: Duration = Duration::from_secs(2);

/// Posts `payload`, exactly as it is, and waits at most `limit` for the answer's head. Redirects are not followed: the
/// guard has not seen where they lead.
pub(crate) async fn post(url: &CallbackUrl, headers: &Headers<'_>, payload: &str, limit: Duration) -> Reply {
    let request = match request(url, headers, payload) {
        Ok(request) => request,
        Err(error) => return Reply::Unreachable(error.to_string()),
    };
    let controller = AbortController::default();
    let reply = exchange(request, &controller.signal(), limit).await;
    // Ends what is left of it: a request without an answer, a body that was not read to its end.
    controller.abort();
    reply
}

fn request(url: &CallbackUrl, headers: &Headers<'_>, payload: &str) -> worker::Result<Request> {
    let fields = worker::Headers::new();
    // First, so that none of them stands for one of ours.
    for (name, value) in headers.more {
        fields.set(name, value)?;
    }
    fields.set("content-type", "application/json")?;
    fields.set("user-agent", USER_AGENT)?;
    fields.set("webhook-id", headers.id.as_str())?;
    fields.set("webhook-timestamp", &headers.timestamp.to_string())?;
    fields.set("webhook-signature", headers.signature)?;
    if let Some(trace) = headers.trace {
        // Every try of a delivery is the same span: it is one event that is told.
        fields.set("traceparent", &trace.traceparent(Span::named(headers.id.as_str())))?;
        if let Some(state) = trace.tracestate() {
            fields.set("tracestate", state)?;
        }
    }
    let mut init = RequestInit::new();
    init.with_method(Method::Post)
        .with_headers(fields)
        .with_redirect(RequestRedirect::Manual)
        .with_body(Some(payload.into()));
    Request::new_with_init(url.as_str(), &init)
}

async fn exchange(request: Request, signal: &AbortSignal, limit: Duration) -> Reply {
    let fetch = Fetch::Request(request);
    let response = match select(pin!(fetch.send_with_signal(signal)), Delay::from(limit)).await {
        Either::Left((Ok(response), _)) => response,
        Either::Left((Err(error), _)) => return Reply::Unreachable(error.to_string()),
        Either::Right(_) => return Reply::TimedOut,
    };
    let mut answer = Answer {
        status: response.status_code(),
        retry_after: response.headers().get("retry-after").unwrap_or_default(),
        body: Vec::new(),
    };
    // What has arrived when the patience ends is kept.
    select(pin!(read(response, &mut answer.body)), Delay::from(BODY_PATIENCE)).await;
    Reply::Answered(answer)
}

async fn read(mut response: Response, body: &mut Vec<u8>) {
    let Ok(mut chunks) = response.stream() else { return };
    while let Some(Ok(chunk)) = chunks.next().await {
        let room = BODY_LIMIT.saturating_sub(body.len());
        body.extend(chunk.into_iter().take(room));
        if body.len() >= BODY_LIMIT {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::timing::Timing;

    use super::BODY_PATIENCE;

    #[test]
    fn a_post_ends_before_its_lease_does() {
        let timing = Timing::default();
        // The lease runs from the claim's commit; its answer may be as late as a session lasts.
        let longest = timing.database_ms + timing.delivery_timeout_ms;
        let lease = Duration::from_millis(timing.delivery_lease_ms);
        assert!(Duration::from_millis(longest) + BODY_PATIENCE < lease);
    }
}
