//! The executor: what runs in a job's container and does the provider work.
//!
//! One execution per job id, detached from the request that began it (A16). It looks for a stored result first
//! (A20), takes the job's lease, and goes on from the journal: an attempt is opened there before its first byte is
//! sent, sent once, and everything that is learned of it is written down before it is used (B1 to B4). Types carry
//! that order: [`storage::Absent`] comes only from a look into the bucket, [`journal::Opened`] only from the
//! journal, and a submit consumes both.

pub mod config;
pub mod logging;
pub mod machine;
pub mod net;

pub mod executions;
pub mod server;

pub mod execution;
pub mod journal;
pub mod providers;
pub mod storage;

pub mod reach;
pub mod spool;

pub mod retry;
