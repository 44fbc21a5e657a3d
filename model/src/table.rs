//! The table of contract.md, found by search.

use std::fmt;

use domain::generation::OnUnknown;
use stateright::{Checker, HasDiscoveries, Model};

use crate::payment::{Faults, Help, Payment};

/// One policy's worst numbers of payments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub policy: &'static str,
    pub one_crash: usize,
    pub two_crashes: usize,
    pub answer_lost: usize,
    pub zombie: usize,
    pub states: usize,
}

/// More than the faults of the table can use up.
const ATTEMPTS: u32 = 4;

/// The policies of the table that have a journal.
pub const POLICIES: [(&str, Help, OnUnknown); 6] = [
    ("journal, then retry when unknown", Help::None, OnUnknown::Retry),
    ("journal, then hold when unknown", Help::None, OnUnknown::Hold),
    ("… plus the provider's callback with our attempt id", Help::Callback, OnUnknown::Hold),
    ("… plus a listing with a single match", Help::Listing, OnUnknown::Hold),
    ("journal plus exact look-up", Help::Lookup, OnUnknown::Hold),
    ("journal plus provider idempotency key", Help::IdempotencyKey, OnUnknown::Hold),
];

/// Searches for the worst case of every policy and fault.
pub fn search() -> Vec<Line> {
    POLICIES
        .into_iter()
        .map(|(policy, help, on_unknown)| {
            let mut states = 0;
            let mut worst = |faults| {
                let (payments, searched) = worst(help, on_unknown, faults);
                states += searched;
                payments
            };
            Line {
                policy,
                one_crash: worst(Faults { crashes: 1, ..Faults::default() }),
                two_crashes: worst(Faults { crashes: 2, ..Faults::default() }),
                answer_lost: worst(Faults { lost_answers: 1, ..Faults::default() }),
                zombie: worst(Faults { zombies: 1, ..Faults::default() }),
                states,
            }
        })
        .collect()
}

/// The least promise that no interleaving breaks, and the states that were searched for it.
fn worst(help: Help, on_unknown: OnUnknown, faults: Faults) -> (usize, usize) {
    let mut payments = 0;
    loop {
        let model = Payment::new(help, on_unknown, ATTEMPTS, faults).promising(payments);
        let checked = model.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
        if checked.discovery("the promised number of payments holds").is_none() {
            checked.assert_properties();
            return (payments, checked.unique_state_count());
        }
        payments += 1;
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { policy, one_crash, two_crashes, answer_lost, zombie, states } = self;
        write!(f, "| {policy} | {one_crash} | {two_crashes} | {answer_lost} | {zombie} | {states} |")
    }
}
