//! Review links: whoever holds one may see one style run and decide on it, until the link expires. No account is needed.

use crate::StyleRunId;
use crate::signed::Keys;
use crate::token::{InvalidToken, number};

/// What a link opens, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReviewToken {
    pub run: StyleRunId,
    /// In seconds since the epoch.
    pub expires_at: i64,
}

impl ReviewToken {
    /// `<run>.<expiry>.<mac>`; fit for a URL's path. `None` without a key.
    pub fn sign(self, keys: &Keys) -> Option<String> {
        let mac = keys.signature(&self.claims())?;
        Some(format!("{}.{}.{mac}", self.run, self.expires_at))
    }

    /// The signature is looked at first: who has no link of ours does not learn which runs there are, or were.
    pub fn verify(token: &str, keys: &Keys, now: i64) -> Result<Self, InvalidToken> {
        let parts: Vec<&str> = token.split('.').collect();
        let [run, expires_at, signature] = parts.as_slice() else {
            return Err(InvalidToken::Malformed);
        };
        let token = Self { run: number(run)?, expires_at: number(expires_at)? };
        if !keys.signed(&token.claims(), signature) {
            return Err(InvalidToken::Forged);
        }
        if token.expires_at <= now { Err(InvalidToken::Expired) } else { Ok(token) }
    }

    /// Begins unlike other tokens' claims, so that none passes for another.
    fn claims(self) -> String {
        format!("review.v1.{}.{}", self.run, self.expires_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Secret;
    use crate::token::AttemptToken;

    const RUN: &str = "0198c0de-0000-7000-8000-000000000001";

    fn link(expires_at: i64) -> ReviewToken {
        ReviewToken { run: RUN.parse().unwrap(), expires_at }
    }

    fn keys(text: &str) -> Keys {
        Keys::parse(text)
    }

    #[test]
    fn a_link_opens_its_run_until_it_expires() {
        let token = link(100).sign(&keys("k")).unwrap();
        assert_eq!(ReviewToken::verify(&token, &keys("k"), 99), Ok(link(100)));
        assert_eq!(ReviewToken::verify(&token, &keys("k"), 100), Err(InvalidToken::Expired));
    }

    #[test]
    fn a_changed_link_is_refused_before_its_expiry_is_read() {
        let token = link(100).sign(&keys("k")).unwrap();
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
        let old = link(100).sign(&keys("old")).unwrap();
        assert_eq!(ReviewToken::verify(&old, &keys("new old"), 1), Ok(link(100)));
        assert_eq!(ReviewToken::verify(&old, &keys("new"), 1), Err(InvalidToken::Forged));
        let new = link(100).sign(&keys("new\n old")).unwrap();
        assert_eq!(ReviewToken::verify(&new, &keys("new"), 1), Ok(link(100)));
        assert_eq!(link(100).sign(&keys(" \n")), None);
    }
}
