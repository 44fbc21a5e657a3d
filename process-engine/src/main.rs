//! `process-engine serve` is the engine, `process-engine docker` the command line `wrangler` runs.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use process_engine::serve::Server;
use process_engine::{Config, NamedImage, RestartPolicies};
use serde_json::json;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

#[derive(Debug, Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the Docker API on a unix socket until SIGTERM, SIGINT or SIGHUP.
    Serve(Serve),
    /// Stand in for the docker command line (also as the program `process-engine-docker`).
    #[command(disable_help_flag = true)]
    Docker {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

#[derive(Debug, clap::Args)]
struct Serve {
    /// Path of the unix socket.
    #[arg(long, value_name = "PATH")]
    socket: PathBuf,
    /// Run PROGRAM for images that match PATTERN (`*` matches any run; tags are ignored unless given).
    #[arg(long = "image", value_name = "PATTERN=PROGRAM")]
    images: Vec<NamedImage>,
    /// Write the output of each container to a file in this folder instead of stderr.
    #[arg(long, value_name = "DIR")]
    log_dir: Option<PathBuf>,
    /// Revive containers that fail, as Docker would.
    #[arg(long)]
    honour_restart_policies: bool,
    /// Print one line of JSON on stdout when the socket takes connections.
    #[arg(long)]
    ready_json: bool,
    /// End, too, when stdin does: an engine that is a child ends with its parent.
    #[arg(long)]
    exit_with_stdin: bool,
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Serve(arguments) => {
            log_to_stderr();
            match serve(arguments) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    report(error.as_ref());
                    ExitCode::FAILURE
                }
            }
        }
        Command::Docker { arguments } => process_engine::docker::run(arguments),
    }
}

fn serve(arguments: Serve) -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let outcome = runtime.block_on(async {
        let socket = std::path::absolute(&arguments.socket)?;
        // Before the socket exists: a signal that comes right after it must not leave it behind.
        let end = end(arguments.exit_with_stdin)?;
        let server = Server::bind(Config {
            socket: socket.clone(),
            images: arguments.images,
            log_dir: arguments.log_dir,
            restart_policies: if arguments.honour_restart_policies {
                RestartPolicies::Honoured
            } else {
                RestartPolicies::Ignored
            },
        })?;
        let docker_host = format!("unix://{}", socket.display());
        tracing::info!(docker_host, "serve.ready");
        if arguments.ready_json {
            let ready = json!({
                "ready": "process-engine",
                "socket": socket,
                "docker_host": docker_host,
                "pid": std::process::id(),
            });
            writeln!(io::stdout(), "{ready}")?;
        }
        server.run(end).await;
        tracing::info!("serve.ended");
        Ok(())
    });
    // A look-up of some name may still be under way in a thread; nobody waits for it any more.
    runtime.shutdown_background();
    outcome
}

/// Resolves when the engine is to end.
fn end(exit_with_stdin: bool) -> io::Result<impl Future<Output = ()>> {
    let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
    let [mut terminate, mut interrupt, mut hangup] = {
        let [terminate, interrupt, hangup] = kinds.map(signal);
        [terminate?, interrupt?, hangup?]
    };
    let (stdin_sender, stdin) = oneshot::channel();
    // The sender is kept for ever where stdin does not matter: a dropped one would count as its end.
    let kept = if exit_with_stdin {
        std::thread::spawn(move || {
            let mut discarded = [0; 256];
            while io::stdin().read(&mut discarded).is_ok_and(|read| read > 0) {}
            drop(stdin_sender);
        });
        None
    } else {
        Some::<oneshot::Sender<Infallible>>(stdin_sender)
    };
    Ok(async move {
        let _kept = kept;
        tokio::select! {
            () = received(&mut terminate) => {}
            () = received(&mut interrupt) => {}
            () = received(&mut hangup) => {}
            _ = stdin => {}
        }
    })
}

async fn received(signal: &mut Signal) {
    signal.recv().await;
}

fn log_to_stderr() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).with_ansi(false).init();
}

/// The error and what caused it, on one line.
fn report(error: &dyn std::error::Error) {
    let mut line = format!("process-engine: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        line = format!("{line}: {error}");
        cause = error.source();
    }
    let _ = writeln!(io::stderr(), "{line}");
}
