use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a run stands. The database's CHECK constraint lists the same words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The row exists; its Workflow has not begun.
    Queued,
    /// The candidates of a round are being made.
    Generating,
    /// A person has the word.
    AwaitingReview,
    /// The person wants another round; it has not begun.
    Revising,
    Approved,
    Rejected,
    /// The deadline passed without a decision.
    Expired,
    Cancelled,
    Failed,
}

impl State {
    pub const ALL: [Self; 9] = [
        Self::Queued,
        Self::Generating,
        Self::AwaitingReview,
        Self::Revising,
        Self::Approved,
        Self::Rejected,
        Self::Expired,
        Self::Cancelled,
        Self::Failed,
    ];
    pub const OPEN: [Self; 4] = [Self::Queued, Self::Generating, Self::AwaitingReview, Self::Revising];
    pub const TERMINAL: [Self; 5] =
        [Self::Approved, Self::Rejected, Self::Expired, Self::Cancelled, Self::Failed];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Generating => "generating",
            Self::AwaitingReview => "awaiting_review",
            Self::Revising => "revising",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }

    pub fn is_terminal(self) -> bool {
        Self::TERMINAL.contains(&self)
    }

    /// The states from which this one may be reached: what a guarded update matches. The one table of transitions.
    pub const fn sources(self) -> &'static [Self] {
        match self {
            Self::Queued => &[],
            Self::Generating => &[Self::Queued, Self::Revising],
            Self::AwaitingReview => &[Self::Generating],
            Self::Revising | Self::Approved | Self::Rejected | Self::Expired => &[Self::AwaitingReview],
            Self::Cancelled | Self::Failed => &Self::OPEN,
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
