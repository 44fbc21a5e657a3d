//! SHA-256 as lower-case hex.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The hash of `bytes`, 64 hex digits.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&sha256(bytes))
}

/// The hash of `bytes`.
pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// A hash over named contents; neither a moved boundary nor a renamed part keeps it.
#[derive(Default)]
pub(crate) struct Parts(Sha256);

impl Parts {
    /// Adds one part.
    pub(crate) fn add(&mut self, name: &str, content: &[u8]) {
        self.0.update(format!("{}:{name}{}:", name.len(), content.len()));
        self.0.update(content);
    }

    /// The hash of what was added, 64 hex digits.
    pub(crate) fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::{Parts, sha256_hex};

    #[test]
    fn the_known_hash_of_nothing() {
        assert_eq!(sha256_hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    #[test]
    fn a_moved_boundary_changes_the_hash() {
        let hash = |parts: &[(&str, &str)]| {
            let mut all = Parts::default();
            for (name, content) in parts {
                all.add(name, content.as_bytes());
            }
            all.finish()
        };
        assert_ne!(hash(&[("a", "bc")]), hash(&[("ab", "c")]));
        assert_ne!(hash(&[("a", "b"), ("c", "d")]), hash(&[("a", "bc"), ("", "d")]));
        assert_eq!(hash(&[("a", "b")]), hash(&[("a", "b")]));
    }
}
