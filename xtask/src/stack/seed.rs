//! The one client of a local stack, with a key and a webhook secret.

use domain::{ClientId, Secret};
use store::Db;
use store::clients::{self, KeyHash, NewClient};
use testkit::database;

use super::secrets::Secrets;
use crate::failure::{OrFail, Outcome};
use crate::hash::sha256;

const ADVICE: &str = "read the log of postgres; `--fresh` begins with an empty database";

/// Makes sure that the local client exists; called at every start, also on kept data.
pub(super) async fn client(database_url: &str, secrets: &Secrets) -> Outcome {
    let connection = database::open(database_url).await.or_fail("cannot connect to the database", ADVICE)?;
    let webhook_secrets = [Secret::new(&secrets.webhook_secret)];
    let new = NewClient {
        id: ClientId::new(secrets.client_id),
        name: "local",
        webhook_secrets: &webhook_secrets,
        key_id: secrets.client_key_id,
        key_hash: KeyHash::new(sha256(secrets.client_key.as_bytes())),
        key_prefix: secrets.client_key.get(..12).unwrap_or_default(),
    };
    match clients::create(Db::new(&connection), &new).await {
        // An earlier start made it: the same ids, the same key.
        Ok(()) | Err(store::Error::Conflict(_)) => Ok(()),
        Err(cause) => Err(cause).or_fail("cannot create the local client", ADVICE),
    }
}
