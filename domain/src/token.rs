//! Job tokens: what the executor shows to the journal. One token, one job, one lease, for a limited time.

use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::{AttemptId, JobId, Secret};

/// What a token allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    pub job: JobId,
    /// The lease that journal writes are made under. [`Grant::TAKE_LEASE`] may only take a lease.
    pub lease: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidToken {
    #[error("the token is malformed")]
    Malformed,
    #[error("the token's signature does not match")]
    Forged,
    #[error("the token has expired")]
    Expired,
}

impl Grant {
    /// The lease of a token that came with a submit.
    pub const TAKE_LEASE: i64 = 0;

    /// `v1.<job>.<lease>.<expiry>.<mac>`; expiry in seconds since the epoch, MAC = HMAC-SHA256 over what precedes.
    pub fn sign(self, key: &Secret, expires_at: i64) -> Secret {
        let claims = format!("v1.{}.{}.{expires_at}", self.job, self.lease);
        let mac = URL_SAFE_NO_PAD.encode(mac(key, &claims).finalize().into_bytes());
        Secret::new(format!("{claims}.{mac}"))
    }

    pub fn verify(token: &str, key: &Secret, now: i64) -> Result<Self, InvalidToken> {
        let (claims, signature) = token.rsplit_once('.').ok_or(InvalidToken::Malformed)?;
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| InvalidToken::Malformed)?;
        mac(key, claims).verify_slice(&signature).map_err(|_| InvalidToken::Forged)?;
        let parts: Vec<&str> = claims.split('.').collect();
        let ["v1", job, lease, expires_at] = parts.as_slice() else {
            return Err(InvalidToken::Malformed);
        };
        if number::<i64>(expires_at)? <= now {
            return Err(InvalidToken::Expired);
        }
        Ok(Self { job: number(job)?, lease: number(lease)? })
    }
}

/// A token in a URL that only AFC and one provider know: whoever shows it speaks of this attempt (B3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptToken(pub AttemptId);

impl AttemptToken {
    /// `<attempt>.<mac>`; fit for a URL's path. It does not expire: a callback may come late.
    pub fn sign(self, key: &Secret) -> String {
        let mac = URL_SAFE_NO_PAD.encode(mac(key, &self.claims()).finalize().into_bytes());
        format!("{}.{mac}", self.0)
    }

    pub fn verify(token: &str, key: &Secret) -> Result<Self, InvalidToken> {
        let (attempt, signature) = token.split_once('.').ok_or(InvalidToken::Malformed)?;
        let token = Self(number(attempt)?);
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| InvalidToken::Malformed)?;
        mac(key, &token.claims()).verify_slice(&signature).map_err(|_| InvalidToken::Forged)?;
        Ok(token)
    }

    /// Begins unlike a job token's, so neither passes for the other.
    fn claims(self) -> String {
        format!("callback.v1.{}", self.0)
    }
}

pub(crate) fn number<T: FromStr>(text: &str) -> Result<T, InvalidToken> {
    text.parse().map_err(|_| InvalidToken::Malformed)
}

/// A key of its own for `purpose`, made from a secret of the deployment's: what one signs the other does not accept.
pub(crate) fn derived(key: &Secret, purpose: &str) -> Secret {
    Secret::new(URL_SAFE_NO_PAD.encode(mac(key, &format!("key.v1.{purpose}")).finalize().into_bytes()))
}

pub(crate) fn mac(key: &Secret, claims: &str) -> Hmac<Sha256> {
    // HMAC takes a key of any length; hashing it first gives the fixed length that has no failing path.
    let key = <Sha256 as sha2::Digest>::digest(key.expose().as_bytes());
    let mut mac = Hmac::<Sha256>::new(&{
        let mut block = hmac::digest::Key::<Hmac<Sha256>>::default();
        block.iter_mut().zip(key).for_each(|(to, from)| *to = from);
        block
    });
    mac.update(claims.as_bytes());
    mac
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(lease: i64) -> Grant {
        Grant { job: "0198c0de-0000-7000-8000-000000000001".parse().unwrap(), lease }
    }

    #[test]
    fn a_token_is_good_for_what_it_says_and_until_it_says() {
        let key = Secret::new("k");
        let token = grant(3).sign(&key, 100);
        assert_eq!(Grant::verify(token.expose(), &key, 99), Ok(grant(3)));
        assert_eq!(Grant::verify(token.expose(), &key, 100), Err(InvalidToken::Expired));
        assert_eq!(Grant::verify(token.expose(), &Secret::new("other"), 99), Err(InvalidToken::Forged));
    }

    #[test]
    fn b3_an_attempts_token_is_its_own() {
        let key = Secret::new("k");
        let attempt = |n: u128| AttemptToken(AttemptId::new(uuid::Uuid::from_u128(n)));
        let token = attempt(1).sign(&key);
        assert_eq!(AttemptToken::verify(&token, &key), Ok(attempt(1)));
        assert_eq!(AttemptToken::verify(&token, &Secret::new("other")), Err(InvalidToken::Forged));
        let (_, mac) = token.split_once('.').unwrap();
        let other = format!("{}.{mac}", attempt(2).0);
        assert_eq!(AttemptToken::verify(&other, &key), Err(InvalidToken::Forged));
        for text in ["", ".", "x.y", token.get(..40).unwrap()] {
            assert!(AttemptToken::verify(text, &key).is_err(), "{text}");
        }
    }

    #[test]
    fn a_changed_token_is_refused() {
        let key = Secret::new("k");
        let token = grant(3).sign(&key, 100);
        let forged = token.expose().replace(".3.", ".4.");
        assert_eq!(Grant::verify(&forged, &key, 1), Err(InvalidToken::Forged));
        for text in ["", ".", "v1", "v1.x.y.z", "....", "v1.a.b.c.!!!"] {
            assert!(Grant::verify(text, &key, 1).is_err(), "{text}");
        }
    }
}
