//! Files of every format that was ever released open for good, and say what they said. (Lexicons: `core`, beside their
//! format. What an interrupted run leaves: `cli`, where runs are resumed.)

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use lookalike::Id;
use lookalike::index::{Index, Policy, QueryOptions, View};
use lookalike::{Job, Quiet, Recipe, Registry, run};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn id(name: &str) -> Id {
    Id::from_json(format!("\"{name}\""))
}

/// 262 documents that share a key, of which two are public; two that are alike and came last; a decision about two with
/// labels. Neither crowds nor labels of decisions were noted.
#[test]
fn an_index_of_format_1_opens_and_tells_nothing_of_what_is_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    copy(&fixture("index-format-1"), &path);
    let public = View::Labels(Vec::new());
    let both = View::Labels(vec!["red".to_owned(), "blue".to_owned()]);
    for format in [1, 4, 4] {
        let manifest = fs::read_to_string(path.join("generation-1/manifest.json")).unwrap();
        assert!(manifest.contains(&format!("\"format\": {format}")), "{manifest}");
        let index = Index::open(&path, Registry::with_built_ins()).unwrap();
        assert_eq!(index.reader().stats(&View::All).unwrap().documents, 266);
        let seen = index.reader().stats(&public).unwrap();
        assert_eq!((seen.documents, seen.pairs, seen.clusters), (4, 1, 1));
        assert_eq!(index.reader().cluster(&id("late1"), &public).unwrap().unwrap().size, 2);
        assert_eq!(
            index.reader().decisions(&both).unwrap().len(),
            1,
            "the labels are those of the documents"
        );
        assert_eq!(index.reader().decisions(&public).unwrap().len(), 0);
        index.writer().checkpoint().unwrap();
    }
    let index = Index::open(&path, Registry::with_built_ins()).unwrap();
    let line = br#"{"id":"red","text":"a public text under the id of another","labels":[]}"#;
    index
        .writer()
        .add(line, Policy::Report, &QueryOptions { view: public.clone(), ..QueryOptions::default() })
        .unwrap();
    assert!(
        index.reader().get(&id("red"), &both).is_err()
            && index.reader().get(&id("red"), &public).unwrap().is_some()
    );
}

/// Without what older programs did not tell: how two documents differ.
fn as_it_was_told(text: &str) -> String {
    let mut parts = text.split(",\"difference\":[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |told, part| told + part.split_once(']').unwrap().1)
}

/// Everything that the index is asked.
fn answers(index: &Index, documents: &str) -> String {
    let (mut said, reader) = (String::new(), index.reader());
    let red = View::Labels(vec!["red".to_owned()]);
    for view in [View::All, red, View::Labels(Vec::new())] {
        let ask = QueryOptions { view: view.clone(), now: 2_000_000_000, ..QueryOptions::default() };
        for document in documents.lines() {
            let answer = reader.check(document.as_bytes(), &ask).unwrap();
            writeln!(said, "{}", serde_json::to_string(&answer).unwrap()).unwrap();
        }
        let clusters = reader.clusters(&view, None, usize::MAX).unwrap();
        writeln!(said, "{}", serde_json::to_string(&clusters).unwrap()).unwrap();
        let decisions = reader.decisions(&view).unwrap();
        writeln!(said, "{}", serde_json::to_string(&decisions).unwrap()).unwrap();
        let stats = reader.stats(&view).unwrap();
        // Older programs did not count copies as pairs. Every document here has a content.
        let pairs = stats.pairs - (stats.documents - stats.contents);
        writeln!(said, "{} {pairs} {}", stats.documents, stats.clusters).unwrap();
    }
    said
}

/// Documents in a snapshot and a run of keys, and later ones in the journal: near-duplicates, an exact copy, two versions of
/// one document, one that was removed, labels, a decision, a document that expires.
#[test]
fn an_index_of_format_2_answers_as_it_did() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    copy(&fixture("index-format-2/index"), &path);
    let documents = fs::read_to_string(fixture("index-format-2/documents.jsonl")).unwrap();
    let expected = fs::read_to_string(fixture("index-format-2/answers.txt")).unwrap();
    for step in ["as it was", "after a checkpoint", "after compacting"] {
        let index = Index::open(&path, Registry::with_built_ins()).unwrap();
        assert_eq!(as_it_was_told(&answers(&index, &documents)), expected, "{step}");
        match step {
            "as it was" => index.writer().checkpoint().unwrap(),
            _ => index.writer().compact().unwrap(),
        }
    }
}

/// Models of two learners, over the text and a field, decide on the documents that they were taught with.
#[test]
fn models_of_format_1_decide_as_they_did() {
    let registry = Registry::with_built_ins();
    for learner in ["logistic", "forest"] {
        let folder = tempfile::tempdir().unwrap();
        let model = fixture(&format!("model-1/{learner}.model"));
        let recipe = format!("method = 'classifier'\n[decide]\nmodel = '{}'", model.display());
        let pipeline = Recipe::from_toml(&recipe, &registry).unwrap().build(&registry).unwrap();
        let corpus = fixture("model-1/corpus.jsonl");
        let job = Job::new([corpus.to_str().unwrap()], folder.path().join("deduped"));
        run(&pipeline, &job, &Quiet).unwrap();
        let pairs = fs::read_to_string(job.output.join("pairs.jsonl")).unwrap();
        let expected = fs::read_to_string(fixture(&format!("model-1/{learner}.pairs.jsonl"))).unwrap();
        assert!(expected.lines().count() > 10, "there is something to decide");
        assert_eq!(as_it_was_told(&pairs), expected, "{learner}");
    }
}
