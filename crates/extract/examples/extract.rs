//! Prints what comes out of files, as JSON lines; for trying a reader without a child process.
//!
//! `cargo run -p lookalike-extract --example extract -- FILE…`

use lookalike_extract::{Options, extract_stream};

fn main() {
    for name in std::env::args().skip(1) {
        let opened = std::fs::File::open(&name).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (length, file) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                eprintln!("{name}: {error}");
                continue;
            }
        };
        extract_stream(file, length, &name, &Options::default(), &mut |outcome| match serde_json::to_string(
            &(&name, &outcome),
        ) {
            Ok(line) => println!("{line}"),
            Err(error) => eprintln!("{name}: {error}"),
        });
    }
}
