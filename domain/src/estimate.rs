//! What a generation may cost, by the rate card, before it is asked for.

use crate::Usd;
use crate::generation::Spec;
use crate::provider::Provider;
use crate::rates::RateCard;

/// The least and the most that a generation can cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    pub steps: Vec<Step>,
    /// One call of the cheapest model; what a generation that succeeds costs at least. `None` if a model has no rate.
    pub least: Option<Usd>,
    /// All calls that the policy allows, the dearest first, within `max_cost`. `None` if a model has no rate and no
    /// `max_cost` keeps it from being called.
    pub most: Option<Usd>,
}

/// One model of the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub provider: Provider,
    pub model: String,
    pub attempts: u32,
    /// Of one call; `None` if the model has no rate.
    pub least: Option<Usd>,
    pub most: Option<Usd>,
}

/// Estimates. With `max_cost` a model without a rate is never called (B5), so it costs nothing.
pub fn estimate(card: &RateCard, spec: &Spec) -> Estimate {
    let steps: Vec<Step> = spec
        .chain
        .iter()
        .map(|step| Step {
            provider: step.provider,
            model: step.model.clone(),
            attempts: step.attempts,
            least: card.least_case(step, &spec.input),
            most: card.worst_case(step, &spec.input),
        })
        .collect();
    let callable = || steps.iter().filter(|step| spec.policy.max_cost.is_none() || step.most.is_some());
    let least = callable().map(|step| step.least).collect::<Option<Vec<_>>>();
    let least = least.and_then(|costs| costs.into_iter().min());
    let most = callable()
        .map(|step| Some((step.most?, step.attempts)))
        .collect::<Option<Vec<_>>>()
        .and_then(|calls| dearest(calls, spec.policy.max_paid_calls));
    Estimate { least, most: within(most, spec.policy.max_cost), steps }
}

/// The sum of the `limit` dearest calls; `None` beyond what the database can hold.
fn dearest(mut calls: Vec<(Usd, u32)>, limit: u32) -> Option<Usd> {
    calls.sort_unstable_by(|one, other| other.cmp(one));
    let (mut sum, mut left) = (Usd::ZERO, limit);
    for (cost, attempts) in calls {
        for _ in 0..attempts.min(left) {
            sum = sum.checked_add(cost)?;
        }
        left = left.saturating_sub(attempts);
    }
    Some(sum)
}

fn within(most: Option<Usd>, max_cost: Option<Usd>) -> Option<Usd> {
    match (most, max_cost) {
        (Some(most), Some(limit)) => Some(most.min(limit)),
        (most, None) => most,
        (None, limit) => limit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callback_url::Loopback;
    use crate::generation::GenerationRequest;
    use crate::rates::card;
    use serde_json::{Value, json};

    fn of(change: impl FnOnce(&mut Value)) -> Estimate {
        let mut body = json!({
            "kind": "video", "input": {"prompt": "a cat", "duration_seconds": 8},
            "chain": [{"provider": "fal", "model": "fal-ai/veo3.1", "attempts": 2}],
        });
        change(&mut body);
        estimate(card().unwrap(), &GenerationRequest::parse(body, Loopback::Refused).unwrap().spec)
    }

    fn range(estimate: &Estimate) -> (Option<String>, Option<String>) {
        (estimate.least.map(|usd| usd.to_string()), estimate.most.map(|usd| usd.to_string()))
    }

    fn said(least: &str, most: &str) -> (Option<String>, Option<String>) {
        (Some(least.to_owned()), Some(most.to_owned()))
    }

    #[test]
    fn an_estimate_goes_from_one_call_to_all_of_them() {
        assert_eq!(range(&of(|_| ())), said("3.200000", "6.400000"));
        // A length that is not said may be a second or the model's maximum.
        assert_eq!(range(&of(|body| body["input"] = json!({"prompt": "x"}))), said("0.400000", "6.400000"));
        let fallback = json!({"provider": "fal", "model": "fal-ai/flux-pro/v1.1", "attempts": 3,
            "options": {"num_images": 1}});
        let two = |body: &mut Value| body["chain"].as_array_mut().unwrap().push(fallback);
        assert_eq!(range(&of(two)), said("0.040000", "6.520000"));
    }

    #[test]
    fn b5_the_policy_bounds_the_most() {
        assert_eq!(range(&of(|body| body["max_paid_calls"] = json!(1))), said("3.200000", "3.200000"));
        assert_eq!(range(&of(|body| body["max_cost"] = json!("5.00"))), said("3.200000", "5.000000"));
    }

    #[test]
    fn a43_what_has_no_rate_is_not_estimated() {
        let unrated = |body: &mut Value| {
            body["chain"].as_array_mut().unwrap().push(json!({"provider": "fal", "model": "nobody/knows"}));
        };
        let estimate = of(unrated);
        assert_eq!((range(&estimate), estimate.steps[1].most), ((None, None), None));
        // Under `max_cost` it is never called.
        let bounded = of(|body| {
            unrated(body);
            body["max_cost"] = json!("99.00");
        });
        assert_eq!(range(&bounded), said("3.200000", "6.400000"));
    }
}
