//! One engine: documents fed one by one give the pairs and clusters of a batch run.

use lookalike_core::hash::mix;

use super::super::{Index, Policy, View};
use super::*;

const SMALL: &str = "[features]\nshingle = 2\n[decide]\nthreshold = 0.5\n";

/// The ways to find candidates that an index knows.
pub const RECIPES: [(&str, &str); 19] = [
    ("minhash", SMALL),
    ("components", "[features]\nshingle = 2\n[decide]\nthreshold = 0.5\n[cluster]\ntype = 'components'"),
    ("first", "[features]\nshingle = 2\n[decide]\nthreshold = 0.5\n[keep]\nrule = 'first'"),
    ("estimate", "[features]\nshingle = 2\n[decide]\nthreshold = 0.5\nverify = 'estimate'"),
    ("simhash", "method = 'simhash'\n[decide]\ndistance = 3\nthreshold = 0.5"),
    ("simhash far", "method = 'simhash'\n[decide]\ndistance = 12\nthreshold = 0.5\nverify = 'signature'"),
    ("imatch", "method = 'imatch'"),
    ("exact", "method = 'exact'"),
    ("word-tuples", "method = 'word-tuples'\n[decide]\nthreshold = 0.5"),
    ("textprofile", "method = 'textprofile'"),
    ("ensemble", "method = 'ensemble'\n[decide]\nthreshold = 0.5"),
    ("cosine", "method = 'cosine'\n[decide]\nthreshold = 0.8"),
    ("join", "[features]\nshingle = 2\n[candidates]\ntype = 'join'\n[decide]\nthreshold = 0.5"),
    (
        "containment",
        "[features]\nshingle = 2\n[candidates]\ntype = 'join'\n[decide]\nmeasure = 'containment'\nthreshold = 0.6",
    ),
    ("lsbs", "method = 'lsbs'\n[decide]\nthreshold = 0.4"),
    (
        "lsbs, some bits",
        "method = 'lsbs'\n[candidates]\ntolerance = 2\n[decide]\nthreshold = 0.4\nverify = 'signature'",
    ),
    (
        "one of several",
        "method = 'ensemble'\n[decide]\nthreshold = 0.4\n[candidates]\nmethods = ['exact', 'cosine', 'lsbs']\n\
         cosine = { decide = { threshold = 0.85 } }",
    ),
    (
        "two of three",
        "method = 'ensemble'\n[decide]\nthreshold = 0.4\n[candidates]\nmethods = ['minhash', 'cosine', 'lsbs']\n\
         rule = 'vote'\ncosine = { decide = { threshold = 0.85 } }",
    ),
    (
        "whatever joins pair",
        "method = 'ensemble'\n[decide]\nthreshold = 0.9\nverify = 'signature'\n[candidates]\n\
         methods = ['cosine', 'lsbs']\ncosine = { decide = { threshold = 0.7 } }",
    ),
];

#[test]
fn fed_one_by_one_the_pairs_and_clusters_are_those_of_a_batch_run() {
    for (name, toml) in RECIPES {
        check_fed_one_by_one(name, toml);
    }
}

pub fn check_fed_one_by_one(name: &str, toml: &str) {
    check_documents_fed_one_by_one(name, toml, &corpus(150, 3));
}

pub fn check_documents_fed_one_by_one(name: &str, toml: &str, documents: &[Made]) {
    let folder = TempDir::new().unwrap();
    let index = create(folder.path(), toml);
    for made in documents {
        index.writer().add(&made.line(), Policy::Report, &at(1000)).unwrap();
    }
    let expected = by_batch(documents, toml);
    assert!(expected.pairs.len() > 20, "{name}: {} pairs tell little", expected.pairs.len());
    assert_eq!(by_index(&index, documents, &View::All), expected, "{name}");
    // And as one batch that meets itself.
    let folder = TempDir::new().unwrap();
    let index = create(folder.path(), toml);
    let lines: Vec<Vec<u8>> = documents.iter().map(Made::line).collect();
    let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
    for batch in lines.chunks(64) {
        let answers = index.writer().add_many(batch, Policy::Report, &at(1000)).unwrap();
        assert!(answers.iter().all(Result::is_ok));
    }
    assert_eq!(by_index(&index, documents, &View::All), expected, "{name}, many at once");
}

/// Whatever happened before: the living documents have the pairs and clusters that they alone would have.
#[test]
fn after_any_history_the_index_is_that_of_its_living_documents() {
    for (name, toml) in [RECIPES[0], RECIPES[1], RECIPES[4], RECIPES[11], RECIPES[17]] {
        check_history(name, toml);
    }
}

pub fn check_history(name: &str, toml: &str) {
    check_history_of(name, toml, &corpus(400, 7));
}

pub fn check_history_of(name: &str, toml: &str, fresh: &[Made]) {
    let folder = TempDir::new().unwrap();
    let mut index = create(folder.path(), toml);
    let mut living: Vec<Made> = Vec::new();
    let mut fresh = fresh.iter();
    for step in 0..300u64 {
        let random = mix(step ^ 0xabcd);
        let some = |living: &[Made]| (random >> 8) as usize % living.len().max(1);
        match random % 16 {
            0..=8 => {
                let made = fresh.next().unwrap().clone();
                index.writer().add(&made.line(), Policy::Report, &at(1000)).unwrap();
                living.push(made);
            }
            9..=11 if !living.is_empty() => {
                let made = living.remove(some(&living));
                assert!(index.writer().remove(&id(&made.id), &View::All).unwrap());
                assert!(!index.writer().remove(&id(&made.id), &View::All).unwrap());
            }
            12 if !living.is_empty() => {
                let mut made = living.remove(some(&living));
                made.text = text(random % 60, random >> 9 & 3, random >> 20);
                index.writer().add(&made.line(), Policy::Report, &at(1000)).unwrap();
                living.push(made);
            }
            13 => index.writer().checkpoint().unwrap(),
            14 => index.writer().compact().unwrap(),
            _ => {
                // Half of the time in order, half as if the process had been killed.
                if random >> 30 & 1 == 0 {
                    index.close().unwrap()
                } else {
                    drop(index)
                }
                index = Index::open(folder.path(), registry()).unwrap();
            }
        }
        if step % 50 == 49 {
            assert_eq!(by_index(&index, &living, &View::All), by_batch(&living, toml), "{name}, step {step}");
            assert_eq!(index.reader().stats(&View::All).unwrap().documents, living.len() as u64);
        }
    }
}

#[test]
fn a_new_generation_is_as_if_its_recipe_had_been_there_from_the_beginning() {
    let folder = TempDir::new().unwrap();
    let index = create(folder.path(), SMALL);
    let documents = corpus(120, 11);
    for made in &documents {
        index.writer().add(&made.line(), Policy::Report, &at(1000)).unwrap();
    }
    let removed: Vec<Made> = documents.iter().step_by(7).cloned().collect();
    let ids: Vec<Id> = removed.iter().map(|made| id(&made.id)).collect();
    assert_eq!(index.writer().remove_many(&ids, &View::All).unwrap(), ids.len() as u64);
    let living: Vec<Made> =
        documents.iter().filter(|made| removed.iter().all(|gone| gone.id != made.id)).cloned().collect();
    for (toml, reopen) in [(RECIPES[4].1, false), (RECIPES[1].1, true)] {
        index.writer().resign(&recipe(toml)).unwrap();
        assert_eq!(by_index(&index, &living, &View::All), by_batch(&living, toml));
        if reopen {
            let generation = index.generation_number();
            drop(index);
            let index = Index::open(folder.path(), registry()).unwrap();
            assert_eq!(index.generation_number(), generation);
            assert_eq!(by_index(&index, &living, &View::All), by_batch(&living, toml));
            break;
        }
    }
}

#[test]
fn recipes_that_cannot_answer_for_one_document_are_refused_before_anything_is_written() {
    for (toml, expected) in [
        ("[candidates]\ntype = 'clusters'", "\"frozen\""),
        ("[candidates]\ntype = 'size-window'", "it needs features.type = \"chunks\""),
        ("method = 'lsbs'\n[candidates]\ntolerance = 9", "must be below features.chunk"),
    ] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("index");
        let told = Index::create(&path, &recipe(toml), registry()).err().unwrap().to_string();
        assert!(told.contains(expected), "{told}");
        assert!(!path.exists());
    }
}
