//! `stack.json`: how to reach a stack that is ready. Tests and scripts read it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Addresses, keys and processes of a ready stack.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StackFile {
    pub(crate) name: String,
    /// `process` or `docker`.
    pub(crate) engine_kind: String,
    /// The container engine's unix socket.
    pub(crate) engine: String,
    /// Base URL of the api-worker.
    pub(crate) api: String,
    pub(crate) admin_token: String,
    pub(crate) client_key: String,
    /// The client's secret for Standard Webhooks, `whsec_…`.
    pub(crate) webhook_secret: String,
    /// What URLs of outputs are signed with.
    pub(crate) link_keys: String,
    /// Postgres itself; the Workers use it through the pooler.
    pub(crate) database_url: String,
    /// Control of that Postgres and its pooler, unless it is somebody else's.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) postgres_control: Option<String>,
    /// Base URL of the provider simulator.
    pub(crate) simulator: String,
    /// Base URL of the webhook receiver.
    pub(crate) receiver: String,
    /// Control of the fault proxy between executors and api-worker, where there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) control_proxy: Option<String>,
    pub(crate) s3: S3,
    /// Times that `wrangler dev` was started; one more after each restart by SIGUSR1.
    pub(crate) wrangler_starts: u32,
    /// Process ids by name; `xtask` owns the stack.
    pub(crate) pids: BTreeMap<String, i32>,
    /// Log files by the same names.
    pub(crate) logs: BTreeMap<String, String>,
}

/// The local bucket as the executor reaches it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct S3 {
    pub(crate) endpoint: String,
    pub(crate) bucket: String,
    pub(crate) access_key_id: String,
    pub(crate) secret_access_key: String,
}
