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
    KlingV1,
    Veo,
    OpenaiImages,
    WorkersAi,
}

impl Provider {
    pub const ALL: [Self; 13] = [
        Self::Fal,
        Self::Replicate,
        Self::Runway,
        Self::LumaDreamMachine,
        Self::Bfl,
        Self::LumaAgents,
        Self::Minimax,
        Self::MinimaxV1,
        Self::Kling,
        Self::KlingV1,
        Self::Veo,
        Self::OpenaiImages,
        Self::WorkersAi,
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
            Self::KlingV1 => "kling_v1",
            // Through the Gemini API.
            Self::Veo => "veo",
            Self::OpenaiImages => "openai_images",
            // Cloudflare's.
            Self::WorkersAi => "workers_ai",
        }
    }

    /// Where the body of the provider's callback names the request, as JSON Pointers; the first that leads to a text
    /// is taken. Empty for providers that do not call back.
    pub const fn callback_request_ids(self) -> &'static [&'static str] {
        match self {
            // An internal retry of fal's has another `gateway_request_id`; `request_id` is the one to follow.
            Self::Fal => &["/request_id"],
            Self::Replicate | Self::LumaDreamMachine => &["/id"],
            Self::Runway | Self::LumaAgents | Self::OpenaiImages | Self::WorkersAi => &[],
            Self::Minimax => &["/task_id", "/task/id", "/id"],
            Self::MinimaxV1 => &["/task_id"],
            Self::Bfl => &["/task_id", "/id"],
            // As a task is shown, bare or in the envelope of an answer.
            Self::Kling => &["/id", "/data/id", "/data/0/id", "/task_id"],
            Self::KlingV1 => &["/task_id", "/data/task_id"],
            Self::Veo => &["/data/id"],
        }
    }

    /// What such a body may say beside that which later calls need: name and pointer.
    pub const fn callback_captures(self) -> &'static [(&'static str, &'static str)] {
        match self {
            // Only one region knows the request.
            Self::Bfl => &[("polling_url", "/polling_url")],
            Self::Fal
            | Self::Replicate
            | Self::Runway
            | Self::LumaDreamMachine
            | Self::LumaAgents
            | Self::Minimax
            | Self::MinimaxV1
            | Self::Kling
            | Self::KlingV1
            | Self::Veo
            | Self::OpenaiImages
            | Self::WorkersAi => &[],
        }
    }

    /// Whether a call can be found by what AFC knows of it, without the provider's own request id.
    pub const fn is_searchable(self) -> bool {
        match self {
            Self::Replicate | Self::LumaDreamMachine | Self::Kling | Self::KlingV1 => true,
            Self::Fal
            | Self::Runway
            | Self::Bfl
            | Self::LumaAgents
            | Self::Minimax
            | Self::MinimaxV1
            | Self::Veo
            | Self::OpenaiImages
            | Self::WorkersAi => false,
        }
    }

    /// Whether the provider asks a callback URL to repeat a challenge before it reports to it.
    pub const fn callback_is_challenged(self) -> bool {
        matches!(self, Self::Minimax | Self::MinimaxV1)
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
