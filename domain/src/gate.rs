//! What stands between a job and a provider that is asked too often or cannot be paid: limits and the breaker (B7).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::attempt::ErrorClass;

/// Why a provider's breaker is open. The database's CHECK constraint lists the same words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    InsufficientFunds,
    Authentication,
    /// Several attempts in a row found the provider unavailable.
    Unavailable,
    /// Opened by hand; only a hand closes it.
    Operator,
}

impl Cause {
    pub const ALL: [Self; 4] =
        [Self::InsufficientFunds, Self::Authentication, Self::Unavailable, Self::Operator];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InsufficientFunds => "insufficient_funds",
            Self::Authentication => "authentication",
            Self::Unavailable => "unavailable",
            Self::Operator => "operator",
        }
    }

    /// The class that an attempt would end with, were it made.
    pub const fn class(self) -> ErrorClass {
        match self {
            Self::InsufficientFunds => ErrorClass::InsufficientFunds,
            Self::Authentication => ErrorClass::Authentication,
            Self::Unavailable | Self::Operator => ErrorClass::Unavailable,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
