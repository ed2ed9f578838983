//! All pairs of documents whose sets of words are alike: the exact join, timed.
//!
//! `cargo run --release -p lookalike-core --example join -- CORPUS.jsonl cosine 0.9 [THREADS] [--check SAMPLE]`
//!
//! With `--check`, some documents, drawn at random, are compared with every other one, and their pairs
//! must be those of the join.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use lookalike_core::candidates::{Join, Records, SetJoin};
use lookalike_core::decide::Overlap;
use lookalike_core::features::{FeatureSet, Features};
use lookalike_core::hash;
use lookalike_core::registry::{BuildContext, NoAssets, Params, Registry};
use lookalike_core::text::for_each_word;

const USAGE: &str = "usage: join CORPUS.jsonl MEASURE THRESHOLD [THREADS] [--check SAMPLE]";

struct Options {
    corpus: String,
    measure: String,
    threshold: f64,
    threads: usize,
    /// How many documents to compare with all others.
    sample: usize,
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn options() -> Option<Options> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut sample = 0;
    if let Some(place) = arguments.iter().position(|argument| argument == "--check") {
        sample = arguments.get(place + 1)?.parse().ok()?;
        arguments.drain(place..place + 2);
    }
    let threads = arguments.get(3).map_or(Ok(2), |threads| threads.parse()).ok()?;
    let [corpus, measure, threshold] = arguments.get(..3)? else { return None };
    let threshold = threshold.parse().ok()?;
    Some(Options { corpus: corpus.clone(), measure: measure.clone(), threshold, threads, sample })
}

/// Whether the check, if there is one, agrees.
fn run(options: &Options) -> Result<bool, Box<dyn std::error::Error>> {
    let registry = Registry::with_built_ins();
    let context = BuildContext {
        measure: &options.measure,
        similarity: options.threshold,
        ..BuildContext::new(&registry, &NoAssets)
    };
    let join = SetJoin::from_params(&mut Params::new("candidates", Default::default()), &context)?;
    let start = Instant::now();
    let records = read(&options.corpus, &join)?;
    let read_in = start.elapsed().as_secs_f64();

    let wanted = sample(records.len(), options.sample);
    let (count, kept) = (AtomicU64::new(0), Mutex::new(BTreeSet::new()));
    join.pairs(&records, options.threads, &|batch| {
        count.fetch_add(batch.len() as u64, Ordering::Relaxed);
        if !wanted.is_empty() {
            let of_sample = batch.iter().filter(|(a, b)| wanted.contains(a) || wanted.contains(b));
            kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).extend(of_sample);
        }
        Ok(())
    })?;
    let total = start.elapsed().as_secs_f64();
    println!(
        "{{\"documents\":{},\"features\":{},\"pairs\":{},\"seconds_join\":{:.2},\"seconds_total\":{total:.2},\"peak_bytes\":{}}}",
        records.len(),
        records.bytes.len() / 8,
        count.into_inner(),
        total - read_in,
        peak_memory()
    );

    if wanted.is_empty() {
        return Ok(true);
    }
    let measure = registry.measures.build_named(&options.measure, &registry)?;
    let set = |place: u32| FeatureSet {
        hashes: records
            .get(place as usize)
            .as_chunks()
            .0
            .iter()
            .map(|&hash| u64::from_le_bytes(hash))
            .collect(),
        ..FeatureSet::default()
    };
    let mut expected = BTreeSet::new();
    let chosen: Vec<(u32, FeatureSet)> = wanted.iter().map(|&place| (place, set(place))).collect();
    for other in 0..records.len() as u32 {
        let other_set = set(other);
        for (place, set) in chosen.iter().filter(|(place, _)| *place != other) {
            let overlap = Overlap::count(set, &other_set);
            let empty = set.is_empty() || other_set.is_empty();
            if !empty && measure.similarity(set, &other_set, &overlap) >= options.threshold {
                expected.insert((other.min(*place), other.max(*place)));
            }
        }
    }
    let found = kept.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    let equal = found == expected;
    let verdict = if equal { "equal to" } else { "DIFFERS from" };
    eprintln!(
        "{} pairs of {} sampled documents: {verdict} all comparisons ({})",
        found.len(),
        wanted.len(),
        expected.len()
    );
    Ok(equal)
}

fn read(corpus: &str, join: &SetJoin) -> io::Result<Records> {
    let mut input = BufReader::with_capacity(1 << 20, File::open(corpus)?);
    let (mut records, mut features) = (Records::default(), Features::default());
    let (mut line, mut text) = (String::new(), String::new());
    while input.read_line(&mut line)? > 0 {
        text.clear();
        if !read_text(&line, &mut text) {
            return Err(io::Error::other(format!("line {}: no text", records.len() + 1)));
        }
        features.hashes.clear();
        let Features { hashes, scratch, .. } = &mut features;
        for_each_word(&text, scratch, |word| hashes.push(word.hash));
        join.pack(&features, &mut records.bytes);
        records.ends.push(records.bytes.len());
        line.clear();
    }
    Ok(records)
}

/// Finds the string called `text` in a line of JSON.
fn read_text(line: &str, text: &mut String) -> bool {
    let mut rest = line;
    while let Some(quote) = rest.find('"') {
        text.clear();
        let Some(after) = read_string(&rest[quote + 1..], text) else { return false };
        rest = after;
        // A string that a colon follows is a name.
        let value = rest.trim_start().strip_prefix(':').map(str::trim_start);
        if let Some(value) = value.filter(|_| text == "text").and_then(|value| value.strip_prefix('"')) {
            text.clear();
            return read_string(value, text).is_some();
        }
    }
    false
}

/// Appends a JSON string, without its escapes, up to its closing quote, and gives what follows.
fn read_string<'a>(mut json: &'a str, out: &mut String) -> Option<&'a str> {
    loop {
        let stop = json.find(['"', '\\'])?;
        out.push_str(&json[..stop]);
        let after = &json[stop + 1..];
        if json[stop..].starts_with('"') {
            return Some(after);
        }
        let escape = after.chars().next()?;
        json = &after[escape.len_utf8()..];
        match escape {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'u' => {
                let unit = |json: &str| u32::from_str_radix(json.get(..4)?, 16).ok();
                let mut code = unit(json)?;
                json = &json[4..];
                if (0xd800..0xdc00).contains(&code)
                    && let Some(low) = json.strip_prefix("\\u").and_then(unit)
                    && (0xdc00..0xe000).contains(&low)
                {
                    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                    json = &json[6..];
                }
                out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            other => out.push(other),
        }
    }
}

/// Different documents, the same ones every time.
fn sample(documents: usize, size: usize) -> BTreeSet<u32> {
    let mut chosen = BTreeSet::new();
    let mut state = 1;
    while chosen.len() < size.min(documents) {
        state = hash::mix(state);
        chosen.insert((state % documents as u64) as u32);
    }
    chosen
}

/// The most memory this process has had in use so far; 0 where the system does not say.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        line.and_then(|line| line.split_whitespace().next()).and_then(|number| number.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
