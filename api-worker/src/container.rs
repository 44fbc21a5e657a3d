//! The Durable Object in front of a job's container.
//!
//! Named by the job id, so every call for a job reaches the same object and the same container (A13). `PUT` starts the
//! container if none runs; everything else only asks one that does, and answers 404 where there is none, which means
//! "submit again" (A19).

use platform::log;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use js_sys::{Object, Reflect};
use serde_json::json;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use worker::{
    Container, Date, Delay, DurableObject, Env, Error, Fetcher, Method, Request, Response, Result, State,
    durable_object,
};

use crate::config;

/// Starts for one submit: an image that ends at once is not started for a minute on end.
const STARTS: u32 = 3;

#[durable_object]
pub struct ExecutorContainer {
    state: State,
    env: Env,
    monitored: Rc<Cell<bool>>,
    /// Until then (Unix ms) a submit waits for the port to open, and the watchdog leaves the container alone. A time
    /// and not a flag: a submit whose caller hangs up may end without a word.
    starting_until: Cell<u64>,
    /// The last look at the container had no answer.
    silent: Cell<bool>,
}

#[wasm_bindgen]
extern "C" {
    /// The container as the runtime hands it out. The crate's own options lose what is set on them, so a plain object
    /// is passed here.
    #[wasm_bindgen(extends = Object)]
    type RawContainer;

    #[wasm_bindgen(method, catch)]
    fn start(this: &RawContainer, options: &Object) -> std::result::Result<(), JsValue>;
}

impl DurableObject for ExecutorContainer {
    fn new(state: State, env: Env) -> Self {
        let (starting_until, silent) = (Cell::new(0), Cell::new(false));
        Self { state, env, monitored: Rc::new(Cell::new(false)), starting_until, silent }
    }

    async fn fetch(&self, request: Request) -> Result<Response> {
        let Some(container) = self.state.container() else {
            return Response::error("this Worker was deployed without containers", 503);
        };
        let method = request.method();
        if method == Method::Put {
            return self.submit(&container, request).await;
        }
        if method == Method::Delete {
            self.stop_if_idle(&container).await?;
            return Response::empty();
        }
        if container.running() {
            return forward(&container.get_tcp_port(config::EXECUTOR_PORT)?, request).await;
        }
        Response::error("no container runs for this job", 404)
    }

    /// The watchdog: an idle container is stopped, a busy one is looked at again. Safe to run twice.
    async fn alarm(&self) -> Result<Response> {
        if let Some(container) = self.state.container() {
            self.monitor();
            if !self.stop_if_idle(&container).await? {
                self.watch().await?;
            }
        }
        Response::empty()
    }
}

impl ExecutorContainer {
    fn name(&self) -> Option<String> {
        self.state.id().name()
    }

    /// Lets the watchdog look later. It comes on top of `monitor()`: an object that was moved has no monitor.
    async fn watch(&self) -> Result<()> {
        let pause = Duration::from_millis(config::timing(&self.env)?.container_watch_ms);
        self.state.storage().set_alarm(pause).await
    }

    async fn submit(&self, container: &Container, request: Request) -> Result<Response> {
        // Before the start: a container that never opens its port must be stopped too.
        self.watch().await?;
        let ready = self.ready(container).await;
        self.starting_until.set(0);
        match ready {
            Ok(port) => forward(&port, request).await,
            Err(error) => {
                log::error(
                    "container not started",
                    json!({"object": self.name(), "error": error.to_string()}),
                );
                Response::error(format!("no container: {error}"), 503)
            }
        }
    }

    /// Starts the container if none runs, and waits until its port answers. `running` is true as soon as a start was
    /// asked for, so only the port tells.
    async fn ready(&self, container: &Container) -> Result<Fetcher> {
        let timing = config::timing(&self.env)?;
        let until = Date::now().as_millis() + timing.container_start_ms;
        self.starting_until.set(until);
        let mut starts = 0;
        loop {
            if !container.running() {
                starts += 1;
                if starts > STARTS {
                    return Err(Error::RustError("the container ends as soon as it is started".to_owned()));
                }
                self.start(container)?;
            }
            let port = container.get_tcp_port(config::EXECUTOR_PORT)?;
            match port.fetch("http://executor/health", None).await {
                Ok(answer) if answer.status_code() == 200 => return Ok(port),
                Ok(_) | Err(_) if Date::now().as_millis() < until => {
                    Delay::from(Duration::from_millis(timing.container_probe_ms)).await;
                }
                Ok(answer) => {
                    return Err(Error::RustError(format!("its health is {}", answer.status_code())));
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn start(&self, container: &Container) -> Result<()> {
        let options = Object::new();
        let environment = Object::new();
        for (name, as_name) in config::EXECUTOR_ENVIRONMENT {
            if let Some(value) = config::optional(&self.env, name) {
                Reflect::set(&environment, &as_name.into(), &value.into())?;
            }
        }
        Reflect::set(&options, &"env".into(), &environment)?;
        Reflect::set(&options, &"enableInternet".into(), &true.into())?;
        let raw: &RawContainer = container.as_ref().unchecked_ref();
        raw.start(&options)?;
        log::info("container.start", json!({"object": self.name()}));
        self.monitor();
        Ok(())
    }

    /// Holds the object in memory while its container lives, and logs how that ended.
    fn monitor(&self) {
        let (Some(container), false) = (self.state.container(), self.monitored.replace(true)) else { return };
        let (name, monitored) = (self.name(), Rc::clone(&self.monitored));
        self.state.wait_until(async move {
            let exit = container.wait_for_exit().await;
            monitored.set(false);
            match exit {
                Ok(()) => log::info("container.exit", json!({"object": name})),
                Err(error) => {
                    log::info("container.exit", json!({"object": name, "error": error.to_string()}));
                }
            }
        });
    }

    /// Whether no container runs any more.
    async fn stop_if_idle(&self, container: &Container) -> Result<bool> {
        if !container.running() {
            self.monitored.set(false);
            return Ok(true);
        }
        if Date::now().as_millis() < self.starting_until.get() {
            return Ok(false);
        }
        let port = container.get_tcp_port(config::EXECUTOR_PORT)?;
        let health = port.fetch("http://executor/health", None).await;
        let busy = match health {
            Ok(mut answer) => {
                self.silent.set(false);
                answer.json::<Health>().await.is_ok_and(|health| health.executions > 0)
            }
            // No answer once may be a moment's fault, and an attempt may be open there. A container that does not
            // answer at two looks is no use to anyone; its job is submitted again.
            Err(_) => !self.silent.replace(true),
        };
        if !busy {
            container.destroy(None).await?;
            self.monitored.set(false);
            log::info("container.stop", json!({"object": self.name()}));
        }
        Ok(!busy)
    }
}

/// What the executor says of itself.
#[derive(serde::Deserialize)]
struct Health {
    /// Executions that have not ended.
    executions: u32,
}

/// The container's port speaks plain HTTP, and only path and query of the URL matter to it.
async fn forward(port: &Fetcher, request: Request) -> Result<Response> {
    match port.fetch_request(request).await {
        Ok(response) => Ok(response),
        Err(error) => Response::error(format!("the container does not answer: {error}"), 503),
    }
}
