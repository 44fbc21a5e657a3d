//! Names of bindings, variables and secrets, as `wrangler.toml` has them; `cargo xtask tidy` compares the two.

use domain::retention::Policy;
use domain::signed::Keys;
use domain::{JobId, Secret};
pub use platform::settings::{PUBLIC_URL, TIMING_OVERRIDES, loopback, optional, required, timing};
use worker::{Env, Error, Result};

pub const MEDIA: &str = "MEDIA";
pub const WEBHOOKS: &str = "WEBHOOKS";
pub const GENERATION: &str = "GENERATION";
pub const STYLE_RUN: &str = "STYLE_RUN";
pub const EXECUTOR: &str = "EXECUTOR";

pub const S3_ENDPOINT: &str = "S3_ENDPOINT";
pub const S3_BUCKET: &str = "S3_BUCKET";
pub const PROVIDER_URLS: &str = "PROVIDER_URLS";
pub const RETENTION: &str = "RETENTION";

pub const JOB_TOKEN_KEY: &str = "JOB_TOKEN_KEY";
pub const LINK_KEYS: &str = "LINK_KEYS";
pub const PROVIDER_KEYS: &str = "PROVIDER_KEYS";
pub const ADMIN_TOKEN: &str = "ADMIN_TOKEN";
pub const S3_ACCESS_KEY_ID: &str = "S3_ACCESS_KEY_ID";
pub const S3_SECRET_ACCESS_KEY: &str = "S3_SECRET_ACCESS_KEY";

/// The port that the executor listens on inside its container.
pub const EXECUTOR_PORT: u16 = 8080;

/// What the executor gets as its environment. `PUBLIC_URL` arrives as `CONTROL_URL`.
pub const EXECUTOR_ENVIRONMENT: [(&str, &str); 8] = [
    (PUBLIC_URL, "CONTROL_URL"),
    (S3_ENDPOINT, S3_ENDPOINT),
    (S3_BUCKET, S3_BUCKET),
    (S3_ACCESS_KEY_ID, S3_ACCESS_KEY_ID),
    (S3_SECRET_ACCESS_KEY, S3_SECRET_ACCESS_KEY),
    (PROVIDER_URLS, PROVIDER_URLS),
    (PROVIDER_KEYS, PROVIDER_KEYS),
    (TIMING_OVERRIDES, TIMING_OVERRIDES),
];

pub fn job_token_key(env: &Env) -> Result<Secret> {
    required(env, JOB_TOKEN_KEY).map(Secret::new)
}

/// What links are signed with.
pub fn link_keys(env: &Env) -> Result<Keys> {
    let keys = Keys::parse(&required(env, LINK_KEYS)?);
    if keys.is_empty() { Err(Error::RustError(format!("{LINK_KEYS} has no key in it"))) } else { Ok(keys) }
}

/// How long the deployment keeps what clients have no other word for.
pub fn retention(env: &Env) -> Result<Policy> {
    let text = optional(env, RETENTION);
    Policy::parse(text.as_deref()).map_err(|error| Error::RustError(format!("{RETENTION}: {error}")))
}

/// The Durable Object, and with it the container, of a job (A13).
pub fn executor(env: &Env, job: JobId) -> Result<worker::Stub> {
    env.durable_object(EXECUTOR)?.get_by_name(&job.to_string())
}
