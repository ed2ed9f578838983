//! What is stored is there again, whatever became of the file.

use super::*;

fn pair(a: &str, b: &str) -> PairName {
    let id = |name: &str| Id::from_json(format!("\"{name}\""));
    PairName::new((&id(a), &[]), (&id(b), &["red".to_owned()]))
}

/// All that is stored, as callers are told of it.
fn told(store: &ReviewStore) -> String {
    let remarks = store.remarks(&pair("a", "b"));
    let batches = serde_json::to_string(&store.batches(&View::All)).unwrap();
    let rest = (store.tags(&View::All), store.filters("ada"), store.lock().last_batch);
    format!("{remarks:?} {batches} {rest:?}").replace(|c: char| c.is_ascii_digit(), "0")
}

fn fill(store: &ReviewStore) -> Vec<String> {
    let filter = |text: &str| SavedFilter { name: "mine".to_owned(), filter: text.to_owned() };
    let steps: [&dyn Fn() -> Result<()>; 8] = [
        &|| store.note(pair("a", "b"), "ada", " look at the dates "),
        &|| store.note(pair("a", "b"), "ben", "same"),
        &|| store.tag(pair("a", "b"), &["legal".to_owned(), "legal".to_owned()]),
        &|| store.note(pair("a", "b"), "ben", ""),
        &|| store.save_filter("ada", filter("size:>2")),
        &|| store.add_batch("one", &["ben".to_owned()], "ada", [pair("a", "b")].into_iter(), 9).map(drop),
        &|| store.add_batch("two", &["ben".to_owned()], "ada", [pair("c", "b")].into_iter(), 9).map(drop),
        &|| store.drop_batch(1, &View::All).map(drop),
    ];
    let mut after = vec![told(store)];
    for step in steps {
        step().unwrap();
        after.push(told(store));
    }
    after
}

/// Whatever is cut off the end, every change that was finished is there.
#[test]
fn a_log_cut_anywhere_keeps_what_was_finished() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    let store = ReviewStore::open(folder.path()).unwrap();
    assert!(!path.exists(), "nothing was said yet");
    let after = fill(&store);
    drop(store);
    let whole = std::fs::read(&path).unwrap();
    let mut seen = Vec::new();
    for end in (0..=whole.len()).rev() {
        std::fs::write(&path, &whole[..end]).unwrap();
        let store = ReviewStore::open(folder.path()).unwrap();
        let now = told(&store);
        assert!(after.contains(&now), "{end}: {now}");
        seen.push(now);
        // And it goes on from there.
        if end % 97 == 0 {
            store.tag(pair("x", "y"), &["late".to_owned()]).unwrap();
            drop(store);
            assert!(ReviewStore::open(folder.path()).unwrap().tags(&View::All).contains_key("late"));
        }
    }
    seen.dedup();
    assert_eq!(seen.iter().rev().cloned().collect::<Vec<_>>(), after);
}

#[test]
fn damage_in_the_middle_is_told_and_so_is_a_newer_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    fill(&ReviewStore::open(folder.path()).unwrap());
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[60] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let error = ReviewStore::open(folder.path()).err().unwrap().to_string();
    assert!(error.contains("restore it from a copy"), "{error}");
    let log = Log::create(&path, Framing::Marked(MARK)).unwrap();
    log.append(br#"{"change":"format","format":2}"#).unwrap();
    let error = ReviewStore::open(folder.path()).err().unwrap().to_string();
    assert!(error.contains("newer version"), "{error}");
}

/// As folders in use have it: these bytes must be understood for ever.
#[test]
fn a_log_of_the_first_version_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::create(&folder.path().join(FILE), Framing::Marked(MARK)).unwrap();
    for frame in [
        r#"{"change":"format","format":1}"#,
        r#"{"change":"note","pair":[{"id":"\"a\""},{"id":"\"b\"","labels":["red"]}],"note":{"by":"ada","time":7,"text":"why"}}"#,
        r#"{"change":"tags","pair":[{"id":"\"a\""},{"id":"\"b\"","labels":["red"]}],"tags":["legal"]}"#,
        r#"{"change":"batch","batch":3,"name":"first","assignees":["ben"],"by":"ada","time":8,"pairs":[[{"id":"1"},{"id":"\"b\""}]]}"#,
        r#"{"change":"filter","by":"ada","filter":{"name":"mine","filter":"size:>2"}}"#,
        r#"{"change":"drop-filter","by":"ada","name":"no such"}"#,
        r#"{"change":"drop-batch","batch":2}"#,
    ] {
        log.append(frame.as_bytes()).unwrap();
    }
    let store = ReviewStore::open(folder.path()).unwrap();
    let note = Note { by: "ada".to_owned(), time: 7, text: "why".to_owned() };
    let remarks = Remarks { notes: vec![note], tags: vec!["legal".to_owned()] };
    assert_eq!(store.remarks(&pair("a", "b")), remarks);
    assert_eq!(store.remarks(&pair("b", "a")), Remarks::default(), "labels belong to the name");
    let batch = store.batch(3, &View::All).unwrap();
    assert_eq!((batch.name.as_str(), batch.pairs.len()), ("first", 1));
    assert_eq!(store.filters("ada")[0].filter, "size:>2");
    assert!(store.tags(&View::Labels(Vec::new())).is_empty(), "hidden pairs count for nobody");
}

#[test]
fn what_is_too_long_or_empty_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = ReviewStore::open(folder.path()).unwrap();
    assert!(store.note(pair("a", "b"), "ada", &"x".repeat(MOST_NOTE + 1)).is_err());
    assert!(store.tag(pair("a", "b"), &[" ".to_owned()]).is_err());
    let many: Vec<String> = (0..=MOST_TAGS).map(|tag| tag.to_string()).collect();
    assert!(store.tag(pair("a", "b"), &many).is_err());
    let batch = |name: &str, people: &[&str]| {
        let people: Vec<String> = people.iter().map(|&name| name.to_owned()).collect();
        store.add_batch(name, &people, "ada", [pair("a", "b")].into_iter(), 1).is_ok()
    };
    assert!(!batch("", &["ben"]) && !batch("x", &[]) && !batch("x", &["\n"]));
    assert!(batch("x", &["ben"]) && !batch("y", &["ben"]), "a pair is in one batch");
}
