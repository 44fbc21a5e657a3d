//! What has passed, one record a client connection, for tests that count round trips.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use serde::Serialize;

use super::cycle::Cycle;
use crate::lock::lock;

/// Records kept; older ones are forgotten. A benchmark makes some thousand connections a second.
const KEPT: usize = 10_000;

/// A client connection, as far as the pooler saw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Connection {
    /// Counts up from 1.
    pub id: u64,
    /// The user it came as.
    pub user: String,
    /// The database it wanted.
    pub database: String,
    /// Round trips after the start-up: how many times the client asked and had to wait for an answer. What it sends
    /// before everything was answered, a pipelined transaction for instance, is one.
    pub flights: u32,
    /// Named statements it prepared.
    pub named_statements: u32,
    /// How each statement begins that it sent, in order: enough to tell them apart.
    pub statements: Vec<String>,
    /// Is it still open?
    pub open: bool,
}

/// A record that its session keeps up to date.
#[derive(Debug)]
pub(super) struct Record {
    id: u64,
    user: String,
    database: String,
    flights: AtomicU32,
    named: AtomicU32,
    statements: Mutex<Vec<String>>,
    open: AtomicBool,
}

impl Record {
    /// Writes down where the session is.
    pub(super) fn note(&self, cycle: &mut Cycle) {
        self.flights.store(cycle.flights(), Ordering::Release);
        self.named.store(cycle.named_statements(), Ordering::Release);
        lock(&self.statements).extend(cycle.take_asked());
    }

    /// The connection is gone.
    pub(super) fn close(&self) {
        self.open.store(false, Ordering::Release);
    }

    fn snapshot(&self) -> Connection {
        Connection {
            id: self.id,
            user: self.user.clone(),
            database: self.database.clone(),
            flights: self.flights.load(Ordering::Acquire),
            named_statements: self.named.load(Ordering::Acquire),
            statements: lock(&self.statements).clone(),
            open: self.open.load(Ordering::Acquire),
        }
    }
}

/// The records, oldest first.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    last: u64,
    records: VecDeque<Arc<Record>>,
}

impl Traffic {
    pub(super) fn open(&self, user: &str, database: &str) -> Arc<Record> {
        let mut inner = lock(&self.inner);
        inner.last += 1;
        let record = Arc::new(Record {
            id: inner.last,
            user: user.to_owned(),
            database: database.to_owned(),
            flights: AtomicU32::new(0),
            named: AtomicU32::new(0),
            statements: Mutex::default(),
            open: AtomicBool::new(true),
        });
        if inner.records.len() == KEPT {
            inner.records.pop_front();
        }
        inner.records.push_back(Arc::clone(&record));
        record
    }

    pub(super) fn snapshot(&self) -> Vec<Connection> {
        lock(&self.inner).records.iter().map(|record| record.snapshot()).collect()
    }

    pub(super) fn forget(&self) {
        lock(&self.inner).records.clear();
    }
}
