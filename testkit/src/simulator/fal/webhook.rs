//! fal's webhooks: the payload, and the signature over it.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use chrono::Utc;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue};
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::super::callback::Message;
use super::super::world::World;
use super::words;

/// The account in every signature.
const USER_ID: &str = "simulated-user";

/// The signing key. It is the same in every simulator, so that a cached public key stays good; it protects nothing.
static KEY: LazyLock<Option<Ed25519KeyPair>> = LazyLock::new(|| {
    let seed = Sha256::digest(b"webhook key of the fal simulator");
    Ed25519KeyPair::from_seed_unchecked(&seed).ok()
});

/// The public key, as a JSON web key set.
pub(super) fn public_keys() -> Value {
    let key = KEY.as_ref().map(|pair| URL_SAFE_NO_PAD.encode(pair.public_key().as_ref()));
    json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "x": key}]})
}

/// The callback for a job that has ended; none when the ledger was reset meanwhile.
pub(super) fn compose(world: &World, request_id: &str) -> Option<Message> {
    let ending =
        world.with_call(super::NAME, request_id, |call| words::ending(world, call, Instant::now()))?;
    let id = request_id;
    let body = match ending {
        Ok(payload) => json!({
            "request_id": id, "gateway_request_id": id, "status": "OK", "error": null, "payload": payload,
        }),
        Err(refusal) => json!({
            "request_id": id, "gateway_request_id": id, "status": "ERROR",
            "error": format!("Invalid status code: {}", refusal.status), "payload": refusal.body,
        }),
    };
    let body = Bytes::from(body.to_string());
    Some(Message { headers: signed(id, &body), body })
}

/// The headers: what is signed is the id, the account, the time and the hash of the body, a line each.
fn signed(request_id: &str, body: &[u8]) -> HeaderMap {
    let timestamp = Utc::now().timestamp().to_string();
    let text = [request_id, USER_ID, &timestamp, &hex(&Sha256::digest(body))].join("\n");
    let signature = KEY.as_ref().map(|pair| hex(pair.sign(text.as_bytes()).as_ref())).unwrap_or_default();
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let fields = [
        ("x-fal-webhook-request-id", request_id),
        ("x-fal-webhook-user-id", USER_ID),
        ("x-fal-webhook-timestamp", &timestamp),
        ("x-fal-webhook-signature", &signature),
    ];
    for (name, value) in fields {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    headers
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}
