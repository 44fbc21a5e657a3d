//! A database session a step.
//!
//! A message needs the database twice, before and after its post. Two sessions cost one more handshake than one
//! that stays open, and keep what an open one would take: a connection of the invocation's six and a place in
//! Hyperdrive's pool, for as long as a receiver likes to think.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::Secret;
use store::{Credentials, Db, Error};
use worker::{Date, Delay, Env};

use crate::config;
use crate::socket::Closing;

/// Runs `work` in a session of its own and gives up after `limit`.
pub(crate) async fn session<T>(
    env: &Env,
    limit: Duration,
    work: impl AsyncFnOnce(Db<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let unreachable = |error: worker::Error| Error::Unavailable(error.to_string());
    let hyperdrive = env.hyperdrive(config::DB).map_err(unreachable)?;
    let socket = Closing::new(hyperdrive.connect().map_err(unreachable)?);
    let credentials = Credentials {
        user: hyperdrive.user(),
        password: Secret::new(hyperdrive.password()),
        database: hyperdrive.database(),
    };
    store::session(socket, &credentials, Delay::from(limit), work).await
}

/// The isolate's clock. It stands still while code runs and moves with I/O.
pub(crate) fn now() -> DateTime<Utc> {
    let millis = i64::try_from(Date::now().as_millis()).unwrap_or(i64::MAX);
    DateTime::from_timestamp_millis(millis).unwrap_or(DateTime::UNIX_EPOCH)
}
