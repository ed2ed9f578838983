use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::Mutex;

use lookalike_core::features::{Shingles, Unit};
use lookalike_core::hash;
use lookalike_core::lexicon::WORDS;
use lookalike_core::testing::hashes_of;
use lookalike_core::text::reference_words;

use super::*;
use crate::progress::Quiet;

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Place(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path(name), bytes).unwrap();
        self.path(name).to_string_lossy().into_owned()
    }

    fn job(&self, inputs: &[String]) -> CountJob {
        CountJob {
            source: Some("here".to_owned()),
            threads: 2,
            ..CountJob::new(inputs, self.path("it.lexicon"))
        }
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Many words, few of them in many documents; more than the smallest table holds.
fn documents() -> Vec<String> {
    let word = |number: u64| format!("Word{}", hash::mix(number) % (1 + number * 7 % 60_000));
    let document = |number: u64| (0..40).map(|i| word(number * 40 + i)).collect::<Vec<_>>().join(", ");
    (0..4000).map(document).collect()
}

fn lines(documents: &[String]) -> String {
    documents.iter().map(|text| serde_json::json!({ "text": text, "id": [1] }).to_string() + "\n").collect()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn threads_memory_order_and_compression_do_not_matter() {
    let place = Place::new();
    let mut documents = documents();
    let text = lines(&documents);
    let plain = place.write("plain.jsonl", &text);
    let first = build(&place.job(std::slice::from_ref(&plain)), None, &Quiet).unwrap().lexicon;

    let mut twin: BTreeMap<u64, (u32, String)> = BTreeMap::new();
    for document in &documents {
        for word in reference_words(document).into_iter().collect::<BTreeSet<_>>() {
            twin.entry(hash::bytes(word.as_bytes())).or_insert((0, word)).0 += 1;
        }
    }
    assert!(twin.len() > 30_000, "{}", twin.len());
    assert_eq!(first.documents(), documents.len() as u64);
    assert!(first.entries().eq(twin.iter().map(|(&hash, (df, word))| (hash, *df, word.as_bytes()))));

    let whole = first.as_bytes().to_vec();
    documents.reverse();
    let halves = documents.split_at(1700);
    let zipped = place.write("a.jsonl.gz", gzip(&lines(halves.0)));
    let packed = place.write("b.jsonl.zst", zstd::encode_all(lines(halves.1).as_bytes(), 1).unwrap());
    for (inputs, threads, memory) in [
        (vec![plain.clone()], 1, 33_000_000),
        (vec![plain.clone(), plain], 3, 67_000_000),
        (vec![packed, zipped], 2, 50_000_000),
    ] {
        let job = CountJob { threads, memory, ..place.job(&inputs) };
        let lexicon = build(&job, None, &Quiet).unwrap().lexicon;
        assert_eq!(lexicon.as_bytes(), whole, "{threads} threads, {memory} bytes");
    }
    assert_eq!(place.names(), ["a.jsonl.gz", "b.jsonl.zst", "it.lexicon", "plain.jsonl"], "nothing is left");
}

#[test]
fn the_smallest_memory_spills() {
    let place = Place::new();
    let corpus = place.write("corpus.jsonl", lines(&documents()));
    let job = CountJob { threads: 1, memory: 33_000_000, ..place.job(&[corpus]) };
    let inputs = find_inputs(&job, Path::new(""), &Quiet).unwrap();
    let runs = Runs::new(place.0.path());
    let pass = Pass { job: &job, extractor: None, inputs: &inputs, runs: &runs };
    pass.run(&Quiet).unwrap();
    assert!(place.names().iter().filter(|name| name.starts_with("run-")).count() >= 2, "{:?}", place.names());
}

#[test]
fn rare_terms_are_left_out_on_request() {
    let place = Place::new();
    let corpus = place.write("corpus.jsonl", lines(&["a b".into(), "a b c".into(), "a".into()]));
    let job = CountJob { least_df: 2, ..place.job(&[corpus]) };
    let lexicon = build(&job, None, &Quiet).unwrap().lexicon;
    let df = |word: &str| lexicon.df(hash::bytes(word.as_bytes()));
    assert_eq!((df("a"), df("b"), df("c"), lexicon.about().least_df), (3, 2, 0, 2));
}

#[test]
fn features_of_any_extractor_can_be_counted() {
    let place = Place::new();
    let texts = ["one two three four", "two three four", "nothing of that"];
    let corpus = place.write("corpus.jsonl", lines(&texts.map(str::to_owned)));
    let shingles = Shingles::new(Unit::Word, 2).unwrap();
    let lexicon = build(&place.job(&[corpus]), Some(&shingles), &Quiet).unwrap().lexicon;
    assert_eq!(lexicon.about().counted, shingles.spec().to_table().to_string());
    assert_ne!(lexicon.about().counted, WORDS);
    assert!(!lexicon.has_texts());
    let shared = hashes_of(&shingles, "two three four");
    assert!(shared.iter().all(|&shingle| lexicon.df(shingle) == 2));
    assert_eq!(lexicon.len(), 5);
}

/// Records warnings.
#[derive(Default)]
struct RecordingProgress(Mutex<Vec<String>>);

impl Progress for RecordingProgress {
    fn warn(&self, message: &str) {
        self.0.lock().unwrap().push(message.to_owned());
    }
}

#[test]
fn bad_lines_are_counted_and_the_first_is_named() {
    let place = Place::new();
    // Long enough for several chunks, so that line numbers have to be added up.
    let good = lines(&vec!["words ".repeat(40); 40_000]);
    let bad = [good.as_bytes(), b"{\"text\":7}\n\xff\n\n", good.as_bytes(), b"{\"text\":\"cut"].concat();
    let corpus = place.write("bad.jsonl", bad);
    let recording = RecordingProgress::default();
    let built = build(&place.job(std::slice::from_ref(&corpus)), None, &recording).unwrap();
    assert_eq!((built.rejected, built.lexicon.documents()), (3, 80_000));
    let told = format!("3 rejected; the first: {corpus}: line 40001: field `text` is a number, not text");
    assert_eq!(*recording.0.lock().unwrap(), [told]);

    let error =
        build(&CountJob { strict: true, ..place.job(&[corpus]) }, None, &Quiet).unwrap_err().to_string();
    assert!(error.contains("line 40001: field `text` is a number") && error.contains("--strict"), "{error}");
}

#[test]
fn nothing_to_count_is_an_error_that_leaves_nothing() {
    let place = Place::new();
    let empty = place.write("empty.jsonl", "\n\n");
    let wrong = place.write("wrong.jsonl", "{\"body\":\"x\"}\n");
    for (input, told) in [(empty, "no documents"), (wrong, "no field `text`; the first document has: body")] {
        let error = build(&place.job(&[input]), None, &Quiet).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
    assert_eq!(place.names(), ["empty.jsonl", "wrong.jsonl"]);
}

#[test]
fn only_a_lexicon_is_replaced() {
    let place = Place::new();
    let corpus = place.write("corpus.jsonl", lines(&["a".into()]));
    for _ in 0..2 {
        build(&place.job(std::slice::from_ref(&corpus)), None, &Quiet).unwrap();
    }
    let job = CountJob { output: place.path("corpus.jsonl"), ..place.job(&[corpus]) };
    let error = build(&job, None, &Quiet).unwrap_err().to_string();
    assert!(error.contains("is no lexicon"), "{error}");
    assert_eq!(std::fs::read_to_string(place.path("corpus.jsonl")).unwrap(), lines(&["a".into()]));
}

#[test]
fn wrong_settings_are_named() {
    let job = CountJob::new(["x"], "y");
    for (job, told) in [
        (CountJob { threads: 0, ..job.clone() }, "--threads"),
        (CountJob { memory: 1_000_000, ..job.clone() }, "--memory"),
        (CountJob { max_line: 0, ..job.clone() }, "--max-line"),
    ] {
        let error = build(&job, None, &Quiet).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
}
