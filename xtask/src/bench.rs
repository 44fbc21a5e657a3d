//! `bench`: measures side by side in one run, and writes each bench's section of `docs/BENCHMARKS.md`.
//!
//! Machines are shared and noisy. So what is compared takes turns within a run, ratios come before absolute numbers, and
//! what can be counted (rows, pages, calls, CPU time, memory) comes before what a clock says. A bench fails if something
//! that is counted does not hold; nothing that is timed is ever held against anybody.

mod api;
mod document;
mod executor;
mod growth;
mod machine;
mod outbox;
mod overhead;
mod report;
mod samples;
mod usage;
mod webhooks;

use std::fs;

use clap::Subcommand;
use domain::{ClientId, Secret};
use store::Db;
use store::clients::{KeyHash, NewClient};
use testkit::database::{self, Client, Database};
use uuid::Uuid;

use crate::failure::{OrFail, Outcome};
use crate::paths::Repo;
use crate::stack::Name;
use machine::Machine;
use report::Report;

/// What every section is written into.
const DOCUMENT: &str = "docs/BENCHMARKS.md";

/// Arguments of `bench`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    bench: Bench,
    /// Print the results as JSON and leave the document alone
    #[arg(long, global = true)]
    json: bool,
}

/// What can be measured; the name is that of the section.
#[derive(Clone, Copy, Subcommand)]
enum Bench {
    /// Draining the outbox of style runs: a backlog, and finding nothing after a million settled events
    Outbox,
    /// The executor: memory with a large result, and many executions that wait
    Executor,
    /// What AFC adds to the time that a provider takes, from create to terminal
    Overhead,
    /// The calls of the API with a million jobs in the record, against the same with few
    Growth,
    /// Our create on a plain workerd, against the same endpoint in TypeScript, as usual and tuned
    Api,
    /// Webhooks: what a delivery costs at batch sizes, and what receivers that hang do to the others
    Webhooks,
}

impl Bench {
    /// All of them, in the order of the document.
    const ALL: [Self; 6] =
        [Self::Outbox, Self::Executor, Self::Overhead, Self::Growth, Self::Api, Self::Webhooks];

    const fn name(self) -> &'static str {
        match self {
            Self::Outbox => "outbox",
            Self::Executor => "executor",
            Self::Overhead => "overhead",
            Self::Growth => "growth",
            Self::Api => "api",
            Self::Webhooks => "webhooks",
        }
    }

    fn run(self, repo: &Repo) -> Outcome<Report> {
        match self {
            Self::Outbox => outbox::run(repo),
            Self::Executor => executor::run(repo),
            Self::Overhead => overhead::run(repo),
            Self::Growth => growth::run(repo),
            Self::Api => api::run(repo),
            Self::Webhooks => webhooks::run(repo),
        }
    }
}

/// The `bench` command.
pub(crate) fn run(repo: &Repo, args: &Args) -> Outcome {
    let machine = Machine::read();
    let report = args.bench.run(repo)?;
    let name = args.bench.name();
    if args.json {
        println!("{:#}", report.json(name, &machine));
        return Ok(());
    }
    let section = report.markdown(name, &machine);
    println!("{section}");
    let path = repo.join(DOCUMENT);
    let advice = "check its permissions, or restore it from git";
    let before = fs::read_to_string(&path).or_fail(format!("cannot read {DOCUMENT}"), advice)?;
    let order = Bench::ALL.map(Bench::name);
    let after = document::put(&before, &order, name, &section);
    fs::write(&path, after).or_fail(format!("cannot write {DOCUMENT}"), advice)
}

/// Of the client that [`with_client`] makes.
const KEY: KeyHash = KeyHash::new([1; 32]);

/// A schema of its own with one client, and a session on it.
async fn with_client(url: &str) -> Outcome<(Database, Client, ClientId)> {
    let advice = "read the log of postgres (target/dev-bench-*/logs)";
    let database = database::fresh_on(url).await.or_fail("cannot make a schema", advice)?;
    let connection = database.client().await.or_fail("cannot connect", advice)?;
    let id = ClientId::new(Uuid::from_u128(1));
    let new = NewClient {
        id,
        name: "bench",
        webhook_secrets: &[Secret::new("whsec_c2VjcmV0")],
        key_id: Uuid::from_u128(1),
        key_hash: KEY,
        key_prefix: "afc_bench",
    };
    store::clients::create(Db::new(&connection), &new).await.or_fail("cannot create a client", advice)?;
    Ok((database, connection, id))
}

/// Whose folder a bench works in, so that two may run at once.
fn stack_name(bench: &str) -> Outcome<Name> {
    Name::of(&format!("bench-{bench}"))
}
