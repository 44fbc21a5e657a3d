//! Later looks at attempts whose fate or price was not known when they ended. Outside of any execution and without a
//! lease: what comes of them is the provider's word, and the control plane writes it down. Nothing here sends a POST that
//! could cost money.

use domain::attempt::Attempt;
use domain::execution::{Finding, Found, Look, LookAt, Looked};
use domain::generation::Spec;

use super::Parts;
use super::ledger::{price_of_failure, price_of_result};
use crate::providers::{Acceptance, Adapter, Progress, Recovered, Sought};

/// Looks at each attempt once. One that nothing can be told about is not among the findings.
pub(super) async fn look(parts: &Parts, look: &Look) -> Looked {
    let findings = look.attempts.iter().map(|at| look_at(parts, &look.spec, at));
    let findings: Vec<Finding> = futures::future::join_all(findings).await.into_iter().flatten().collect();
    tracing::info!(job.id = %look.job, looks = look.attempts.len(), findings = findings.len(), "looked again");
    Looked { findings }
}

async fn look_at(parts: &Parts, spec: &Spec, at: &LookAt) -> Option<Finding> {
    let mut attempt = at.attempt.clone();
    let adapter = parts.adapters.get(attempt.provider)?;
    let found = match &attempt.provider_request_id {
        Some(_) => None,
        None => Some(search(adapter, &mut attempt, at).await?),
    };
    let (usage, cost) = match adapter.poll(&Adapter::handle(&attempt)?).await {
        Progress::Completed(completion) => price_of_result(spec, &attempt, &completion),
        Progress::Failed(failed) => price_of_failure(&attempt, &failed),
        Progress::Pending(_) | Progress::UnknownStatus(_) | Progress::NotFound | Progress::Trouble { .. } => {
            (None, None)
        }
    };
    let finding = Finding { attempt: attempt.id, found, usage, cost };
    (finding.found.is_some() || finding.usage.is_some() || finding.cost.is_some()).then_some(finding)
}

/// Whether the provider has it after all; `attempt` gets its name.
async fn search(adapter: &Adapter, attempt: &mut Attempt, at: &LookAt) -> Option<Found> {
    match adapter.look(Sought { attempt, request: &at.request, others: &at.others }).await {
        Recovered::Accepted(Acceptance { request_id, captured }) => {
            attempt.provider_request_id = Some(request_id.clone());
            attempt.captured.extend(captured.clone());
            Some(Found { provider_request_id: request_id, captured })
        }
        Recovered::NeverArrived | Recovered::CannotTell => None,
    }
}
