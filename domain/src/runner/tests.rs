use std::collections::BTreeMap;

use chrono::DateTime;
use proptest::prelude::*;
use serde_json::json;
use uuid::Uuid;

use super::*;
use crate::attempt::Looks;
use crate::provider::Provider;

fn spec(change: impl FnOnce(&mut Spec)) -> Spec {
    let body = json!({
        "kind": "video",
        "input": {"prompt": "a cat"},
        "chain": [
            {"provider": "fal", "model": "a", "attempts": 2},
            {"provider": "fal", "model": "b", "attempts": 2}
        ]
    });
    let request = crate::generation::GenerationRequest::parse(body, crate::callback_url::Loopback::Refused);
    let mut spec = request.unwrap().spec;
    change(&mut spec);
    spec
}

fn attempt(ordinal: u32, chain_index: u32, state: State, class: Option<ErrorClass>) -> Attempt {
    Attempt {
        id: AttemptId::new(Uuid::from_u128(ordinal.into())),
        ordinal,
        chain_index,
        provider: Provider::Fal,
        model: "a".into(),
        lease: 1,
        state,
        provider_request_id: None,
        captured: BTreeMap::new(),
        error: class.map(|class| AttemptError {
            class,
            code: None,
            message: "the provider's words".into(),
            retry_after_seconds: None,
        }),
        started_at: DateTime::UNIX_EPOCH,
        accepted_at: None,
        finished_at: None,
        usage: None,
        cost: None,
        reserved: None,
        looks: Looks::default(),
    }
}

/// Failed attempts, one for each `(chain index, class)`.
fn failed(steps: &[(u32, ErrorClass)]) -> Vec<Attempt> {
    (1..)
        .zip(steps)
        .map(|(ordinal, (index, class))| attempt(ordinal, *index, State::Failed, Some(*class)))
        .collect()
}

fn next(spec: &Spec, journal: &[Attempt]) -> Decision {
    decide(spec, journal, &Timing::default(), 0)
}

fn submits(decision: &Decision) -> Option<u32> {
    if let Decision::Submit { chain_index, .. } = decision { Some(*chain_index) } else { None }
}

#[test]
fn b2_what_the_provider_has_is_resumed_and_never_sent_again() {
    let spec = spec(|_| ());
    let id = AttemptId::new(Uuid::from_u128(1));
    assert_eq!(next(&spec, &[]), Decision::Submit { chain_index: 0, after_ms: 0 });
    assert_eq!(next(&spec, &[attempt(1, 0, State::Accepted, None)]), Decision::Resume(id));
    assert_eq!(next(&spec, &[attempt(1, 0, State::Succeeded, None)]), Decision::Resume(id));
    assert_eq!(next(&spec, &[attempt(1, 0, State::Open, None)]), Decision::Recover(id));
}

#[test]
fn b3_an_unknown_attempt_is_held_or_its_risk_accepted() {
    let id = AttemptId::new(Uuid::from_u128(1));
    let journal = [attempt(1, 0, State::Unknown, None)];
    assert_eq!(next(&spec(|_| ()), &journal), Decision::Hold(id));
    let retry = spec(|spec| spec.policy.on_unknown = OnUnknown::Retry);
    assert_eq!(next(&retry, &journal), Decision::Abandon(id));
    let abandoned = [attempt(1, 0, State::Abandoned, Some(ErrorClass::Unknown))];
    assert_eq!(submits(&next(&retry, &abandoned)), Some(0));
    let twice = [abandoned[0].clone(), attempt(2, 0, State::Abandoned, Some(ErrorClass::Unknown))];
    assert!(matches!(next(&retry, &twice), Decision::Fail(Failure { code: Code::SubmissionUnknown, .. })));
}

#[test]
fn a30_some_errors_stop_the_whole_chain() {
    for (class, code) in [
        (ErrorClass::Authentication, Code::ProviderAuthentication),
        (ErrorClass::InvalidInput, Code::ProviderInvalidInput),
        (ErrorClass::Cancelled, Code::ProviderError),
    ] {
        let expected = Decision::Fail(Failure::new(code, "the provider's words"));
        assert_eq!(next(&spec(|_| ()), &failed(&[(0, class)])), expected);
    }
}

#[test]
fn a31_retryable_errors_back_off_on_the_same_model_then_move_on() {
    for class in [ErrorClass::RateLimited, ErrorClass::Timeout, ErrorClass::Retryable] {
        let spec = spec(|_| ());
        assert_eq!(next(&spec, &failed(&[(0, class)])), Decision::Submit { chain_index: 0, after_ms: 2000 });
        assert_eq!(submits(&next(&spec, &failed(&[(0, class), (0, class)]))), Some(1));
        let all = failed(&[(0, class), (0, class), (1, class), (1, class)]);
        assert!(matches!(next(&spec, &all), Decision::Fail(_)));
    }
}

#[test]
fn a31_the_providers_wish_to_wait_is_honoured_up_to_a_limit() {
    let spec = spec(|_| ());
    let mut journal = failed(&[(0, ErrorClass::RateLimited)]);
    journal[0].error.as_mut().unwrap().retry_after_seconds = Some(30);
    assert_eq!(next(&spec, &journal), Decision::Submit { chain_index: 0, after_ms: 30_000 });
    journal[0].error.as_mut().unwrap().retry_after_seconds = Some(86_400);
    assert_eq!(submits(&next(&spec, &journal)), Some(1));
}

#[test]
fn a32_a_refusal_gets_one_more_try_and_moves_on_only_if_asked_to() {
    let refused = failed(&[(0, ErrorClass::Refusal)]);
    let twice = failed(&[(0, ErrorClass::Refusal), (0, ErrorClass::Refusal)]);
    let spec_default = spec(|_| ());
    assert_eq!(submits(&next(&spec_default, &refused)), Some(0));
    let refusal = Decision::Fail(Failure::new(Code::ProviderRefused, "the provider's words"));
    assert_eq!(next(&spec_default, &twice), refusal);
    let opted_in = spec(|spec| spec.policy.fallback_on.push(ErrorClass::Refusal));
    assert_eq!(submits(&next(&opted_in, &twice)), Some(1));
    let never = spec(|spec| spec.policy.refusal_retries = 0);
    assert_eq!(next(&never, &refused), refusal);
}

#[test]
fn a33_an_unavailable_provider_is_left_if_the_policy_allows() {
    let journal = failed(&[(0, ErrorClass::Unavailable)]);
    assert_eq!(submits(&next(&spec(|_| ()), &journal)), Some(1));
    let stay = spec(|spec| spec.policy.fallback_on.clear());
    assert_eq!(submits(&next(&stay, &journal)), Some(0));
}

#[test]
fn a34_after_an_expired_window_the_same_model_is_not_paid_again() {
    let expired = [attempt(1, 0, State::Abandoned, Some(ErrorClass::Timeout))];
    assert_eq!(submits(&next(&spec(|_| ()), &expired)), Some(1));
    let stay = spec(|spec| spec.policy.fallback_on.clear());
    assert!(matches!(next(&stay, &expired), Decision::Fail(Failure { code: Code::ProviderTimeout, .. })));
}

#[test]
fn b7_without_money_the_same_provider_is_not_asked_again() {
    let journal = failed(&[(0, ErrorClass::InsufficientFunds)]);
    let broke = Decision::Fail(Failure::new(Code::ProviderInsufficientFunds, "the provider's words"));
    assert_eq!(next(&spec(|_| ()), &journal), broke);
    assert_eq!(submits(&next(&spec(|_| ()), &failed(&[(0, ErrorClass::ModelGone)]))), Some(1));
}

proptest! {
    /// Whatever happens, the sum of the chain's attempts bounds the paid calls, and every job comes to an end.
    #[test]
    fn b5_a_job_ends_within_the_attempts_of_its_chain(
        classes in proptest::collection::vec(0..ErrorClass::ALL.len(), 12),
        abandoned in proptest::collection::vec(any::<bool>(), 12),
        retry in any::<bool>(),
    ) {
        let spec = spec(|spec| if retry { spec.policy.on_unknown = OnUnknown::Retry });
        let mut journal: Vec<Attempt> = Vec::new();
        for (class, abandoned) in classes.into_iter().zip(abandoned) {
            match next(&spec, &journal) {
                Decision::Submit { chain_index, .. } => {
                    let state = if abandoned { State::Abandoned } else { State::Failed };
                    let ordinal = u32::try_from(journal.len()).unwrap() + 1;
                    journal.push(attempt(ordinal, chain_index, state, Some(ErrorClass::ALL[class])));
                }
                Decision::Fail(_) => break,
                other @ (Decision::Resume(_) | Decision::Recover(_) | Decision::Hold(_) | Decision::Abandon(_)) => {
                    prop_assert!(false, "unexpected {other:?}");
                }
            }
            for index in 0..2 {
                prop_assert!(attempts_of(&journal, index).count() <= 2);
            }
        }
        prop_assert!(matches!(next(&spec, &journal), Decision::Fail(_)), "no end after {journal:?}");
    }
}

#[test]
fn a33_an_open_breaker_is_gone_around_only_where_the_policy_falls_back_and_only_to_another_provider() {
    let two = |spec: &mut Spec| {
        spec.chain[1].provider = Provider::Replicate;
        spec.policy.fallback_on = vec![ErrorClass::InsufficientFunds];
    };
    assert_eq!(around_breaker(&spec(two), 0, Cause::InsufficientFunds), Some(1));
    // Nothing comes after the last step; a reason that the policy does not name waits.
    assert_eq!(around_breaker(&spec(two), 1, Cause::InsufficientFunds), None);
    assert_eq!(around_breaker(&spec(two), 0, Cause::Unavailable), None);
    assert_eq!(around_breaker(&spec(two), 0, Cause::Operator), None);
    let same = |spec: &mut Spec| spec.policy.fallback_on = vec![ErrorClass::InsufficientFunds];
    assert_eq!(around_breaker(&spec(same), 0, Cause::InsufficientFunds), None);
    // No policy can name it: no other model helps against a bad key by itself (A30), so the job waits.
    let all = |spec: &mut Spec| {
        spec.chain[1].provider = Provider::Replicate;
        spec.policy.fallback_on = ErrorClass::FALLBACK.to_vec();
    };
    assert_eq!(around_breaker(&spec(all), 0, Cause::Authentication), None);
    assert_eq!(around_breaker(&spec(all), 0, Cause::Operator), Some(1));
}
