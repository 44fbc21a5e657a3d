//! Webhook endpoints and their deliveries.

use domain::callback_url::CallbackUrl;
use domain::{endpoint, timing};
use serde_json::{Value, json};
use store::deliveries::Ending;

use super::{count, exact, nullable, optional, text, time, uuid};

pub(super) fn settings() -> Value {
    let events: Vec<&str> = endpoint::known_events().into_iter().chain(["*"]).collect();
    json!({
        "url": {"type": "string", "format": "uri", "minLength": 1, "maxLength": CallbackUrl::MAX_LENGTH,
            "description": "https, a public name"},
        "description": optional(text(endpoint::MAX_DESCRIPTION)),
        "event_types": optional(json!({"type": "array", "minItems": 1, "items": {"enum": events},
            "description": "[\"*\"] is all of them, and what a new endpoint wants"})),
        "headers": optional(json!({"type": "object", "maxProperties": endpoint::MAX_HEADERS,
            "additionalProperties": {"type": "string", "minLength": 1, "maxLength": endpoint::MAX_HEADER_LENGTH},
            "description": "Sent with every delivery; names of AFC's and the network's own headers are refused"})),
        "rate_limit": optional(json!({"type": "integer", "minimum": 0, "maximum": endpoint::MAX_RATE,
            "description": "Posts a second; 0 is unlimited"})),
        "enabled": optional(json!({"type": "boolean"})),
    })
}

pub(super) fn endpoint() -> Value {
    let change = exact(
        json!({"change": {"type": "string"}, "reason": {"type": ["string", "null"]}, "created_at": time()}),
    );
    let key =
        exact(json!({"public_key": public_key(), "created_at": time(), "expires_at": nullable(time())}));
    json!({
        "id": uuid(), "object": {"const": "webhook_endpoint"}, "url": {"type": "string", "format": "uri"},
        "description": {"type": ["string", "null"]}, "event_types": {"type": "array", "items": {"type": "string"}},
        "header_names": {"type": "array", "items": {"type": "string"}},
        "rate_limit": {"type": ["integer", "null"]}, "enabled": {"type": "boolean"},
        "disabled_reason": {"type": ["string", "null"]}, "disabled_at": nullable(time()),
        "failing_since": nullable(time()), "paused_until": nullable(time()), "live_secrets": count(),
        "public_keys": {"type": "array", "items": key},
        "created_at": time(), "updated_at": time(), "changes": {"type": "array", "items": change},
    })
}

pub(super) fn secret() -> Value {
    json!({"type": "string", "pattern": "^whsec_", "description": "24 to 64 bytes in base64"})
}

pub(super) fn public_key() -> Value {
    json!({"type": "string", "pattern": "^whpk_", "description": "The 32 bytes of an ed25519 public key in base64"})
}

pub(super) fn overlap(what: &str) -> Value {
    optional(json!({"type": "integer", "minimum": 0, "maximum": timing::SECRET_OVERLAP_MAX_SECONDS,
        "default": timing::SECRET_OVERLAP_DEFAULT_SECONDS, "description": format!("How long the {what} that stand go on signing")}))
}

pub(super) fn delivery() -> Value {
    let one = exact(json!({
        "try": count(), "ending": {"enum": Ending::ALL}, "status": {"type": ["integer", "null"]},
        "error": {"type": ["string", "null"]}, "duration_ms": {"type": ["integer", "null"]},
        "response": nullable(json!({"type": "string", "description": "The beginning of the receiver's answer, 16 kB at most"})),
        "finished_at": nullable(time()),
    }));
    let again = exact(
        json!({"forced": {"type": "boolean"}, "selection": nullable(json!({"type": "object"})), "created_at": time()}),
    );
    let duplicates = exact(json!({"certain": count(), "possible": count()}));
    exact(json!({
        "id": {"type": "string"}, "object": {"const": "delivery"}, "client": uuid(), "generation": nullable(uuid()), "endpoint": nullable(uuid()),
        "event_type": {"type": "string"}, "url": {"type": "string"}, "payload": {},
        "status": {"enum": ["pending", "delivered", "dead"]}, "next_attempt_at": nullable(time()),
        "enqueued_at": nullable(time()),
        "delivered_at": nullable(time()), "created_at": time(), "tries": {"type": "array", "items": one},
        "duplicates": duplicates, "redeliveries": {"type": "array", "items": again},
    }))
}
