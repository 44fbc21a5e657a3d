//! What the whole simulator shares.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use bytes::Bytes;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::ledger::{Call, Filter, show};
use super::script::Script;
use super::script::Scripts;
use crate::lock::lock;
use serde_json::Value;

/// The calls and scripts of all providers, and the callbacks on their way.
#[derive(Debug, Default)]
pub(super) struct World {
    public_url: OnceLock<String>,
    books: Mutex<Books>,
    callbacks: Mutex<JoinSet<()>>,
}

#[derive(Debug, Default)]
struct Books {
    scripts: Scripts,
    calls: Vec<Call>,
    /// What providers were sent beforehand, by the name that they gave it.
    uploads: BTreeMap<String, Bytes>,
}

impl World {
    /// Where the simulator is reached. Told once, before the first request.
    pub(super) fn publish(&self, url: String) {
        self.public_url.get_or_init(|| url);
    }

    /// The URL of `path` (which begins with a slash).
    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.public_url.get().map_or("", String::as_str))
    }

    pub(super) fn add_script(&self, script: Script) {
        lock(&self.books).scripts.add(script);
    }

    /// What a submit must do, by the scripts.
    pub(super) fn select(&self, provider: &str, model: &str, prompt: &str) -> super::behaviour::Behaviour {
        lock(&self.books).scripts.select(provider, model, prompt)
    }

    /// Enters calls into the ledger.
    pub(super) fn enter(&self, calls: Vec<Call>) {
        lock(&self.books).calls.extend(calls);
    }

    /// Enters a call, unless one with its `Idempotency-Key` was accepted before: then this one is entered as a repeat
    /// that was not accepted, and the first one is returned.
    pub(super) fn enter_once(&self, call: &mut Call) -> Option<Call> {
        let mut books = lock(&self.books);
        let key = call.idempotency_key().map(str::to_owned);
        let first = books.calls.iter().find(|earlier| {
            let same = key.is_some() && earlier.idempotency_key() == key.as_deref();
            same && earlier.provider == call.provider && earlier.accepted.is_some()
        });
        let first = first.cloned();
        if let Some(first) = &first {
            call.accepted = None;
            call.duplicate_of = Some(first.id.clone());
        }
        books.calls.push(call.clone());
        first
    }

    /// Does something with the accepted call of that id. `None`: there is none, or it was deleted.
    pub(super) fn with_call<T>(
        &self,
        provider: &str,
        request_id: &str,
        act: impl FnOnce(&mut Call) -> T,
    ) -> Option<T> {
        let mut books = lock(&self.books);
        let found = books.calls.iter_mut().find(|call| {
            let there = call.accepted.is_some() && !call.deleted;
            there && call.provider == provider && call.request_id == request_id
        });
        found.map(act)
    }

    /// Copies of the accepted calls of a provider that were not deleted.
    pub(super) fn accepted(&self, provider: &str) -> Vec<Call> {
        let books = lock(&self.books);
        books
            .calls
            .iter()
            .filter(|call| call.provider == provider && call.accepted.is_some() && !call.deleted)
            .cloned()
            .collect()
    }

    pub(super) fn ledger(&self, filter: &Filter) -> Value {
        show(&lock(&self.books).calls, filter, Instant::now())
    }

    pub(super) fn keep_upload(&self, name: &str, bytes: Bytes) {
        lock(&self.books).uploads.insert(name.to_owned(), bytes);
    }

    /// What a provider was sent beforehand, by the name that it gave it.
    pub(super) fn upload(&self, name: &str) -> Option<Bytes> {
        lock(&self.books).uploads.get(name).cloned()
    }

    /// How many scripts and calls there are.
    pub(super) fn counts(&self) -> (usize, usize) {
        let books = lock(&self.books);
        (books.scripts.len(), books.calls.len())
    }

    /// Forgets scripts, calls and callbacks.
    pub(super) fn reset(&self) {
        self.stop_callbacks();
        let mut books = lock(&self.books);
        books.scripts.clear();
        books.calls.clear();
        books.uploads.clear();
    }

    /// Lets a callback run beside the requests, until the simulator stops or is reset.
    pub(super) fn call_back(self: &Arc<Self>, callback: impl Future<Output = ()> + Send + 'static) {
        let mut callbacks = lock(&self.callbacks);
        while callbacks.try_join_next().is_some() {}
        callbacks.spawn(callback);
    }

    pub(super) fn stop_callbacks(&self) {
        lock(&self.callbacks).abort_all();
    }
}
