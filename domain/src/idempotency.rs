//! The key under which a caller repeats a request (A4, B11).

use std::fmt;

/// A well-formed `Idempotency-Key`: 1 to 255 visible ASCII characters (B11).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey(String);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidKey {
    #[error("the key is empty")]
    Empty,
    #[error("the key has {0} characters; at most 255 are allowed")]
    TooLong(usize),
    #[error("the key may hold visible ASCII characters only (0x21 to 0x7e)")]
    NotVisibleAscii,
}

impl IdempotencyKey {
    pub const MAX_LENGTH: usize = 255;

    pub fn parse(header: &[u8]) -> Result<Self, InvalidKey> {
        if header.is_empty() {
            return Err(InvalidKey::Empty);
        }
        if header.len() > Self::MAX_LENGTH {
            return Err(InvalidKey::TooLong(header.len()));
        }
        let visible = header.iter().all(u8::is_ascii_graphic);
        let text = std::str::from_utf8(header).ok().filter(|_| visible).ok_or(InvalidKey::NotVisibleAscii)?;
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b11_a_key_is_1_to_255_visible_ascii_characters() {
        assert!(IdempotencyKey::parse(b"shot-42/take~3!").is_ok());
        assert!(IdempotencyKey::parse(&[b'k'; 255]).is_ok());
        assert_eq!(IdempotencyKey::parse(b""), Err(InvalidKey::Empty));
        assert_eq!(IdempotencyKey::parse(&[b'k'; 300]), Err(InvalidKey::TooLong(300)));
        for bad in [&b"a b"[..], b"a\tb", b"\x7f", "clé".as_bytes(), b"\xff"] {
            assert_eq!(IdempotencyKey::parse(bad), Err(InvalidKey::NotVisibleAscii));
        }
    }
}
