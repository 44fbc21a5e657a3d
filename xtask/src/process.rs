//! Processes of this machine: which there are, whose children they are, and how to end them.
//!
//! A process is known by its id *and* its start time, so that a reused id is never taken for the old process.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use nix::errno::Errno;
use nix::sys::signal::{self, Signal};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use crate::failure::{OrFail, Outcome};

/// A process that cannot be confused with another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Identity {
    pub(crate) pid: i32,
    /// When it started, in the system's own words; equal only for the same process.
    started: String,
}

/// One line of the process table.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) identity: Identity,
    parent: i32,
    group: i32,
    /// Ended, and not yet collected by its parent.
    pub(crate) is_zombie: bool,
}

/// All processes at one moment.
pub(crate) struct Table(Vec<Entry>);

impl Table {
    /// Reads the process table.
    pub(crate) fn read() -> Outcome<Self> {
        if Path::new("/proc/self/stat").exists() { read_proc() } else { read_ps() }
    }

    /// The process that now has this id.
    pub(crate) fn find(&self, pid: i32) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.identity.pid == pid)
    }

    /// Whether exactly this process still runs.
    pub(crate) fn has(&self, identity: &Identity) -> bool {
        self.find(identity.pid).is_some_and(|entry| entry.identity == *identity && !entry.is_zombie)
    }

    /// The members of the process group that `leader` was started to lead. None when another process has its id now;
    /// a group outlives its leader, and no new process gets the id of a group that exists.
    pub(crate) fn group_of(&self, leader: &Identity) -> Vec<&Entry> {
        if self.find(leader.pid).is_some_and(|entry| entry.identity != *leader) {
            return Vec::new();
        }
        self.0.iter().filter(|entry| entry.group == leader.pid && !entry.is_zombie).collect()
    }

    /// The children of `root`, their children, and so on.
    pub(crate) fn descendants(&self, root: i32) -> Vec<&Entry> {
        let mut family = BTreeSet::from([root]);
        loop {
            let before = family.len();
            family.extend(
                self.0
                    .iter()
                    .filter(|entry| family.contains(&entry.parent))
                    .map(|entry| entry.identity.pid)
                    .collect::<Vec<_>>(),
            );
            if family.len() == before {
                break;
            }
        }
        family.remove(&root);
        self.0.iter().filter(|entry| family.contains(&entry.identity.pid)).collect()
    }
}

/// Sends `signal` to one process; one that has ended is no failure.
pub(crate) fn send(pid: i32, signal: Signal) -> Outcome {
    ignore_gone(signal::kill(Pid::from_raw(pid), signal), pid)
}

/// Sends `signal` to every process of a group; an empty group is no failure.
pub(crate) fn send_to_group(leader: i32, signal: Signal) -> Outcome {
    ignore_gone(signal::killpg(Pid::from_raw(leader), signal), leader)
}

fn ignore_gone(sent: nix::Result<()>, pid: i32) -> Outcome {
    match sent {
        Ok(()) | Err(Errno::ESRCH) => Ok(()),
        Err(cause) => Err(cause).or_fail(format!("cannot signal process {pid}"), "end it by hand"),
    }
}

/// Makes processes that lose their parent our children instead of init's, so that none escapes. Linux only.
pub(crate) fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    if let Err(cause) = nix::sys::prctl::set_child_subreaper(true) {
        eprintln!("note: orphaned processes cannot be adopted ({cause})");
    }
}

/// Collects a child that we adopted and that has ended.
pub(crate) fn collect(pid: i32) {
    // It may be collected already, or never have been ours: both are fine.
    let _ = nix::sys::wait::waitpid(Pid::from_raw(pid), Some(nix::sys::wait::WaitPidFlag::WNOHANG));
}

fn read_proc() -> Outcome<Table> {
    let advice = "check that /proc is mounted";
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let folders = fs::read_dir("/proc").or_fail("cannot list /proc", advice)?;
    let entries = folders.flatten().filter_map(|folder| {
        let pid: i32 = folder.file_name().to_str()?.parse().ok()?;
        // A process that ends between the two reads is simply not there.
        parse_stat(pid, &fs::read_to_string(folder.path().join("stat")).ok()?, boot.trim())
    });
    Ok(Table(entries.collect()))
}

/// `pid (name) state ppid pgrp …`, the start time being field 22. The name may hold spaces and parentheses.
fn parse_stat(pid: i32, stat: &str, boot: &str) -> Option<Entry> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    Some(Entry {
        identity: Identity { pid, started: format!("{} of boot {boot}", fields.get(19)?) },
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        is_zombie: matches!(*fields.first()?, "Z" | "X"),
    })
}

/// Where there is no /proc.
fn read_ps() -> Outcome<Table> {
    let mut ps = Command::new("ps");
    ps.args(["-A", "-o", "pid=,ppid=,pgid=,stat=,lstart="]).env("LC_ALL", "C");
    let lines = crate::command::output(&mut ps, "install `ps`")?;
    Ok(Table(lines.lines().filter_map(parse_ps).collect()))
}

fn parse_ps(line: &str) -> Option<Entry> {
    let mut words = line.split_whitespace();
    let pid = words.next()?.parse().ok()?;
    let parent = words.next()?.parse().ok()?;
    let group = words.next()?.parse().ok()?;
    let is_zombie = words.next()?.starts_with('Z');
    let started = words.collect::<Vec<_>>().join(" ");
    Some(Entry { identity: Identity { pid, started }, parent, group, is_zombie })
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command, Stdio};

    use nix::sys::signal::Signal;

    use super::{Identity, Table, parse_stat, read_ps, send_to_group};

    /// A shell that leads its group, has one child, and says so when both run.
    fn family() -> (Child, Identity) {
        let mut shell = Command::new("sh");
        shell.args(["-c", "sleep 60 & echo; wait"]).process_group(0).stdout(Stdio::piped());
        let mut child = shell.spawn().unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut line)
            .unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let identity = Table::read().unwrap().find(pid).unwrap().identity.clone();
        (child, identity)
    }

    fn end(mut child: Child, identity: &Identity) {
        send_to_group(identity.pid, Signal::SIGKILL).unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_group_outlives_its_leader_and_is_still_found() {
        let (mut child, leader) = family();
        assert_eq!(Table::read().unwrap().group_of(&leader).len(), 2);
        child.kill().unwrap();
        child.wait().unwrap();
        let table = Table::read().unwrap();
        assert!(!table.has(&leader));
        assert_eq!(table.group_of(&leader).len(), 1, "the leader's child is left");
        end(child, &leader);
        // The leader's child is init's by now and ends when the kernel gets to it.
        let gone = (0..2000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            Table::read().unwrap().group_of(&leader).is_empty()
        });
        assert!(gone, "the leader's child still runs");
    }

    #[test]
    fn another_process_with_the_same_id_is_not_taken_for_the_old_one() {
        let (child, leader) = family();
        let old = Identity { started: "long ago".to_owned(), ..leader.clone() };
        let table = Table::read().unwrap();
        assert!(table.has(&leader) && !table.has(&old));
        assert!(table.group_of(&old).is_empty());
        end(child, &leader);
    }

    #[test]
    fn descendants_are_found_over_generations() {
        let (child, leader) = family();
        let us = i32::try_from(std::process::id()).unwrap();
        let table = Table::read().unwrap();
        let pids: Vec<i32> = table.descendants(us).iter().map(|entry| entry.identity.pid).collect();
        let sleeper = table.group_of(&leader).into_iter().find(|entry| entry.identity != leader).unwrap();
        assert!(pids.contains(&leader.pid) && pids.contains(&sleeper.identity.pid), "{pids:?}");
        end(child, &leader);
    }

    #[test]
    fn names_with_spaces_and_parentheses_do_not_confuse() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 0";
        let entry = parse_stat(7, stat, "x").unwrap();
        assert_eq!((entry.parent, entry.group, entry.identity.started.as_str()), (1, 7, "4242 of boot x"));
    }

    #[test]
    fn ps_tells_the_same_family_as_proc() {
        let (child, leader) = family();
        let table = read_ps().unwrap();
        let listed = table.find(leader.pid).unwrap().identity.clone();
        assert_eq!(table.group_of(&listed).len(), 2);
        end(child, &leader);
    }
}
