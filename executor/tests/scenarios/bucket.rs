//! Creating the result exactly once (B6).

use domain::attempt::State;
use domain::execution::Report;
use domain::output::key;
use serde_json::json;

use crate::support::bucket::Object;
use crate::support::{Rig, code, is_interrupted, until};

/// Above the limit of a single put.
const LARGE: u64 = (64 << 20) + 1000;

#[tokio::test]
async fn b6_the_loser_of_the_race_reads_what_stands_there() {
    let rig = Rig::new().await;
    rig.bucket.with(|shelf| {
        shelf.intruder =
            Some(Object::of(&rig.job.to_string(), "0198c0de-0000-7000-8000-000000000009", b"first"));
    });
    let Report::Succeeded { outputs } = rig.run().await else { panic!("no success") };
    assert_eq!((outputs[0].bytes, outputs[0].sha256.as_str()), (5, "feed"));
    assert_eq!(rig.bucket.get(&key(rig.job, 0)).unwrap().bytes, "first");
    let row = rig.attempt();
    assert_eq!((row.state, row.error.unwrap().code.as_deref()), (State::Abandoned, Some("superseded")));
}

#[tokio::test]
async fn a22_another_job_in_the_race_is_a_conflict_and_stays() {
    let rig = Rig::new().await;
    rig.bucket.with(|shelf| shelf.intruder = Some(Object::of("another", "x", b"theirs")));
    let report = rig.run().await;
    assert!(matches!(report, Report::Failed { .. }));
    assert_eq!(code(&report), "OUTPUT_KEY_CONFLICT");
    assert_eq!(rig.bucket.get(&key(rig.job, 0)).unwrap().bytes, "theirs");
    assert_eq!((rig.states(), rig.calls().len()), (vec![State::Failed], 1));
}

#[tokio::test]
async fn b6_a_put_whose_answer_is_lost_is_found_and_not_repeated() {
    let rig = Rig::new().await;
    rig.bucket.with(|shelf| shelf.silent = 1);
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!((rig.states(), rig.bucket.with(|shelf| shelf.writes.len())), (vec![State::Succeeded], 1));
}

#[tokio::test]
async fn b2_a_bucket_that_fails_for_a_while_is_tried_again_and_nothing_is_paid_again() {
    let rig = Rig::new().await;
    rig.bucket.with(|shelf| shelf.failing = 2);
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!((rig.states(), rig.calls().len()), (vec![State::Succeeded], 1));

    let rig = Rig::new().await;
    rig.bucket.with(|shelf| shelf.failing = 1000);
    let report = rig.run().await;
    assert_eq!((is_interrupted(&report), code(&report)), (true, "STORAGE_FAILED"));
    assert_eq!(rig.states(), [State::Accepted]);
    rig.bucket.with(|shelf| shelf.failing = 0);
    assert_eq!(code(&rig.run().await), "succeeded");
    assert_eq!(rig.calls().len(), 1, "the stored result was generated again");
}

#[tokio::test]
async fn a20_without_the_bucket_nothing_begins() {
    let mut rig = Rig::new().await;
    rig.bucket.url = "http://127.0.0.1:1/s3".to_owned();
    let report = rig.run().await;
    assert_eq!((is_interrupted(&report), code(&report)), (true, "STORAGE_FAILED"));
    assert_eq!((rig.gates.count("journal.lease"), rig.calls().len()), (0, 0));
}

#[tokio::test]
async fn b6_a_large_file_goes_up_in_equal_parts() {
    let rig = Rig::scripted(&json!({"output_bytes": LARGE})).await;
    let Report::Succeeded { outputs } = rig.run().await else { panic!("no success") };
    assert_eq!(outputs[0].bytes, LARGE);
    let object = rig.bucket.get(&key(rig.job, 0)).unwrap();
    assert_eq!(u64::try_from(object.bytes.len()).unwrap(), LARGE);
    assert_eq!(object.headers["x-amz-meta-job-id"], rig.job.to_string());
    rig.bucket.with(|shelf| {
        assert_eq!(shelf.parts, [16 << 20, 16 << 20, 16 << 20, 16 << 20, 1000]);
        assert_eq!((shelf.aborted, shelf.uploads.len()), (0, 0));
    });
}

#[tokio::test]
async fn b6_a_large_file_loses_the_race_too_and_its_parts_are_thrown_away() {
    let rig = Rig::scripted(&json!({"output_bytes": LARGE})).await;
    rig.bucket.with(|shelf| shelf.intruder = Some(Object::of(&rig.job.to_string(), "x", b"first")));
    let Report::Succeeded { outputs } = rig.run().await else { panic!("no success") };
    assert_eq!(outputs[0].bytes, 5);
    until("the parts are gone", || rig.bucket.with(|shelf| shelf.uploads.is_empty() && shelf.aborted == 1))
        .await;
}

#[tokio::test]
async fn b6_a_bucket_that_ignores_the_condition_is_read_afterwards() {
    let rig = Rig::scripted(&json!({"output_bytes": LARGE})).await;
    rig.bucket.with(|shelf| shelf.ignores_condition = true);
    assert_eq!(code(&rig.run().await), "succeeded");
    // put, complete, and the look that decides
    assert_eq!(
        rig.gates
            .passed()
            .iter()
            .rev()
            .find(|name| name.starts_with("bucket.") && !name.ends_with(":before"))
            .unwrap(),
        "bucket.head"
    );
    assert_eq!(rig.states(), [State::Succeeded]);
}

#[tokio::test]
async fn b6_an_upload_that_is_cut_off_throws_its_parts_away() {
    let rig = Rig::scripted(&json!({"output_bytes": LARGE})).await;
    let executions = rig.executions();
    rig.gates.close("bucket.part:before");
    executions.submit(rig.submit());
    rig.gates.reached("bucket.part:before").await;
    executions.drain(std::time::Duration::from_secs(5)).await;
    rig.gates.open("bucket.part:before");
    until("the parts are gone", || rig.bucket.with(|shelf| shelf.uploads.is_empty() && shelf.aborted == 1))
        .await;
    assert_eq!(rig.states(), [State::Accepted]);
}
