//! Points in the servers of a test at which a request can be held, and the order in which requests passed them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

/// Gates by name. An open one lets through and notes it; a closed one notes that somebody stands before it.
#[derive(Clone)]
pub(crate) struct Gates(Arc<watch::Sender<Points>>);

#[derive(Clone, Default)]
struct Points {
    /// With the number of the closing.
    closed: BTreeMap<String, u64>,
    closings: u64,
    waiting: BTreeSet<String>,
    /// Closings whose requests do not go on.
    lost: BTreeSet<u64>,
    passed: Vec<String>,
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Through {
    On,
    Lost,
}

impl Default for Gates {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(Points::default())))
    }
}

impl Gates {
    pub(crate) fn close(&self, name: &str) {
        self.0.send_modify(|points| {
            points.closings += 1;
            points.closed.insert(name.to_owned(), points.closings);
        });
    }

    pub(crate) fn open(&self, name: &str) {
        self.0.send_modify(|points| {
            points.closed.remove(name);
            points.waiting.remove(name);
        });
    }

    /// Opens a gate; who stands before it does not go on.
    pub(crate) fn lose(&self, name: &str) {
        self.0.send_modify(|points| {
            points.lost.extend(points.closed.remove(name));
            points.waiting.remove(name);
        });
    }

    /// Goes through, when it is open.
    pub(crate) async fn pass(&self, name: &str) -> Through {
        let mut points = self.0.subscribe();
        let closing = points.borrow().closed.get(name).copied();
        if let Some(closing) = closing {
            self.0.send_modify(|points| {
                points.waiting.insert(name.to_owned());
            });
            let open = points.wait_for(|points| points.closed.get(name) != Some(&closing)).await.unwrap();
            if open.lost.contains(&closing) {
                return Through::Lost;
            }
        }
        self.0.send_modify(|points| points.passed.push(name.to_owned()));
        Through::On
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
