//! `dev`: the whole local stack in the foreground, until Ctrl-C.

use std::future::pending;
use std::io::{Write as _, stdout};

use crate::failure::Outcome;
use crate::paths::Repo;
use crate::stack::{ControlPath, Data, Engine, Logs, Name, Options, StackFile, with_stack};

/// Arguments of `dev`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What runs containers
    #[arg(long, value_enum, default_value = "process")]
    engine: Engine,
    /// Another name is another stack beside this one
    #[arg(long, default_value = "dev")]
    name: Name,
    /// Delete the data of earlier runs first
    #[arg(long)]
    fresh: bool,
    /// `TIMING_OVERRIDES` of the Workers, a JSON object
    #[arg(long, default_value = "{}")]
    timing: String,
    /// Put a proxy that can inject faults between executors and the API Worker (`control_proxy` in stack.json)
    #[arg(long)]
    faults: bool,
}

/// The `dev` command.
pub(crate) fn run(repo: &Repo, args: &Args) -> Outcome {
    let options = Options {
        name: args.name.clone(),
        engine: args.engine,
        logs: Logs::Streamed,
        data: if args.fresh { Data::Deleted } else { Data::Kept },
        timing: args.timing.clone(),
        control_path: if args.faults { ControlPath::Faulty } else { ControlPath::Direct },
    };
    with_stack(repo, &options, async |file| {
        // Whoever closed our output still has a stack that wants to be stopped properly.
        let _ = writeln!(stdout(), "{}", welcome(&file));
        pending::<Outcome>().await
    })?;
    eprintln!("✓ stopped");
    Ok(())
}

fn welcome(file: &StackFile) -> String {
    let StackFile { api, client_key, simulator, receiver, database_url, admin_token, webhook_secret, .. } =
        file;
    format!(
        "
  API             {api}
  client key      {client_key}
  webhook secret  {webhook_secret}
  admin token     {admin_token}
  simulator       {simulator}/_sim/ledger
  receiver        {receiver}/hooks/NAME, {receiver}/_receiver/deliveries
  database        {database_url}

  curl {api}/v1/generations -H 'authorization: Bearer {client_key}' -H 'idempotency-key: first' \\
    -H 'content-type: application/json' -d '{{\"kind\":\"video\",\"input\":{{\"prompt\":\"a lighthouse at dusk\"}},
    \"chain\":[{{\"provider\":\"fal\",\"model\":\"fal-ai/veo3.1\"}}],\"callback_url\":\"{receiver}/hooks/first\"}}'

  Ctrl-C stops everything.
"
    )
}
