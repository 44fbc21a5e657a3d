//! Where a provider is called, and which of the URLs it names are followed: the key goes to allow-listed hosts only.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use url::Url;

/// A provider's base URL and the hosts beside it.
#[derive(Clone, Debug)]
pub(super) struct Endpoint {
    base: Url,
    hosts: &'static [&'static str],
}

/// Values for a template's names, percent-encoded where they become part of a path.
#[derive(Clone, Debug, Default)]
pub(super) struct Names(BTreeMap<String, String>);

impl Names {
    /// A value that the provider or a caller chose: one path segment.
    pub(super) fn segment(mut self, name: &str, value: &str) -> Self {
        self.0.insert(name.to_owned(), encode(value));
        self
    }

    /// A value that is a path or a whole URL.
    pub(super) fn raw(mut self, name: &str, value: &str) -> Self {
        self.0.insert(name.to_owned(), value.to_owned());
        self
    }

    /// A value that is a path of several segments. It has no name if it is none, or would climb.
    pub(super) fn path(self, name: &str, value: &str) -> Self {
        let segments: Vec<&str> = value.split('/').collect();
        if segments.len() < 2 || segments.iter().any(|segment| matches!(*segment, "" | "." | "..")) {
            return self;
        }
        let segments: Vec<String> = segments.into_iter().map(encode).collect();
        self.raw(name, &segments.join("/"))
    }

    /// `{model}`, `{app}`, and `{task}` if there is one. A model's name is validated as a path where it enters AFC.
    pub(super) fn model(self, model: &str) -> Self {
        let parts = if model.starts_with("workflows/") || model.starts_with("comfy/") { 3 } else { 2 };
        let app: Vec<&str> = model.split('/').take(parts).collect();
        let names = self.raw("model", model).raw("app", &app.join("/"));
        match model.split_once('/') {
            Some((task, _)) => names.raw("task", task),
            None => names,
        }
    }
}

impl Endpoint {
    pub(super) fn new(base: Url, hosts: &'static [&'static str]) -> Self {
        Self { base, hosts }
    }

    pub(super) fn base(&self) -> &Url {
        &self.base
    }

    /// The first template whose names are all known and which leads to an allowed host.
    pub(super) fn resolve(&self, templates: &[&str], names: &Names) -> Option<Url> {
        templates.iter().find_map(|template| self.fill(template, names).filter(|url| self.allows(url)))
    }

    fn fill(&self, template: &str, names: &Names) -> Option<Url> {
        let mut filled = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}')?;
            filled.push_str(before);
            if name == "base" {
                filled.push_str(self.base.as_str().trim_end_matches('/'));
            } else {
                filled.push_str(names.0.get(name)?);
            }
            rest = after;
        }
        filled.push_str(rest);
        Url::parse(&filled).ok()
    }

    /// The base URL's own origin, or a listed host over https on its usual port.
    pub(super) fn allows(&self, url: &Url) -> bool {
        if !url.username().is_empty() || url.password().is_some() {
            return false;
        }
        let listed = url.scheme() == "https"
            && url.port().is_none()
            && url.host_str().is_some_and(|host| self.hosts.iter().any(|pattern| host_fits(host, pattern)));
        listed || url.origin() == self.base.origin()
    }
}

/// Label by label, so that a pattern's `*` is one label and never a way to another domain.
fn host_fits(host: &str, pattern: &str) -> bool {
    let (labels, wanted) = (host.split('.'), pattern.split('.'));
    labels.clone().count() == wanted.clone().count()
        && labels.zip(wanted).all(|(label, wanted)| wanted == "*" || wanted == label)
}

fn encode(value: &str) -> String {
    value.bytes().fold(String::new(), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLL: [&str; 2] = ["{status_url}", "{base}/{app}/requests/{id}/status"];

    fn resolve(base: &str, followed: Option<&str>) -> String {
        let endpoint = Endpoint::new(base.parse().unwrap(), &["queue.fal.run"]);
        let mut names = Names::default().model("fal-ai/veo3.1/fast").segment("id", "r-1");
        if let Some(url) = followed {
            names = names.raw("status_url", url);
        }
        endpoint.resolve(&POLL, &names).unwrap().to_string()
    }

    #[test]
    fn a_url_that_the_provider_named_is_followed_on_the_allow_list_only() {
        let own = "https://queue.fal.run/fal-ai/veo3.1/requests/r-1/status";
        let named = "https://queue.fal.run/elsewhere?x=1";
        assert_eq!(resolve("https://queue.fal.run", Some(named)), named);
        assert_eq!(resolve("https://queue.fal.run/", None), own);
        for evil in [
            "https://evil.example/fal-ai/veo3.1/requests/r-1/status",
            "https://queue.fal.run.evil.example/",
            "https://queue.fal.run@evil.example/",
            "https://key@queue.fal.run/",
            "http://queue.fal.run/",
            "https://queue.fal.run:8443/",
            "file:///etc/passwd",
            "nonsense",
        ] {
            assert_eq!(resolve("https://queue.fal.run", Some(evil)), own, "{evil}");
        }
        let simulator = "http://127.0.0.1:9000/fal";
        let named = "http://127.0.0.1:9000/fal/x/status";
        assert_eq!(resolve(simulator, Some(named)), named);
        let fallback = "http://127.0.0.1:9000/fal/fal-ai/veo3.1/requests/r-1/status";
        assert_eq!(resolve(simulator, Some("http://127.0.0.1:9001/fal/x/status")), fallback);
    }

    #[test]
    fn a_hosts_star_is_one_label() {
        let endpoint = Endpoint::new("https://api.bfl.ai/v1".parse().unwrap(), &["api.*.bfl.ai"]);
        for (url, allowed) in [
            ("https://api.eu1.bfl.ai/v1/get_result?id=1", true),
            ("https://api.bfl.ai/v1/get_result?id=1", true),
            ("https://api.bfl.ai.evil.example/", false),
            ("https://api.a.b.bfl.ai/", false),
            ("https://evil.eu1.bfl.ai/", false),
            ("http://api.eu1.bfl.ai/", false),
        ] {
            assert_eq!(endpoint.allows(&url.parse().unwrap()), allowed, "{url}");
        }
    }

    #[test]
    fn a_request_id_cannot_leave_its_segment() {
        let endpoint = Endpoint::new("https://queue.fal.run".parse().unwrap(), &[]);
        for (id, path) in [("../../admin", "/..%2F..%2Fadmin"), ("a?b#c", "/a%3Fb%23c"), ("a.b", "/a.b")] {
            let url = endpoint.resolve(&["{base}/{id}"], &Names::default().segment("id", id));
            assert_eq!(url.unwrap().path(), path);
        }
    }

    #[test]
    fn a_request_id_that_is_a_path_cannot_climb() {
        let endpoint = Endpoint::new("https://a.example/v1beta".parse().unwrap(), &[]);
        let resolved = |id: &str| {
            let names = Names::default().segment("id", id).path("id_path", id);
            endpoint.resolve(&["{base}/{id_path}", "{base}/operations/{id}"], &names).unwrap().to_string()
        };
        assert_eq!(resolved("models/veo/operations/1"), "https://a.example/v1beta/models/veo/operations/1");
        assert_eq!(resolved("1"), "https://a.example/v1beta/operations/1");
        for id in ["../files/1", "a/../../b", "a//b", "a/./b", "/a", "a/"] {
            assert!(resolved(id).starts_with("https://a.example/v1beta/operations/"), "{id}");
        }
        assert_eq!(resolved("a/b?key=1#x"), "https://a.example/v1beta/a/b%3Fkey%3D1%23x");
    }
}
