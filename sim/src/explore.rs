//! Many runs: every single fault, and pairs of them by seed.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use domain::generation::OnUnknown;

use crate::case::{Broken, Cancel, Case, Fault, Kind, Profile, Script};
use crate::run::{Outcome, run};
use crate::world::Reached;

const POLICIES: [OnUnknown; 2] = [OnUnknown::Hold, OnUnknown::Retry];

/// What runs came to, all told.
#[derive(Debug, Default)]
pub struct Report {
    pub runs: u64,
    pub faults: u64,
    /// Calls that were accepted.
    pub accepted: u64,
    /// Runs that paid for more than one wanted generation, each within what its policy allows.
    pub doubles: u64,
    /// In how many runs.
    pub reached: BTreeMap<Reached, u64>,
    /// The first cases that failed, and what was wrong.
    pub failures: Vec<(Case, Vec<String>)>,
    pub failed: u64,
}

/// Seeds that are tried where no single fault shows a broken rule.
const PAIRS: u64 = 2000;
/// Failing cases that are kept.
const KEPT: usize = 5;

impl Report {
    fn add(&mut self, case: &Case, outcome: Outcome) {
        self.runs += 1;
        self.faults += u64::try_from(case.faults.len()).unwrap_or(0);
        self.accepted += u64::try_from(outcome.accepted).unwrap_or(0);
        let fails = matches!(case.script, Script::FailsFirst | Script::FailsAlways);
        self.doubles += u64::from(outcome.accepted > 1 && !fails);
        for reached in outcome.reached {
            *self.reached.entry(reached).or_default() += 1;
        }
        if !outcome.wrong.is_empty() {
            self.failed += 1;
            if self.failures.len() < KEPT {
                self.failures.push((case.clone(), outcome.wrong));
            }
        }
    }

    fn merge(&mut self, other: Self) {
        self.runs += other.runs;
        self.faults += other.faults;
        self.accepted += other.accepted;
        self.doubles += other.doubles;
        self.failed += other.failed;
        for (reached, count) in other.reached {
            *self.reached.entry(reached).or_default() += count;
        }
        self.failures.extend(other.failures);
        self.failures.truncate(KEPT);
    }

    /// Outcomes that no run reached.
    pub fn missed(&self) -> Vec<Reached> {
        Reached::ALL.into_iter().filter(|reached| !self.reached.contains_key(reached)).collect()
    }
}

/// Every combination of profile, policy and script.
pub fn plain_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for profile in Profile::ALL {
        for on_unknown in POLICIES {
            cases.extend(Script::ALL.map(|script| Case::plain(profile, on_unknown, script)));
        }
    }
    cases
}

/// Every single fault at every point of every plain case, and the same with a cancellation around the submit.
pub fn single_faults(broken: Option<Broken>) -> Vec<Case> {
    let mut cases = Vec::new();
    for plain in plain_cases() {
        let plain = Case { broken, ..plain };
        let points = run(&plain).points;
        let mut cancels = vec![None];
        for point in 1..=points {
            cases.extend(
                [true, false].map(|told| Case { cancel: Some(Cancel { point, told }), ..plain.clone() }),
            );
        }
        // Before the submit, in its flight, and while it is waited for.
        let during = plain.script == Script::Plain;
        cancels.extend(
            [4, 5, 6].map(|point| Cancel { point, told: true }).map(Some).into_iter().filter(|_| during),
        );
        for cancel in cancels {
            let base = Case { cancel, ..plain.clone() };
            let points = if cancel.is_some() { run(&base).points } else { points };
            cases.push(base.clone());
            for point in 1..=points {
                cases.extend(
                    Kind::ALL.map(|kind| Case { faults: vec![Fault { point, kind }], ..base.clone() }),
                );
            }
        }
    }
    cases
}

/// The case of a seed: two faults, and now and then a cancellation.
pub fn of_seed(seed: u64) -> Case {
    let mut chance = fastrand::Rng::with_seed(seed);
    let plain = plain_cases();
    let plain = plain.get(chance.usize(0..plain.len().max(1))).cloned();
    let base = plain.unwrap_or_else(|| Case::plain(Profile::None, OnUnknown::Hold, Script::Plain));
    // A fault makes a run longer than the plain one.
    let mut point = || chance.u32(1..=30);
    let (one, two, cancelled) = (point(), point(), point());
    let mut kind = || Kind::ALL.get(chance.usize(0..Kind::ALL.len())).copied().unwrap_or(Kind::CrashAfter);
    let mut faults = vec![Fault { point: one, kind: kind() }, Fault { point: two, kind: kind() }];
    faults.sort_by_key(|fault| fault.point);
    faults.dedup_by_key(|fault| fault.point);
    let cancel = (chance.u8(0..4) == 0).then(|| Cancel { point: cancelled, told: chance.bool() });
    Case { cancel, faults, seed, ..base }
}

/// Runs them all, on every core.
pub fn explore(count: u64, case: impl Fn(u64) -> Option<Case> + Sync) -> Report {
    let (next, total) = (AtomicU64::new(0), Mutex::new(Report::default()));
    let work = || {
        let mut report = Report::default();
        loop {
            let number = next.fetch_add(1, Ordering::SeqCst);
            if number >= count {
                break;
            }
            if let Some(case) = case(number) {
                let outcome = run(&case);
                report.add(&case, outcome);
            }
        }
        total.lock().unwrap_or_else(std::sync::PoisonError::into_inner).merge(report);
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    total.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The first case in which the auditor finds a broken rule, and its words.
pub fn caught(broken: Broken) -> Option<(Case, Vec<String>)> {
    let single = single_faults(Some(broken)).into_iter();
    let pairs = (0..PAIRS).map(|seed| Case { broken: Some(broken), ..of_seed(seed) });
    single.chain(pairs).find_map(|case| {
        let wrong = run(&case).wrong;
        (!wrong.is_empty()).then_some((case, wrong))
    })
}

/// Runs a list of cases.
pub fn explore_all(cases: &[Case]) -> Report {
    let count = u64::try_from(cases.len()).unwrap_or(u64::MAX);
    explore(count, |number| cases.get(usize::try_from(number).ok()?).cloned())
}
