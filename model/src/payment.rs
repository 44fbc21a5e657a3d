//! One wanted generation: processes, their journal, the provider and the bucket, under faults.
//!
//! What to do next is decided by the real [`domain::runner::decide`]; the journal's and the bucket's rules are said again
//! here ([`journal`]), as the tests of `store` and `executor` hold them on the real parts.

mod journal;
mod process;
mod world;

use std::collections::BTreeMap;

use chrono::DateTime;
use domain::AttemptId;
use domain::attempt::{Attempt, AttemptError, Looks, State};
use domain::generation::{OnUnknown, Spec};
use domain::provider::Provider;
use domain::runner::{Decision, decide};
use domain::timing::Timing;
use stateright::{Model, Property};
use uuid::Uuid;

use world::{At, Call, Price, Process, Report, Row, Working};
pub use world::{End, Faults, Job, World};

/// What a provider offers to find out about a submit of unknown outcome (B3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Help {
    None,
    /// It reports every call to the attempt's own URL, sooner or later.
    Callback,
    /// A listing: what is found is there, what is not found proves nothing.
    Listing,
    /// Exact look-up by our reference: absence is proven, for that moment.
    Lookup,
    IdempotencyKey,
}

impl Help {
    pub const ALL: [Self; 5] =
        [Self::None, Self::Callback, Self::Listing, Self::Lookup, Self::IdempotencyKey];
}

/// What is searched.
#[derive(Clone, Debug)]
pub struct Payment {
    pub help: Help,
    pub faults: Faults,
    /// The promise of contract.md's table: the accepted calls that one wanted generation may come to.
    pub payments: usize,
    spec: Spec,
    timing: Timing,
}

impl Payment {
    /// A job of one model with so many attempts.
    pub fn new(help: Help, on_unknown: OnUnknown, attempts: u32, faults: Faults) -> Self {
        let mut spec = crate::spec(attempts);
        spec.policy.on_unknown = on_unknown;
        Self { help, faults, payments: usize::MAX, spec, timing: Timing::default() }
    }

    /// With the promise that the accepted calls never exceed `payments`.
    #[must_use]
    pub fn promising(self, payments: usize) -> Self {
        Self { payments, ..self }
    }

    fn max_paid_calls(&self) -> usize {
        usize::try_from(self.spec.policy.max_paid_calls).unwrap_or(usize::MAX)
    }

    fn decision(&self, rows: &[Row]) -> Decision {
        let journal: Vec<Attempt> = (0..).zip(rows).map(|(place, row)| attempt(place, row)).collect();
        decide(&self.spec, &journal, &self.timing, 0)
    }
}

/// What can happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The Workflow submits to a container that has no execution of the job.
    Start(usize),
    Step(usize, Submitted),
    Crash(usize),
    /// The Workflow takes a process's report and writes the end, unless someone was first (A25).
    Persist(usize),
    Finish(usize),
    FailCall(usize),
    /// The provider's callback for a call arrives.
    Callback(usize),
    /// The sweeper has the provider asked for a call that its row does not name. Modelled where nobody is at work: the last
    /// look comes when no process can live any more, and an earlier one that finds it changes nothing else.
    Look(usize),
    /// The API cancels the job; `told`: its processes hear of it.
    Cancel {
        told: bool,
    },
}

/// How a submit goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submitted {
    Accepted,
    /// It arrived, and the answer was lost.
    AcceptedUnheard,
    /// It was lost on its way, and nobody can tell.
    LostBefore,
    Rejected,
}

impl Model for Payment {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        vec![World::beginning(self.faults)]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        for (id, process) in world.processes.iter().enumerate() {
            match process {
                Some(process) => self.of_process(world, id, process, actions),
                None if self.may_start(world, id) => actions.push(Action::Start(id)),
                None => {}
            }
        }
        for (id, call) in world.calls.iter().enumerate() {
            if call.state == Working::Running {
                actions.push(Action::Finish(id));
                if world.left.failures > 0 {
                    actions.push(Action::FailCall(id));
                }
            }
            if self.help == Help::Callback && !call.reported {
                actions.push(Action::Callback(id));
            }
        }
        actions.extend((0..world.calls.len()).filter(|call| self.may_look(world, *call)).map(Action::Look));
        if world.is_open() && world.left.cancels > 0 {
            actions.extend([Action::Cancel { told: true }, Action::Cancel { told: false }]);
        }
    }

    fn next_state(&self, world: &World, action: Action) -> Option<World> {
        let mut next = world.clone();
        match action {
            Action::Start(id) => {
                if next.processes.iter().any(Option::is_some) {
                    next.left.zombies = next.left.zombies.checked_sub(1)?;
                }
                next.job = if next.is_open() { Job::Open } else { next.job };
                *next.processes.get_mut(id)? = Some(Process::beginning());
            }
            Action::Step(id, submitted) => {
                next = self.step(world, id, submitted)?;
                let left = &mut next.left;
                match submitted {
                    Submitted::Accepted => {}
                    Submitted::AcceptedUnheard | Submitted::LostBefore => {
                        left.lost_answers = left.lost_answers.checked_sub(1)?;
                    }
                    Submitted::Rejected => left.rejections = left.rejections.checked_sub(1)?,
                }
            }
            Action::Crash(id) => {
                next.left.crashes = next.left.crashes.checked_sub(1)?;
                *next.processes.get_mut(id)? = None;
            }
            Action::Persist(id) => persist(&mut next, id)?,
            Action::Finish(call) => next.calls.get_mut(call)?.state = Working::Done,
            Action::FailCall(call) => {
                next.left.failures = next.left.failures.checked_sub(1)?;
                next.calls.get_mut(call)?.state = Working::Failed;
            }
            Action::Callback(call) => {
                let told = next.calls.get_mut(call)?;
                told.reported = true;
                let row = told.row;
                journal::report(&mut next, row, call);
            }
            Action::Look(call) => {
                let row = next.calls.get(call)?.row;
                journal::report(&mut next, row, call);
            }
            Action::Cancel { told } => {
                next.left.cancels = next.left.cancels.checked_sub(1)?;
                next.job = Job::Ended(End::Cancelled);
                if told {
                    next.processes.iter_mut().flatten().for_each(|process| process.cancelled = true);
                }
            }
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("the promised number of payments holds", |model, world: &World| {
                world.calls.len() <= model.payments
            }),
            Property::always(
                "I2: accepted calls ≤ journal rows ≤ max_paid_calls",
                |model, world: &World| {
                    world.calls.len() <= world.rows.len() && world.rows.len() <= model.max_paid_calls()
                },
            ),
            Property::always("I3: every call has a row, no row stands for two", |_, world: &World| {
                let once = |row| world.calls_of(row).count() <= 1;
                world.calls.iter().all(|call| call.row < world.rows.len() && once(call.row))
            }),
            Property::always("I5: no call begins after a result is stored", |model, world: &World| {
                // A zombie past its look, or one whose risk was accepted, is what no look can see.
                !world.called_after_store || model.faults.zombies > 0
            }),
            Property::always(
                "I8: no paid call is taken for free once nobody is at work on it",
                |model, world: &World| {
                    // A look-up proves absence for a moment: a process that sends after it and then is lost, or never hears an
                    // answer, leaves a call that counts as never arrived until a later look.
                    let mut calls = 0..world.calls.len();
                    let over = world.is_at_rest() && !calls.any(|call| model.may_look(world, call));
                    !over || world.calls.iter().all(|call| world.is_counted(call.row))
                },
            ),
            Property::always(
                "I12: who is not at work has ended or is held by name",
                |model, world: &World| model.may_go_on(world) || !world.is_open() || world.is_held(),
            ),
            Property::always("a callback leaves nothing paid held", |model, world: &World| {
                model.help != Help::Callback || model.may_go_on(world) || !world.is_paid_and_unknown()
            }),
            Property::sometimes("it succeeds", |_, world: &World| world.job == Job::Ended(End::Succeeded)),
        ]
    }
}

impl Payment {
    fn of_process(&self, world: &World, id: usize, process: &Process, actions: &mut Vec<Action>) {
        if let At::Report(_) = process.at {
            actions.push(Action::Persist(id));
        } else if self.step(world, id, Submitted::Accepted).is_some() {
            actions.push(Action::Step(id, Submitted::Accepted));
        }
        if let At::Send { .. } = process.at {
            if world.left.lost_answers > 0 {
                actions.push(Action::Step(id, Submitted::AcceptedUnheard));
                actions.push(Action::Step(id, Submitted::LostBefore));
            }
            if world.left.rejections > 0 {
                actions.push(Action::Step(id, Submitted::Rejected));
            }
        }
        if world.left.crashes > 0 {
            actions.push(Action::Crash(id));
        }
    }

    /// A job that is open has an execution begun for it; one that is held only when there is something new to know, since
    /// until then another look finds what this one found. One that has ended while a call is open is wound down.
    fn may_start(&self, world: &World, id: usize) -> bool {
        let others = world.processes.iter().any(Option::is_some);
        let unsettled = world.rows.iter().any(|row| matches!(row.state, State::Open | State::Accepted));
        let wanted = match world.job {
            Job::Open => true,
            Job::Waiting => !self.stays_held(world),
            Job::Ended(_) => unsettled && !others,
        };
        let first_free = world.processes.iter().position(Option::is_none) == Some(id);
        wanted && first_free && (!others || world.left.zombies > 0)
    }

    /// Only where the provider can be searched, and the row does not name the call.
    fn may_look(&self, world: &World, call: usize) -> bool {
        let searchable = matches!(self.help, Help::Lookup | Help::Listing);
        let nameless = |call: &Call| world.rows.get(call.row).is_some_and(|row| row.request.is_none());
        let ended = |call: &Call| {
            world.rows.get(call.row).is_some_and(|row| row.is_ended() || row.state == State::Unknown)
        };
        let idle = world.processes.iter().all(Option::is_none);
        searchable && idle && world.calls.get(call).is_some_and(|call| nameless(call) && ended(call))
    }

    fn stays_held(&self, world: &World) -> bool {
        world.stored.is_none() && matches!(self.decision(&world.rows), Decision::Hold(_))
    }

    /// Whether anything but a fault, a cancellation or a person's word changes this world.
    fn may_go_on(&self, world: &World) -> bool {
        let mut actions = Vec::new();
        self.actions(world, &mut actions);
        actions.into_iter().any(|action| {
            let moves = match action {
                Action::Crash(_) | Action::Cancel { .. } | Action::FailCall(_) => false,
                Action::Step(_, submitted) => submitted == Submitted::Accepted,
                Action::Start(_)
                | Action::Persist(_)
                | Action::Finish(_)
                | Action::Callback(_)
                | Action::Look(_) => true,
            };
            moves && self.next_state(world, action).is_some_and(|next| next != *world)
        })
    }
}

impl World {
    fn is_at_rest(&self) -> bool {
        !self.is_open() && self.processes.iter().all(Option::is_none)
    }

    /// A paid call's row has a price, or none and its reservation (B13).
    fn is_counted(&self, row: usize) -> bool {
        self.rows.get(row).is_some_and(|row| row.price != Price::Free)
    }

    fn is_paid_and_unknown(&self) -> bool {
        let unknown = |row: usize| self.rows.get(row).is_some_and(|row| row.state == State::Unknown);
        self.calls.iter().any(|call| unknown(call.row))
    }

    fn is_held(&self) -> bool {
        self.job == Job::Waiting && self.rows.iter().any(|row| row.state == State::Unknown)
    }
}

/// Takes a process's report (A25): the first end stands.
fn persist(world: &mut World, id: usize) -> Option<()> {
    let process = world.processes.get_mut(id)?.take()?;
    let At::Report(report) = process.at else {
        return None;
    };
    if world.is_open() {
        world.job = match report {
            Report::Succeeded => Job::Ended(End::Succeeded),
            Report::Failed => Job::Ended(End::Failed),
            Report::Cancelled => Job::Ended(End::Cancelled),
            Report::Held => Job::Waiting,
            Report::Interrupted => world.job,
        };
    }
    Some(())
}

/// A row as the journal hands it to a process.
fn attempt(place: u128, row: &Row) -> Attempt {
    Attempt {
        id: AttemptId::new(Uuid::from_u128(place)),
        ordinal: u32::try_from(place).unwrap_or(u32::MAX),
        chain_index: row.chain_index,
        provider: Provider::ALL[0],
        model: String::new(),
        lease: 0,
        state: row.state,
        provider_request_id: None,
        captured: BTreeMap::new(),
        error: row.class.map(|class| AttemptError {
            class,
            code: None,
            message: String::new(),
            retry_after_seconds: None,
        }),
        started_at: DateTime::UNIX_EPOCH,
        accepted_at: None,
        finished_at: None,
        usage: None,
        cost: None,
        reserved: None,
        looks: Looks::default(),
    }
}
