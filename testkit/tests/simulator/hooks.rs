//! Something to call back to: it keeps what comes, and answers with the statuses it was given.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::LOCATION;
use http::{HeaderMap, StatusCode};
use tokio::net::TcpListener;

/// A callback that came.
#[derive(Clone, Debug)]
pub(crate) struct Delivery {
    pub(crate) hook: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

type Kept = Arc<Mutex<Vec<Delivery>>>;

pub(crate) struct Hooks {
    url: String,
    kept: Kept,
}

impl Hooks {
    pub(crate) async fn start() -> std::io::Result<Self> {
        let kept = Kept::default();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let router =
            Router::new().route("/{hook}", axum::routing::post(receive)).with_state(Arc::clone(&kept));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { url, kept })
    }

    pub(crate) fn url(&self, hook: &str) -> String {
        format!("{}/{hook}", self.url)
    }

    pub(crate) fn deliveries(&self, hook: &str) -> Vec<Delivery> {
        let kept = self.kept.lock().map(|kept| kept.clone()).unwrap_or_default();
        kept.into_iter().filter(|delivery| delivery.hook == hook).collect()
    }
}

/// `flaky` fails once, `moved` redirects, every other hook is content.
async fn receive(
    State(kept): State<Kept>,
    Path(hook): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Ok(mut kept) = kept.lock() else { return StatusCode::INTERNAL_SERVER_ERROR.into_response() };
    let before = kept.iter().filter(|delivery| delivery.hook == hook).count();
    kept.push(Delivery { hook: hook.clone(), headers, body });
    match (hook.as_str(), before) {
        ("flaky", 0) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        ("moved", _) => (StatusCode::FOUND, [(LOCATION, "/other")]).into_response(),
        _ => StatusCode::OK.into_response(),
    }
}
