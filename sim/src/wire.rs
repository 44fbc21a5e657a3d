//! Between a process and the fakes: every request is numbered here, and broken here.

use std::sync::Arc;
use std::time::Duration;

use executor::net::{Carrier, SendError};
use futures::future::BoxFuture;
use http::Method;
use tokio::time::{Instant, sleep, sleep_until};

use crate::case::{Kind, Profile};
use crate::message::Call;
use crate::process::Life;
use crate::world::{Reached, Shared, To};

/// Nobody that shares a thread with others may wake in the same millisecond, or their order would hang on the disk.
const SLOTS: u64 = 16;
/// How long after its caller gave up a late request arrives.
const LATE: Duration = Duration::from_secs(100);
/// A connection that breaks is noticed.
const NOTICED: Duration = Duration::from_millis(40);

/// One process's way to one kind of server.
#[derive(Clone)]
pub struct Wire {
    pub shared: Shared,
    pub life: Arc<Life>,
    pub to: To,
    /// The client's own limit on a whole request.
    pub limit: Duration,
}

impl Carrier for Wire {
    fn carry(&self, request: reqwest::Request) -> BoxFuture<'static, Result<reqwest::Response, SendError>> {
        let wire = self.clone();
        Box::pin(async move { wire.cross(request).await })
    }
}

impl Wire {
    async fn cross(self, request: reqwest::Request) -> Result<reqwest::Response, SendError> {
        let limit = request.timeout().copied().unwrap_or(self.limit).min(self.limit);
        let call = Call::read(request).await?;
        self.life.travel().await;
        let what = format!("{} {}", call.method, call.url.path());
        let fault = self.shared.depart(self.life.number, self.to, &what);
        self.look_at_beginning(&call);
        match fault {
            Some(Kind::CrashBefore) => self.life.die().await,
            Some(Kind::RequestLost) => {
                sleep(NOTICED).await;
                return Err(SendError::Lost("the connection was reset"));
            }
            Some(Kind::Late) => {
                let late = self.clone();
                tokio::spawn(async move { late.arrive_late(call, limit).await });
                sleep(limit).await;
                return Err(SendError::Lost("timed out"));
            }
            Some(Kind::FreezeBefore(time)) => self.life.freeze(time.time()).await,
            Some(Kind::ClockAhead) => self.life.jump(true),
            Some(Kind::ClockBehind) => self.life.jump(false),
            Some(_) | None => {}
        }
        self.life.breathe().await;
        let mut reply = self.arrive(&call);
        if fault == Some(Kind::Twice) && self.may_repeat(&call) {
            reply = self.arrive(&call);
        }
        match fault {
            Some(Kind::CrashAfter) => self.life.die().await,
            Some(Kind::AnswerLost) => {
                sleep(NOTICED).await;
                return Err(SendError::Lost("the connection was reset"));
            }
            Some(Kind::Stall) => {
                sleep(limit).await;
                return Err(SendError::Lost("timed out"));
            }
            Some(Kind::FreezeAfter(time)) => self.life.freeze(time.time()).await,
            Some(_) | None => {}
        }
        self.life.travel().await;
        self.life.breathe().await;
        reply.into_response()
    }

    fn arrive(&self, call: &Call) -> crate::message::Reply {
        let accepted = self.shared.lock().shop.ledger.len();
        let reply = self.shared.land(self.to, call);
        let shared = self.shared.clone();
        let (status, who) = (reply.status, self.life.number);
        shared.note(|| format!("    p{who} {:?} answers {status} {}", self.to, brief(&reply.body)));
        if self.shared.lock().shop.ledger.len() > accepted {
            crate::control::expect_callback(&self.shared, accepted);
        }
        self.note_recovery(call, &reply);
        reply
    }

    async fn arrive_late(&self, call: Call, limit: Duration) {
        sleep_until(Instant::now() + limit + LATE).await;
        self.life.travel().await;
        self.arrive(&call);
    }

    /// A lost submit is found by asking, or by sending it again under its key.
    fn note_recovery(&self, call: &Call, reply: &crate::message::Reply) {
        let mut world = self.shared.lock();
        let asked = call.url.path().starts_with("/by-reference/") || call.query("after").is_some();
        let found = asked && reply.status == 200 && !world.shop.ledger.is_empty();
        if found {
            world.reached.insert(Reached::Recovered);
        }
    }

    /// I5: who begins a paid call has looked, and found nothing. One that slept over the look is what no look can see.
    fn look_at_beginning(&self, call: &Call) {
        let mut world = self.shared.lock();
        let paid = self.to == To::Provider && call.method == Method::POST;
        if paid && world.bucket.has_result() && world.case.zombies() == 0 {
            world.broken_promises.push("I5: a paid call begins although a result is stored".to_owned());
        }
    }

    /// A submit is sent once, and nothing between may repeat it; under an idempotency key it may.
    fn may_repeat(&self, call: &Call) -> bool {
        let submit = self.to == To::Provider && call.method == Method::POST;
        !submit || self.shared.lock().case.profile == Profile::Key
    }
}

fn brief(body: &[u8]) -> String {
    String::from_utf8_lossy(body).chars().take(160).filter(|c| !c.is_control()).collect()
}

/// The next moment that is this one's own.
pub fn own_moment(now: u64, slot: u64, at_least: u64) -> Duration {
    let from = now + at_least;
    let to = from + (SLOTS + slot % SLOTS - from % SLOTS) % SLOTS;
    Duration::from_millis(to - now)
}
