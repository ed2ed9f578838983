//! The online service: "have we seen this document?" over HTTP, around [`lookalike::index::Index`].
//!
//! ```no_run
//! use lookalike::Session;
//! use lookalike::files::Program;
//! use lookalike_server::{Config, serve};
//! let config = Config { data: "data".into(), ..Config::default() };
//! // The program that reads files when it is started so; see `lookalike::files`.
//! let program = Program { path: "lookalike".into(), arguments: vec!["extract-worker".to_owned()] };
//! let session = Session::default().reading_files_by(program);
//! serve(&session, config, None, |address| println!("http://{address}/"))?;
//! # Ok::<(), lookalike::Error>(())
//! ```
//!
//! A request passes `net`, `layers`, `guard` and its handler in `routes`, which queries the index through
//! `work_limiter`. Handlers have no access rules of their own: every call to the index carries the view of the
//! caller.

pub mod access;
mod address;
pub mod audit;
mod body;
mod config;
mod document;
mod erasure;
mod error;
mod guard;
mod health;
mod jobs;
mod layers;
mod lines;
mod logs;
mod maintenance;
mod memory_budget;
mod metrics;
mod net;
mod openapi;
mod prefix;
mod reader;
mod removals;
mod review;
mod review_queue;
mod routes;
mod search;
mod server;
mod snapshots;
mod spool;
mod state;
mod surveys;
#[cfg(test)]
mod testing;
mod traces;
mod work_limiter;

pub use address::TrustedProxies;
pub use config::{Config, LogFormat};
pub use server::{Server, serve};

/// The OpenAPI document of the service, as served at `/api/openapi.json`; for generating clients without starting a
/// service.
pub fn openapi() -> serde_json::Value {
    // It consists of JSON values, which can always be serialised.
    serde_json::to_value(routes::document()).unwrap_or_default()
}
