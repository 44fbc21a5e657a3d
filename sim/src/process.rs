//! A process: the real executor, with everything it asks for answered by the world.

use std::future::pending;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::provider::Provider;
use domain::timing::Timing;
use domain::{AttemptId, Secret};
use executor::config::S3Config;
use executor::execution::{Executor, MediaClients, Parts};
use executor::executions::Executions;
use executor::journal::Journal;
use executor::machine::Machine;
use executor::net::{self, Client};
use executor::providers::{Adapter, Adapters, ProviderClients};
use executor::spool::Spool;
use executor::storage::Storage;
use tokio::sync::watch;
use tokio::time::sleep;
use url::Url;

use crate::provider::description;
use crate::wire::{Wire, own_moment};
use crate::world::{Shared, To};

/// From sending to arriving, in milliseconds: up to this.
const LATENCY_MS: u64 = 120;
const JUMP: TimeDelta = TimeDelta::hours(2);
const OUTPUT_LIMIT: u64 = 1 << 20;

/// Whether a process lives, what its clock says, and its chance.
pub struct Life {
    pub number: u64,
    shared: Shared,
    dead: AtomicBool,
    /// The control plane reaches it no more: it is dead, or sleeps, and is replaced.
    gone: watch::Sender<bool>,
    /// Milliseconds that its clock is off.
    off: AtomicI64,
    chance: Mutex<fastrand::Rng>,
}

/// A process that takes executions.
pub struct Process {
    pub life: Arc<Life>,
    pub executions: Arc<Executions>,
}

impl Life {
    pub fn new(shared: &Shared, number: u64) -> Arc<Self> {
        let seed = shared.lock().case.seed.wrapping_mul(1_000_003).wrapping_add(number);
        Arc::new(Self {
            number,
            shared: shared.clone(),
            dead: AtomicBool::new(false),
            gone: watch::Sender::new(false),
            off: AtomicI64::new(0),
            chance: Mutex::new(fastrand::Rng::with_seed(seed)),
        })
    }

    fn chance(&self, below: u64) -> u64 {
        self.chance.lock().unwrap_or_else(PoisonError::into_inner).u64(0..below)
    }

    /// A message's way, to a moment of this process's own.
    pub async fn travel(&self) {
        sleep(own_moment(self.shared.millis(), self.number, 1 + self.chance(LATENCY_MS))).await;
    }

    pub fn kill(&self) {
        self.dead.store(true, Ordering::SeqCst);
        self.gone.send_replace(true);
    }

    /// It does nothing more: whatever it awaits next never comes.
    pub async fn die(&self) {
        self.kill();
        pending::<()>().await;
    }

    /// Returns only to a process that lives.
    pub async fn breathe(&self) {
        if self.dead.load(Ordering::SeqCst) {
            pending::<()>().await;
        }
    }

    /// Sleeps, and is replaced meanwhile.
    pub async fn freeze(&self, time: Duration) {
        self.gone.send_replace(true);
        sleep(time).await;
        self.travel().await;
        self.shared.note(|| format!("    p{} wakes up", self.number));
    }

    pub fn is_gone(&self) -> bool {
        *self.gone.borrow()
    }

    /// Resolves when the control plane loses it.
    pub async fn lost(&self) {
        let mut gone = self.gone.subscribe();
        if gone.wait_for(|gone| *gone).await.is_err() {
            pending::<()>().await;
        }
    }

    pub fn jump(&self, ahead: bool) {
        let jump = if ahead { JUMP } else { -JUMP };
        self.off.fetch_add(jump.num_milliseconds(), Ordering::SeqCst);
    }
}

impl Machine for Life {
    fn now(&self) -> DateTime<Utc> {
        self.shared.now() + TimeDelta::milliseconds(self.off.load(Ordering::SeqCst))
    }

    fn jitter(&self) -> u16 {
        u16::try_from(self.chance(1001)).unwrap_or(500)
    }

    fn mint(&self) -> AttemptId {
        let millis = u64::try_from(self.shared.now().timestamp_millis()).unwrap_or(0);
        let mut bytes = [0; 10];
        self.chance.lock().unwrap_or_else(PoisonError::into_inner).fill(&mut bytes);
        AttemptId::new(uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid())
    }
}

impl Process {
    /// Begins a process; `None` if the executor refuses its own configuration.
    pub fn begin(shared: &Shared, number: u64) -> Option<Self> {
        let life = Life::new(shared, number);
        let parts = parts(shared, &life)?;
        shared.note(|| format!("    p{number} begins"));
        let executions = Arc::new(Executions::new(Arc::new(Executor::new(parts)), 4));
        Some(Self { life, executions })
    }
}

fn parts(shared: &Shared, life: &Arc<Life>) -> Option<Parts> {
    let timing = Timing::default();
    let machine: Arc<dyn Machine> = life.clone();
    let client = |to: To, limit: u64| {
        let wire =
            Wire { shared: shared.clone(), life: Arc::clone(life), to, limit: Duration::from_millis(limit) };
        library().map(|http| Client::carried_by(http, Arc::new(wire)))
    };
    let url = |text: &str| text.parse::<Url>().ok();
    let s3 = S3Config {
        endpoint: url("http://bucket.example/")?,
        bucket: "media".to_owned(),
        access_key_id: Secret::new("id"),
        secret_access_key: Secret::new("secret"),
    };
    let free = client(To::Provider, timing.free_call_ms)?;
    let clients = ProviderClients {
        submit: client(To::Provider, timing.submit_timeout_ms)?,
        free: free.clone(),
        patience: Duration::from_millis(timing.answer_timeout_ms),
    };
    let described = description(shared.lock().case.profile);
    let adapter = Adapter::new(described, url("http://127.0.0.1:1")?, &Secret::new("key"), clients).ok()?;
    let control = client(To::Journal, timing.journal_call_ms)?;
    let bucket = client(To::Bucket, u64::from(u32::MAX))?;
    Some(Parts {
        journal: Journal::new(&url("http://control.example")?, control, timing.clone(), machine.clone()),
        storage: Storage::new(&s3, bucket, timing.clone(), machine.clone()).ok()?,
        adapters: Adapters::of([(Provider::Fal, adapter)]),
        spool: Spool::new(None, OUTPUT_LIMIT),
        inputs: Spool::new(None, OUTPUT_LIMIT),
        media: MediaClients::of_one(&free),
        timing,
        machine,
    })
}

/// Makes requests; sends none.
fn library() -> Option<reqwest::Client> {
    static LIBRARY: OnceLock<Option<reqwest::Client>> = OnceLock::new();
    let made = || net::tls(None).ok().and_then(|tls| net::unlimited_client(&tls).ok());
    LIBRARY.get_or_init(made).clone()
}
