//! Who may do what. A client's key is judged by the statement that answers its request, in the same round trip; here is
//! what comes after: the refused are told why, and a key's use is noted.

use std::cell::RefCell;
use std::collections::HashMap;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use domain::error::Code;
use domain::scope::Scope;
use domain::timing::KEY_USE_NOTED_SECONDS;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Method, Request, StatusCode};
use platform::{log, now, session};
use serde_json::json;
use sha2::{Digest, Sha256};
use store::clients::{Ended, KeyHash, Standing};

use crate::http::App;
use crate::problem::Problem;

/// The hash of the bearer key. Only the database can tell whether the key is good.
pub fn bearer(headers: &HeaderMap) -> Option<KeyHash> {
    let value = headers.get(AUTHORIZATION)?.as_bytes();
    let (scheme, key) = value.split_at_checked(7)?;
    let given = scheme.eq_ignore_ascii_case(b"Bearer ") && !key.is_empty();
    given.then(|| KeyHash::new(Sha256::digest(key.trim_ascii()).into()))
}

/// A request of a client's: its key, and what that must be good for.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    key: KeyHash,
    scope: Scope,
}

impl Asked {
    /// `None` where no client's key opens anything, or none was sent.
    pub fn of(request: &Request<Body>) -> Option<Self> {
        let scope = scope(request.method(), request.uri().path())?;
        bearer(request.headers()).map(|key| Self { key, scope })
    }
}

/// What a client's key needs for a call. The statements say the same (`CALLER`, `MAKER` in `store`), and a scenario asks
/// every route.
fn scope(method: &Method, path: &str) -> Option<Scope> {
    if !path.starts_with("/v1/") || path.starts_with("/v1/admin/") || path.starts_with("/v1/callbacks/") {
        return None;
    }
    let reads = matches!(*method, Method::GET | Method::HEAD);
    Some(if reads { Scope::Read } else { Scope::Generate })
}

/// Tells a refused caller why, if its key is or was somebody's, and notes the use of one that was good.
pub async fn follow_up(app: &App, asked: Option<Asked>, answer: Response) -> Response {
    let Some(Asked { key, scope }) = asked else { return answer };
    if answer.status() != StatusCode::UNAUTHORIZED {
        note_use(app, key);
        return answer;
    }
    match session(&app.env, async |db| store::clients::standing(db, key).await).await {
        Ok(Some(standing)) => refusal(&standing, scope).map_or(answer, IntoResponse::into_response),
        Ok(None) => answer,
        Err(error) => Problem::from(error).into_response(),
    }
}

/// Why a key is not good for `scope`; `None` if it is, by now.
pub fn refusal(standing: &Standing, scope: Scope) -> Option<Problem> {
    match standing.ended {
        Some(Ended::Revoked) => {
            Some(Problem::new(Code::Unauthenticated, "this key was revoked; ask for a new one"))
        }
        Some(Ended::Expired) => {
            Some(Problem::new(Code::Unauthenticated, "this key has expired; ask for a new one"))
        }
        Some(Ended::ClientDisabled) => {
            Some(Problem::new(Code::ClientDisabled, "the client that this key belongs to is disabled"))
        }
        None if standing.scopes.contains(&scope) => None,
        None => {
            let has: Vec<&str> = standing.scopes.iter().map(|scope| scope.as_str()).collect();
            let detail = format!("this needs a key with scope \"{scope}\"; yours has {}", has.join(", "));
            Some(Problem::new(Code::ScopeMissing, detail))
        }
    }
}

/// Keys that an isolate remembers having noted; more than any has live at once.
const NOTED_LIMIT: usize = 10_000;

thread_local! {
    /// When this isolate last noted a key's use, in seconds. Other isolates note it too; the database takes one an hour.
    static NOTED: RefCell<HashMap<KeyHash, i64>> = RefCell::new(HashMap::new());
}

/// After the answer, and once an hour and isolate: no request waits or writes for it.
pub fn note_use(app: &App, key: KeyHash) {
    let now = now().timestamp();
    let due = NOTED.with_borrow_mut(|noted| {
        if noted.len() >= NOTED_LIMIT {
            noted.clear();
        }
        let due = noted.get(&key).is_none_or(|last| now - last >= KEY_USE_NOTED_SECONDS);
        if due {
            noted.insert(key, now);
        }
        due
    });
    if due {
        let env = app.env.clone();
        app.context.wait_until(async move {
            let noted = session(&env, async |db| store::clients::note_use(db, key).await).await;
            if let Err(error) = noted {
                log::error("key.use.note", json!({"error": error.to_string()}));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reads_needs_read_and_all_else_of_a_client_s_needs_generate() {
        for (method, path, wanted) in [
            (Method::GET, "/v1/generations/x", Some(Scope::Read)),
            (Method::HEAD, "/v1/generations/x/output", Some(Scope::Read)),
            (Method::POST, "/v1/generations", Some(Scope::Generate)),
            (Method::DELETE, "/v1/webhook-endpoints/x", Some(Scope::Generate)),
            (Method::POST, "/v1/admin/clients", None),
            (Method::POST, "/v1/callbacks/fal/x", None),
            (Method::POST, "/internal/jobs/x/lease", None),
            (Method::GET, "/healthz", None),
        ] {
            assert_eq!(scope(&method, path), wanted, "{method} {path}");
        }
    }

    #[test]
    fn a_bearer_key_is_read_as_rfc_6750_spells_it() {
        let of = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, value.parse().unwrap());
            bearer(&headers)
        };
        assert_eq!(of("bearer  k "), of("Bearer k"));
        assert!(
            of("Bearer k").is_some()
                && of("Basic k").is_none()
                && of("Bearer ").is_none()
                && of("k").is_none()
        );
    }
}
