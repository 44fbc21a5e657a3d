//! Names of bindings, variables and secrets, as `wrangler.toml` has them; `cargo xtask tidy` compares the two.

use domain::callback_url::Loopback;
use domain::timing::Timing;
use domain::{JobId, Secret};
use worker::{Env, Error, Result};

pub const DB: &str = "DB";
pub const MEDIA: &str = "MEDIA";
pub const WEBHOOKS: &str = "WEBHOOKS";
pub const GENERATION: &str = "GENERATION";
pub const EXECUTOR: &str = "EXECUTOR";

pub const PUBLIC_URL: &str = "PUBLIC_URL";
pub const S3_ENDPOINT: &str = "S3_ENDPOINT";
pub const S3_BUCKET: &str = "S3_BUCKET";
pub const PROVIDER_URLS: &str = "PROVIDER_URLS";
pub const ALLOW_LOOPBACK_CALLBACKS: &str = "ALLOW_LOOPBACK_CALLBACKS";
pub const TIMING_OVERRIDES: &str = "TIMING_OVERRIDES";

pub const JOB_TOKEN_KEY: &str = "JOB_TOKEN_KEY";
pub const S3_ACCESS_KEY_ID: &str = "S3_ACCESS_KEY_ID";
pub const S3_SECRET_ACCESS_KEY: &str = "S3_SECRET_ACCESS_KEY";

/// The port that the executor listens on inside its container.
pub const EXECUTOR_PORT: u16 = 8080;

/// What the executor gets as its environment, beside the provider keys. `PUBLIC_URL` arrives as `CONTROL_URL`.
pub const EXECUTOR_ENVIRONMENT: [(&str, &str); 7] = [
    (PUBLIC_URL, "CONTROL_URL"),
    (S3_ENDPOINT, S3_ENDPOINT),
    (S3_BUCKET, S3_BUCKET),
    (S3_ACCESS_KEY_ID, S3_ACCESS_KEY_ID),
    (S3_SECRET_ACCESS_KEY, S3_SECRET_ACCESS_KEY),
    (PROVIDER_URLS, PROVIDER_URLS),
    (TIMING_OVERRIDES, TIMING_OVERRIDES),
];

/// A variable or secret that must be set.
pub fn required(env: &Env, name: &str) -> Result<String> {
    env.var(name).map(|value| value.to_string()).map_err(|_| Error::RustError(format!("{name} is not set")))
}

/// A variable or secret that may be absent.
pub fn optional(env: &Env, name: &str) -> Option<String> {
    env.var(name).map(|value| value.to_string()).ok()
}

pub fn timing(env: &Env) -> Result<Timing> {
    let overrides = optional(env, TIMING_OVERRIDES);
    Timing::from_overrides(overrides.as_deref())
        .map_err(|error| Error::RustError(format!("{TIMING_OVERRIDES}: {error}")))
}

pub fn job_token_key(env: &Env) -> Result<Secret> {
    required(env, JOB_TOKEN_KEY).map(Secret::new)
}

pub fn loopback(env: &Env) -> Loopback {
    match optional(env, ALLOW_LOOPBACK_CALLBACKS).as_deref() {
        Some("true") => Loopback::Allowed,
        _ => Loopback::Refused,
    }
}

/// The Durable Object, and with it the container, of a job (A13).
pub fn executor(env: &Env, job: JobId) -> Result<worker::Stub> {
    env.durable_object(EXECUTOR)?.get_by_name(&job.to_string())
}
