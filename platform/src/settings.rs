//! Variables and secrets of a deployment.

use domain::callback_url::Loopback;
use domain::timing::Timing;
use worker::{Env, Error, Result};

/// Variables that both Workers have.
pub const ALLOW_LOOPBACK_CALLBACKS: &str = "ALLOW_LOOPBACK_CALLBACKS";
pub const TIMING_OVERRIDES: &str = "TIMING_OVERRIDES";
/// Where the api-worker is reached.
pub const PUBLIC_URL: &str = "PUBLIC_URL";
/// The Hyperdrive binding of both.
pub const DB: &str = "DB";

/// A variable or secret that must be set.
pub fn required(env: &Env, name: &str) -> Result<String> {
    env.var(name).map(|value| value.to_string()).map_err(|_| Error::RustError(format!("{name} is not set")))
}

/// A variable or secret that may be absent.
pub fn optional(env: &Env, name: &str) -> Option<String> {
    env.var(name).map(|value| value.to_string()).ok()
}

/// Fails when the overrides do not parse.
pub fn timing(env: &Env) -> Result<Timing> {
    let overrides = optional(env, TIMING_OVERRIDES);
    Timing::from_overrides(overrides.as_deref())
        .map_err(|error| Error::RustError(format!("{TIMING_OVERRIDES}: {error}")))
}

/// Whether webhooks may go to this machine; a development stack says so.
pub fn loopback(env: &Env) -> Loopback {
    match optional(env, ALLOW_LOOPBACK_CALLBACKS).as_deref() {
        Some("true") => Loopback::Allowed,
        _ => Loopback::Refused,
    }
}
