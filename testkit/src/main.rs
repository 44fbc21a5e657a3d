//! `testkit`: the parts of the test kit as processes. Each prints one line of JSON when it is ready, logs to standard
//! error, and ends cleanly on SIGTERM or SIGINT, or with its standard input when asked to.

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

mod cli;

#[derive(Debug, Parser)]
#[command(about = "Postgres, provider simulator, webhook receiver and fault proxy for AFC's tests")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
struct Common {
    /// End when standard input does: with the process that started this one.
    #[arg(long, global = true)]
    exit_with_stdin: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// An embedded Postgres with the database `afc`, behind a transaction pooler.
    Postgres(cli::postgres::Arguments),
    /// The paid providers, simulated, with a ledger.
    Simulator(cli::simulator::Arguments),
    /// A receiver of webhooks that misbehaves on demand.
    Receiver(cli::receiver::Arguments),
    /// A TCP proxy that breaks or holds what passes on demand.
    Proxy(cli::proxy::Arguments),
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let filter = tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "info".into());
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_env_filter(filter).init();
    let outcome = match cli::life::Life::begin(arguments.common.exit_with_stdin) {
        Ok(life) => match arguments.command {
            Command::Postgres(arguments) => cli::postgres::run(arguments, life).await,
            Command::Simulator(arguments) => cli::simulator::run(arguments, life).await,
            Command::Receiver(arguments) => cli::receiver::run(arguments, life).await,
            Command::Proxy(arguments) => cli::proxy::run(arguments, life).await,
        },
        Err(error) => Err(error.into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{}", cli::life::explain(error.as_ref()));
            ExitCode::FAILURE
        }
    }
}
