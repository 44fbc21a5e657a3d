use std::fmt;

use reqwest::header::HeaderValue;

use crate::Error;

/// The name of a wish. Two requests with one key and one body are one wish, however often and whenever they are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey(HeaderValue);

/// What the API takes.
const MOST: usize = 255;

impl IdempotencyKey {
    /// Your own name: 1 to 255 visible ASCII characters, such as `film-7/shot-42/take-3`.
    ///
    /// # Errors
    /// [`Error::Usage`] for any other text.
    pub fn new(name: &str) -> Result<Self, Error> {
        let fits = (1..=MOST).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic());
        let value = HeaderValue::from_str(name).ok().filter(|_| fits);
        value.map(Self).ok_or_else(|| {
            Error::usage(format!("an idempotency key has 1 to {MOST} visible ASCII characters: {name:?}"))
        })
    }

    /// A name that nobody has used. Keep it if the call may have to be made again.
    pub fn random() -> Self {
        let name = uuid::Uuid::new_v4().to_string();
        // Digits and dashes can stand in a header.
        Self(HeaderValue::from_str(&name).unwrap_or(HeaderValue::from_static("")))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    pub(crate) fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::IdempotencyKey;

    #[test]
    fn a_key_is_visible_ascii_of_the_apis_length() {
        for name in ["a", "film-7/shot-42", &"k".repeat(255)] {
            assert_eq!(IdempotencyKey::new(name).unwrap().as_str(), name);
        }
        for name in ["", "two words", "schlüssel", "line\n", &"k".repeat(256)] {
            assert!(IdempotencyKey::new(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn random_keys_differ_and_are_keys() {
        let key = IdempotencyKey::random();
        assert_ne!(key, IdempotencyKey::random());
        assert_eq!(IdempotencyKey::new(key.as_str()).unwrap(), key);
    }
}
