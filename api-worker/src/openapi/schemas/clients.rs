//! Clients, their keys, and what operators did.

use domain::client::MAX_NAME;
use domain::scope::Scope;
use domain::timing;
use serde_json::{Value, json};

use super::{count, exact, nullable, optional, strict, text, time, uuid, webhook_secret};

pub(super) fn request() -> Value {
    strict(json!({"name": text(MAX_NAME)}), &["name"])
}

pub(super) fn fresh() -> Value {
    exact(json!({
        "id": uuid(), "object": {"const": "client"}, "name": text(MAX_NAME), "key": secret_key(), "key_id": uuid(),
        "webhook_secret": webhook_secret(),
    }))
}

pub(super) fn client() -> Value {
    exact(json!({
        "id": uuid(), "object": {"const": "client"}, "name": text(MAX_NAME), "enabled": {"type": "boolean"},
        "disabled_at": nullable(time()), "live_keys": count(), "created_at": time(),
    }))
}

pub(super) fn change() -> Value {
    strict(json!({"name": optional(text(MAX_NAME)), "enabled": optional(json!({"type": "boolean"}))}), &[])
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
