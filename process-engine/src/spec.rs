use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// The port on which the sidecar is published; a container that exposes it *is* the sidecar, whatever its image.
pub(crate) const INGRESS_PORT: u16 = 39001;

/// The port an application listens on inside its container, unless its environment says otherwise.
const DEFAULT_PORT: u16 = 8080;

/// What a container is to be, checked: everything in it can be done with a plain process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spec {
    pub(crate) image: String,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) network_mode: String,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    App(App),
    Sidecar { egress_port: u16 },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct App {
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    /// Name or id of the sidecar whose network the application shares.
    pub(crate) sidecar: Option<String>,
    /// The port that peers name; the process itself gets a port of its own.
    pub(crate) port: u16,
    pub(crate) restart: Restart,
    pub(crate) stop_signal: String,
    /// Seconds between the stop signal and `SIGKILL`; negative: never.
    pub(crate) stop_timeout: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Restart {
    Never,
    /// After a non-zero exit; 0: any number of times.
    OnFailure {
        attempts: u32,
    },
    Always,
}

/// Why a container cannot be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidSpec {
    #[error("invalid container configuration: {0}")]
    Malformed(String),
    #[error("{0} cannot be had from a process engine")]
    Unsupported(&'static str),
}

/// Body of `POST /containers/create`, as far as it matters here.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Request {
    image: String,
    env: Option<Vec<String>>,
    cmd: Option<Vec<String>>,
    entrypoint: Option<Value>,
    labels: Option<BTreeMap<String, String>>,
    exposed_ports: Option<BTreeMap<String, Value>>,
    tty: bool,
    stop_signal: Option<String>,
    stop_timeout: Option<i64>,
    host_config: Option<HostConfig>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct HostConfig {
    network_mode: Option<String>,
    restart_policy: Option<RestartPolicy>,
    auto_remove: bool,
    binds: Option<Vec<String>>,
    mounts: Option<Vec<Value>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct RestartPolicy {
    name: String,
    maximum_retry_count: u32,
}

impl Spec {
    /// Reads the body of `POST /containers/create`.
    ///
    /// # Errors
    /// [`InvalidSpec::Unsupported`] for what would silently differ from a container: volumes, another entry
    /// point, a terminal, removal on exit. Limits of memory and CPU, capabilities and the like are ignored.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, InvalidSpec> {
        let request: Request =
            serde_json::from_slice(body).map_err(|error| InvalidSpec::Malformed(error.to_string()))?;
        if request.image.is_empty() {
            return Err(InvalidSpec::Malformed("no image".to_owned()));
        }
        let host = request.host_config.unwrap_or_default();
        let network_mode = host.network_mode.unwrap_or_default();
        refuse("a terminal", request.tty)?;
        refuse("another entry point", !is_absent(request.entrypoint.as_ref()))?;
        refuse("a volume", host.binds.is_some_and(|binds| !binds.is_empty()))?;
        refuse("a mount", host.mounts.is_some_and(|mounts| !mounts.is_empty()))?;
        refuse("removal on exit", host.auto_remove)?;
        let arguments = request.cmd.unwrap_or_default();
        let kind = if request
            .exposed_ports
            .is_some_and(|ports| ports.contains_key(&format!("{INGRESS_PORT}/tcp")))
        {
            Kind::Sidecar { egress_port: egress_port(&arguments) }
        } else {
            let environment = environment(&request.env.unwrap_or_default());
            Kind::App(App {
                arguments,
                sidecar: network_mode.strip_prefix("container:").map(str::to_owned),
                port: port(&environment)?,
                environment,
                restart: restart(&host.restart_policy.unwrap_or_default())?,
                stop_signal: request.stop_signal.unwrap_or_else(|| "SIGTERM".to_owned()),
                stop_timeout: request.stop_timeout.unwrap_or(10),
            })
        };
        Ok(Self { image: request.image, labels: request.labels.unwrap_or_default(), network_mode, kind })
    }
}

fn refuse(what: &'static str, asked_for: bool) -> Result<(), InvalidSpec> {
    if asked_for { Err(InvalidSpec::Unsupported(what)) } else { Ok(()) }
}

/// Docker takes the entry point as text or list; empty means that of the image.
fn is_absent(entrypoint: Option<&Value>) -> bool {
    entrypoint.is_none_or(|value| {
        value.is_null() || value.as_str() == Some("") || value.as_array().is_some_and(Vec::is_empty)
    })
}

/// An entry without `=` asks Docker to unset a variable of the image; our images have none.
fn environment(entries: &[String]) -> Vec<(String, String)> {
    entries
        .iter()
        .filter_map(|entry| entry.split_once('='))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// An application that is told its port listens on that one inside a container: peers will name it.
fn port(environment: &[(String, String)]) -> Result<u16, InvalidSpec> {
    match environment.iter().rev().find(|(key, _)| key == "PORT") {
        None => Ok(DEFAULT_PORT),
        Some((_, value)) => {
            value.parse().map_err(|_| InvalidSpec::Malformed(format!("PORT={value} is no port")))
        }
    }
}

fn restart(policy: &RestartPolicy) -> Result<Restart, InvalidSpec> {
    match policy.name.as_str() {
        "" | "no" => Ok(Restart::Never),
        "on-failure" => Ok(Restart::OnFailure { attempts: policy.maximum_retry_count }),
        "always" | "unless-stopped" => Ok(Restart::Always),
        other => Err(InvalidSpec::Malformed(format!("unknown restart policy {other}"))),
    }
}

/// The sidecar is told at first on its command line where egress goes, later with `PUT /egress`.
fn egress_port(arguments: &[String]) -> u16 {
    arguments
        .iter()
        .skip_while(|argument| *argument != "--http-egress-port")
        .nth(1)
        .and_then(|port| port.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(value: &Value) -> Result<Spec, InvalidSpec> {
        Spec::parse(value.to_string().as_bytes())
    }

    fn app(value: &Value) -> App {
        match parse(value).unwrap().kind {
            Kind::App(app) => app,
            Kind::Sidecar { .. } => panic!("a sidecar"),
        }
    }

    #[test]
    fn an_application_as_workerd_asks_for_it() {
        let spec = parse(&json!({
            "Image": "cloudflare-dev/box:1", "Env": ["A=b=c", "EMPTY=", "UNSET"], "Cmd": ["--flag"], "Tty": false,
            "Labels": {"dev.workerd.session": "00"},
            "HostConfig": {"NetworkMode": "container:box-proxy", "Memory": 0, "AutoRemove": false,
                "RestartPolicy": {"Name": "on-failure", "MaximumRetryCount": 0}},
        }))
        .unwrap();
        assert_eq!(spec.network_mode, "container:box-proxy");
        assert_eq!(
            spec.kind,
            Kind::App(App {
                arguments: vec!["--flag".to_owned()],
                environment: vec![("A".to_owned(), "b=c".to_owned()), ("EMPTY".to_owned(), String::new())],
                sidecar: Some("box-proxy".to_owned()),
                port: 8080,
                restart: Restart::OnFailure { attempts: 0 },
                stop_signal: "SIGTERM".to_owned(),
                stop_timeout: 10,
            })
        );
    }

    #[test]
    fn a_sidecar_as_workerd_asks_for_it() {
        let spec = parse(&json!({
            "Image": "cloudflare/proxy-everything:3cb1195", "ExposedPorts": {"39001/tcp": {}},
            "Cmd": ["--http-egress-port", "41234", "--dns-enabled"], "HostConfig": {"NetworkMode": "bridge"},
        }))
        .unwrap();
        assert_eq!(spec.kind, Kind::Sidecar { egress_port: 41234 });
    }

    #[test]
    fn a_given_port_is_the_one_peers_name() {
        assert_eq!(app(&json!({"Image": "a", "Env": ["PORT=9000"]})).port, 9000);
        assert!(matches!(
            parse(&json!({"Image": "a", "Env": ["PORT=http"]})),
            Err(InvalidSpec::Malformed(_))
        ));
    }

    #[test]
    fn what_a_process_cannot_give_is_refused() {
        for (key, value) in [
            ("Tty", json!(true)),
            ("Entrypoint", json!("/bin/cp")),
            ("Entrypoint", json!(["/bin/cp"])),
            ("HostConfig", json!({"Binds": ["a:/b"]})),
            ("HostConfig", json!({"Mounts": [{"Type": "volume"}]})),
            ("HostConfig", json!({"AutoRemove": true})),
        ] {
            let refused = parse(&json!({"Image": "a", key: value}));
            assert!(matches!(refused, Err(InvalidSpec::Unsupported(_))), "{key}: {refused:?}");
        }
        assert!(parse(&json!({"Image": "a", "Entrypoint": null, "Cmd": null, "HostConfig": null})).is_ok());
        assert!(parse(&json!({"Image": ""})).is_err());
        assert!(Spec::parse(b"").is_err());
    }
}
