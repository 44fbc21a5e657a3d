//! The journal as this execution knows it: what was read with the lease, and what it wrote since.

use std::sync::Arc;
use std::time::Duration;

use domain::attempt::{Attempt, Cost, CostSource, Looks, State, Usage};
use domain::error::Code;
use domain::generation::Spec;
use domain::journal::{Entry, EntryAnswer, Open};
use domain::provider::Provider;
use domain::rates::{RateCard, Unit, card};
use domain::{AttemptId, JobId, Units, Usd};
use tokio::time::Instant;

use super::{Halt, Parts, journal_away};
use crate::executions::{Order, interrupted};
use crate::journal::{Lease, Opened};
use crate::machine::Machine;
use crate::providers::description::{Billed, Currency};
use crate::providers::{Bill, Completion, Failed};

pub(super) struct Ledger<'e> {
    pub(super) lease: Lease<'e>,
    attempts: Vec<Attempt>,
    job: JobId,
    patience: Duration,
    deadline: Instant,
    machine: Arc<dyn Machine>,
}

impl<'e> Ledger<'e> {
    pub(super) fn new(parts: &Parts, order: &Order, lease: Lease<'e>, attempts: Vec<Attempt>) -> Self {
        let patience = Duration::from_millis(parts.timing.journal_patience_ms);
        Self {
            lease,
            attempts,
            job: order.job,
            patience,
            deadline: order.signals.deadline(),
            machine: Arc::clone(&parts.machine),
        }
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

    /// The provider's names of the job's other calls.
    pub(super) fn names_beside(&self, id: AttemptId) -> Vec<String> {
        let others = self.attempts.iter().filter(|attempt| attempt.id != id);
        others.filter_map(|attempt| attempt.provider_request_id.clone()).collect()
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
            started_at: self.machine.now(),
            accepted_at: None,
            finished_at: None,
            usage: None,
            cost: None,
            reserved,
            looks: Looks::default(),
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
                attempt.accepted_at = attempt.accepted_at.or_else(|| Some(self.machine.now()));
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

/// What the provider counted, in its own unit or the one that the rate card knows for the model; and the price: the
/// provider's own if it named one whose worth in dollars is known, else the card's for the units.
pub(super) fn price(provider: Provider, model: &str, bill: &Bill) -> (Option<Usage>, Option<Cost>) {
    let card = card();
    let usage = bill.units.as_ref().and_then(|(count, unit)| {
        let of_model = || card.and_then(|card| card.unit(provider, model)).map(Unit::as_str);
        Some(Usage { units: read_units(count)?, unit: unit.or_else(of_model).unwrap_or("unit").to_owned() })
    });
    let quoted = bill.quoted.as_ref().and_then(|(amount, currency)| Some((read_units(amount)?, *currency)));
    let worth = |(amount, currency): (Units, Currency)| match currency {
        Currency::Usd => Usd::from_micros(1_000_000)?.times(amount),
        Currency::Credits => card?.credit(provider)?.0.times(amount),
    };
    let credits = quoted.filter(|(_, currency)| *currency == Currency::Credits);
    let usage = usage.or_else(|| credits.map(|(units, _)| Usage { units, unit: "credit".to_owned() }));
    let own = quoted.and_then(worth);
    let own = own.map(|amount| Cost { amount, source: CostSource::Quoted, rates: None });
    let cost = own.or_else(|| card.and_then(|card| derived(card, provider, model, usage.as_ref()?, bill)));
    (usage, cost)
}

/// What a result used and cost; by what was asked for where the provider never says.
pub(super) fn price_of_result(
    spec: &Spec,
    attempt: &Attempt,
    completion: &Completion,
) -> (Option<Usage>, Option<Cost>) {
    match price(attempt.provider, &attempt.model, &completion.bill) {
        (None, None) => {}
        told => return told,
    }
    let step = usize::try_from(attempt.chain_index).ok().and_then(|index| spec.chain.get(index));
    let asked = step
        .zip(card())
        .and_then(|(step, card)| card.asked(step, &spec.input, u32::try_from(completion.media.len()).ok()?));
    asked.map_or((None, None), |(usage, cost)| (Some(usage), Some(cost)))
}

/// What a request that failed after its acceptance used, or that it is not on the bill.
pub(super) fn price_of_failure(attempt: &Attempt, failed: &Failed) -> (Option<Usage>, Option<Cost>) {
    let (usage, cost) = price(attempt.provider, &attempt.model, &failed.bill);
    let unbilled = usage.is_none() && cost.is_none() && failed.billed == Billed::No;
    (usage, if unbilled { Some(free()) } else { cost })
}

/// The sum of everything that was counted, or nothing if any of it has no rate.
fn derived(card: &RateCard, provider: Provider, model: &str, usage: &Usage, bill: &Bill) -> Option<Cost> {
    let mut cost = card.derive(provider, model, usage)?;
    for (count, unit) in &bill.more {
        let further = Usage { units: read_units(count)?, unit: (*unit).to_owned() };
        if further.units > Units::ZERO {
            cost.amount = cost.amount.checked_add(card.derive(provider, model, &further)?.amount)?;
        }
    }
    Some(cost)
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

    fn units(count: &str) -> Bill {
        Bill { units: Some((count.to_owned(), None)), ..Bill::default() }
    }

    fn quoted(amount: &str, currency: Currency) -> Bill {
        Bill { quoted: Some((amount.to_owned(), currency)), ..Bill::default() }
    }

    #[test]
    fn a43_units_are_priced_by_the_card_or_stay_unpriced() {
        let (usage, cost) = price(Provider::Fal, "fal-ai/veo3.1", &units("8"));
        assert_eq!(usage.unwrap().unit, "second");
        assert_eq!(cost.unwrap().amount.to_string(), "3.200000");
        let (usage, cost) = price(Provider::Fal, "nobody/knows", &units("3.0080000001"));
        assert_eq!((usage.unwrap().units.to_string().as_str(), cost), ("3.008000", None));
        assert_eq!(price(Provider::Fal, "fal-ai/veo3.1", &Bill::default()), (None, None));
        for nonsense in ["", "many", "-1", "1e3", "99999999999999"] {
            assert_eq!(price(Provider::Fal, "fal-ai/veo3.1", &units(nonsense)), (None, None), "{nonsense:?}");
        }
    }

    #[test]
    fn a43_a_unit_of_the_providers_own_is_not_priced_as_the_models() {
        let bill = Bill { units: Some(("8".to_owned(), Some("gpu_second"))), ..Bill::default() };
        let (usage, cost) = price(Provider::Fal, "fal-ai/veo3.1", &bill);
        assert_eq!((usage.unwrap().unit.as_str(), cost), ("gpu_second", None));
    }

    #[test]
    fn a43_tokens_are_priced_by_their_kind_or_not_at_all() {
        let counted = |model: &str, text: &str| {
            let bill = Bill {
                units: Some(("1056".to_owned(), Some("output_token"))),
                more: vec![(text.to_owned(), "text_input_token"), ("0".to_owned(), "image_input_token")],
                quoted: None,
            };
            let (usage, cost) = price(Provider::OpenaiImages, model, &bill);
            (usage.unwrap().unit, cost.map(|cost| cost.amount.to_string()))
        };
        // 1056 at $40 a million and 50 at $5 a million.
        let expected = ("output_token".to_owned(), Some("0.042490".to_owned()));
        assert_eq!(counted("gpt-image-1", "50"), expected);
        assert_eq!(counted("gpt-image-1", "some").1, None);
        assert_eq!(counted("gpt-image-9", "50").1, None);
    }

    #[test]
    fn a43_a_quote_is_a_price_only_where_its_worth_in_dollars_is_known() {
        let (usage, cost) = price(Provider::Fal, "x/y", &quoted("0.25", Currency::Usd));
        let cost = cost.unwrap();
        assert_eq!(
            (usage, cost.amount.to_string().as_str(), cost.source),
            (None, "0.250000", CostSource::Quoted)
        );
        let (usage, cost) = price(Provider::Fal, "x/y", &quoted("25", Currency::Credits));
        assert_eq!((usage.unwrap().unit.as_str(), cost), ("credit", None));
        let (usage, cost) = price(Provider::Runway, "gen4_turbo", &quoted("25", Currency::Credits));
        let cost = cost.unwrap();
        assert_eq!((usage.unwrap().unit.as_str(), cost.amount.to_string().as_str()), ("credit", "0.250000"));
        let refunded = price(Provider::Runway, "gen4_turbo", &quoted("0", Currency::Credits)).1.unwrap();
        assert_eq!((refunded.amount, refunded.source), (Usd::ZERO, CostSource::Quoted));
    }
}
