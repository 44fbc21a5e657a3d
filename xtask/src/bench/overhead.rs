//! What AFC adds to the time that a provider takes, on the running stack.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use chrono::DateTime;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::report::{Figure, Finding, Ratio, Report, Table};
use super::samples::Samples;
use crate::demo::api::{Api, ledger, text};
use crate::failure::{Failure, OrFail, Outcome};
use crate::http::Call;
use crate::paths::Repo;
use crate::progress::Step;
use crate::stack::{ControlPath, Data, Engine, Logs, Options, StackFile, with_stack};

/// What the provider takes for a job, in its queue and at work.
const PROVIDER: Duration = Duration::from_secs(3);
/// Jobs under way at a time: each has a container of its own.
const AT_ONCE: usize = 2;
const JOBS: usize = 60;
const PATIENCE: Duration = Duration::from_mins(5);
const PAUSE: Duration = Duration::from_millis(500);
const LOGS: &str = "read target/dev-bench-overhead/logs/";

/// What AFC added to each job.
struct Overhead {
    jobs: usize,
    all: Samples,
    /// From the create to the call's arrival at the provider.
    before: Samples,
    /// From the provider's end to the job's.
    after: Samples,
}

pub(super) fn run(repo: &Repo) -> Outcome<Report> {
    measure(repo).map(|overhead| report(&overhead))
}

fn measure(repo: &Repo) -> Outcome<Overhead> {
    let options = Options {
        name: super::stack_name("overhead")?,
        engine: Engine::Process,
        logs: Logs::Kept,
        data: Data::Deleted,
        timing: "{}".to_owned(),
        control_path: ControlPath::Direct,
    };
    with_stack(repo, &options, async |stack| {
        let behaviour = json!({"behaviour": {"queue_ms": 1000, "run_ms": 2000}});
        Call::post(format!("{}/_sim/script", stack.simulator), &behaviour).send().await?;
        let step = Step::start(format!("{JOBS} jobs through the stack"));
        let jobs = all_jobs(&stack).await?;
        step.done();
        let calls = ledger(&stack).await?;
        added(&jobs, calls.get("calls").and_then(Value::as_array).map_or(&[], Vec::as_slice))
    })?
    .result()
}

/// Every job at its end. A new one is created whenever one has ended.
async fn all_jobs(stack: &StackFile) -> Outcome<Vec<Value>> {
    let api = Api::new(stack);
    let (mut open, mut ended) = (Vec::new(), Vec::new());
    let (mut made, mut last) = (0, Instant::now());
    while ended.len() < JOBS {
        while made < JOBS && open.len() < AT_ONCE {
            open.push(create(&api, made).await?);
            made += 1;
        }
        sleep(PAUSE).await;
        let mut left = Vec::new();
        for id in open {
            let job = api.get(&id).await?.json()?;
            match text(&job, "/status") {
                "succeeded" => {
                    ended.push(job);
                    last = Instant::now();
                }
                "failed" | "cancelled" => {
                    return Err(Failure::new(format!("a job did not succeed: {job}"), LOGS));
                }
                _ => left.push(id),
            }
        }
        open = left;
        if last.elapsed() > PATIENCE {
            return Err(Failure::new("no job ended any more", LOGS));
        }
    }
    Ok(ended)
}

async fn create(api: &Api<'_>, number: usize) -> Outcome<String> {
    let body = json!({
        "kind": "video",
        "input": {"prompt": format!("job {number}."), "duration_seconds": 8},
        "chain": [{"provider": "fal", "model": "fal-ai/veo3.1"}],
        "metadata": {"prompt": format!("job {number}.")},
    });
    let created = api.create(&format!("bench-{number}"), &body).await?;
    match text(&created.json()?, "/id") {
        "" => Err(Failure::new(format!("no job was created: {}", created.excerpt()), LOGS)),
        id => Ok(id.to_owned()),
    }
}

fn added(jobs: &[Value], calls: &[Value]) -> Outcome<Overhead> {
    let accepted: BTreeMap<&str, &str> =
        calls.iter().map(|call| (text(call, "/body/prompt"), text(call, "/at"))).collect();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for job in jobs {
        let accepted = accepted.get(text(job, "/metadata/prompt")).copied();
        let accepted = accepted.or_fail("a job that the provider never saw succeeded", LOGS)?;
        before.push(between(text(job, "/created_at"), accepted)?);
        after.push(between(accepted, text(job, "/finished_at"))?.saturating_sub(PROVIDER));
    }
    let all = before.iter().zip(&after).map(|(before, after)| *before + *after).collect();
    Ok(Overhead {
        jobs: jobs.len(),
        all: Samples::of(all),
        before: Samples::of(before),
        after: Samples::of(after),
    })
}

fn between(from: &str, to: &str) -> Outcome<Duration> {
    let time = |text| DateTime::parse_from_rfc3339(text).or_fail(format!("no time: {text:?}"), LOGS);
    let passed = time(to)? - time(from)?;
    Ok(passed.to_std().unwrap_or_default())
}

fn report(overhead: &Overhead) -> Report {
    let Overhead { jobs, all, before, after } = overhead;
    let phases =
        [("create to the call's arrival", before), ("the provider's end to terminal", after), ("both", all)];
    let phases = phases.map(|(name, samples)| {
        let times = [50, 90, 99].map(|percent| Figure::Time(samples.percentile(percent)));
        [Figure::Text(name.to_owned())].into_iter().chain(times).collect()
    });
    Report {
        title: "What AFC adds to a job",
        first: vec![Finding {
            what: "create to terminal : the provider's own time, medians".to_owned(),
            result: Figure::Ratio(Ratio::of_times(PROVIDER + all.median(), PROVIDER)),
            of: format!("{} on top of {}", Figure::Time(all.median()), Figure::Time(PROVIDER)),
        }],
        tables: vec![Table {
            columns: &["AFC on top of the provider", "median", "p90", "p99"],
            rows: phases.into(),
        }],
        method: format!(
            "{jobs} jobs on the running stack, {AT_ONCE} at a time, a container (a process here, a debug build) started for \
             each: `finished_at` less `created_at` less the time that the simulated provider was told to take. The provider \
             is polled every 2 s, so half of that is to be expected after its end.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::added;

    #[test]
    fn what_is_added_is_what_the_provider_did_not_take() {
        let job = json!({
            "metadata": {"prompt": "a"},
            "created_at": "2026-12-02T00:00:00.000Z", "finished_at": "2026-12-02T00:00:05.500Z",
        });
        let call = json!({"body": {"prompt": "a"}, "at": "2026-12-02T00:00:01.500Z"});
        let overhead = added(&[job], &[call]).unwrap();
        let millis = [overhead.before, overhead.after, overhead.all].map(|samples| samples.median());
        assert_eq!(millis, [1500, 1000, 2500].map(Duration::from_millis));
    }
}
