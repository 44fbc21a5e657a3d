//! A human's word on an unknown attempt.

use std::collections::BTreeMap;

use domain::attempt::{AttemptError, Cost, CostSource, ErrorClass, NEVER_ARRIVED, State};
use domain::journal::{Entry, EntryAnswer, Open};
use domain::resolution::Resolution;
use domain::{AttemptId, JobId, Usd};
use store::journal::{Lease, take_lease};
use store::sweep::find;
use store::unknown::{Reported, Resolved, list, report, resolve};
use store::{attempts, jobs};
use uuid::Uuid;

use crate::fixture::{Fixture, leased, open, record, wanted};

async fn opened(fixture: &Fixture) -> (JobId, AttemptId, i64) {
    let job = fixture.job(|_| ()).await.id;
    let lease = leased(fixture.db(), job).await;
    let wanted = Open { reserved: Some("3.20".parse().unwrap()), ..wanted() };
    open(fixture.db(), job, lease, &wanted).await.unwrap();
    (job, wanted.attempt, lease)
}

async fn unknown(fixture: &Fixture) -> (JobId, AttemptId) {
    let (job, attempt, lease) = opened(fixture).await;
    let error = AttemptError {
        class: ErrorClass::Unknown,
        code: None,
        message: "reset".into(),
        retry_after_seconds: None,
    };
    record(fixture.db(), job, lease, attempt, &Entry::Unknown { error }).await.unwrap();
    (job, attempt)
}

#[tokio::test]
async fn b3_each_word_settles_the_attempt_once() {
    let fixture = Fixture::new().await;
    let paid = Resolution::Paid { provider_request_id: "r7".into() };
    for (word, state, spent) in [
        (paid, State::Accepted, "0.000000 3.200000"),
        (Resolution::NotPaid, State::Failed, "0.000000 0.000000"),
        (Resolution::Retry, State::Abandoned, "0.000000 3.200000"),
    ] {
        let (job, attempt) = unknown(&fixture).await;
        assert_eq!(list(fixture.db(), 10).await.unwrap()[0].id, attempt);
        assert_eq!(resolve(fixture.db(), attempt, &word).await.unwrap(), Resolved::Recorded(job));
        assert_eq!(
            resolve(fixture.db(), attempt, &Resolution::Retry).await.unwrap(),
            Resolved::Stands(state)
        );
        assert_eq!(attempts::of_job(fixture.db(), job).await.unwrap()[0].state, state);
        let spend = jobs::get(fixture.db(), job).await.unwrap().unwrap().spend;
        assert_eq!(format!("{} {}", spend.priced, spend.reserved), spent);
        let committed = "select committed::text from jobs where id = $1";
        let committed: String = fixture.client.query_one(committed, &[&job.uuid()]).await.unwrap().get(0);
        assert_eq!(committed, spent.split(' ').nth(1).unwrap());
    }
    assert!(list(fixture.db(), 10).await.unwrap().is_empty());
    let nobody = AttemptId::new(Uuid::new_v4());
    assert_eq!(resolve(fixture.db(), nobody, &Resolution::NotPaid).await.unwrap(), Resolved::Missing);
}

#[tokio::test]
async fn i3_a_providers_name_is_one_attempts() {
    let fixture = Fixture::new().await;
    let (job, first, lease) = opened(&fixture).await;
    let accepted = Entry::Accepted { provider_request_id: "r1".into(), captured: BTreeMap::new() };
    record(fixture.db(), job, lease, first, &accepted).await.unwrap();
    let second = wanted();
    open(fixture.db(), job, lease, &second).await.unwrap();
    let answer = record(fixture.db(), job, lease, second.attempt, &accepted).await.unwrap();
    assert_eq!(answer, EntryAnswer::Unchanged);
    let answer = record(fixture.db(), job, lease - 1, second.attempt, &accepted).await.unwrap();
    assert_eq!(answer, EntryAnswer::StaleLease);
    let reported = report(fixture.db(), second.attempt, "r1", &BTreeMap::new()).await.unwrap();
    assert_eq!(reported, Reported::Known);
    let rows = attempts::of_job(fixture.db(), job).await.unwrap();
    let names: Vec<_> = rows.iter().map(|row| (row.state, row.provider_request_id.as_deref())).collect();
    assert_eq!(names, [(State::Accepted, Some("r1")), (State::Open, None)]);
}

#[tokio::test]
async fn b3_a_callback_makes_an_unknown_attempt_known_once() {
    let fixture = Fixture::new().await;
    let (job, attempt) = unknown(&fixture).await;
    jobs::wait(fixture.db(), job, "nobody can tell").await.unwrap();
    let long_ago = "update jobs set updated_at = updated_at - interval '1 day'";
    fixture.client.execute(long_ago, &[]).await.unwrap();
    assert!(find(fixture.db(), 1, 60_000, 10).await.unwrap().idle.is_empty(), "a held job has an owner");
    assert_eq!(report(fixture.db(), attempt, "r7", &BTreeMap::new()).await.unwrap(), Reported::Learned(job));
    assert_eq!(report(fixture.db(), attempt, "r7", &BTreeMap::new()).await.unwrap(), Reported::Known);
    assert_eq!(
        report(fixture.db(), attempt, "r8", &BTreeMap::new()).await.unwrap(),
        Reported::Another { known: job }
    );
    let nobody = AttemptId::new(Uuid::new_v4());
    assert_eq!(report(fixture.db(), nobody, "r7", &BTreeMap::new()).await.unwrap(), Reported::Missing);

    // An attempt that was given up keeps its end and gets its name.
    let (job_given_up, given_up) = unknown(&fixture).await;
    resolve(fixture.db(), given_up, &Resolution::Retry).await.unwrap();
    assert_eq!(report(fixture.db(), given_up, "r9", &BTreeMap::new()).await.unwrap(), Reported::Known);
    let row = &attempts::of_job(fixture.db(), job_given_up).await.unwrap()[0];
    assert_eq!((row.state, row.provider_request_id.as_deref()), (State::Abandoned, Some("r9")));

    let Lease::Granted { lease, attempts, .. } = take_lease(fixture.db(), job).await.unwrap() else {
        unreachable!()
    };
    assert_eq!(
        (attempts[0].state, attempts[0].provider_request_id.as_deref()),
        (State::Accepted, Some("r7"))
    );
    let class = ErrorClass::Unknown;
    let error = AttemptError { class, code: None, message: "who knows".into(), retry_after_seconds: None };
    for late in [Entry::Unknown { error: error.clone() }, Entry::Abandoned { error }] {
        assert_eq!(record(fixture.db(), job, lease, attempt, &late).await.unwrap(), EntryAnswer::Unchanged);
    }
    let own =
        Entry::Accepted { provider_request_id: "r7".into(), captured: [("a".into(), "b".into())].into() };
    assert_eq!(record(fixture.db(), job, lease, attempt, &own).await.unwrap(), EntryAnswer::Written);
}

/// What a process learned from the provider is true even after it lost its lease (B8): else a paid call would stand
/// nowhere, or as one that cost nothing (I8).
#[tokio::test]
async fn i8_an_acceptance_that_comes_after_the_lease_is_lost_is_refused_and_still_known() {
    let fixture = Fixture::new().await;
    let captured = BTreeMap::from([("polling_url".to_owned(), "https://eu.bfl.ai/r1".to_owned())]);
    let accepted = || Entry::Accepted { provider_request_id: "r1".into(), captured: captured.clone() };
    let never = || {
        let class = ErrorClass::Retryable;
        let code = Some(NEVER_ARRIVED.to_owned());
        Entry::Failed {
            error: AttemptError { class, code, message: "absent".into(), retry_after_seconds: None },
        }
    };
    let free = || Entry::Settled {
        usage: None,
        cost: Some(Cost { amount: Usd::ZERO, source: CostSource::Local, rates: None }),
    };
    // The zombie's word against the newer process's, in each order.
    for order in ["ZF", "FZS", "FSZ"] {
        let (job, attempt, zombie) = opened(&fixture).await;
        let lease = leased(fixture.db(), job).await;
        let mut answers = Vec::new();
        for step in order.chars() {
            let (lease, entry) = match step {
                'Z' => (zombie, accepted()),
                'F' => (lease, never()),
                _ => (lease, free()),
            };
            answers.push(record(fixture.db(), job, lease, attempt, &entry).await.unwrap());
        }
        let zombies = order.find('Z').unwrap();
        assert_eq!(answers[zombies], EntryAnswer::StaleLease, "{order}");
        let row = &attempts::of_job(fixture.db(), job).await.unwrap()[0];
        let state = if zombies == 0 { State::Accepted } else { State::Failed };
        assert_eq!((row.state, row.provider_request_id.as_deref()), (state, Some("r1")), "{order}");
        assert_eq!(row.captured, captured, "{order}");
        let standing = jobs::get(fixture.db(), job).await.unwrap().unwrap();
        assert_eq!(standing.fenced_writes, 1, "{order}");
        let spend = &standing.spend;
        assert_eq!((row.cost.as_ref(), spend.priced), (None, Usd::ZERO), "{order}");
        assert_eq!(spend.reserved.to_string(), "3.200000", "{order}");
        let committed = "select committed::text from jobs where id = $1";
        let committed: String = fixture.client.query_one(committed, &[&job.uuid()]).await.unwrap().get(0);
        assert_eq!(committed, "3.200000", "{order}");
    }
}
