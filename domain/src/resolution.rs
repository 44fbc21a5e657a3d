//! A human's word on an attempt that nobody could tell about (B3).

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "resolution", rename_all = "snake_case", deny_unknown_fields)]
pub enum Resolution {
    /// The provider accepted it, under this request id: the job goes on by waiting for it.
    Paid { provider_request_id: String },
    /// The provider never accepted it: it cost nothing and the job may try again.
    NotPaid,
    /// Still nobody knows; the risk of paying twice is accepted.
    Retry,
}

impl Resolution {
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Paid { .. } => "paid",
            Self::NotPaid => "not_paid",
            Self::Retry => "retry",
        }
    }
}
