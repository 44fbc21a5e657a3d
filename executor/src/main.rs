//! The container's process: configuration, one HTTP server, and an orderly end.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use executor::config::Config;
use executor::execution::{Executor, Parts};
use executor::executions::Executions;
use executor::{logging, server};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// For running executions to write down what they know, all told.
const DRAIN_GRACE: Duration = Duration::from_secs(5);
/// For answers that are on their way out after that.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// The environment is wrong (`EX_CONFIG`).
const CONFIG_EXIT: u8 = 78;

#[tokio::main]
async fn main() -> ExitCode {
    logging::init(std::env::var("LOG").ok().as_deref());
    // A second installation (there is none) would find the same provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let executions = match start() {
        Ok(started) => started,
        Err(why) => {
            tracing::error!(error.message = why, "cannot start");
            return ExitCode::from(CONFIG_EXIT);
        }
    };
    let (port, executions) = executions;
    match serve(port, executions).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(error.message = %error, port, "cannot serve");
            ExitCode::FAILURE
        }
    }
}

fn start() -> Result<(u16, Arc<Executions>), String> {
    let config = Config::read(|name| std::env::var(name).ok()).map_err(|error| error.to_string())?;
    let parts = Parts::build(&config).map_err(|error| error.to_string())?;
    Ok((config.port, Arc::new(Executions::new(Arc::new(Executor::new(parts)), config.max_executions))))
}

/// Serves until SIGTERM or SIGINT. As PID 1 this process gets neither unless it asks for them.
async fn serve(port: u16, executions: Arc<Executions>) -> std::io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::UNSPECIFIED, port))).await?;
    tracing::info!(server.address = %listener.local_addr()?, "listening");
    let drained = Arc::new(tokio::sync::Notify::new());
    let ending = Arc::clone(&drained);
    let app = server::router(Arc::clone(&executions));
    let server = tokio::spawn(async move {
        axum::serve(listener, app).with_graceful_shutdown(async move { ending.notified().await }).await
    });
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    tracing::info!(executions = executions.running(), "draining");
    // Still serving meanwhile: health says so, and the executions' last reports are fetched.
    executions.drain(DRAIN_GRACE).await;
    drained.notify_one();
    let _ = tokio::time::timeout(LAST_ANSWERS, server).await;
    tracing::info!("stopped");
    Ok(())
}
