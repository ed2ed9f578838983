//! The whole command line of Lookalike with the parts of this crate: `cargo run -- dedup corpus.jsonl -o deduped --method code`,
//! `cargo run -- index create seen --method code`, `cargo run -- serve --data data --method code`.

use std::process::ExitCode;

use lookalike::{Registry, Session};

fn main() -> ExitCode {
    let mut registry = Registry::with_built_ins();
    if let Err(error) = lookalike_plugin_example::register(&mut registry) {
        eprintln!("error: {error}");
        return ExitCode::from(2);
    }
    lookalike_cli::main(&Session::new(registry))
}
