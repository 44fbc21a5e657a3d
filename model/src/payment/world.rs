//! What the world of one job consists of.

use domain::attempt::{ErrorClass, State};

/// The state that is searched: everything outside a process outlives it, everything inside is lost with it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct World {
    pub job: Job,
    /// The journal, as committed; a row's place is its attempt's identity.
    pub rows: Vec<Row>,
    /// Which process holds the lease: only equality counts, so no epoch is kept.
    pub holder: Option<usize>,
    /// The bucket: whose result is under the output key.
    pub stored: Option<usize>,
    pub calls: Vec<Call>,
    pub processes: [Option<Process>; 2],
    pub left: Faults,
    /// A call began after a result was stored (I5).
    pub called_after_store: bool,
    /// The result under the key was replaced (I9).
    pub overwritten: bool,
}

/// The job's row, as far as it bears on paying.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Job {
    Open,
    /// Waits for a fact from outside (B3).
    Waiting,
    Ended(End),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    Succeeded,
    Failed,
    Cancelled,
}

/// An attempt in the journal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    pub chain_index: u32,
    pub state: State,
    pub class: Option<ErrorClass>,
    /// The call that the row names by its provider's request id.
    pub request: Option<usize>,
    pub price: Price,
}

/// What the record says that an attempt cost (A43).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Price {
    /// Nothing is known: the reservation stands for it.
    Unpriced,
    Free,
    Charged,
}

/// A call that the provider accepted: one payment in its ledger.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    pub row: usize,
    pub state: Working,
    /// The provider has told AFC's callback endpoint of it.
    pub reported: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Working {
    Running,
    Done,
    Failed,
}

/// How many faults of each kind may still strike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Faults {
    /// A process is gone at any point.
    pub crashes: u8,
    /// A submit whose answer does not come: it arrived, or it did not.
    pub lost_answers: u8,
    /// A second process begins beside one that lives on.
    pub zombies: u8,
    /// The provider rejects a submit.
    pub rejections: u8,
    /// A call that was accepted ends without a result.
    pub failures: u8,
    /// The job is cancelled, and its processes are told or not.
    pub cancels: u8,
}

/// An execution in a container. Its journal is what it read with the lease and wrote since.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Process {
    pub at: At,
    pub journal: Vec<Row>,
    pub cancelled: bool,
}

/// The next effect of a process on the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Look into the bucket (A20).
    Look,
    /// Take the lease and read the journal (B8); `found` is what the look found.
    Lease {
        found: Option<usize>,
    },
    /// Prove absence once more, before another attempt of this chain entry.
    LookAgain {
        chain_index: u32,
    },
    /// Commit an attempt (B1).
    Open {
        chain_index: u32,
    },
    /// The one POST.
    Send {
        row: usize,
    },
    /// Write down what is known of a submit.
    Note {
        row: usize,
        learned: Learned,
    },
    /// Ask the provider whether it has the attempt (B3).
    Recover {
        row: usize,
    },
    /// Poll, then fetch.
    Wait {
        row: usize,
    },
    /// Create the object (B6).
    Store {
        row: usize,
    },
    /// Mark the attempt whose result is stored.
    Mark {
        row: usize,
    },
    /// Another attempt's result was there first: give this one up, then report what is stored.
    Yield {
        row: usize,
    },
    Report(Report),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Learned {
    Accepted { call: usize },
    Rejected,
    NeverArrived,
    Unknown,
    RiskAccepted,
    Failed,
    Cancelled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Report {
    Succeeded,
    Failed,
    Held,
    Cancelled,
    /// Nothing is decided: another process goes on from the journal.
    Interrupted,
}

impl World {
    pub fn beginning(faults: Faults) -> Self {
        Self {
            job: Job::Open,
            rows: Vec::new(),
            holder: None,
            stored: None,
            calls: Vec::new(),
            processes: [None, None],
            left: faults,
            called_after_store: false,
            overwritten: false,
        }
    }

    pub fn is_open(&self) -> bool {
        !matches!(self.job, Job::Ended(_))
    }

    pub fn calls_of(&self, row: usize) -> impl Iterator<Item = (usize, &Call)> {
        self.calls.iter().enumerate().filter(move |(_, call)| call.row == row)
    }
}

impl Row {
    pub fn is_ended(&self) -> bool {
        State::ENDED.contains(&self.state)
    }
}
