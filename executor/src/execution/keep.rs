//! Storing a result: further files first, the first file last, so that its presence says that all are there (A20).

use domain::AttemptId;
use domain::attempt::{Attempt, ErrorClass};
use domain::execution::{Phase, Report};
use domain::journal::Entry;
use domain::output::StoredOutput;

use super::work::{Work, code};
use super::{Halt, conflict, or_cancelled, store_failed};
use crate::providers::fault;
use crate::spool::Spooled;
use crate::storage::{Created, Look, Origin};

impl Work<'_> {
    /// Creates the objects and marks the attempt. Only the end of the process cuts this off: the bytes are here, and
    /// what they cost is paid, whether the job is still wanted or not.
    pub(super) async fn keep(&mut self, attempt: &Attempt, files: Vec<Spooled>) -> Result<Report, Halt> {
        self.order.phase(Phase::Storing);
        let origin = Origin {
            job: self.order.job,
            attempt: attempt.id,
            provider: attempt.provider,
            model: attempt.model.clone(),
            count: u32::try_from(files.len()).unwrap_or(u32::MAX),
        };
        let mut outputs = Vec::new();
        let mut first = None;
        for (index, file) in (0..).zip(&files) {
            if index == 0 {
                first = Some(file);
                continue;
            }
            match self.create(index, file, &origin).await? {
                // An earlier attempt of this job may have got so far; its bytes stay (I9).
                Created::Stored(output) | Created::Stands { output, .. } => outputs.push(output),
                Created::Others => return self.conflicts(attempt).await,
            }
        }
        let Some(first) = first else {
            return Err(Halt::Reread);
        };
        match self.create(0, first, &origin).await? {
            Created::Stored(output) => outputs.insert(0, output),
            Created::Stands { .. } => return self.lost_race(attempt).await,
            Created::Others => return self.conflicts(attempt).await,
        }
        self.mark(attempt, Entry::Succeeded).await?;
        Ok(self.stored(attempt.id, outputs))
    }

    async fn create(&self, index: u32, file: &Spooled, origin: &Origin) -> Result<Created, Halt> {
        let created = self.order.signals.race_drain(self.parts.storage.create(index, file, origin)).await?;
        let created = created.map_err(|error| Halt::End(store_failed(&error)))?;
        tracing::info!(job.id = %origin.job, attempt.id = %origin.attempt, output.index = index, output.bytes = file.bytes,
            output.content_type = %file.content_type, storage.answer = ?created, "output written");
        Ok(created)
    }

    /// Another attempt of this job stored its result first: that one is the job's (B6). Both are marked.
    async fn lost_race(&mut self, attempt: &Attempt) -> Result<Report, Halt> {
        let looked = self.order.signals.race_drain(self.parts.storage.look(self.order.job)).await?;
        let kept = match looked.map_err(|error| Halt::End(store_failed(&error)))? {
            Look::Ours(kept) => kept,
            Look::Others => return Err(Halt::End(conflict())),
            Look::Nothing(_) => return Err(Halt::Reread),
        };
        let error =
            fault(ErrorClass::Retryable, code::SUPERSEDED, "another attempt's result was stored first");
        self.mark(attempt, Entry::Abandoned { error }).await?;
        self.found(kept).await
    }

    async fn conflicts(&mut self, attempt: &Attempt) -> Result<Report, Halt> {
        let words = "the output key holds an object that another job wrote";
        let error = fault(ErrorClass::Retryable, code::OUTPUT_KEY_CONFLICT, words);
        self.mark(attempt, Entry::Failed { error }).await?;
        Ok(or_cancelled(self.order, conflict()))
    }

    /// Writes an outcome down. The bucket decides by now: whatever the journal answers, the report is the same. Only a
    /// process that ends leaves the marking to the next one, which finds the object (A21).
    pub(super) async fn mark(&mut self, attempt: &Attempt, entry: Entry) -> Result<(), Halt> {
        let marked = self.ledger.write(attempt.id, entry);
        let marked = self.order.signals.race_drain(marked).await?;
        if let Err(halt) = marked {
            tracing::warn!(job.id = %self.order.job, attempt.id = %attempt.id, halt = ?halt,
                "the outcome of an attempt is not in the journal");
        }
        Ok(())
    }

    fn stored(&self, attempt: AttemptId, mut outputs: Vec<StoredOutput>) -> Report {
        outputs.sort_by_key(|output| output.index);
        tracing::info!(job.id = %self.order.job, attempt.id = %attempt, outputs = outputs.len(), "result stored");
        or_cancelled(self.order, Report::Succeeded { outputs })
    }
}
