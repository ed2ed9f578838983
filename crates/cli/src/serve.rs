//! `lookalike serve`

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Args, Subcommand, ValueHint};
use lookalike::{Session, parse_time};
use lookalike_server::access::{NewToken, Role, TokenStore};
use lookalike_server::audit::Audit;
use lookalike_server::{Config, serve};
use serde_json::{Value, json};

use crate::args::RecipeArgs;
use crate::index::refresh_args::RefreshArgs;
use crate::out::{print, print_json, table, tell};

pub const SERVE_HELP: &str = "\
Examples:
  lookalike serve --data DIR
  lookalike serve --data DIR --method simhash --listen 127.0.0.1:9000
  lookalike serve token add crawler --role write --label news --data DIR
  lookalike serve --data DIR --listen 0.0.0.0:8080 --config serve.toml
  lookalike serve --data DIR --listen 0.0.0.0:8443 --tls-certificate chain.pem --tls-key key.pem

Settings come from the file, then from the environment (LOOKALIKE_LISTEN, LOOKALIKE_POLICY, …), then
from flags; the later is stronger. An address that others can reach needs a token.";

/// How the service runs.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ServeArgs {
    #[command(subcommand)]
    action: Option<ServeAction>,
    #[command(flatten)]
    data: DataArgs,
    /// Address and port [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR:PORT")]
    listen: Option<String>,
    /// Answer by TLS, with this certificate (PEM, those of its issuers after it)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "tls_key")]
    tls_certificate: Option<String>,
    /// The key of the certificate (PEM, not encrypted)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "tls_certificate")]
    tls_key: Option<String>,
    /// What becomes of a document that resembles a known one, where a request does not say: report,
    /// reject, replace, keep-best, version [default: report]
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// For an index that does not exist yet
    #[command(flatten)]
    recipe: RecipeArgs,
    #[command(flatten)]
    refresh: RefreshArgs,
    /// Any other setting, such as queue=64; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    with: Vec<String>,
}

#[derive(Args)]
struct DataArgs {
    /// Folder with the index, the tokens, lexicons and models
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    data: Option<PathBuf>,
    /// Settings (TOML) [default: the file that LOOKALIKE_CONFIG names]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
}

#[derive(Subcommand)]
enum ServeAction {
    /// Who may use the service: make, list and revoke tokens
    #[command(subcommand)]
    Token(TokenAction),
}

#[derive(Subcommand)]
enum TokenAction {
    /// Make a token and print it; it cannot be shown again
    Add {
        name: String,
        /// read, reviewer, write or admin
        #[arg(long, value_name = "ROLE", default_value = "read")]
        role: String,
        /// See only documents with this label and those without any; may be repeated [default: see all]
        #[arg(long, value_name = "LABEL")]
        label: Vec<String>,
        /// Write and remove only documents with labels, all of them among these; may be repeated [default: --label]
        #[arg(long, value_name = "LABEL")]
        write_label: Vec<String>,
        /// When it ends, such as 90d [default: never]
        #[arg(long, value_name = "TIME")]
        expires: Option<String>,
        /// Use only this path and those below it, such as /api/check; may be repeated [default: all of its role]
        #[arg(long, value_name = "PATH")]
        route: Vec<String>,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Make a new token in the place of one, and print it; the old one is accepted for another while
    Rotate {
        name: String,
        /// How long the old one is accepted, such as 1h
        #[arg(long, value_name = "TIME", default_value = "1d")]
        grace: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// List tokens by name
    List {
        /// Print as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        data: DataArgs,
    },
    /// End a token; a service that runs notices within a second
    Revoke {
        name: String,
        #[command(flatten)]
        data: DataArgs,
    },
}

impl ServeArgs {
    /// Whether the service itself is to run: tokens are made without it.
    pub fn is_service(&self) -> bool {
        self.action.is_none()
    }
}

pub fn run(session: &Session, arguments: &ServeArgs) -> anyhow::Result<()> {
    if let Some(ServeAction::Token(action)) = &arguments.action {
        return token(action);
    }
    let mut config = arguments.data.settings()?;
    let given = [
        ("listen", arguments.listen.as_deref()),
        ("policy", arguments.policy.as_deref()),
        ("tls-certificate", arguments.tls_certificate.as_deref()),
        ("tls-key", arguments.tls_key.as_deref()),
    ];
    for (name, value) in given.into_iter().chain(arguments.refresh.given()) {
        if let Some(value) = value {
            config.set(&name.replace('-', "_"), value).with_context(|| format!("--{name}"))?;
        }
    }
    for assignment in &arguments.with {
        let (key, value) = assignment
            .split_once('=')
            .with_context(|| format!("--with {assignment}: write it as key=value"))?;
        config.set(key.trim(), value.trim()).with_context(|| format!("--with {assignment}"))?;
    }
    let given = arguments.recipe.is_given();
    let recipe = if given { Some(arguments.recipe.recipe(session.registry())?) } else { None };
    Ok(serve(session, config, recipe.as_ref(), |_| {})?)
}

impl DataArgs {
    /// File, environment, flag.
    fn settings(&self) -> anyhow::Result<Config> {
        let file = self.config.clone().or_else(|| std::env::var_os("LOOKALIKE_CONFIG").map(PathBuf::from));
        let mut config = match file {
            Some(file) => Config::from_file(&file)?,
            None => Config::default(),
        };
        config.apply_env()?;
        if let Some(data) = &self.data {
            config.data.clone_from(data);
        }
        if config.data.as_os_str().is_empty() {
            bail!("name a folder for the service's data: --data DIR");
        }
        Ok(config)
    }

    /// Records what was done to the tokens.
    fn record(&self, action: &str, what: Value) -> anyhow::Result<()> {
        Ok(Audit::new(&self.settings()?.data).record_here(action, what)?)
    }

    fn tokens(&self) -> anyhow::Result<TokenStore> {
        Ok(TokenStore::open(&self.settings()?.data)?)
    }
}

fn token(action: &TokenAction) -> anyhow::Result<()> {
    match action {
        TokenAction::Add { name, role, label, write_label, expires, route, data } => {
            let labels = (!label.is_empty()).then(|| label.clone());
            let writes = (!write_label.is_empty()).then(|| write_label.clone());
            let lives = expires.as_deref().map(parse_time).transpose().context("--expires")?;
            let routes = (!route.is_empty()).then(|| route.clone());
            let what = json!({
                "name": name, "role": role, "labels": labels, "writes": writes, "expires": expires, "routes": routes,
            });
            let role = Role::from_name(role)?;
            let new = NewToken { name: name.clone(), role, labels, writes, lives, routes };
            let token = data.tokens()?.add(new)?;
            data.record("add-token", what)?;
            print(&format!("{token}\n"))
        }
        TokenAction::Rotate { name, grace, data } => {
            let time = if grace == "0" { Duration::ZERO } else { parse_time(grace).context("--grace")? };
            let Some(token) = data.tokens()?.rotate(name, time)? else {
                bail!("there is no token `{name}`; see `lookalike serve token list`");
            };
            data.record("rotate-token", json!({ "name": name, "grace": grace }))?;
            print(&format!("{token}\n"))
        }
        TokenAction::Revoke { name, data } => {
            let tokens = data.tokens()?;
            if !tokens.revoke(name)? {
                bail!("there is no token `{name}`; see `lookalike serve token list`");
            }
            data.record("revoke-token", json!({ "name": name }))?;
            if tokens.list()?.is_empty() {
                tell(
                    "note: that was the last token; nobody is let in before `lookalike serve token add` makes one",
                );
            }
            Ok(())
        }
        TokenAction::List { json, data } => {
            let tokens = data.tokens()?.list()?;
            if *json {
                let tokens: Vec<Value> = tokens
                    .iter()
                    .map(|token| {
                        json!({
                            "name": token.name,
                            "role": token.role,
                            "labels": token.labels,
                            "writes": token.writes,
                            "created": token.created,
                            "expires": token.expires,
                            "routes": token.routes,
                        })
                    })
                    .collect();
                return print_json(&tokens);
            }
            let mut rows = vec![["NAME", "role", "sees", "ends"].map(str::to_owned).to_vec()];
            for token in tokens {
                let sees =
                    token.labels.map_or("all".to_owned(), |labels| format!("public, {}", labels.join(", ")));
                let sees = token
                    .writes
                    .map_or(sees.clone(), |labels| format!("{sees}; writes {}", labels.join(", ")));
                let ends = token.expires.map_or("never".to_owned(), date);
                rows.push(vec![token.name, token.role.name().to_owned(), sees, ends]);
            }
            print(&table(&rows))
        }
    }
}

/// A time as people read it.
fn date(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    time.map_or_else(|| seconds.to_string(), |time| time.to_string())
}
