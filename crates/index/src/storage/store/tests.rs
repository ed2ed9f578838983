//! The files of an index, byte for byte: what one version wrote the next must read, so a change of format has to
//! be meant, and has to raise the number in the file's mark.

mod beside;
mod both;
mod busy;

use std::path::Path;
use std::sync::Arc;

use lookalike_core::cluster::Star;
use lookalike_core::difference::{Difference, DifferenceKind};
use lookalike_core::sign::Fingerprint;

use super::*;
use crate::storage::document::{ContentNumber, DocumentNumber};
use crate::storage::keys::Among;
use crate::storage::lasting::LastingNumber;
use crate::storage::manifest;
use crate::storage::operation::{Continues, Decide, Marks, Operation, Prefer, Put, Touch, Version};
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

fn version() -> Version {
    Version { time: 1, changed: true, similarity: Some(0.5), bytes: 3, marks: Marks::default() }
}

/// A small index with something of everything, without a checkpoint.
fn small(folder: &Path) -> OpenStore {
    let store = Store::create(&folder.join("generation-1"), parts(folder)).unwrap();
    let mut writer = store.write().unwrap();
    for (number, id) in ["\"a\"", "\"b\"", "\"b\""].into_iter().enumerate() {
        let appended = writer.append_lines(&[id.as_bytes()]).unwrap();
        let version = Version { time: 7, ..version() };
        let continues = Continues { document: document(1), replaces: true, before: None, version };
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
    let versions = vec![version()];
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
    store.compact(false).unwrap();
    drop(store);
    let store = Store::open(&own, parts(folder.path()), true).unwrap();
    assert_eq!((store.state().living_bytes, store.state().dead_bytes), (6, 0), "the dead made room");
}

/// The marks of versions: in the journal behind the operation that brings them, in a snapshot in a section of their own.
#[test]
fn marks_of_versions_are_these_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("generation-1");
    let store = Store::create(&own, parts(folder.path())).unwrap();
    let print = |low, high| Some(Fingerprint { scheme: 0x0a0b_0c0d, low, high });
    let marks = Marks {
        fingerprint: print(0x0102_0304_0506_0708, Some(0x1112_1314_1516_1718)),
        distance: Some(17),
        difference: Some(Difference::of(DifferenceKind::Dates)),
    };
    let changed = Version { marks: Marks { fingerprint: None, ..marks }, ..version() };
    let continues =
        Continues { document: document(0), replaces: true, before: print(9, None), version: changed };
    let mut writer = store.write().unwrap();
    let appended = writer.append_lines(&[b"\"a\"", b"\"a\"", b"\"b\""]).unwrap();
    let put_at =
        |number: usize, id: &str| Put { place: appended.places[number], ..put(id, number as u128 + 1, &[]) };
    let versions = vec![version(), Version { marks, ..version() }];
    let operations = [
        Operation::Put(put_at(0, "\"a\"")),
        Operation::Put(Put { continues: Some(continues), ..put_at(1, "\"a\"") }),
        Operation::Put(put_at(2, "\"b\"")),
        Operation::Remember { document: document(2), versions },
    ];
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let [changed, remembered] = [1, 3].map(|number: usize| {
        let mut bytes = Vec::new();
        operations[number].encode(&mut bytes);
        hex(&bytes)
    });
    let (first, second) = ("010d0c0b0a0900000000000000", "0c1108000000");
    let (none, all) = ("00", "0f0d0c0b0a080706050403020118171615141312111108000000");
    assert!(changed.starts_with("0a01") && changed.ends_with(&format!("{first}{second}")), "{changed}");
    let unmarked = "0100000001000000000000e03f03000000".repeat(2);
    assert_eq!(remembered, format!("0a080200000002000000{unmarked}{none}{all}"));
    let ticket = writer.commit(Some(appended.end), &operations).unwrap();
    drop(writer);
    store.sync(ticket).unwrap();
    drop(store);
    let told = |folder: &Path| {
        let store = Store::open(&own, parts(folder), true).unwrap();
        let versions = [1, 2].map(|number| store.state().versions(document(number)));
        store.write().unwrap().checkpoint().unwrap();
        versions
    };
    let known = told(folder.path());
    assert_eq!(
        known[0].iter().map(|version| version.marks).collect::<Vec<_>>(),
        [Marks { fingerprint: print(9, None), ..Marks::default() }, Marks { fingerprint: None, ..marks }]
    );
    assert_eq!(known[1][1].marks, marks);
    let snapshot = std::fs::read_dir(&own).unwrap().map(|entry| entry.unwrap().path());
    let snapshot = snapshot.filter(|path| path.to_string_lossy().contains("state-")).last().unwrap();
    let snapshot = hex(&std::fs::read(snapshot).unwrap());
    let records = format!("0100000002000000{first}{second}0200000002000000{none}{all}");
    assert!(snapshot.contains(&records), "{snapshot}");
    assert_eq!(told(folder.path()), known, "from the snapshot");
}

/// Makes the folder of a golden file, as it was after the checkpoint.
fn unpack(golden: &str, folder: &Path) {
    let own = folder.join("generation-1");
    for folder in [&own, &folder.join("texts")] {
        std::fs::create_dir_all(folder).unwrap();
    }
    let (files, manifest) = golden.split_once("{\n").unwrap();
    let is_hex = |line: &str| line.len().is_multiple_of(2) && line.chars().all(|c| c.is_ascii_hexdigit());
    let mut lines = files.lines().peekable();
    while let Some(name) = lines.next() {
        let mut bytes = Vec::new();
        while let Some(row) = lines.next_if(|line| is_hex(line) && *line != "000000") {
            let byte = |at: usize| u8::from_str_radix(&row[at..at + 2], 16).unwrap();
            bytes.extend((0..row.len()).step_by(2).map(byte));
        }
        let path = if name == "000000" { folder.join("texts").join(name) } else { own.join(name) };
        std::fs::write(path, bytes).unwrap();
    }
    std::fs::write(own.join(manifest::NAME), format!("{{\n{manifest}")).unwrap();
    std::fs::write(own.join("journal-3"), "").unwrap();
    std::fs::remove_file(own.join("journal-0")).unwrap();
}

/// Folders that were written before marks were recorded, and before arrays were used where they lie.
#[test]
fn folders_of_formats_2_and_3_open_and_are_renewed() {
    for golden in [include_str!("golden-format-2.txt"), include_str!("golden-format-3.txt")] {
        opens_and_is_renewed(golden);
    }
}

fn opens_and_is_renewed(golden: &str) {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("generation-1");
    unpack(golden, folder.path());
    let store = Store::open(&own, parts(folder.path()), true).unwrap();
    let versions = store.state().versions(document(2));
    assert_eq!(versions.iter().map(|version| version.time).collect::<Vec<_>>(), [1, 7]);
    assert!(versions.iter().all(|version| version.marks.is_empty()), "nothing is known of them");
    store.write().unwrap().checkpoint().unwrap();
    let renewed = std::fs::read_to_string(own.join(manifest::NAME)).unwrap();
    assert!(renewed.contains("\"format\": 4"), "{renewed}");
    // What the snapshot of this format says is what the golden one says.
    let now = tempfile::tempdir().unwrap();
    unpack(include_str!("golden.txt"), now.path());
    let state = |folder: &Path| {
        let names =
            std::fs::read_dir(folder.join("generation-1")).unwrap().map(|entry| entry.unwrap().path());
        let mut of_state = names.filter(|path| path.to_string_lossy().contains("/state-"));
        std::fs::read(of_state.next().unwrap()).unwrap()
    };
    assert_eq!(state(folder.path()), state(now.path()));
}

#[test]
fn a_folder_that_was_made_otherwise_is_refused_with_what_helps() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("generation-1");
    drop(small(folder.path()));
    let told = |change: fn(&mut StoreParts)| {
        let mut parts = parts(folder.path());
        change(&mut parts);
        Store::open(&own, parts, true).err().unwrap().to_string()
    };
    let other_keys = told(|parts| parts.layout.stored += 1);
    assert!(other_keys.contains("another version of this program"), "{other_keys}");
    let other_scheme = told(|parts| parts.scheme = "other".to_owned());
    assert!(other_scheme.contains("made by scheme scheme, but its recipe is scheme other"), "{other_scheme}");
}
