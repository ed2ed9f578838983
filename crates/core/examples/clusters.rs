//! What clusters save and lose: documents in clusters, only those that share one compared, timed.
//!
//! `cargo run --release -p lookalike-core --example clusters -- CORPUS.jsonl LEXICON THREADS CANDIDATES…
//! [--pairs PAIRS.jsonl] [--exact COSINE]`
//!
//! LEXICON is a file that `lookalike lexicon build` writes. Each of CANDIDATES is a table such as
//! `{ clustering = { type = "k-means", clusters = 50 }, floor = 0.5 }`; the corpus is read once. Exact copies
//! take part once, as in a run. `--pairs` names pairs of ids that ought to be compared, `--exact` asks for all
//! pairs of such a cosine, found without clusters; how many of these each setting loses is told.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use lookalike_core::candidates::{Join, Records, WithinClusters};
use lookalike_core::document::Document;
use lookalike_core::features::Features;
use lookalike_core::lexicon::{Assets, Lexicon};
use lookalike_core::partition::NoClustering;
use lookalike_core::registry::{BuildContext, Params, Registry, value_from_text};

const USAGE: &str =
    "usage: clusters CORPUS.jsonl LEXICON THREADS CANDIDATES… [--pairs PAIRS.jsonl] [--exact COSINE]";
const FEATURES: &str = "type = 'terms'\nstop_words = 'english'\nweight = 'idf'\nlexicon = 'given'";

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut option = |name: &str| {
        let place = arguments.iter().position(|argument| argument == name)?;
        let value = arguments.get(place + 1).cloned();
        arguments.drain(place..(place + 2).min(arguments.len()));
        value
    };
    let (pairs, exact) = (option("--pairs"), option("--exact"));
    if arguments.len() < 4 {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    }
    match run(&arguments, pairs, exact) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

type Pairs = HashSet<(u32, u32)>;
/// Where each id is among the documents that differ; documents without features are nowhere.
type Places = HashMap<String, Option<u32>>;

fn run(arguments: &[String], pairs: Option<String>, exact: Option<String>) -> Result<(), Box<dyn Error>> {
    let lexicon = Given(Arc::new(Lexicon::open(std::fs::read(&arguments[1])?)?));
    let threads = arguments[2].parse()?;
    let registry = Registry::with_built_ins();
    let context = BuildContext::new(&registry, &lexicon);
    let (records, places) = read(&arguments[0], &context)?;
    eprintln!("{} documents, {} of them different", places.len(), records.len());
    let mut truths: Vec<(String, Pairs)> = Vec::new();
    if let Some(path) = pairs {
        truths.push(("given".to_owned(), read_pairs(&path, &places)?));
    }
    if let Some(cosine) = exact {
        let all = WithinClusters::new(Box::new(NoClustering), cosine.parse()?);
        let found = Mutex::new(Pairs::new());
        all.pairs(&records, threads, &|batch| {
            found.lock().unwrap_or_else(PoisonError::into_inner).extend(batch);
            Ok(())
        })?;
        truths.push((cosine, found.into_inner().unwrap_or_else(PoisonError::into_inner)));
    }
    for candidates in &arguments[3..] {
        let table = value_from_text(candidates).as_table().cloned().ok_or("CANDIDATES must be a table")?;
        let join = WithinClusters::from_params(&mut Params::new("candidates", table), &context)?;
        let found = Mutex::new(vec![Pairs::new(); truths.len()]);
        let start = Instant::now();
        join.pairs(&records, threads, &|batch| {
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            for (found, (_, truth)) in found.iter_mut().zip(&truths) {
                found.extend(batch.iter().filter(|pair| truth.contains(pair)));
            }
            Ok(())
        })?;
        let seconds = start.elapsed().as_secs_f64();
        let narrowing = join.narrowing().ok_or("nothing was narrowed")?;
        println!("{candidates}: {seconds:.1} s, {} MB", peak_memory() >> 20);
        println!(
            "  {} iterations, largest {}, {:.2} clusters each; {}",
            narrowing.iterations,
            narrowing.largest,
            narrowing.clusters_each,
            narrowing.summary()
        );
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (found, (name, truth)) in found.iter().zip(&truths) {
            let lost = truth.len() - found.len();
            let share = 100.0 * lost as f64 / truth.len() as f64;
            println!("  of {} pairs ({name}) {lost} lost, {share:.2} %", truth.len());
        }
        narrowing.warnings.iter().for_each(|warning| println!("  {warning}"));
    }
    Ok(())
}

/// The one lexicon there is, whatever it is called.
struct Given(Arc<Lexicon>);

impl Assets for Given {
    fn load(&self, _: &str) -> lookalike_core::Result<Arc<Lexicon>> {
        Ok(self.0.clone())
    }
}

/// The records of all documents that differ, and the place of each id among them.
fn read(corpus: &str, context: &BuildContext<'_>) -> Result<(Records, Places), Box<dyn Error>> {
    let extractor =
        context.registry.features.build(Params::new("features", FEATURES.parse()?), "terms", context)?;
    let join = WithinClusters::new(Box::new(NoClustering), 0.0);
    let mut input = BufReader::with_capacity(1 << 20, File::open(corpus)?);
    let (mut records, mut features) = (Records::default(), Features::default());
    let (mut places, mut digests) = (HashMap::new(), HashMap::new());
    let (mut line, mut text, mut id) = (String::new(), String::new(), String::new());
    while input.read_line(&mut line)? > 0 {
        if !read_field(&line, "text", &mut text) || !read_field(&line, "id", &mut id) {
            return Err(format!("line {}: no text or no id", places.len() + 1).into());
        }
        line.clear();
        features.fill(&*extractor, &Document::from_text(&text));
        if features.is_empty() {
            places.insert(id.clone(), None);
            continue;
        }
        let place = *digests.entry(features.digest()).or_insert(records.len() as u32);
        places.insert(id.clone(), Some(place));
        if place as usize == records.len() {
            join.pack(&features, &mut records.bytes);
            records.ends.push(records.bytes.len());
        }
    }
    Ok((records, places))
}

/// Pairs of places; those of exact copies, which nobody has to find, are left out.
fn read_pairs(path: &str, places: &Places) -> Result<Pairs, Box<dyn Error>> {
    let mut pairs = Pairs::new();
    for line in BufReader::new(File::open(path)?).lines() {
        let line = line?;
        let place = |name: &str| {
            let mut id = String::new();
            read_field(&line, name, &mut id).then(|| places.get(&id).copied().flatten())?
        };
        if let (Some(a), Some(b)) = (place("a"), place("b"))
            && a != b
        {
            pairs.insert((a.min(b), a.max(b)));
        }
    }
    Ok(pairs)
}

/// Finds the string of this name in a line of JSON.
fn read_field(line: &str, name: &str, text: &mut String) -> bool {
    let mut rest = line;
    while let Some(quote) = rest.find('"') {
        text.clear();
        let Some(after) = read_string(&rest[quote + 1..], text) else { return false };
        rest = after;
        // A string that a colon follows is a name.
        let value = rest.trim_start().strip_prefix(':').map(str::trim_start);
        if let Some(value) = value.filter(|_| text == name).and_then(|value| value.strip_prefix('"')) {
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

/// The most memory this process has had in use so far; 0 where the system does not say.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        line.and_then(|line| line.split_whitespace().next()).and_then(|number| number.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
