//! A provider that honours an idempotency key. None that the product speaks to does, so this is no shipped description:
//! Runway's protocol with such a header, which the simulator honours when its script says so.

use std::time::Duration;

use domain::Secret;
use domain::provider::Provider;
use domain::timing::Timing;
use executor::net;
use executor::providers::description::{
    Currency, Description, Errors, Field, Fits, Form, Outputs, Place, Poll, Quote, QuoteAt, Recovery,
    ResultSource, Route, Source, Status, Submit,
};
use executor::providers::{Adapter, ProviderClients};

const fn same(from: Source, to: &'static str) -> Field {
    Field { from, to, form: Form::Same, forms: &[] }
}

static KEYED: Description = Description {
    provider: Provider::Runway,
    base_url: "https://api.example",
    hosts: &[],
    auth: ("authorization", "Bearer {key}"),
    headers: &[("x-runway-version", "2024-11-06")],
    submit: Submit {
        routes: &[Route { when: Fits::Always, url: "{base}/text_to_video" }],
        options: "",
        fields: &[
            same(Source::Model, "/model"),
            same(Source::Prompt, "/promptText"),
            same(Source::DurationSeconds, "/duration"),
        ],
        callback: None,
        reference: None,
        accepted: &[],
        request_id: "/id",
        captures: &[],
    },
    recovery: Recovery::Resend { header: "idempotency-key" },
    poll: Poll {
        urls: &["{base}/tasks/{id}"],
        status: "/status",
        words: &[
            ("THROTTLED", Status::Pending),
            ("RUNNING", Status::Pending),
            ("SUCCEEDED", Status::Done),
            ("FAILED", Status::Failed),
        ],
        absent: None,
        min_interval_ms: 0,
    },
    result: ResultSource::Poll,
    outputs: Outputs { pointers: &["/output/*"], flagged: None },
    cancel: None,
    usage: None,
    quote: Some(Quote {
        at: QuoteAt::End(Place::Body("/cost/credits")),
        currency: Currency::Credits,
        only_if: &[],
    }),
    errors: Errors { code: &[Place::Body("/failureCode")], message: &["/error"], rules: &[] },
};

pub(super) fn adapter(base: &str, key: &str, timing: &Timing) -> Adapter {
    let tls = net::tls(None).unwrap();
    let ms = Duration::from_millis;
    let clients = ProviderClients {
        submit: net::submit_client(&tls, ms(timing.submit_timeout_ms)).unwrap(),
        free: net::free_client(&tls, ms(timing.free_call_ms)).unwrap(),
    };
    Adapter::new(&KEYED, base.parse().unwrap(), &Secret::new(key), clients).unwrap()
}
