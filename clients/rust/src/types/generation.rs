use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Code, Id};

/// What is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    Image,
    Video,
    #[serde(untagged)]
    Other(String),
}

/// A wish for an image or a video. [`GenerationRequest::video`] and [`GenerationRequest::image`] fill what must be
/// there; absent members have the API's defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GenerationRequest {
    pub kind: Kind,
    pub input: GenerationInput,
    /// Models, tried in order.
    pub chain: Vec<ChainStep>,
    /// No more paid calls than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_paid_calls: Option<u32>,
    /// US dollars; a call whose worst case does not fit is not made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<String>,
    /// Reasons that allow the next model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback_on: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal_retries: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_unknown: Option<OnUnknown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt_window_seconds: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_seconds: Option<u32>,
    /// Receiver of the terminal event: https, a public name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callback_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

impl GenerationRequest {
    pub fn video(prompt: impl Into<String>, chain: impl IntoIterator<Item = ChainStep>) -> Self {
        Self::new(Kind::Video, GenerationInput::new(prompt), chain)
    }

    pub fn image(prompt: impl Into<String>, chain: impl IntoIterator<Item = ChainStep>) -> Self {
        Self::new(Kind::Image, GenerationInput::new(prompt), chain)
    }

    fn new(kind: Kind, input: GenerationInput, chain: impl IntoIterator<Item = ChainStep>) -> Self {
        Self {
            kind,
            input,
            chain: chain.into_iter().collect(),
            max_paid_calls: None,
            max_cost: None,
            fallback_on: None,
            refusal_retries: None,
            on_unknown: None,
            attempt_window_seconds: None,
            deadline_seconds: None,
            callback_url: None,
            metadata: None,
            project: None,
        }
    }
}

/// What to make it of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenerationInput {
    pub prompt: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub negative_prompt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<u32>,
    /// `W:H`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspect_ratio: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audio: Option<bool>,
    /// Images and videos to generate from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media: Option<Vec<Media>>,
}

impl GenerationInput {
    pub fn new(prompt: impl Into<String>) -> Self {
        Self { prompt: prompt.into(), ..Self::default() }
    }
}

/// An image or video to generate from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Media {
    pub role: Role,
    #[serde(flatten)]
    pub source: Source,
}

/// What it is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    FirstFrame,
    LastFrame,
    Reference,
    /// What is edited or continued.
    Source,
    #[serde(untagged)]
    Other(String),
}

/// Where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Source {
    /// Your own: https, a public name.
    Url { url: String },
    /// An upload.
    Input { input: Id<Input> },
    /// An output of a generation that has succeeded; the first if absent.
    Output {
        generation: Id<Generation>,
        #[serde(skip_serializing_if = "Option::is_none")]
        output: Option<u32>,
    },
}

/// A model of the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainStep {
    pub provider: String,
    /// The provider's own name for it.
    pub model: String,
    /// Paid calls, at most; 2 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// Laid over the provider's request body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Map<String, Value>>,
}

impl ChainStep {
    pub fn new(provider: impl Into<String>, model: impl Into<String>) -> Self {
        Self { provider: provider.into(), model: model.into(), attempts: None, options: None }
    }
}

/// What becomes of a call of which nobody can tell whether it was accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OnUnknown {
    /// It waits for a person.
    Hold,
    /// It is made again, and may be paid twice.
    Retry,
    #[serde(untagged)]
    Other(String),
}

/// A generation as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Generation {
    pub id: Id<Self>,
    pub status: Status,
    /// What it waits for, while it is `waiting`.
    pub waiting: Option<String>,
    pub kind: Kind,
    pub input: Map<String, Value>,
    pub chain: Vec<Value>,
    pub policy: Map<String, Value>,
    pub outputs: Vec<Output>,
    /// Why it failed, if it did.
    pub error: Option<GenerationError>,
    pub cost: Cost,
    pub callback_url: Option<String>,
    pub metadata: BTreeMap<String, String>,
    pub project: Option<String>,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
    pub deadline_at: DateTime<Utc>,
    #[serde(default)]
    pub expired: Expired,
}

/// Since when what a generation made, and what it was asked with, is not kept any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Expired {
    pub outputs: Option<DateTime<Utc>>,
    /// Then `input` and `metadata` are empty.
    pub payload: Option<DateTime<Utc>>,
}

/// How a generation stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    Queued,
    Running,
    Waiting,
    Succeeded,
    Failed,
    Cancelled,
    #[serde(untagged)]
    Other(String),
}

impl Status {
    /// Whether it stays so.
    pub const fn is_final(&self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled)
    }
}

/// A stored result; [`crate::Client::download`] brings its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Output {
    pub index: u32,
    /// Works without a key until `url_expires_at`, and with it after that.
    pub url: String,
    pub url_expires_at: DateTime<Utc>,
    pub content_type: String,
    pub bytes: u64,
    pub sha256: String,
}

/// Why a generation or a style run failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GenerationError {
    pub code: Code,
    pub message: String,
    /// Whether the same wish under a new key may succeed.
    pub retryable: bool,
}

/// What it costs, and what nobody can tell yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Cost {
    /// US dollars, known.
    pub priced: String,
    /// Ended calls that nobody could price.
    pub unpriced: u64,
    /// Calls that may or may not have been accepted.
    pub unknown: u64,
    /// US dollars that calls without a price may cost at worst.
    pub reserved: String,
}

/// A paid call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Attempt {
    pub id: Id<Self>,
    pub ordinal: u32,
    pub lease: i64,
    pub chain_index: u32,
    pub provider: String,
    pub model: String,
    pub state: String,
    pub class: Option<String>,
    pub code: Option<String>,
    pub message: Option<String>,
    pub provider_request_id: Option<String>,
    pub usage: Option<AttemptUsage>,
    /// US dollars.
    pub cost: Option<String>,
    pub cost_source: Option<String>,
    /// US dollars, at worst.
    pub reserved: Option<String>,
    pub rates: Option<String>,
    pub started_at: DateTime<Utc>,
    pub accepted_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
    pub looks: Looks,
}

/// Later looks at an attempt whose fate or price was not known when it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Looks {
    pub count: u32,
    pub last_at: Option<DateTime<Utc>>,
    /// None: there is no other.
    pub next_at: Option<DateTime<Utc>>,
}

/// What the provider bills by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AttemptUsage {
    pub unit: String,
    pub units: String,
}

/// An upload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Input {
    pub id: Id<Self>,
    pub content_type: String,
    pub bytes: u64,
    pub sha256: String,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

/// Which generations to list; all must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GenerationFilter {
    pub status: Option<Status>,
    pub kind: Option<Kind>,
    pub provider: Option<String>,
    pub model: Option<String>,
    pub project: Option<String>,
    pub metadata: BTreeMap<String, String>,
    pub created_from: Option<DateTime<Utc>>,
    pub created_before: Option<DateTime<Utc>>,
    /// Generations in a page, 1 to 100; all pages are read whatever it is.
    pub page_size: Option<u32>,
}
