//! Prints what comes out of files, as JSON lines; for trying a reader without a child process.
//!
//! `cargo run -p lookalike-extract --example extract -- FILE…`

use lookalike_extract::{Options, extract};

fn main() {
    for name in std::env::args().skip(1) {
        let bytes = match std::fs::read(&name) {
            Ok(bytes) => bytes,
            Err(error) => {
                eprintln!("{name}: {error}");
                continue;
            }
        };
        extract(&bytes, &name, &Options::default(), &mut |outcome| {
            match serde_json::to_string(&(&name, &outcome)) {
                Ok(line) => println!("{line}"),
                Err(error) => eprintln!("{name}: {error}"),
            }
        });
    }
}
