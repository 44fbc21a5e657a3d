//! One run from its case to the auditor's word, and the search for the least case that still fails.

use std::collections::BTreeSet;

use domain::callback_url::Loopback;
use domain::generation::{GenerationRequest, Spec};
use serde_json::json;

use crate::audit::audit;
use crate::bucket::Bucket;
use crate::case::{Case, Profile};
use crate::control::Control;
use crate::provider::{MODEL, SECONDS, Shop};
use crate::record::Record;
use crate::world::{Reached, Shared, World};

/// Calls that a job may pay for.
const MAX_PAID_CALLS: u32 = 3;
/// More than those, so that the record's bound is the one that holds (B5).
const ATTEMPTS: u32 = 5;

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Requests that were sent: the points at which a fault can strike.
    pub points: u32,
    /// Calls that the provider accepted.
    pub accepted: usize,
    pub reached: BTreeSet<Reached>,
    /// Rules that were broken.
    pub wrong: Vec<String>,
    /// Everything that happened, if it was asked for.
    pub trace: Vec<String>,
}

/// Runs a case.
pub fn run(case: &Case) -> Outcome {
    simulate(case, false)
}

/// Runs a case and writes down everything that happens.
pub fn traced(case: &Case) -> Outcome {
    simulate(case, true)
}

fn simulate(case: &Case, trace: bool) -> Outcome {
    let failed = |why: &str| Outcome { wrong: vec![why.to_owned()], ..Outcome::default() };
    let Some(spec) = spec(case) else {
        return failed("the simulation's own request is invalid");
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let Ok(runtime) = runtime else {
        return failed("no runtime could be made");
    };
    runtime.block_on(async {
        let world = World {
            case: case.clone(),
            record: Record::new(spec.clone(), case.profile == Profile::Callback, case.broken),
            bucket: Bucket::new(case.broken),
            shop: Shop::new(case.profile, case.script, case.broken),
            points: 0,
            reached: BTreeSet::new(),
            broken_promises: Vec::new(),
            journaled: Vec::new(),
            trace: trace.then(Vec::new),
            reachable: None,
        };
        let shared = Shared::new(world);
        Control::new(&shared, spec).drive().await;
        let wrong = audit(&shared, MAX_PAID_CALLS);
        let mut world = shared.lock();
        Outcome {
            points: world.points,
            accepted: world.shop.ledger.len(),
            reached: std::mem::take(&mut world.reached),
            wrong,
            trace: world.trace.take().unwrap_or_default(),
        }
    })
}

fn spec(case: &Case) -> Option<Spec> {
    let body = json!({
        "kind": "video",
        "input": {"prompt": "a cat", "duration_seconds": SECONDS},
        "chain": [{"provider": "fal", "model": MODEL, "attempts": ATTEMPTS}],
        "on_unknown": case.on_unknown,
        "max_paid_calls": MAX_PAID_CALLS,
    });
    GenerationRequest::parse(body, Loopback::Refused).ok().map(|request| request.spec)
}

/// The smallest case that still fails: no fault, and no cancellation, that is not needed for it.
pub fn shrink(case: &Case) -> Case {
    let mut least = case.clone();
    loop {
        let mut smaller: Vec<Case> = Vec::new();
        if least.cancel.is_some() {
            smaller.push(Case { cancel: None, ..least.clone() });
        }
        for place in 0..least.faults.len() {
            let mut faults = least.faults.clone();
            faults.remove(place);
            smaller.push(Case { faults, ..least.clone() });
        }
        let Some(failing) = smaller.into_iter().find(|case| !run(case).wrong.is_empty()) else {
            return least;
        };
        least = failing;
    }
}
