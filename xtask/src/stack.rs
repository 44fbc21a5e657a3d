//! The local stack: Postgres, simulator, receiver, a container engine and both Workers, as one thing that starts, is
//! watched and stops.
//!
//! Everything it keeps is below `target/dev/` (`target/dev-NAME/` for another name): `stack.json` while it is ready,
//! `pids.json` with what it started, `logs/`. One process owns the folder (a lock that dies with it), so a second start
//! under the same name is refused, and what a killed owner left behind is recognised and ended at the next start.
//!
//! Signals of the owner (its pid is `pids.xtask` in `stack.json`):
//! - SIGINT, SIGTERM, SIGHUP: stop everything; a second one: at once, without waiting for anybody.
//! - SIGUSR1: kill `wrangler dev` with all its processes (SIGKILL, as a crash would) and start it again. `stack.json` is
//!   rewritten when it answers again: `wrangler_starts` is one higher and `pids.wrangler` is another.

mod consumer;
mod crew;
mod cron;
mod engine;
mod file;
mod output;
mod place;
mod ports;
mod ready;
mod secrets;
mod seed;
mod services;
mod signals;
mod stale;
mod start;
mod tail;
mod worker_config;
mod wrangler;

use std::future::Future;
use std::path::PathBuf;
use std::pin::pin;
use std::str::FromStr;

use tokio::sync::mpsc;

use crate::failure::{Failure, OrFail, Outcome};
use crate::paths::Repo;
use crew::{Crew, Deaths};
use place::Place;
use signals::{Request, Signals};

pub(crate) use engine::Engine;
pub(crate) use file::StackFile;
pub(crate) use output::Logs;

/// What distinguishes two stacks of one checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name(String);

impl Name {
    /// A name that stands in the code.
    pub(crate) fn of(word: &str) -> Outcome<Self> {
        word.parse().map_err(|error: &str| Failure::new(error, "report this"))
    }
}

/// How a stack is to be.
pub(crate) struct Options {
    pub(crate) name: Name,
    pub(crate) engine: Engine,
    pub(crate) logs: Logs,
    pub(crate) data: Data,
    /// `TIMING_OVERRIDES` of the Workers, a JSON object.
    pub(crate) timing: String,
    pub(crate) control_path: ControlPath,
}

/// The queues of a consumer that runs alone: each hands out one batch at a time.
pub(crate) struct Queues {
    pub(crate) count: u32,
    /// Messages of a batch at most.
    pub(crate) batch: u32,
    /// How long a batch that is not full waits for more.
    pub(crate) timeout_seconds: u32,
}

/// How executors reach the api-worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ControlPath {
    Direct,
    /// Through testkit's proxy, which injects faults when a test tells it to.
    Faulty,
}

/// What becomes of an earlier run's database, objects and workflow state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Data {
    Kept,
    Deleted,
}

/// How a stack's life ended when nothing failed.
pub(crate) enum Ended<T> {
    /// The work was done, then the stack was stopped.
    Done(T),
    /// Somebody asked it to stop.
    Interrupted,
}

impl Name {
    /// The folder of its state below the target folder.
    fn folder(&self) -> String {
        if self.0 == "dev" { self.0.clone() } else { format!("dev-{}", self.0) }
    }

    /// Where `stack.json` is while a stack of this name is ready.
    pub(crate) fn file(&self, repo: &Repo) -> PathBuf {
        repo.target().join(self.folder()).join("stack.json")
    }

    /// The name as given.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if (1..=24).contains(&text.len()) && text.chars().all(fits) && !text.starts_with('-') {
            Ok(Self(text.to_owned()))
        } else {
            Err("a name has 1 to 24 of a-z, 0-9 and -")
        }
    }
}

/// Brings a stack up, does `work` with it, and stops it again, however the work ends. Nothing it started is left.
pub(crate) fn with_stack<T>(
    repo: &Repo,
    options: &Options,
    work: impl AsyncFnOnce(StackFile) -> Outcome<T>,
) -> Outcome<Ended<T>> {
    with_crew(repo, &options.name, options.logs, async |crew, restarts| {
        let wrangler = start::all(repo, options, crew).await?;
        crew.show_logs();
        tokio::select! {
            result = work(wrangler.file()) => result,
            failed = wrangler.keep(restarts) => Err(failed),
            never = crew.follow_executors() => never,
        }
    })
}

/// As [`with_stack`], with nothing but a database of its own. `work` gets its address.
pub(crate) fn with_database<T>(
    repo: &Repo,
    name: &Name,
    work: impl AsyncFnOnce(String) -> Outcome<T>,
) -> Outcome<Ended<T>> {
    with_crew(repo, name, Logs::Kept, async |crew, _restarts| {
        let database = start::database(repo, crew).await?;
        work(database.url).await
    })
}

/// As [`with_stack`], with the webhook consumer and what it needs: see [`consumer`].
pub(crate) fn with_consumer<T>(
    repo: &Repo,
    name: &Name,
    queues: &Queues,
    timing: &str,
    work: impl AsyncFnOnce(StackFile) -> Outcome<T>,
) -> Outcome<Ended<T>> {
    with_crew(repo, name, Logs::Kept, async |crew, restarts| {
        let wrangler = consumer::run(repo, crew, name, queues, timing).await?;
        tokio::select! {
            result = work(wrangler.file()) => result,
            failed = wrangler.keep(restarts) => Err(failed),
        }
    })
}

/// Without any service: what `work` starts is ended with it, and Ctrl-C ends both.
pub(crate) fn supervised<T>(
    repo: &Repo,
    name: &Name,
    work: impl AsyncFnOnce() -> Outcome<T>,
) -> Outcome<Ended<T>> {
    with_crew(repo, name, Logs::Kept, async |_crew, _restarts| work().await)
}

/// Owns the folder of `name` while `body` starts processes and works with them, then ends all of them.
fn with_crew<T>(
    repo: &Repo,
    name: &Name,
    logs: Logs,
    body: impl AsyncFnOnce(&Crew<'_>, mpsc::Receiver<()>) -> Outcome<T>,
) -> Outcome<Ended<T>> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .or_fail("cannot start the async runtime", "check the limits of this machine")?;
    runtime.block_on(async {
        let mut signals = Signals::install()?;
        let place = Place::claim(repo, name)?;
        crate::process::adopt_orphans();
        stale::clean(&place).await?;
        let (crew, deaths) = Crew::new(&place, logs);
        let (ask, restarts) = mpsc::channel(1);
        let ended = watch(body(&crew, restarts), deaths, &mut signals, &ask).await;
        let stopped = crew.stop_all(&mut signals).await;
        place.release()?;
        stopped?;
        ended
    })
}

/// Until the work ends, a process dies, or somebody asks to stop.
async fn watch<T>(
    work: impl Future<Output = Outcome<T>>,
    mut deaths: Deaths,
    signals: &mut Signals,
    ask: &mpsc::Sender<()>,
) -> Outcome<Ended<T>> {
    let mut work = pin!(work);
    loop {
        tokio::select! {
            result = &mut work => return result.map(Ended::Done),
            death = deaths.next() => return Err(death),
            request = signals.next() => match request {
                Request::Stop => return Ok(Ended::Interrupted),
                // A restart that is already asked for covers this one.
                Request::RestartWrangler => drop(ask.try_send(())),
            },
        }
    }
}

impl<T> Ended<T> {
    /// The result of the work; an interruption is a failure to a command that wanted one.
    pub(crate) fn result(self) -> Outcome<T> {
        match self {
            Self::Done(result) => Ok(result),
            Self::Interrupted => {
                Err(Failure::new("interrupted; what was started is stopped", "run it again when you like"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn names_are_parts_of_paths_and_nothing_else() {
        assert_eq!("dev".parse::<Name>().unwrap().folder(), "dev");
        assert_eq!("demo".parse::<Name>().unwrap().folder(), "dev-demo");
        for bad in ["", "../x", "A", "a b", "-x", "aaaaaaaaaaaaaaaaaaaaaaaaa"] {
            assert!(bad.parse::<Name>().is_err(), "{bad}");
        }
    }
}
