//! `migrate`: brings a database to the schema of `migrations/`, or says what it lacks.

use std::env;
use std::fs;

use clap::Subcommand;
use testkit::database;
use testkit::migrate::{self, Migration, State};

use crate::failure::{Failure, OrFail, Outcome};
use crate::paths::Repo;
use crate::stack::StackFile;

const REACH: &str = "check that the database is up and that DATABASE_URL names it";
const MEND: &str = "undo the edit of an applied migration, or begin with an empty database (locally: `cargo xtask dev --fresh`)";

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
    let url = database_url(repo)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .or_fail("cannot start the async runtime", "check the limits of this machine")?;
    runtime.block_on(async {
        match args.command {
            Command::Up => {
                for label in up(repo, &url).await? {
                    println!("applied {label}");
                }
                println!("the schema is up to date");
            }
            Command::Status => {
                for (migration, state) in status(repo, &url).await? {
                    let word = match state {
                        State::Applied => "applied",
                        State::Pending => "pending",
                    };
                    println!("{word}  {}", migration.label());
                }
            }
        }
        Ok(())
    })
}

/// Applies the migrations that the database lacks; returns their names.
pub(crate) async fn up(repo: &Repo, url: &str) -> Outcome<Vec<String>> {
    let migrations = migrations(repo)?;
    let mut client = database::open(url).await.or_fail("cannot connect to the database", REACH)?;
    migrate::up(&mut client, &migrations).await.or_fail("cannot migrate", MEND)
}

async fn status(repo: &Repo, url: &str) -> Outcome<Vec<(Migration, State)>> {
    let migrations = migrations(repo)?;
    let mut client = database::open(url).await.or_fail("cannot connect to the database", REACH)?;
    let states = migrate::status(&mut client, &migrations).await.or_fail("cannot compare", MEND)?;
    Ok(migrations.into_iter().zip(states).collect())
}

fn migrations(repo: &Repo) -> Outcome<Vec<Migration>> {
    migrate::read(&repo.join("migrations")).or_fail("cannot read migrations/", MEND)
}

fn database_url(repo: &Repo) -> Outcome<String> {
    if let Ok(url) = env::var("DATABASE_URL") {
        return Ok(url);
    }
    let path = repo.target().join("dev/stack.json");
    let file: Option<StackFile> = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    file.map(|file| file.database_url).ok_or_else(|| {
        let advice = "set DATABASE_URL (postgres://…), or start the local stack with `cargo xtask dev`";
        Failure::new("no database to work on", advice)
    })
}
