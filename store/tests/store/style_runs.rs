//! Style runs: creation, transitions, decisions, and their events.

use domain::callback_url::Loopback;
use domain::canonical::RequestHash;
use domain::error::{Code, Failure};
use domain::generation::GenerationRequest;
use domain::idempotency::IdempotencyKey;
use domain::job::Status;
use domain::output::StoredOutput;
use domain::style_run::{DecisionRequest, State, StyleRunRequest};
use domain::{JobId, StyleRunId};
use futures::future::join_all;
use serde_json::{Value, json};
use store::jobs::{self, Caller as Owner, Ending, NewJob};
use store::style_runs::{
    Caller, Creation, Decided, Moved, NewDecision, NewRun, StyleRun, approve_best, cancel, create, decide,
    end, find, get, idle, list, open_review, plan, prolong, remind,
};
use store::{Db, jobs::Found};
use uuid::Uuid;

use crate::fixture::Fixture;

pub fn body() -> Value {
    json!({
        "brief": "a street at night",
        "template": {"kind": "image", "input": {"prompt": "street"}, "chain": [{"provider": "fal", "model": "fal-ai/flux/dev"}]},
        "variations": [{"prompt": "neon"}, {"prompt": "fog"}],
        "max_rounds": 2,
        "callback_url": "https://hooks.studio.com/afc"
    })
}

pub async fn make(fixture: &Fixture, db: Db<'_>, key: &str, body: Value) -> Creation {
    let request = StyleRunRequest::parse(body, Loopback::Refused).unwrap();
    let key = IdempotencyKey::parse(key.as_bytes()).unwrap();
    let id = StyleRunId::new(Uuid::now_v7());
    create(db, &NewRun { id, client_key: fixture.key, idempotency_key: &key, request: &request, trace: None })
        .await
        .unwrap()
}

pub async fn new_run(fixture: &Fixture, change: impl FnOnce(&mut Value)) -> StyleRunId {
    let mut body = body();
    change(&mut body);
    let made = make(fixture, fixture.db(), &Uuid::new_v4().to_string(), body).await;
    let Creation::Created(run) = made else { unreachable!("{made:?}") };
    run.id
}

/// Plans the next round and brings its generations to these ends.
pub async fn generate(fixture: &Fixture, run: StyleRunId, statuses: [Status; 2]) -> Box<StyleRun> {
    let db = fixture.db();
    let standing = get(db, run).await.unwrap().unwrap();
    let round = standing.round + 1;
    let bodies =
        domain::style_run::plan(run, &standing.spec, &standing.spec.variations, round, None, None).unwrap();
    let ids = [JobId::new(Uuid::new_v4()), JobId::new(Uuid::new_v4())];
    let moved = plan(db, run, round, &ids, &bodies).await.unwrap();
    let Moved::Won(planned) = moved else { unreachable!("{moved:?}") };
    assert_eq!(planned.current().iter().map(|one| one.job).collect::<Vec<_>>(), ids);
    for ((job, body), status) in ids.into_iter().zip(bodies).zip(statuses) {
        let request = GenerationRequest::parse(body, Loopback::Refused).unwrap();
        let key = IdempotencyKey::parse(format!("{run}/{round}/{job}").as_bytes()).unwrap();
        let (caller, first_call) = (Owner::Run(run), None);
        let new =
            NewJob { id: job, caller, idempotency_key: &key, request: &request, first_call, trace: None };
        assert!(matches!(jobs::create(db, &new).await.unwrap(), jobs::Creation::Created(_)));
        let output = StoredOutput {
            index: 0,
            key: format!("generations/{job}/output/0"),
            content_type: "image/png".to_owned(),
            bytes: 3,
            sha256: "00".repeat(32),
        };
        let ending = match status {
            Status::Succeeded => Ending::Succeeded(vec![output]),
            Status::Cancelled => Ending::Cancelled,
            Status::Queued | Status::Running | Status::Waiting | Status::Failed => {
                Ending::Failed(Failure::new(Code::ProviderError, "no"))
            }
        };
        jobs::finish(db, job, &ending, chrono::Utc::now(), "{}").await.unwrap();
    }
    Box::new(get(db, run).await.unwrap().unwrap())
}

pub async fn in_review(fixture: &Fixture, change: impl FnOnce(&mut Value)) -> Box<StyleRun> {
    let run = new_run(fixture, change).await;
    generate(fixture, run, [Status::Succeeded, Status::Failed]).await;
    won(open_review(fixture.db(), run, 1000).await.unwrap())
}

pub fn won(moved: Moved) -> Box<StyleRun> {
    let Moved::Won(run) = moved else { unreachable!("{moved:?}") };
    run
}

/// A decision under `key`, on `version`.
async fn say(
    db: Db<'_>,
    caller: Caller,
    run: &StyleRun,
    key: &str,
    version: Option<i64>,
    body: Value,
) -> Decided {
    let request = DecisionRequest::parse(body, &run.spec.template).unwrap();
    let key = IdempotencyKey::parse(key.as_bytes()).unwrap();
    let id = Uuid::new_v4();
    let new = NewDecision { id, run: run.id, caller, idempotency_key: &key, version, request: &request };
    decide(db, &new).await.unwrap()
}

fn approve(index: u32) -> Value {
    json!({"action": "approve", "reviewer": "director", "candidates": [index]})
}

fn revise() -> Value {
    json!({"action": "revise", "reviewer": "director", "notes": "warmer", "marks": [{"candidate": 0, "mark": 4}]})
}

async fn told(fixture: &Fixture, run: StyleRunId) -> Vec<String> {
    let sql = "select event_type from outbox_events where run_id = $1 and kind = 'webhook' order by id";
    let rows = fixture.client.query(sql, &[&run.uuid()]).await.unwrap();
    rows.iter().map(|row| row.get::<_, String>(0)).collect()
}

async fn count(fixture: &Fixture, sql: &str) -> i64 {
    fixture.client.query_one(sql, &[]).await.unwrap().get(0)
}

/// Moves every deadline and reminder into the past.
async fn let_time_pass(fixture: &Fixture) {
    let sql = "update style_runs set review_deadline_at = now() - interval '1 day' where review_deadline_at is not null;
        update style_runs set next_reminder_at = now() - interval '2 days' where next_reminder_at is not null";
    fixture.client.batch_execute(sql).await.unwrap();
}

#[tokio::test]
async fn a7_one_key_is_one_run_however_many_ask_at_once() {
    let fixture = Fixture::new().await;
    let clients = join_all((0..20).map(|_| async { fixture.database.client().await.unwrap() })).await;
    let made = join_all(clients.iter().map(|client| make(&fixture, Db::new(client), "k", body()))).await;
    let created = made.iter().filter(|made| matches!(made, Creation::Created(_))).count();
    let replayed = made.iter().filter(|made| matches!(made, Creation::Replayed(_))).count();
    assert_eq!((created, replayed), (1, 19));
    assert_eq!(count(&fixture, "select count(*) from style_runs").await, 1);
    assert_eq!(count(&fixture, "select count(*) from outbox_events").await, 1);
    let mut other = body();
    other["brief"] = json!("another");
    assert!(matches!(make(&fixture, fixture.db(), "k", other).await, Creation::Conflict { .. }));
}

#[tokio::test]
async fn i11_a_round_is_planned_once_and_its_first_plan_stands() {
    let fixture = Fixture::new().await;
    let run = new_run(&fixture, |_| ()).await;
    let before = generate(&fixture, run, [Status::Succeeded, Status::Failed]).await;
    let again = plan(fixture.db(), run, 1, &[JobId::new(Uuid::new_v4())], &[json!({})]).await.unwrap();
    assert_eq!(again, Moved::Stands(before.clone()));
    let skipped = plan(fixture.db(), run, 3, &[JobId::new(Uuid::new_v4())], &[json!({})]).await.unwrap();
    assert_eq!(skipped, Moved::Stands(before));
    // Each generation's end wakes the run.
    assert_eq!(count(&fixture, "select count(*) from outbox_events where event_id like '%\\_wake'").await, 2);
}

#[tokio::test]
async fn a41_a_decision_its_state_and_its_events_are_one() {
    let fixture = Fixture::new().await;
    let run = in_review(&fixture, |_| ()).await;
    let caller = Caller::Key(fixture.key);
    let Decided::Won(revised) = say(fixture.db(), caller, &run, "k1", Some(run.version), revise()).await
    else {
        unreachable!()
    };
    assert_eq!((revised.state, revised.version), (State::Revising, run.version + 1));
    assert_eq!(revised.decisions[0].notes.as_deref(), Some("warmer"));
    let second = generate(&fixture, run.id, [Status::Succeeded, Status::Succeeded]).await;
    assert_eq!(second.current()[0].mark, Some(4));
    let second = won(open_review(fixture.db(), run.id, 1000).await.unwrap());
    assert!(matches!(
        say(fixture.db(), caller, &second, "k2", None, revise()).await,
        Decided::NoRoundLeft(_)
    ));
    let Decided::Won(approved) = say(fixture.db(), caller, &second, "k3", None, approve(1)).await else {
        unreachable!()
    };
    assert_eq!(approved.state, State::Approved);
    let chosen: Vec<_> =
        approved.candidates.iter().filter(|one| one.approved).map(|one| (one.round, one.index)).collect();
    assert_eq!(chosen, [(2, 1)]);
    let wanted = ["review_requested", "decided", "review_requested", "decided", "approved"];
    assert_eq!(told(&fixture, run.id).await, wanted.map(|name| format!("style_run.{name}")));
}

#[tokio::test]
async fn a41_of_two_reviewers_one_wins_and_the_other_sees_what_stands() {
    let fixture = Fixture::new().await;
    let run = in_review(&fixture, |_| ()).await;
    let clients = join_all((0..10).map(|_| async { fixture.database.client().await.unwrap() })).await;
    let said = join_all(clients.iter().enumerate().map(|(n, client)| {
        let (run, body) = (run.clone(), if n % 2 == 0 { approve(0) } else { revise() });
        async move { say(Db::new(client), Caller::Link, &run, &format!("k{n}"), None, body).await }
    }))
    .await;
    let winners = said.iter().filter(|said| matches!(said, Decided::Won(_))).count();
    let late: Vec<_> =
        said.iter().filter_map(|said| if let Decided::Late(run) = said { Some(run) } else { None }).collect();
    assert_eq!((winners, late.len()), (1, 9));
    assert!(late.iter().all(|run| run.decision_of(1).is_some() && run.state != State::AwaitingReview));
    assert_eq!(count(&fixture, "select count(*) from style_decisions").await, 1);
}

#[tokio::test]
async fn i11_a_double_click_is_one_decision() {
    let fixture = Fixture::new().await;
    let run = in_review(&fixture, |_| ()).await;
    let clients = join_all((0..10).map(|_| async { fixture.database.client().await.unwrap() })).await;
    let said =
        join_all(
            clients.iter().map(|client| {
                let run = run.clone();
                async move {
                    say(Db::new(client), Caller::Link, &run, "click", Some(run.version), approve(0)).await
                }
            }),
        )
        .await;
    let winners = said.iter().filter(|said| matches!(said, Decided::Won(_))).count();
    let replays = said.iter().filter(|said| matches!(said, Decided::Replayed(_))).count();
    assert_eq!((winners, replays), (1, 9));
    let other = say(fixture.db(), Caller::Link, &run, "click", None, revise()).await;
    assert!(matches!(other, Decided::KeyConflict(_)));
    assert_eq!(
        count(&fixture, "select count(*) from outbox_events where event_type like '%approved'").await,
        1
    );
}

#[tokio::test]
async fn a41_a_decision_that_does_not_fit_changes_nothing() {
    let fixture = Fixture::new().await;
    let run = in_review(&fixture, |_| ()).await;
    let db = fixture.db();
    for (version, body) in [(None, approve(1)), (None, approve(7))] {
        // 1 failed, 7 never was.
        assert!(matches!(say(db, Caller::Link, &run, "k", version, body).await, Decided::NoSuchCandidate(_)));
    }
    let stale = say(db, Caller::Link, &run, "k", Some(run.version - 1), approve(0)).await;
    assert!(matches!(stale, Decided::Stale(_)));
    let stranger = Caller::Key(store::clients::KeyHash::new([9; 32]));
    assert_eq!(say(db, stranger, &run, "k", None, approve(0)).await, Decided::Unauthenticated);
    crate::fixture::add_client(db, store::clients::KeyHash::new([9; 32])).await;
    assert_eq!(say(db, stranger, &run, "k", None, approve(0)).await, Decided::NotFound);
    assert_eq!(*run, get(db, run.id).await.unwrap().unwrap());
    assert_eq!(find(db, stranger, run.id).await.unwrap(), Found::NotFound);
    assert_eq!(find(db, Caller::Link, StyleRunId::new(Uuid::new_v4())).await.unwrap(), Found::NotFound);
}

#[tokio::test]
async fn a40_reminders_keep_the_version_and_the_deadline_decides_only_when_it_has_passed() {
    let fixture = Fixture::new().await;
    let db = fixture.db();
    let run =
        in_review(&fixture, |body| body["review"] = json!({"deadline_seconds": 600, "reminder_seconds": 60}))
            .await;
    assert!(matches!(remind(db, run.id, 1000).await.unwrap(), Moved::Stands(_)));
    assert!(matches!(prolong(db, run.id, 1000).await.unwrap(), Moved::Stands(_)));
    assert!(matches!(end(db, run.id, None).await.unwrap(), Moved::Stands(_)));
    assert!(matches!(approve_best(db, run.id, 0).await.unwrap(), Moved::Stands(_)));
    let_time_pass(&fixture).await;
    let reminded = won(remind(db, run.id, 1000).await.unwrap());
    assert_eq!((reminded.version, reminded.reminders), (run.version, 1));
    assert!(matches!(remind(db, run.id, 1000).await.unwrap(), Moved::Stands(_)));
    let prolonged = won(prolong(db, run.id, 1000).await.unwrap());
    assert_eq!((prolonged.version, prolonged.reminders), (run.version, 2));
    assert!(matches!(approve_best(db, run.id, 0).await.unwrap(), Moved::Stands(_)));
    let_time_pass(&fixture).await;
    let approved = won(approve_best(db, run.id, 0).await.unwrap());
    assert_eq!((approved.state, approved.decisions[0].reviewer.as_deref()), (State::Approved, None));
    assert!(matches!(end(db, run.id, None).await.unwrap(), Moved::Stands(_)));
    assert_eq!(told(&fixture, run.id).await.len(), 5);
}

#[tokio::test]
async fn i6_a_run_ends_once_whoever_ends_it() {
    let fixture = Fixture::new().await;
    let run = in_review(&fixture, |_| ()).await;
    let_time_pass(&fixture).await;
    let clients = join_all((0..4).map(|_| async { fixture.database.client().await.unwrap() })).await;
    let [one, two, three, four] = &clients[..] else { unreachable!() };
    let failure = Failure::new(Code::Internal, "x");
    let (expired, failed, cancelled, approved) = futures::join!(
        end(Db::new(one), run.id, None),
        end(Db::new(two), run.id, Some(&failure)),
        cancel(Db::new(three), run.id),
        say(Db::new(four), Caller::Link, &run, "k", None, approve(0)),
    );
    let moved =
        [expired, failed, cancelled].into_iter().filter(|moved| matches!(moved, Ok(Moved::Won(_)))).count();
    assert_eq!(moved + usize::from(matches!(approved, Decided::Won(_))), 1);
    let ended = get(fixture.db(), run.id).await.unwrap().unwrap();
    assert!(ended.state.is_terminal());
    let last = told(&fixture, run.id).await.pop().unwrap();
    assert_eq!(last, format!("style_run.{}", ended.state));
}

#[tokio::test]
async fn i12_a_run_that_should_go_on_is_found_and_one_that_waits_for_a_person_is_not() {
    let fixture = Fixture::new().await;
    let queued = new_run(&fixture, |_| ()).await;
    let waiting = in_review(&fixture, |_| ()).await.id;
    let db = fixture.db();
    assert_eq!(idle(db, 60_000, 10).await.unwrap(), []);
    let age = "update style_runs set updated_at = now() - interval '1 hour'";
    fixture.client.batch_execute(age).await.unwrap();
    assert_eq!(idle(db, 60_000, 10).await.unwrap(), [queued]);
    assert_eq!(idle(db, 60_000, 10).await.unwrap(), [], "it was touched");
    let_time_pass(&fixture).await;
    assert_eq!(idle(db, 60_000, 10).await.unwrap(), [waiting]);
}

#[tokio::test]
async fn runs_are_listed_newest_first_in_pages() {
    let fixture = Fixture::new().await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(new_run(&fixture, |_| ()).await);
    }
    let page = async |before| match list(fixture.db(), fixture.key, before, 2).await.unwrap() {
        Found::Found(runs) => runs.into_iter().map(|run| run.id).collect::<Vec<_>>(),
        other @ (Found::NotFound | Found::Unauthenticated) => unreachable!("{other:?}"),
    };
    assert_eq!(page(None).await, [ids[2], ids[1]]);
    assert_eq!(page(Some(ids[1])).await, [ids[0]]);
    let hash = RequestHash::of(&body()).unwrap();
    assert_eq!(hash, StyleRunRequest::parse(body(), Loopback::Refused).unwrap().hash);
}
