//! Links that open one path to whoever holds them, until they expire.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::Mac;
use serde_json::Value;

use crate::fields::Violations;
use crate::token::mac;
use crate::{Secret, query};

/// What links are signed with: the first key signs, all of them verify, so that keys can be rotated.
#[derive(Clone, Debug, Default)]
pub struct Keys(Vec<Secret>);

/// A link does not open what it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the link was not made here, or not as it is")]
    Invalid,
    #[error("the link has expired")]
    Expired,
}

impl Keys {
    /// As a deployment's secret has them: one or more, with white space between, the newest first.
    pub fn parse(text: &str) -> Self {
        Self(text.split_whitespace().map(Secret::new).collect())
    }

    /// The query that makes a link of `path`: `expires=…&signature=…`; seconds since the epoch. `None` without a key.
    pub fn sign(&self, path: &str, expires_at: i64) -> Option<String> {
        let signature = self.signature(&claims(path, expires_at))?;
        Some(format!("expires={expires_at}&signature={signature}"))
    }

    /// Of `claims`, under the newest key; `None` without a key.
    pub(crate) fn signature(&self, claims: &str) -> Option<String> {
        Some(URL_SAFE_NO_PAD.encode(mac(self.0.first()?, claims).finalize().into_bytes()))
    }

    /// Whether any of the keys made `signature` of `claims`.
    pub(crate) fn signed(&self, claims: &str, signature: &str) -> bool {
        URL_SAFE_NO_PAD
            .decode(signature)
            .is_ok_and(|signature| self.0.iter().any(|key| mac(key, claims).verify_slice(&signature).is_ok()))
    }

    /// Whether nothing can be signed.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Judges a request for `path` with `query`; `None` if that is no link's. A link is for reading: for GET and HEAD.
    ///
    /// What was changed is told from what has expired only under a good signature, and neither says anything of what the
    /// path names.
    pub fn judge(&self, path: &str, query: &str, now: i64) -> Option<Result<(), Refused>> {
        let mut wrong = Violations::default();
        let members = query::object(query, &mut wrong);
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        let (expires, signature) = (text("expires"), text("signature"));
        if expires.is_none() && signature.is_none() {
            return None;
        }
        Some(self.verify(path, expires.unwrap_or_default(), signature.unwrap_or_default(), now))
    }

    fn verify(&self, path: &str, expires: &str, signature: &str, now: i64) -> Result<(), Refused> {
        let expires_at: i64 = expires.parse().map_err(|_| Refused::Invalid)?;
        if expires_at.to_string() != expires || !self.signed(&claims(path, expires_at), signature) {
            return Err(Refused::Invalid);
        }
        if expires_at <= now { Err(Refused::Expired) } else { Ok(()) }
    }
}

/// Begins unlike any token's, so neither passes for the other.
fn claims(path: &str, expires_at: i64) -> String {
    format!("link.v1.GET.{expires_at}.{path}")
}

/// When a link that is made `now` expires: after `life` seconds at least, at a full hour, so that it is the same link for
/// an hour and what was fetched by it is found in caches.
pub const fn expiry(now: i64, life: i64) -> i64 {
    (now + life).div_euclid(HOUR) * HOUR + HOUR
}

const HOUR: i64 = 3600;

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::*;

    const PATH: &str = "/v1/generations/0198c0de-0000-7000-8000-000000000001/output/0";

    fn keys(text: &str) -> Keys {
        Keys::parse(text)
    }

    #[test]
    fn a_link_opens_its_path_until_it_expires() {
        let link = keys("k").sign(PATH, 100).unwrap();
        assert_eq!(keys("k").judge(PATH, &link, 99), Some(Ok(())));
        assert_eq!(keys("k").judge(PATH, &link, 100), Some(Err(Refused::Expired)));
        assert_eq!(keys("k").judge(PATH, &format!("{link}&utm=1"), 99), Some(Ok(())));
        let other = PATH.replace("output/0", "output/1");
        for (keys, path, link, now) in [
            (keys("other"), PATH, link.clone(), 99),
            (keys(""), PATH, link.clone(), 99),
            (keys("k"), other.as_str(), link.clone(), 99),
            (keys("k"), PATH, link.replace("expires=100", "expires=101"), 99),
            (keys("k"), PATH, link.replace("expires=100", "expires=0100"), 99),
            (keys("k"), PATH, link.replace("expires=100&", ""), 99),
            (keys("k"), PATH, "expires=100".to_owned(), 99),
            (keys("k"), PATH, "expires=100&signature=".to_owned(), 99),
            (keys("k"), PATH, format!("{link}&signature=x"), 99),
            // What was changed is not told from what has expired.
            (keys("k"), PATH, format!("{link}A"), 200),
        ] {
            assert_eq!(keys.judge(path, &link, now), Some(Err(Refused::Invalid)), "{path}?{link}");
        }
        assert_eq!(keys("k").judge(PATH, "", 99), None);
        assert_eq!(keys("k").judge(PATH, "download=1", 99), None);
    }

    #[test]
    fn keys_are_rotated() {
        let (old, both, new) = (keys("old"), keys(" new\told\n"), keys("new"));
        let before = old.sign(PATH, 100).unwrap();
        let after = both.sign(PATH, 100).unwrap();
        for (keys, link, judged) in [
            (&both, &before, Ok(())),
            (&both, &after, Ok(())),
            (&new, &after, Ok(())),
            (&new, &before, Err(Refused::Invalid)),
            (&old, &after, Err(Refused::Invalid)),
        ] {
            assert_eq!(keys.judge(PATH, link, 1), Some(judged), "{link}");
        }
        assert_eq!(keys("").sign(PATH, 100), None);
    }

    #[test]
    fn a_link_is_the_same_for_an_hour() {
        assert_eq!((expiry(0, 100), expiry(3499, 100)), (3600, 3600));
        assert_eq!(expiry(3500, 100), 7200);
    }

    proptest! {
        #[test]
        fn no_text_passes_for_a_link(query in any::<String>(), now in any::<i64>()) {
            assert_ne!(keys("k").judge(PATH, &query, now), Some(Ok(())));
        }
    }
}
