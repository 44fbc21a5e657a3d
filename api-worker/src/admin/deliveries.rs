//! Webhook deliveries: what became of them, and sending them again (A38).

use axum::extract::Extension;
use axum::response::Response;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::error::Code;
use domain::fields::{Fields, Violation, read};
use domain::{DeliveryId, EndpointId};
use platform::{log, now, session};
use serde_json::{Value, json};
use store::deliveries::{Delivery, Redelivered, Selection, Which};

use super::operator::changed;
use crate::api::{Segments, json as respond, object};
use crate::generation::enqueue;
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

/// What one call sends again at most.
pub const LIMIT: i64 = 500;
/// Characters of an event's type; of an id.
pub const EVENT_TYPE: usize = 64;
const ID_LENGTH: usize = 36;
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

/// Sends one delivery again, from the start of its schedule. One that was delivered is sent again only by `force`; the
/// receiver sees the same `webhook-id`. Safe to repeat until it is delivered.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/admin/deliveries/{id}/redeliver", tag = "Operators", security(("admin_token" = [])),
    params(("id" = String, Path, description = "The delivery's id", pattern = "^[A-Za-z0-9_-]{1,128}$")),
    request_body(content = Option<schemas::RedeliveryOrder>),
    responses(
        (status = 200, description = "Whether it is sent again: a delivered one is not, but by force", body = schemas::Redelivered),
    ),
    extensions(("x-problems" = json!(["INVALID_JSON", "NOT_FOUND", "EXPIRED"]))),
))]
#[worker::send]
pub async fn redeliver(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let id = delivery_id(id)?;
    let which = read(object(&body)?, |fields| Some(which(fields))).map_err(Problem::invalid)?;
    let force = which == Which::Delivered;
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

/// A selection, and whether it is only to be told what would be sent.
fn parse(body: Value, now: DateTime<Utc>) -> Result<(Selection, bool), Vec<Violation>> {
    read(body, |fields| {
        let since = fields.required_time("since");
        let until = fields.time("until").unwrap_or(now).min(now);
        let endpoint = fields.text("endpoint", ID_LENGTH).and_then(|text| {
            text.parse::<EndpointId>()
                .ok()
                .or_else(|| fields.refuse("endpoint", "must be the id of an endpoint"))
        });
        let event_type = fields.text("event_type", EVENT_TYPE);
        let limit = fields.integer("limit", 1, LIMIT).unwrap_or(LIMIT);
        let which = which(fields);
        let dry_run = fields.flag("dry_run").unwrap_or_default();
        let since = since?.max(DateTime::UNIX_EPOCH);
        Some((Selection { since, until, endpoint, event_type, which, limit }, dry_run))
    })
}

/// By `force` those too that were delivered.
fn which(fields: &mut Fields<'_>) -> Which {
    if fields.flag("force") == Some(true) { Which::Delivered } else { Which::Undelivered }
}

/// Sends dead deliveries of a range of time again, through the sweeper and at its pace; with `force` those too that were
/// delivered.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/admin/deliveries/redeliver", tag = "Operators", security(("admin_token" = [])),
    request_body = schemas::RedeliveryRequest,
    responses(
        (status = 200, description = "The ids of what is sent again", body = schemas::RedeliveredList),
    ),
    extensions(("x-problems" = json!(["INVALID_JSON"]))),
))]
#[worker::send]
pub async fn redeliver_all(Extension(app): Extension<App>, body: Bytes) -> Result<Response, Problem> {
    let (selection, dry_run) = parse(object(&body)?, now()).map_err(Problem::invalid)?;
    let ids = session(&app.env, async |db| {
        if dry_run {
            return store::deliveries::meant(db, &selection).await;
        }
        store::deliveries::redeliver_all(db, &selection).await
    })
    .await?;
    let order = json!({"since": selection.since, "until": selection.until, "endpoint": selection.endpoint,
        "event_type": selection.event_type, "force": selection.which == Which::Delivered, "dry_run": dry_run,
        "deliveries": ids});
    log::info("admin.deliveries.redeliver", json!({"count": ids.len(), "dry_run": dry_run}));
    let response = respond(&json!({"object": "list", "dry_run": dry_run, "data": ids}));
    Ok(changed(response, Value::Null, order))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f28_an_order_is_an_object_and_its_numbers_are_read_as_everywhere() {
        let now = DateTime::UNIX_EPOCH + chrono::TimeDelta::days(20_000);
        let since = "2024-01-01T00:00:00Z";
        let order = domain::json::parse(br#"{"since": "2024-01-01T00:00:00Z", "limit": 3.0, "until": null}"#);
        let (selection, dry_run) = parse(order.unwrap(), now).unwrap();
        assert_eq!((selection.limit, selection.until, dry_run), (3, now, false));
        for body in [
            json!([since]),
            json!({}),
            json!({"since": since, "limit": 0}),
            json!({"since": since, "endpoint": "x"}),
            json!({"since": since, "event_type": "a\0b"}),
            json!({"since": since, "surprise": 1}),
        ] {
            assert!(parse(body.clone(), now).is_err(), "{body}");
        }
    }
}
