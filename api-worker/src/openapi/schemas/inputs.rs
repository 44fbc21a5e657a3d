//! Uploads, and what a generation is made from beside its words.

use domain::callback_url::CallbackUrl;
use domain::inputs::{Role, limit};
use domain::media::ContentType;
use serde_json::{Value, json};

use super::{count, exact, optional, strict, time, uuid};

pub fn input() -> Value {
    exact(json!({
        "id": uuid(), "object": {"const": "input"}, "content_type": {"enum": ContentType::ALL.map(ContentType::as_str)},
        "bytes": count(), "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"}, "created_at": time(),
        "expires_at": time(),
    }))
}

pub fn media() -> Value {
    let role = json!({"enum": Role::ALL.map(Role::as_str),
        "description": "The image a video begins or ends with, something to go by, or what is edited or continued"});
    let url = json!({"type": "string", "format": "uri", "minLength": 1, "maxLength": CallbackUrl::MAX_LENGTH,
        "description": "https, a public name"});
    let output = optional(json!({"type": "integer", "minimum": 0, "maximum": limit::OUTPUT, "default": 0}));
    let from_url = strict(json!({"role": role, "url": url}), &["role", "url"]);
    let from_input = strict(json!({"role": role, "input": uuid()}), &["role", "input"]);
    let from_generation =
        strict(json!({"role": role, "generation": uuid(), "output": output}), &["role", "generation"]);
    json!({"type": "array", "maxItems": limit::MEDIA, "items": {"oneOf": [from_url, from_input, from_generation]},
        "description": "Images and videos to generate from: by URL, by upload, or by an earlier generation's output"})
}
