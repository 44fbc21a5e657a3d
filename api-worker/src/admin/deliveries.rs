//! Webhook deliveries: what became of them, and sending them again (A38).

use axum::extract::Extension;
use axum::response::Response;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::error::Code;
use domain::{DeliveryId, EndpointId};
use platform::{log, now, session};
use serde::Deserialize;
use serde_json::{Value, json};
use store::deliveries::{Delivery, Redelivered, Selection, Which};

use super::operator::changed;
use super::parse;
use crate::api::{Segments, json as respond};
use crate::generation::enqueue;
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

/// What one call sends again at most.
pub const LIMIT: i64 = 500;
/// What one call lists at most, each with up to 20 kB of payload.
const LISTED: i64 = 100;

/// The newest dead deliveries.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/admin/deliveries/dead", tag = "Operators", security(("admin_token" = [])),
    responses(
        (status = 200, description = "The newest 100, without the answers to their tries", body = schemas::DeliveryList),
    ),
    extensions(("x-problems" = json!([]))),
))]
#[worker::send]
pub async fn dead(Extension(app): Extension<App>) -> Result<Response, Problem> {
    let selection = Selection {
        since: DateTime::UNIX_EPOCH,
        until: now(),
        endpoint: None,
        event_type: None,
        which: Which::Undelivered,
        limit: LISTED,
    };
    let dead = session(&app.env, async |db| store::deliveries::list(db, &selection).await).await?;
    let data: Vec<_> = dead.iter().map(view).collect();
    Ok(respond(&json!({"object": "list", "data": data})))
}

/// One delivery with its exact payload and all its tries.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/admin/deliveries/{id}", tag = "Operators", security(("admin_token" = [])),
    params(("id" = String, Path, description = "The delivery's id", pattern = "^[A-Za-z0-9_-]{1,128}$")),
    responses(
        (status = 200, description = "The delivery with its payload and its tries", body = schemas::Delivery),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
#[worker::send]
pub async fn inspect(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
) -> Result<Response, Problem> {
    let id = delivery_id(id)?;
    let found = session(&app.env, async |db| store::deliveries::inspect(db, &id).await).await?;
    found.map(|delivery| respond(&view(&delivery))).ok_or_else(missing)
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Order {
    /// Also when it was delivered.
    force: Option<bool>,
}

/// Sends one delivery again, from the start of its schedule. One that was delivered is sent again only by `force`; the
/// receiver sees the same `webhook-id`. Safe to repeat until it is delivered.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/admin/deliveries/{id}/redeliver", tag = "Operators", security(("admin_token" = [])),
    params(("id" = String, Path, description = "The delivery's id", pattern = "^[A-Za-z0-9_-]{1,128}$")),
    request_body(content = Option<schemas::RedeliveryOrder>),
    responses(
        (status = 200, description = "Whether it is sent again: a delivered one is not, but by force", body = schemas::Redelivered),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND", "EXPIRED"]))),
))]
#[worker::send]
pub async fn redeliver(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let id = delivery_id(id)?;
    let Order { force } = if body.is_empty() { Order::default() } else { parse(&body)? };
    let which = which(force);
    let redelivered =
        session(&app.env, async |db| store::deliveries::redeliver(db, &id, which).await).await?;
    let outcome = format!("{redelivered:?}");
    log::info("admin.delivery.redeliver", json!({"delivery.id": id, "force": force, "outcome": outcome}));
    match redelivered {
        // Without the message the sweeper sends it, some minutes later.
        Redelivered::Due => enqueue(&app.env, &id).await?,
        Redelivered::AlreadyDelivered => {}
        Redelivered::Expired => {
            let detail =
                "the payload of this delivery was kept for a time that is over; there is nothing to send";
            return Err(Problem::new(Code::Expired, detail));
        }
        Redelivered::Missing => return Err(missing()),
    }
    let response = respond(&json!({"id": id, "redelivered": redelivered == Redelivered::Due}));
    Ok(changed(response, Value::Null, json!({"delivery": id, "force": force, "outcome": outcome})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Range {
    since: DateTime<Utc>,
    #[serde(default = "now")]
    until: DateTime<Utc>,
    /// Those of one endpoint only.
    #[serde(default)]
    endpoint: Option<EndpointId>,
    #[serde(default)]
    event_type: Option<String>,
    #[serde(default)]
    limit: Option<i64>,
    /// Those that were delivered too.
    #[serde(default)]
    force: Option<bool>,
    /// Only say what would be sent.
    #[serde(default)]
    dry_run: Option<bool>,
}

/// Sends dead deliveries of a range of time again, through the sweeper and at its pace; with `force` those too that were
/// delivered.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/admin/deliveries/redeliver", tag = "Operators", security(("admin_token" = [])),
    request_body = schemas::RedeliveryRequest,
    responses(
        (status = 200, description = "The ids of what is sent again", body = schemas::RedeliveredList),
    ),
    extensions(("x-problems" = json!(["INVALID_REQUEST"]))),
))]
#[worker::send]
pub async fn redeliver_all(Extension(app): Extension<App>, body: Bytes) -> Result<Response, Problem> {
    let Range { since, until, endpoint, event_type, limit, force, dry_run } = parse(&body)?;
    let dry_run = dry_run.unwrap_or_default();
    let limit = limit.unwrap_or(LIMIT);
    if !(1..=LIMIT).contains(&limit) {
        return Err(Problem::new(Code::InvalidRequest, format!("limit: must be from 1 to {LIMIT}")));
    }
    if event_type.as_ref().is_some_and(|text| text.contains('\0')) {
        return Err(Problem::new(Code::InvalidRequest, "event_type: must not hold U+0000"));
    }
    let (since, until) = (since.max(DateTime::UNIX_EPOCH), until.min(now()));
    let selection = Selection { since, until, endpoint, event_type, which: which(force), limit };
    let ids = session(&app.env, async |db| {
        if dry_run {
            return store::deliveries::meant(db, &selection).await;
        }
        store::deliveries::redeliver_all(db, &selection).await
    })
    .await?;
    let order = json!({"since": selection.since, "until": selection.until, "endpoint": selection.endpoint,
        "event_type": selection.event_type, "force": force, "dry_run": dry_run, "deliveries": ids});
    log::info("admin.deliveries.redeliver", json!({"count": ids.len(), "dry_run": dry_run}));
    let response = respond(&json!({"object": "list", "dry_run": dry_run, "data": ids}));
    Ok(changed(response, Value::Null, order))
}

fn which(force: Option<bool>) -> Which {
    if force == Some(true) { Which::Delivered } else { Which::Undelivered }
}

fn view(delivery: &Delivery) -> Value {
    let tries = delivery.tries.iter().map(|one| {
        json!({"try": one.claim, "ending": one.ending, "status": one.status, "error": one.error,
            "response": one.response, "duration_ms": one.duration_ms, "finished_at": one.finished_at})
    });
    let duplicates = delivery.duplicates();
    json!({
        "id": delivery.id, "object": "delivery", "client": delivery.client_id, "generation": delivery.job_id,
        "endpoint": delivery.endpoint_id, "event_type": delivery.event_type, "url": delivery.url, "payload": delivery.payload,
        "status": delivery.status, "next_attempt_at": delivery.next_attempt_at,
        "enqueued_at": delivery.enqueued_at,
        "delivered_at": delivery.delivered_at, "created_at": delivery.created_at, "tries": tries.collect::<Vec<_>>(),
        "redeliveries": delivery.redeliveries.iter().map(|one| {
            json!({"forced": one.forced, "selection": one.selection, "created_at": one.created_at})
        }).collect::<Vec<_>>(),
        "duplicates": {"certain": duplicates.certain, "possible": duplicates.possible},
    })
}

fn delivery_id(text: String) -> Result<DeliveryId, Problem> {
    let spelled = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if spelled && text.len() <= 128 { Ok(DeliveryId::from_stored(text)) } else { Err(missing()) }
}

fn missing() -> Problem {
    Problem::new(Code::NotFound, "there is no such delivery")
}
