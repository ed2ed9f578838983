//! What each step towards a signature costs, from reading alone to all of signing, on all threads:
//! the limits that `bench/` holds the run against.
//!
//! `cargo run --release -p lookalike --example limits -- corpus.jsonl [THREADS] [METHOD] [STAGE.KEY=VALUE…]`

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use lookalike::{Pipeline, Recipe, Registry};
use lookalike_core::features::Features;
use lookalike_core::hash;
use lookalike_io::inputs::find;
use lookalike_io::read::{Chunk, ReadOptions, Reader};
use lookalike_io::record::{Fields, TextBuffer};

#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Step {
    Read,
    Check,
    Parse,
    Shingle,
    Sign,
}

fn main() -> lookalike::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let Some(file) = arguments.next() else {
        eprintln!("usage: limits CORPUS.jsonl [THREADS] [METHOD] [STAGE.KEY=VALUE…]");
        std::process::exit(2);
    };
    let threads = arguments.next().and_then(|threads| threads.parse().ok()).unwrap_or(2);
    let registry = Registry::with_built_ins();
    let mut recipe = match arguments.next() {
        Some(method) => Recipe::for_method(&method, &registry)?,
        None => Recipe::standard(&registry)?,
    };
    for assignment in arguments {
        let (key, value) = assignment.split_once('=').unwrap_or((&assignment, ""));
        recipe.set(key, value)?;
    }
    let pipeline = recipe.build(&registry)?;
    let steps = [
        (Step::Read, "read"),
        (Step::Check, "+ check UTF-8"),
        (Step::Parse, "+ parse JSON"),
        (Step::Shingle, "+ features"),
        (Step::Sign, "+ signature, keys, digest"),
    ];
    for (step, name) in steps {
        let best = (0..3).map(|_| pass(&file, threads, step, &pipeline)).collect::<Result<Vec<_>, _>>()?;
        let best = best.into_iter().fold(0.0, f64::max);
        println!("{name:24} {best:8.0} MB/s on {threads} threads");
    }
    Ok(())
}

/// Takes every chunk through the steps up to `last` and gives the MB/s.
fn pass(file: &str, threads: usize, last: Step, pipeline: &Pipeline) -> lookalike::Result<f64> {
    let inputs = find(&[file.to_owned()], None)?;
    let fields = Fields { id: "id".into(), text: "text".into(), wanted: Vec::new() };
    let options = ReadOptions {
        max_line: 64 << 20,
        columns: vec!["id".into(), "text".into()],
        text: "text".into(),
        cursors: threads,
    };
    let reader = Reader::open(&inputs, options)?;
    let sum = AtomicU64::new(0);
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let (mut chunk, mut text) = (Chunk::default(), TextBuffer::default());
                let mut features = Features::default();
                let branch = &pipeline.branches[0];
                let mut signature = vec![0; branch.signer.width()];
                let mut keys = vec![0; branch.keys()];
                while reader.next(&mut chunk, &|_, _| false).unwrap_or(false) {
                    let mut seen = chunk.bytes().len() as u64;
                    let all = if last < Step::Check {
                        None
                    } else {
                        simdutf8::basic::from_utf8(chunk.bytes()).ok()
                    };
                    for line in all.filter(|_| last >= Step::Parse).unwrap_or_default().lines() {
                        let Ok(record) = fields.parse(line, &mut text) else { continue };
                        seen ^= record.document.text.len() as u64;
                        if last >= Step::Shingle {
                            features.fill(&*pipeline.features, &record.document);
                            seen ^= features.hashes.last().copied().unwrap_or(0);
                        }
                        if last >= Step::Sign && !features.is_empty() {
                            branch.signer.sign(&features, &mut signature);
                            if let Some(keyer) = branch.keyer() {
                                keyer.write_keys(&signature, &mut keys);
                            }
                            seen ^= u64::from(signature[0])
                                ^ keys.first().unwrap_or(&0)
                                ^ hash::digest(&features.hashes) as u64;
                        }
                    }
                    // So that no step can be optimised away.
                    sum.fetch_xor(seen, Ordering::Relaxed);
                }
            });
        }
    });
    std::hint::black_box(sum.into_inner());
    Ok(inputs[0].bytes as f64 / 1e6 / began.elapsed().as_secs_f64())
}
