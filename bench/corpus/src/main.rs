//! Makes the benchmark's corpus and its truth.  The same arguments and sources give the same bytes.

mod compose;
mod edit;
mod join;
mod plan;
mod rng;
mod source;
mod truth;
mod words;

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;

use compose::Composer;
use plan::{Plan, Shape};
use words::Words;

const USAGE: &str =
    "usage: lookalike-bench-corpus --text DIR_OR_FILE... --out corpus.jsonl --truth truth.jsonl
  [--documents 200000] [--first 0] [--words 426] [--seed 1] [--shape ordinary|identical|template] [--min-j 0.8]";

/// Fewer sentences would make unplanted documents alike.
const MIN_SENTENCES: usize = 1000;
const CHUNK: usize = 1000;

struct Options {
    text: Vec<PathBuf>,
    documents: usize,
    /// The number in the id of the first document, so that several corpora may be one.
    first: u32,
    /// How many words a document has on average.
    words: usize,
    seed: u64,
    shape: Shape,
    min_j: f64,
    out: PathBuf,
    truth: PathBuf,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = parse(std::env::args().skip(1)).map_err(|problem| format!("{problem}\n{USAGE}"))?;
    let sentences = source::read_sentences(&options.text)?;
    if sentences.len() < MIN_SENTENCES {
        return Err(format!("only {} usable sentences in the text given", sentences.len()).into());
    }
    eprintln!("{} different sentences", sentences.len());
    let plan = Plan::new(options.documents, options.seed, options.shape);
    let words = write_corpus(&options, &plan, &Composer::new(sentences, options.seed, options.words))?;
    eprintln!("{} documents, {} words", words.documents(), words.total());

    let truth = truth::compute(&words, &plan, options.shape, options.min_j);
    let mut out = BufWriter::new(File::create(&options.truth)?);
    truth::write(&truth, options.first, &mut out)?;
    out.flush()?;
    report(&truth, &plan, options.min_j);
    Ok(())
}

/// Writes the documents while the next ones are being made, and returns their words.
fn write_corpus(options: &Options, plan: &Plan, composer: &Composer) -> Result<Words, Box<dyn Error>> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&options.out)?);
    let mut words = Words::default();
    let (sender, receiver) = mpsc::sync_channel::<Vec<String>>(8);
    thread::scope(|scope| -> Result<(), Box<dyn Error>> {
        scope.spawn(move || {
            for slots in plan.slots.chunks(CHUNK) {
                if sender.send(slots.iter().map(|&slot| composer.text(slot)).collect()).is_err() {
                    break; // the writer failed and says why
                }
            }
        });
        for text in receiver.into_iter().flatten() {
            let position = words.documents();
            let (url, date) = composer.meta(position);
            let id = truth::id(options.first + position as u32);
            let text_json = serde_json::to_string(&text)?;
            writeln!(out, r#"{{"id": "{id}", "text": {text_json}, "url": "{url}", "date": "{date}"}}"#)?;
            words.push_document(&text);
        }
        out.flush()?;
        Ok(())
    })?;
    Ok(words)
}

fn report(truth: &truth::Truth, plan: &Plan, min_j: f64) {
    let clusters = plan.planted_clusters();
    let planted: usize = clusters.iter().map(Vec::len).sum();
    println!("planted: {planted} documents in {} clusters", clusters.len());
    println!("true pairs with J >= {min_j}: {}", truth.pairs.len());
    for (members, bound) in &truth.groups {
        println!("and one group of {} documents, all pairs with J >= {bound:.3}", members.len());
    }
    println!("similarity of planted pairs:");
    let total: usize = truth.planted_histogram.iter().sum();
    for (bin, count) in truth.planted_histogram.iter().enumerate().filter(|(_, count)| **count > 0) {
        let range = if bin == 20 {
            "1 exactly ".to_owned()
        } else {
            format!("{:.2}..{:.2}", bin as f64 / 20.0, (bin + 1) as f64 / 20.0)
        };
        println!("  {range}  {count:>8}  {}", "#".repeat(count * 200 / total.max(1)));
    }
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options {
        text: Vec::new(),
        documents: 200_000,
        first: 0,
        words: compose::USUAL_WORDS,
        seed: 1,
        shape: Shape::Ordinary,
        min_j: 0.8,
        out: PathBuf::new(),
        truth: PathBuf::new(),
    };
    let mut option = String::new();
    while let Some(argument) = arguments.next() {
        // `--text` takes all that follows up to the next option.
        if !argument.starts_with("--") && option == "--text" {
            options.text.push(argument.into());
            continue;
        }
        option = argument;
        if option == "--text" {
            continue;
        }
        let value = arguments.next().ok_or_else(|| format!("{option} needs a value"))?;
        let wrong = |_| format!("{option} cannot be {value}");
        match option.as_str() {
            "--documents" => options.documents = value.parse().map_err(wrong)?,
            "--first" => options.first = value.parse().map_err(wrong)?,
            "--words" => options.words = value.parse().map_err(wrong)?,
            "--seed" => options.seed = value.parse().map_err(wrong)?,
            "--min-j" => options.min_j = value.parse().map_err(|_| format!("{option} cannot be {value}"))?,
            "--out" => options.out = value.into(),
            "--truth" => options.truth = value.into(),
            "--shape" => {
                options.shape = match value.as_str() {
                    "ordinary" => Shape::Ordinary,
                    "identical" => Shape::Identical,
                    "template" => Shape::Template,
                    _ => return Err(format!("no shape {value}")),
                }
            }
            _ => return Err(format!("no option {option}")),
        }
    }
    if options.text.is_empty() || options.out.as_os_str().is_empty() || options.truth.as_os_str().is_empty() {
        return Err("--text, --out and --truth are needed".to_owned());
    }
    if !(options.min_j > 0.0 && options.min_j <= 1.0) || options.documents == 0 {
        return Err("--min-j must be above 0 and at most 1, --documents at least 1".to_owned());
    }
    Ok(options)
}
