//! `schemathesis`: requests made from `docs/openapi.json`, good and bad, against a running stack; what comes back must be
//! what the document says, and no server's error.

use std::process::{Command, Stdio};

use crate::failure::{Failure, OrFail, Outcome};
use crate::paths::Repo;
use crate::stack::{ControlPath, StackFile, with_stack};
use crate::{setup, test};

/// Checks, keys and what else does not change from run to run.
const CONFIG: &str = "e2e/schemathesis.toml";

/// Whose operations a run takes, and the paths of those that it leaves out. The operator's come last: they may disable the client that the others call as.
const RUNS: [(&str, &str); 2] =
    [("clients", "^/(v1/admin/|metrics)"), ("the operator", "^/(?!v1/admin/|metrics)")];

/// Arguments of `schemathesis`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Requests that are made up for each operation, beside those at the edges of its schemas
    #[arg(long, default_value_t = 20)]
    examples: u32,
    /// Makes the same requests again
    #[arg(long)]
    seed: Option<u64>,
    /// Only operations whose path matches
    #[arg(long)]
    path: Option<String>,
}

/// The `schemathesis` command. Succeeds only if nothing was found.
pub(crate) fn run(repo: &Repo, args: &Args) -> Outcome {
    setup::python(repo)?;
    let options = test::stack("schemathesis", ControlPath::Direct)?;
    let failed = with_stack(repo, &options, async |stack| {
        let mut failed = Vec::new();
        for (name, others) in RUNS {
            eprintln!("\n--- operations of {name}");
            if !succeeds(command(repo, args, &stack, others)).await? {
                failed.push(name);
            }
        }
        Ok(failed)
    })?
    .result()?;
    if failed.is_empty() {
        return Ok(());
    }
    Err(Failure::new(
        format!("the API and its description differ, operations of: {}", failed.join(", ")),
        "mend what is wrong, the code or the document; `--path` and `--seed` narrow the next run",
    ))
}

/// In a folder of its own, where it may leave what it likes.
fn command(repo: &Repo, args: &Args, stack: &StackFile, others: &str) -> Command {
    let mut command = Command::new(setup::python_tool(repo, "schemathesis"));
    command.arg("--config-file").arg(repo.join(CONFIG)).arg("run").arg(repo.join("docs/openapi.json"));
    command.args(["--url", &stack.api, "--max-examples", &args.examples.to_string()]);
    command.args(["--exclude-path-regex", others]);
    command.args(args.path.iter().flat_map(|path| ["--include-path-regex", path]));
    command.args(args.seed.iter().flat_map(|seed| ["--seed".to_owned(), seed.to_string()]));
    command.env("AFC_CLIENT_KEY", &stack.client_key).env("AFC_ADMIN_TOKEN", &stack.admin_token);
    command.current_dir(repo.notes());
    command
}

/// Runs it in the open; it says itself what it found.
async fn succeeds(command: Command) -> Outcome<bool> {
    let mut command = tokio::process::Command::from(command);
    // A group of its own: Ctrl-C reaches us, and we end it.
    command.stdin(Stdio::null()).process_group(0);
    let status =
        command.status().await.or_fail("cannot start schemathesis", "run `cargo xtask setup --checks`")?;
    Ok(status.success())
}
