//! The deliveries, in the order of their arrival.

use std::collections::BTreeMap;
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Not yet.
    Pending,
    /// With this status. Its body may still be on the way.
    Status(u16),
    /// With a reset of the connection.
    Reset,
    /// Not at all: the sender left first.
    SenderLeft,
}

/// What arrived.
#[derive(Debug)]
pub(super) struct Delivery {
    pub(super) name: String,
    pub(super) method: Method,
    pub(super) target: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

#[derive(Debug)]
struct Entry {
    delivery: Delivery,
    at: DateTime<Utc>,
    webhook_id: String,
    /// Deliveries with this id that were being answered when this one came, itself among them.
    in_flight: usize,
    answer: Answer,
    answered_at: Option<DateTime<Utc>>,
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
    /// Counts resets, so that an answer still on its way does not write into a later log.
    era: u64,
}

/// A delivery that is being answered. Dropping it ends that: the sender has the answer, or has left.
#[derive(Debug)]
pub(super) struct Ticket {
    log: Arc<Log>,
    era: u64,
    index: usize,
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
        let others =
            inner.entries.iter().filter(|entry| !entry.over && entry.webhook_id == webhook_id).count();
        inner.entries.push(Entry {
            delivery,
            at: Utc::now(),
            webhook_id,
            in_flight: others + 1,
            answer: Answer::Pending,
            answered_at: None,
            over: false,
        });
        let ticket = Ticket { log: Arc::clone(self), era: inner.era, index: inner.entries.len() - 1 };
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

impl Entry {
    fn to_json(&self, index: usize) -> Value {
        let headers: Vec<[String; 2]> = self
            .delivery
            .headers
            .iter()
            .map(|(name, value)| [name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()])
            .collect();
        let (kind, status) = match self.answer {
            Answer::Pending => ("pending", None),
            Answer::Status(status) => ("status", Some(status)),
            Answer::Reset => ("reset", None),
            Answer::SenderLeft => ("sender_left", None),
        };
        json!({
            "index": index,
            "name": self.delivery.name,
            "at": time_text(self.at),
            "method": self.delivery.method.as_str(),
            "target": self.delivery.target,
            "webhook_id": self.webhook_id,
            "headers": headers,
            "body": String::from_utf8_lossy(&self.delivery.body),
            "body_base64": STANDARD.encode(&self.delivery.body),
            "in_flight": self.in_flight,
            "answer": {
                "kind": kind, "status": status, "at": self.answered_at.map(time_text), "over": self.over,
            },
        })
    }
}

impl Ticket {
    /// Writes down how the delivery is answered.
    pub(super) fn answer(&self, answer: Answer) {
        self.write(|entry| {
            entry.answer = answer;
            entry.answered_at = Some(Utc::now());
        });
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
                entry.answered_at = Some(Utc::now());
            }
        });
    }
}

fn time_text(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}
