//! Messages that the queue gave up on.

use domain::DeliveryId;
use platform::session;
use store::deliveries::{DeadMessage, park};
use worker::Env;

use crate::outcome::Outcome;

/// Keeps a dead message in Postgres, word for word. Safe to repeat. While the database is away it goes back to its queue;
/// should it be lost there after all, its delivery's row is still swept when it is due.
pub(crate) async fn bury(env: &Env, id: &str, body: &str, delivery: &Result<DeliveryId, String>) -> Outcome {
    // Postgres takes no NUL; JSON text has none but escaped.
    let message = DeadMessage { id, delivery: delivery.as_ref().ok(), body };
    match session(env, async |db| park(db, &message).await).await {
        Ok(parked) => Outcome::Buried(parked),
        Err(error) => Outcome::Hindered { error: error.to_string(), status: None },
    }
}
