//! The journal as this execution knows it: what was read with the lease, and what it wrote since.

use std::time::Duration;

use chrono::Utc;
use domain::attempt::{Attempt, Cost, CostSource, State, Usage};
use domain::error::Code;
use domain::journal::{Entry, EntryAnswer, Open};
use domain::provider::Provider;
use domain::rates::card;
use domain::{AttemptId, JobId, Units, Usd};
use tokio::time::Instant;

use super::{Halt, Parts, journal_away};
use crate::executions::{Order, interrupted};
use crate::journal::{Lease, Opened};

pub(super) struct Ledger<'e> {
    pub(super) lease: Lease<'e>,
    attempts: Vec<Attempt>,
    job: JobId,
    patience: Duration,
    deadline: Instant,
}

impl<'e> Ledger<'e> {
    pub(super) fn new(parts: &Parts, order: &Order, lease: Lease<'e>, attempts: Vec<Attempt>) -> Self {
        let patience = Duration::from_millis(parts.timing.journal_patience_ms);
        Self { lease, attempts, job: order.job, patience, deadline: order.signals.deadline() }
    }

    pub(super) fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    pub(super) fn last(&self) -> Option<&Attempt> {
        self.attempts.iter().max_by_key(|attempt| attempt.ordinal)
    }

    pub(super) fn get(&self, id: AttemptId) -> Option<&Attempt> {
        self.attempts.iter().find(|attempt| attempt.id == id)
    }

    /// Before anything is paid the journal may be away for this long (B1).
    pub(super) fn patience(&self) -> Instant {
        Instant::now() + self.patience
    }

    /// Once something may be paid it is waited for until the deadline, and tried with patience after it.
    fn as_long_as_it_takes(&self) -> Instant {
        self.deadline.max(self.patience())
    }

    pub(super) fn opened(&mut self, opened: &Opened) {
        let Open { attempt, chain_index, provider, model, request: _, reserved } = opened.open().clone();
        self.attempts.push(Attempt {
            id: attempt,
            ordinal: opened.ordinal(),
            chain_index,
            provider,
            model,
            lease: self.lease.epoch(),
            state: State::Open,
            provider_request_id: None,
            captured: std::collections::BTreeMap::default(),
            error: None,
            started_at: Utc::now(),
            accepted_at: None,
            finished_at: None,
            usage: None,
            cost: None,
            reserved,
        });
    }

    /// Writes a fact down and goes on only if it is written.
    pub(super) async fn write(&mut self, id: AttemptId, entry: Entry) -> Result<(), Halt> {
        self.write_until(id, entry, self.as_long_as_it_takes()).await
    }

    pub(super) async fn write_until(
        &mut self,
        id: AttemptId,
        entry: Entry,
        until: Instant,
    ) -> Result<(), Halt> {
        let written = self.lease.record(id, &entry, until).await;
        self.log(id, &entry, &written);
        match written {
            Ok(EntryAnswer::Written) => {
                self.apply(id, entry);
                Ok(())
            }
            Ok(EntryAnswer::Unchanged) => Err(Halt::Reread),
            Ok(EntryAnswer::StaleLease) => {
                Err(Halt::End(interrupted(Code::StaleLease, "a newer process holds the job")))
            }
            Ok(EntryAnswer::NoSuchAttempt) => {
                Err(Halt::End(interrupted(Code::Internal, "the journal does not know the attempt")))
            }
            Err(away) => Err(Halt::End(journal_away(&away))),
        }
    }

    /// Writes down what an attempt used and cost, if anything is known of it (A43).
    pub(super) async fn settle(
        &mut self,
        id: AttemptId,
        usage: Option<Usage>,
        cost: Option<Cost>,
    ) -> Result<(), Halt> {
        if usage.is_none() && cost.is_none() {
            return Ok(());
        }
        self.write(id, Entry::Settled { usage, cost }).await
    }

    fn apply(&mut self, id: AttemptId, entry: Entry) {
        let Some(attempt) = self.attempts.iter_mut().find(|attempt| attempt.id == id) else {
            return;
        };
        let (state, error) = match entry {
            Entry::Accepted { provider_request_id, captured } => {
                attempt.provider_request_id = Some(provider_request_id);
                attempt.captured = captured;
                attempt.accepted_at = attempt.accepted_at.or_else(|| Some(Utc::now()));
                (State::Accepted, None)
            }
            Entry::Unknown { error } => (State::Unknown, Some(error)),
            Entry::Succeeded => (State::Succeeded, None),
            Entry::Failed { error } => (State::Failed, Some(error)),
            Entry::Abandoned { error } => (State::Abandoned, Some(error)),
            Entry::Settled { usage, cost } => {
                attempt.usage = usage.or(attempt.usage.take());
                attempt.cost = cost.or(attempt.cost.take());
                return;
            }
        };
        attempt.state = state;
        attempt.error = error;
    }

    fn log(&self, id: AttemptId, entry: &Entry, written: &Result<EntryAnswer, crate::journal::Away>) {
        let (entry, error) = match entry {
            Entry::Accepted { .. } => ("accepted", None),
            Entry::Unknown { error } => ("unknown", Some(error)),
            Entry::Succeeded => ("succeeded", None),
            Entry::Failed { error } => ("failed", Some(error)),
            Entry::Abandoned { error } => ("abandoned", Some(error)),
            Entry::Settled { .. } => ("settled", None),
        };
        let class = error.map(|error| error.class.as_str());
        let message = error.map(|error| error.message.as_str());
        tracing::info!(job.id = %self.job, attempt.id = %id, attempt.entry = entry, error.class = class,
            error.message = message, journal.answer = ?written, "attempt {entry}");
    }
}

/// What the provider counted, in the unit that the rate card knows for the model, and its price if there is a rate.
pub(super) fn price(provider: Provider, model: &str, units: Option<&str>) -> (Option<Usage>, Option<Cost>) {
    let Some(units) = units.and_then(read_units) else {
        return (None, None);
    };
    let card = card();
    let unit = card.and_then(|card| card.unit(provider, model)).map_or("unit", |unit| unit.as_str());
    let usage = Usage { units, unit: unit.to_owned() };
    let cost = card.and_then(|card| card.derive(provider, model, &usage));
    (Some(usage), cost)
}

/// The price of what surely was not billed.
pub(super) fn free() -> Cost {
    Cost { amount: Usd::ZERO, source: CostSource::Local, rates: None }
}

/// Reads a count, rounded down to the millionth that the database keeps. What is no count is nothing.
fn read_units(text: &str) -> Option<Units> {
    let text = text.trim();
    let kept = match text.split_once('.') {
        Some((whole, fraction)) => format!("{whole}.{}", fraction.chars().take(6).collect::<String>()),
        None => text.to_owned(),
    };
    kept.parse::<Units>().ok().filter(|units| units.micros() >= 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a43_units_are_priced_by_the_card_or_stay_unpriced() {
        let (usage, cost) = price(Provider::Fal, "fal-ai/veo3.1", Some("8"));
        assert_eq!(usage.unwrap().unit, "second");
        assert_eq!(cost.unwrap().amount.to_string(), "3.200000");
        let (usage, cost) = price(Provider::Fal, "nobody/knows", Some("3.0080000001"));
        assert_eq!((usage.unwrap().units.to_string().as_str(), cost), ("3.008000", None));
        for nonsense in [None, Some(""), Some("many"), Some("-1"), Some("1e3"), Some("99999999999999")] {
            assert_eq!(price(Provider::Fal, "fal-ai/veo3.1", nonsense), (None, None), "{nonsense:?}");
        }
    }
}
