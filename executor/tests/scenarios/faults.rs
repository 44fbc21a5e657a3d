//! Reported faults (F…) that need the journal's own statements: on a stand.

use domain::attempt::{CostSource, State, UNREACHABLE};
use domain::execution::{Answer, Report};
use serde_json::{Value, json};

use crate::stand::{Driven, Stand, Vehicle, eventually};
use crate::support::code;

fn runway() -> Value {
    json!([{"provider": "runway", "model": "gen4.5", "attempts": 2}])
}

fn fal() -> Value {
    json!([{"provider": "fal", "model": "fal-ai/veo3.1", "attempts": 2}])
}

async fn stand(chain: &Value, behaviour: &Value) -> Stand {
    Stand::new(Vehicle::Executor, chain, &json!({}), behaviour).await
}

fn succeeded(driven: &Driven) {
    assert!(matches!(driven, Driven::Ended(Report::Succeeded { .. })), "{driven:?}");
}

#[tokio::test]
async fn f4_a_late_write_beside_the_retry_is_refused_and_counted() {
    let stand = stand(&fal(), &json!({"units": "4"})).await;
    // The first process stands in the middle of a write when its replacement begins.
    stand.gates.close("journal.settled:before");
    let first = async {
        stand.submit_again().await.unwrap();
        stand.gates.reached("journal.settled:before").await;
        stand.replace().await
    };
    let slow = first.await;
    // Its write goes on as soon as the replacement holds the lease, and so beside the replacement's own.
    stand.gates.close("journal.succeeded:before");
    let held_up = async {
        eventually("the second lease", || stand.gates.count("journal.lease") == 2).await;
        stand.gates.open("journal.settled:before");
        stand.gates.reached("journal.succeeded:before").await;
        stand.gates.open("journal.succeeded:before");
    };
    let (driven, ()) = tokio::join!(stand.drive(), held_up);
    succeeded(&driven);
    let standing = stand.standing().await;
    assert_eq!((stand.accepted(), standing.attempts.len()), (1, 1));
    assert_eq!((standing.attempts[0].state, standing.job.lease), (State::Succeeded, 2));
    assert!(standing.job.fenced_writes >= 1, "{:?}", standing.job);
    slow.kill().await;
}

#[tokio::test]
async fn f6_a_paid_step_whose_result_was_lost_is_attached_to_again() {
    // Lost with the process, right after the provider's id was committed; and lost on its way, when all was stored.
    for gate in ["journal.accepted", "journal.succeeded"] {
        let stand = stand(&fal(), &json!({"units": "4"})).await;
        stand.gates.close(gate);
        assert!(matches!(stand.submit_again().await, Some(Answer::Running { .. })));
        stand.gates.reached(gate).await;
        stand.kill().await;
        stand.gates.lose(gate);
        succeeded(&stand.drive().await);
        let standing = stand.standing().await;
        assert_eq!((stand.calls().len(), standing.attempts.len()), (1, 1), "{gate}");
        assert_eq!(standing.job.spend.priced.to_string(), "1.600000");
    }
}

#[tokio::test]
async fn f8_a_fallback_without_a_price_is_unpriced_and_keeps_its_reservation() {
    let chain = json!([
        {"provider": "fal", "model": "fal-ai/flux-pro/v1.1", "attempts": 1},
        {"provider": "fal", "model": "fal-ai/veo3.1", "attempts": 1}
    ]);
    let stand = stand(&chain, &json!({"units": "no number"})).await;
    let gone = json!({"match": {"model": "fal-ai/flux-pro/v1.1"}, "behaviour": {"http_status": 404, "error_body": {"detail": "Application not found"}}});
    stand.simulator.script(serde_json::from_value(gone).unwrap());
    succeeded(&stand.drive().await);
    let standing = stand.standing().await;
    let [first, second] = standing.attempts.as_slice() else { panic!("{:?}", standing.attempts) };
    // What was surely not taken is surely free, which is a known price; the other one's is not zero but unknown.
    assert_eq!(
        first.cost.as_ref().map(|cost| (cost.amount.micros(), cost.source)),
        Some((0, CostSource::Local))
    );
    assert_eq!((&second.cost, second.reserved), (&None, Some("1.60".parse().unwrap())));
    let spend = standing.job.spend;
    assert_eq!((spend.unpriced, spend.priced.micros(), spend.unknown), (1, 0, 0));
    assert_eq!(spend.reserved.to_string(), "1.600000");
}

#[tokio::test]
async fn f18_a_caller_that_hangs_up_and_one_that_comes_late_share_one_execution() {
    let stand = stand(&runway(), &json!({"submit_delay_ms": 400})).await;
    // Hangs up in the middle of its request.
    assert!(tokio::time::timeout(std::time::Duration::from_millis(200), stand.drive()).await.is_err());
    eventually("the call", || stand.accepted() == 1).await;
    succeeded(&stand.drive().await);
    assert_eq!((stand.calls().len(), stand.standing().await.attempts.len()), (1, 1));
    let again = stand.submit_again().await;
    let Some(Answer::Ended { report }) = again else { panic!("{again:?}") };
    assert_eq!(code(&report), "succeeded");
}

#[tokio::test]
async fn b3_a_report_that_does_not_say_where_to_ask_is_held_and_not_paid_again() {
    let chain = json!([{"provider": "bfl", "model": "flux-pro-1.1", "attempts": 2}]);
    // Only the region that took the request knows it, and the lost answer would have named it.
    let stand = stand(&chain, &json!({"drop_response_after_accept": true, "silent_on_place": true})).await;
    assert_eq!(stand.drive().await, Driven::Held);
    let standing = stand.standing().await;
    let [attempt] = standing.attempts.as_slice() else { panic!("{:?}", standing.attempts) };
    let code = attempt.error.as_ref().and_then(|error| error.code.as_deref());
    assert_eq!((attempt.state, code), (State::Unknown, Some(UNREACHABLE)));
    assert_eq!((stand.calls().len(), stand.accepted()), (1, 1));
    assert_eq!(attempt.provider_request_id.as_deref(), stand.calls()[0]["request_id"].as_str());
    let spend = standing.job.spend;
    assert_eq!((spend.unknown, spend.reserved), (1, "0.04".parse().unwrap()));
}
