//! Where a fault strikes, which fault, and how it is done exactly there.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::proxy::{Mode, Proxy};
use tokio::time::sleep;

use crate::stand::{SCALE, Stand, eventually};

/// A stall of a minute and some, scaled.
const STALL: Duration = Duration::from_millis(66_000 / SCALE);
/// Longer than the executor waits for the journal before it has paid, scaled.
const OUTAGE: Duration = Duration::from_millis(78_000 / SCALE);

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Point {
    /// The request to open the attempt is on its way.
    BeforeOpen,
    /// The row is committed; nobody was told.
    AfterOpen,
    /// The submit is on the line and not at the provider.
    BeforeSend,
    /// The provider accepted; its answer is not on the line yet.
    ResponseLost,
    /// The executor knows the provider's id; the journal does not.
    BeforeRecord,
    /// The provider works.
    Waiting,
    /// The provider is done, and what it said of the price is in the journal.
    BeforeFetch,
    MidFetch,
    /// The bucket has the bytes and has not written them.
    MidUpload,
    /// The object is written; the journal and the control plane do not know.
    BeforeReport,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// SIGKILL for the executor; another process is started.
    Kill,
    /// The connection that matters at this point is reset.
    Lost,
    /// The line that matters passes nothing for a minute, and then everything that was held back.
    Stall,
    /// Neither the executor nor the provider reaches the control plane.
    Down,
}

impl Fault {
    pub(super) const ALL: [Self; 4] = [Self::Kill, Self::Lost, Self::Stall, Self::Down];
}

impl Point {
    pub(super) const ALL: [Self; 10] = [
        Self::BeforeOpen,
        Self::AfterOpen,
        Self::BeforeSend,
        Self::ResponseLost,
        Self::BeforeRecord,
        Self::Waiting,
        Self::BeforeFetch,
        Self::MidFetch,
        Self::MidUpload,
        Self::BeforeReport,
    ];

    /// What the provider has to do so that the point lasts long enough to be met.
    pub(super) fn behaviour(self) -> Value {
        match self {
            Self::ResponseLost => json!({"submit_delay_ms": 2000}),
            Self::Waiting => json!({"run_ms": 2500}),
            Self::MidFetch => json!({"output_bytes": 60_000, "slow_body_bytes_per_s": 30_000}),
            Self::BeforeOpen
            | Self::AfterOpen
            | Self::BeforeSend
            | Self::BeforeRecord
            | Self::BeforeFetch
            | Self::MidUpload
            | Self::BeforeReport => json!({}),
        }
    }

    /// Where a request of the executor's is held.
    const fn gate(self) -> Option<&'static str> {
        match self {
            Self::BeforeOpen => Some("journal.open:before"),
            Self::AfterOpen => Some("journal.open"),
            Self::BeforeRecord => Some("journal.accepted:before"),
            Self::BeforeFetch => Some("journal.settled"),
            Self::MidUpload => Some("bucket.put:before"),
            Self::BeforeReport => Some("journal.succeeded:before"),
            Self::BeforeSend | Self::ResponseLost | Self::Waiting | Self::MidFetch => None,
        }
    }

    /// The line whose connection or silence matters.
    fn line(self, stand: &Stand) -> &Proxy {
        match self {
            Self::BeforeOpen | Self::AfterOpen | Self::BeforeRecord | Self::BeforeReport => &stand.control,
            Self::BeforeSend | Self::ResponseLost | Self::Waiting | Self::BeforeFetch | Self::MidFetch => {
                &stand.outside
            }
            Self::MidUpload => &stand.storage,
        }
    }

    /// Before the job begins.
    pub(super) async fn prepare(self, stand: &Stand) {
        if let Some(gate) = self.gate() {
            stand.gates.close(gate);
        }
        if self == Self::BeforeSend {
            stand.outside.set(Mode::Stall).await;
        }
    }

    /// Waits until the job is there.
    pub(super) async fn reached(self, stand: &Stand) {
        match self {
            Self::BeforeSend => {
                eventually("the submit on the line", || stand.outside.state().accepted >= 1).await;
            }
            Self::ResponseLost => eventually("the acceptance", || stand.accepted() == 1).await,
            Self::Waiting => stand.call_has("polls").await,
            Self::MidFetch => stand.call_has("fetches").await,
            Self::BeforeOpen
            | Self::AfterOpen
            | Self::BeforeRecord
            | Self::BeforeFetch
            | Self::MidUpload
            | Self::BeforeReport => stand.gates.reached(self.gate().unwrap_or_default()).await,
        }
    }

    /// Strikes, and lets everything go on afterwards.
    pub(super) async fn strike(self, fault: Fault, stand: &Stand) {
        match fault {
            Fault::Kill => {
                stand.kill().await;
                self.lose_held(stand).await;
            }
            Fault::Lost => self.lose_connection(stand).await,
            Fault::Stall => {
                self.line(stand).set(Mode::Stall).await;
                self.open(stand);
                sleep(STALL).await;
                self.line(stand).set(Mode::Pass).await;
                if self == Self::BeforeSend {
                    // What was held back arrives, though nobody waits for its answer any more.
                    eventually("the submit", || stand.accepted() >= 1).await;
                }
            }
            Fault::Down => {
                stand.control.set(Mode::Refuse).await;
                match self {
                    // Nothing is wrong with the bucket, or the provider's line.
                    Self::MidUpload => self.open(stand),
                    Self::BeforeSend => stand.outside.set(Mode::Pass).await,
                    Self::ResponseLost => stand.outside.drop_connections().await,
                    Self::BeforeOpen
                    | Self::AfterOpen
                    | Self::BeforeRecord
                    | Self::Waiting
                    | Self::BeforeFetch
                    | Self::MidFetch
                    | Self::BeforeReport => self.lose_held(stand).await,
                }
                sleep(OUTAGE).await;
                stand.control.set(Mode::Pass).await;
            }
        }
    }

    fn open(self, stand: &Stand) {
        if let Some(gate) = self.gate() {
            stand.gates.open(gate);
        }
    }

    /// What was held on its way is not carried out, or not answered.
    async fn lose_held(self, stand: &Stand) {
        if let Some(gate) = self.gate() {
            stand.gates.lose(gate);
        }
        if self == Self::BeforeSend {
            stand.outside.drop_connections().await;
            stand.outside.set(Mode::Pass).await;
        }
    }

    async fn lose_connection(self, stand: &Stand) {
        let line = self.line(stand);
        match self {
            // The next connection is cut before its first byte, whichever it is: a poll, a fetch.
            Self::Waiting | Self::BeforeFetch => {
                line.set(Mode::CutAfterBytes(0)).await;
                let before = line.state().accepted;
                line.drop_connections().await;
                self.open(stand);
                eventually("a connection to be cut", || line.state().accepted > before).await;
                line.set(Mode::Pass).await;
            }
            Self::BeforeOpen
            | Self::AfterOpen
            | Self::BeforeSend
            | Self::ResponseLost
            | Self::BeforeRecord
            | Self::MidFetch
            | Self::MidUpload
            | Self::BeforeReport => {
                line.drop_connections().await;
                self.lose_held(stand).await;
            }
        }
    }
}
