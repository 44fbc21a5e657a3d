use std::future::Future;
use std::pin::pin;

use domain::Secret;
use futures::future::{Either, select};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_postgres::config::SslMode;
use tokio_postgres::{Config, NoTls};

use crate::{Db, Error};

/// What Hyperdrive's binding says of the database behind it.
pub struct Credentials {
    pub user: String,
    pub password: Secret,
    pub database: String,
}

/// Opens a session over `socket`, runs `work` in it and closes it; gives up when `deadline` resolves.
///
/// The connection is driven next to the work, so nothing is spawned and nothing outlives the request. Connecting
/// has no limit of its own and a black hole would hang for ever; `deadline` covers it.
pub async fn session<S, T>(
    socket: S,
    credentials: &Credentials,
    deadline: impl Future<Output = ()>,
    work: impl AsyncFnOnce(Db<'_>) -> Result<T, Error>,
) -> Result<T, Error>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let whole = async {
        let mut config = Config::new();
        // Hyperdrive speaks TLS to the origin; inside the Worker there is none.
        config.user(&credentials.user).dbname(&credentials.database).ssl_mode(SslMode::Disable);
        config.password(credentials.password.expose());
        let (client, connection) = config.connect_raw(socket, NoTls).await?;
        let mut connection = pin!(connection);
        let work = pin!(work(Db::new(&client)));
        match select(work, connection.as_mut()).await {
            Either::Left((done, _)) => done,
            Either::Right((Err(error), _)) => Err(error.into()),
            // The server closed the session in an orderly way; the work finds that out by itself.
            Either::Right((Ok(()), work)) => work.await,
        }
    };
    match select(pin!(whole), pin!(deadline)).await {
        Either::Left((done, _)) => done,
        Either::Right(_) => Err(Error::Timeout("the session's deadline passed".to_owned())),
    }
}
