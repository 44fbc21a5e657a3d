use std::collections::BTreeMap;

use hyper::StatusCode;
use serde_json::Value;

use super::reply::Refusal;
use crate::container::Container;

/// `{"label": ["key=value"], …}`, or the older `{"label": {"key=value": true}}`. All labels have to hold, and one of
/// each other kind.
#[derive(Debug, Default)]
pub(super) struct Filters(BTreeMap<String, Vec<String>>);

impl Filters {
    pub(super) fn parse(text: &str) -> Result<Self, Refusal> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let invalid =
            |reason: String| Refusal::new(StatusCode::BAD_REQUEST, format!("invalid filter: {reason}"));
        let given: BTreeMap<String, Value> =
            serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
        let mut filters = BTreeMap::new();
        for (kind, values) in given {
            if !matches!(kind.as_str(), "label" | "name" | "id" | "status") {
                return Err(invalid(kind));
            }
            let values = match values {
                Value::Array(values) => values.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                Value::Object(values) => values.into_iter().map(|(value, _)| value).collect(),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                    return Err(invalid(kind));
                }
            };
            filters.insert(kind, values);
        }
        Ok(Self(filters))
    }

    pub(super) fn names_a_status(&self) -> bool {
        self.0.contains_key("status")
    }

    pub(super) fn admit(&self, container: &Container) -> bool {
        self.0.iter().all(|(kind, values)| match kind.as_str() {
            "label" => values.iter().all(|wanted| has_label(&container.spec.labels, wanted)),
            "name" => values.iter().any(|wanted| container.name.contains(wanted.trim_start_matches('/'))),
            "id" => values.iter().any(|wanted| container.id.starts_with(wanted.as_str())),
            _ => values.iter().any(|wanted| container.status().word() == wanted),
        })
    }
}

fn has_label(labels: &BTreeMap<String, String>, wanted: &str) -> bool {
    match wanted.split_once('=') {
        Some((key, value)) => labels.get(key).is_some_and(|found| found == value),
        None => labels.contains_key(wanted),
    }
}
