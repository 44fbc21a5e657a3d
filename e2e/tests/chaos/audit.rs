//! The ledger beside the record, when everything is quiet again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use e2e::{Api, Call, Stack, eventually};
use futures::StreamExt;
use futures::stream::iter;
use reqwest::Method;
use serde_json::{Value, json};
use testkit::money::Money;
use tokio::time::{Instant, sleep};

use crate::load::{Wish, insist};

/// Jobs that are looked at at once.
const AT_ONCE: usize = 48;
/// A job that has waited so long for a word gets the operator's; callbacks and look-ups come before.
const OPERATOR: Duration = Duration::from_secs(20);
/// And one that has not ended by then is stranded.
const STRANDED: Duration = Duration::from_mins(5);

/// What came out.
#[derive(Default)]
pub struct Audit {
    pub jobs: usize,
    pub statuses: BTreeMap<String, usize>,
    /// Words that an operator had to give, by the ledger's truth.
    pub words: usize,
    pub accepted: usize,
    pub attempts: usize,
    /// Jobs with two calls that the provider worked for, each a choice of the job's policy.
    pub doubles: usize,
    pub charged: Money,
    pub priced: Money,
    pub reserved: Money,
    /// Jobs whose every attempt has a price: what the record has must be what the ledger has.
    pub settled: usize,
    /// Jobs with a call that has no price (yet), and says so.
    pub unpriced: usize,
    pub deliveries: usize,
    pub repeated: usize,
    pub wrong: Vec<String>,
}

/// One job at its end.
struct Ended {
    job: Value,
    attempts: Vec<Value>,
    words: usize,
}

pub async fn of(stack: &Stack, hook: &str, wishes: &[Wish]) -> Audit {
    let api = stack.api();
    let ends: Vec<Ended> = iter(wishes).map(|wish| end(stack, &api, wish)).buffered(AT_ONCE).collect().await;
    let ledger = stack.simulator().ledger().await;
    let mut audit = Audit { jobs: wishes.len(), ..Audit::default() };
    for (wish, ended) in wishes.iter().zip(&ends) {
        let calls: Vec<&Call> =
            ledger.iter().filter(|call| call.accepted && call.body.to_string().contains(&wish.key)).collect();
        audit.one(wish, ended, &calls);
        if insist(&api, &wish.key, &wish.body).await != wish.id {
            audit.wrong.push(format!("I1: {} has two jobs", wish.key));
        }
    }
    audit.told(stack, hook, wishes, &ends).await;
    audit
}

/// Waits for the end of a job; where only a word can help, gives the one that the ledger knows to be true.
async fn end(stack: &Stack, api: &Api, wish: &Wish) -> Ended {
    let (since, mut words, mut waits) = (Instant::now(), 0, None);
    loop {
        let (job, attempts) = (api.get(&wish.id).await, api.attempts(&wish.id).await);
        let status = job["status"].as_str().unwrap_or_default();
        let held = attempts.iter().find(|row| row["state"] == "unknown").filter(|_| status == "waiting");
        if ["succeeded", "failed", "cancelled"].contains(&status) || since.elapsed() > STRANDED {
            return Ended { job, attempts, words };
        }
        match (held, waits) {
            (Some(row), Some(begun)) if Instant::now().duration_since(begun) > OPERATOR => {
                resolve(stack, api, wish, row, &attempts).await;
                (words, waits) = (words + 1, None);
            }
            (Some(_), None) => waits = Some(Instant::now()),
            (Some(_), Some(_)) => {}
            (None, _) => waits = None,
        }
        sleep(Duration::from_secs(2)).await;
    }
}

async fn resolve(stack: &Stack, api: &Api, wish: &Wish, row: &Value, attempts: &[Value]) {
    let named: BTreeSet<&str> =
        attempts.iter().filter_map(|row| row["provider_request_id"].as_str()).collect();
    let calls = stack.simulator().calls(&wish.key).await;
    let paid = calls
        .iter()
        .filter(|call| call.accepted)
        .find_map(|call| call.request_id.as_deref().filter(|id| !named.contains(id)));
    let word = match paid {
        Some(id) => json!({"resolution": "paid", "provider_request_id": id}),
        None => json!({"resolution": "not_paid"}),
    };
    let operator = api.with_key(&stack.admin_token);
    let path = format!("/v1/admin/attempts/{}/resolution", row["id"].as_str().unwrap());
    operator.send(operator.request(Method::POST, &path).json(&word)).await;
}

fn money(value: &Value) -> Money {
    value.as_str().map_or_else(Money::default, |text| text.parse().unwrap())
}

fn sum(one: Money, other: Money) -> Money {
    [one, other].into_iter().sum()
}

impl Audit {
    fn one(&mut self, wish: &Wish, ended: &Ended, calls: &[&Call]) {
        let (job, attempts) = (&ended.job, &ended.attempts);
        let mut wrong = Vec::new();
        let mut must = |holds: bool, what: &str| {
            if !holds {
                wrong.push(format!("{what}: {} {job} {attempts:?} {calls:?}", wish.key));
            }
        };
        let status = job["status"].as_str().unwrap_or("gone").to_owned();
        must(["succeeded", "failed", "cancelled"].contains(&status.as_str()), "I12: stranded");
        must(calls.len() <= attempts.len(), "I2: more calls than rows");
        let ids: Vec<&str> = attempts.iter().filter_map(|row| row["provider_request_id"].as_str()).collect();
        must(ids.iter().collect::<BTreeSet<_>>().len() == ids.len(), "I3: two rows for one call");
        let unnamed =
            attempts.iter().filter(|row| row["provider_request_id"].is_null() && row["class"] == "unknown");
        let without_row =
            calls.iter().filter(|call| !call.request_id.as_deref().is_some_and(|id| ids.contains(&id)));
        must(without_row.count() <= unnamed.count(), "I3: a call without a row");
        let worked =
            calls.iter().filter(|call| !["failed", "cancelled"].contains(&call.state.as_str())).count();
        let chosen = wish.risks && attempts.iter().any(|row| row["class"] == "unknown");
        must(worked <= 1 || chosen, "I4: paid twice, and nobody chose it");
        let amounts = calls.iter().filter_map(|call| call.charged.as_deref());
        let charged: Money = amounts.map(|text| text.parse::<Money>().unwrap()).sum();
        let (priced, reserved) = (money(&job["cost"]["priced"]), money(&job["cost"]["reserved"]));
        // A model without a rate has no price and no reservation, and is counted as that.
        let unpriced = job["cost"]["unpriced"] != 0;
        must(charged <= sum(priced, reserved) || unpriced, "I8: the record shows less than was charged");
        let settled = wish.charged_by_card && attempts.iter().all(|row| row["cost"].is_string());
        must(!settled || charged == priced, "I8: the record is not the ledger");
        self.wrong.extend(wrong);
        *self.statuses.entry(status).or_default() += 1;
        self.words += ended.words;
        self.accepted += calls.len();
        self.attempts += attempts.len();
        self.doubles += usize::from(worked > 1);
        self.settled += usize::from(settled);
        self.unpriced += usize::from(unpriced);
        self.charged = sum(self.charged, charged);
        self.priced = sum(self.priced, priced);
        self.reserved = sum(self.reserved, reserved);
    }

    /// Each end is told under one name, at least once, with one body (I7, I10).
    async fn told(&mut self, stack: &Stack, hook: &str, wishes: &[Wish], ends: &[Ended]) {
        let expected: BTreeSet<String> = wishes
            .iter()
            .zip(ends)
            .map(|(wish, ended)| {
                format!("{}_generation_{}", wish.id, ended.job["status"].as_str().unwrap_or_default())
            })
            .collect();
        let deliveries = eventually("every end to be told", async || {
            let deliveries = stack.receiver().deliveries(hook).await;
            let names: BTreeSet<&str> =
                deliveries.iter().map(|delivery| delivery.header("webhook-id")).collect();
            (names.len() >= expected.len()).then_some(deliveries.clone())
        })
        .await;
        let mut bodies = BTreeMap::<&str, BTreeSet<&str>>::new();
        for delivery in &deliveries {
            bodies.entry(delivery.header("webhook-id")).or_default().insert(&delivery.body);
        }
        let unexpected = bodies.keys().filter(|name| !expected.contains(**name));
        self.wrong
            .extend(unexpected.map(|name| format!("I6: {name} was told, and is not how its job stands")));
        let several = bodies.iter().filter(|(_, bodies)| bodies.len() > 1);
        self.wrong.extend(several.map(|(name, _)| format!("I10: {name} has several bodies")));
        (self.deliveries, self.repeated) = (deliveries.len(), deliveries.len() - bodies.len());
    }
}
