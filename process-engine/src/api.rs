//! The part of the Docker Engine API that `workerd`, `miniflare` and `wrangler` use.

mod containers;
mod filters;
mod images;
mod reply;
mod system;
mod views;

use std::sync::Arc;

use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use hyper::{Method, Request, StatusCode};
use percent_encoding::percent_decode_str;

use crate::engine::Engine;
pub(crate) use reply::Response;
use reply::{Refusal, Reply};

/// Archives hold a certificate, creations some environment: nothing here is large.
const MAX_BODY: usize = 16 * 1024 * 1024;

/// Answers one request. What is not known is refused with 501 and says so: a silent success would be a riddle later.
pub(crate) async fn answer(engine: &Arc<Engine>, request: Request<Incoming>) -> Response {
    let (parts, body) = request.into_parts();
    let query: Query = Query::parse(parts.uri.query().unwrap_or_default());
    let path = segments(parts.uri.path());
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let outcome = match Limited::new(body, MAX_BODY).collect().await {
        Ok(body) => route(engine, &parts.method, &path, &query, &body.to_bytes()).await,
        Err(error) => Err(Refusal::new(StatusCode::BAD_REQUEST, error.to_string())),
    };
    let reply = outcome.unwrap_or_else(Reply::from);
    tracing::debug!(method = %parts.method, path = parts.uri.path(), status = reply.status().as_u16(), "api.request");
    reply.into_response(&parts.method)
}

async fn route(
    engine: &Arc<Engine>,
    method: &Method,
    path: &[&str],
    query: &Query,
    body: &[u8],
) -> Result<Reply, Refusal> {
    match (method.as_str(), path) {
        ("GET" | "HEAD", ["_ping"]) => Ok(system::ping()),
        ("GET", ["version"]) => Ok(system::version()),
        ("GET", ["info"]) => Ok(system::info(engine)),
        ("GET", ["networks", name]) => system::network(name),
        ("GET", ["volumes"]) => Ok(system::volumes()),
        ("GET" | "DELETE", ["volumes", name]) => Err(system::no_volume(name)),
        ("GET", ["images", "json"]) => Ok(images::list(engine)),
        ("GET", ["images", name @ .., "json"]) => images::inspect(engine, &name.join("/")),
        ("POST", ["images", "create"]) => images::pull(engine, query),
        ("GET", ["containers", "json"]) => views::list(engine, query),
        ("POST", ["containers", "create"]) => containers::create(engine, query, body),
        ("GET", ["containers", key, "json"]) => views::inspect(engine, key),
        ("POST", ["containers", key, "start"]) => containers::start(engine, key).await,
        ("POST", ["containers", key, "wait"]) => containers::wait(engine, key, query),
        ("POST", ["containers", key, "kill"]) => containers::kill(engine, key, query),
        ("POST", ["containers", key, "stop"]) => containers::stop(engine, key, query).await,
        ("PUT", ["containers", key, "archive"]) => containers::put_archive(engine, key, query),
        ("DELETE", ["containers", key]) => containers::remove(engine, key, query).await,
        (_, path) => Err(Refusal::new(
            StatusCode::NOT_IMPLEMENTED,
            format!("a process engine does not answer {method} /{}", path.join("/")),
        )),
    }
}

/// Decoded parts of the path, without the `/v1.NN` that clients may put first.
fn segments(path: &str) -> Vec<String> {
    let mut parts = path.split('/').filter(|part| !part.is_empty()).peekable();
    if parts.peek().is_some_and(|first| is_version(first)) {
        parts.next();
    }
    // Split before decoding: a name may carry an encoded slash.
    parts.map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned()).collect()
}

fn is_version(part: &str) -> bool {
    part.strip_prefix('v').and_then(|number| number.split_once('.')).is_some_and(|(major, minor)| {
        [major, minor]
            .iter()
            .all(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
    })
}

/// The decoded query of a request.
struct Query(Vec<(String, String)>);

impl Query {
    fn parse(text: &str) -> Self {
        Self(url::form_urlencoded::parse(text.as_bytes()).into_owned().collect())
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// A switch, as Docker reads it: absent, empty, `0`, `no`, `false` and `none` are off.
    fn is_on(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| {
            !matches!(value.to_ascii_lowercase().as_str(), "" | "0" | "no" | "false" | "none")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_prefix_is_tolerated() {
        assert_eq!(segments("/v1.44/containers/a/json"), ["containers", "a", "json"]);
        assert_eq!(segments("/containers/a/json"), ["containers", "a", "json"]);
        assert_eq!(segments("/containers/v1.44/json"), ["containers", "v1.44", "json"]);
        assert_eq!(segments("/volumes"), ["volumes"]);
        assert_eq!(segments("/v1.x/_ping"), ["v1.x", "_ping"]);
    }

    #[test]
    fn an_encoded_slash_belongs_to_a_name() {
        assert_eq!(segments("/images/a%2Fb%3Ac/json"), ["images", "a/b:c", "json"]);
    }

    #[test]
    fn switches_are_read_as_docker_reads_them() {
        let query = Query::parse("a=1&b=true&c=0&d=False&e=&f=%31");
        assert_eq!(
            ["a", "b", "c", "d", "e", "f", "g"].map(|key| query.is_on(key)),
            [true, true, false, false, false, true, false]
        );
    }
}
