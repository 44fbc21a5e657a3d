//! What a key may be used for. No scope implies another.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One of a key's scopes. The database's CHECK constraint lists the same words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Everything that changes something of the client's own.
    Generate,
    /// Every `GET` of the client's own.
    Read,
    /// The operator's API, for all clients.
    Admin,
}

impl Scope {
    pub const ALL: [Self; 3] = [Self::Generate, Self::Read, Self::Admin];

    /// What a key gets when nobody says.
    pub const DEFAULT: [Self; 2] = [Self::Generate, Self::Read];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Generate => "generate",
            Self::Read => "read",
            Self::Admin => "admin",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
