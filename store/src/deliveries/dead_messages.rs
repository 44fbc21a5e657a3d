//! What the queue gave up on. A queue keeps it for days only (B12).

use domain::DeliveryId;
use tokio_postgres::types::Type;

use crate::{Db, Error};

/// A message that ran out of the queue's retries.
pub struct DeadMessage<'a> {
    /// The queue's id of it.
    pub id: &'a str,
    /// `None` when the body names none.
    pub delivery: Option<&'a DeliveryId>,
    /// Word for word.
    pub body: &'a str,
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parked {
    /// Its delivery is still to be made: the sweeper sends a new message when the row says so.
    Due,
    /// Nothing is left to do for it.
    Over,
}

/// Keeps a dead message and lets the sweeper see its delivery. Safe to repeat: a message is one row.
pub async fn park(db: Db<'_>, message: &DeadMessage<'_>) -> Result<Parked, Error> {
    let sql = "with kept as (
            insert into dead_messages (id, delivery_id, body) values ($1, $2, $3) on conflict (id) do nothing
        ), due as (
            update deliveries set enqueued_at = null where id = $2 and status = 'pending' returning id
        )
        select to_json(exists (select from due))";
    let delivery = message.delivery.map(DeliveryId::as_str);
    let due: bool = db
        .one(sql, &[(&message.id, Type::TEXT), (&delivery, Type::TEXT), (&message.body, Type::TEXT)])
        .await?;
    Ok(if due { Parked::Due } else { Parked::Over })
}
