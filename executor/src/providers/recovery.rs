//! Finding out whether a provider has an attempt whose submit is of unknown outcome (B3).

use chrono::{DateTime, Duration, SecondsFormat, Utc};
use domain::attempt::Attempt;
use serde_json::Value;

use super::adapter::{ANSWER_LIMIT, Acceptance, Adapter, INLINE_LIMIT, Submission};
use super::answer::{Answer, text};
use super::description::{Absence, Likeness, Listing, Recovery};
use super::endpoint::Names;

/// A provider's clock may be behind ours by this.
const BEFORE_START: Duration = Duration::seconds(30);
/// A submit has arrived within this, or never will.
const AFTER_START: Duration = Duration::minutes(5);

/// What became of a submit whose outcome was unknown.
#[derive(Debug)]
pub enum Recovered {
    /// It arrived.
    Accepted(Acceptance),
    /// The provider proves that it has no such request.
    NeverArrived,
    /// Nothing is offered, or what is offered told nothing.
    CannotTell,
}

/// A submit that is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Sought<'s> {
    pub attempt: &'s Attempt,
    /// The body that was sent.
    pub request: &'s Value,
    /// The provider's names of the job's other calls. They asked for the very same thing, and none of them is this one.
    pub others: &'s [String],
}

impl Adapter {
    /// Finds out whether the provider has an attempt whose submit is unknown, by what the provider offers for that.
    /// `traceparent` is what went with it.
    pub async fn recover(&self, sought: Sought<'_>, traceparent: Option<&str>) -> Recovered {
        let Sought { attempt, request, .. } = sought;
        match &self.description.recovery {
            Recovery::None => Recovered::CannotTell,
            // What was sent could not be made again, and anything else under its key would be another request.
            Recovery::Resend { .. } if request.is_null() => Recovered::CannotTell,
            Recovery::Resend { .. } => {
                match self.post(attempt.id, &attempt.model, request.clone(), (None, traceparent)).await {
                    Submission::Accepted(acceptance) => Recovered::Accepted(acceptance),
                    // A rejection of the repeat says nothing about the first.
                    Submission::Answered(_) | Submission::Rejected(_) | Submission::Unknown(_) => {
                        Recovered::CannotTell
                    }
                }
            }
            Recovery::Lookup { urls, request_id, absence } => {
                self.look_up(attempt, urls, request_id, *absence).await
            }
            Recovery::Listing(listing) => self.find(sought, listing).await,
        }
    }

    /// Like [`Self::recover`], as far as that cannot make the call: an attempt that nobody wants any more must not be sent
    /// after all.
    pub async fn look(&self, sought: Sought<'_>) -> Recovered {
        if self.can_look() { self.recover(sought, None).await } else { Recovered::CannotTell }
    }

    /// Whether looking again may tell more: without a POST.
    pub fn can_look(&self) -> bool {
        matches!(self.description.recovery, Recovery::Lookup { .. } | Recovery::Listing(_))
    }

    /// Whether it is found by the body that was sent.
    pub fn looks_by_request(&self) -> bool {
        matches!(self.description.recovery, Recovery::Resend { .. } | Recovery::Listing(_))
    }

    async fn look_up(
        &self,
        attempt: &Attempt,
        urls: &[&str],
        request_id: &str,
        absence: Absence,
    ) -> Recovered {
        match self.get(urls, &names(attempt), ANSWER_LIMIT).await {
            Ok(answer) if answer.status == Some(404) && absence == Absence::Proven => Recovered::NeverArrived,
            Ok(answer) if answer.succeeded() => {
                self.acceptance(&answer, request_id).map_or(Recovered::CannotTell, Recovered::Accepted)
            }
            Ok(_) | Err(_) => Recovered::CannotTell,
        }
    }

    /// Absence proves nothing: a listing lags behind, and has more pages.
    async fn find(&self, sought: Sought<'_>, listing: &Listing) -> Recovered {
        let attempt = sought.attempt;
        let (after, before) = window(attempt.started_at);
        let names = names(attempt).segment("after", &rfc3339(after)).segment("before", &rfc3339(before));
        let answer = match self.get(&[listing.url], &names, INLINE_LIMIT).await {
            Ok(answer) if answer.succeeded() => answer,
            Ok(_) | Err(_) => return Recovered::CannotTell,
        };
        let found = only_match(listing, sought, &answer.body).cloned();
        let found = found.map(|body| Answer { status: answer.status, body, ..Answer::default() });
        found
            .and_then(|item| self.acceptance(&item, listing.request_id))
            .map_or(Recovered::CannotTell, Recovered::Accepted)
    }
}

fn names(attempt: &Attempt) -> Names {
    Names::default().model(&attempt.model).segment("attempt", &attempt.id.to_string())
}

fn window(started_at: DateTime<Utc>) -> (DateTime<Utc>, DateTime<Utc>) {
    (started_at - BEFORE_START, started_at + AFTER_START)
}

fn rfc3339(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// The one item that is this attempt's. What only looks alike counts on a complete listing only, and never if it has
/// another attempt's name.
fn only_match<'v>(listing: &Listing, sought: Sought<'_>, body: &'v Value) -> Option<&'v Value> {
    let Sought { attempt, request, others } = sought;
    let items = body.pointer(listing.items)?.as_array()?;
    let ours = attempt.id.to_string();
    let (named, nameless): (Vec<&Value>, Vec<&Value>) =
        items.iter().partition(|item| item.pointer(listing.callback).is_some_and(Value::is_string));
    let exact = named.into_iter().filter(|item| {
        item.pointer(listing.callback).and_then(Value::as_str).is_some_and(|url| url.contains(&ours))
    });
    let exact: Vec<&Value> = exact.collect();
    if let [only] = exact.as_slice() {
        return Some(*only);
    }
    let likeness = listing.likeness.as_ref().filter(|_| exact.is_empty())?;
    let complete = body.pointer(listing.more).is_none_or(|more| more.is_null() || *more == false);
    let another = |item: &Value| {
        let name = item.pointer(listing.request_id).and_then(text);
        name.is_some_and(|name| others.contains(&name))
    };
    let alike = nameless.into_iter().filter(|item| !another(item));
    let alike: Vec<&Value> = alike.filter(|item| is_alike(likeness, attempt, item, request)).collect();
    match alike.as_slice() {
        [only] if complete => Some(*only),
        _ => None,
    }
}

fn is_alike(likeness: &Likeness, attempt: &Attempt, item: &Value, request: &Value) -> bool {
    let bare = |model: &str| model.split(':').next().unwrap_or_default().to_owned();
    let model = item.pointer(likeness.model).and_then(text).map(|model| bare(&model));
    let created = item.pointer(likeness.created).and_then(Value::as_str);
    let created = created.and_then(|created| DateTime::parse_from_rfc3339(created).ok());
    let (after, before) = window(attempt.started_at);
    let asked = request.pointer(likeness.same);
    model == Some(bare(&attempt.model))
        && created.is_some_and(|created| after <= created && created <= before)
        && asked.is_some()
        && item.pointer(likeness.same) == asked
}

#[cfg(test)]
mod tests {
    use domain::attempt::State;
    use domain::provider::Provider;
    use serde_json::json;

    use super::*;
    use crate::machine::{Machine as _, ThisMachine};

    const LISTING: Listing = Listing {
        url: "{base}/jobs",
        items: "/results",
        more: "/next",
        request_id: "/id",
        callback: "/webhook",
        likeness: Some(Likeness { model: "/model", created: "/created_at", same: "/input" }),
    };

    fn attempt() -> Attempt {
        serde_json::from_value(json!({
            "id": ThisMachine.mint(), "ordinal": 1, "chain_index": 0, "provider": Provider::ALL[0],
            "model": "a/b:1", "lease": 1, "state": State::Open, "started_at": "2026-12-01T12:00:00Z"
        }))
        .unwrap()
    }

    fn item(id: &str, input: &str, created: &str) -> Value {
        json!({"id": id, "model": "a/b", "created_at": created, "input": {"prompt": input}})
    }

    fn found(attempt: &Attempt, items: &Value, next: &Value) -> Option<String> {
        let body = json!({"results": items, "next": next});
        let request = json!({"input": {"prompt": "a cat"}, "version": "1"});
        let sought = Sought { attempt, request: &request, others: &["earlier".to_owned()] };
        only_match(&LISTING, sought, &body).map(|item| item["id"].as_str().unwrap().to_owned())
    }

    #[test]
    fn b3_a_listing_finds_only_a_single_match() {
        let attempt = attempt();
        let (now, old) = ("2026-12-01T12:00:01.5Z", "2026-12-01T11:00:00Z");
        let (cat, twin, dog) =
            (item("cat", "a cat", now), item("twin", "a cat", now), item("dog", "a dog", now));
        let mut ours = item("ours", "whatever", old);
        ours["webhook"] = json!(format!("https://afc.example/v1/callbacks/x/{}.mac", attempt.id));
        let mut other = cat.clone();
        other["webhook"] = json!("https://afc.example/v1/callbacks/x/another.mac");
        let end = Value::Null;
        for (items, next, expected) in [
            (json!([dog, cat]), &end, Some("cat")),
            (json!([cat, twin]), &end, None),
            (json!([dog, item("cat", "a cat", old)]), &end, None),
            (json!([cat]), &json!("https://api.example/next"), None),
            (json!([other]), &end, None),
            (json!([cat, other, ours]), &json!("https://api.example/next"), Some("ours")),
            (json!([]), &end, None),
            (json!([item("earlier", "a cat", now)]), &end, None),
            (json!([item("earlier", "a cat", now), cat]), &end, Some("cat")),
        ] {
            assert_eq!(found(&attempt, &items, next).as_deref(), expected, "{items}");
        }
    }
}
