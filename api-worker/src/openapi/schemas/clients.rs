//! Clients, their keys, and what operators did.

use domain::client::{MAX_COUNT, MAX_NAME};
use domain::retention::{DAYS_MAX, DAYS_MIN};
use domain::scope::Scope;
use domain::timing;
use serde_json::{Value, json};

use super::{count, exact, nullable, optional, strict, text, time, usd, uuid, webhooks, with};

pub(super) fn request() -> Value {
    strict(json!({"name": text(MAX_NAME)}), &["name"])
}

pub(super) fn fresh() -> Value {
    exact(json!({
        "id": uuid(), "object": {"const": "client"}, "name": text(MAX_NAME), "key": secret_key(), "key_id": uuid(),
        "webhook_secret": webhooks::secret(),
    }))
}

pub(super) fn client() -> Value {
    exact(json!({
        "id": uuid(), "object": {"const": "client"}, "name": text(MAX_NAME), "enabled": {"type": "boolean"},
        "disabled_at": nullable(time()), "live_keys": count(),
        "max_open": {"type": ["integer", "null"]}, "creates_per_minute": {"type": ["integer", "null"]},
        "budget_day": nullable(usd()), "budget_month": nullable(usd()),
        "output_days": {"type": ["integer", "null"]}, "payload_days": {"type": ["integer", "null"]}, "created_at": time(),
    }))
}

pub(super) fn change() -> Value {
    let bound = |least: i32, most: i32, words: &str| {
        let count = json!({"type": "integer", "minimum": least, "maximum": most});
        with(nullable(count), json!({"description": words}))
    };
    let budget = |words: &str| {
        let amount = json!({"type": "string", "pattern": r"^[0-9]{1,6}(\.[0-9]{1,6})?$"});
        with(nullable(amount), json!({"description": words, "examples": ["250.00"]}))
    };
    strict(
        json!({
            "name": optional(text(MAX_NAME)), "enabled": optional(json!({"type": "boolean"})),
            "max_open": bound(0, MAX_COUNT, "Generations that are queued, running or waiting; null is no limit"),
            "creates_per_minute": bound(1, MAX_COUNT, "Generations created in a minute; null is no limit"),
            "budget_day": budget("US dollars a day, UTC; null is no budget"),
            "budget_month": budget("US dollars a month, UTC; null is no budget"),
            "output_days": bound(DAYS_MIN, DAYS_MAX, "Days after its end that a generation's files are kept; null: as the deployment has it"),
            "payload_days": bound(DAYS_MIN, DAYS_MAX, "Days after its end that what it was asked with is kept; null: as the deployment has it"),
        }),
        &[],
    )
}

pub(super) fn erasure() -> Value {
    exact(json!({
        "id": uuid(), "object": {"const": "erasure"}, "client": uuid(),
        "asked_at": {"type": "string", "format": "date-time", "description": "Everything made until then goes"},
        "completed_at": nullable(time()),
        "remaining": exact(json!({
            "generations": count(), "style_runs": count(), "inputs": count(), "deliveries": count(),
        })),
        "kept": {"type": "array", "items": {"type": "string"}, "description": "What stays, and why"},
    }))
}

pub(super) fn key() -> Value {
    json!({
        "id": uuid(), "object": {"const": "key"}, "client": uuid(), "label": {"type": "string"},
        "prefix": {"type": "string", "description": "Its first characters"}, "scopes": scopes(),
        "created_at": time(), "expires_at": nullable(time()), "revoked_at": nullable(time()),
        "last_used_at": nullable(json!({"type": "string", "format": "date-time", "description": "Exact to an hour"})),
    })
}

pub(super) fn key_request() -> Value {
    let mut wanted = optional(scopes());
    wanted["default"] = json!(Scope::DEFAULT.map(Scope::as_str));
    strict(
        json!({
            "label": optional(text(MAX_NAME)), "scopes": wanted,
            "expires_in_seconds": optional(json!({"type": "integer", "minimum": timing::KEY_LIFETIME_MIN_SECONDS,
                "maximum": timing::KEY_LIFETIME_MAX_SECONDS, "description": "Absent: until it is revoked"})),
        }),
        &[],
    )
}

pub(super) fn key_rotation() -> Value {
    strict(
        json!({"overlap_seconds": optional(json!({"type": "integer", "minimum": 0,
            "maximum": timing::KEY_OVERLAP_MAX_SECONDS, "default": timing::KEY_OVERLAP_DEFAULT_SECONDS,
            "description": "How long the old key is good beside the new one"}))}),
        &[],
    )
}

pub(super) fn secret_key() -> Value {
    json!({"type": "string", "pattern": "^afc_"})
}

fn scopes() -> Value {
    json!({"type": "array", "minItems": 1, "items": {"enum": Scope::ALL.map(Scope::as_str)}})
}

pub(super) fn audit_record() -> Value {
    exact(json!({
        "id": {"type": "string"}, "object": {"const": "audit_record"},
        "actor": {"type": "string", "description": "`admin_token`, or the id of a key with scope `admin`"},
        "action": {"type": "string", "description": "Method and route", "examples": ["POST /v1/admin/clients"]},
        "path": {"type": "string"}, "request_id": {"type": "string"},
        "status": {"type": ["integer", "null"], "description": "Null: at work, or lost; then it may have happened"},
        "before": {}, "after": {}, "begun_at": time(), "ended_at": nullable(time()),
    }))
}
