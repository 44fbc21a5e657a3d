//! What a path of fal's means.

use http::Method;

/// Namespaces in which an application's name has one part more.
const NAMESPACES: [&str; 2] = ["workflows", "comfy"];

/// What a request is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Run this model.
    Submit(String),
    Status(Job),
    Stream(Job),
    Result(Job),
    Cancel(Job),
    /// The platform's list of requests.
    Requests,
    /// The platform's list of charges.
    Billing,
    /// The public keys of webhooks.
    Keys,
    WrongMethod,
    Nothing,
}

/// A job as a path names it: by the application, which is the model without what follows the second slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) application: String,
    pub(super) request_id: String,
}

impl Job {
    /// Is `model` an endpoint of this application?
    pub(super) fn belongs_to(&self, model: &str) -> bool {
        application_of(model) == self.application
    }
}

/// The application of a model: `fal-ai/veo3.1` for `fal-ai/veo3.1/fast`.
pub(super) fn application_of(model: &str) -> String {
    let parts: Vec<&str> = model.split('/').collect();
    parts.get(..application_parts(&parts)).map_or_else(|| model.to_owned(), |parts| parts.join("/"))
}

fn application_parts(parts: &[&str]) -> usize {
    if parts.first().is_some_and(|first| NAMESPACES.contains(first)) { 3 } else { 2 }
}

impl Target {
    pub(super) fn of(method: &Method, path: &str) -> Self {
        match path {
            ".well-known/jwks.json" => return Self::Keys,
            "v1/models/requests/by-endpoint" => return Self::Requests,
            "v1/models/billing-events" => return Self::Billing,
            _ => {}
        }
        let parts: Vec<&str> = path.split('/').collect();
        let length = application_parts(&parts);
        if parts.get(length) != Some(&"requests") {
            return match *method {
                Method::POST if parts.iter().all(|part| !part.is_empty()) => Self::Submit(path.to_owned()),
                Method::POST => Self::Nothing,
                _ => Self::WrongMethod,
            };
        }
        let (Some(application), Some(request_id)) = (parts.get(..length), parts.get(length + 1)) else {
            return Self::Nothing;
        };
        let job = Job { application: application.join("/"), request_id: (*request_id).to_owned() };
        let rest = parts.get(length + 2..).unwrap_or_default().join("/");
        match (method, rest.as_str()) {
            (&Method::GET, "") => Self::Result(job),
            (&Method::GET, "status") => Self::Status(job),
            (&Method::GET, "status/stream") => Self::Stream(job),
            (&Method::PUT, "cancel") => Self::Cancel(job),
            (_, "" | "status" | "status/stream" | "cancel") => Self::WrongMethod,
            _ => Self::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::{Job, Target};

    fn job() -> Job {
        Job { application: "fal-ai/veo3.1".to_owned(), request_id: "r1".to_owned() }
    }

    #[test]
    fn paths_mean_what_fal_says() {
        let cases = [
            (Method::POST, "fal-ai/veo3.1/fast", Target::Submit("fal-ai/veo3.1/fast".to_owned())),
            (Method::GET, "fal-ai/veo3.1/requests/r1/status", Target::Status(job())),
            (Method::GET, "fal-ai/veo3.1/requests/r1", Target::Result(job())),
            (Method::PUT, "fal-ai/veo3.1/requests/r1/cancel", Target::Cancel(job())),
            (Method::POST, "fal-ai/veo3.1/requests/r1/cancel", Target::WrongMethod),
            (Method::GET, "fal-ai/veo3.1/fast/requests/r1/status", Target::WrongMethod),
            (Method::GET, "v1/models/requests/by-endpoint", Target::Requests),
            (Method::GET, "fal-ai/veo3.1/requests/r1/else", Target::Nothing),
        ];
        for (method, path, expected) in cases {
            assert_eq!(Target::of(&method, path), expected, "{method} {path}");
        }
    }

    #[test]
    fn a_job_belongs_to_the_application_of_its_model() {
        assert!(job().belongs_to("fal-ai/veo3.1/fast"));
        assert!(!job().belongs_to("fal-ai/veo3/fast"));
        let workflow = Job { application: "workflows/me/mine".to_owned(), request_id: "r".to_owned() };
        assert!(workflow.belongs_to("workflows/me/mine/part"));
    }
}
