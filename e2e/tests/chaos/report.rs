//! One page of what came out.

use std::fmt::Write as _;

use crate::audit::Audit;
use crate::trouble::Troubles;

pub fn text(minutes: u64, seed: u64, troubles: &Troubles, audit: &Audit) -> String {
    let mut page = String::from(
        "# Chaos\n\n\
         Made by `cargo xtask chaos --minutes N`: the whole local stack under load of all kinds of jobs, while one thing after\n\
         another breaks; then the simulated providers' own ledger is laid beside the record. It fails on any finding.\n\n",
    );
    let ended: Vec<String> =
        audit.statuses.iter().map(|(status, count)| format!("{count} {status}")).collect();
    let struck: u32 = troubles.values().sum();
    let rows = [
        ("time under trouble", format!("{minutes} min, seed {seed}")),
        ("jobs", format!("{} ({})", audit.jobs, ended.join(", "))),
        ("troubles", struck.to_string()),
        (
            "calls that a provider accepted",
            format!("{}, rows of attempts {}", audit.accepted, audit.attempts),
        ),
        ("jobs paid twice", format!("{}, each by the policy `on_unknown: retry`", audit.doubles)),
        ("words that an operator had to give", format!("{} (`on_unknown: hold`)", audit.words)),
        ("charged by the ledger", format!("${}", audit.charged)),
        (
            "in the record",
            format!("${} priced, ${} reserved for what has no price yet", audit.priced, audit.reserved),
        ),
        (
            "jobs whose every call has a price",
            format!("{}; the record is the ledger in each that is not listed below", audit.settled),
        ),
        ("jobs with a call that has no price, and says so", audit.unpriced.to_string()),
        ("webhooks", format!("{}, of them repeated {}", audit.deliveries, audit.repeated)),
        ("findings", audit.wrong.len().to_string()),
    ];
    page.push_str("| what | result |\n|---|---|\n");
    for (what, result) in rows {
        let _ = writeln!(page, "| {what} | {result} |");
    }
    page.push_str("\n| trouble | times |\n|---|---|\n");
    for (trouble, times) in troubles {
        let _ = writeln!(page, "| {trouble} | {times} |");
    }
    for finding in &audit.wrong {
        let _ = writeln!(page, "\n- {finding}");
    }
    page
}
