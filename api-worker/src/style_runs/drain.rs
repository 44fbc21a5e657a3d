//! The drainer: committed events go where they belong, at least once (A42).

use chrono::{DateTime, Utc};
use domain::event::{EventType, fitting_envelope};
use domain::timing::{OUTBOX_BACKOFF_MS, OUTBOX_BATCH, OUTBOX_TRIES, REVIEW_LINK_GRACE_SECONDS, backoff_ms};
use platform::{log, now, session};
use serde_json::{Value, json};
use store::outbox::{Claimed, Settled};
use worker::Env;

use super::review_url;
use super::wake::wake;
use crate::generation::enqueue;
use crate::http::App;

/// Claims of one drain. What is left is due and taken up by the next, within a minute.
const BATCHES: u32 = 10;

/// Drains after the answer has gone out, so that a reviewer's click is felt at once.
pub fn kick(app: &App) {
    let env = app.env.clone();
    app.context.wait_until(async move { drain(&env).await });
}

/// Delivers what is due. Safe beside itself, and to be cut off at any point: an event that is claimed and not settled is
/// due again when its lease is over.
pub async fn drain(env: &Env) {
    for _ in 0..BATCHES {
        let claimed = match session(env, async |db| store::outbox::claim(db, OUTBOX_BATCH).await).await {
            Ok(claimed) => claimed,
            Err(error) => return log::error("outbox.claim", json!({"error": error.to_string()})),
        };
        if claimed.is_empty() {
            return;
        }
        for event in &claimed {
            if let Err(why) = deliver(env, event).await {
                fail(env, event, &why).await;
            }
        }
    }
}

async fn deliver(env: &Env, event: &Claimed) -> Result<(), String> {
    let text = |error: store::Error| error.to_string();
    let settled = match event.event_type {
        None => {
            wake(env, event.run_id).await?;
            session(env, async |db| store::outbox::woken(db, event).await).await.map_err(text)?
        }
        Some(event_type) => {
            let data = told(env, event, event_type).map_err(|error| error.to_string())?;
            let payload = fitting_envelope(event_type, event.created_at, data);
            session(env, async |db| store::outbox::deliver(db, event, event_type, &payload).await)
                .await
                .map_err(text)?
        }
    };
    if let Settled::Recorded(deliveries) = settled {
        log::info("outbox.settled", json!({"event.id": event.event_id, "style_run.id": event.run_id}));
        for delivery in &deliveries {
            if let Err(error) = enqueue(env, delivery).await {
                let error = error.to_string();
                log::error(
                    "webhook not enqueued; the sweeper will",
                    json!({"delivery.id": delivery, "error": error}),
                );
            }
        }
    }
    Ok(())
}

/// What receivers are told: what was committed, and where a person is asked for a decision, the link to it.
fn told(env: &Env, event: &Claimed, event_type: EventType) -> worker::Result<Value> {
    let mut data = event.payload.clone();
    if event_type != EventType::StyleRunReviewRequested {
        return Ok(data);
    }
    let deadline = data.get("review_deadline_at").and_then(Value::as_str);
    let deadline = deadline.and_then(|at| at.parse::<DateTime<Utc>>().ok()).unwrap_or_else(now);
    let url = review_url(env, event.run_id, deadline.timestamp().saturating_add(REVIEW_LINK_GRACE_SECONDS))?;
    if let Value::Object(members) = &mut data {
        members.insert("review_url".to_owned(), json!(url));
    }
    Ok(data)
}

async fn fail(env: &Env, event: &Claimed, why: &str) {
    let (first, limit) = OUTBOX_BACKOFF_MS;
    let left = event.tries < OUTBOX_TRIES;
    let next = left.then(|| backoff_ms(first, limit, event.tries.saturating_sub(1), 0));
    let next = next.map(|ms| i64::try_from(ms).unwrap_or(i64::MAX));
    log::error(
        if left { "outbox.failed" } else { "outbox.parked" },
        json!({"event.id": event.event_id, "style_run.id": event.run_id, "tries": event.tries, "error": why}),
    );
    if let Err(error) = session(env, async |db| store::outbox::failed(db, event, why, next).await).await {
        // The lease runs out, and it is due again.
        log::error("outbox.record", json!({"event.id": event.event_id, "error": error.to_string()}));
    }
}
