//! The record's part of a job's life: what the API and the Workflow write and read.

use chrono::Utc;
use domain::attempt::Attempt;
use domain::callback_url::Loopback;
use domain::event::EventType;
use domain::execution::{Report, Submit};
use domain::generation::GenerationRequest;
use domain::idempotency::IdempotencyKey;
use domain::{ClientId, JobId, Secret};
use serde_json::Value;
use store::clients::{KeyHash, NewClient};
use store::jobs::{Caller, Creation, Ending, Finish, NewJob};
use store::{Db, Job};
use uuid::Uuid;

use super::{Error, Plane, ending};

/// The tenant's key is told apart by nothing: a plane has one.
const KEY: KeyHash = KeyHash::new([7; 32]);

/// A job and all that the record has of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    pub job: Job,
    pub attempts: Vec<Attempt>,
    pub told: Told,
}

/// What receivers were told, or will be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Terminal events of the job.
    pub ends: Vec<String>,
    /// Deliveries of it that are waiting and due by now.
    pub due: usize,
    /// Any other deliveries of it.
    pub others: usize,
}

pub(super) async fn add_client(db: Db<'_>) -> Result<(), store::Error> {
    let new = NewClient {
        id: ClientId::new(Uuid::now_v7()),
        name: "studio",
        webhook_secrets: &[Secret::new("whsec_c2VjcmV0")],
        key_id: Uuid::now_v7(),
        key_hash: KEY,
        key_prefix: "plane",
    };
    store::clients::create(db, &new).await
}

impl Plane {
    /// Creates the job of `key`, or finds it, as `POST /v1/generations` does.
    pub async fn create(&self, key: &str, body: Value) -> Result<Creation, Error> {
        let request = GenerationRequest::parse(body, Loopback::Allowed)
            .map_err(|wrong| Error::Asked(format!("no valid request: {wrong:?}")))?;
        let idempotency_key =
            IdempotencyKey::parse(key.as_bytes()).map_err(|error| Error::Asked(error.to_string()))?;
        let new = NewJob {
            first_call: None,
            trace: None,
            id: JobId::new(Uuid::now_v7()),
            caller: Caller::Key(KEY),
            idempotency_key: &idempotency_key,
            request: &request,
        };
        Ok(store::jobs::create(self.db(), &new).await?)
    }

    /// Marks the job running, as the Workflow's first step does, and says what an executor is to be sent.
    pub async fn begin(&self, job: JobId) -> Result<Submit, Error> {
        store::jobs::run(self.db(), job).await?;
        let job = self.job(job).await?;
        Ok(Submit {
            job: job.id,
            client: job.client_id,
            token: self.submit_token(job.id),
            spec: job.spec,
            deadline_at: job.deadline_at,
            trace: job.trace,
        })
    }

    /// Marks the job waiting, as the Workflow does with one that is held.
    pub async fn hold(&self, job: JobId, reason: &str) -> Result<(), Error> {
        store::jobs::wait(self.db(), job, reason).await?;
        Ok(())
    }

    /// Ends the job as a report says, unless it has ended. A report that decides nothing ends nothing.
    pub async fn finish(&self, job: JobId, report: &Report) -> Result<Option<Finish>, Error> {
        match ending(report) {
            Some(ending) => self.end(job, &ending).await.map(Some),
            None => Ok(None),
        }
    }

    /// Cancels the job, as its endpoint does.
    pub async fn cancel(&self, job: JobId) -> Result<Finish, Error> {
        self.end(job, &Ending::Cancelled).await
    }

    async fn end(&self, job: JobId, ending: &Ending) -> Result<Finish, Error> {
        Ok(store::jobs::finish(self.db(), job, ending, Utc::now(), "{}").await?)
    }

    /// How everything stands.
    pub async fn standing(&self, job: JobId) -> Result<Standing, Error> {
        let attempts = store::attempts::of_job(self.db(), job).await?;
        Ok(Standing { job: self.job(job).await?, attempts, told: self.told(job).await? })
    }

    async fn job(&self, job: JobId) -> Result<Job, Error> {
        let found = store::jobs::get(self.db(), job).await?;
        found.ok_or_else(|| Error::Asked(format!("there is no job {job}")))
    }

    async fn told(&self, job: JobId) -> Result<Told, Error> {
        let client = &self.shared.client;
        let sql = "select type from events where job_id = $1";
        let events = client.query(sql, &[&job.uuid()]).await?;
        let ends =
            [EventType::GenerationSucceeded, EventType::GenerationFailed, EventType::GenerationCancelled];
        let ends = ends.map(EventType::as_str);
        let types = events.iter().map(|row| row.get::<_, String>(0));
        let sql = "select status = 'pending' and next_attempt_at <= now() from deliveries where job_id = $1";
        let deliveries = client.query(sql, &[&job.uuid()]).await?;
        let due = deliveries.iter().filter(|row| row.get::<_, bool>(0)).count();
        Ok(Told {
            ends: types.filter(|name| ends.contains(&name.as_str())).collect(),
            due,
            others: deliveries.len() - due,
        })
    }
}
