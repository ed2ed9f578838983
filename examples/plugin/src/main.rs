//! Removes near-duplicate source files from a JSONL corpus with the parts of this crate.
//!
//! `cargo run -- FILE.jsonl OUTPUT-FOLDER` reads `{"id": …, "text": …}` lines. Without arguments a few
//! small files, compiled in, are compared in a temporary folder.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lookalike::{Error, Job, Quiet, Recipe, Registry, Result, run};

/// Two versions of one function, a re-indented copy, and a stranger.
const SAMPLES: &str = include_str!("../samples.jsonl");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.as_slice() {
        [] => with_samples(),
        [input, output] => dedup(Path::new(input), Path::new(output)),
        _ => Err(Error::config("give a JSONL file and a folder for the results, or nothing at all")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn dedup(input: &Path, output: &Path) -> Result<()> {
    let mut registry = Registry::with_built_ins();
    lookalike_plugin_example::register(&mut registry)?;
    // A method's recipe can be changed key by key, as with `--set` on the command line.
    let mut recipe = Recipe::for_method("code", &registry)?;
    recipe.set("features.shortest", "3")?;
    let pipeline = recipe.build(&registry)?;

    let report = run(&pipeline, &Job::new([input.to_string_lossy()], output), &Quiet)?;
    println!("kept {}, removed {} of {} documents", report.kept, report.removed, report.documents);
    println!("scheme {}", report.scheme);
    let removed = output.join("removed.jsonl");
    print!("{}", std::fs::read_to_string(&removed).map_err(Error::io(&removed))?);
    Ok(())
}

fn with_samples() -> Result<()> {
    let folder: PathBuf = std::env::temp_dir().join(format!("lookalike-plugin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
    let corpus = folder.join("samples.jsonl");
    let written = std::fs::write(&corpus, SAMPLES).map_err(Error::io(&corpus));
    let outcome = written.and_then(|()| dedup(&corpus, &folder.join("deduped")));
    // What a temporary folder keeps is not worth an error.
    let _ = std::fs::remove_dir_all(&folder);
    outcome
}
