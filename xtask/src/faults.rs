//! `faults`: runs the whole fault table and writes `docs/FAULTS.md` of what came out.

use std::io::stdout;

use crate::command::cargo;
use crate::failure::{Failure, Outcome};
use crate::paths::Repo;
use crate::stack::{Name, with_database};
use crate::test::runner;

/// The test that is the table (`executor/tests/scenarios/table.rs`).
const TABLE: &str = "table::i1_to_i12_hold_in_the_whole_fault_table";

/// The `faults` command. The document is written only if every cell held.
pub(crate) fn run(repo: &Repo) -> Outcome {
    let name = Name::of("faults")?;
    let document = repo.join("docs/FAULTS.md");
    let report = with_database(repo, &name, async |url| {
        let mut table = cargo(repo);
        table.args(["test", "--package", "executor", "--test", "scenarios", "--"]);
        table.args(["--ignored", "--exact", TABLE, "--nocapture"]);
        table.env("DATABASE_URL", url).env("FAULTS_DOCUMENT", &document);
        runner::run(table, &mut stdout()).await
    })?
    .result()?;
    if report.succeeded() && report.passed() == 1 {
        return Ok(());
    }
    Err(Failure::new("a cell of the fault table does not hold", "read what the test says above"))
}
