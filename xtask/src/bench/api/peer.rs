//! The three programs that are compared, each bundled as wrangler deploys it and served by a `workerd` of its own.

use std::fs::{self, File};
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;
use tokio::net::TcpStream;
use tokio::process::Child;
use tokio::time::sleep;

use crate::command::logged;
use crate::failure::{Failure, OrFail, Outcome};
use crate::paths::Repo;

const SOURCES: &str = "xtask/peers";
const DATE: &str = "2026-10-01";
const ADVICE: &str = "check the permissions of the target folder";
/// For `workerd` to listen.
const START: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(50);

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peer {
    /// The api-worker as it is deployed.
    Ours,
    /// hono, zod, drizzle over postgres.js, a client a request.
    Usual,
    /// No framework, `pg`, everything in one statement.
    Tuned,
}

/// A peer that serves.
pub(super) struct Running {
    pub(super) peer: Peer,
    pub(super) port: u16,
    pub(super) pid: i32,
    _child: Child,
}

impl Peer {
    pub(super) const ALL: [Self; 3] = [Self::Ours, Self::Usual, Self::Tuned];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Usual => "usual",
            Self::Tuned => "tuned",
        }
    }

    /// The module that serves, without its ending.
    const fn module(self) -> &'static str {
        match self {
            Self::Ours => "entry",
            Self::Usual => "usual",
            Self::Tuned => "tuned",
        }
    }

    fn source(self, repo: &Repo) -> PathBuf {
        match self {
            Self::Ours => repo.join("api-worker/entry.mjs"),
            Self::Usual | Self::Tuned => repo.join(SOURCES).join(format!("{}.ts", self.module())),
        }
    }

    const fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Ours => &["no_nodejs_compat", "no_nodejs_compat_v2"],
            Self::Usual | Self::Tuned => &["nodejs_compat"],
        }
    }
}

/// Installs what the TypeScript peers need and bundles all three into `folder`.
pub(super) fn bundle(repo: &Repo, folder: &Path) -> Outcome {
    let sources = repo.join(SOURCES);
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&sources);
    npm.env("PATH", repo.node_path()?);
    logged(repo, "bench-api-npm", &mut npm, "check the network and the log, then run this again")?;
    fs::create_dir_all(folder).or_fail(format!("cannot create {}", folder.display()), ADVICE)?;
    fs::copy(sources.join("engine.js"), folder.join("engine.js")).or_fail("cannot copy engine.js", ADVICE)?;
    Peer::ALL.into_iter().try_for_each(|peer| bundle_one(repo, folder, peer))
}

fn bundle_one(repo: &Repo, folder: &Path, peer: Peer) -> Outcome {
    let config = folder.join(format!("{}.json", peer.name()));
    let text = json!({
        "name": format!("bench-{}", peer.name()), "main": peer.source(repo), "compatibility_date": DATE,
        "compatibility_flags": peer.flags(),
    });
    fs::write(&config, text.to_string()).or_fail(format!("cannot write {}", config.display()), ADVICE)?;
    let mut wrangler = Command::new(repo.node_program("wrangler"));
    wrangler.args(["deploy", "--dry-run", "--minify", "--outdir"]).arg(folder.join(peer.name()));
    wrangler.arg("--config").arg(&config).current_dir(folder);
    wrangler.env("PATH", repo.node_path()?).env("WRANGLER_SEND_METRICS", "false");
    logged(repo, &format!("bench-api-{}", peer.name()), &mut wrangler, "read the log; mend the peer")
}

/// Serves a bundled peer, which reaches the database through the pooler at `pooler`.
pub(super) async fn start(repo: &Repo, folder: &Path, peer: Peer, pooler: u16) -> Outcome<Running> {
    let port = testkit::ports::free().or_fail("no free port", "end what holds them")?;
    let config = folder.join(format!("{}.capnp", peer.name()));
    fs::write(&config, capnp(folder, peer, port, pooler)?)
        .or_fail(format!("cannot write {}", config.display()), ADVICE)?;
    let log =
        File::create(folder.join(format!("{}.log", peer.name()))).or_fail("cannot make a log", ADVICE)?;
    let child = tokio::process::Command::new(repo.node_program("workerd"))
        .arg("serve")
        .arg(&config)
        .stdin(Stdio::null())
        // Ours writes two lines a request; what becomes of them is not its business.
        .stdout(Stdio::null())
        .stderr(log)
        .kill_on_drop(true)
        .spawn()
        .or_fail("cannot start workerd", "run `cargo xtask setup`")?;
    let pid = child.id().and_then(|pid| i32::try_from(pid).ok()).or_fail("workerd ended", "read its log")?;
    let mut waited = Duration::ZERO;
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.is_err() {
        if waited > START {
            return Err(Failure::new(format!("{} does not listen", peer.name()), "read target/bench-api/"));
        }
        sleep(PAUSE).await;
        waited += PAUSE;
    }
    Ok(Running { peer, port, pid, _child: child })
}

/// All peers get the same bindings. The Workflow's engine is a Worker that says yes, reached by the same RPC.
fn capnp(folder: &Path, peer: Peer, port: u16, pooler: u16) -> Outcome<String> {
    let (name, module) = (peer.name(), peer.module());
    let mut modules = vec![format!("(name = \"{module}.js\", esModule = embed \"{name}/{module}.js\")")];
    let files = fs::read_dir(folder.join(name)).or_fail("a bundle is missing", "read its log")?;
    for file in files.flatten().filter_map(|file| file.file_name().into_string().ok()) {
        if Path::new(&file).extension().is_some_and(|ending| ending == "wasm") {
            modules.push(format!("(name = \"./{file}\", wasm = embed \"{name}/{file}\")"));
        }
    }
    let flags: Vec<String> = peer.flags().iter().map(|flag| format!("\"{flag}\"")).collect();
    let texts = [
        ("PUBLIC_URL", "http://127.0.0.1"),
        ("TIMING_OVERRIDES", "{}"),
        ("RETENTION", "{}"),
        ("ALLOW_LOOPBACK_CALLBACKS", "false"),
        ("PROVIDER_URLS", "{}"),
        ("LINK_KEYS", "bench"),
        ("JOB_TOKEN_KEY", "bench"),
        ("ADMIN_TOKEN", "bench"),
    ];
    let texts = texts.map(|(name, value)| format!("(name = \"{name}\", text = \"{value}\")"));
    Ok(format!(
        "using Workerd = import \"/workerd/workerd.capnp\";
const config :Workerd.Config = (
  services = [
    (name = \"main\", worker = .main), (name = \"engine\", worker = .engine),
    (name = \"database\", external = (address = \"127.0.0.1:{pooler}\", tcp = ())),
    (name = \"internet\", network = (allow = [\"public\", \"private\"])),
  ],
  sockets = [(name = \"http\", address = \"127.0.0.1:{port}\", http = (), service = \"main\")],
);
const main :Workerd.Worker = (
  modules = [{}], compatibilityDate = \"{DATE}\", compatibilityFlags = [{}],
  bindings = [
    (name = \"DB\", hyperdrive = (designator = (name = \"database\"), database = \"afc\", user = \"postgres\",
      password = \"postgres\", scheme = \"postgres\")),
    (name = \"GENERATION\", service = (name = \"engine\", entrypoint = \"Engine\")),
    {}
  ],
);
const engine :Workerd.Worker = (
  modules = [(name = \"engine.js\", esModule = embed \"engine.js\")], compatibilityDate = \"{DATE}\",
);
",
        modules.join(", "),
        flags.join(", "),
        texts.join(", "),
    ))
}
