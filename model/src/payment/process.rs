//! One process's next effect, in the order of `executor::execution`: what to do next is decided by the real
//! [`domain::runner::decide`].

use domain::attempt::State;
use domain::runner::Decision;

use super::journal::{self, Taken, Written};
use super::world::{At, Call, End, Job, Learned, Process, Report, Row, Working, World};
use super::{Help, Payment, Submitted};

impl Process {
    pub fn beginning() -> Self {
        Self { at: At::Look, journal: Vec::new(), cancelled: false }
    }

    fn apply(&mut self, row: usize, learned: Learned) {
        if let Some(row) = self.journal.get_mut(row) {
            journal::apply(row, learned);
        }
    }
}

impl Payment {
    /// The next effect of process `id`; `None` while it waits for the provider or has nothing left to do.
    pub(super) fn step(&self, world: &World, id: usize, submitted: Submitted) -> Option<World> {
        let mut next = world.clone();
        let mut process = next.processes.get_mut(id)?.take()?;
        process.at = if process.cancelled && stops_at(process.at) {
            wind_down(&mut next, id, &mut process)
        } else {
            self.effect(&mut next, id, &mut process, submitted)?
        };
        *next.processes.get_mut(id)? = Some(process);
        Some(next)
    }

    fn effect(
        &self,
        world: &mut World,
        id: usize,
        process: &mut Process,
        submitted: Submitted,
    ) -> Option<At> {
        let at = match process.at {
            At::Look => At::Lease { found: world.stored },
            At::Lease { found } => self.lease(world, id, process, found),
            At::LookAgain { chain_index } => match world.stored {
                Some(row) => found(world, id, row),
                None => At::Open { chain_index },
            },
            At::Open { chain_index } => match journal::open(world, id, chain_index, self.max_paid_calls()) {
                Some(row) => {
                    process.journal = world.rows.clone();
                    At::Send { row }
                }
                None => At::Report(refused(world, id)),
            },
            At::Send { row } => self.send(world, row, submitted),
            At::Note { row, learned } => {
                let written = journal::write(world, id, row, learned);
                self.after(process, row, learned, written)
            }
            At::Recover { row } => self.recover(world, row),
            At::Wait { row } => wait(world, id, row)?,
            At::Store { row } => store(world, row),
            At::Mark { row } => {
                journal::mark(world, id, row, State::Succeeded);
                At::Report(Report::Succeeded)
            }
            At::Yield { row } => {
                journal::mark(world, id, row, State::Abandoned);
                world.stored.map_or(At::Look, |stored| found(world, id, stored))
            }
            At::Report(_) => return None,
        };
        Some(at)
    }

    fn lease(&self, world: &mut World, id: usize, process: &mut Process, stored: Option<usize>) -> At {
        match journal::take_lease(world, id) {
            Taken::Ended => At::Report(if stored.is_some() { Report::Succeeded } else { ended(world) }),
            Taken::Granted { ended } => {
                process.journal.clone_from(&world.rows);
                if let Some(row) = stored {
                    return found(world, id, row);
                }
                if ended {
                    process.cancelled = true;
                }
                self.decide(process, Absence::Proven)
            }
        }
    }

    fn after(&self, process: &mut Process, row: usize, learned: Learned, written: Written) -> At {
        match written {
            Written::StaleLease => At::Report(Report::Interrupted),
            Written::Unchanged => At::Look,
            Written::Yes => {
                process.apply(row, learned);
                if learned == Learned::Cancelled {
                    return At::Report(Report::Cancelled);
                }
                self.decide(process, Absence::Stale)
            }
        }
    }

    fn decide(&self, process: &Process, absence: Absence) -> At {
        match self.decision(&process.journal) {
            Decision::Submit { chain_index, after_ms } => match absence {
                Absence::Proven if after_ms == 0 => At::Open { chain_index },
                Absence::Proven | Absence::Stale => At::LookAgain { chain_index },
            },
            Decision::Resume(attempt) => At::Wait { row: place(attempt) },
            Decision::Recover(attempt) => At::Recover { row: place(attempt) },
            Decision::Hold(_) => At::Report(Report::Held),
            Decision::Abandon(attempt) => At::Note { row: place(attempt), learned: Learned::RiskAccepted },
            Decision::Fail(_) => At::Report(Report::Failed),
        }
    }

    /// The one POST, and what the process hears of it.
    fn send(&self, world: &mut World, row: usize, submitted: Submitted) -> At {
        match submitted {
            Submitted::Accepted => {
                At::Note { row, learned: Learned::Accepted { call: self.accept(world, row) } }
            }
            Submitted::AcceptedUnheard => {
                self.accept(world, row);
                At::Recover { row }
            }
            Submitted::LostBefore => At::Recover { row },
            Submitted::Rejected => At::Note { row, learned: Learned::Rejected },
        }
    }

    /// One payment, unless the provider knows the attempt by its idempotency key.
    fn accept(&self, world: &mut World, row: usize) -> usize {
        let known = world.calls_of(row).next().map(|(call, _)| call);
        if let (Help::IdempotencyKey, Some(call)) = (self.help, known) {
            return call;
        }
        world.called_after_store |= world.stored.is_some();
        world.calls.push(Call { row, state: Working::Running, reported: false });
        world.calls.len().saturating_sub(1)
    }

    fn recover(&self, world: &mut World, row: usize) -> At {
        let known = world.calls_of(row).next().map(|(call, _)| call);
        let learned = match (self.help, known) {
            (Help::None | Help::Callback, _) | (Help::Listing, None) => Learned::Unknown,
            (Help::Listing | Help::Lookup, Some(call)) => Learned::Accepted { call },
            (Help::Lookup, None) => Learned::NeverArrived,
            (Help::IdempotencyKey, _) => Learned::Accepted { call: self.accept(world, row) },
        };
        At::Note { row, learned }
    }
}

/// Whether the look before it still proves that nothing is stored (I5).
#[derive(Clone, Copy)]
enum Absence {
    Proven,
    Stale,
}

/// The bucket has a result of this job (A21): its attempt is marked, and nothing is called.
fn found(world: &mut World, id: usize, row: usize) -> At {
    journal::mark(world, id, row, State::Succeeded);
    At::Report(Report::Succeeded)
}

/// `None` while the provider works.
fn wait(world: &mut World, id: usize, row: usize) -> Option<At> {
    let call = world.rows.get(row).and_then(|row| row.request)?;
    match world.calls.get(call)?.state {
        Working::Running => None,
        Working::Failed => Some(At::Note { row, learned: Learned::Failed }),
        Working::Done => Some(match journal::settle(world, id, row) {
            Written::StaleLease => At::Report(Report::Interrupted),
            Written::Yes | Written::Unchanged => At::Store { row },
        }),
    }
}

/// The put is conditional: who comes second finds the first (B6).
fn store(world: &mut World, row: usize) -> At {
    match world.stored {
        None => {
            world.stored = Some(row);
            At::Mark { row }
        }
        Some(standing) if standing == row => At::Mark { row },
        Some(_) => At::Yield { row },
    }
}

fn refused(world: &World, id: usize) -> Report {
    if world.holder != Some(id) {
        Report::Interrupted
    } else if world.is_open() {
        Report::Failed
    } else {
        ended(world)
    }
}

/// What a process reports of a job that somebody else ended.
fn ended(world: &World) -> Report {
    match world.job {
        Job::Ended(End::Cancelled) => Report::Cancelled,
        Job::Ended(End::Succeeded | End::Failed) | Job::Open | Job::Waiting => Report::Interrupted,
    }
}

/// A submit is never cut off, what it told is written down first, and what is paid and here is stored.
fn stops_at(at: At) -> bool {
    match at {
        At::LookAgain { .. } | At::Wait { .. } | At::Recover { .. } | At::Open { .. } => true,
        At::Look
        | At::Lease { .. }
        | At::Send { .. }
        | At::Note { .. }
        | At::Store { .. }
        | At::Mark { .. }
        | At::Yield { .. }
        | At::Report(_) => false,
    }
}

/// A cancelled job leaves nothing open that a word can settle (A24): a finished call is settled, one that runs is asked
/// to stop, and what nobody knows stays unknown.
fn wind_down(world: &mut World, id: usize, process: &mut Process) -> At {
    let last = process.journal.iter().enumerate().next_back();
    let Some((row, Row { state, .. })) = last else {
        return At::Report(Report::Cancelled);
    };
    match state {
        State::Accepted => {
            let done = world.calls_of(row).any(|(_, call)| call.state == Working::Done);
            if done {
                journal::settle(world, id, row);
            }
            At::Note { row, learned: Learned::Cancelled }
        }
        State::Open => {
            journal::write(world, id, row, Learned::Unknown);
            At::Report(Report::Cancelled)
        }
        State::Succeeded | State::Failed | State::Unknown | State::Abandoned => At::Report(Report::Cancelled),
    }
}

/// An attempt's id in the model is its row's place.
fn place(attempt: domain::AttemptId) -> usize {
    usize::try_from(attempt.uuid().as_u128()).unwrap_or(usize::MAX)
}
