//! `/v1/inputs`: files to generate from.

use axum::Router;
use axum::extract::{Extension, RawQuery};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::{get, post};
use domain::InputId;
use domain::error::Code;
use http::StatusCode;
use http::header::{HeaderValue, LOCATION};
use platform::{log, session};
use serde_json::{Value, json};
use store::inputs::{Begun, Input, Kept, NewInput, Outlived};
use store::jobs::Found;
use uuid::Uuid;

use super::create::IDEMPOTENCY_KEY;
use super::view::json as respond;
use super::{IDEMPOTENT_REPLAYED, Segments, client_key, idempotency_key, refuse_query};
use crate::http::{App, Unread};
use crate::inputs::clear;
#[cfg(test)]
use crate::openapi::schemas;
use crate::problem::Problem;

mod intake;
use intake::{Announced, Intake};

/// Where a body is not read before its handler is asked.
pub const UPLOADS: &str = "/v1/inputs";

/// What `docs/openapi.json` says of these routes.
#[cfg(test)]
#[derive(utoipa::OpenApi)]
#[openapi(paths(upload, read, delete))]
pub struct Documented;

pub fn router() -> Router {
    Router::new().route("/v1/inputs", post(upload)).route("/v1/inputs/{id}", get(read).delete(delete))
}

/// 201 with a new input, 200 with the one that the key, or without a key the same content, made before.
///
/// The row is there before the file, and says when the file that may be there is removed. So a crash anywhere leaves
/// nothing that is not found (B9), and the caller's repeat makes another.
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/inputs", tag = "Inputs", security(("client_key" = [])),
    params(
        ("Content-Length" = u64, Header, description = "The file's size in bytes"),
        ("Idempotency-Key" = Option<String>, Header, min_length = 1, max_length = 255, pattern = "^[!-~]+$",
            description = "Your name for this file. Without one its content is its name")),
    request_body(content = schemas::File, content_type = "application/octet-stream",
        description = "A PNG, JPEG, WebP, MP4, WebM or QuickTime file, under its own media type or this one"),
    responses(
        (status = 201, description = "A new input", body = schemas::Input, headers(
            ("Location" = String, description = "Its path"))),
        (status = 200, description = "The same file was here before", body = schemas::Input, headers(
            ("Location" = String, description = "Its path"),
            ("Idempotent-Replayed" = String, description = "`true`"))),
    ),
    extensions(("x-problems" = json!(["IDEMPOTENCY_KEY_INVALID", "IDEMPOTENCY_CONFLICT", "LENGTH_REQUIRED", "UNSUPPORTED_MEDIA_TYPE", "INPUT_INVALID"]))),
))]
#[worker::send]
async fn upload(
    Extension(app): Extension<App>,
    RawQuery(query): RawQuery,
    Extension(unread): Extension<Unread>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let key = client_key(&headers)?;
    let is_named = headers.contains_key(IDEMPOTENCY_KEY);
    let idempotency_key = is_named.then(|| idempotency_key(&headers)).transpose()?;
    refuse_query(query.as_deref())?;
    let announced = Announced::read(&headers)?;
    let new = NewInput { id: InputId::new(Uuid::now_v7()), key, idempotency_key: idempotency_key.as_ref() };
    let client = match session(&app.env, async |db| store::inputs::begin(db, &new).await).await? {
        Begun::Fresh(client) => client,
        Begun::Standing(standing) => {
            let same = announced.bytes == standing.bytes
                && Intake::begin(&unread, &announced).await?.digest().await? == standing.sha256;
            return if same { Ok(replayed(&standing)) } else { Err(conflict(&standing)) };
        }
        Begun::Unauthenticated => return Err(Problem::unauthenticated()),
    };
    let own = Outlived { id: new.id, client };
    let kept = match take_in(&app, &unread, &announced, own).await {
        Ok(kept) => kept,
        Err(problem) => {
            give_up(&app, own).await;
            return Err(problem);
        }
    };
    match kept {
        (Kept::Stored(input), _) => {
            log::info(
                "input.store",
                json!({"input.id": input.id, "client.id": client, "input.bytes": input.bytes}),
            );
            let mut response = respond(&view(&input));
            *response.status_mut() = StatusCode::CREATED;
            Ok(located(response, input.id))
        }
        (Kept::Standing(standing), sha256) => {
            give_up(&app, own).await;
            if sha256 == standing.sha256 { Ok(replayed(&standing)) } else { Err(conflict(&standing)) }
        }
        (Kept::GivenUp, _) => {
            clear(&app.env, &[own]).await;
            Err(Problem::new(
                Code::InputInvalid,
                "the upload took too long and was given up; send the file again",
            ))
        }
    }
}

/// The file into the bucket, then into its row; with the file's hash in hex.
async fn take_in(
    app: &App,
    unread: &Unread,
    announced: &Announced,
    own: Outlived,
) -> Result<(Kept, String), Problem> {
    let taken = Intake::begin(unread, announced).await?.store(&app.env, own).await?;
    let kept = session(&app.env, async |db| store::inputs::keep(db, own.id, taken.row()).await).await?;
    Ok((kept, taken.hex()))
}

/// What cannot be done now, the sweeper does.
async fn give_up(app: &App, own: Outlived) {
    match session(&app.env, async |db| store::inputs::give_up(db, own.id).await).await {
        Ok(()) => clear(&app.env, &[own]).await,
        Err(error) => log::error("input.give_up", json!({"input.id": own.id, "error": error.to_string()})),
    }
}

#[cfg_attr(test, utoipa::path(
    get, path = "/v1/inputs/{id}", tag = "Inputs", security(("client_key" = [])),
    params(("id" = String, Path, description = "The input's id", format = "uuid")),
    responses(
        (status = 200, description = "What is stored, until it expires", body = schemas::Input),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
#[worker::send]
async fn read(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (key, id) = (client_key(&headers)?, input_id(&id)?);
    let input = found(session(&app.env, async |db| store::inputs::find(db, key, id).await).await?)?;
    Ok(respond(&view(&input)))
}

#[cfg_attr(test, utoipa::path(
    delete, path = "/v1/inputs/{id}", tag = "Inputs", security(("client_key" = [])),
    params(("id" = String, Path, description = "The input's id", format = "uuid")),
    responses(
        (status = 200, description = "Gone, with its file", body = schemas::DeletedInput),
    ),
    extensions(("x-problems" = json!(["NOT_FOUND"]))),
))]
#[worker::send]
async fn delete(
    Extension(app): Extension<App>,
    Segments(id): Segments<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (key, id) = (client_key(&headers)?, input_id(&id)?);
    let input = found(session(&app.env, async |db| store::inputs::remove(db, key, id).await).await?)?;
    clear(&app.env, &[Outlived { id, client: input.client_id }]).await;
    log::info("input.delete", json!({"input.id": id, "client.id": input.client_id}));
    Ok(respond(&json!({"id": id, "object": "input", "deleted": true})))
}

fn view(input: &Input) -> Value {
    json!({
        "id": input.id, "object": "input", "content_type": input.content_type, "bytes": input.bytes,
        "sha256": input.sha256, "created_at": input.created_at, "expires_at": input.expires_at,
    })
}

fn replayed(standing: &Input) -> Response {
    let mut response = respond(&view(standing));
    response.headers_mut().insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
    located(response, standing.id)
}

fn located(mut response: Response, id: InputId) -> Response {
    if let Ok(location) = HeaderValue::try_from(format!("{UPLOADS}/{id}")) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

fn conflict(standing: &Input) -> Problem {
    let detail = format!(
        "this Idempotency-Key belongs to input {}, which is another file; send that file to get it again, or a new key",
        standing.id
    );
    Problem::new(Code::IdempotencyConflict, detail)
}

fn input_id(segment: &str) -> Result<InputId, Problem> {
    segment.parse().map_err(|_| not_found())
}

fn not_found() -> Problem {
    Problem::new(Code::NotFound, "there is no such input, or it expired, or it belongs to another client")
}

fn found(found: Found<Input>) -> Result<Input, Problem> {
    match found {
        Found::Found(input) => Ok(input),
        Found::NotFound => Err(not_found()),
        Found::Unauthenticated => Err(Problem::unauthenticated()),
    }
}
