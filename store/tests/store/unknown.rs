//! A human's word on an unknown attempt.

use domain::attempt::{AttemptError, ErrorClass, State};
use domain::journal::{Entry, EntryAnswer, Open};
use domain::provider::Provider;
use domain::resolution::Resolution;
use domain::{AttemptId, JobId};
use serde_json::json;
use store::journal::{Lease, take_lease};
use store::sweep::find;
use store::unknown::{Reported, Resolved, list, report, resolve};
use store::{attempts, jobs};
use uuid::Uuid;

use crate::fixture::{Fixture, open, record};

async fn unknown(fixture: &Fixture) -> (JobId, AttemptId) {
    let job = fixture.job(|_| ()).await.id;
    let Lease::Granted { lease, .. } = take_lease(fixture.db(), job).await.unwrap() else { unreachable!() };
    let wanted = Open {
        attempt: AttemptId::new(Uuid::new_v4()),
        chain_index: 0,
        provider: Provider::Fal,
        model: "fal-ai/veo3.1".into(),
        request: json!({"prompt": "a cat"}),
        reserved: Some("3.20".parse().unwrap()),
    };
    open(fixture.db(), job, lease, &wanted).await.unwrap();
    let error = AttemptError {
        class: ErrorClass::Unknown,
        code: None,
        message: "reset".into(),
        retry_after_seconds: None,
    };
    record(fixture.db(), job, lease, wanted.attempt, &Entry::Unknown { error }).await.unwrap();
    (job, wanted.attempt)
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
async fn b3_a_callback_makes_an_unknown_attempt_known_once() {
    let fixture = Fixture::new().await;
    let (job, attempt) = unknown(&fixture).await;
    let long_ago = "update jobs set updated_at = updated_at - interval '1 day'";
    fixture.client.execute(long_ago, &[]).await.unwrap();
    assert!(find(fixture.db(), 1, 10).await.unwrap().idle.is_empty(), "a held job has an owner");
    assert_eq!(report(fixture.db(), attempt, "r7").await.unwrap(), Reported::Learned(job));
    assert_eq!(report(fixture.db(), attempt, "r7").await.unwrap(), Reported::Known);
    assert_eq!(report(fixture.db(), attempt, "r8").await.unwrap(), Reported::Another { known: job });
    let nobody = AttemptId::new(Uuid::new_v4());
    assert_eq!(report(fixture.db(), nobody, "r7").await.unwrap(), Reported::Missing);

    // An attempt that was given up keeps its end and gets its name.
    let (job_given_up, given_up) = unknown(&fixture).await;
    resolve(fixture.db(), given_up, &Resolution::Retry).await.unwrap();
    assert_eq!(report(fixture.db(), given_up, "r9").await.unwrap(), Reported::Known);
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
