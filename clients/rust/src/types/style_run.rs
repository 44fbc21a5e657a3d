use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ChainStep, Cost, Generation, GenerationError, Id, Status};

/// A look to explore.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StyleRunRequest {
    pub brief: String,
    /// A generation's body without `callback_url`, `metadata` and `project`.
    pub template: Map<String, Value>,
    /// One candidate each.
    pub variations: Vec<Variation>,
    /// URLs to look at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub references: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_rounds: Option<u32>,
    /// US dollars for all candidates of all rounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewRequest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callback_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// What one candidate lays over the template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<Vec<ChainStep>>,
}

/// How long a person may take.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewRequest {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_seconds: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_deadline: Option<OnDeadline>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reminder_seconds: Option<u32>,
}

/// What happens when nobody has decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OnDeadline {
    Remind,
    Expire,
    ApproveBest,
    #[serde(untagged)]
    Other(String),
}

/// A style run as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StyleRun {
    pub id: Id<Self>,
    pub state: RunState,
    /// For [`crate::Client::decide`].
    pub version: u64,
    pub brief: String,
    pub template: Map<String, Value>,
    pub variations: Vec<Map<String, Value>>,
    pub references: Vec<String>,
    pub round: u32,
    pub max_rounds: u32,
    pub rounds: Vec<Round>,
    pub review: Review,
    /// US dollars.
    pub budget: Option<String>,
    pub cost: Cost,
    pub error: Option<GenerationError>,
    pub callback_url: Option<String>,
    pub metadata: BTreeMap<String, String>,
    pub project: Option<String>,
    pub created_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
}

/// How a run stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunState {
    Queued,
    Generating,
    AwaitingReview,
    Revising,
    Approved,
    Rejected,
    Expired,
    Cancelled,
    Failed,
    #[serde(untagged)]
    Other(String),
}

/// One round: candidates, then a decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Round {
    pub round: u32,
    pub candidates: Vec<Candidate>,
    pub decision: Option<Decision>,
}

/// A generation to decide about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Candidate {
    pub index: u32,
    pub generation: Id<Generation>,
    pub status: Option<Status>,
    pub approved: bool,
    pub input: Map<String, Value>,
    pub chain: Vec<Value>,
    pub outputs: Vec<Map<String, Value>>,
    pub error: Option<GenerationError>,
}

/// Where and until when it is decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Review {
    /// Its holder may read and decide this one run.
    pub url: Option<String>,
    pub deadline_at: Option<DateTime<Utc>>,
    pub deadline_seconds: u64,
    pub on_deadline: OnDeadline,
    pub reminder_seconds: Option<u64>,
    pub reminders: u32,
}

/// What somebody decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Decision {
    pub id: Id<Self>,
    pub action: DecisionAction,
    pub candidates: Vec<u32>,
    pub marks: Vec<Map<String, Value>>,
    pub notes: Option<String>,
    pub reviewer: Option<String>,
    pub variations: Option<Vec<Value>>,
    pub created_at: DateTime<Utc>,
}

/// A decision to make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionRequest {
    pub action: DecisionAction,
    pub reviewer: String,
    /// For `approve`: at least one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marks: Option<Vec<Mark>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variations: Option<Vec<Variation>>,
}

impl DecisionRequest {
    pub fn new(action: DecisionAction, reviewer: impl Into<String>) -> Self {
        let reviewer = reviewer.into();
        Self { action, reviewer, candidates: None, marks: None, notes: None, variations: None }
    }
}

/// What is decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DecisionAction {
    Approve,
    Reject,
    Revise,
    #[serde(untagged)]
    Other(String),
}

/// A candidate's mark, 1 to 5.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    pub candidate: u32,
    pub mark: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}
