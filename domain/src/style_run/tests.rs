use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};

use super::{
    Action, Candidate, DecisionRequest, Next, OnDeadline, Standing, State, StyleRunRequest, best, decide,
    limit, plan,
};
use crate::callback_url::Loopback;
use crate::generation::GenerationRequest;
use crate::job::Status;
use crate::timing::Timing;
use crate::{JobId, StyleRunId, Usd};

const RUN: &str = "0198c0de-0000-7000-8000-000000000001";

fn body() -> Value {
    json!({
        "brief": "a street at night, in rain",
        "template": {"kind": "image", "input": {"prompt": "street", "seed": 7}, "chain": [{"provider": "fal", "model": "fal-ai/flux/dev"}]},
        "variations": [{"prompt": "neon"}, {"seed": 40}, {"chain": [{"provider": "bfl", "model": "flux-pro-1.1"}]}],
        "budget": "3.00"
    })
}

fn request() -> StyleRunRequest {
    StyleRunRequest::parse(body(), Loopback::Refused).unwrap()
}

fn pointers(wrong: Vec<crate::fields::Violation>) -> Vec<String> {
    wrong.into_iter().map(|violation| violation.pointer).collect()
}

fn now() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + Duration::days(20_000)
}

fn standing(state: State, on_deadline: OnDeadline, left: Duration) -> Standing {
    Standing {
        state,
        round: 1,
        on_deadline,
        review_opened_at: Some(now() - Duration::days(3)),
        review_deadline_at: Some(now() + left),
        next_reminder_at: None,
        reminders: 0,
    }
}

fn candidates(statuses: &[Option<Status>]) -> Vec<Candidate> {
    let job: JobId = RUN.parse().unwrap();
    statuses
        .iter()
        .zip(0..)
        .map(|(status, index)| Candidate { index, job, status: *status, mark: None })
        .collect()
}

fn next(run: &Standing, statuses: &[Option<Status>]) -> Next {
    decide(run, &candidates(statuses), now(), &Timing::default())
}

#[test]
fn a40_every_state_is_open_or_terminal_and_only_the_named_transitions_exist() {
    let mut allowed = Vec::new();
    for to in State::ALL {
        assert_ne!(State::OPEN.contains(&to), to.is_terminal(), "{to}");
        for from in State::ALL.into_iter().filter(|from| to.sources().contains(from)) {
            assert!(!from.is_terminal(), "{from} is final");
            allowed.push(format!("{from} {to}"));
        }
    }
    let mut wanted = [
        "queued generating",
        "revising generating",
        "generating awaiting_review",
        "awaiting_review revising",
        "awaiting_review approved",
        "awaiting_review rejected",
        "awaiting_review expired",
        "queued cancelled",
        "generating cancelled",
        "awaiting_review cancelled",
        "revising cancelled",
        "queued failed",
        "generating failed",
        "awaiting_review failed",
        "revising failed",
    ];
    allowed.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(allowed, wanted);
    for action in Action::ALL {
        assert_eq!(action.leads_to().sources(), [State::AwaitingReview]);
    }
}

#[test]
fn a40_the_row_alone_says_what_comes_next() {
    let day = Duration::days(1);
    let run = |state| standing(state, OnDeadline::Expire, day);
    let queued = Standing { round: 0, ..run(State::Queued) };
    assert_eq!(next(&queued, &[]), Next::Plan { round: 1 });
    assert_eq!(next(&run(State::Revising), &[Some(Status::Succeeded)]), Next::Plan { round: 2 });
    let generating = run(State::Generating);
    assert_eq!(next(&generating, &[None, Some(Status::Succeeded)]), Next::Start);
    for open in Status::OPEN {
        assert_eq!(next(&generating, &[Some(open), Some(Status::Failed)]), Next::Wait { ms: 600_000 });
    }
    assert_eq!(next(&generating, &[Some(Status::Failed), Some(Status::Succeeded)]), Next::OpenReview);
    assert!(matches!(next(&generating, &[Some(Status::Failed), Some(Status::Cancelled)]), Next::Fail(_)));
    assert_eq!(next(&run(State::AwaitingReview), &[]), Next::Wait { ms: 86_400_000 });
    for ended in State::TERMINAL {
        assert_eq!(next(&run(ended), &[Some(Status::Running)]), Next::WindDown);
        assert_eq!(next(&run(ended), &[Some(Status::Failed)]), Next::Over);
    }
}

#[test]
fn a40_a_deadline_expires_approves_the_best_or_reminds_for_a_year() {
    let late = |policy| standing(State::AwaitingReview, policy, Duration::zero());
    let made = [Some(Status::Failed), Some(Status::Succeeded), Some(Status::Succeeded)];
    assert_eq!(next(&late(OnDeadline::Expire), &made), Next::Expire);
    assert_eq!(next(&late(OnDeadline::ApproveBest), &made), Next::ApproveBest { candidate: 1 });
    assert_eq!(next(&late(OnDeadline::ApproveBest), &[Some(Status::Failed)]), Next::Expire);
    assert_eq!(next(&late(OnDeadline::Remind), &made), Next::Prolong);
    let year = Standing { review_opened_at: Some(now() - Duration::days(365)), ..late(OnDeadline::Remind) };
    assert_eq!(next(&year, &made), Next::Expire);
    let reminded = Standing { reminders: limit::REMINDERS, ..late(OnDeadline::Remind) };
    assert_eq!(next(&reminded, &made), Next::Expire);
}

#[test]
fn a40_reminders_come_before_the_deadline() {
    let mut run = standing(State::AwaitingReview, OnDeadline::Expire, Duration::days(2));
    run.next_reminder_at = Some(now());
    assert_eq!(next(&run, &[]), Next::Remind);
    run.next_reminder_at = Some(now() + Duration::hours(1));
    assert_eq!(next(&run, &[]), Next::Wait { ms: 3_600_000 });
    run.next_reminder_at = Some(now() + Duration::days(9));
    assert_eq!(next(&run, &[]), Next::Wait { ms: 172_800_000 });
}

#[test]
fn the_best_has_the_best_mark_and_then_the_lowest_index() {
    let mut made = candidates(&[Some(Status::Succeeded); 3]);
    assert_eq!(best(&made), Some(0));
    made[2].mark = Some(4);
    made[1].mark = Some(4);
    assert_eq!(best(&made), Some(1));
    made[1].status = Some(Status::Failed);
    assert_eq!(best(&made), Some(2));
}

#[test]
fn i11_a_planned_candidate_is_a_valid_generation_with_its_share_of_the_budget() {
    let request = request();
    let run: StyleRunId = RUN.parse().unwrap();
    let spec = &request.spec;
    let bodies = plan(run, spec, &spec.variations, 2, Some("warmer"), request.budget).unwrap();
    assert_eq!(bodies, plan(run, spec, &spec.variations, 2, Some("warmer"), request.budget).unwrap());
    let read: Vec<_> =
        bodies.into_iter().map(|body| GenerationRequest::parse(body, Loopback::Refused).unwrap()).collect();
    let prompts: Vec<&str> = read.iter().map(|one| one.spec.input.prompt.as_str()).collect();
    assert_eq!(prompts, ["neon\n\nwarmer", "street\n\nwarmer", "street\n\nwarmer"]);
    assert_eq!(read.iter().map(|one| one.spec.input.seed).collect::<Vec<_>>(), [Some(8), Some(41), Some(8)]);
    assert!(read.iter().all(|one| one.spec.policy.max_cost == Usd::from_micros(1_000_000)));
    assert_eq!(read[2].metadata["style_candidate"], "2");
    assert_eq!(plan(run, spec, &spec.variations, 1, None, Usd::from_micros(2)), None, "a share of nothing");
}

#[test]
fn a_request_is_refused_with_everything_that_is_wrong() {
    let mut bad = body();
    bad["template"]["callback_url"] = json!("https://studio.example.com");
    bad["template"]["chain"] = json!([]);
    bad["review"] = json!({"deadline_seconds": 1, "on_deadlin": "expire"});
    bad["variations"][1] = json!({"sead": 3});
    let found = pointers(StyleRunRequest::parse(bad, Loopback::Refused).unwrap_err());
    for wanted in
        ["/template/callback_url", "/review/deadline_seconds", "/review/on_deadlin", "/variations/1/sead"]
    {
        assert!(found.iter().any(|pointer| pointer == wanted), "{wanted} in {found:?}");
    }
    let mut bad = body();
    bad["variations"][2]["chain"] = json!([{"provider": "nobody", "model": "x"}]);
    let found = pointers(StyleRunRequest::parse(bad, Loopback::Refused).unwrap_err());
    assert_eq!(found, ["/variations/2/chain/0/provider"]);
    let mut bad = body();
    bad["template"]["input"] = json!({"prompt": "p", "duration_seconds": 0});
    let found = pointers(StyleRunRequest::parse(bad, Loopback::Refused).unwrap_err());
    assert_eq!(found, ["/template/input/duration_seconds"]);
}

#[test]
fn a_decision_says_who_and_what() {
    let template = request().spec.template;
    let read = |body| DecisionRequest::parse(body, &template);
    let approved =
        read(json!({"action": "approve", "reviewer": "director", "candidates": [2, 0, 2]})).unwrap();
    assert_eq!(approved.candidates, [0, 2]);
    let revised = json!({"action": "revise", "reviewer": "director", "notes": "warmer", "marks": [{"candidate": 1, "mark": 4}]});
    assert_eq!(read(revised).unwrap().marks[0].mark, 4);
    for (bad, wanted) in [
        (json!({"action": "approve", "reviewer": "director"}), "/candidates"),
        (json!({"action": "approve", "candidates": [0]}), "/reviewer"),
        (json!({"action": "revise", "reviewer": "director"}), "/notes"),
        (json!({"action": "reject", "reviewer": "director", "candidates": [1]}), "/candidates"),
        (json!({"action": "reject", "reviewer": "director", "variations": [{}]}), "/variations"),
        (
            json!({"action": "reject", "reviewer": "director", "marks": [{"candidate": 0, "mark": 6}]}),
            "/marks/0/mark",
        ),
        (json!({"action": "approve", "reviewer": "director", "candidates": [12]}), "/candidates/0"),
    ] {
        let found = pointers(read(bad.clone()).unwrap_err());
        assert!(found.iter().any(|pointer| pointer == wanted), "{bad}: {found:?}");
    }
}
