//! Every provider's recorded error shapes, one row a provider and one column a kind of error, and the class that each is
//! (B7). What only one provider has is in that provider's own file.

use std::collections::BTreeSet;

use domain::attempt::ErrorClass as Class;
use domain::provider::Provider;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use super::super::answer::Answer;
use super::super::description;
use super::super::endpoint::Endpoint;
use super::super::errors::judge;
use crate::reach::Reach;

mod shapes;
use shapes::ROWS;

/// The kinds of error that providers document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Column {
    Auth,
    InvalidInput,
    Refusal,
    RateLimit,
    Unavailable,
    Timeout,
    Money,
}

use Column::{Auth, InvalidInput, Money, RateLimit, Refusal, Timeout, Unavailable};

/// Status (0 inside another answer), body, class.
type Shape = (u16, &'static str, Class);

/// A provider's row: what it documents, and shapes of each.
type Row = (Provider, &'static [(Column, &'static [Shape])]);

/// Kinds of error that a provider's documentation says nothing of.
const UNDOCUMENTED: &[(Provider, &[Column])] = &[
    (Provider::Replicate, &[Money]),
    (Provider::Runway, &[Money]),
    (Provider::LumaDreamMachine, &[Timeout, Money]),
    (Provider::LumaAgents, &[Timeout]),
    (Provider::Minimax, &[Refusal, RateLimit, Unavailable, Timeout, Money]),
    (Provider::Bfl, &[Timeout]),
    // Only that the day's allocation is used up, which is money.
    (Provider::WorkersAi, &[RateLimit]),
];

const COLUMNS: [Column; 7] = [Auth, InvalidInput, Refusal, RateLimit, Unavailable, Timeout, Money];

#[test]
fn b7_every_recorded_error_of_every_provider_is_of_its_class() {
    for (provider, columns) in ROWS {
        for (column, shapes) in columns {
            assert!(!shapes.is_empty(), "{provider} {column:?}");
            for (status, body, class) in *shapes {
                let body: Value = serde_json::from_str(body).unwrap();
                let answer = Answer {
                    status: (*status != 0).then_some(*status),
                    body: body.clone(),
                    ..Answer::default()
                };
                let judged = judge(&description(provider).errors, &answer);
                assert_eq!(judged.error.class, *class, "{provider} {column:?} {status} {body}");
            }
        }
    }
}

#[test]
fn b7_no_provider_and_no_kind_of_error_is_left_out() {
    let rows: BTreeSet<Provider> = ROWS.iter().map(|(provider, _)| *provider).collect();
    assert_eq!(rows, Provider::ALL.into_iter().collect());
    for (provider, columns) in ROWS {
        let shown: BTreeSet<Column> = columns.iter().map(|(column, _)| *column).collect();
        let silent =
            UNDOCUMENTED.iter().find(|(named, _)| *named == provider).map_or(&[][..], |(_, columns)| columns);
        let expected = COLUMNS.into_iter().filter(|column| !silent.contains(column)).collect();
        assert_eq!(shown, expected, "{provider}");
    }
}

#[test]
fn b7_fals_header_says_the_type_where_the_body_does_not() {
    let header = (HeaderName::from_static("x-fal-error-type"), HeaderValue::from_static("startup_timeout"));
    let headers = HeaderMap::from_iter([header]);
    let answer = Answer { status: Some(503), headers, ..Answer::default() };
    assert_eq!(judge(&description(Provider::Fal).errors, &answer).error.class, Class::Timeout);
}

/// What opens a provider's account is sent to that provider's own hosts only, whatever URL an answer names.
#[test]
fn f24_no_providers_key_leaves_its_hosts() {
    for provider in Provider::ALL {
        let description = description(provider);
        let endpoint = Endpoint::new(description.base_url.parse().unwrap(), description.hosts);
        assert!(endpoint.allows(&description.base_url.parse().unwrap()), "{provider}");
        let own = endpoint.base().host_str().unwrap().to_owned();
        for url in [
            "https://evil.example/".to_owned(),
            format!("https://{own}.evil.example/"),
            format!("https://{own}@evil.example/"),
            format!("https://user@{own}/"),
            format!("http://{own}/"),
            format!("https://{own}:8443/"),
            "https://169.254.169.254/latest/meta-data".to_owned(),
            "https://127.0.0.1/".to_owned(),
            "https://[::1]/".to_owned(),
            "file:///etc/passwd".to_owned(),
        ] {
            assert!(!endpoint.allows(&url.parse().unwrap()), "{provider}: {url}");
        }
        assert_eq!(Reach::of_base(endpoint.base()), Reach::Public, "{provider}");
    }
}
