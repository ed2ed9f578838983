//! The command `lookalike` with the parts that are built in.

use std::process::ExitCode;

fn main() -> ExitCode {
    lookalike_cli::main(&lookalike::Session::default())
}
