//! How long what was made, and what was asked for, is kept.

use serde::{Deserialize, Serialize};

/// A day at least: receivers are told of an output and fetch it later, some on the next morning.
pub const DAYS_MIN: i32 = 1;
/// Ten years; longer is for ever, which is the default.
pub const DAYS_MAX: i32 = 3650;

/// A deployment's policy, for clients that have no other. `None`: for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Days after a generation's end that its files are kept.
    pub output_days: Option<i32>,
    /// Days after its end that its request and what was sent of it are kept.
    pub payload_days: Option<i32>,
}

/// Why a policy is none.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("days must be from {DAYS_MIN} to {DAYS_MAX}")]
    Days,
}

impl Policy {
    /// Reads the `RETENTION` variable: a JSON object of its members, or nothing.
    pub fn parse(text: Option<&str>) -> Result<Self, Error> {
        let policy: Self = match text.filter(|text| !text.trim().is_empty()) {
            None => return Ok(Self::default()),
            Some(text) => serde_json::from_str(text)?,
        };
        let sane = [policy.output_days, policy.payload_days]
            .into_iter()
            .flatten()
            .all(|days| (DAYS_MIN..=DAYS_MAX).contains(&days));
        if sane { Ok(policy) } else { Err(Error::Days) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_says_what_it_means_or_is_refused() {
        assert_eq!(Policy::parse(None).unwrap(), Policy { output_days: None, payload_days: None });
        let policy = Policy::parse(Some(r#"{"output_days": 30}"#)).unwrap();
        assert_eq!(policy, Policy { output_days: Some(30), payload_days: None });
        for wrong in [r#"{"output_days": 0}"#, r#"{"payload_days": 3651}"#, r#"{"outputs": 3}"#, "30"] {
            assert!(Policy::parse(Some(wrong)).is_err(), "{wrong}");
        }
    }
}
