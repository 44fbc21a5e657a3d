//! A provider's answer, read whole, and pointers into it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use serde_json::{Value, json};

use super::description::Place;
use crate::net::{self, BodyError};

/// Characters kept of an answer that is no JSON: enough to see what it is.
const TEXT_LIMIT: usize = 500;

/// A complete answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    /// `None` where an error is told inside another answer.
    pub(super) status: Option<u16>,
    pub(super) headers: HeaderMap,
    /// `Null` if the body is no JSON; the `data:` URI of one that is an image or a video.
    pub(super) body: Value,
    /// The beginning of a body that is no JSON.
    pub(super) text: String,
}

impl Answer {
    /// Reads at most `limit` bytes of body. An error means that the answer never became complete.
    pub(super) async fn read(response: Response, limit: usize) -> Result<Self, BodyError> {
        let status = Some(response.status().as_u16());
        let headers = response.headers().clone();
        let bytes = net::body(response, limit).await?;
        if let Some(kind) = media_type(&headers) {
            let body = Value::from(format!("data:{kind};base64,{}", STANDARD.encode(&bytes)));
            return Ok(Self { status, headers, body, text: String::new() });
        }
        let (body, text) = match serde_json::from_slice(&bytes) {
            Ok(body) => (body, String::new()),
            Err(_) => (Value::Null, String::from_utf8_lossy(&bytes).chars().take(TEXT_LIMIT).collect()),
        };
        Ok(Self { status, headers, body, text })
    }

    pub(super) fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }

    /// The text at a place, if it is there and not empty.
    pub(super) fn at(&self, place: Place) -> Option<String> {
        let found = match place {
            Place::Header(name) => {
                self.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
            }
            Place::Body(pointer) => self.body.pointer(pointer).and_then(text),
        };
        found.filter(|text| !text.trim().is_empty())
    }

    /// The provider's wish to be left alone, in seconds. A date instead of a number is not understood.
    pub(super) fn retry_after(&self) -> Option<u32> {
        self.headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()
    }
}

fn media_type(headers: &HeaderMap) -> Option<&str> {
    let kind = headers.get(CONTENT_TYPE)?.to_str().ok()?.split(';').next()?.trim();
    (kind.starts_with("image/") || kind.starts_with("video/")).then_some(kind)
}

/// A value as text: strings as they are, numbers and booleans as JSON writes them.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Every value that a pointer with `*` leads to.
pub(super) fn select<'v>(value: &'v Value, pointer: &str) -> Vec<&'v Value> {
    let Some((before, after)) = pointer.split_once("/*") else {
        return value.pointer(pointer).into_iter().collect();
    };
    let items = value.pointer(before).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().flat_map(|item| select(item, after)).collect()
}

/// Puts a value at a pointer, making the objects on the way, and a list where the pointer has its first item. A way that
/// leads through something else is left alone.
pub(super) fn place(body: &mut Value, pointer: &str, value: Value) {
    let mut at = body;
    for name in pointer.split('/').skip(1) {
        if at.is_null() {
            *at = if name == "0" { json!([null]) } else { json!({}) };
        }
        at = match at {
            Value::Object(members) => members.entry(name.to_owned()).or_insert(Value::Null),
            Value::Array(items) => match name.parse::<usize>().ok().and_then(|index| items.get_mut(index)) {
                Some(item) => item,
                None => return,
            },
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return,
        };
    }
    *at = value;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_every_item() {
        let value = json!({"images": [{"url": "a"}, {"url": "b"}, {}], "flags": [true, false], "video": {"url": "v"}});
        assert_eq!(select(&value, "/images/*/url"), [&json!("a"), &json!("b")]);
        assert_eq!(select(&value, "/flags/*"), [&json!(true), &json!(false)]);
        assert_eq!(select(&value, "/video/url"), [&json!("v")]);
        assert!(select(&value, "/video/*/url").is_empty() && select(&value, "/nothing").is_empty());
    }

    #[test]
    fn a_value_is_placed_and_its_objects_made() {
        let mut body = Value::Null;
        place(&mut body, "/prompt", json!("x"));
        place(&mut body, "/settings/duration", json!(5));
        place(&mut body, "/instances/0/prompt", json!("y"));
        place(&mut body, "/instances/0/image", json!("z"));
        place(&mut body, "/instances/1/image", json!("not made"));
        let instances = json!([{"prompt": "y", "image": "z"}]);
        assert_eq!(body, json!({"prompt": "x", "settings": {"duration": 5}, "instances": instances}));
    }
}
