use domain::output::StoredOutput;
use serde_json::json;
use workflow::replay::{Command, Outcome, Rehearsal, rehearse};

use super::*;

const JOB: &str = "0198c0de-0000-7000-8000-000000000001";

fn succeeded() -> Report {
    let output = StoredOutput {
        index: 0,
        key: "k".into(),
        content_type: "video/mp4".into(),
        bytes: 1,
        sha256: "00".into(),
    };
    Report::Succeeded { outputs: vec![output] }
}

/// Runs the body; `rounds` answers the execute steps in turn, `standing` is what the record says after persisting.
fn run(begun: Status, rounds: &[Outcome], standing: Status) -> Rehearsal<Activity> {
    let event = Event {
        payload: json!({}),
        timestamp: "2026-12-01T00:00:00.000Z".into(),
        instance_id: JOB.into(),
        workflow_name: None,
    };
    let mut rounds = rounds.iter().cloned();
    rehearse(
        |steps| generation(steps, event.clone(), Timing::default()),
        move |command| {
            let Command::Do { activity, .. } = command else { return Outcome::Ok(json!(null)) };
            match activity {
                Activity::Begin { .. } => Outcome::Ok(json!(begun)),
                Activity::Execute { .. } => rounds.next().unwrap(),
                Activity::Hold { .. } => Outcome::Ok(json!(Status::Waiting)),
                Activity::Persist { .. } | Activity::Notify { .. } => Outcome::Ok(json!(standing)),
                Activity::Release { .. } => Outcome::Ok(json!(null)),
            }
        },
    )
}

fn round(round: &Round) -> Outcome {
    Outcome::Ok(json!(round))
}

fn names(run: &Rehearsal<Activity>) -> Vec<&str> {
    run.history.iter().map(|recorded| recorded.name.as_str()).collect()
}

fn persisted(run: &Rehearsal<Activity>) -> Option<&Report> {
    run.commands.iter().find_map(|command| {
        let Command::Do { activity: Activity::Persist { report, .. }, .. } = command else { return None };
        Some(report)
    })
}

#[test]
fn a14_each_side_effect_is_a_step_of_its_own() {
    let run = run(Status::Running, &[round(&Round::Ended { report: succeeded() })], Status::Succeeded);
    let steps =
        ["mark running", "execute 1", "persist the result", "queue the webhook", "release the container"];
    assert_eq!(names(&run), steps);
    assert_eq!(run.commands.last(), Some(&Command::Done { output: json!("succeeded") }));
}

#[test]
fn a16_a_long_execution_is_many_bounded_steps() {
    let rounds =
        [round(&Round::Running), round(&Round::Running), round(&Round::Ended { report: succeeded() })];
    let run = run(Status::Running, &rounds, Status::Succeeded);
    assert_eq!(names(&run)[1..4], ["execute 1", "execute 2", "execute 3"]);
}

#[test]
fn a15_f5_an_exhausted_retry_reports_the_real_cause() {
    let lost = StepFailure::new("PROVIDER_UNAVAILABLE", "503: no capacity in eu-west");
    let run = run(Status::Running, &[Outcome::Err(lost)], Status::Failed);
    let failure = Failure::new(Code::ProviderUnavailable, "503: no capacity in eu-west");
    assert_eq!(persisted(&run), Some(&Report::Failed { failure }));
}

#[test]
fn a15_a_failure_without_a_code_keeps_its_words() {
    let lost = StepFailure::new("WorkflowTimeoutError", "timed out after 300 s");
    let run = run(Status::Running, &[Outcome::Err(lost)], Status::Failed);
    let failure = Failure::new(Code::ExecutorUnavailable, "WorkflowTimeoutError: timed out after 300 s");
    assert_eq!(persisted(&run), Some(&Report::Failed { failure }));
}

#[test]
fn a27_a_job_that_was_cancelled_meanwhile_gets_no_success_event() {
    let run = run(Status::Running, &[round(&Round::Ended { report: succeeded() })], Status::Cancelled);
    assert_eq!(names(&run), ["mark running", "execute 1", "persist the result"]);
}

#[test]
fn a27_a_job_that_ended_before_it_began_is_only_notified() {
    let ended = run(Status::Succeeded, &[], Status::Succeeded);
    assert_eq!(names(&ended), ["mark running", "queue the webhook", "release the container"]);
    let over = run(Status::Running, &[round(&Round::Over)], Status::Failed);
    assert_eq!(names(&over), ["mark running", "execute 1", "queue the webhook", "release the container"]);
}

#[test]
fn b3_a_held_job_waits_for_a_word_and_looks_again() {
    let held = round(&Round::Held { reason: "who knows".into() });
    let rounds = [held.clone(), held, round(&Round::Ended { report: succeeded() })];
    let run = run(Status::Running, &rounds, Status::Succeeded);
    let steps =
        ["execute 1", "hold 1", "wait for a word 1", "execute 2", "hold 2", "wait for a word 2", "execute 3"];
    assert_eq!(names(&run)[1..8], steps);
}
