//! What breaks, one thing after another.

use std::collections::BTreeMap;
use std::time::Duration;

use e2e::{Stack, signal};
use tokio::time::{Instant, sleep};

/// Kinds of trouble, with how often each struck.
pub type Troubles = BTreeMap<&'static str, u32>;

/// Makes trouble until `until`, and then leaves everything whole.
pub async fn run(stack: &Stack, seed: u64, until: Instant) -> Troubles {
    let mut draw = fastrand::Rng::with_seed(seed);
    let mut troubles = Troubles::new();
    while Instant::now() < until {
        sleep(Duration::from_millis(draw.u64(2_000..9_000))).await;
        if let Some(name) = strike(stack, &mut draw).await {
            *troubles.entry(name).or_default() += 1;
        }
    }
    stack.control_path("pass").await;
    stack.back().await;
    troubles
}

/// One trouble, with its end. `None` if there was nobody to strike.
async fn strike(stack: &Stack, draw: &mut fastrand::Rng) -> Option<&'static str> {
    let lasts = Duration::from_millis(draw.u64(500..5_000));
    match draw.u32(..100) {
        0..35 => {
            // One that is gone by now was no trouble.
            signal(executor(stack, draw).await?, "KILL").then_some("executor killed")
        }
        35..50 => {
            let pid = executor(stack, draw).await?;
            signal(pid, "STOP");
            sleep(lasts).await;
            signal(pid, "CONT");
            Some("executor stalled")
        }
        50..60 => {
            stack.control_path("stall").await;
            sleep(lasts).await;
            stack.control_path("pass").await;
            Some("line from executor to control plane stalled")
        }
        60..70 => {
            stack.control_path("refuse").await;
            sleep(lasts).await;
            stack.control_path("pass").await;
            Some("control plane refuses connections")
        }
        70..80 => {
            signal(stack.pids.engine, "STOP");
            sleep(lasts).await;
            signal(stack.pids.engine, "CONT");
            Some("container engine stalled")
        }
        80..90 => {
            stack.postgres().kill().await;
            sleep(lasts).await;
            stack.postgres().start().await;
            Some("Postgres killed")
        }
        _ => {
            stack.kill_workers().await;
            stack.back().await;
            Some("Workers and queue killed")
        }
    }
}

async fn executor(stack: &Stack, draw: &mut fastrand::Rng) -> Option<u32> {
    let pids = stack.engine().pids().await;
    pids.get(draw.usize(..pids.len().max(1))).copied()
}
