use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::Secret;
use store::{Credentials, Db, Error};
use worker::{Date, Delay, Env};

use crate::settings;
use crate::socket::Socket;

/// Runs `work` in a database session of its own through Hyperdrive, within the deployment's limit of time.
///
/// A session kept across requests would fail: the runtime ties sockets to the request that opened them. One that stays
/// open while something else is waited for would keep one of the invocation's few connections and a place in
/// Hyperdrive's pool. So each piece of work opens one and closes it.
pub async fn session<T>(env: &Env, work: impl AsyncFnOnce(Db<'_>) -> Result<T, Error>) -> Result<T, Error> {
    let unreachable = |error: worker::Error| Error::Unavailable(error.to_string());
    let hyperdrive = env.hyperdrive(settings::DB).map_err(unreachable)?;
    let limit = settings::timing(env).map_err(unreachable)?.database_ms;
    let socket = Socket::connect(&hyperdrive).map_err(unreachable)?;
    let credentials = Credentials {
        user: hyperdrive.user(),
        password: Secret::new(hyperdrive.password()),
        database: hyperdrive.database(),
    };
    store::session(socket, &credentials, Delay::from(Duration::from_millis(limit)), work).await
}

/// The isolate's clock. It stands still while code runs and moves with I/O.
pub fn now() -> DateTime<Utc> {
    let millis = i64::try_from(Date::now().as_millis()).unwrap_or(i64::MAX);
    DateTime::from_timestamp_millis(millis).unwrap_or(DateTime::UNIX_EPOCH)
}
