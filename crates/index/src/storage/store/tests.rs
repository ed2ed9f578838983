//! The files of an index, byte for byte: what one version wrote the next must read, so a change of format has to
//! be meant, and has to raise the number in the file's mark.

use std::path::Path;
use std::sync::Arc;

use lookalike_core::cluster::Star;

use super::*;
use crate::storage::document::{ContentNumber, DocumentNumber};
use crate::storage::keys::Among;
use crate::storage::lasting::LastingNumber;
use crate::storage::manifest;
use crate::storage::operation::{Continues, Decide, Operation, Prefer, Put, Touch, Version};
use crate::storage::state::Layout;

const LAYOUT: Layout = Layout { rules: 1, stored: 2 };

fn parts(folder: &Path) -> StoreParts {
    StoreParts {
        texts: Arc::new(Texts::create(&folder.join("texts"), IndexLimits::default()).unwrap()),
        how: Box::new(Star),
        scheme: "scheme".to_owned(),
        layout: LAYOUT,
        limits: IndexLimits::default(),
    }
}

fn document(number: usize) -> DocumentNumber {
    DocumentNumber::from_index(number)
}

fn lasting_number(number: usize) -> LastingNumber {
    LastingNumber::from_index(number)
}

fn put(id: &str, digest: u128, links: &[(ContentNumber, f64)]) -> Put {
    Put {
        id: id.to_owned(),
        place: Default::default(),
        digest: Some(digest),
        scores: vec![9],
        keys: vec![0x0102_0304_0506_0708, 3],
        stored: vec![0xaa, 0xbb],
        labels: vec!["red".to_owned()],
        set: "spam".to_owned(),
        added: 1,
        expires: 2,
        lives: 3,
        hits: 4,
        interval: 5,
        links: links.to_vec(),
        continues: None,
        origin: None,
        crowd: None,
    }
}

/// A small index with something of everything, without a checkpoint.
fn small(folder: &Path) -> Store {
    let store = Store::create(&folder.join("generation-1"), parts(folder)).unwrap();
    let mut writer = store.write().unwrap();
    for (number, id) in ["\"a\"", "\"b\"", "\"b\""].into_iter().enumerate() {
        let appended = writer.append_lines(&[id.as_bytes()]).unwrap();
        let version = Version { time: 7, changed: true, similarity: Some(0.5), bytes: 3 };
        let continues = Continues { document: document(1), replaces: true, version };
        let put = Put {
            place: appended.places[0],
            continues: (number == 2).then_some(continues),
            ..put(id, number as u128 + 1, &[(ContentNumber::FIRST, 0.75)][..number.min(1)])
        };
        let _ = writer.commit(Some(appended.end), &[Operation::Put(put)]).unwrap();
    }
    let touch = Touch { document: document(0), seen: 6, expires: 7, hits: 8, unchanged: 9, interval: 10 };
    let decide = Decide {
        digests: (1, 3),
        ids: ("\"a\"".to_owned(), "\"b\"".to_owned()),
        duplicate: Some(true),
        by: "me".to_owned(),
        time: 11,
        link: Some(0.25),
        texts: None,
        labels: None,
    };
    let prefer = Prefer { document: document(2), preferred: true, by: "me".to_owned(), time: 12 };
    let said = [Operation::Touch(touch), Operation::Decide(decide), Operation::Prefer(prefer)];
    let ticket = writer.commit(None, &said).unwrap();
    drop(writer);
    store.sync(ticket).unwrap();
    store
}

#[test]
fn the_files_are_these_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let store = small(folder.path());
    let versions = vec![Version { time: 1, changed: true, similarity: Some(0.5), bytes: 3 }];
    let inherited = [
        Operation::Number { since: 7, next: lasting_number(9) },
        Operation::Keep([0, 3, 4].map(lasting_number).to_vec()),
        Operation::Remember { document: document(0), versions },
    ];
    let ticket = store.write().unwrap().commit(None, &inherited).unwrap();
    store.sync(ticket).unwrap();
    let lasting = Arc::clone(&store.state().lasting);
    let mut found = String::new();
    let mut tell = |path: &str| {
        let path = folder.path().join(path);
        let name = path.file_name().unwrap().to_str().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let rows: Vec<String> = hex.chunks(32).map(|row| row.concat()).collect();
        found.push_str(&format!("{name}\n{}\n", rows.join("\n")));
    };
    ["texts/000000", "generation-1/journal-0", "generation-1/acknowledged"].into_iter().for_each(&mut tell);
    store.write().unwrap().checkpoint().unwrap();
    ["generation-1/run-1", "generation-1/state-2"].into_iter().for_each(&mut tell);
    found
        .push_str(&std::fs::read_to_string(folder.path().join("generation-1").join(manifest::NAME)).unwrap());
    assert_eq!(found, include_str!("golden.txt"), "the files are now:\n{found}");
    drop(store);
    let store = Store::open(&folder.path().join("generation-1"), parts(folder.path()), true).unwrap();
    assert_eq!((&store.state().lasting, lasting.of(document(1))), (&lasting, lasting_number(3)));
}

/// What is opened is what was closed, from the journal and from the snapshot alike.
#[test]
fn opened_again_everything_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("generation-1");
    drop(small(folder.path()));
    for _ in 0..2 {
        let store = Store::open(&own, parts(folder.path()), true).unwrap();
        let state = store.state();
        let number = state.population.ids.find("\"b\"").next().unwrap();
        assert_eq!((number, state.population.living), (document(2), 2));
        assert_eq!(state.versions(document(2)).len(), 2);
        assert_eq!(
            state.clusters.links(ContentNumber::FIRST).len(),
            1,
            "the first version is gone, and so is its link"
        );
        assert_eq!(state.decisions.partners(3).collect::<Vec<_>>(), [1]);
        assert_eq!(state.population.documents[document(0)].hits, 8);
        assert_eq!(state.labels.get(state.population.documents[document(2)].labels), ["red"]);
        assert_eq!(state.sets.get(state.population.documents[document(2)].set), Some("spam"));
        assert_eq!((state.living_bytes, state.dead_bytes), (6, 3));
        let mut found = Vec::new();
        state.keys.find(Among::All, [3].into_iter(), |_, all| found.append(all)).unwrap();
        assert_eq!(found.iter().filter(|&&content| state.population.is_alive(content)).count(), 2);
        drop(state);
        store.write().unwrap().checkpoint().unwrap();
    }
    let store = Store::open(&own, parts(folder.path()), true).unwrap();
    store.compact().unwrap();
    drop(store);
    let store = Store::open(&own, parts(folder.path()), true).unwrap();
    assert_eq!((store.state().living_bytes, store.state().dead_bytes), (6, 0), "the dead made room");
}
