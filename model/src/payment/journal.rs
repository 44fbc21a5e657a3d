//! The journal's rules, as `store::journal` and `store::unknown` hold them in SQL: the lease is compared under the job's
//! row lock, an outcome that stands is not replaced, a provider's word needs no lease.

use domain::attempt::{ErrorClass, State};

use super::world::{Learned, Price, Row, World};

/// What a write found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    Yes,
    /// The outcome stood already (A44).
    Unchanged,
    StaleLease,
}

/// What taking the lease found.
pub enum Taken {
    /// `ended`: there is only something left to wind down.
    Granted { ended: bool },
    /// The job has ended and left nothing open.
    Ended,
}

pub fn take_lease(world: &mut World, process: usize) -> Taken {
    let unsettled = world.rows.iter().any(|row| matches!(row.state, State::Open | State::Accepted));
    if !world.is_open() && !unsettled {
        return Taken::Ended;
    }
    world.holder = Some(process);
    Taken::Granted { ended: !world.is_open() }
}

/// Commits a row, if the lease, the job and its count of paid calls allow it (B5, B8).
pub fn open(world: &mut World, process: usize, chain_index: u32, max_paid_calls: usize) -> Option<usize> {
    if world.holder != Some(process) || !world.is_open() || world.rows.len() >= max_paid_calls {
        return None;
    }
    world.rows.push(Row {
        chain_index,
        state: State::Open,
        class: None,
        request: None,
        price: Price::Unpriced,
    });
    Some(world.rows.len().saturating_sub(1))
}

/// Writes a fact under the lease. Without it only an acceptance is kept, as the provider's word.
pub fn write(world: &mut World, process: usize, row: usize, learned: Learned) -> Written {
    if world.holder != Some(process) {
        if let Learned::Accepted { call } = learned {
            report(world, row, call);
        }
        return Written::StaleLease;
    }
    let Some(standing) = world.rows.get_mut(row) else {
        return Written::Unchanged;
    };
    let undecided = matches!(standing.state, State::Open | State::Unknown);
    let allowed = match learned {
        Learned::Accepted { call } => {
            undecided || (standing.state == State::Accepted && standing.request == Some(call))
        }
        // What is not known does not replace what has been made known meanwhile.
        Learned::Unknown | Learned::RiskAccepted | Learned::NeverArrived => undecided,
        Learned::Rejected | Learned::Failed | Learned::Cancelled => {
            undecided || standing.state == State::Accepted
        }
    };
    if !allowed {
        return Written::Unchanged;
    }
    apply(standing, learned);
    Written::Yes
}

/// What a fact makes of a row.
pub fn apply(row: &mut Row, learned: Learned) {
    let (state, class) = match learned {
        Learned::Accepted { call } => {
            row.request = Some(call);
            (State::Accepted, None)
        }
        Learned::Rejected => (State::Failed, Some(ErrorClass::RateLimited)),
        Learned::NeverArrived | Learned::Failed => (State::Failed, Some(ErrorClass::Retryable)),
        Learned::Unknown => (State::Unknown, Some(ErrorClass::Unknown)),
        Learned::RiskAccepted => (State::Abandoned, Some(ErrorClass::Unknown)),
        Learned::Cancelled => (State::Failed, Some(ErrorClass::Cancelled)),
    };
    if matches!(learned, Learned::Rejected | Learned::NeverArrived) {
        row.price = Price::Free;
    }
    row.state = state;
    row.class = class;
}

/// The provider has this attempt, whoever says it. One that was given up keeps its end, and its price is open again.
pub fn report(world: &mut World, row: usize, call: usize) {
    let Some(row) = world.rows.get_mut(row) else {
        return;
    };
    match row.state {
        State::Open | State::Unknown => apply(row, Learned::Accepted { call }),
        State::Failed | State::Abandoned if row.request.is_none() => {
            row.request = Some(call);
            row.price = if row.price == Price::Free { Price::Unpriced } else { row.price };
        }
        State::Failed | State::Abandoned | State::Accepted | State::Succeeded => {}
    }
}

/// What the call cost, as the provider says when it is asked. Telemetry: it may come at any time (A44).
pub fn settle(world: &mut World, process: usize, row: usize) -> Written {
    if world.holder != Some(process) {
        return Written::StaleLease;
    }
    if let Some(row) = world.rows.get_mut(row) {
        row.price = Price::Charged;
    }
    Written::Yes
}

/// Marks the attempt whose result is stored.
pub fn mark(world: &mut World, process: usize, row: usize, end: State) -> Written {
    if world.holder != Some(process) {
        return Written::StaleLease;
    }
    match world.rows.get_mut(row) {
        Some(row) if !row.is_ended() => {
            row.state = end;
            row.class = (end == State::Abandoned).then_some(ErrorClass::Retryable);
            Written::Yes
        }
        Some(_) | None => Written::Unchanged,
    }
}
