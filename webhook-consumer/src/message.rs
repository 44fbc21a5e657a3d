//! What a message says.

use domain::{DeliveryId, JobId};
use serde::Deserialize;

#[derive(Deserialize)]
struct Body {
    delivery: String,
}

/// Longer than any delivery id: a job id, an underscore and an event name.
const MAX_ID_LENGTH: usize = 128;

/// Reads a body, `{"delivery": "<delivery id>"}` as JSON text. The error says what is wrong and quotes nothing.
pub(crate) fn parse(body: &str) -> Result<DeliveryId, String> {
    let Body { delivery } = serde_json::from_str(body)
        .map_err(|_| r#"the body is not {"delivery": "<delivery id>"}"#.to_owned())?;
    let spelled = delivery.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if spelled && (1..=MAX_ID_LENGTH).contains(&delivery.len()) {
        Ok(DeliveryId::from_stored(delivery))
    } else {
        Err("the delivery's id is not spelled like one".to_owned())
    }
}

/// The job that a delivery tells of, for the log.
pub(crate) fn job_of(delivery: &DeliveryId) -> Option<JobId> {
    delivery.as_str().split_once('_').and_then(|(job, _)| job.parse().ok())
}

#[cfg(test)]
mod tests {
    use domain::{DeliveryId, JobId, event::EventType};

    use super::{job_of, parse};

    #[test]
    fn a_body_names_a_delivery_and_with_it_a_job() {
        let job: JobId = "0198c0de-0000-7000-8000-000000000001".parse().unwrap();
        for event in EventType::ALL {
            let delivery = DeliveryId::of(job, event);
            assert_eq!(parse(&format!(r#"{{"delivery": "{delivery}", "new": 1}}"#)), Ok(delivery.clone()));
            assert_eq!(job_of(&delivery), Some(job));
        }
        assert_eq!(job_of(&DeliveryId::from_stored("x".to_owned())), None);
    }

    #[test]
    fn what_can_never_be_a_delivery_is_refused_before_the_database_sees_it() {
        let long = format!(r#"{{"delivery": "{}"}}"#, "x".repeat(129));
        for body in [
            "",
            "null",
            "[]",
            "{}",
            "\"0198c0de\"",
            r#"{"delivery": 7}"#,
            r#"{"delivery": null}"#,
            r#"{"delivery": ""}"#,
            r#"{"delivery": "a b"}"#,
            r#"{"delivery": "a\u0000"}"#,
            r#"{"delivery": "ü"}"#,
            &long,
        ] {
            assert!(parse(body).is_err(), "{body}");
        }
    }
}
