//! A provider that honours an idempotency key. None that the product speaks to does, so this is no shipped description:
//! Runway's protocol with such a header, which the simulator honours when its script says so.

use std::sync::Arc;
use std::time::Duration;

use domain::provider::Provider;
use executor::config::Config;
use executor::execution::{Executor, Parts};
use executor::executions::Executions;
use executor::net;
use executor::providers::description::{
    Currency, Description, Errors, Field, Fits, Form, Outputs, Place, Poll, Quote, QuoteAt, Recovery,
    ResultSource, Route, Source, Status, Submit, Takes,
};
use executor::providers::{Adapter, Adapters, ProviderClients};

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
        media: Takes::NOTHING,
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
    outputs: Outputs::at(&["/output/*"]),
    cancel: None,
    usage: None,
    quote: Some(Quote {
        at: QuoteAt::End(Place::Body("/cost/credits")),
        currency: Currency::Credits,
        only_if: &[],
    }),
    errors: Errors { code: &[Place::Body("/failureCode")], message: &["/error"], rules: &[] },
};

/// The name of the test that is no test but the process.
pub(super) const PROCESS: &str = "stand::keyed::an_executor_of_a_keyed_provider";

/// Configured as the executor's own binary is, and started by a stand only: without its environment it fails.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a process that other tests start"]
async fn an_executor_of_a_keyed_provider() {
    executor::logging::init(std::env::var("LOG").ok().as_deref());
    let config = Config::read(|name| std::env::var(name).ok()).unwrap();
    let adapter = adapter(&config);
    let parts =
        Parts { adapters: Adapters::of([(KEYED.provider, adapter)]), ..Parts::build(&config).unwrap() };
    let executions = Arc::new(Executions::new(Arc::new(Executor::new(parts)), config.max_executions));
    let listener = tokio::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, config.port)).await.unwrap();
    tracing::info!(server.address = %listener.local_addr().unwrap(), "listening");
    axum::serve(listener, executor::server::router(executions)).await.unwrap();
}

pub(crate) fn adapter(config: &Config) -> Adapter {
    let tls = net::tls(None).unwrap();
    let ms = Duration::from_millis;
    let clients = ProviderClients {
        submit: net::submit_client(&tls, ms(config.timing.submit_timeout_ms)).unwrap().into(),
        free: net::free_client(&tls, ms(config.timing.free_call_ms)).unwrap().into(),
        patience: ms(config.timing.answer_timeout_ms),
    };
    let base = config.provider_urls[&KEYED.provider].clone();
    Adapter::new(&KEYED, base, &config.provider_keys[&KEYED.provider], clients).unwrap()
}
