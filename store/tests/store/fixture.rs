use chrono::{DateTime, Utc};
use domain::callback_url::Loopback;
use domain::error::{Code, Failure};
use domain::generation::GenerationRequest;
use domain::idempotency::IdempotencyKey;
use domain::journal::{Entry, EntryAnswer, Open};
use domain::output::StoredOutput;
use domain::provider::Provider;
use domain::timing::Timing;
use domain::{AttemptId, ClientId, JobId, Secret};
use serde_json::{Value, json};
use store::clients::{KeyHash, NewClient};
use store::jobs::{Caller, Creation, Ending, NewJob};
use store::journal::{Lease, Opening};
use store::{Db, Error, Job, clients, jobs, journal};
use testkit::database::Database;
use tokio_postgres::Client;
use uuid::Uuid;

/// A schema with one client in it.
pub struct Fixture {
    pub database: Database,
    pub client: Client,
    pub key: KeyHash,
}

impl Fixture {
    pub async fn new() -> Self {
        let database = testkit::database::fresh().await.unwrap();
        let client = database.client().await.unwrap();
        let key = KeyHash::new([1; 32]);
        add_client(Db::new(&client), key).await;
        Self { database, client, key }
    }

    pub fn db(&self) -> Db<'_> {
        Db::new(&self.client)
    }

    /// A job that was just created.
    pub async fn job(&self, change: impl FnOnce(&mut Value)) -> Job {
        let mut body = body();
        change(&mut body);
        let creation = create(self.db(), self.key, &Uuid::new_v4().to_string(), body).await;
        let Creation::Created(job) = creation else { unreachable!("{creation:?}") };
        *job
    }
}

pub async fn open(db: Db<'_>, job: JobId, lease: i64, open: &Open) -> Result<Opening, Error> {
    journal::open(db, job, lease, open, &Timing::default()).await
}

/// An attempt that is about to be opened. Nothing is reserved for it.
pub fn wanted() -> Open {
    Open {
        attempt: AttemptId::new(Uuid::new_v4()),
        chain_index: 0,
        provider: Provider::Fal,
        model: "fal-ai/veo3.1".into(),
        request: json!({"prompt": "a cat"}),
        reserved: None,
    }
}

/// Takes the lease of a job that nobody has ended.
pub async fn leased(db: Db<'_>, job: JobId) -> i64 {
    let taken = journal::take_lease(db, job).await.unwrap();
    let Lease::Granted { lease, .. } = taken else { unreachable!("{taken:?}") };
    lease
}

pub async fn record(
    db: Db<'_>,
    job: JobId,
    lease: i64,
    attempt: AttemptId,
    entry: &Entry,
) -> Result<EntryAnswer, Error> {
    journal::record(db, job, lease, attempt, entry, &Timing::default()).await
}

pub async fn add_client(db: Db<'_>, key_hash: KeyHash) -> ClientId {
    let id = ClientId::new(Uuid::new_v4());
    let secrets = [Secret::new("whsec_c2VjcmV0")];
    let new = NewClient {
        id,
        name: "studio",
        webhook_secrets: &secrets,
        key_id: Uuid::new_v4(),
        key_hash,
        key_prefix: "afc_test",
    };
    clients::create(db, &new).await.unwrap();
    id
}

pub fn body() -> Value {
    json!({
        "kind": "video",
        "input": {"prompt": "a cat"},
        "chain": [{"provider": "fal", "model": "fal-ai/veo3.1", "attempts": 2}],
        "callback_url": "https://hooks.studio.com/afc"
    })
}

pub async fn create(db: Db<'_>, client_key: KeyHash, key: &str, body: Value) -> Creation {
    let request = GenerationRequest::parse(body, Loopback::Refused).unwrap();
    let idempotency_key = IdempotencyKey::parse(key.as_bytes()).unwrap();
    let id = JobId::new(Uuid::new_v4());
    let first = request.spec.chain.first().unwrap();
    let first_call = domain::rates::card().unwrap().worst_case(first, &request.spec.input);
    let caller = Caller::Key(client_key);
    let new =
        NewJob { id, caller, idempotency_key: &idempotency_key, request: &request, first_call, trace: None };
    jobs::create(db, &new).await.unwrap()
}

/// An end with one output.
pub fn success() -> Ending {
    let output = StoredOutput {
        index: 0,
        key: "generations/x/output".into(),
        content_type: "video/mp4".into(),
        bytes: 7,
        sha256: "00".into(),
    };
    Ending::Succeeded(vec![output])
}

/// An end by a refusal.
pub fn failure() -> Ending {
    Ending::Failed(Failure::new(Code::ProviderRefused, "no"))
}

/// When jobs end.
pub fn at() -> DateTime<Utc> {
    DateTime::from_timestamp_millis(1_800_000_000_000).unwrap()
}
