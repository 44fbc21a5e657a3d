//! The way of a job that nothing goes wrong for, and what is found before any call.

use domain::attempt::{CostSource, State};
use domain::execution::Report;
use domain::output::key;
use serde_json::json;

use crate::support::bucket::Object;
use crate::support::{MODEL, Rig, UNPRICED, code, spec};

#[tokio::test]
async fn a20_an_execution_looks_takes_the_lease_opens_and_only_then_calls() {
    let rig = Rig::scripted(&json!({"units": "8"})).await;
    let Report::Succeeded { outputs } = rig.run().await else { panic!("no success") };
    assert_eq!(rig.accepted(), 1);
    let passed = rig.gates.passed();
    let order: Vec<&str> =
        passed.iter().map(String::as_str).filter(|name| !name.ends_with(":before")).collect();
    assert_eq!(
        order,
        [
            "bucket.head",
            "journal.lease",
            "journal.open",
            "journal.accepted",
            "journal.settled",
            "bucket.head",
            "bucket.put",
            "journal.succeeded"
        ]
    );
    let attempt = rig.attempt();
    assert_eq!(attempt.state, State::Succeeded);
    assert_eq!(attempt.provider_request_id.as_deref(), rig.calls()[0]["request_id"].as_str());
    assert!(attempt.captured["status_url"].ends_with("/status"));
    assert_eq!(attempt.reserved.unwrap().to_string(), "3.200000");
    let cost = attempt.cost.unwrap();
    assert_eq!((cost.amount.to_string().as_str(), cost.source), ("3.200000", CostSource::Derived));

    let object = rig.bucket.get(&key(rig.job, 0)).unwrap();
    assert_eq!((outputs.len(), outputs[0].bytes), (1, u64::try_from(object.bytes.len()).unwrap()));
    assert_eq!((outputs[0].content_type.as_str(), outputs[0].sha256.len()), ("video/mp4", 64));
    let meta = |name: &str| object.headers[&format!("x-amz-meta-{name}")].clone();
    assert_eq!(meta("job-id"), rig.job.to_string());
    assert_eq!(meta("attempt-id"), attempt.id.to_string());
    assert_eq!((meta("provider"), meta("model"), meta("outputs")), ("fal".into(), MODEL.into(), "1".into()));
    assert_eq!(meta("sha256"), outputs[0].sha256);
    assert_eq!(object.headers["content-type"], "video/mp4");
}

#[tokio::test]
async fn b1_what_the_journal_says_was_asked_is_what_was_sent() {
    let mut rig = Rig::new().await;
    rig.spec = spec(
        &json!([{"provider": "fal", "model": MODEL, "attempts": 1, "options": {"enhance_prompt": true}}]),
    );
    assert_eq!(code(&rig.run().await), "succeeded");
    let call = rig.calls().remove(0);
    assert_eq!(call["body"], json!({"prompt": "a cat", "duration": "8s", "enhance_prompt": true}));
    assert_eq!(rig.journal.with(|job| job.requests.clone()), [call["body"].clone()]);
    assert_eq!(call["headers"]["x-fal-no-retry"], "1");
    assert_eq!(call["headers"]["x-app-fal-disable-fallback"], "true");
}

#[tokio::test]
async fn a43_units_without_a_rate_are_kept_and_stay_unpriced() {
    let mut rig = Rig::scripted(&json!({"units": 3.008})).await;
    rig.spec = spec(&json!([{"provider": "fal", "model": UNPRICED, "attempts": 1}]));
    assert_eq!(code(&rig.run().await), "succeeded");
    let attempt = rig.attempt();
    assert_eq!(attempt.usage.unwrap().units.to_string(), "3.008000");
    assert_eq!((attempt.cost, attempt.reserved), (None, None));
}

#[tokio::test]
async fn a21_a_stored_result_is_reported_without_any_call() {
    let rig = Rig::new().await;
    assert_eq!(code(&rig.run().await), "succeeded");
    let again = rig.run().await;
    let Report::Succeeded { outputs } = &again else { panic!("{again:?}") };
    assert_eq!(outputs[0].key, key(rig.job, 0));
    assert_eq!(rig.accepted(), 1);
    assert_eq!(rig.gates.count("journal.open"), 1);
}

#[tokio::test]
async fn a21_a_stored_result_is_reported_though_the_journal_is_away() {
    let rig = Rig::new().await;
    rig.bucket.put(key(rig.job, 0), Object::of(&rig.job.to_string(), "x", b"bytes"));
    rig.journal.set_away(true);
    let Report::Succeeded { outputs } = rig.run().await else { panic!("no success") };
    assert_eq!((outputs[0].bytes, outputs[0].sha256.as_str()), (5, "feed"));
    assert_eq!(rig.calls().len(), 0);
}

#[tokio::test]
async fn a22_another_jobs_object_is_a_conflict_and_stays() {
    let rig = Rig::new().await;
    for object in [Object::of("0198c0de-0000-7000-8000-000000000001", "x", b"theirs"), {
        let mut anonymous = Object::of("", "", b"theirs");
        anonymous.headers.clear();
        anonymous
    }] {
        rig.bucket.put(key(rig.job, 0), object.clone());
        let report = rig.run().await;
        assert!(matches!(report, Report::Failed { .. }));
        assert_eq!(code(&report), "OUTPUT_KEY_CONFLICT");
        assert_eq!(rig.bucket.get(&key(rig.job, 0)), Some(object));
    }
    assert_eq!((rig.calls().len(), rig.gates.count("journal.lease")), (0, 0));
}

#[tokio::test]
async fn a20_several_files_are_all_there_when_the_first_is() {
    let rig = Rig::scripted(&json!({"outputs": 3})).await;
    let Report::Succeeded { outputs } = rig.run().await else { panic!("no success") };
    assert_eq!(outputs.iter().map(|output| output.index).collect::<Vec<_>>(), [0, 1, 2]);
    let written = rig.bucket.with(|shelf| shelf.writes.clone());
    assert_eq!(written, [key(rig.job, 1), key(rig.job, 2), key(rig.job, 0)]);
    // Another process finds all three.
    assert_eq!(rig.run().await, Report::Succeeded { outputs });
    assert_eq!(rig.accepted(), 1);
}

#[tokio::test]
async fn a20_a_result_with_a_missing_file_is_not_paid_again() {
    let rig = Rig::scripted(&json!({"outputs": 2})).await;
    assert_eq!(code(&rig.run().await), "succeeded");
    rig.bucket.with(|shelf| shelf.objects.remove(&key(rig.job, 1)));
    let report = rig.run().await;
    assert!(matches!(report, Report::Failed { .. }));
    assert_eq!((code(&report), rig.accepted()), ("STORAGE_FAILED", 1));
}
