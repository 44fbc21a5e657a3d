//! One release executor as a process, with all that it speaks to.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::JobId;
use domain::execution::{Answer, Report};
use domain::timing::Timing;
use serde_json::{Value, json};
use testkit::bucket::{self, Bucket};
use testkit::database::{self, Database};
use testkit::listening;
use testkit::plane::{Creation, Pass, Plane};
use testkit::simulator::{self, Filter, Simulator};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::failure::{Failure, OrFail, Outcome};
use crate::http::Call;

const ADVICE: &str = "read what the executor says: run the bench with LOG=debug";

pub(super) struct Stand {
    /// The executor's process.
    pub(super) pid: i32,
    pub(super) bucket: Bucket,
    url: String,
    plane: Plane,
    simulator: Simulator,
    _child: Child,
    // Goes last: its schema is dropped with it.
    _database: Database,
}

impl Stand {
    /// A stand whose provider does what `behaviour` says.
    pub(super) async fn start(program: &Path, database_url: &str, behaviour: &Value) -> Outcome<Self> {
        let database = database::fresh_on(database_url).await.or_fail("cannot make a schema", ADVICE)?;
        let pass: testkit::plane::Gate = Arc::new(|_| Box::pin(async { Pass::On }));
        let plane = Plane::start(&database, Timing::default(), pass).await.or_fail("no journal", ADVICE)?;
        let bucket = bucket::start().await.or_fail("no bucket", ADVICE)?;
        let simulator =
            simulator::start(simulator::Options::default()).await.or_fail("no provider", ADVICE)?;
        let script = serde_json::from_value(json!({"behaviour": behaviour}));
        simulator.script(script.or_fail("no such behaviour", ADVICE)?);
        let mut child = Command::new(program)
            .env_clear()
            .envs(environment(&plane, &bucket, &simulator))
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .or_fail("cannot start the executor", ADVICE)?;
        let pid = child.id().and_then(|pid| i32::try_from(pid).ok()).or_fail("the executor ended", ADVICE)?;
        let stderr = child.stderr.take().or_fail("the executor has no stderr", ADVICE)?;
        let mut lines = BufReader::new(stderr).lines();
        let url = listening::url(&mut lines).await.or_fail("the executor does not listen", ADVICE)?;
        // Read on, or the pipe fills up and the executor stands still.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Ok(Self { pid, bucket, url, plane, simulator, _child: child, _database: database })
    }

    /// Creates a job and submits it.
    pub(super) async fn submit(&self, key: &str) -> Outcome<JobId> {
        let body = json!({
            "kind": "video",
            "input": {"prompt": "a lighthouse", "duration_seconds": 8},
            "chain": [{"provider": "fal", "model": "fal-ai/veo3.1"}],
        });
        let created = self.plane.create(key, body).await.or_fail("cannot create a job", ADVICE)?;
        let Creation::Created(job) = created else {
            return Err(Failure::new(format!("no job was created: {created:?}"), ADVICE));
        };
        let submit = self.plane.begin(job.id).await.or_fail("cannot begin a job", ADVICE)?;
        let submit = serde_json::to_value(submit).or_fail("a submit is no JSON", ADVICE)?;
        let answer = Call::put(format!("{}/executions/{}", self.url, job.id), &submit).send().await?;
        if answer.status == 202 {
            return Ok(job.id);
        }
        Err(Failure::new(format!("a submit was answered {}: {}", answer.status, answer.excerpt()), ADVICE))
    }

    /// The job's report.
    pub(super) async fn ended(&self, job: JobId, patience: Duration) -> Outcome<Report> {
        let begun = Instant::now();
        while begun.elapsed() < patience {
            let call = Call::get(format!("{}/executions/{job}?wait=25", self.url));
            let answer = call.within(Duration::from_mins(1)).send().await?.json()?;
            if let Answer::Ended { report } = serde_json::from_value(answer).or_fail("no answer", ADVICE)? {
                return Ok(report);
            }
        }
        Err(Failure::new(format!("the job did not end within {} s", patience.as_secs()), ADVICE))
    }

    /// Calls that the provider accepted.
    pub(super) fn accepted(&self) -> u64 {
        let ledger = self.simulator.ledger(&Filter::default());
        ledger.get("accepted").and_then(Value::as_u64).unwrap_or_default()
    }
}

fn environment(plane: &Plane, bucket: &Bucket, simulator: &Simulator) -> Vec<(&'static str, String)> {
    vec![
        ("PORT", "0".to_owned()),
        ("CONTROL_URL", plane.url()),
        ("S3_ENDPOINT", bucket.endpoint()),
        ("S3_BUCKET", "bench".to_owned()),
        ("S3_ACCESS_KEY_ID", "bench".to_owned()),
        ("S3_SECRET_ACCESS_KEY", "bench".to_owned()),
        ("PROVIDER_URLS", json!({"fal": simulator.provider_url("fal")}).to_string()),
        ("PROVIDER_KEYS", json!({"fal": "bench"}).to_string()),
        ("MAX_EXECUTIONS", "2000".to_owned()),
    ]
}
