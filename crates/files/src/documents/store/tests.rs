//! Stored documents are found again, whatever happened to the files.

use lookalike_extract::Extracted;

use super::*;

fn file(id: &str, modified: u64) -> Found {
    Found { id: id.to_owned(), path: id.into(), bytes: 5, modified, ..Found::default() }
}

fn add(store: &Store, file: &Found, text: &str) -> Entry {
    let mut recording = store.record(file);
    let document = Extracted { text: text.to_owned(), ..Extracted::default() };
    recording.push(&ExtractOutcome::Document(Box::new(document))).unwrap();
    let reason = Reason::Encrypted;
    recording.push(&ExtractOutcome::Unreadable { part: Some("x".to_owned()), reason }).unwrap();
    recording.finish().unwrap()
}

fn text_of(store: &Store, id: &str) -> String {
    let mut text = String::new();
    let visit = |_: LinePlace, line: &[u8]| {
        text += &serde_json::from_slice::<Extracted>(line).unwrap().text;
        Ok(())
    };
    store.for_each_line(&store.entries[id], &mut Vec::new(), visit).unwrap();
    text
}

#[test]
fn what_was_read_is_known_again() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap().unwrap();
    add(&store, &file("a", 1), "first");
    add(&store, &file("b", 1), "second");
    add(&store, &file("a", 2), "third");
    assert!(Store::open(dir.path()).unwrap().is_none(), "one user at a time");
    drop(store);
    let store = Store::open(dir.path()).unwrap().unwrap();
    assert_eq!((text_of(&store, "a"), text_of(&store, "b")), ("third".into(), "second".into()));
    assert!(store.entries["a"].is_of(&file("a", 2)) && !store.entries["a"].is_of(&file("a", 1)));
    assert_eq!(store.entries["b"].unreadable, [(Some("x".to_owned()), Reason::Encrypted)]);
}

#[test]
fn a_full_disk_loses_nothing_that_is_being_read() {
    let dir = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/full", dir.path().join("documents")).unwrap();
    let store = Store::open(dir.path()).unwrap().unwrap();
    let entries = ["first", "second"].map(|text| add(&store, &file(text, 1), text));
    assert!(store.failure().unwrap().contains("No space left"), "{:?}", store.failure());
    for (entry, text) in entries.iter().zip(["first", "second"]) {
        let mut read = String::new();
        let visit = |_: LinePlace, line: &[u8]| {
            read += &serde_json::from_slice::<Extracted>(line).unwrap().text;
            Ok(())
        };
        store.for_each_line(entry, &mut Vec::new(), visit).unwrap();
        assert_eq!(read, text);
    }
    assert_eq!(fs::read(dir.path().join("index")).unwrap(), b"", "nothing is remembered that is not there");
}

#[test]
fn a_torn_or_damaged_end_is_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap().unwrap();
    add(&store, &file("a", 1), "first");
    add(&store, &file("b", 1), "second");
    drop(store);
    let index = fs::read(dir.path().join("index")).unwrap();
    let data = fs::read(dir.path().join("documents")).unwrap();
    for cut in 0..index.len() {
        fs::write(dir.path().join("index"), &index[..cut]).unwrap();
        let store = Store::open(dir.path()).unwrap().unwrap();
        add(&store, &file("c", 1), "after");
        drop(store);
        let store = Store::open(dir.path()).unwrap().unwrap();
        assert_eq!(text_of(&store, "c"), "after", "cut at {cut}");
        fs::write(dir.path().join("documents"), &data).unwrap();
    }
    fs::write(dir.path().join("index"), &index).unwrap();
    fs::write(dir.path().join("documents"), &data[..data.len() - 2]).unwrap();
    let store = Store::open(dir.path()).unwrap().unwrap();
    assert!(store.entries.contains_key("a") && !store.entries.contains_key("b"));
}
