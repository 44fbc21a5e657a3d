//! The provider and its ledger: what it accepted and what it charges for it, whoever knows of that.

mod described;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use domain::attempt::Usage;
use http::Method;
use serde_json::{Value, json};

use crate::case::{Broken, Profile, Script};
use crate::message::{Call, Reply};

pub use described::description;

/// The model that every job asks for: priced by the second.
pub const MODEL: &str = "fal-ai/veo3.1";
/// Seconds of video that a call makes, and is charged for.
pub const SECONDS: u32 = 4;
/// From acceptance to the end.
const WORK: TimeDelta = TimeDelta::seconds(20);
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";

/// One provider, one of the profiles.
#[derive(Clone, Debug)]
pub struct Shop {
    profile: Profile,
    script: Script,
    broken: Option<Broken>,
    pub ledger: Vec<Accepted>,
    /// Submits that were refused at the door.
    pub rejected: u32,
}

/// A call that the provider took.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// Our attempt's id, as it was sent.
    pub reference: String,
    /// Reported when it ends.
    pub callback: Option<String>,
    input: Value,
    at: DateTime<Utc>,
    fails: bool,
    cancelled: bool,
}

impl Accepted {
    pub fn ends_at(&self) -> DateTime<Utc> {
        self.at + WORK
    }

    /// Whether it ends without a result, and costs nothing.
    pub fn is_for_nothing(&self) -> bool {
        self.fails || self.cancelled
    }

    /// What is on the bill.
    pub fn charged(&self) -> Usage {
        let seconds = if self.is_for_nothing() { 0 } else { SECONDS };
        let units = domain::Units::whole(seconds).unwrap_or(domain::Units::ZERO);
        Usage { units, unit: "second".to_owned() }
    }
}

impl Shop {
    pub fn new(profile: Profile, script: Script, broken: Option<Broken>) -> Self {
        Self { profile, script, broken, ledger: Vec::new(), rejected: 0 }
    }

    pub fn name(place: usize) -> String {
        format!("job-{place}")
    }

    pub fn answer(&mut self, call: &Call, now: DateTime<Utc>) -> Reply {
        let segments = call.segments();
        match (&call.method, segments.as_slice()) {
            (&Method::POST, ["jobs"]) => self.submit(call, now),
            (&Method::GET, ["jobs"]) => self.list(now),
            (&Method::GET, ["jobs", id]) => self.poll(id, now),
            (&Method::DELETE, ["jobs", id]) => self.cancel(id, now),
            (&Method::GET, ["by-reference", reference]) => self.look_up(reference),
            (&Method::GET, ["media", _]) => {
                let headers = vec![("content-type".to_owned(), "image/png".to_owned())];
                Reply { status: 200, headers, body: PNG.to_vec() }
            }
            _ => Reply::status(404),
        }
    }

    fn submit(&mut self, call: &Call, now: DateTime<Utc>) -> Reply {
        let body: Value = serde_json::from_slice(&call.body).unwrap_or(Value::Null);
        let reference = body.pointer("/reference").and_then(Value::as_str).unwrap_or_default().to_owned();
        if call.header("idempotency-key").is_some()
            && let Some(place) = self.ledger.iter().position(|taken| taken.reference == reference)
        {
            return taken(place);
        }
        if self.script == Script::RejectsFirst && self.rejected == 0 {
            self.rejected += 1;
            return Reply::json(429, &json!({"code": "slow_down", "message": "too many requests"}));
        }
        let fails = match self.script {
            Script::Plain | Script::RejectsFirst => false,
            Script::FailsFirst => self.ledger.is_empty(),
            Script::FailsAlways => true,
        };
        let callback = call.query("callback");
        let input = body.pointer("/input").cloned().unwrap_or(Value::Null);
        self.ledger.push(Accepted { reference, callback, input, at: now, fails, cancelled: false });
        taken(self.ledger.len() - 1)
    }

    fn place(&self, id: &str) -> Option<usize> {
        (0..self.ledger.len()).find(|place| Self::name(*place) == id)
    }

    fn poll(&self, id: &str, now: DateTime<Utc>) -> Reply {
        let accepted = self.place(id).and_then(|place| self.ledger.get(place));
        let Some(accepted) = accepted else {
            return Reply::status(404);
        };
        let seconds = accepted.charged().units.to_string();
        let state = if accepted.is_for_nothing() && (accepted.cancelled || now >= accepted.ends_at()) {
            json!({"state": "failed", "seconds": seconds, "error": "it_broke", "message": "it broke"})
        } else if now >= accepted.ends_at() {
            json!({"state": "done", "seconds": seconds, "files": [format!("http://127.0.0.1:1/media/{id}")]})
        } else {
            json!({"state": "working"})
        };
        Reply::json(200, &json!({"data": state}))
    }

    fn cancel(&mut self, id: &str, now: DateTime<Utc>) -> Reply {
        let place = self.place(id);
        let Some(accepted) = place.and_then(|place| self.ledger.get_mut(place)) else {
            return Reply::status(404);
        };
        if now >= accepted.ends_at() {
            return Reply::status(409);
        }
        accepted.cancelled = true;
        Reply::status(200)
    }

    fn look_up(&self, reference: &str) -> Reply {
        let found = self.ledger.iter().position(|accepted| accepted.reference == reference);
        let found = found.filter(|_| self.profile == Profile::Lookup && self.broken != Some(Broken::Absence));
        found.map_or_else(|| Reply::status(404), taken)
    }

    /// A new request is not listed at once.
    fn list(&self, now: DateTime<Utc>) -> Reply {
        let listed = self.ledger.iter().enumerate().filter(|(_, accepted)| {
            self.profile == Profile::Listing && now >= accepted.at + TimeDelta::seconds(2)
        });
        let items: Vec<Value> = listed
            .map(|(place, accepted)| {
                let created = accepted.at.to_rfc3339_opts(SecondsFormat::Millis, true);
                json!({"id": Self::name(place), "model": MODEL, "created": created, "input": accepted.input})
            })
            .collect();
        Reply::json(200, &json!({"items": items, "next": null}))
    }
}

fn taken(place: usize) -> Reply {
    Reply::json(200, &json!({"code": "0", "data": {"id": Shop::name(place)}}))
}
