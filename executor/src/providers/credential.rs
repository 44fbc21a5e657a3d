//! What a provider's key becomes on the wire.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::Utc;
use domain::Secret;
use hmac::{Hmac, KeyInit, Mac};
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::json;
use sha2::Sha256;

use super::endpoint::Names;

/// A signed token lives this long, in seconds; each request has its own, so that it never ages.
const TOKEN_LIFE: i64 = 1800;
/// And it is good from a little before now: clocks differ.
const TOKEN_HEAD_START: i64 = 5;

/// The key cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnusableKey {
    /// Line breaks, for instance.
    #[error("the provider key holds characters that no HTTP header can")]
    Characters,
    /// This provider's key has two parts.
    #[error("the provider key is not two parts with a colon between them")]
    NotAPair,
}

/// A header that says who calls.
pub(super) struct Credential {
    name: HeaderName,
    value: Kind,
    account: Option<String>,
}

enum Kind {
    Fixed(HeaderValue),
    Signed { before: &'static str, access: String, secret: Secret },
}

impl Credential {
    /// Reads `key` as the template of [`super::description::Description::auth`] wants it.
    pub(super) fn new(auth: (&'static str, &'static str), key: &Secret) -> Result<Self, UnusableKey> {
        let (name, template) = auth;
        let name = HeaderName::from_static(name);
        let pair = || {
            let parts = key.expose().split_once(':');
            parts
                .filter(|(first, second)| !first.is_empty() && !second.is_empty())
                .ok_or(UnusableKey::NotAPair)
        };
        if let Some(before) = template.strip_suffix("{jwt_hs256}") {
            let (access, secret) = pair()?;
            let value = Kind::Signed { before, access: access.to_owned(), secret: Secret::new(secret) };
            return Ok(Self { name, value, account: None });
        }
        let (filled, account) = if template.contains("{token}") {
            let (account, token) = pair()?;
            (template.replace("{token}", token), Some(account.to_owned()))
        } else {
            (template.replace("{key}", key.expose()), None)
        };
        let value = Kind::Fixed(sensitive(&filled)?);
        Ok(Self { name, value, account })
    }

    /// What the key knows of the provider's URLs.
    pub(super) fn names(&self) -> Names {
        let names = Names::default();
        self.account.iter().fold(names, |names, account| names.segment("account", account))
    }

    /// The header of a request that is made now.
    pub(super) fn header(&self) -> (HeaderName, HeaderValue) {
        let value = match &self.value {
            Kind::Fixed(value) => value.clone(),
            Kind::Signed { before, access, secret } => {
                let token = token(access, secret, Utc::now().timestamp());
                // Base64 fits into a header whatever the key is.
                sensitive(&format!("{before}{token}")).unwrap_or_else(|_| HeaderValue::from_static(""))
            }
        };
        (self.name.clone(), value)
    }
}

pub(super) fn sensitive(text: &str) -> Result<HeaderValue, UnusableKey> {
    let mut value = HeaderValue::from_str(text).map_err(|_| UnusableKey::Characters)?;
    value.set_sensitive(true);
    Ok(value)
}

/// A JWT (RFC 7519) with HMAC SHA-256; `now` in Unix seconds.
fn token(access: &str, secret: &Secret, now: i64) -> String {
    let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let head = part(json!({"alg": "HS256", "typ": "JWT"}));
    let claims = part(json!({"iss": access, "exp": now + TOKEN_LIFE, "nbf": now - TOKEN_HEAD_START}));
    let signed = format!("{head}.{claims}");
    let signature = match Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes()) {
        Ok(mac) => mac.chain_update(&signed).finalize().into_bytes().to_vec(),
        // HMAC takes a key of any length.
        Err(_) => Vec::new(),
    };
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(template: &'static str, key: &str) -> Result<Credential, UnusableKey> {
        Credential::new(("authorization", template), &Secret::new(key))
    }

    #[test]
    fn a_token_is_what_any_jwt_library_would_make() {
        // Signed by Python's hmac over the same claims.
        let expected = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJleHAiOjE3NjQ2MDE4MDAsImlzcyI6ImFjY2VzcyIsIm5iZiI6MTc2NDU5OTk5NX0";
        let token = token("access", &Secret::new("secret"), 1_764_600_000);
        let (signed, signature) = token.rsplit_once('.').unwrap();
        assert_eq!((signed, signature), (expected, "rY_PrXB0ShYnM6lkrIQVyXwB-YFc71YPBpdQawaHC1A"));
    }

    #[test]
    fn a_key_of_two_parts_is_signed_with_anew_or_split() {
        let signed = made("Bearer {jwt_hs256}", "access:secret").unwrap();
        let (name, value) = signed.header();
        assert_eq!((name.as_str(), value.is_sensitive()), ("authorization", true));
        assert!(
            value.to_str().unwrap().starts_with("Bearer eyJ") && !value.to_str().unwrap().contains("secret")
        );
        let split = made("Bearer {token}", "account:to:ken").unwrap();
        assert_eq!(
            (split.header().1, split.account.as_deref()),
            (HeaderValue::from_static("Bearer to:ken"), Some("account"))
        );
        for key in ["access", ":secret", "access:"] {
            assert_eq!(made("Bearer {jwt_hs256}", key).err(), Some(UnusableKey::NotAPair));
            assert_eq!(made("Bearer {token}", key).err(), Some(UnusableKey::NotAPair));
        }
        assert_eq!(made("Key {key}", "a\nb").err(), Some(UnusableKey::Characters));
        assert_eq!(made("Key {key}", "id:key").unwrap().header().1, "Key id:key");
    }
}
