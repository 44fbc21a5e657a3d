//! The providers that AFC can call.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A provider with an adapter in the executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    Fal,
    Replicate,
    Runway,
    LumaDreamMachine,
    Bfl,
    LumaAgents,
    Minimax,
    MinimaxV1,
    Kling,
}

impl Provider {
    pub const ALL: [Self; 9] = [
        Self::Fal,
        Self::Replicate,
        Self::Runway,
        Self::LumaDreamMachine,
        Self::Bfl,
        Self::LumaAgents,
        Self::Minimax,
        Self::MinimaxV1,
        Self::Kling,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fal => "fal",
            Self::Replicate => "replicate",
            Self::Runway => "runway",
            Self::LumaDreamMachine => "luma_dream_machine",
            // Black Forest Labs.
            Self::Bfl => "bfl",
            Self::LumaAgents => "luma_agents",
            Self::Minimax => "minimax",
            Self::MinimaxV1 => "minimax_v1",
            Self::Kling => "kling",
        }
    }

    /// Where the body of the provider's callback names the request, as JSON Pointers; the first that leads to a text
    /// is taken. Empty for providers that do not call back.
    pub const fn callback_request_ids(self) -> &'static [&'static str] {
        match self {
            // An internal retry of fal's has another `gateway_request_id`; `request_id` is the one to follow.
            Self::Fal => &["/request_id"],
            Self::Replicate | Self::LumaDreamMachine => &["/id"],
            Self::Runway | Self::LumaAgents | Self::Minimax | Self::MinimaxV1 => &[],
            Self::Bfl => &["/task_id", "/id"],
            // As a task is shown, bare or in the envelope of an answer.
            Self::Kling => &["/id", "/data/id", "/data/0/id", "/task_id"],
        }
    }

    /// What the body of the provider's callback says of where the request can be asked for, if it says so: the name under
    /// which an adapter captures it from a submit's answer, and a JSON Pointer.
    pub const fn callback_captures(self) -> &'static [(&'static str, &'static str)] {
        if matches!(self, Self::Bfl) { &[("polling_url", "/polling_url")] } else { &[] }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.as_str() == word)
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
