//! The bucket: create once, look, and nothing else.

use std::collections::BTreeMap;

use http::Method;

use crate::case::Broken;
use crate::message::{Call, Reply};

/// Objects by their key.
#[derive(Clone, Debug, Default)]
pub struct Bucket {
    objects: BTreeMap<String, Object>,
    /// Keys whose object was replaced (I9).
    pub replaced: Vec<String>,
    /// A look found a result.
    pub found: bool,
    broken: Option<Broken>,
}

#[derive(Clone, Debug)]
struct Object {
    headers: Vec<(String, String)>,
    bytes: usize,
}

impl Bucket {
    pub fn new(broken: Option<Broken>) -> Self {
        Self { broken, ..Self::default() }
    }

    pub fn has_result(&self) -> bool {
        self.objects.keys().any(|key| key.ends_with("/output"))
    }

    /// Object metadata of the result, by name.
    pub fn meta(&self, name: &str) -> Option<&str> {
        let result = self.objects.iter().find(|(key, _)| key.ends_with("/output"))?.1;
        let header = format!("x-amz-meta-{name}");
        result.headers.iter().find(|(known, _)| *known == header).map(|(_, value)| value.as_str())
    }

    pub fn answer(&mut self, call: &Call) -> Reply {
        let key = call.url.path().to_owned();
        if call.method == Method::HEAD {
            return self.head(&key);
        }
        if call.method != Method::PUT {
            return Reply::status(501);
        }
        let conditional = call.header("if-none-match") == Some("*") && self.broken != Some(Broken::Create);
        if self.objects.contains_key(&key) {
            if conditional {
                return Reply::status(412);
            }
            self.replaced.push(key.clone());
        }
        let kept = |name: &str| name.starts_with("x-amz-meta-") || name == "content-type";
        let headers = call.headers.iter().filter(|(name, _)| kept(name.as_str()));
        let headers =
            headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().to_owned()));
        self.objects.insert(key, Object { headers: headers.collect(), bytes: call.body.len() });
        Reply::status(200)
    }

    fn head(&mut self, key: &str) -> Reply {
        let object = self.objects.get(key).filter(|_| self.broken != Some(Broken::Look));
        let Some(object) = object else {
            return Reply::status(404);
        };
        self.found = true;
        let mut headers = object.headers.clone();
        headers.push(("content-length".to_owned(), object.bytes.to_string()));
        Reply { status: 200, headers, body: Vec::new() }
    }
}
