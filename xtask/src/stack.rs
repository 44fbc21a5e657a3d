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
mod worker_config;
mod wrangler;

use std::future::Future;
use std::pin::pin;
use std::str::FromStr;

use crate::failure::{Failure, OrFail, Outcome};
use crate::paths::Repo;
use crew::Crew;
use place::Place;
use signals::{Request, Signals};

pub(crate) use engine::Engine;
pub(crate) use file::StackFile;
pub(crate) use output::Logs;

/// What distinguishes two stacks of one checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name(String);

/// How a stack is to be.
pub(crate) struct Options {
    pub(crate) name: Name,
    /// `None`: Docker where an engine with buildx answers, else processes.
    pub(crate) engine: Option<Engine>,
    pub(crate) logs: Logs,
    pub(crate) data: Data,
    /// `TIMING_OVERRIDES` of the api-worker, a JSON object.
    pub(crate) timing: String,
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
pub(crate) fn with_stack<T, F, W>(repo: &Repo, options: &Options, work: W) -> Outcome<Ended<T>>
where
    W: FnOnce(StackFile) -> F,
    F: Future<Output = Outcome<T>>,
{
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .or_fail("cannot start the async runtime", "check the limits of this machine")?;
    runtime.block_on(async {
        let mut signals = Signals::install()?;
        let place = Place::claim(repo, &options.name)?;
        crate::process::adopt_orphans();
        stale::clean(&place).await?;
        let (crew, deaths) = Crew::new(&place, options.logs);
        let lived = live(repo, options, &crew, deaths, &mut signals, work).await;
        let stopped = crew.stop_all(&mut signals).await;
        place.release()?;
        stopped?;
        lived
    })
}

/// From the first process to the end of the work, a death, or a signal.
async fn live<T, F, W>(
    repo: &Repo,
    options: &Options,
    crew: &Crew<'_>,
    mut deaths: crew::Deaths,
    signals: &mut Signals,
    work: W,
) -> Outcome<Ended<T>>
where
    W: FnOnce(StackFile) -> F,
    F: Future<Output = Outcome<T>>,
{
    let (restarts, requested) = tokio::sync::mpsc::channel(1);
    let whole = async {
        let wrangler = start::all(repo, options, crew).await?;
        let file = wrangler.file();
        crew.show_logs();
        tokio::select! {
            result = work(file) => result,
            failed = wrangler.keep(requested) => Err(failed),
        }
    };
    let mut whole = pin!(whole);
    loop {
        tokio::select! {
            result = &mut whole => return result.map(Ended::Done),
            request = signals.next() => match request {
                Request::Stop => return Ok(Ended::Interrupted),
                // A restart that is already asked for covers this one.
                Request::RestartWrangler => drop(restarts.try_send(())),
            },
            death = deaths.next() => return Err(death),
        }
    }
}

/// What a command reports when it was interrupted.
pub(crate) fn interrupted() -> Failure {
    Failure::new("interrupted; the stack is stopped", "run it again when you like")
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
