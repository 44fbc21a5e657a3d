//! A server for one test.

use axum::Router;
use axum::response::Response;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub(crate) struct Server {
    pub(crate) url: String,
    task: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(router: Router) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, task }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Ends the connection without an answer. Unwinding past hyper closes it; no panic is reported.
pub(crate) fn hang_up() -> Response {
    std::panic::resume_unwind(Box::new("hung up"))
}
