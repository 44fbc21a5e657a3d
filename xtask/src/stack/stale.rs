//! Ends what an owner left behind that had no chance to stop (kill -9, power), before a new stack starts in its folder.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::engine;
use super::place::{Place, Record};
use crate::failure::{Failure, Outcome};
use crate::process::{self, Identity, Table};

/// How long the processes may take to stop by themselves; Postgres writes a checkpoint.
const GRACE: Duration = Duration::from_secs(8);
/// How long the system may take to end killed ones.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(50);

/// Recognises stale state in `place`, ends its processes, and clears it.
pub(super) async fn clean(place: &Place) -> Outcome {
    let Some(record) = place.left_behind()? else {
        return place.clear();
    };
    let owner =
        record.owner.as_ref().map_or_else(|| "an unknown one".to_owned(), |owner| owner.pid.to_string());
    eprintln!("· found the state of a stack whose owner (process {owner}) was killed");
    for member in &record.members {
        if !Table::read()?.group_of(&member.identity).is_empty() {
            eprintln!("  ending {} (process group {})", member.name, member.identity.pid);
        }
    }
    end(&record).await?;
    if let Some(api) = &record.docker_api {
        engine::remove_containers(api)?;
    }
    place.clear()
}

async fn end(record: &Record) -> Outcome {
    for (signal, limit) in [(Signal::SIGTERM, GRACE), (Signal::SIGKILL, PATIENCE)] {
        for identity in survivors(record)? {
            process::send(identity.pid, signal)?;
        }
        let since = Instant::now();
        while since.elapsed() < limit {
            if survivors(record)?.is_empty() {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
    let left: Vec<String> = survivors(record)?.iter().map(|identity| identity.pid.to_string()).collect();
    Err(Failure::new(format!("processes {} outlive a SIGKILL", left.join(", ")), "restart the machine"))
}

/// What still runs of a record: whole groups, and processes seen outside them.
fn survivors(record: &Record) -> Outcome<BTreeSet<Identity>> {
    let table = Table::read()?;
    let grouped = record.members.iter().flat_map(|member| table.group_of(&member.identity));
    let others = record.others.iter().filter(|identity| table.has(identity)).cloned();
    Ok(grouped.map(|entry| entry.identity.clone()).chain(others).collect())
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command};

    use super::clean;
    use crate::paths::Repo;
    use crate::process::{Identity, Table};
    use crate::scratch::Scratch;
    use crate::stack::place::{Member, Place, Record};

    fn start(script: &str) -> (Child, Identity) {
        let child = Command::new("sh").args(["-c", script]).process_group(0).spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let identity = Table::read().unwrap().find(pid).unwrap().identity.clone();
        (child, identity)
    }

    fn member(name: &str, identity: &Identity) -> Member {
        Member { name: name.to_owned(), identity: identity.clone() }
    }

    #[tokio::test]
    async fn what_a_killed_owner_left_is_ended_and_nothing_else() {
        let folder = Scratch::new();
        let place = Place::claim(&Repo::at(folder.path(), folder.path()), &"dev".parse().unwrap()).unwrap();
        let (mut group, leader) = start("sleep 60 & wait");
        let (mut other, app) = start("exec sleep 60");
        let (mut stranger, new_owner_of_the_id) = start("exec sleep 60");
        let reused =
            serde_json::from_value(serde_json::json!({"pid": new_owner_of_the_id.pid, "started": "before"}))
                .unwrap();
        let socket = place.socket("engine.sock").unwrap();
        let record = Record {
            owner: Some(leader.clone()),
            members: vec![member("wrangler", &leader), member("postgres", &reused)],
            others: vec![app.clone()],
            docker_api: None,
        };
        place.record(&record).unwrap();

        // A killed process is a zombie until its parent, this test, collects it: `clean` must not wait for that.
        clean(&place).await.unwrap();

        let table = Table::read().unwrap();
        assert!(table.group_of(&leader).is_empty() && !table.has(&app), "all of it has ended");
        assert!(table.has(&new_owner_of_the_id), "a process with a reused id is left alone");
        assert!(place.left_behind().unwrap().is_none() && !socket.parent().unwrap().exists());
        stranger.kill().unwrap();
        for child in [&mut group, &mut other, &mut stranger] {
            child.wait().unwrap();
        }
    }

    #[tokio::test]
    async fn a_clean_folder_needs_nothing() {
        let folder = Scratch::new();
        let place = Place::claim(&Repo::at(folder.path(), folder.path()), &"dev".parse().unwrap()).unwrap();
        clean(&place).await.unwrap();
    }
}
