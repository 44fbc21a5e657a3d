//! I1 to I12 of one job, against the provider's own ledger.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use domain::attempt::State;
use domain::job::Status;
use domain::output::key;
use domain::{JobId, Usd};
use serde_json::{Value, json};
use testkit::plane::{Creation, Finish, Standing};

use super::cell::Cell;
use crate::stand::Stand;

/// What does not hold. A held job is cancelled on the way (I7), and everything is sent once more (I11).
pub(super) async fn check(stand: &Stand, cell: &Cell) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut must = |holds: bool, what: &str| {
        if !holds {
            wrong.push(what.to_owned());
        }
    };
    let standing = &cell.standing;
    let rows = standing.attempts.len();
    must(is_one_job(stand).await, "I1: a repeated create found another job");
    let paid_calls = usize::try_from(standing.job.spec.policy.max_paid_calls).unwrap();
    must(cell.accepted <= rows && rows <= paid_calls, "I2: calls, rows, max_paid_calls are out of order");
    must(each_call_has_its_row(stand, standing), "I3: a call without a row, or a row for two");
    must(no_call_after_the_object(stand), "I5: a call began after the object existed");
    let ends = usize::from(standing.job.status.is_terminal());
    must(standing.told.ends.len() == ends, "I6: terminal events");
    must(money_adds_up(stand, standing), "I8: the ledger's sum is above what is shown");
    must(bytes_were_written_once(stand, stand.job), "I9: an output key was written twice");
    must((standing.told.due, standing.told.others) == (ends, 0), "I10: a delivery is not due");
    must(has_an_owner(standing), "I12: open without an owner");
    let ended = end_what_is_held(stand, standing).await;
    must(ended.is_some(), "I6, I7: a cancel changed an end, or an end came that nobody wanted");
    if let Some(ended) = ended {
        must(replays_change_nothing(stand, &ended).await, "I11: a replay changed something");
    }
    wrong
}

async fn is_one_job(stand: &Stand) -> bool {
    let again = stand.plane.create("the-key", stand.body.clone()).await.unwrap();
    let mut other = stand.body.clone();
    other["input"]["prompt"] = json!("a dog");
    let conflict = stand.plane.create("the-key", other).await.unwrap();
    matches!(again, Creation::Replayed(job) if job.id == stand.job)
        && matches!(conflict, Creation::Conflict { standing } if standing == stand.job)
}

/// Every accepted call is named by one row, or stands behind a row that says that nobody could tell. No row names two.
fn each_call_has_its_row(stand: &Stand, standing: &Standing) -> bool {
    let names: Vec<&str> =
        standing.attempts.iter().filter_map(|row| row.provider_request_id.as_deref()).collect();
    let distinct: BTreeSet<&&str> = names.iter().collect();
    let accepted: Vec<Value> = stand.calls().into_iter().filter(|call| call["accepted"] == true).collect();
    let with_row =
        accepted.iter().filter(|call| names.iter().any(|name| call["request_id"] == *name)).count();
    let untold = standing.attempts.iter().filter(|row| {
        row.provider_request_id.is_none()
            && matches!(row.state, State::Open | State::Unknown | State::Abandoned)
    });
    distinct.len() == names.len() && with_row == names.len() && accepted.len() - with_row <= untold.count()
}

fn no_call_after_the_object(stand: &Stand) -> bool {
    let Some(written) = stand.bucket.with(|shelf| shelf.first_write) else { return true };
    stand.calls().iter().all(|call| {
        let at: DateTime<Utc> = call["at"].as_str().unwrap().parse().unwrap();
        at <= written
    })
}

/// Where no rate is known nothing could be set aside: then the unpriced calls are counted, and that is all that is said.
fn money_adds_up(stand: &Stand, standing: &Standing) -> bool {
    let charged: Usd = stand.simulator.ledger(&testkit::simulator::Filter::default())["charged"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let spend = &standing.job.spend;
    let rows = &standing.attempts;
    let sum = rows.iter().filter_map(|row| row.cost.as_ref()).map(|cost| cost.amount.micros()).sum::<i64>();
    let without_rate = rows.iter().any(|row| row.cost.is_none() && row.reserved.is_none());
    let shown = spend.priced.micros() + spend.reserved.micros();
    spend.priced.micros() == sum
        && if without_rate { spend.unpriced + spend.unknown > 0 } else { charged.micros() <= shown }
}

fn bytes_were_written_once(stand: &Stand, job: JobId) -> bool {
    stand.bucket.with(|shelf| shelf.writes.iter().filter(|written| **written == key(job, 0)).count() <= 1)
}

fn has_an_owner(standing: &Standing) -> bool {
    let job = &standing.job;
    let human = standing.attempts.iter().find(|row| row.state == State::Unknown);
    let named = human.is_some_and(|row| job.waiting.is_some() && row.error.is_some());
    job.status.is_terminal() || job.status == Status::Waiting && named
}

/// A cancel ends a held job, with one event and no success; an ended job's end stands.
async fn end_what_is_held(stand: &Stand, before: &Standing) -> Option<Standing> {
    let finish = stand.plane.cancel(stand.job).await.unwrap();
    let after = stand.standing().await;
    let holds = if before.job.status.is_terminal() {
        matches!(finish, Finish::Stands(_)) && after == *before
    } else {
        matches!(finish, Finish::Won(_)) && after.told.ends == ["generation.cancelled"]
    };
    holds.then_some(after)
}

/// Every request that the plane carried out, the submit and the create come once more.
async fn replays_change_nothing(stand: &Stand, before: &Standing) -> bool {
    let calls = stand.calls().len();
    let tls = executor::net::tls(None).unwrap();
    let http = executor::net::free_client(&tls, std::time::Duration::from_secs(30)).unwrap();
    for request in stand.plane.requests() {
        let mut again = http.post(format!("{}{}", stand.plane.url(), request.path)).body(request.body);
        if let Some(token) = request.token {
            again = again.bearer_auth(token);
        }
        let status = again.send().await.unwrap().status();
        assert!(status.is_success(), "{} was answered {status}", request.path);
    }
    let answered = stand.submit_again().await.is_some();
    let created = is_one_job(stand).await;
    let mut after = stand.standing().await;
    // The counter of refused writes is there to be moved, and so is the lease by who only looks.
    after.job.fenced_writes = before.job.fenced_writes;
    after.job.lease = before.job.lease;
    answered && created && after == *before && stand.calls().len() == calls
}
