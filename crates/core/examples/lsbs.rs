//! How long location-sensitive bitwise similarity takes: one document against a thousand.
//!
//! ```text
//! cargo run --release -p lookalike-core --example lsbs
//! ```
//!
//! Prints one line of JSON with comparisons that end as soon as a pair is hopeless, and one with
//! comparisons that go through every pair to its end. The texts are made up of English words; one
//! in a hundred is a copy of the query with a few letters changed.

use std::hint::black_box;
use std::time::{Duration, Instant};

use lookalike_core::candidates::{Join, Records, SizeWindow};
use lookalike_core::document::Document;
use lookalike_core::features::{Align, ChunkStreams, Chunks, Features};
use lookalike_core::{Result, hash};

const DOCUMENTS: usize = 1000;
const BYTES_EACH: usize = 5000;
const THRESHOLD: f64 = 0.8;
const QUERIES: usize = 200;

fn main() -> Result<()> {
    let chunks = Chunks::new(Align::Position { bits: 8 }, ChunkStreams::Both, false, "")?;
    let join = SizeWindow::new(THRESHOLD, 0)?;
    let mut features = Features::default();
    let mut pack = |text: &str| {
        features.fill(&chunks, &Document::from_text(text));
        let mut record = Vec::new();
        join.pack(&features, &mut record);
        record
    };
    let query = english(0);
    let mut records = Records::default();
    for document in 1..=DOCUMENTS as u64 {
        records.push(&pack(&if document % 100 == 0 {
            misspelt(&query, document)
        } else {
            english(document)
        }));
    }
    let query = pack(&query);

    report(true, || {
        let mut matches = 0;
        join.scan(black_box(&query), &records, |_, _| matches += 1);
        matches
    });
    report(false, || {
        let places = 0..records.len();
        places.filter(|&place| join.similarity(black_box(&query), records.get(place)) >= THRESHOLD).count()
    });
    Ok(())
}

fn report(early_abandoning: bool, run: impl Fn() -> usize) {
    let matches = run();
    let timed = |_| {
        let start = Instant::now();
        black_box(run());
        start.elapsed()
    };
    // The median, which a busy machine disturbs less than the mean.
    let mut times: Vec<Duration> = (0..QUERIES).map(timed).collect();
    times.sort();
    let milliseconds = times[QUERIES / 2].as_secs_f64() * 1000.0;
    println!(
        "{{\"documents\": {DOCUMENTS}, \"bytes_each\": {BYTES_EACH}, \"early_abandoning\": {early_abandoning}, \
         \"ms_per_query\": {milliseconds:.4}, \"matches\": {matches}}}"
    );
}

/// Sentences of common words, the commonest most often.
fn english(seed: u64) -> String {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut text = String::new();
    for place in 0.. {
        let random = hash::mix(hash::combine(seed, place));
        let rank = ((random % words.len() as u64) * (random >> 32 & 0xffff)) >> 16;
        text.push_str(words[rank as usize]);
        text.push_str(if random >> 60 == 0 { ". " } else { " " });
        if text.len() >= BYTES_EACH {
            break;
        }
    }
    text.truncate(BYTES_EACH);
    text
}

/// A copy with one letter in fifty or so changed. Symbols stay: a letter in their place would move all text
/// behind it.
fn misspelt(text: &str, seed: u64) -> String {
    let changed = |(place, letter): (usize, char)| {
        let random = hash::mix(hash::combine(seed, place as u64));
        if letter.is_alphabetic() && random.is_multiple_of(50) { 'x' } else { letter }
    };
    text.chars().enumerate().map(changed).collect()
}

const WORDS: &str = "the of and to a in is that it was for on are with as his they at be this from have or by one \
    had not but what all were when we there can an your which their said if do will each about how up out them \
    then she many some so these would other into has more her two like him see time could no make than first \
    been its who now people my made over did down only way find use may water long little very after words \
    called just where most know get through back much before go good new write our used me man too any day same \
    right look think also around another came come work three word must because does part even place well such \
    here take why things help put years different away again off went old number great tell men say small every \
    found still between name should home big give air line set own under read last never us left end along while \
    might next sound below saw something thought both few those always looked show large often together asked \
    house world going want school important until form food keep children feet land side without boy once animals \
    life enough took sometimes four head above kind began almost live page got earth need far hand high year";
