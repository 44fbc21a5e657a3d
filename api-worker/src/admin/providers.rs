//! `GET /v1/admin/providers`, `PATCH /v1/admin/providers/{provider}`: limits and breakers.

use axum::extract::Extension;
use axum::response::Response;
use bytes::Bytes;
use domain::error::Code;
use domain::provider::Provider;
use platform::{log, session};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use store::gates::{Change, Gate, Hand, Limit};

use super::parse;
use crate::api::{Segments, json as respond};
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

/// More than this at once or in a minute is a slip of the pen, not a limit.
pub const LIMIT_MAX: i32 = 100_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// Absent: as it was; null: no limit.
    #[serde(default)]
    max_concurrent: Said,
    #[serde(default)]
    submits_per_minute: Said,
    breaker: Option<Breaker>,
}

/// A member that tells null from absent.
#[derive(Default)]
enum Said {
    #[default]
    Nothing,
    Null,
    Count(i32),
}

impl<'de> Deserialize<'de> for Said {
    fn deserialize<D: Deserializer<'de>>(given: D) -> Result<Self, D::Error> {
        Ok(Option::<i32>::deserialize(given)?.map_or(Self::Null, Self::Count))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Breaker {
    Open,
    Closed,
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
    params(("provider" = String, Path, description = "The provider's word")),
    request_body = schemas::ProviderGateChange,
    responses(
        (status = 200, description = "The provider as it is now", body = schemas::ProviderGate),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
#[worker::send]
pub async fn change(
    Extension(app): Extension<App>,
    Segments(provider): Segments<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let provider = Provider::from_word(&provider)
        .ok_or_else(|| Problem::new(Code::NotFound, "there is no such provider"))?;
    let wanted: Wanted = parse(&body)?;
    let change = Change {
        max_concurrent: limit("max_concurrent", &wanted.max_concurrent)?,
        submits_per_minute: limit("submits_per_minute", &wanted.submits_per_minute)?,
        breaker: match wanted.breaker {
            None => Hand::Keep,
            Some(Breaker::Open) => Hand::Open,
            Some(Breaker::Closed) => Hand::Close,
        },
    };
    let gate = session(&app.env, async |db| store::gates::change(db, provider, &change).await).await?;
    log::info("admin.provider.change", json!({"provider": provider, "change": format!("{change:?}")}));
    Ok(respond(&view(provider, Some(&gate))))
}

fn limit(name: &str, said: &Said) -> Result<Limit, Problem> {
    match said {
        Said::Nothing => Ok(Limit::Keep),
        Said::Null => Ok(Limit::Lift),
        Said::Count(count) if (1..=LIMIT_MAX).contains(count) => Ok(Limit::Set(*count)),
        Said::Count(count) => Err(Problem::new(
            Code::InvalidRequest,
            format!("{name}: must be from 1 to {LIMIT_MAX}, or null for no limit, not {count}"),
        )),
    }
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
