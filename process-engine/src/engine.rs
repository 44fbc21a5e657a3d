use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::container::{Condemned, Condition, Container, Force};
use crate::image::{self, NamedImage};
use crate::port::Ports;
use crate::process::{self, Launch, Output, Started};
use crate::serve::RestartPolicies;
use crate::sidecar::{Peer, Sidecar};
use crate::spec::{App, INGRESS_PORT, Kind, Restart, Spec};
use crate::status::Phase;

/// The containers of one engine.
#[derive(Debug)]
pub(crate) struct Engine {
    images: Vec<NamedImage>,
    log_dir: Option<PathBuf>,
    restart_policies: RestartPolicies,
    ports: Ports,
    registry: Mutex<Registry>,
}

#[derive(Debug, Default)]
struct Registry {
    closed: bool,
    by_name: BTreeMap<String, Arc<Container>>,
}

#[derive(Debug)]
pub(crate) enum Created {
    New(Arc<Container>),
    NameTaken {
        by: Arc<Container>,
    },
    InvalidName,
    NoImage,
    /// The engine is about to end.
    Closing,
}

#[derive(Debug)]
pub(crate) enum Start {
    Now,
    AlreadyRunning,
    Gone,
    /// The container whose network it is to share is missing or down.
    NoNetwork(String),
    Failed(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Removed {
    Now,
    StillRunning,
    InProgress,
}

impl Engine {
    pub(crate) fn new(
        images: Vec<NamedImage>,
        log_dir: Option<PathBuf>,
        restart_policies: RestartPolicies,
    ) -> Self {
        let ports = Ports::new(std::process::id());
        Self { images, log_dir, restart_policies, ports, registry: Mutex::default() }
    }

    pub(crate) fn image(&self, reference: &str) -> Option<&NamedImage> {
        image::find(&self.images, reference)
    }

    pub(crate) fn images(&self) -> &[NamedImage] {
        &self.images
    }

    /// Without a name, the container is called by the first half of its id.
    pub(crate) fn create(&self, name: Option<&str>, spec: Spec) -> Created {
        let is_known = match spec.kind {
            Kind::App(_) => self.image(&spec.image).is_some(),
            Kind::Sidecar { .. } => true,
        };
        if !is_known {
            return Created::NoImage;
        }
        let id = new_id();
        let name = name.map_or_else(|| id.chars().take(32).collect(), str::to_owned);
        if !is_valid_name(&name) {
            return Created::InvalidName;
        }
        let mut registry = self.lock();
        if registry.closed {
            return Created::Closing;
        }
        if let Some(holder) = registry.by_name.get(&name) {
            return Created::NameTaken { by: Arc::clone(holder) };
        }
        let container = Arc::new(Container::new(id, name.clone(), spec));
        registry.by_name.insert(name, Arc::clone(&container));
        Created::New(container)
    }

    /// By name, id, or a beginning of the id that no other container has.
    pub(crate) fn find(&self, key: &str) -> Option<Arc<Container>> {
        let key = key.strip_prefix('/').unwrap_or(key);
        let registry = self.lock();
        if let Some(container) = registry.by_name.get(key) {
            return Some(Arc::clone(container));
        }
        let mut matching = registry.by_name.values().filter(|container| container.id.starts_with(key));
        match (matching.next(), matching.next()) {
            (Some(container), None) if !key.is_empty() => Some(Arc::clone(container)),
            (Some(_) | None, _) => None,
        }
    }

    pub(crate) fn containers(&self) -> Vec<Arc<Container>> {
        self.lock().by_name.values().cloned().collect()
    }

    pub(crate) async fn start(&self, container: &Container) -> Start {
        let started = match &container.spec.kind {
            Kind::Sidecar { egress_port } => match Sidecar::open(*egress_port).await {
                Ok(sidecar) => container.serve(sidecar),
                Err(error) => Started::Failed(error),
            },
            Kind::App(app) => {
                let sidecar = match self.sidecar_of(app) {
                    Ok(sidecar) => sidecar,
                    Err(name) => return Start::NoNetwork(name),
                };
                let launch = match self.launch(container, app, sidecar.as_deref()) {
                    Ok(launch) => launch,
                    Err(reason) => return Start::Failed(reason),
                };
                let started = process::start(container.status_sender(), launch).await;
                if let (Started::Now, Some(sidecar)) = (&started, sidecar) {
                    sidecar.attach(Peer { port: app.port, status: container.status_sender().subscribe() });
                }
                started
            }
        };
        match started {
            Started::Now => Start::Now,
            Started::AlreadyRunning => Start::AlreadyRunning,
            Started::Gone => Start::Gone,
            Started::Failed(error) => Start::Failed(error.to_string()),
        }
    }

    pub(crate) async fn remove(&self, container: &Container, force: Force) -> Removed {
        match container.condemn(force) {
            Condemned::StillRunning => return Removed::StillRunning,
            Condemned::Already => return Removed::InProgress,
            Condemned::Now => {}
        }
        container.put_down().await;
        self.lock().by_name.remove(&container.name);
        container.bury();
        Removed::Now
    }

    /// Ends every container; none can be created any more. Containers that are created or started meanwhile are
    /// either refused or among those ended.
    pub(crate) async fn close(self: &Arc<Self>) {
        self.lock().closed = true;
        let removals: Vec<_> = self
            .containers()
            .into_iter()
            .map(|container| {
                let engine = Arc::clone(self);
                tokio::spawn(async move {
                    engine.remove(&container, Force::Yes).await;
                    // If somebody else removes it, that removal has to be over, too.
                    container.wait(Condition::Removed).await;
                })
            })
            .collect();
        for removal in removals {
            let _ = removal.await;
        }
    }

    /// The sidecar whose network the application is to share; `Err` with its name if it does not serve.
    fn sidecar_of(&self, app: &App) -> Result<Option<Arc<Sidecar>>, String> {
        let Some(name) = &app.sidecar else { return Ok(None) };
        let sidecar = self.find(name).and_then(|container| container.sidecar());
        sidecar.map(Some).ok_or_else(|| name.clone())
    }

    fn launch(&self, container: &Container, app: &App, sidecar: Option<&Sidecar>) -> Result<Launch, String> {
        let image = self
            .image(&container.spec.image)
            .ok_or_else(|| format!("no such image: {}", container.spec.image))?;
        let lease = Arc::new(self.ports.lease().map_err(|error| error.to_string())?);
        let name = &container.name;
        Ok(Launch {
            program: image.program().clone(),
            arguments: app.arguments.clone(),
            environment: environment(app, &container.id, lease.port(), sidecar.map(|sidecar| sidecar.proxy)),
            output: match &self.log_dir {
                Some(folder) => Output::File(folder.join(format!("{name}.log"))),
                None => Output::Prefixed(name.clone()),
            },
            lease,
            restart: match self.restart_policies {
                RestartPolicies::Ignored => Restart::Never,
                RestartPolicies::Honoured => app.restart,
            },
        })
    }

    fn lock(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Container {
    /// The loopback port behind the application's own, or the sidecar's, while it runs.
    pub(crate) fn published(&self) -> Option<(u16, u16)> {
        let status = self.status();
        match (&self.spec.kind, &status.phase) {
            (Kind::App(app), Phase::Running { lease, .. }) => Some((app.port, lease.port())),
            (Kind::Sidecar { .. }, Phase::Serving(sidecar)) => Some((INGRESS_PORT, sidecar.ingress)),
            (Kind::App(_) | Kind::Sidecar { .. }, _) => None,
        }
    }
}

/// What the process sees, and nothing else of our own environment. Later entries win: the application's port is ours
/// to choose, everything else is the creator's.
fn environment(app: &App, id: &str, port: u16, proxy: Option<u16>) -> Vec<(String, String)> {
    let mut environment = vec![("HOSTNAME".to_owned(), id.chars().take(12).collect())];
    if let Ok(path) = std::env::var("PATH") {
        environment.push(("PATH".to_owned(), path));
    }
    if let Some(proxy) = proxy {
        let url = format!("http://127.0.0.1:{proxy}");
        for key in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"] {
            environment.push((key.to_owned(), url.clone()));
        }
        // A real sidecar leaves loopback alone.
        for key in ["NO_PROXY", "no_proxy"] {
            environment.push((key.to_owned(), "localhost,127.0.0.0/8,127.0.0.1,::1".to_owned()));
        }
    }
    environment.extend(app.environment.iter().cloned());
    environment.push(("PORT".to_owned(), port.to_string()));
    environment
}

/// Docker's rule, and what makes a name safe as a file name.
fn is_valid_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphanumeric())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-'))
        && name.len() <= 200
}

/// 64 hex digits. Without a random source the ids are merely distinct, which is all they have to be here.
fn new_id() -> String {
    use std::fmt::Write as _;
    use std::sync::atomic::{AtomicU64, Ordering};
    static FALLBACK: AtomicU64 = AtomicU64::new(1);

    let mut bytes = [0; 32];
    if getrandom::fill(&mut bytes).is_err() {
        let count = FALLBACK.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        bytes.iter_mut().zip(count).for_each(|(byte, fallback)| *byte = fallback);
    }
    bytes.iter().fold(String::with_capacity(64), |mut id, byte| {
        let _ = write!(id, "{byte:02x}");
        id
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(environment: &[(&str, &str)]) -> App {
        App {
            arguments: Vec::new(),
            environment: environment.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect(),
            sidecar: None,
            port: 8080,
            restart: Restart::Never,
            stop_signal: "SIGTERM".to_owned(),
            stop_timeout: 10,
        }
    }

    #[test]
    fn the_port_is_ours_and_the_rest_the_creators() {
        let given = app(&[("PORT", "8080"), ("PATH", "/bin"), ("HTTP_PROXY", "http://elsewhere")]);
        let seen: BTreeMap<_, _> =
            environment(&given, "0123456789abcdef", 20_001, Some(5)).into_iter().collect();
        assert_eq!(seen["PORT"], "20001");
        assert_eq!(seen["PATH"], "/bin");
        assert_eq!(seen["HTTP_PROXY"], "http://elsewhere");
        assert_eq!(seen["http_proxy"], "http://127.0.0.1:5");
        assert_eq!(seen["HOSTNAME"], "0123456789ab");
        assert!(!environment(&app(&[]), "00", 1, None).iter().any(|(key, _)| key.contains("PROXY")));
    }

    #[test]
    fn names_are_safe_as_file_names() {
        for valid in ["a", "workerd-0f-app-Box-1_2.3"] {
            assert!(is_valid_name(valid), "{valid}");
        }
        for invalid in ["", ".", "..", "-a", "a/b", "a b", &"a".repeat(201)] {
            assert!(!is_valid_name(invalid), "{invalid}");
        }
    }

    #[test]
    fn ids_differ() {
        assert_eq!(new_id().len(), 64);
        assert_ne!(new_id(), new_id());
    }
}
