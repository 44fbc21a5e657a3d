use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::replay::Failure;

/// What the engine tells of an instance: `{"status", "error"?: {"name", "message"}, "output"?}`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct InstanceStatus {
    /// Where the run is.
    pub status: Status,
    /// Why it errored.
    #[serde(default, deserialize_with = "failure")]
    pub error: Option<Failure>,
    /// What it returned. A run that is not complete, and one that returned null, both have none.
    #[serde(default)]
    pub output: Option<Value>,
}

/// Where a run is. The engine's set is open: what is not known here is kept as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// Created, not started yet.
    Queued,
    /// A step is being performed, or the body decides.
    Running,
    /// Stopped by `pause`.
    Paused,
    /// Ended with a failure.
    Errored,
    /// Ended by `terminate`.
    Terminated,
    /// Ended with an output.
    Complete,
    /// Asleep, or waiting for an event or a retry.
    Waiting,
    /// To be paused once the step in progress is done.
    WaitingForPause,
    /// Whatever else the engine says, its own word `unknown` included: no conclusion can be drawn.
    #[serde(untagged)]
    Unknown(String),
}

impl Status {
    /// Has the run ended, whichever way?
    pub fn is_final(&self) -> bool {
        match self {
            Status::Errored | Status::Terminated | Status::Complete => true,
            Status::Queued
            | Status::Running
            | Status::Paused
            | Status::Waiting
            | Status::WaitingForPause
            | Status::Unknown(_) => false,
        }
    }
}

/// The documented form is an object; older engines gave the message alone.
fn failure<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Failure>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Told {
        Failure(Failure),
        Message(String),
    }
    Ok(Option::<Told>::deserialize(deserializer)?.map(|told| match told {
        Told::Failure(failure) => failure,
        Told::Message(message) => Failure::new("Error", message),
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Failure, InstanceStatus, Status};

    fn parse(value: serde_json::Value) -> InstanceStatus {
        serde_json::from_value(value).expect("a status")
    }

    #[test]
    fn known_statuses_are_variants_and_others_are_kept_as_text() {
        let known = [
            ("queued", Status::Queued),
            ("running", Status::Running),
            ("paused", Status::Paused),
            ("errored", Status::Errored),
            ("terminated", Status::Terminated),
            ("complete", Status::Complete),
            ("waiting", Status::Waiting),
            ("waitingForPause", Status::WaitingForPause),
            ("unknown", Status::Unknown("unknown".into())),
            ("rollingBack", Status::Unknown("rollingBack".into())),
        ];
        for (text, status) in known {
            assert_eq!(parse(json!({ "status": text })).status, status);
        }
    }

    #[test]
    fn an_error_is_read_in_both_forms_and_fields_we_do_not_know_are_ignored() {
        let error = json!({"name": "Error", "message": "late"});
        let told =
            json!({"status": "errored", "error": error, "output": null, "__LOCAL_DEV_STEP_OUTPUTS": []});
        assert_eq!(parse(told).error, Some(Failure::new("Error", "late")));
        assert_eq!(
            parse(json!({"status": "errored", "error": "late"})).error,
            Some(Failure::new("Error", "late"))
        );
        assert_eq!(parse(json!({"status": "complete", "output": {"n": 1}})).output, Some(json!({"n": 1})));
    }

    #[test]
    fn only_three_statuses_are_final() {
        assert!(Status::Errored.is_final() && Status::Terminated.is_final() && Status::Complete.is_final());
        assert!(!Status::Paused.is_final() && !Status::Unknown("unknown".into()).is_final());
    }
}
