//! The log, on standard error. It contains requests, routes, statuses and the names of tokens; never a document's
//! text and never a token.

use std::str::FromStr;

use lookalike::{Error, Result};
use tracing::level_filters::LevelFilter;

use crate::config::{Config, LogFormat};

pub fn start(config: &Config) -> Result<()> {
    let level = LevelFilter::from_str(&config.log_level).map_err(|error| Error::config(error.to_string()))?;
    let log = tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr).with_target(false);
    // The reader of the log may be gone. Reporting that on standard error would panic and end the request.
    let log = log.log_internal_errors(false);
    let started = match config.log_format {
        LogFormat::Plain => log.with_ansi(false).try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
    started.map_err(|error| Error::Internal(format!("the log cannot be started: {error}")))
}
