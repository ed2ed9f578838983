//! How fast one thread signs texts in memory, with any extractor and signer.
//!
//! ```text
//! cargo run --release -p lookalike-core --example signing -- CORPUS.jsonl FEATURES SIGN [DF.tsv]
//! cargo run --release -p lookalike-core --example signing -- corpus.jsonl "type='terms', weight='idf'" "type='simhash'" df.tsv
//! ```
//!
//! `FEATURES` and `SIGN` are the inside of a TOML table. `DF.tsv` has lines `word<TAB>documents`, and the number
//! of documents as that of `#docs`; without it, the lexicon is counted from the corpus itself.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use lookalike_core::document::Document;
use lookalike_core::features::{FeatureExtractor, Features};
use lookalike_core::lexicon::{Assets, Lexicon};
use lookalike_core::registry::{BuildContext, Params, Registry};
use lookalike_core::sign::Signer;
use lookalike_core::text::{Scratch, for_each_word};
use lookalike_core::{Error, Result, hash};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [corpus, features, sign, rest @ ..] = &arguments[..] else {
        eprintln!("usage: signing CORPUS.jsonl FEATURES SIGN [DF.tsv]");
        std::process::exit(2);
    };
    let texts: Vec<String> = read(corpus)?.lines().filter_map(text_of).collect();
    let megabytes = texts.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    let registry = Registry::with_built_ins();
    let lexicons = Counted { texts: &texts, file: rest.first(), lexicon: OnceCell::new() };
    let context = BuildContext::new(&registry, &lexicons);
    let extractor = registry.features.build(params("features", features)?, "terms", &context)?;
    let signer = registry.sign.build(params("sign", sign)?, "simhash", &context)?;
    for (name, signs) in [("features", false), ("features and signature", true)] {
        let best =
            (0..3).map(|_| pass(&texts, &*extractor, signs.then_some(&*signer))).fold(f64::MAX, f64::min);
        println!("{name:24} {:8.0} MB/s of text, {} texts", megabytes / best, texts.len());
    }
    Ok(())
}

/// Seconds for all texts.
fn pass(texts: &[String], extractor: &dyn FeatureExtractor, signer: Option<&dyn Signer>) -> f64 {
    let mut features = Features::default();
    let mut signature = vec![0; signer.map_or(0, Signer::width)];
    let mut sum = 0u64;
    let began = clock();
    for text in texts {
        features.fill(extractor, &Document::from_text(text));
        sum ^= features.hashes.last().copied().unwrap_or(0);
        if let Some(signer) = signer {
            signer.sign(&features, &mut signature);
            sum ^= u64::from(signature[0]);
        }
    }
    // So that nothing can be optimised away.
    std::hint::black_box(sum);
    clock() - began
}

/// Seconds that this thread has computed, as Linux tells, else seconds that have passed: on a busy
/// machine they are not the same.
fn clock() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let computed = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = computed.and_then(|line| line.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

fn params(section: &str, inside: &str) -> Result<Params> {
    let table: toml::Table =
        format!("p = {{ {inside} }}").parse().map_err(|error| Error::config(format!("{error}")))?;
    match table.into_iter().next() {
        Some((_, toml::Value::Table(table))) => Ok(Params::new(section, table)),
        _ => Err(Error::config(format!("`{inside}` is no table"))),
    }
}

fn read(path: &str) -> Result<String> {
    std::fs::read_to_string(path).map_err(Error::io(path))
}

/// The value of the field `text`. Good enough for a measurement: escapes that stand for one plain
/// character are undone, others become a space.
fn text_of(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("\"text\":")?;
    let mut characters = rest.trim_start().strip_prefix('"')?.chars();
    let mut text = String::with_capacity(rest.len());
    loop {
        match characters.next()? {
            '"' => return Some(text),
            '\\' => text.push(match characters.next()? {
                plain @ ('"' | '\\' | '/') => plain,
                'u' => characters.nth(3).map(|_| ' ')?,
                _ => ' ',
            }),
            plain => text.push(plain),
        }
    }
}

/// Counts the lexicon when a part asks for it.
struct Counted<'a> {
    texts: &'a [String],
    file: Option<&'a String>,
    lexicon: OnceCell<Arc<Lexicon>>,
}

impl Assets for Counted<'_> {
    fn load(&self, _: &str) -> Result<Arc<Lexicon>> {
        if let Some(lexicon) = self.lexicon.get() {
            return Ok(lexicon.clone());
        }
        let lexicon = match self.file {
            Some(file) => from_file(&read(file)?),
            None => count(self.texts),
        };
        eprintln!("lexicon: {} terms of {} documents", lexicon.len(), lexicon.documents());
        Ok(self.lexicon.get_or_init(|| Arc::new(lexicon)).clone())
    }
}

fn from_file(tsv: &str) -> Lexicon {
    let counts = tsv.lines().filter_map(|line| {
        let (word, count) = line.split_once('\t')?;
        Some((word, count.trim().parse::<u32>().ok()?))
    });
    let (documents, terms): (Vec<_>, Vec<_>) = counts.partition(|&(word, _)| word == "#docs");
    let documents = documents.first().map_or(1, |&(_, count)| u64::from(count));
    Lexicon::from_counts(documents, terms.into_iter().map(|(word, df)| (hash::bytes(word.as_bytes()), df)))
}

fn count(texts: &[String]) -> Lexicon {
    let mut scratch = Scratch::default();
    let mut last_and_count = HashMap::<u64, (usize, u32)>::new();
    for (document, text) in texts.iter().enumerate() {
        for_each_word(text, &mut scratch, |word| {
            let (last, count) = last_and_count.entry(word.hash).or_insert((usize::MAX, 0));
            if std::mem::replace(last, document) != document {
                *count += 1;
            }
        });
    }
    Lexicon::from_counts(texts.len() as u64, last_and_count.into_iter().map(|(word, (_, df))| (word, df)))
}
