//! What a receiver does with a Standard Webhooks delivery: check the signature over the bytes as they came.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::Deserialize;
use serde_json::Value;
use sha2::Sha256;

/// Older or newer deliveries are refused, as the specification advises: they may be replayed ones.
const TOLERANCE: Duration = Duration::from_mins(5);

/// One request that reached the receiver.
#[derive(Debug, Deserialize)]
pub(super) struct Delivery {
    /// The body, byte for byte.
    body: String,
    /// In order, names in lower case.
    headers: Vec<(String, String)>,
}

impl Delivery {
    /// A header's value, empty when it is absent.
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers
            .iter()
            .find(|(header, _)| header == name)
            .map(|(_, value)| value.as_str())
            .unwrap_or_default()
    }

    /// The body as JSON, null when it is none.
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

/// Whether the delivery is recent and one of its `v1` signatures is by `secret` (`whsec_…`).
pub(super) fn verify(delivery: &Delivery, secret: &str) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    verify_at(delivery, secret, now)
}

fn verify_at(delivery: &Delivery, secret: &str, now: Duration) -> bool {
    let (id, timestamp) = (delivery.header("webhook-id"), delivery.header("webhook-timestamp"));
    let recent = timestamp.parse().is_ok_and(|sent| now.abs_diff(Duration::from_secs(sent)) <= TOLERANCE);
    let key = secret.strip_prefix("whsec_").and_then(|key| STANDARD.decode(key).ok());
    let Some(key) = key.filter(|_| recent && !id.is_empty()) else { return false };
    let signed = format!("{id}.{timestamp}.{}", delivery.body);
    delivery.header("webhook-signature").split(' ').filter_map(|one| one.strip_prefix("v1,")).any(
        |signature| {
            let signature = STANDARD.decode(signature).unwrap_or_default();
            Hmac::<Sha256>::new_from_slice(&key)
                .is_ok_and(|mac| mac.chain_update(&signed).verify_slice(&signature).is_ok())
        },
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Delivery, verify_at};

    /// The example of the specification.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    const SENT: Duration = Duration::from_secs(1_614_265_330);

    fn delivery(body: &str, signature: &str) -> Delivery {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        Delivery {
            body: body.to_owned(),
            headers: vec![
                header("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"),
                header("webhook-timestamp", "1614265330"),
                header("webhook-signature", signature),
            ],
        }
    }

    #[test]
    fn the_example_of_the_specification_verifies() {
        let body = r#"{"test": 2432232314}"#;
        assert!(verify_at(&delivery(body, SIGNATURE), SECRET, SENT));
        let several = format!("v1,aaaa v2,bbbb {SIGNATURE}");
        assert!(verify_at(&delivery(body, &several), SECRET, SENT + Duration::from_mins(1)));
    }

    #[test]
    fn a_changed_body_another_secret_and_an_old_delivery_do_not() {
        let body = r#"{"test": 2432232314}"#;
        assert!(!verify_at(&delivery(r#"{"test":2432232314}"#, SIGNATURE), SECRET, SENT));
        assert!(!verify_at(&delivery(body, SIGNATURE), "whsec_AAAA", SENT));
        assert!(!verify_at(&delivery(body, ""), SECRET, SENT));
        assert!(!verify_at(&delivery(body, SIGNATURE), SECRET, SENT + Duration::from_secs(301)));
    }
}
