//! URLs of outputs that work without a key.

use chrono::{DateTime, Utc};
use domain::JobId;
use domain::signed::{Keys, expiry};
use domain::timing::{EVENT_LINK_SECONDS, LINK_SECONDS};
use platform::now;
use worker::{Env, Result};

use crate::config;

/// Makes the links of one answer. The default's have no signature: they need the key.
#[derive(Clone, Debug, Default)]
pub struct Links {
    base: String,
    keys: Keys,
    expires_at: i64,
}

impl Links {
    /// For an answer of the API.
    pub fn of(env: &Env) -> Result<Self> {
        Self::living(env, LINK_SECONDS)
    }

    /// For an event, whose exact text may be delivered days later.
    pub fn of_event(env: &Env) -> Result<Self> {
        Self::living(env, EVENT_LINK_SECONDS)
    }

    fn living(env: &Env, life: i64) -> Result<Self> {
        let base = config::required(env, config::PUBLIC_URL)?;
        let expires_at = expiry(now().timestamp(), life);
        Ok(Self { base: base.trim_end_matches('/').to_owned(), keys: config::link_keys(env)?, expires_at })
    }

    /// Where an output is.
    pub fn output(&self, job: JobId, index: u32) -> String {
        let path = output_path(job, &index.to_string());
        let query = self.keys.sign(&path, self.expires_at).map(|query| format!("?{query}"));
        format!("{}{path}{}", self.base, query.unwrap_or_default())
    }

    pub fn expires_at(&self) -> DateTime<Utc> {
        DateTime::from_timestamp(self.expires_at, 0).unwrap_or(DateTime::UNIX_EPOCH)
    }
}

/// The path that a link to an output is signed for.
pub fn output_path(job: JobId, index: &str) -> String {
    format!("/v1/generations/{job}/output/{index}")
}
