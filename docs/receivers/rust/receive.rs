//! A receiver of AFC's webhooks: verify, dedupe, act. Needs the crate `standardwebhooks`.

use http::HeaderMap;
use standardwebhooks::Webhook;

/// What to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// 204, after acting on the event.
    New,
    /// 204, without acting: this event was here before.
    Duplicate,
    /// 400: not from AFC, changed on its way, or too old.
    Refused,
}

/// `body` is the request's body byte for byte, before any parser; `remember` keeps an id and says whether it is new: an
/// insert with `on conflict do nothing`, in the transaction that acts on the event.
pub fn receive(
    secret: &str,
    headers: &HeaderMap,
    body: &[u8],
    remember: impl FnOnce(&str) -> bool,
) -> Answer {
    let verified = Webhook::new(secret).and_then(|webhook| webhook.verify(body, headers));
    let id = headers.get("webhook-id").and_then(|id| id.to_str().ok());
    match (verified, id) {
        (Ok(()), Some(id)) if remember(id) => Answer::New,
        (Ok(()), Some(_)) => Answer::Duplicate,
        _ => Answer::Refused,
    }
}
