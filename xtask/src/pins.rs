//! Versions of tools that no lock file of this repository names.

/// Builds a Worker crate; must be the version of the `worker` crate in `Cargo.lock` (`tidy` compares them).
pub(crate) const WORKER_BUILD: &str = "0.8.7";

/// Holds the arrows between crates, licences and sources (`deny.toml`).
pub(crate) const CARGO_DENY: &str = "0.20.2";

/// Finds dependencies that nobody uses.
pub(crate) const CARGO_MACHETE: &str = "0.9.2";

/// What comes as wheels from `PyPI`, as pip requirements: tools, and the library with which the tests verify deliveries
/// (`docs/receivers/python`).
pub(crate) const PYTHON_TOOLS: [&str; 5] = [
    "typos==1.52.0",
    "taplo==0.9.3",
    "squawk-cli==2.70.0",
    "standardwebhooks==1.1.0",
    "schemathesis==4.32.5",
];

/// What `wrangler` needs to start at all; Node itself then comes from npm (`package.json`, `node`).
pub(crate) const NODE_MAJOR: u32 = 20;
