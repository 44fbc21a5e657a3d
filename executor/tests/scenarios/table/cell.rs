//! One cell: a job, one fault, and what came of it.

use domain::attempt::State;
use domain::job::Status;
use serde_json::json;
use testkit::plane::Standing;

use super::fault::{Fault, Point};
use super::{Profile, invariants};
use crate::stand::{Driven, Stand};

/// What came of a cell's job.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) profile: Profile,
    pub(super) point: Point,
    pub(super) fault: Fault,
    /// By the simulator's ledger.
    pub(super) accepted: usize,
    /// When the Workflow's part was over.
    pub(super) standing: Standing,
}

impl Cell {
    pub(super) fn is_held(&self) -> bool {
        self.standing.job.status == Status::Waiting
    }

    /// As the document has it.
    pub(super) fn text(&self) -> String {
        let (spend, rows) = (&self.standing.job.spend, self.standing.attempts.len());
        let state = if self.is_held() { "**waits**" } else { self.standing.job.status.as_str() };
        let mut money = Vec::new();
        let dollars = |amount: domain::Usd| format!("${}", amount.to_string().trim_end_matches('0'));
        if spend.priced > domain::Usd::ZERO {
            money.push(dollars(spend.priced));
        }
        if spend.unpriced > 0 {
            money.push(format!("{} unpriced", spend.unpriced));
        }
        if spend.unknown > 0 {
            money.push(format!("{} unknown", spend.unknown));
        }
        if spend.reserved > domain::Usd::ZERO {
            money.push(format!("{} reserved", dollars(spend.reserved)));
        }
        let paid =
            if self.accepted > 1 { format!("**{}**", self.accepted) } else { self.accepted.to_string() };
        format!("{paid} / {rows}, {state}, {}", money.join(", "))
    }
}

/// Runs the cell; what does not hold in it is told as an error, so that one run tells of all cells.
pub(super) async fn run(profile: Profile, point: Point, fault: Fault) -> Result<Cell, String> {
    let mut behaviour = profile.behaviour();
    let more = point.behaviour();
    behaviour.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let policy = json!(profile.policy());
    let stand = Stand::new(profile.vehicle(), &profile.chain(), &policy, &behaviour).await;
    point.prepare(&stand).await;
    stand.is_calm(false);
    let strike = async {
        point.reached(&stand).await;
        point.strike(fault, &stand).await;
        stand.is_calm(true);
    };
    let (driven, ()) = tokio::join!(stand.drive(), strike);
    let cell = Cell { profile, point, fault, accepted: stand.accepted(), standing: stand.standing().await };
    let mut wrong = promised(&cell, &driven);
    wrong.extend(invariants::check(&stand, &cell).await);
    if wrong.is_empty() {
        return Ok(cell);
    }
    Err(format!(
        "{profile:?}, {point:?}, {fault:?} ({}): {}\n  attempts {:?}\n  calls {:?}",
        cell.text(),
        wrong.join("; "),
        cell.standing.attempts,
        stand.calls()
    ))
}

/// What the contract promises of this profile.
fn promised(cell: &Cell, driven: &Driven) -> Vec<String> {
    let mut wrong = Vec::new();
    let profile = cell.profile;
    if cell.accepted > profile.most_accepted() {
        wrong.push(format!("{} accepted calls", cell.accepted));
    }
    if *driven == Driven::Held
        && (!profile.may_hold() || cell.accepted > 0 && !profile.may_hold_what_is_paid())
    {
        wrong.push("it waits for a word that nobody should have to give".to_owned());
    }
    if *driven != Driven::Held && cell.standing.job.status != Status::Succeeded {
        wrong.push(format!("it ended as {driven:?}"));
    }
    // A second payment is one that the job's policy chose, and the journal says so.
    let chosen = cell.standing.attempts.iter().filter(|attempt| attempt.state == State::Abandoned).count();
    if cell.accepted > 1 + chosen {
        wrong.push("a second payment that no policy chose".to_owned());
    }
    wrong
}
