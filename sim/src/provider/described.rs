//! How the adapter speaks to the fake: one protocol, and a way of recovery for each profile.

use domain::provider::Provider;
use executor::providers::description::{
    Absence, Callback, Cancel, Description, Errors, Field, Fits, Form, Likeness, Listing, Method, Outputs,
    Place, Poll, Recovery, ResultSource, Route, Source, Status, Submit, Takes, Usage,
};

use crate::case::Profile;

const fn described(recovery: Recovery, callback: Option<Callback>) -> Description {
    Description {
        provider: Provider::Fal,
        base_url: "http://127.0.0.1:1",
        hosts: &[],
        auth: ("x-key", "{key}"),
        headers: &[],
        submit: Submit {
            routes: &[Route { when: Fits::Always, url: "{base}/jobs" }],
            options: "",
            fields: &[Field { from: Source::Prompt, to: "/input/text", form: Form::Same, forms: &[] }],
            media: Takes::NOTHING,
            callback,
            reference: Some("/reference"),
            accepted: &[("/code", "0")],
            request_id: "/data/id",
            captures: &[],
        },
        recovery,
        poll: Poll {
            urls: &["{base}/jobs/{id}"],
            status: "/data/state",
            words: &[("working", Status::Pending), ("done", Status::Done), ("failed", Status::Failed)],
            absent: Some(Status::Pending),
            min_interval_ms: 10_000,
        },
        result: ResultSource::Poll,
        outputs: Outputs::at(&["/data/files/*"]),
        cancel: Some(Cancel { method: Method::Delete, urls: &["{base}/jobs/{id}"], only_in: &[] }),
        usage: Some(Usage { at: Place::Body("/data/seconds"), unit: None, more: &[] }),
        quote: None,
        errors: Errors {
            code: &[Place::Body("/data/error"), Place::Body("/code")],
            message: &["/data/message", "/message"],
            rules: &[],
        },
    }
}

static NONE: Description = described(Recovery::None, None);
static CALLBACK: Description = described(Recovery::None, Some(Callback::Query("callback")));
static KEY: Description = described(Recovery::Resend { header: "idempotency-key" }, None);
static LOOKUP: Description = described(
    Recovery::Lookup {
        urls: &["{base}/by-reference/{attempt}"],
        request_id: "/data/id",
        absence: Absence::Proven,
    },
    None,
);
static LISTING: Description = described(
    Recovery::Listing(Listing {
        url: "{base}/jobs?after={after}&before={before}",
        items: "/items",
        more: "/next",
        request_id: "/id",
        callback: "/callback",
        likeness: Some(Likeness { model: "/model", created: "/created", same: "/input" }),
    }),
    None,
);

/// The adapter's description of a profile.
pub fn description(profile: Profile) -> &'static Description {
    match profile {
        Profile::None => &NONE,
        Profile::Callback => &CALLBACK,
        Profile::Listing => &LISTING,
        Profile::Lookup => &LOOKUP,
        Profile::Key => &KEY,
    }
}
