use std::path::PathBuf;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use crate::eventually;

/// The container engine, asked over its socket as Docker's clients ask.
pub struct Engine {
    socket: PathBuf,
}

impl Engine {
    pub(crate) const fn new(socket: PathBuf) -> Self {
        Self { socket }
    }

    /// Waits for an application container that was not there before, and returns its process id.
    pub async fn newcomer(&self, known: &[u32]) -> u32 {
        eventually("a new executor process", async || {
            self.pids().await.into_iter().find(|pid| !known.contains(pid))
        })
        .await
    }

    /// Process ids of all running application containers.
    pub async fn pids(&self) -> Vec<u32> {
        let Some(Value::Array(containers)) = self.get("/containers/json").await else { return Vec::new() };
        let mut pids = Vec::new();
        for container in containers {
            let Some(id) = container.pointer("/Id").and_then(Value::as_str) else { continue };
            let inspected = self.get(&format!("/containers/{id}/json")).await;
            let pid = inspected.as_ref().and_then(|one| one.pointer("/State/Pid")).and_then(Value::as_u64);
            pids.extend(pid.and_then(|pid| u32::try_from(pid).ok()).filter(|pid| *pid > 0));
        }
        pids
    }

    async fn get(&self, path: &str) -> Option<Value> {
        let mut socket = UnixStream::connect(&self.socket).await.ok()?;
        let request = format!("GET {path} HTTP/1.1\r\nHost: engine\r\nConnection: close\r\n\r\n");
        socket.write_all(request.as_bytes()).await.ok()?;
        let mut answer = String::new();
        socket.read_to_string(&mut answer).await.ok()?;
        let (_, body) = answer.split_once("\r\n\r\n")?;
        serde_json::from_str(body).ok()
    }
}
