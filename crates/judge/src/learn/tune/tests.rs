//! Time, by a clock that counts work: what is expected beforehand, and the effect of a limit.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

/// Time passes as work is done: a second for each document that is signed and each pair that is verified.
#[derive(Default)]
struct Work(AtomicU64, std::sync::Mutex<Vec<f64>>);

impl Progress for Work {
    fn advance(&self, units: u64, documents: u64) -> Result<()> {
        // Signing counts bytes as units, verifying pairs.
        self.0.fetch_add(if documents > 0 { documents } else { units }, Ordering::Relaxed);
        Ok(())
    }

    fn expect(&self, seconds: f64) {
        self.1.lock().unwrap().push(seconds);
    }
}

impl Stopwatch for Work {
    fn seconds(&self) -> f64 {
        self.0.load(Ordering::Relaxed) as f64
    }
}

/// A random word, so that different words have hardly any letter n-gram in common.
fn word(group: usize, number: usize) -> String {
    let mut state = (group * 1000 + number) as u64 + 1;
    let mut letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + ((state >> 33) % 26) as u8)
    };
    (0..9).map(|_| letter()).collect()
}

/// Groups of four documents that differ in two words each, with a field that names them.
fn corpus(folder: &std::path::Path, groups: usize) -> Job {
    let mut lines = String::new();
    for group in 0..groups {
        for version in 0..4 {
            let words: Vec<String> = (0..60)
                .map(|place| word(group, if place / 2 == version { 100 + place } else { place }))
                .collect();
            let _ = writeln!(
                lines,
                "{{\"id\":\"{group}-{version}\",\"cluster\":{group},\"text\":\"{}\"}}",
                words.join(" ")
            );
        }
    }
    let path = folder.join("corpus.jsonl");
    std::fs::write(&path, lines).unwrap();
    Job { threads: 1, ..Job::new([path.to_string_lossy()], "none") }
}

fn tuning(time: Option<f64>) -> Tuning {
    Tuning {
        target: Target::F1,
        truth: TruthSource::ClusterField("cluster".to_owned()),
        leave_out: None,
        sample: 4000,
        methods: ["minhash", "word-tuples"].map(str::to_owned).to_vec(),
        check: false,
        time,
        resamples: 50,
        seed: 1,
    }
}

fn tuned(job: &Job, time: Option<f64>) -> (Result<Tuned>, Work) {
    let (registry, work) = (Registry::with_built_ins(), Work::default());
    let all = tune_each(&tuning(time), &[1], job, (&registry, &work, &work));
    (all.map(|mut all| all.remove(0)), work)
}

#[test]
fn time_is_told_beforehand_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let job = corpus(folder.path(), 300);
    let (result, work) = tuned(&job, None);
    let all = result.unwrap();
    assert_eq!(*work.1.lock().unwrap(), [all.expected_seconds], "told once, before anything is tried");
    let ratio = all.seconds / all.expected_seconds;
    assert!((0.4..=1.6).contains(&ratio), "{} s expected, {} s taken", all.expected_seconds, all.seconds);
    assert!(all.not_tried.is_empty() && all.tried.len() == 6, "{:?}", all.tried);

    // With half the time, some recipes are tried, the others are named, and the limit is kept.
    let before = work.seconds() - all.seconds;
    let limit = before + all.seconds / 2.0;
    let (result, work) = tuned(&job, Some(limit));
    let some = result.unwrap();
    assert!(!some.not_tried.is_empty() && !some.tried.is_empty(), "{:?} {:?}", some.tried, some.not_tried);
    assert_eq!(some.tried.len() + some.not_tried.len(), 6);
    assert!(work.seconds() <= limit * 1.1, "{} s of {limit} s", work.seconds());
    assert!(some.notes.iter().any(|note| note.contains(&some.not_tried[0].name)), "{:?}", some.notes);

    // With no time at all, the error says how much is needed.
    let (result, _) = tuned(&job, Some(1.0));
    let error = result.unwrap_err().to_string();
    assert!(error.contains("no time to try a single recipe"), "{error}");
}
