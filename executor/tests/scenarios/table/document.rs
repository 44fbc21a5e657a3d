//! `docs/FAULTS.md`, made of the cells.

use std::fmt::Write as _;

use super::Profile;
use super::cell::Cell;
use super::fault::{Fault, Point};

const HEAD: &str = "\
# What faults do

Made by `cargo xtask faults`, which runs every cell and fails if one of the invariants I1 to I12 or a promise of
[GUARANTEES.md](GUARANTEES.md) does not hold in it. A part of the cells runs with every `cargo xtask test` and must come
out as it is written here.

A cell is one job that one fault strikes at one point. It reads: calls that the provider accepted, by the provider's own
ledger / rows in the journal, how the job stands, what is shown as spent. **waits** is a job that is held for a human's
word (`on_unknown: hold`, the default); each of them was then cancelled, and ended once, without a success.

- **kill -9**: the executor's process is killed, and another one is started for the job.
- **connection lost**: the connection that matters at this point is reset: to the control plane, the provider or the bucket.
- **60 s stall**: that line passes nothing for 66 s, and then all that was held back.
- **control plane down**: for 78 s neither the executor nor the provider reaches it, longer than an executor that has not
  paid waits. Where the answer to a submit is lost, it is lost at the same time.

What was real: the executor's binary as a process, the journal's own SQL (`store`) on Postgres, sockets with a proxy on each
line, SIGKILL. What was not: the HTTP layer in front of the journal and the Workflow's loop are a test's (`testkit::plane`,
`executor/tests/scenarios/stand.rs`), providers are simulated from their documentation, the bucket is a stand-in that honours
`If-None-Match`. All waits and limits are a twelfth of production's, those 66 s and 78 s too. The same faults on the whole
stack, with workerd, Workflows and containers, are few and stand in `e2e/tests/faults`.
";

pub(super) fn of(cells: &[Cell]) -> String {
    let mut text = HEAD.to_owned();
    for profile in
        [Profile::NoHelp, Profile::Callback, Profile::List, Profile::LookUp, Profile::Key, Profile::Risk]
    {
        let _ = write!(text, "\n## {}\n\n{}\n\n", title(profile), words(profile));
        let _ = writeln!(text, "| fault point | {} |", Fault::ALL.map(fault).join(" | "));
        let _ = writeln!(text, "|---|{}", "---|".repeat(Fault::ALL.len()));
        for at in Point::ALL {
            let of_point = |fault: Fault| {
                cells.iter().find(|cell| (cell.profile, cell.point, cell.fault) == (profile, at, fault))
            };
            let columns = Fault::ALL.map(|fault| of_point(fault).map(Cell::text));
            if columns.iter().any(Option::is_some) {
                let columns = columns.map(|column| column.unwrap_or_else(|| "as above".to_owned()));
                let _ = writeln!(text, "| {} | {} |", point(at), columns.join(" | "));
            }
        }
    }
    text
}

/// # Panics
/// When the cell is not in the document as it came out.
pub(super) fn holds(document: &str, cell: &Cell) {
    let section = document.split("\n## ").find(|section| section.starts_with(title(cell.profile)));
    let row = section
        .and_then(|text| text.lines().find(|line| line.starts_with(&format!("| {} |", point(cell.point)))));
    let column = Fault::ALL.iter().position(|fault| *fault == cell.fault).unwrap() + 2;
    let written = row.and_then(|row| row.split('|').nth(column)).map(str::trim);
    let (profile, at, fault) = (cell.profile, cell.point, cell.fault);
    assert_eq!(
        written,
        Some(cell.text().as_str()),
        "{profile:?}, {at:?}, {fault:?}: run `cargo xtask faults`"
    );
}

const fn title(profile: Profile) -> &'static str {
    match profile {
        Profile::NoHelp => "No help from the provider",
        Profile::Callback => "The provider calls back",
        Profile::List => "The provider lists its requests",
        Profile::LookUp => "The provider finds a request by our id",
        Profile::Key => "The provider honours an idempotency key",
        Profile::Risk => "No help, and a job that accepts the risk",
    }
}

const fn words(profile: Profile) -> &'static str {
    match profile {
        Profile::NoHelp => {
            "Runway. A call whose outcome is unknown is never made again; it waits for a word."
        }
        Profile::Callback => {
            "fal. The report names the attempt, so a lost answer is known when the work is done; only what never arrived is left\nwaiting."
        }
        Profile::List => {
            "Replicate, whose list shows each request's callback URL; that it would call back as well is switched off. It has no\nprice that AFC knows, so its calls stay unpriced."
        }
        Profile::LookUp => {
            "Kling 3.x, found by `external_task_id`; its callback is switched off. Finding nothing proves nothing there, so what never\narrived is left waiting. The rate card has no rate for the model: nothing is reserved, and the price is Kling's own."
        }
        Profile::Key => {
            "No provider that AFC speaks to honours one. This is Runway's protocol with such a header, described by the test, in a\nprocess of the executor's library."
        }
        Profile::Risk => {
            "Runway, with `on_unknown: retry`, for the cells above that wait. Two payments are possible here, and are what the policy\nchose; the journal has the first as `abandoned`."
        }
    }
}

const fn point(point: Point) -> &'static str {
    match point {
        Point::BeforeOpen => "before the attempt is opened",
        Point::AfterOpen => "opened, not told",
        Point::BeforeSend => "before the call is sent",
        Point::ResponseLost => "accepted, the answer lost",
        Point::BeforeRecord => "accepted, before it is recorded",
        Point::Waiting => "while waiting",
        Point::BeforeFetch => "finished, before the fetch",
        Point::MidFetch => "in the middle of the fetch",
        Point::MidUpload => "in the middle of the upload",
        Point::BeforeReport => "uploaded, before the report",
    }
}

const fn fault(fault: Fault) -> &'static str {
    match fault {
        Fault::Kill => "kill -9",
        Fault::Lost => "connection lost",
        Fault::Stall => "60 s stall",
        Fault::Down => "control plane down",
    }
}
