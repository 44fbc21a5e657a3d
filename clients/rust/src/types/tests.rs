//! Every type reads and writes all that the API's description knows, each alternative and each word.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::*;

/// Larger than the longest list of words and alternatives.
const PICKS: usize = 60;

fn description() -> Value {
    serde_json::from_str(include_str!("../../../../docs/openapi.json")).unwrap()
}

/// A value of this schema: of words and alternatives the one that `pick` falls on.
fn sample(all: &Value, schema: &Value, pick: usize) -> Value {
    let choose = |from: &Value| from.as_array().map(|from| from[pick % from.len()].clone());
    if let Some(reference) = schema["$ref"].as_str() {
        return sample(all, all.pointer(reference.trim_start_matches('#')).unwrap(), pick);
    }
    if let Some(value) = schema.get("const").cloned().or_else(|| choose(&schema["enum"])) {
        return value;
    }
    if let Some(one) = choose(&schema["anyOf"]).or_else(|| choose(&schema["oneOf"])) {
        return sample(all, &one, pick);
    }
    let kind = choose(&schema["type"]).unwrap_or_else(|| schema["type"].clone());
    match kind.as_str().unwrap_or("any") {
        "object" => object(all, schema, pick),
        "array" => match schema.get("items") {
            Some(items) => json!([sample(all, items, pick)]),
            None => json!([{"any": 1}]),
        },
        "integer" => schema.get("minimum").cloned().unwrap_or(json!(1)),
        "boolean" => json!(pick.is_multiple_of(2)),
        "null" => Value::Null,
        "string" => match schema["format"].as_str() {
            Some("uuid") => json!("0198c0de-0000-7000-8000-000000000001"),
            Some("date-time") => json!("2026-12-01T10:00:00Z"),
            Some("date") => json!("2026-12-01"),
            _ => schema["examples"].get(0).cloned().unwrap_or(json!("text")),
        },
        _ => json!({"any": 1}),
    }
}

fn object(all: &Value, schema: &Value, pick: usize) -> Value {
    let mut members = Map::new();
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        members.insert(name.clone(), sample(all, member, pick));
    }
    if schema["additionalProperties"].is_object() {
        members.insert("name".to_owned(), sample(all, &schema["additionalProperties"], pick));
    }
    Value::Object(members)
}

/// Without `object`, which the type says, and without nulls, which are absent members.
fn plain(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, member| name != "object" && !member.is_null());
            members.values_mut().for_each(plain);
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn holds<T: DeserializeOwned + Serialize + std::fmt::Debug>(schema: &str) {
    let all = description();
    for pick in 0..PICKS {
        let mut wanted = sample(&all, &all["components"]["schemas"][schema], pick);
        let read: T = serde_json::from_value(wanted.clone())
            .unwrap_or_else(|error| panic!("{schema}: {error} in {wanted}"));
        let mut written = serde_json::to_value(&read).unwrap();
        plain(&mut wanted);
        plain(&mut written);
        assert_eq!(written, wanted, "{schema}");
        assert!(!format!("{read:?}").contains("Other("), "{schema} has a word that is not known: {read:?}");
    }
}

#[test]
fn what_is_sent_is_what_the_api_takes() {
    holds::<GenerationRequest>("GenerationRequest");
    holds::<StyleRunRequest>("StyleRunRequest");
    holds::<DecisionRequest>("DecisionRequest");
    holds::<EndpointRequest>("EndpointRequest");
}

#[test]
fn what_is_read_is_what_the_api_gives() {
    holds::<Generation>("Generation");
    holds::<Attempt>("Attempt");
    holds::<Input>("Input");
    holds::<Estimate>("Estimate");
    holds::<Spend>("Spend");
    holds::<StyleRun>("StyleRun");
    holds::<Endpoint>("Endpoint");
    holds::<Endpoint>("NewEndpoint");
    holds::<RotatedSecret>("RotatedSecret");
    holds::<TestDelivery>("TestDelivery");
    holds::<Problem>("Problem");
}

#[test]
fn words_of_a_later_version_are_read() {
    let status: Status = serde_json::from_value(json!("paused")).unwrap();
    assert_eq!(status, Status::Other("paused".to_owned()));
    assert!(!status.is_final());
}
