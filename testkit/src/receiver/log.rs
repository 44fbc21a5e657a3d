//! The deliveries, in the order of their arrival.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use chrono::{DateTime, SecondsFormat, Utc};
use http::{HeaderMap, Method};
use serde_json::{Value, json};

use super::script::{Plan, Script, Scripts};
use crate::lock::lock;

/// How a delivery was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Not yet.
    Pending,
    /// With this status. Its body may still be on the way.
    Status(u16),
    /// With nothing, for as long as the sender waits.
    Hang,
    /// With a reset of the connection, instead of the answer or in the middle of it.
    Reset,
    /// Not at all: the sender left before the answer was due.
    SenderLeft,
}

/// What arrived.
#[derive(Debug)]
pub(super) struct Delivery {
    pub(super) name: String,
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

#[derive(Debug)]
struct Entry {
    delivery: Delivery,
    at: DateTime<Utc>,
    webhook_id: String,
    /// Deliveries with this id that were being answered when this one came, itself among them. 1 without an id.
    in_flight: usize,
    answer: Answer,
    /// Nothing is sent or awaited any more.
    over: bool,
}

/// What the receiver shares.
#[derive(Debug, Default)]
pub(super) struct Log {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    scripts: Scripts,
    entries: Vec<Entry>,
    /// Deliveries being answered, by `webhook-id`. A reset forgets them only when they are over.
    flights: HashMap<String, usize>,
    /// Counts resets, so that an answer still on its way does not write into a later log.
    era: u64,
}

/// A delivery that is being answered. Dropping it ends that: the sender has the answer, or has left.
#[derive(Debug)]
pub(super) struct Ticket {
    log: Arc<Log>,
    era: u64,
    index: usize,
    webhook_id: String,
}

impl Log {
    pub(super) fn add_script(&self, script: Script) {
        lock(&self.inner).scripts.add(script);
    }

    pub(super) fn reset(&self) {
        let mut inner = lock(&self.inner);
        inner.scripts.clear();
        inner.entries.clear();
        inner.era += 1;
    }

    /// Writes a delivery down, and says how to answer it.
    pub(super) fn arrive(self: &Arc<Self>, delivery: Delivery) -> (Plan, Ticket) {
        let id = delivery.headers.get("webhook-id").map(|value| String::from_utf8_lossy(value.as_bytes()));
        let webhook_id = id.unwrap_or_default().into_owned();
        let mut inner = lock(&self.inner);
        let plan = inner.scripts.next(&delivery.name);
        let in_flight = inner.take_off(&webhook_id);
        inner.entries.push(Entry {
            delivery,
            at: Utc::now(),
            webhook_id: webhook_id.clone(),
            in_flight,
            answer: Answer::Pending,
            over: false,
        });
        let index = inner.entries.len() - 1;
        let ticket = Ticket { log: Arc::clone(self), era: inner.era, index, webhook_id };
        (plan, ticket)
    }

    /// The deliveries as JSON, with the largest number in flight at once for each webhook id.
    pub(super) fn show(&self, name: Option<&str>) -> Value {
        let inner = lock(&self.inner);
        let shown: Vec<(usize, &Entry)> = inner
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| name.is_none_or(|name| name == entry.delivery.name))
            .collect();
        let mut most = BTreeMap::<&str, usize>::new();
        for (_, entry) in shown.iter().filter(|(_, entry)| !entry.webhook_id.is_empty()) {
            let count = most.entry(&entry.webhook_id).or_default();
            *count = (*count).max(entry.in_flight);
        }
        let deliveries: Vec<Value> = shown.iter().map(|(index, entry)| entry.to_json(*index)).collect();
        json!({"deliveries": deliveries, "max_in_flight": most})
    }

    pub(super) fn count(&self) -> usize {
        lock(&self.inner).entries.len()
    }
}

impl Inner {
    /// Counts a delivery as in flight; returns how many of its id are, itself among them.
    fn take_off(&mut self, webhook_id: &str) -> usize {
        if webhook_id.is_empty() {
            return 1;
        }
        let count = self.flights.entry(webhook_id.to_owned()).or_default();
        *count += 1;
        *count
    }

    fn land(&mut self, webhook_id: &str) {
        let Some(count) = self.flights.get_mut(webhook_id) else { return };
        *count -= 1;
        if *count == 0 {
            self.flights.remove(webhook_id);
        }
    }
}

impl Entry {
    fn to_json(&self, index: usize) -> Value {
        let headers: Vec<[String; 2]> = self
            .delivery
            .headers
            .iter()
            .map(|(name, value)| [name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()])
            .collect();
        let answered = match self.answer {
            Answer::Pending => Value::Null,
            Answer::Status(status) => json!({"status": status}),
            Answer::Hang => json!("hang"),
            Answer::Reset => json!("reset"),
            Answer::SenderLeft => json!("sender_left"),
        };
        json!({
            "index": index,
            "name": self.delivery.name,
            "at": time_text(self.at),
            "method": self.delivery.method.as_str(),
            "path": self.delivery.path,
            "webhook_id": self.webhook_id,
            "headers": headers,
            "body": String::from_utf8_lossy(&self.delivery.body),
            "body_base64": STANDARD.encode(&self.delivery.body),
            "in_flight": self.in_flight,
            "answered": answered,
            "over": self.over,
        })
    }
}

impl Ticket {
    /// Writes down how the delivery is answered.
    pub(super) fn answer(&self, answer: Answer) {
        self.write(|entry| entry.answer = answer);
    }

    fn write(&self, change: impl FnOnce(&mut Entry)) {
        let mut inner = lock(&self.log.inner);
        if inner.era == self.era
            && let Some(entry) = inner.entries.get_mut(self.index)
        {
            change(entry);
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.write(|entry| {
            entry.over = true;
            if entry.answer == Answer::Pending {
                entry.answer = Answer::SenderLeft;
            }
        });
        lock(&self.log.inner).land(&self.webhook_id);
    }
}

fn time_text(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}
