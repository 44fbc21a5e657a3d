//! Everything the executor takes from its environment.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use domain::Secret;
use domain::provider::Provider;
use domain::timing::Timing;
use serde::Deserialize;
use url::Url;

use crate::providers::Gateways;

/// One output file. The container has 2 GB of disk and the files of one result lie there together.
const OUTPUT_LIMIT_BYTES: u64 = 1 << 30;
/// Executions at a time. A container has one job; the limit is for a process that several share.
const MAX_EXECUTIONS: usize = 16;

/// Whose token stands in `PROVIDER_KEYS` beside the providers' keys.
const GATEWAY: &str = "ai_gateway";

/// How a provider is reached.
#[derive(Deserialize)]
#[serde(untagged)]
enum Way {
    Own(String),
    Gateway { gateway: String },
}

/// The whole configuration; [`Config::read`] says which variable is which.
#[derive(Debug)]
pub struct Config {
    /// Listened on at 0.0.0.0; 0 is any free one.
    pub port: u16,
    /// The control plane's base URL.
    pub control_url: Url,
    pub s3: S3Config,
    /// Base URLs that differ from the adapters' own.
    pub provider_urls: BTreeMap<Provider, Url>,
    /// Which of them are the AI Gateway's, and what opens it.
    pub gateways: Gateways,
    /// At least one.
    pub provider_keys: BTreeMap<Provider, Secret>,
    /// The defaults of [`Timing`], changed by `TIMING_OVERRIDES`.
    pub timing: Timing,
    /// Where results lie between fetch and store; `None` is the system's temporary folder.
    pub spool_dir: Option<PathBuf>,
    /// Bytes that one output file may have.
    pub output_limit: u64,
    pub max_executions: usize,
    /// PEM bundle of further TLS roots.
    pub extra_roots: Option<PathBuf>,
}

/// The bucket, spoken to path style.
#[derive(Debug)]
pub struct S3Config {
    pub endpoint: Url,
    pub bucket: String,
    pub access_key_id: Secret,
    pub secret_access_key: Secret,
}

/// What is wrong with the environment: every variable at once, so that one start shows all.
#[derive(Debug, thiserror::Error)]
#[error("the environment is incomplete: {}", .0.join("; "))]
pub struct ConfigError(Vec<String>);

impl Config {
    /// Reads variables through `get`; an empty one counts as missing.
    pub fn read(get: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let mut variables = Variables { get, wrong: Vec::new() };
        let config = Self::gather(&mut variables);
        match config {
            Some(config) if variables.wrong.is_empty() => Ok(config),
            _ => Err(ConfigError(variables.wrong)),
        }
    }

    fn gather(variables: &mut Variables<impl Fn(&str) -> Option<String>>) -> Option<Self> {
        let port = variables.parsed("PORT", "a port number").unwrap_or(8080);
        let control_url = variables.url("CONTROL_URL");
        let endpoint = variables.url("S3_ENDPOINT");
        let bucket = variables.required("S3_BUCKET");
        let access_key_id = variables.required("S3_ACCESS_KEY_ID");
        let secret_access_key = variables.required("S3_SECRET_ACCESS_KEY");
        let (provider_urls, before) = variables.provider_urls();
        let (provider_keys, token) = variables.provider_keys();
        let timing = variables.timing();
        let output_limit = variables.parsed("OUTPUT_LIMIT_BYTES", "a number of bytes");
        let max_executions = variables.parsed("MAX_EXECUTIONS", "a number");
        Some(Self {
            port,
            control_url: control_url?,
            s3: S3Config {
                endpoint: endpoint?,
                bucket: bucket?,
                access_key_id: Secret::new(access_key_id?),
                secret_access_key: Secret::new(secret_access_key?),
            },
            provider_urls,
            gateways: Gateways { before, token },
            provider_keys,
            timing: timing?,
            spool_dir: variables.optional("SPOOL_DIR").map(PathBuf::from),
            output_limit: output_limit.unwrap_or(OUTPUT_LIMIT_BYTES),
            max_executions: max_executions.unwrap_or(MAX_EXECUTIONS),
            extra_roots: variables.optional("SSL_CERT_FILE").map(PathBuf::from),
        })
    }
}

struct Variables<G> {
    get: G,
    wrong: Vec<String>,
}

impl<G: Fn(&str) -> Option<String>> Variables<G> {
    fn optional(&self, name: &str) -> Option<String> {
        (self.get)(name).filter(|value| !value.trim().is_empty())
    }

    fn required(&mut self, name: &str) -> Option<String> {
        let value = self.optional(name);
        if value.is_none() {
            self.wrong.push(format!("{name} is not set"));
        }
        value
    }

    fn parsed<T: std::str::FromStr>(&mut self, name: &str, what: &str) -> Option<T> {
        let value = self.optional(name)?;
        let parsed = value.trim().parse().ok();
        if parsed.is_none() {
            self.wrong.push(format!("{name} is not {what}"));
        }
        parsed
    }

    fn url(&mut self, name: &str) -> Option<Url> {
        let text = self.required(name)?;
        let url = base_url(&text);
        if url.is_none() {
            self.wrong.push(format!("{name} is not an http(s) URL"));
        }
        url
    }

    /// A text is a base URL, and `{"gateway": URL}` one of the AI Gateway's.
    fn provider_urls(&mut self) -> (BTreeMap<Provider, Url>, BTreeSet<Provider>) {
        let (mut known, mut gateways) = (BTreeMap::new(), BTreeSet::new());
        let Some(text) = self.optional("PROVIDER_URLS") else {
            return (known, gateways);
        };
        let urls: BTreeMap<String, Way> = match serde_json::from_str(&text) {
            Ok(urls) => urls,
            Err(error) => {
                self.wrong.push(format!("PROVIDER_URLS is no JSON object of URLs ({error})"));
                return (known, gateways);
            }
        };
        for (name, way) in urls {
            let (url, gateway) = match way {
                Way::Own(url) => (url, false),
                Way::Gateway { gateway } => (gateway, true),
            };
            match (Provider::from_word(&name), base_url(&url)) {
                (Some(provider), Some(url)) => {
                    known.insert(provider, url);
                    gateways.extend(gateway.then_some(provider));
                }
                (None, _) => self.wrong.push(format!("PROVIDER_URLS names no known provider: {name:?}")),
                (_, None) => self.wrong.push(format!("PROVIDER_URLS has no http(s) URL for {name:?}")),
            }
        }
        (known, gateways)
    }

    /// A provider without a key is not called; without any key there is nothing to do at all. The AI Gateway's token is
    /// beside them.
    fn provider_keys(&mut self) -> (BTreeMap<Provider, Secret>, Option<Secret>) {
        let nothing = (BTreeMap::new(), None);
        let Some(text) = self.required("PROVIDER_KEYS") else {
            return nothing;
        };
        // What the parser says could quote a key.
        let Ok(named) = serde_json::from_str::<BTreeMap<String, Secret>>(&text) else {
            self.wrong.push("PROVIDER_KEYS is no JSON object of texts".to_owned());
            return nothing;
        };
        let (mut keys, mut token) = nothing;
        for (name, key) in named {
            if name == GATEWAY {
                token = Some(key).filter(|token| !token.expose().trim().is_empty());
                continue;
            }
            match Provider::from_word(&name) {
                Some(provider) if !key.expose().trim().is_empty() => {
                    keys.insert(provider, key);
                }
                Some(_) => {}
                None => self.wrong.push(format!("PROVIDER_KEYS names no known provider: {name:?}")),
            }
        }
        if keys.is_empty() {
            self.wrong.push("PROVIDER_KEYS has no key".to_owned());
        }
        (keys, token)
    }

    fn timing(&mut self) -> Option<Timing> {
        let overrides = self.optional("TIMING_OVERRIDES");
        Timing::from_overrides(overrides.as_deref())
            .map_err(|error| self.wrong.push(format!("TIMING_OVERRIDES is not valid ({error})")))
            .ok()
    }
}

fn base_url(text: &str) -> Option<Url> {
    Url::parse(text.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPLETE: [(&str, &str); 6] = [
        ("CONTROL_URL", "http://127.0.0.1:8787"),
        ("S3_ENDPOINT", "http://127.0.0.1:8787/cdn-cgi/local/r2/s3/"),
        ("S3_BUCKET", "afc-media"),
        ("S3_ACCESS_KEY_ID", "id"),
        ("S3_SECRET_ACCESS_KEY", "secret"),
        ("PROVIDER_KEYS", r#"{"fal": "key"}"#),
    ];

    fn read(more: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let variables: BTreeMap<&str, &str> = COMPLETE.iter().chain(more).copied().collect();
        Config::read(|name| variables.get(name).map(|value| (*value).to_owned()))
    }

    #[test]
    fn the_least_environment_gets_its_defaults() {
        let config = read(&[]).unwrap();
        assert_eq!((config.port, config.timing), (8080, Timing::default()));
        assert!(config.provider_urls.is_empty() && config.spool_dir.is_none());
    }

    #[test]
    fn everything_that_is_missing_is_named_at_once() {
        let told = Config::read(|_| None).unwrap_err().to_string();
        for (name, _) in COMPLETE {
            assert!(told.contains(name), "{told} does not name {name}");
        }
    }

    #[test]
    fn what_is_malformed_is_named() {
        for (name, value) in [
            ("PORT", "http"),
            ("CONTROL_URL", "ftp://x"),
            ("PROVIDER_KEYS", "hunter4"),
            ("PROVIDER_KEYS", r#"{"nobody": "key"}"#),
            ("PROVIDER_KEYS", r#"{"fal": " "}"#),
            ("PROVIDER_URLS", "[]"),
            ("PROVIDER_URLS", r#"{"nobody": "http://x"}"#),
            ("PROVIDER_URLS", r#"{"fal": "x"}"#),
            ("PROVIDER_URLS", r#"{"fal": {"gateway": "x"}}"#),
            ("PROVIDER_URLS", r#"{"fal": {"way": "https://x"}}"#),
            ("PROVIDER_KEYS", r#"{"ai_gateway": "only the gateway's"}"#),
            ("TIMING_OVERRIDES", r#"{"free_retry": 1}"#),
        ] {
            let told = read(&[(name, value)]).unwrap_err().to_string();
            assert!(told.contains(name), "{told} does not name {name}");
        }
    }

    #[test]
    fn secrets_are_not_printed() {
        let printed = format!(
            "{:?}",
            read(&[("S3_SECRET_ACCESS_KEY", "hunter2"), ("PROVIDER_KEYS", r#"{"fal": "hunter3"}"#)]).unwrap()
        );
        assert!(!printed.contains("hunter"), "{printed}");
    }
}
