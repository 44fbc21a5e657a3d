//! The auditor: the provider's ledger against the record, after everybody has gone home.

use std::collections::BTreeMap;

use domain::attempt::{Attempt, State};
use domain::job::Status;
use domain::output::metadata;
use domain::rates::card;

use crate::control::is_at_rest;
use crate::message::Call;
use crate::provider::{Accepted, MODEL};
use crate::record::{Record, committed};
use crate::world::{Reached, Shared, World};

/// Every broken rule, in words.
pub fn audit(shared: &Shared, max_paid_calls: u32) -> Vec<String> {
    let at_rest = is_at_rest(shared);
    let now = shared.now();
    let mut world = shared.lock();
    let mut wrong = std::mem::take(&mut world.broken_promises);
    let mut hold = |holds: bool, rule: &str| {
        if !holds {
            wrong.push(rule.to_owned());
        }
    };
    let rows = world.record.attempts();
    let ledger = &world.shop.ledger;
    let bound = usize::try_from(max_paid_calls).unwrap_or(usize::MAX);
    hold(ledger.len() <= rows.len(), "I2: more calls were accepted than there are rows");
    hold(rows.len() <= bound, "I2: there are more rows than max_paid_calls");
    hold(every_call_has_one_row(ledger, &rows), "I3: a call has no row, or a row stands for two");
    let wanted = ledger.iter().filter(|call| !call.is_for_nothing()).count();
    let cancelled = world.record.status == Status::Cancelled;
    hold(
        wanted <= world.case.promise() || cancelled && wanted <= bound,
        "I4: more was paid than the table allows",
    );
    hold(world.record.events.len() <= 1, "I6: there are two ends");
    let said_cancelled = world.case.cancel.is_some_and(|cancel| cancel.point <= world.points);
    let first_end = world.record.events.first();
    hold(world.record.status.is_terminal() == first_end.is_some(), "I6: an end without an event");
    hold(first_end.is_none_or(|end| *end == world.record.status), "I6: the end has changed");
    hold(!said_cancelled || first_end.is_some(), "I7: the API has cancelled and the job goes on");
    hold(world.bucket.replaced.is_empty(), "I9: the bytes under an output key were replaced");
    hold(at_rest, "I12: the job has not ended and is not held");
    spend(&world, &rows, &mut hold);
    results(&world, &rows, &mut hold);
    if !replays(&mut world, now) {
        wrong.push("I11: journal calls that were sent again have changed the record".to_owned());
    }
    reached(&mut world);
    wrong
}

fn every_call_has_one_row(ledger: &[Accepted], rows: &[Attempt]) -> bool {
    let mut calls: BTreeMap<&str, usize> = BTreeMap::new();
    for call in ledger {
        *calls.entry(&call.reference).or_default() += 1;
    }
    calls.into_iter().all(|(reference, count)| {
        count == 1 && rows.iter().filter(|row| row.id.to_string() == reference).count() == 1
    })
}

/// I8: what the provider charged is priced, or reserved, row by row and in the sum.
fn spend(world: &World, rows: &[Attempt], hold: &mut impl FnMut(bool, &str)) {
    let mut charged = 0;
    for call in &world.shop.ledger {
        let usage = call.charged();
        let cost = card().and_then(|card| card.derive(domain::provider::Provider::Fal, MODEL, &usage));
        let Some(cost) = cost else {
            hold(false, "the rate card does not know the model of the simulation");
            return;
        };
        charged += cost.amount.micros();
        let row = rows.iter().find(|row| row.id.to_string() == call.reference);
        let counted = row.map_or(0, |row| committed(row).micros());
        hold(counted >= cost.amount.micros(), "I8: a charged call is neither priced nor reserved");
    }
    let sum: i64 = rows.iter().map(|row| committed(row).micros()).sum();
    hold(charged <= sum, "I8: the ledger's sum exceeds what is priced and reserved");
}

/// A success has its object, of an attempt that was paid; and nothing is left open.
fn results(world: &World, rows: &[Attempt], hold: &mut impl FnMut(bool, &str)) {
    let succeeded = world.record.status == Status::Succeeded;
    hold(!succeeded || world.bucket.has_result(), "A20: the job has succeeded and nothing is stored");
    let found_in_vain = world.record.status == Status::Failed && world.bucket.has_result();
    hold(!found_in_vain || world.case.zombies() > 0, "A21: the job has failed and its result is stored");
    let open = |row: &Attempt| matches!(row.state, State::Open | State::Accepted);
    let ended = world.record.status.is_terminal();
    hold(!(ended && rows.iter().any(open)), "B4: the job has ended and a call is left open");
    if let Some(payer) = world.bucket.meta(metadata::ATTEMPT) {
        let paid = world.shop.ledger.iter().any(|call| call.reference == payer && !call.is_for_nothing());
        hold(paid, "A23: the stored result names an attempt that has none");
    }
    let marked = rows.iter().filter(|row| row.state == State::Succeeded).count();
    hold(marked <= 1, "B6: two attempts are marked as the one whose result is stored");
}

/// I11: everything that was written is written again, and changes nothing.
fn replays(world: &mut World, now: chrono::DateTime<chrono::Utc>) -> bool {
    let before = seen(&world.record);
    let calls: Vec<Call> = world.journaled.clone();
    for call in &calls {
        world.journal(call, now);
    }
    seen(&world.record) == before
}

type Seen = (Status, u32, usize, Vec<(State, Option<String>, i64)>);

fn seen(record: &Record) -> Seen {
    let row = |row: &crate::record::Row| {
        let attempt = &row.attempt;
        (attempt.state, attempt.provider_request_id.clone(), committed(attempt).micros())
    };
    (record.status, record.paid_calls, record.events.len(), record.rows.iter().map(row).collect())
}

fn reached(world: &mut World) {
    let end = match world.record.status {
        Status::Succeeded => Some(Reached::Succeeded),
        Status::Failed => Some(Reached::Failed),
        Status::Cancelled => Some(Reached::Cancelled),
        Status::Waiting => Some(Reached::HeldUnknown),
        Status::Queued | Status::Running => None,
    };
    world.reached.extend(end);
}
