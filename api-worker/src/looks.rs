//! Later looks at attempts whose fate or price was not known when they ended: claimed by the sweeper, carried out by an
//! executor, written down here.

use std::collections::BTreeMap;

use domain::JobId;
use domain::execution::{Finding, Look, LookAt, Looked};
use futures::future::join_all;
use platform::{log, session};
use serde_json::json;
use store::looks::Due;
use store::unknown::Reported;
use worker::Env;

use crate::config;
use crate::generation::{ask_to_look, wake};

/// Looks of one pass. Each job's may start a container, and they are begun at once.
const LIMIT: i64 = 16;

/// What looks came to.
#[derive(Default)]
struct Tally {
    found: usize,
    priced: usize,
    nothing: usize,
    lost: usize,
}

/// Carries out the looks that are due, and says how many. Harmless beside itself: a look is claimed by one pass, and what it
/// finds is written once.
pub async fn sweep(env: &Env) -> usize {
    let second = config::timing(env).unwrap_or_default().look_second_ms;
    let claimed = session(env, async |db| store::looks::claim(db, second, LIMIT).await).await;
    let due = match claimed {
        Ok(due) => due,
        Err(error) => {
            log::error("sweep.looks", json!({"error": error.to_string()}));
            return 0;
        }
    };
    let count = due.len();
    let mut by_job = BTreeMap::<JobId, Vec<Due>>::new();
    for one in due {
        by_job.entry(one.job).or_default().push(one);
    }
    let tallies = join_all(by_job.into_iter().map(|(job, due)| look(env, job, due))).await;
    if count > 0 {
        note(env, &tallies).await;
    }
    count
}

async fn look(env: &Env, job: JobId, due: Vec<Due>) -> Tally {
    let count = due.len();
    let looked = match ask(env, job, due).await {
        Ok(looked) => looked,
        Err(error) => {
            log::error("look", json!({"job.id": job, "looks": count, "error": error}));
            return Tally { lost: count, ..Tally::default() };
        }
    };
    let mut tally = Tally { nothing: count.saturating_sub(looked.findings.len()), ..Tally::default() };
    for finding in looked.findings {
        match note_down(env, job, &finding).await {
            Ok(Noted::Found) => tally.found += 1,
            Ok(Noted::Priced) => tally.priced += 1,
            Ok(Noted::Nothing) => tally.nothing += 1,
            Err(error) => {
                log::error(
                    "look",
                    json!({"job.id": job, "attempt.id": finding.attempt, "error": error.to_string()}),
                );
                tally.lost += 1;
            }
        }
    }
    tally
}

async fn ask(env: &Env, job: JobId, due: Vec<Due>) -> Result<Looked, String> {
    let standing = session(env, async |db| store::jobs::get(db, job).await).await;
    let standing = standing.map_err(|error| error.to_string())?.ok_or("there is no such job")?;
    let at = |Due { attempt, request, others, job: _ }| LookAt { attempt, request, others };
    let attempts = due.into_iter().map(at).collect();
    let look = Look { job, spec: standing.spec, attempts };
    ask_to_look(env, &look).await.map_err(|failure| failure.message)
}

enum Noted {
    /// The provider has an attempt of which nobody knew that.
    Found,
    Priced,
    /// Somebody else was first.
    Nothing,
}

/// Twice: the second finds the first one's words standing.
async fn note_down(env: &Env, job: JobId, finding: &Finding) -> Result<Noted, store::Error> {
    let attempt = finding.attempt;
    let (reported, settled) = session(env, async |db| {
        let reported = match &finding.found {
            Some(found) => {
                Some(store::unknown::report(db, attempt, &found.provider_request_id, &found.captured).await?)
            }
            None => None,
        };
        let settled =
            store::looks::settle(db, attempt, finding.usage.as_ref(), finding.cost.as_ref()).await?;
        Ok((reported, settled))
    })
    .await?;
    log::info(
        "look",
        json!({"job.id": job, "attempt.id": attempt, "found": reported.map(|one| format!("{one:?}")),
            "cost": finding.cost.as_ref().map(|cost| cost.amount), "settled": settled}),
    );
    if let Some(Reported::Learned(job)) = reported {
        wake(env, job).await;
    }
    Ok(match (reported, settled) {
        (Some(_), _) => Noted::Found,
        (None, true) => Noted::Priced,
        (None, false) => Noted::Nothing,
    })
}

async fn note(env: &Env, tallies: &[Tally]) {
    let sum = |part: fn(&Tally) -> usize| tallies.iter().map(part).sum();
    let counts = [
        ("found", sum(|tally| tally.found)),
        ("priced", sum(|tally| tally.priced)),
        ("nothing", sum(|tally| tally.nothing)),
        ("lost", sum(|tally| tally.lost)),
    ];
    if let Err(error) = session(env, async |db| store::metrics::tally(db, "late_looks", &counts).await).await
    {
        log::error("sweep.tally", json!({"error": error.to_string()}));
    }
}
