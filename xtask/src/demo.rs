//! `demo`: the main job, end to end, on a stack of its own: one paid call, watched from the request to the webhook, then
//! the same request again, then the same key with another body. `demo style-run`: two rounds of a style run instead.

pub(crate) mod api;
mod job;
mod report;
mod style_run;
mod webhook;

use std::time::Instant;

use clap::ValueEnum;

use crate::failure::{Failure, OrFail, Outcome};
use crate::paths::Repo;
use crate::stack::{ControlPath, Data, Engine, Logs, Name, Options, with_stack};

/// Arguments of `demo`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to show
    #[arg(value_enum, default_value = "main-job")]
    what: What,
    /// Print one JSON object as the last line of stdout
    #[arg(long)]
    json: bool,
    /// What runs containers
    #[arg(long, value_enum, default_value = "process")]
    engine: Engine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    MainJob,
    /// Candidates, review link, decision, second round, approval
    StyleRun,
}

/// The `demo` command. Succeeds only if everything held.
pub(crate) fn run(repo: &Repo, args: &Args) -> Outcome {
    let options = Options {
        name: Name::of("demo")?,
        engine: args.engine,
        logs: Logs::Kept,
        data: Data::Deleted,
        timing: "{}".to_owned(),
        control_path: ControlPath::Direct,
    };
    if args.what == What::StyleRun {
        let unmet = with_stack(repo, &options, async |stack| style_run::run(repo, &stack).await)?.result()?;
        return judge("the style run", &unmet);
    }
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
    judge("the main job", &report.unmet())
}

fn judge(what: &str, unmet: &[String]) -> Outcome {
    if unmet.is_empty() {
        return Ok(());
    }
    let list = unmet.join("\n  - ");
    Err(Failure::new(format!("{what} did not hold:\n  - {list}"), "read target/dev-demo/logs/"))
}
