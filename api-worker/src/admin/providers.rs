//! `GET /v1/admin/providers`, `PATCH /v1/admin/providers/{provider}`: limits and breakers.

use axum::extract::Extension;
use axum::response::Response;
use bytes::Bytes;
use domain::client::count;
use domain::error::Code;
use domain::fields::{Violation, read};
use domain::provider::Provider;
use platform::{log, session};
use serde_json::{Value, json};
use store::gates::{Change, Gate, Hand};

use crate::api::{Segments, json as respond, object};
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

/// More than this at once or in a minute is a slip of the pen, not a limit.
pub const LIMIT_MAX: i32 = 100_000;

fn parse(body: Value) -> Result<Change, Vec<Violation>> {
    read(body, |fields| {
        Some(Change {
            max_concurrent: count(fields, "max_concurrent", 1, LIMIT_MAX),
            submits_per_minute: count(fields, "submits_per_minute", 1, LIMIT_MAX),
            breaker: fields.word("breaker", &["open", "closed"], hand).unwrap_or(Hand::Keep),
        })
    })
}

fn hand(word: &str) -> Option<Hand> {
    match word {
        "open" => Some(Hand::Open),
        "closed" => Some(Hand::Close),
        _ => None,
    }
}

/// Every provider, those without limits and traffic too.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/admin/providers", tag = "Operators", security(("admin_token" = [])),
    responses(
        (status = 200, description = "All providers", body = schemas::ProviderGateList),
    ),
    extensions(("x-problems" = json!([]))),
))]
#[worker::send]
pub async fn list(Extension(app): Extension<App>) -> Result<Response, Problem> {
    let gates = session(&app.env, async |db| store::gates::list(db).await).await?;
    let of = |provider| gates.iter().find(|gate| gate.provider == provider);
    let data: Vec<_> = Provider::ALL.into_iter().map(|provider| view(provider, of(provider))).collect();
    Ok(respond(&json!({"object": "list", "data": data})))
}

/// Safe to repeat.
#[cfg_attr(test, utoipa::path(
    patch, path = "/v1/admin/providers/{provider}", tag = "Operators", security(("admin_token" = [])),
    params(("provider" = schemas::ProviderWord, Path, description = "The provider's word")),
    request_body(content = Option<schemas::ProviderGateChange>),
    responses(
        (status = 200, description = "The provider as it is now", body = schemas::ProviderGate),
    ),
    extensions(("x-problems" = json!(["INVALID_JSON", "NOT_FOUND"]))),
))]
#[worker::send]
pub async fn change(
    Extension(app): Extension<App>,
    Segments(provider): Segments<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let provider = Provider::from_word(&provider)
        .ok_or_else(|| Problem::new(Code::NotFound, "there is no such provider"))?;
    let change = parse(object(&body)?).map_err(Problem::invalid)?;
    let gate = session(&app.env, async |db| store::gates::change(db, provider, &change).await).await?;
    log::info("admin.provider.change", json!({"provider": provider, "change": format!("{change:?}")}));
    Ok(respond(&view(provider, Some(&gate))))
}

fn view(provider: Provider, gate: Option<&Gate>) -> Value {
    json!({
        "object": "provider",
        "provider": provider,
        "max_concurrent": gate.and_then(|gate| gate.max_concurrent),
        "submits_per_minute": gate.and_then(|gate| gate.submits_per_minute),
        "in_flight": gate.map_or(0, |gate| gate.in_flight),
        "consecutive_unavailable": gate.map_or(0, |gate| gate.consecutive_unavailable),
        "breaker": gate.and_then(|gate| gate.breaker.as_ref()),
    })
}
