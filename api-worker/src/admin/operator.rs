//! Before every operator's action: who it is, and a line in the audit log that is committed first.

use axum::extract::{Extension, MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use domain::Secret;
use domain::error::Code;
use domain::scope::Scope;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Method};
use platform::{log, session};
use serde_json::{Value, json};
use store::audit::{Beginning, Outcome};
use worker::Env;

use crate::access::{bearer, note_use, refusal};
use crate::config;
use crate::http::App;
use crate::problem::Problem;
use crate::request_id::RequestId;

/// What an action changed. A handler adds it to its response's extensions.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    pub before: Value,
    pub after: Value,
}

/// `response` with what the action changed.
pub fn changed(mut response: Response, before: Value, after: Value) -> Response {
    response.extensions_mut().insert(Changes { before, after });
    response
}

/// Lets operators through, and nobody else. What reads is not logged.
///
/// The log's row is committed before the action; if it cannot be, the action is not done. Its outcome is written after:
/// a process that is lost in between leaves a row without one, which says that the action may have happened.
#[worker::send]
pub async fn operator(Extension(app): Extension<App>, request: Request, next: Next) -> Response {
    let actor = match authorise(&app, request.headers()).await {
        Ok(actor) => actor,
        Err(problem) => return problem.into_response(),
    };
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    match begin(&app.env, &actor, &request).await {
        Ok(id) => {
            let answer = next.run(request).await;
            end(&app.env, id, &answer).await;
            answer
        }
        Err(error) => Problem::from(error).into_response(),
    }
}

/// The token of the deployment, or a client's key with scope `admin`.
async fn authorise(app: &App, headers: &HeaderMap) -> Result<String, Problem> {
    let wanted = Secret::new(config::required(&app.env, config::ADMIN_TOKEN)?);
    let value = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = value.and_then(|value| value.strip_prefix("Bearer ")).map(Secret::new);
    if given.is_some_and(|given| given == wanted) {
        return Ok("admin_token".to_owned());
    }
    let stranger = || {
        let detail =
            "send the admin token, or a key with scope \"admin\", as \"Authorization: Bearer <token>\"";
        Problem::new(Code::Unauthenticated, detail)
    };
    let key = bearer(headers).ok_or_else(stranger)?;
    let standing = session(&app.env, async |db| store::clients::standing(db, key).await).await?;
    let standing = standing.ok_or_else(stranger)?;
    if let Some(problem) = refusal(&standing, Scope::Admin) {
        return Err(problem);
    }
    note_use(app, key);
    Ok(standing.key.to_string())
}

async fn begin(env: &Env, actor: &str, request: &Request) -> Result<i64, store::Error> {
    let path = request.uri().path();
    let route = request.extensions().get::<MatchedPath>().map_or(path, MatchedPath::as_str);
    let action = format!("{} {route}", request.method());
    let request_id = request.extensions().get::<RequestId>().map_or("", RequestId::as_str);
    let beginning = Beginning { actor, action: &action, path, request_id };
    session(env, async |db| store::audit::begin(db, &beginning).await).await
}

async fn end(env: &Env, id: i64, answer: &Response) {
    let Changes { before, after } = answer.extensions().get::<Changes>().cloned().unwrap_or_default();
    let outcome = Outcome { status: answer.status().as_u16(), before: &before, after: &after };
    if let Err(error) = session(env, async |db| store::audit::end(db, id, &outcome).await).await {
        log::error("audit.end", json!({"audit.id": id, "error": error.to_string()}));
    }
}
