//! JSON as AFC accepts it: I-JSON (RFC 7493), so that equal requests have one canonical form (B10).

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Deeper nesting is refused.
pub const MAX_DEPTH: usize = 32;
/// Integers of greater magnitude are not exact in every JSON implementation (RFC 7493 §2.2).
const MAX_EXACT: u64 = (1 << 53) - 1;

/// The text is no acceptable JSON. The message says what is wrong and where (line and column).
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct InvalidJson(String);

/// Parses a request body.
///
/// Refuses what two readers could understand differently or the database cannot hold: duplicate members, integers
/// beyond 2^53, NUL characters, nesting beyond [`MAX_DEPTH`]. A number without fraction is an integer however it
/// was written (`1.0` is `1`, F28).
pub fn parse(bytes: &[u8]) -> Result<Value, InvalidJson> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value =
        Strict { depth: 0 }.deserialize(&mut reader).map_err(|error| InvalidJson(error.to_string()))?;
    reader.end().map_err(|error| InvalidJson(error.to_string()))?;
    Ok(value)
}

#[derive(Clone, Copy)]
struct Strict {
    depth: usize,
}

impl Strict {
    fn deeper<E: de::Error>(self) -> Result<Self, E> {
        if self.depth >= MAX_DEPTH {
            return Err(E::custom(format_args!("nested deeper than {MAX_DEPTH} levels")));
        }
        Ok(Self { depth: self.depth + 1 })
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        if value > MAX_EXACT { Err(inexact(value)) } else { Ok(Value::from(value)) }
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        if value.unsigned_abs() > MAX_EXACT { Err(inexact(value)) } else { Ok(Value::from(value)) }
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        if value.fract() == 0.0 {
            // `{:.0}` prints an integral double exactly, so this reads it back as the integer it is.
            let digits = format!("{value:.0}");
            return match digits.parse::<i64>() {
                Ok(integer) if integer.unsigned_abs() <= MAX_EXACT => Ok(Value::from(integer)),
                _ => Err(inexact(digits)),
            };
        }
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number must be finite"))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
        text(value).map(|text| Value::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let seed = self.deeper()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(seed)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let seed = self.deeper()?;
        let mut map = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            text(&name)?;
            let value = members.next_value_seed(seed)?;
            if map.contains_key(&name) {
                return Err(de::Error::custom(format_args!("duplicate member {name:?}")));
            }
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}

fn inexact<E: de::Error>(value: impl fmt::Display) -> E {
    E::custom(format_args!("integer {value} is beyond 2^53 and not exact in JSON; send it as a string"))
}

/// Postgres stores no NUL in text or jsonb (22P05), so it is refused at the border.
fn text<E: de::Error>(value: &str) -> Result<&str, E> {
    if value.contains('\0') { Err(E::custom("the character U+0000 is not allowed")) } else { Ok(value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn f28_a_number_without_fraction_is_an_integer() {
        assert_eq!(parse(b"[1.0, 1, 1e0, -0.0, 2.5]").unwrap(), json!([1, 1, 1, 0, 2.5]));
    }

    #[test]
    fn what_readers_could_understand_differently_is_refused() {
        for (text, why) in [
            (r#"{"a":1,"a":1}"#.to_owned(), "duplicate member \"a\""),
            (r#"{"a":1,"\u0061":1}"#.to_owned(), "duplicate member \"a\""),
            ("9007199254740992".to_owned(), "beyond 2^53"),
            ("1e300".to_owned(), "beyond 2^53"),
            ("1e999".to_owned(), "out of range"),
            (r#""a\u0000b""#.to_owned(), "U+0000"),
            (r#"{"a\u0000b":1}"#.to_owned(), "U+0000"),
            (r#""\ud800""#.to_owned(), "hex escape"),
            ("[".repeat(40) + &"]".repeat(40), "nested deeper"),
            ("[".repeat(100_000), "nested deeper"),
            ("{} x".to_owned(), "trailing"),
            (String::new(), "EOF"),
            ("{'a':1}".to_owned(), "key must be a string"),
        ] {
            let error = parse(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(why), "{error} does not say {why}");
        }
        assert!(parse(b"\xff").is_err());
    }
}
