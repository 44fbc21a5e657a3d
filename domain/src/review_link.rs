//! Review links: whoever holds one may see one style run and decide on it, until the link expires. No account is needed.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::Mac;

use crate::token::{InvalidToken, mac, number};
use crate::{Secret, StyleRunId};

/// What a link opens, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReviewToken {
    pub run: StyleRunId,
    /// In seconds since the epoch.
    pub expires_at: i64,
}

impl ReviewToken {
    /// `<run>.<expiry>.<mac>`; fit for a URL's path.
    pub fn sign(self, keys: &LinkKeys) -> String {
        let mac = URL_SAFE_NO_PAD.encode(mac(&keys.first, &self.claims()).finalize().into_bytes());
        format!("{}.{}.{mac}", self.run, self.expires_at)
    }

    /// The signature is looked at first: who has no link of ours does not learn which runs there are, or were.
    pub fn verify(token: &str, keys: &LinkKeys, now: i64) -> Result<Self, InvalidToken> {
        let parts: Vec<&str> = token.split('.').collect();
        let [run, expires_at, signature] = parts.as_slice() else {
            return Err(InvalidToken::Malformed);
        };
        let token = Self { run: number(run)?, expires_at: number(expires_at)? };
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| InvalidToken::Malformed)?;
        let by = |key: &Secret| mac(key, &token.claims()).verify_slice(&signature).is_ok();
        if !keys.all().any(by) {
            return Err(InvalidToken::Forged);
        }
        if token.expires_at <= now { Err(InvalidToken::Expired) } else { Ok(token) }
    }

    /// Begins unlike other tokens' claims, so that none passes for another.
    fn claims(self) -> String {
        format!("review.v1.{}.{}", self.run, self.expires_at)
    }
}

/// The keys that links are signed with: the first one signs, all of them are believed. So a key is changed without a link
/// dying: the new one goes first, and the old one goes when its links have expired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkKeys {
    first: Secret,
    older: Vec<Secret>,
}

impl LinkKeys {
    /// Keys with white space between them; `None` if there is none.
    pub fn parse(text: &str) -> Option<Self> {
        let mut keys = text.split_whitespace().map(Secret::new);
        Some(Self { first: keys.next()?, older: keys.collect() })
    }

    fn all(&self) -> impl Iterator<Item = &Secret> {
        std::iter::once(&self.first).chain(&self.older)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::AttemptToken;

    const RUN: &str = "0198c0de-0000-7000-8000-000000000001";

    fn link(expires_at: i64) -> ReviewToken {
        ReviewToken { run: RUN.parse().unwrap(), expires_at }
    }

    fn keys(text: &str) -> LinkKeys {
        LinkKeys::parse(text).unwrap()
    }

    #[test]
    fn a_link_opens_its_run_until_it_expires() {
        let token = link(100).sign(&keys("k"));
        assert_eq!(ReviewToken::verify(&token, &keys("k"), 99), Ok(link(100)));
        assert_eq!(ReviewToken::verify(&token, &keys("k"), 100), Err(InvalidToken::Expired));
    }

    #[test]
    fn a_changed_link_is_refused_before_its_expiry_is_read() {
        let token = link(100).sign(&keys("k"));
        for (old, new) in [(".100.", ".101."), ("0001.", "0002."), (".100.", ".99.")] {
            let forged = token.replace(old, new);
            assert_eq!(ReviewToken::verify(&forged, &keys("k"), 99), Err(InvalidToken::Forged), "{forged}");
        }
        for text in
            ["", ".", "..", "x.1.y", token.get(..60).unwrap(), &format!("{token}.1"), &format!("{token}!")]
        {
            assert!(ReviewToken::verify(text, &keys("k"), 1).is_err(), "{text}");
        }
        let other = AttemptToken(RUN.parse().unwrap()).sign(&Secret::new("k"));
        assert!(ReviewToken::verify(&other, &keys("k"), 0).is_err(), "a token of another kind");
    }

    #[test]
    fn keys_are_changed_one_after_the_other() {
        let old = link(100).sign(&keys("old"));
        assert_eq!(ReviewToken::verify(&old, &keys("new old"), 1), Ok(link(100)));
        assert_eq!(ReviewToken::verify(&old, &keys("new"), 1), Err(InvalidToken::Forged));
        let new = link(100).sign(&keys("new\n old"));
        assert_eq!(ReviewToken::verify(&new, &keys("new"), 1), Ok(link(100)));
        assert_eq!(LinkKeys::parse(" \n"), None);
    }
}
