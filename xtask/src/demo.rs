//! `demo`: the main job, end to end, on a stack of its own: one paid call, watched from the request to the webhook, then
//! the same request again, then the same key with another body.

pub(crate) mod api;
mod job;
mod report;
mod webhook;

use std::time::Instant;

use crate::failure::{Failure, OrFail, Outcome};
use crate::paths::Repo;
use crate::stack::{ControlPath, Data, Engine, Logs, Options, with_stack};

/// Arguments of `demo`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print one JSON object as the last line of stdout
    #[arg(long)]
    json: bool,
    /// What runs containers
    #[arg(long, value_enum, default_value = "process")]
    engine: Engine,
}

/// The `demo` command. Succeeds only if everything held.
pub(crate) fn run(repo: &Repo, args: &Args) -> Outcome {
    let options = Options {
        name: "demo".parse().map_err(|error: &str| Failure::new(error, "report this"))?,
        engine: args.engine,
        logs: Logs::Kept,
        data: Data::Deleted,
        timing: "{}".to_owned(),
        control_path: ControlPath::Direct,
    };
    let begin = Instant::now();
    let report = with_stack(repo, &options, async |stack| {
        let stack_ms = begin.elapsed().as_millis();
        job::run(repo, &stack, stack_ms).await
    })?
    .result()?;
    if args.json {
        println!("{}", serde_json::to_string(&report).or_fail("cannot write the report", "report this")?);
    } else {
        println!("{report}");
    }
    let unmet = report.unmet();
    if unmet.is_empty() {
        return Ok(());
    }
    let list = unmet.join("\n  - ");
    Err(Failure::new(format!("the main job did not hold:\n  - {list}"), "read target/dev-demo/logs/"))
}
