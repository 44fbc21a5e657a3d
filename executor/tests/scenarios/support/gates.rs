//! Points in the servers of a test at which a request can be held, and the order in which requests passed them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

/// Gates by name. An open one lets through and notes it; a closed one notes that somebody stands before it.
#[derive(Clone)]
pub(crate) struct Gates(Arc<watch::Sender<Points>>);

#[derive(Clone, Default)]
struct Points {
    closed: BTreeSet<String>,
    waiting: BTreeSet<String>,
    passed: Vec<String>,
}

impl Default for Gates {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(Points::default())))
    }
}

impl Gates {
    pub(crate) fn close(&self, name: &str) {
        self.0.send_modify(|points| {
            points.closed.insert(name.to_owned());
        });
    }

    pub(crate) fn open(&self, name: &str) {
        self.0.send_modify(|points| {
            points.closed.remove(name);
            points.waiting.remove(name);
        });
    }

    /// Goes through, when it is open.
    pub(crate) async fn pass(&self, name: &str) {
        let mut points = self.0.subscribe();
        if points.borrow().closed.contains(name) {
            self.0.send_modify(|points| {
                points.waiting.insert(name.to_owned());
            });
            points.wait_for(|points| !points.closed.contains(name)).await.unwrap();
        }
        self.0.send_modify(|points| points.passed.push(name.to_owned()));
    }

    /// Somebody stands before the closed gate.
    pub(crate) async fn reached(&self, name: &str) {
        let mut points = self.0.subscribe();
        let reached = points.wait_for(|points| points.waiting.contains(name));
        let reached = tokio::time::timeout(Duration::from_secs(20), reached).await;
        assert!(reached.is_ok(), "nobody came to {name}: {:?}", self.passed());
    }

    /// Names that were passed, in order.
    pub(crate) fn passed(&self) -> Vec<String> {
        self.0.borrow().passed.clone()
    }

    pub(crate) fn count(&self, name: &str) -> usize {
        self.0.borrow().passed.iter().filter(|passed| *passed == name).count()
    }
}
