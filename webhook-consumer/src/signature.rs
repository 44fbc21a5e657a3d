//! Standard Webhooks signatures (B12).

use domain::{DeliveryId, KeyPair, Secret};
use standardwebhooks::Webhook;

/// Why a delivery cannot be signed. An operator mends it; the text holds no secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unsignable {
    NoSecret,
    MalformedSecret,
}

impl Unsignable {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::NoSecret => "the client has no webhook secret to sign with",
            Self::MalformedSecret => "one of the client's webhook secrets is malformed",
        }
    }
}

/// The value of `webhook-signature`: one signature for each secret (`v1`) and then for each key pair (`v1a`), so that a
/// receiver may hold any of them while they are rotated. `timestamp` is in seconds since 1970 and is sent beside it as `webhook-timestamp`.
pub(crate) fn sign(
    secrets: &[Secret],
    delivery: &DeliveryId,
    timestamp: i64,
    payload: &str,
) -> Result<String, Unsignable> {
    let (pairs, shared): (Vec<_>, Vec<_>) =
        secrets.iter().partition(|secret| secret.expose().starts_with(KeyPair::PREFIX));
    if shared.is_empty() {
        return Err(Unsignable::NoSecret);
    }
    let mut signatures = Vec::new();
    for secret in shared {
        let signed = Webhook::new(secret.expose())
            .and_then(|webhook| webhook.sign(delivery.as_str(), timestamp, payload.as_bytes()));
        signatures.push(signed.map_err(|_| Unsignable::MalformedSecret)?);
    }
    let content = format!("{delivery}.{timestamp}.{payload}");
    for secret in pairs {
        let pair = KeyPair::parse(secret).ok_or(Unsignable::MalformedSecret)?;
        signatures.push(format!("v1a,{}", pair.sign(content.as_bytes())));
    }
    Ok(signatures.join(" "))
}

#[cfg(test)]
mod tests {
    use std::time::{SystemTime, UNIX_EPOCH};

    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use domain::{DeliveryId, KeyPair, Secret};
    use http::HeaderMap;
    use ring::signature::{ED25519, UnparsedPublicKey};
    use standardwebhooks::Webhook;

    use super::{Unsignable, sign};

    const OLD: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    const NEW: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const STRANGE: &str = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

    fn id() -> DeliveryId {
        DeliveryId::from_stored("0198c0de-0000-7000-8000-000000000001_generation_succeeded".to_owned())
    }

    fn secrets(texts: &[&str]) -> Vec<Secret> {
        texts.iter().map(|text| Secret::new(*text)).collect()
    }

    #[test]
    fn b12_the_signature_is_the_one_of_the_published_example() {
        let id = DeliveryId::from_stored("msg_p5jXN8AQM9LWM0D4loKWxJek".to_owned());
        let signed = sign(&secrets(&[NEW]), &id, 1_614_265_330, r#"{"test": 2432232314}"#);
        assert_eq!(signed.unwrap(), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn b12_every_live_secret_verifies_and_no_other() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let payload = r#"{"type":"generation.succeeded","data":{"prompt":"Bücher 書"}}"#;
        let signed = sign(&secrets(&[NEW, OLD]), &id(), i64::try_from(now).unwrap(), payload).unwrap();
        let mut headers = HeaderMap::new();
        headers.insert("webhook-id", id().as_str().parse().unwrap());
        headers.insert("webhook-timestamp", now.to_string().parse().unwrap());
        headers.insert("webhook-signature", signed.parse().unwrap());
        for (secret, holds) in [(NEW, true), (OLD, true), (STRANGE, false)] {
            let verified = Webhook::new(secret).unwrap().verify(payload.as_bytes(), &headers);
            assert_eq!(verified.is_ok(), holds, "{secret}");
        }
        assert!(Webhook::new(NEW).unwrap().verify(b"{}", &headers).is_err());
    }

    #[test]
    fn b12_a_key_pair_signs_beside_the_secrets_and_another_implementation_verifies_it() {
        let pairs = [1, 2].map(|seed| KeyPair::from_seed(&[seed; 32]));
        let mut all = secrets(&[NEW]);
        all.splice(0..0, pairs.iter().map(KeyPair::secret));
        let payload = r#"{"type":"generation.succeeded","data":{"prompt":"Bücher 書"}}"#;
        let signed = sign(&all, &id(), 1_614_265_330, payload).unwrap();
        let versions: Vec<&str> = signed.split(' ').map(|one| one.split_once(',').unwrap().0).collect();
        assert_eq!(versions, ["v1", "v1a", "v1a"]);

        // As a client does it: with the published half, over what arrived.
        let verifies = |public: &str, content: &str| {
            let key = STANDARD.decode(public.strip_prefix("whpk_").unwrap()).unwrap();
            signed.split(' ').filter_map(|one| one.strip_prefix("v1a,")).any(|one| {
                let signature = STANDARD.decode(one).unwrap();
                UnparsedPublicKey::new(&ED25519, &key).verify(content.as_bytes(), &signature).is_ok()
            })
        };
        let content = format!("{}.1614265330.{payload}", id());
        for pair in &pairs {
            assert!(verifies(&pair.public(), &content));
            assert!(!verifies(&pair.public(), &content.replace("Bücher", "Bucher")));
            assert!(!verifies(&pair.public(), &content.replace("1614265330", "1614265331")));
        }
        assert!(!verifies(&KeyPair::from_seed(&[3; 32]).public(), &content));
    }

    #[test]
    fn what_cannot_be_signed_is_not_sent_half_signed() {
        assert_eq!(sign(&[], &id(), 0, "{}"), Err(Unsignable::NoSecret));
        for malformed in ["whsec_?", "whsk_?"] {
            assert_eq!(sign(&secrets(&[NEW, malformed]), &id(), 0, "{}"), Err(Unsignable::MalformedSecret));
        }
        let pair = KeyPair::from_seed(&[1; 32]).secret();
        assert_eq!(sign(&[pair], &id(), 0, "{}"), Err(Unsignable::NoSecret));
    }
}
