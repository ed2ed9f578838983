//! The online service: "have we seen this?" over HTTP, around [`lookalike::index::Index`].
//!
//! ```no_run
//! use lookalike::extract::worker::Program;
//! use lookalike_server::{Config, serve};
//! let config = Config { data: "data".into(), ..Config::default() };
//! // The program that reads files when it is started so; see `lookalike::extract::worker`.
//! let program = Program { path: "lookalike".into(), arguments: vec!["extract-worker".to_owned()] };
//! serve(config, None, &program, |address| println!("http://{address}/"))?;
//! # Ok::<(), lookalike::Error>(())
//! ```
//!
//! A request passes [`net`], [`layers`], the guard in [`access`] and its handler in [`routes`],
//! which asks the index through [`gate`]. Handlers hold no rule of their own about who sees what:
//! every call to the index carries the caller's view.

pub mod access;
mod body;
mod config;
mod document;
mod error;
mod gate;
mod health;
mod jobs;
mod layers;
mod lines;
mod logs;
mod maintenance;
mod metrics;
mod net;
mod openapi;
mod reader;
mod removals;
mod routes;
mod search;
mod server;
mod shelf;
mod spool;
mod state;
mod surveys;
#[cfg(test)]
mod testing;

pub use config::{Config, LogFormat};
pub use server::{Server, serve};

/// The OpenAPI document of the service, as `/api/openapi.json` has it: for whoever makes a client without starting one.
pub fn openapi() -> serde_json::Value {
    openapi::document(&routes::all())
}
