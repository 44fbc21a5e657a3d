//! The parts of fal's platform API that find a job whose id was lost, and what it cost. They are served below the
//! same base URL as the queue, although fal has another host for them.

use std::time::Duration;

use axum::response::Response;
use chrono::{DateTime, Utc};
use http::HeaderMap;
use http::header::AUTHORIZATION;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::super::job::Phase;
use super::super::ledger::{Call, time_text};
use super::super::provider::reply;
use super::super::world::World;
use super::words;

/// Items on a page unless the caller says, and at most.
const PAGE: usize = 50;
const LONGEST_PAGE: usize = 100;

/// `GET /v1/models/requests/by-endpoint`: the jobs of an endpoint that have ended, latest first.
pub(super) fn requests(world: &World, query: &[(String, String)]) -> Response {
    let now = Instant::now();
    let payloads = values(query, "expand").contains(&"payloads");
    let items = ended(world, query, now).iter().map(|call| item(call, payloads, now)).collect();
    page(items, query, "items")
}

/// `GET /v1/models/billing-events`: what each job cost. fal wants an administrator's key for it, which here is one
/// that begins with `admin`. The name of the list is our guess.
pub(super) fn billing(world: &World, query: &[(String, String)], headers: &HeaderMap) -> Response {
    let key = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !key.starts_with("Key admin") {
        return reply(403, &json!({"detail": "This key may not read billing."}), &[]);
    }
    let now = Instant::now();
    let events = ended(world, query, now).iter().filter_map(|call| event(call, now)).collect();
    page(events, query, "billing_events")
}

/// The jobs that ended long enough ago to show, and that the query asks for, latest first.
fn ended(world: &World, query: &[(String, String)], now: Instant) -> Vec<Call> {
    let endpoints: Vec<&str> =
        values(query, "endpoint_id").into_iter().flat_map(|list| list.split(',')).collect();
    let ids = values(query, "request_id");
    let (start, end) = (time(query, "start"), time(query, "end"));
    let mut calls = world.accepted(super::NAME);
    calls.retain(|call| {
        let lag = Duration::from_millis(call.behaviour.lookup_lag_ms);
        let shows = call.end().is_some_and(|end| end + lag <= now);
        shows
            && matches!(call.phase(now), Some(Phase::Ended(_) | Phase::NotStarted))
            && (endpoints.is_empty() || endpoints.contains(&call.model.as_str()))
            && (ids.is_empty() || ids.contains(&call.request_id.as_str()))
            && start.is_none_or(|start| call.at >= start)
            && end.is_none_or(|end| call.at < end)
    });
    calls.reverse();
    calls
}

fn item(call: &Call, payloads: bool, now: Instant) -> Value {
    let fault = call.phase(now).and_then(|phase| words::fault(call, phase));
    let mut item = Map::new();
    let mut put = |name: &str, value: Value| item.insert(name.to_owned(), value);
    put("request_id", call.request_id.clone().into());
    put("endpoint_id", call.model.clone().into());
    put("sent_at", time_text(call.at).into());
    put("started_at", time_text(call.at + call.behaviour.queue()).into());
    put("ended_at", time_text(call.at + call.behaviour.queue() + call.behaviour.run()).into());
    put("status_code", fault.as_ref().map_or(200, |fault| fault.status).into());
    put("duration", call.behaviour.run().as_secs_f64().into());
    // Payloads are not kept for who asked that they are not.
    let kept = call.headers.get("x-fal-store-io").and_then(Value::as_str) != Some("0");
    if payloads && kept {
        put("json_input", call.body.clone());
        put("json_output", fault.map_or(Value::Null, |fault| fault.body));
    }
    Value::Object(item)
}

fn event(call: &Call, now: Instant) -> Option<Value> {
    let (text, amount) = call.charge(now)?;
    let units = call.behaviour.units.as_deref().unwrap_or(words::USUAL_UNITS);
    Some(json!({
        "request_id": call.request_id,
        "endpoint_id": call.model,
        "timestamp": time_text(call.at),
        "output_units": units.parse::<f64>().ok(),
        "cost_total": text.parse::<f64>().ok(),
        "cost_estimate_nano_usd": amount.millionths().saturating_mul(1000),
        "percent_discount": 0,
    }))
}

/// One page. The cursor is the number of items before it; callers must not look into it.
fn page(items: Vec<Value>, query: &[(String, String)], name: &str) -> Response {
    let number = |field: &str| values(query, field).first().and_then(|text| text.parse::<usize>().ok());
    let (from, limit) =
        (number("cursor").unwrap_or(0), number("limit").unwrap_or(PAGE).clamp(1, LONGEST_PAGE));
    let total = items.len();
    let shown: Vec<Value> = items.into_iter().skip(from).take(limit).collect();
    let next = from + shown.len();
    let more = next < total;
    reply(200, &json!({name: shown, "next_cursor": more.then(|| next.to_string()), "has_more": more}), &[])
}

fn values<'a>(query: &'a [(String, String)], name: &str) -> Vec<&'a str> {
    query.iter().filter(|(found, _)| found == name).map(|(_, value)| value.as_str()).collect()
}

fn time(query: &[(String, String)], name: &str) -> Option<DateTime<Utc>> {
    let text = *values(query, name).first()?;
    text.parse().ok().or_else(|| format!("{text}T00:00:00Z").parse().ok())
}
