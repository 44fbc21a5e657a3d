//! One simulated run, as numbers: the same case always takes the same way.

use std::fmt;
use std::time::Duration;

use domain::generation::OnUnknown;

/// What a provider offers to find out about a submit of unknown outcome (B3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Profile {
    None,
    Callback,
    Listing,
    Lookup,
    Key,
}

impl Profile {
    pub const ALL: [Self; 5] = [Self::None, Self::Callback, Self::Listing, Self::Lookup, Self::Key];
}

/// What the provider does beside being asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Script {
    /// Every call succeeds.
    Plain,
    /// The first submit is refused with a 429.
    RejectsFirst,
    /// The first accepted call fails, unpaid.
    FailsFirst,
    /// All of them do.
    FailsAlways,
}

impl Script {
    pub const ALL: [Self; 4] = [Self::Plain, Self::RejectsFirst, Self::FailsFirst, Self::FailsAlways];
}

/// What happens to one request at its await.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The process dies and nothing is sent.
    CrashBefore,
    /// It arrives, and the process dies before the answer.
    CrashAfter,
    RequestLost,
    /// It arrives, and its answer is lost.
    AnswerLost,
    /// It arrives, and the answer comes after the caller's patience.
    Stall,
    /// It arrives long after the caller has given it up.
    Late,
    /// It arrives twice, where the caller itself may repeat it.
    Twice,
    /// The process sleeps, is replaced, and then goes on to send it.
    FreezeBefore(Sleep),
    /// The same, with the answer waiting for it.
    FreezeAfter(Sleep),
    /// The process's clock jumps two hours ahead …
    ClockAhead,
    /// … or behind.
    ClockBehind,
}

/// How long a replaced process sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sleep {
    /// It meets its replacement at work.
    Short,
    /// The replacement has done all that it can.
    Long,
}

impl Sleep {
    pub const fn time(self) -> Duration {
        match self {
            Self::Short => Duration::from_secs(7),
            Self::Long => Duration::from_mins(25),
        }
    }
}

impl Kind {
    pub const ALL: [Self; 13] = [
        Self::CrashBefore,
        Self::CrashAfter,
        Self::RequestLost,
        Self::AnswerLost,
        Self::Stall,
        Self::Late,
        Self::Twice,
        Self::FreezeBefore(Sleep::Short),
        Self::FreezeBefore(Sleep::Long),
        Self::FreezeAfter(Sleep::Short),
        Self::FreezeAfter(Sleep::Long),
        Self::ClockAhead,
        Self::ClockBehind,
    ];

    /// Whether something of a replaced or timed-out caller may still happen afterwards.
    pub const fn leaves_a_zombie(self) -> bool {
        matches!(self, Self::Late | Self::FreezeBefore(_) | Self::FreezeAfter(_))
    }
}

/// One broken await: the number of its request, counted over the run, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub point: u32,
    pub kind: Kind,
}

/// The API's cancel, when a request of this number is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancel {
    pub point: u32,
    /// The process hears of it at once, if it can be reached.
    pub told: bool,
}

/// A rule that a fake breaks, to see the auditor find it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// Writes under a stale lease are taken (B8).
    Lease,
    /// `max_paid_calls` bounds nothing (B5).
    Bound,
    /// The bucket says that nothing is there (A20).
    Look,
    /// A put replaces what stands (B6).
    Create,
    /// An unknown attempt is written down as failed (B3).
    Unknown,
    /// A cancellation does not end the job (A24).
    Cancel,
    /// A later end replaces the first (A25).
    FirstEnd,
    /// An acceptance is answered and not written (B1).
    Acceptance,
    /// An attempt is opened without its reservation (B13).
    Reservation,
    /// The same opening twice makes two rows (I11).
    Repeat,
    /// The provider's look-up says "never arrived" of what it has (B3).
    Absence,
}

impl Broken {
    pub const ALL: [Self; 11] = [
        Self::Lease,
        Self::Bound,
        Self::Look,
        Self::Create,
        Self::Unknown,
        Self::Cancel,
        Self::FirstEnd,
        Self::Acceptance,
        Self::Reservation,
        Self::Repeat,
        Self::Absence,
    ];
}

/// A whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub profile: Profile,
    pub on_unknown: OnUnknown,
    pub script: Script,
    pub cancel: Option<Cancel>,
    /// Ascending by point; one a point.
    pub faults: Vec<Fault>,
    /// Of latencies and jitter.
    pub seed: u64,
    pub broken: Option<Broken>,
}

impl Case {
    /// Without any fault.
    pub fn plain(profile: Profile, on_unknown: OnUnknown, script: Script) -> Self {
        Self { profile, on_unknown, script, cancel: None, faults: Vec::new(), seed: 1, broken: None }
    }

    pub fn fault_at(&self, point: u32) -> Option<Kind> {
        self.faults.iter().find(|fault| fault.point == point).map(|fault| fault.kind)
    }

    /// Faults after which something of an earlier caller may still happen.
    pub fn zombies(&self) -> usize {
        self.faults.iter().filter(|fault| fault.kind.leaves_a_zombie()).count()
    }

    /// Calls that may be accepted beside those that the provider itself failed: contract.md's table, with `n` faults
    /// for its one or two.
    pub fn promise(&self) -> usize {
        let faults =
            self.faults.iter().filter(|fault| !matches!(fault.kind, Kind::ClockAhead | Kind::ClockBehind));
        let (faults, zombies) = (faults.count(), self.zombies());
        match (self.profile, self.on_unknown) {
            (Profile::Lookup, OnUnknown::Hold) => 1 + zombies,
            (_, OnUnknown::Hold) => 1,
            // Two faults: the first leaves it unknown, the second silences what would have told.
            (Profile::Lookup | Profile::Key | Profile::Callback, OnUnknown::Retry) => {
                1 + zombies.max(faults.saturating_sub(1))
            }
            (Profile::None | Profile::Listing, OnUnknown::Retry) => 1 + faults,
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, {:?} when unknown, {:?}", self.profile, self.on_unknown, self.script)?;
        if let Some(Cancel { point, told }) = self.cancel {
            write!(f, ", cancelled at {point} ({})", if told { "told" } else { "not told" })?;
        }
        for Fault { point, kind } in &self.faults {
            write!(f, ", {kind:?} at {point}")?;
        }
        write!(f, ", seed {}", self.seed)
    }
}
