//! `POST /v1/estimates`: what a generation would cost, and whether the budgets allow it. Nothing is created.

use axum::extract::Extension;
use axum::http::HeaderMap;
use axum::response::Response;
use bytes::Bytes;
use domain::estimate::{Estimate, Step, estimate};
use domain::generation::GenerationRequest;
use domain::rates::card;
use platform::session;
use serde_json::{Value, json};
use store::spend::{Allowance, Budget};

use super::create::{first_call, json_body};
use super::{client_key, found, view};
use crate::config;
use crate::http::App;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

/// Takes what `POST /v1/generations` takes, without its key.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/estimates", tag = "Spend", security(("client_key" = [])),
    request_body = schemas::GenerationRequest,
    responses(
        (status = 200, description = "Least and most by the rate card, and how the budgets stand", body = schemas::Estimate),
    ),
    extensions(("x-problems" = json!(["INVALID_JSON", "UNSUPPORTED_MEDIA_TYPE"]))),
))]
#[worker::send]
pub async fn create(
    Extension(app): Extension<App>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let key = client_key(&headers)?;
    let body = json_body(&headers, &body)?;
    let request = GenerationRequest::parse(body, config::loopback(&app.env)).map_err(Problem::invalid)?;
    let spec = request.spec;
    let card = card().ok_or_else(|| worker::Error::RustError("the rate card does not parse".to_owned()))?;
    let estimate = estimate(card, &spec);
    let first = first_call(&spec);
    let asked = session(&app.env, async |db| store::spend::allowance(db, key, first, estimate.most).await);
    let allowance = found(asked.await?)?;
    Ok(view::json(&told(&card.version, &estimate, &allowance)))
}

fn told(rates: &str, estimate: &Estimate, allowance: &Allowance) -> Value {
    let budget = |budget: &Option<Budget>| {
        budget.as_ref().map(|one| json!({"budget": one.budget, "committed": one.committed, "left": one.left}))
    };
    json!({
        "object": "estimate", "rates": rates, "least": estimate.least, "most": estimate.most,
        "chain": estimate.steps.iter().map(step).collect::<Vec<_>>(),
        "allowed": allowance.first_fits, "allowed_at_most": allowance.all_fit,
        "budget_day": budget(&allowance.day), "budget_month": budget(&allowance.month),
    })
}

fn step(step: &Step) -> Value {
    json!({
        "provider": step.provider, "model": step.model, "attempts": step.attempts, "least": step.least,
        "most": step.most,
    })
}
