//! A loaded index against one that found the same itself.

use tempfile::TempDir;

use super::*;
use crate::tests::{Made, at, by_index, corpus, create, id, recipe, registry, text};
use crate::{Policy, View};

const NOW: u32 = 1000;

/// One method with keys that can have crowds, one with exact ones, several at once, and one with stored signatures.
const RECIPES: [&str; 4] = [
    "[features]\nshingle = 2\n[decide]\nthreshold = 0.5\n",
    "method = 'simhash'\n[decide]\ndistance = 3\nthreshold = 0.5",
    "method = 'ensemble'\n[decide]\nthreshold = 0.5\n[cluster]\ntype = 'components'",
    "[features]\nshingle = 2\n[decide]\nthreshold = 0.5\nverify = 'estimate'",
];

/// Families, exact copies, documents without words, labels, and a crowd.
fn documents() -> Vec<Made> {
    let crowd = (0..300).map(|number| Made {
        streams: String::new(),
        id: format!("c{number}"),
        text: text(7777, 1, number),
        labels: Vec::new(),
    });
    corpus(150, 3).into_iter().chain(crowd).collect()
}

fn lines(documents: &[Made]) -> Vec<Vec<u8>> {
    documents.iter().map(Made::line).collect()
}

/// The linked pairs of an index: two ids as JSON, and their similarity.
fn pairs_of(index: &Index) -> Vec<(String, String, f64)> {
    let generation = index.generation();
    let state = generation.store.state();
    let name = |content| state.population.ids.get(state.population.best(content).unwrap()).to_owned();
    let contents = state.population.contents.numbers();
    let pairs = contents.flat_map(|one| state.clusters.links(one).iter().map(move |link| (one, *link)));
    let once = pairs.filter(|(one, link)| *one < link.other());
    once.map(|(one, link)| (name(one), name(link.other()), link.similarity())).collect()
}

/// All buckets of keys, which are no part of a snapshot.
fn buckets_of(index: &Index) -> Vec<Vec<ContentNumber>> {
    let mut buckets = Vec::new();
    let generation = index.generation();
    generation.store.state().keys.for_each_bucket(|bucket| buckets.push(bucket.to_vec())).unwrap();
    buckets.retain(|bucket| !bucket.is_empty());
    buckets
}

/// Closes an index and reads the snapshot of its state.
fn snapshot_of(index: Index) -> Vec<u8> {
    let folder = crate::index::generation_folder(index.folder(), 1);
    index.close().unwrap();
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_snapshot = |path: &std::path::PathBuf| path.to_string_lossy().contains("/state-");
    let snapshots: Vec<_> = names.filter(is_snapshot).collect();
    assert_eq!(snapshots.len(), 1);
    std::fs::read(&snapshots[0]).unwrap()
}

#[test]
fn a_loaded_index_is_to_the_byte_one_that_found_the_same_itself() {
    for toml in RECIPES {
        let (folder, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let documents = documents();
        let lines = lines(&documents);
        let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        let expected = create(other.path(), toml);
        for batch in lines.chunks(64) {
            let answers = expected.writer().add_many(batch, Policy::Report, &at(u64::from(NOW))).unwrap();
            assert!(answers.iter().all(Result::is_ok));
        }
        let index = Index::create_for_bulk_load(folder.path(), &recipe(toml), registry()).unwrap();
        let mut loader = index.bulk_load().unwrap();
        loader.now = NOW;
        for batch in lines.chunks(70) {
            loader.add(batch).unwrap();
        }
        let pairs = pairs_of(&expected);
        assert!(pairs.len() > 20, "{toml}: {} pairs tell little", pairs.len());
        // From the last to the first, and some in both directions.
        for (place, (a, b, similarity)) in pairs.iter().enumerate().rev() {
            loader.link(a, b, *similarity, false);
            if place % 3 == 0 {
                loader.link(b, a, *similarity, false);
            }
        }
        loader.finish().unwrap();
        assert_eq!(buckets_of(&index), buckets_of(&expected), "{toml}");
        // Every question about a crowd takes its time.
        let asked: Vec<Made> = documents.iter().step_by(15).cloned().collect();
        let known = by_index(&expected, &asked, &View::All);
        assert_eq!(by_index(&index, &asked, &View::All), known, "{toml}");
        assert!(snapshot_of(index) == snapshot_of(expected), "{toml}");
        let index = Index::open(folder.path(), registry()).unwrap();
        assert_eq!(by_index(&index, &asked, &View::All), known, "{toml}, opened again");
    }
}

#[test]
fn of_documents_with_one_name_the_last_is_loaded() {
    let folder = TempDir::new().unwrap();
    let recipe = recipe(RECIPES[0]);
    let index = Index::create_for_bulk_load(folder.path(), &recipe, registry()).unwrap();
    let made = |name: &str, family: u64, labels: &[&'static str]| {
        Made {
            streams: String::new(),
            id: name.to_owned(),
            text: text(family, 0, 0),
            labels: labels.to_vec(),
        }
        .line()
    };
    let lines = [
        made("a", 1, &[]),
        made("b", 1, &[]),
        made("a", 2, &["red"]),
        b"no document".to_vec(),
        made("a", 3, &[]),
        made("c", 3, &[]),
    ];
    let mut loader = index.bulk_load().unwrap();
    loader.add(&lines.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap();
    assert!(loader.has("\"c\"") && !loader.has("\"d\""));
    // The run may have meant any document of that id, and none of these two are alike.
    loader.link("\"a\"", "\"b\"", 0.9, false);
    loader.finish().unwrap();
    let stats = index.reader().stats(&View::All).unwrap();
    // The last of the three and `c`, of one content, are the only pair.
    assert_eq!((stats.documents, stats.contents, stats.pairs), (4, 3, 1));
    let shared = index.reader().cluster(&id("c"), &View::All).unwrap().unwrap();
    assert_eq!(shared.members.len() + 1, 2, "the last of the three is a copy of c");
    assert_eq!(buckets_of(&index).iter().flatten().max().unwrap().index(), 2);
}
