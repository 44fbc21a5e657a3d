//! The request hash: SHA-256 of the canonical JSON of what the client sent (A5, B10).

use std::fmt;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// The version of the hash that is written today. A stored hash is compared under the version stored beside it.
pub const VERSION: i16 = 1;

/// SHA-256 over RFC 8785 canonical JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestHash([u8; 32]);

impl RequestHash {
    /// `value` is what [`crate::json::parse`] returned: I-JSON, for which a canonical form exists always.
    pub fn of(value: &Value) -> Result<Self, serde_json::Error> {
        Ok(Self(Sha256::digest(serde_json_canonicalizer::to_vec(value)?).into()))
    }

    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for RequestHash {
    /// Lower-case hex.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hash(text: &str) -> RequestHash {
        RequestHash::of(&crate::json::parse(text.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn f28_the_same_body_written_otherwise_has_the_same_hash() {
        let one = hash(r#"{"a":1,"b":["é",2.5,null]}"#);
        for other in [
            r#"{"b":["é",2.5,null],"a":1}"#,
            "{ \"a\" : 1.0,\n\t\"b\" : [ \"\\u00e9\", 25e-1, null ] }",
            r#"{"\u0061":1,"b":["é",2.50,null]}"#,
        ] {
            assert_eq!(hash(other), one, "{other}");
        }
    }

    #[test]
    fn another_body_has_another_hash() {
        let one = hash(r#"{"a":1}"#);
        for other in [r#"{"a":2}"#, r#"{"a":"1"}"#, r#"{"a":1,"b":null}"#, r#"{"a":[1]}"#, r#"{"A":1}"#] {
            assert_ne!(hash(other), one, "{other}");
        }
    }

    #[test]
    fn b10_version_1_is_frozen() {
        let hash = hash(r#"{"z":[],"a":{"b":1.5}}"#);
        let expected: [u8; 32] = Sha256::digest(br#"{"a":{"b":1.5},"z":[]}"#).into();
        assert_eq!(hash.bytes(), &expected);
    }

    proptest! {
        #[test]
        fn member_order_never_matters(names in proptest::collection::hash_set("[a-z\\u{e0}-\\u{ff}]{1,4}", 1..8)) {
            let forwards: Vec<_> = names.iter().map(|n| format!("{n:?}:1")).collect();
            let mut backwards = forwards.clone();
            backwards.reverse();
            prop_assert_eq!(hash(&format!("{{{}}}", forwards.join(","))), hash(&format!("{{{}}}", backwards.join(","))));
        }
    }
}
