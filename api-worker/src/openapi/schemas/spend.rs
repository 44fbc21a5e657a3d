//! Spend and estimates.

use domain::provider::Provider;
use serde_json::{Value, json};
use store::spend::Group;

use super::{count, exact, nullable, usd, uuid, with};

pub(super) fn spend() -> Value {
    let groups = json!({
        "day": day(), "client": uuid(), "provider": {"type": "string"}, "model": {"type": "string"},
        "project": {"type": ["string", "null"], "description": "Null: of generations without one"},
    });
    // What was not told apart is absent.
    let line = json!({
        "type": "object", "additionalProperties": false, "required": ["priced", "unpriced", "unknown", "reserved"],
        "properties": with(numbers(), groups),
    });
    exact(json!({
        "object": {"const": "spend"}, "from": day(), "to": day(),
        "group_by": {"type": "array", "items": {"enum": Group::ALL.map(Group::as_str)}},
        "total": exact(numbers()), "data": {"type": "array", "items": line},
        "more": {"type": "boolean", "description": "There are more lines than are told; the total has them"},
    }))
}

fn numbers() -> Value {
    let part =
        |words: &str| with(exact(json!({"count": count(), "amount": usd()})), json!({"description": words}));
    json!({
        "priced": part("Attempts whose price is known"),
        "unpriced": part("Attempts that ended without a price, and their part of `reserved`"),
        "unknown": part("Attempts that may or may not have been accepted, and their part of `reserved`"),
        "reserved": part("All attempts without a price, at their worst case as far as a rate is known"),
    })
}

pub(super) fn estimate() -> Value {
    let budget = nullable(exact(json!({"budget": usd(), "committed": usd(), "left": usd()})));
    let step = exact(json!({
        "provider": {"enum": Provider::ALL.map(Provider::as_str)}, "model": {"type": "string"}, "attempts": count(),
        "least": nullable(usd()), "most": nullable(usd()),
    }));
    exact(json!({
        "object": {"const": "estimate"}, "rates": {"type": "string", "description": "The rate card's version"},
        "least": with(nullable(usd()), json!({"description": "One call of the cheapest model; null if one has no rate"})),
        "most": with(nullable(usd()), json!({"description": "All calls that the policy allows; null if nobody knows"})),
        "chain": {"type": "array", "items": step},
        "allowed": {"type": "boolean", "description": "Whether the first call fits into the budgets now"},
        "allowed_at_most": {"type": "boolean", "description": "Whether all calls would"},
        "budget_day": budget, "budget_month": budget,
    }))
}

fn day() -> Value {
    json!({"type": "string", "format": "date"})
}
