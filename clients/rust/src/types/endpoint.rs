use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::Id;

/// Where events are to go. A change says only what changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndpointRequest {
    /// https, a public name.
    pub url: String,
    #[serde(flatten)]
    pub rest: EndpointChange,
}

/// What changes of an endpoint, or stands beside its URL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndpointChange {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `["*"]` is all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_types: Option<Vec<String>>,
    /// Sent with every delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<BTreeMap<String, String>>,
    /// Posts a second; 0 is unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

/// A public key of an endpoint that signs with key pairs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PublicKey {
    /// `whpk_` and the 32 bytes in base64.
    pub public_key: String,
    pub created_at: DateTime<Utc>,
    /// None: it stays.
    pub expires_at: Option<DateTime<Utc>>,
}

/// An endpoint as it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Endpoint {
    pub id: Id<Self>,
    pub url: String,
    pub description: Option<String>,
    pub event_types: Vec<String>,
    pub header_names: Vec<String>,
    pub rate_limit: Option<u32>,
    pub enabled: bool,
    pub disabled_at: Option<DateTime<Utc>>,
    pub disabled_reason: Option<String>,
    pub failing_since: Option<DateTime<Utc>>,
    pub paused_until: Option<DateTime<Utc>>,
    pub live_secrets: u32,
    /// What `v1a` signatures are verified with, during a rotation by any of them.
    pub public_keys: Vec<PublicKey>,
    /// The last changes.
    pub changes: Vec<EndpointState>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Shown once, to whom made it. None if it stood already: [`crate::Client::rotate_secret`] gives another.
    #[serde(default)]
    pub secret: Option<String>,
}

/// What became of an endpoint, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EndpointState {
    pub change: String,
    pub reason: Option<String>,
    pub created_at: DateTime<Utc>,
}

/// A secret that signs from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RotatedSecret {
    pub id: Id<Endpoint>,
    pub secret: String,
    /// So long the older ones sign too.
    pub overlap_seconds: u32,
}

/// A delivery that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TestDelivery {
    /// The `webhook-id` that it comes with.
    pub id: String,
    pub event_type: String,
}
