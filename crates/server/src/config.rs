//! The settings of the service: from a TOML file, the environment and flags, each overriding the one before.
//!
//! ```
//! use lookalike_server::Config;
//! let mut config = Config::from_toml("listen = '127.0.0.1:9000'\npolicy = 'reject'")?;
//! config.apply([("LOOKALIKE_LISTEN".to_owned(), "127.0.0.1:9001".to_owned())])?;
//! assert_eq!(config.listen.port(), 9001);
//! # Ok::<(), lookalike::Error>(())
//! ```

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lookalike::index::{Policy, Refresh};
use lookalike::{Error, Result, parse_time};
use lookalike_core::threads;
use lookalike_engine::memory::parse_bytes;
use toml::{Table, Value};

use crate::access::People;
use crate::address::TrustedProxies;
use crate::prefix;

/// The settings. Every field has a default except `data`, which is empty until it is set.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The folder with the index, the tokens, lexicons and models.
    pub data: PathBuf,
    /// The folders from which jobs may read corpora.
    pub corpora: Vec<PathBuf>,
    /// Scalar fields of documents that search counts and filters by.
    pub facets: Vec<String>,
    /// Bytes of an uploaded corpus.
    pub max_upload: u64,
    pub listen: SocketAddr,
    /// The certificate and the key of TLS, files in PEM; without them answers are not encrypted.
    pub tls_certificate: Option<PathBuf>,
    pub tls_key: Option<PathBuf>,
    /// The path below which a proxy serves everything, such as `/lookalike`; empty for none.
    pub prefix: String,
    /// The policy for documents that resemble a known one, if a request names none.
    pub policy: Policy,
    /// Bytes of one request's body, and of one line of a bulk request.
    pub max_body: u64,
    /// Bytes of all bodies held at once.
    pub max_buffered: u64,
    pub request_time: Duration,
    /// How long a request may take to send its head, and a connection may idle between two requests.
    pub header_time: Duration,
    /// How long running requests may take after the service is told to stop.
    pub shutdown_time: Duration,
    pub connections: usize,
    /// How many operations on the index run at once.
    pub workers: usize,
    /// How many operations may wait for a worker.
    pub queue: usize,
    /// How many bulk requests may run at once.
    pub bulk_streams: usize,
    /// Requests a second for each token; 0: unlimited.
    pub rate: u32,
    /// The same for each address.
    pub address_rate: u32,
    /// Proxies whose word about the client's address is believed.
    pub trusted_proxies: TrustedProxies,
    /// People whom these proxies name.
    pub people: People,
    /// Free bytes on the disk below which the service is not ready.
    pub min_free: u64,
    /// After how many documents the native lexicon of the index is counted again, as typed; absent: as the index has it.
    pub refresh_after: Option<String>,
    /// The same for the share of unknown terms.
    pub refresh_unknown: Option<String>,
    /// The folder or store that takes snapshots; without it there are none.
    pub snapshots: Option<String>,
    /// How often one is taken by itself; absent: only when asked for.
    pub snapshot_every: Option<Duration>,
    /// How many are kept, and how long; absent: for ever.
    pub snapshot_keep: Option<usize>,
    pub snapshot_keep_for: Option<Duration>,
    /// Where a collector takes traces (OTLP over HTTP); without it there are none.
    pub traces: Option<String>,
    /// The share of requests that are traced, of those whose caller does not say.
    pub trace_share: f64,
    pub log_format: LogFormat,
    /// error, warn, info, debug or trace.
    pub log_level: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    Plain,
    Json,
}

impl Default for Config {
    fn default() -> Self {
        let cores = threads::available();
        Config {
            data: PathBuf::new(),
            corpora: Vec::new(),
            facets: ["source", "type", "language"].map(str::to_owned).to_vec(),
            max_upload: 10_000_000_000,
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            tls_certificate: None,
            tls_key: None,
            prefix: String::new(),
            policy: Policy::Report,
            max_body: 32_000_000,
            max_buffered: 256_000_000,
            request_time: Duration::from_secs(30),
            header_time: Duration::from_secs(15),
            shutdown_time: Duration::from_secs(20),
            connections: 16_384,
            workers: (2 * cores).max(4),
            queue: 256,
            bulk_streams: 8,
            rate: 0,
            address_rate: 0,
            trusted_proxies: TrustedProxies::default(),
            people: People::default(),
            min_free: 500_000_000,
            refresh_after: None,
            refresh_unknown: None,
            snapshots: None,
            snapshot_every: None,
            snapshot_keep: None,
            snapshot_keep_for: None,
            traces: None,
            trace_share: 1.0,
            log_format: LogFormat::Plain,
            log_level: "info".to_owned(),
        }
    }
}

impl Config {
    /// The keys of the TOML file; environment variables are LOOKALIKE_ and the key in capitals.
    pub const KEYS: [&str; 35] = [
        "data",
        "facets",
        "corpora",
        "max_upload",
        "listen",
        "tls_certificate",
        "tls_key",
        "prefix",
        "policy",
        "max_body",
        "max_buffered",
        "request_seconds",
        "header_seconds",
        "shutdown_seconds",
        "connections",
        "workers",
        "queue",
        "bulk_streams",
        "rate",
        "address_rate",
        "trusted_proxies",
        "user_header",
        "groups_header",
        "group_roles",
        "min_free",
        "refresh_after",
        "refresh_unknown",
        "snapshots",
        "snapshot_every",
        "snapshot_keep",
        "snapshot_keep_for",
        "traces",
        "trace_share",
        "log_format",
        "log_level",
    ];

    pub fn from_file(path: &Path) -> Result<Config> {
        let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
        Config::from_toml(&text).map_err(|error| Error::config(format!("{}: {error}", path.display())))
    }

    pub fn from_toml(text: &str) -> Result<Config> {
        let table: Table =
            text.parse().map_err(|error: toml::de::Error| Error::config(error.message().to_owned()))?;
        let mut config = Config::default();
        for (key, value) in table {
            let value = match value {
                Value::String(text) => text,
                Value::Integer(number) => number.to_string(),
                Value::Float(number) => number.to_string(),
                other => {
                    return Err(Error::config(format!("`{key}` is {other}, it must be text or a number")));
                }
            };
            config.set(&key, &value)?;
        }
        Ok(config)
    }

    pub fn apply_env(&mut self) -> Result<()> {
        // A variable that is not UTF-8 cannot be one of ours.
        let all = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        self.apply(all)
    }

    /// Applies the variables that start with LOOKALIKE_ and name a key. Others are ignored: the environment belongs
    /// to everybody.
    pub fn apply(&mut self, variables: impl IntoIterator<Item = (String, String)>) -> Result<()> {
        for (name, value) in variables {
            let key = name.strip_prefix("LOOKALIKE_").map(str::to_lowercase);
            if let Some(key) = key.filter(|key| Config::KEYS.contains(&key.as_str())) {
                self.set(&key, &value).map_err(|error| Error::config(format!("{name}: {error}")))?;
            }
        }
        Ok(())
    }

    /// The setting of an index with what is set here.
    pub fn refresh(&self, before: Refresh) -> Result<Refresh> {
        before.changed(self.refresh_after.as_deref(), self.refresh_unknown.as_deref())
    }

    /// Refuses settings that contradict each other.
    pub fn check(&self) -> Result<()> {
        self.people.check()?;
        if self.people.user.is_some() && self.trusted_proxies.is_empty() {
            return Err(Error::config(
                "user_header is believed of nobody: set trusted_proxies to the address of the proxy that writes it",
            ));
        }
        Ok(())
    }

    /// Sets one key from its text.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        match key {
            "data" => self.data = PathBuf::from(value),
            // Separated as in PATH.
            "corpora" => self.corpora = std::env::split_paths(value).collect(),
            "facets" => {
                let names = value.split(',').map(|name| name.trim().to_owned());
                self.facets = names.filter(|name| !name.is_empty()).collect();
            }
            "max_upload" => self.max_upload = bytes(key, value)?,
            "listen" => {
                let wrong = |_| Error::config(format!("listen is `{value}`, it must be ADDRESS:PORT"));
                self.listen = value.parse().map_err(wrong)?;
            }
            "tls_certificate" => self.tls_certificate = Some(PathBuf::from(value)),
            "tls_key" => self.tls_key = Some(PathBuf::from(value)),
            "prefix" => {
                let wrong = || {
                    Error::config(format!(
                        "prefix is `{value}`, it must be a path such as /lookalike, of letters, digits and -_.~, that does not begin like one of the service"
                    ))
                };
                self.prefix = prefix::parse(value).ok_or_else(wrong)?;
            }
            "policy" => self.policy = Policy::from_name(value)?,
            "max_body" => self.max_body = bytes(key, value)?,
            "max_buffered" => self.max_buffered = bytes(key, value)?,
            "request_seconds" => self.request_time = Duration::from_secs(number(key, value)?),
            "header_seconds" => self.header_time = Duration::from_secs(number(key, value)?),
            "shutdown_seconds" => self.shutdown_time = Duration::from_secs(number(key, value)?),
            "connections" => self.connections = number(key, value)? as usize,
            "workers" => self.workers = number(key, value)? as usize,
            "queue" => self.queue = number(key, value)? as usize,
            "bulk_streams" => self.bulk_streams = number(key, value)? as usize,
            "rate" if value == "0" => self.rate = 0,
            "rate" => self.rate = number(key, value)? as u32,
            "address_rate" if value == "0" => self.address_rate = 0,
            "address_rate" => self.address_rate = number(key, value)? as u32,
            "trusted_proxies" => {
                let wrong = |error| Error::config(format!("{key}: {error}"));
                self.trusted_proxies = TrustedProxies::parse(value).map_err(wrong)?;
            }
            "user_header" => self.people.user = Some(People::header(value)?),
            "groups_header" => self.people.groups = Some(People::header(value)?),
            "group_roles" => self.people.set_roles(value)?,
            "min_free" => self.min_free = bytes(key, value)?,
            "refresh_after" => {
                Refresh::default().changed(Some(value), None)?;
                self.refresh_after = Some(value.to_owned());
            }
            "refresh_unknown" => {
                Refresh::default().changed(None, Some(value))?;
                self.refresh_unknown = Some(value.to_owned());
            }
            "snapshots" => self.snapshots = Some(value.to_owned()),
            "snapshot_every" => self.snapshot_every = Some(time(key, value)?),
            "snapshot_keep" => self.snapshot_keep = Some(number(key, value)? as usize),
            "snapshot_keep_for" => self.snapshot_keep_for = Some(time(key, value)?),
            "traces" => {
                if !(value.starts_with("http://") || value.starts_with("https://")) {
                    return Err(Error::config(format!(
                        "traces is `{value}`, it must be an address such as http://localhost:4318/v1/traces"
                    )));
                }
                self.traces = Some(value.to_owned());
            }
            "trace_share" => {
                let wrong = || Error::config(format!("trace_share is `{value}`, it must be from 0 to 1"));
                let share = value.parse().ok().filter(|share| (0.0..=1.0).contains(share));
                self.trace_share = share.ok_or_else(wrong)?;
            }
            "log_format" => {
                self.log_format = match value {
                    "plain" => LogFormat::Plain,
                    "json" => LogFormat::Json,
                    _ => {
                        return Err(Error::config(format!(
                            "log_format is `{value}`, it must be plain or json"
                        )));
                    }
                }
            }
            "log_level" => {
                let known = ["error", "warn", "info", "debug", "trace"];
                if !known.contains(&value) {
                    let known = known.join(", ");
                    return Err(Error::config(format!("log_level is `{value}`; known: {known}")));
                }
                self.log_level = value.to_owned();
            }
            _ => {
                let known = Config::KEYS.join(", ");
                return Err(Error::config(format!("unknown key `{key}`; known: {known}")));
            }
        }
        Ok(())
    }
}

fn number(key: &str, value: &str) -> Result<u64> {
    let wrong = || Error::config(format!("{key} is `{value}`, it must be a number from 1 to 1000000"));
    value.parse().ok().filter(|number| (1..=1_000_000).contains(number)).ok_or_else(wrong)
}

fn time(key: &str, value: &str) -> Result<Duration> {
    parse_time(value).map_err(|error| Error::config(format!("{key}: {error}")))
}

fn bytes(key: &str, value: &str) -> Result<u64> {
    let bytes = parse_bytes(value).map_err(|error| Error::config(format!("{key}: {error}")))?;
    // Bodies are counted in semaphore permits of a kilobyte, so the number must fit.
    if !(1_000..=1_000_000_000_000).contains(&bytes) {
        return Err(Error::config(format!("{key} is `{value}`, it must be from 1KB to 1TB")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_is_stronger_and_others_are_left_alone() {
        let mut config = Config::from_toml("listen = '127.0.0.1:1'\nqueue = 7\nmax_body = '1MB'").unwrap();
        assert_eq!((config.listen.port(), config.queue, config.max_body), (1, 7, 1_000_000));
        let variables = [("LOOKALIKE_QUEUE", "8"), ("LOOKALIKE_HOME_PAGE", "x"), ("QUEUE", "9")];
        config.apply(variables.map(|(name, value)| (name.to_owned(), value.to_owned()))).unwrap();
        assert_eq!(config, Config { queue: 8, ..config.clone() });
        assert_eq!((config.listen.port(), config.rate), (1, 0));
    }

    #[test]
    fn what_is_wrong_is_said_in_one_sentence() {
        for (text, expected) in [
            ("nonsense = 1", "unknown key `nonsense`; known: data, facets"),
            ("listen = 'here'", "ADDRESS:PORT"),
            ("queue = 0", "from 1 to"),
            ("policy = 'burn'", "unknown policy `burn`"),
            ("log_level = 'loud'", "known: error"),
            ("max_body = '1B'", "from 1KB"),
            ("queue = [1]", "text or a number"),
            ("refresh_after = 0", "after 0 documents"),
            ("refresh_unknown = nan", "from 0 to below 1"),
            ("refresh_unknown = 2.0", "from 0 to below 1"),
            ("refresh_unknown = '-1'", "from 0 to below 1"),
            ("snapshot_every = 'daily'", "snapshot_every: `daily` is no time"),
            ("snapshot_keep = 0", "from 1 to"),
            ("prefix = 'api'", "such as /lookalike"),
            ("traces = 'localhost:4318'", "such as http://"),
            ("trace_share = nan", "from 0 to 1"),
            ("trace_share = 2", "from 0 to 1"),
            ("group_roles = 'ops'", "GROUP=ROLE"),
            ("queue =", ""),
        ] {
            let told = Config::from_toml(text).unwrap_err().to_string();
            assert!(told.contains(expected), "{text}: {told}");
        }
        let mut config = Config::default();
        let told = config.apply([("LOOKALIKE_RATE".to_owned(), "fast".to_owned())]).unwrap_err().to_string();
        assert!(told.starts_with("LOOKALIKE_RATE: "), "{told}");
    }
}
