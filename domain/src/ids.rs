use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::event::EventType;

/// The text is not a hyphenated lower-case UUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a hyphenated lower-case UUID")]
pub struct NotAnId;

/// Defines a UUID-backed id whose only text form is the hyphenated lower-case UUID.
macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            pub const fn new(uuid: Uuid) -> Self {
                Self(uuid)
            }

            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.as_hyphenated().fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = NotAnId;

            /// Accepts the hyphenated form only: one id has one spelling, in URLs and as a Workflow's name.
            fn from_str(text: &str) -> Result<Self, NotAnId> {
                let uuid = Uuid::try_parse(text).map_err(|_| NotAnId)?;
                if uuid.as_hyphenated().to_string() == text { Ok(Self(uuid)) } else { Err(NotAnId) }
            }
        }
    };
}

uuid_id!(
    /// A generation's id. Row, Workflow instance, Durable Object, container, execution, output key and delivery
    /// ids are all named by it (A9, A13).
    JobId
);
uuid_id!(
    /// One paid call, minted before its first byte is sent (B1).
    AttemptId
);
uuid_id!(
    /// A tenant.
    ClientId
);
uuid_id!(
    /// A style run's id. Row, Workflow instance, candidates' keys and event ids are all named by it.
    StyleRunId
);
uuid_id!(
    /// A place where a client wants its events.
    EndpointId
);
uuid_id!(
    /// A file that a client uploaded to generate from.
    InputId
);

/// The stable id of one webhook delivery: the job id plus the event name (A37), spelled with the letters that
/// Standard Webhooks allows in `webhook-id` (`[A-Za-z0-9_-]`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeliveryId(String);

impl DeliveryId {
    pub fn of(job: JobId, event: EventType) -> Self {
        Self(format!("{job}_{}", event.as_str().replace('.', "_")))
    }

    /// The same event at an endpoint of the client's. SQL that writes such rows spells it the same way.
    #[must_use]
    pub fn at_endpoint(&self, endpoint: EndpointId) -> Self {
        Self(format!("{}_{endpoint}", self.0))
    }

    /// Takes an id that this type wrote earlier (a queue message, a database row).
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_spelling() {
        let text = "0198c0de-0000-7000-8000-000000000001";
        assert_eq!(text.parse::<JobId>().unwrap().to_string(), text);
        for other in [
            "0198C0DE-0000-7000-8000-000000000001",
            "0198c0de000070008000000000000001",
            "{0198c0de-0000-7000-8000-000000000001}",
            "",
            "x",
        ] {
            assert!(other.parse::<JobId>().is_err(), "{other}");
        }
    }

    #[test]
    fn a37_a_delivery_id_is_the_job_and_the_event() {
        let job = "0198c0de-0000-7000-8000-000000000001".parse().unwrap();
        assert_eq!(
            DeliveryId::of(job, EventType::GenerationSucceeded).as_str(),
            "0198c0de-0000-7000-8000-000000000001_generation_succeeded"
        );
    }
}
