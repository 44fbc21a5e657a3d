//! The fault table (`docs/FAULTS.md`): what helps with an unknown attempt × where a fault strikes × which fault. Every cell
//! is a job on a stand of its own; the invariants I1 to I12 are checked in each.

use std::sync::Arc;

use futures::future::join_all;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::stand::Vehicle;

mod cell;
mod document;
mod fault;
mod invariants;

use cell::Cell;
use fault::{Fault, Point};

/// Cells at a time: they wait more than they work.
const BESIDE_EACH_OTHER: usize = 10;
/// The file that `cargo xtask faults` wants written.
const DOCUMENT: &str = "FAULTS_DOCUMENT";

/// What a provider offers for an attempt of which nobody knows whether it was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Profile {
    NoHelp,
    Callback,
    List,
    LookUp,
    Key,
    /// No help, and a job that accepts the risk.
    Risk,
}

impl Profile {
    const HOLDING: [Self; 5] = [Self::NoHelp, Self::Callback, Self::List, Self::LookUp, Self::Key];

    const fn vehicle(self) -> Vehicle {
        match self {
            Self::NoHelp | Self::Callback | Self::List | Self::LookUp | Self::Risk => Vehicle::Executor,
            Self::Key => Vehicle::Keyed,
        }
    }

    fn chain(self) -> Value {
        let (provider, model) = match self {
            Self::NoHelp | Self::Risk | Self::Key => ("runway", "gen4.5"),
            Self::Callback => ("fal", "fal-ai/veo3.1"),
            Self::List => ("replicate", "google/veo-3-fast"),
            Self::LookUp => ("kling", "kling-3.0"),
        };
        json!([{"provider": provider, "model": model, "attempts": 2}])
    }

    fn policy(self) -> Value {
        json!({"on_unknown": if self == Self::Risk { "retry" } else { "hold" }})
    }

    /// What the simulated provider does beside what the point needs. A charge within the reservation, as the rate card's.
    fn behaviour(self) -> Value {
        match self {
            Self::NoHelp | Self::Risk => json!({"charge": "0.48"}),
            Self::Callback => json!({"charge": "1.60", "units": "4"}),
            // They would call back as well; here only the list, the look-up, is to help.
            Self::List | Self::LookUp => json!({"charge": "0.48", "callback": "never"}),
            Self::Key => json!({"charge": "0.48", "honours_idempotency_key": true}),
        }
    }

    /// The most accepted calls (`contract.md`, "What is impossible").
    const fn most_accepted(self) -> usize {
        match self {
            Self::NoHelp | Self::Callback | Self::List | Self::LookUp | Self::Key => 1,
            Self::Risk => 2,
        }
    }

    /// Whether a job may be left waiting for a human's word although the provider took its call.
    const fn may_hold_what_is_paid(self) -> bool {
        matches!(self, Self::NoHelp)
    }

    /// Whether a job may be left waiting at all.
    const fn may_hold(self) -> bool {
        !matches!(self, Self::Key | Self::Risk)
    }
}

async fn run(cells: Vec<(Profile, Point, Fault)>) -> Vec<Cell> {
    let places = Arc::new(Semaphore::new(BESIDE_EACH_OTHER));
    let running = cells.into_iter().map(|(profile, point, fault)| {
        let places = Arc::clone(&places);
        let cell = tokio::spawn(async move {
            let _place = places.acquire_owned().await.unwrap();
            cell::run(profile, point, fault).await
        });
        async move {
            cell.await.unwrap_or_else(|panic| Err(format!("{profile:?}, {point:?}, {fault:?}: {panic}")))
        }
    });
    let mut done = Vec::new();
    let mut broken = Vec::new();
    for cell in join_all(running).await {
        match cell {
            Ok(cell) => done.push(cell),
            Err(why) => broken.push(why),
        }
    }
    assert!(broken.is_empty(), "{} cells do not hold:\n{}", broken.len(), broken.join("\n"));
    done
}

fn all(profiles: &[Profile]) -> Vec<(Profile, Point, Fault)> {
    let points = profiles.iter().flat_map(|profile| Point::ALL.map(|point| (*profile, point)));
    points.flat_map(|(profile, point)| Fault::ALL.map(|fault| (profile, point, fault))).collect()
}

/// A part of the table with every test run: each profile, point and fault once at least. It must be as documented.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i1_to_i12_hold_in_a_part_of_the_fault_table_which_is_as_documented() {
    let part = vec![
        (Profile::NoHelp, Point::ResponseLost, Fault::Kill),
        (Profile::NoHelp, Point::BeforeRecord, Fault::Kill),
        (Profile::NoHelp, Point::AfterOpen, Fault::Down),
        (Profile::Callback, Point::ResponseLost, Fault::Kill),
        (Profile::Callback, Point::BeforeSend, Fault::Stall),
        (Profile::Callback, Point::MidFetch, Fault::Lost),
        (Profile::List, Point::ResponseLost, Fault::Lost),
        (Profile::List, Point::BeforeOpen, Fault::Down),
        (Profile::List, Point::MidUpload, Fault::Kill),
        (Profile::LookUp, Point::BeforeRecord, Fault::Kill),
        (Profile::LookUp, Point::BeforeFetch, Fault::Stall),
        (Profile::Key, Point::ResponseLost, Fault::Kill),
        (Profile::Key, Point::Waiting, Fault::Lost),
        (Profile::Key, Point::BeforeReport, Fault::Down),
        (Profile::Risk, Point::ResponseLost, Fault::Kill),
    ];
    for value in Point::ALL {
        assert!(part.iter().any(|(_, point, _)| *point == value), "{value:?}");
    }
    let documented = include_str!("../../../docs/FAULTS.md");
    for cell in run(part).await {
        document::holds(documented, &cell);
    }
}

/// `cargo xtask faults`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the whole table takes some minutes: `cargo xtask faults`"]
async fn i1_to_i12_hold_in_the_whole_fault_table() {
    let mut cells = run(all(&Profile::HOLDING)).await;
    // Where a job was held, the risk is tried too.
    let held = cells.iter().filter(|cell| cell.profile == Profile::NoHelp && cell.is_held());
    let risks = held.map(|cell| (Profile::Risk, cell.point, cell.fault)).collect();
    cells.extend(run(risks).await);
    let text = document::of(&cells);
    println!("{text}");
    if let Ok(path) = std::env::var(DOCUMENT) {
        std::fs::write(path, text).unwrap();
    }
}
