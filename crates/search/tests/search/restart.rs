//! What is left of a search index after its process was killed, or its files were harmed.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{Doc, Eyes, feed};
use lookalike_search::{Query, Search, SearchSettings};

fn doc(number: u32) -> Doc {
    let text = format!("common number{number} rest{}", number % 10);
    Doc { text, title: None, source: Some("x"), labels: Vec::new(), cluster: number, rank: 0, alive: true }
}

fn total(search: &Search, docs: &[Doc], text: &str) -> u64 {
    search.query(&Query::new(text), &Eyes { docs, labels: None }).unwrap().total
}

/// All below the number to go on from is found, and nothing else.
fn check_whole(search: &Search, docs: &[Doc]) {
    let next = search.next().unwrap();
    assert_eq!(total(search, docs, "common"), u64::from(next));
    assert_eq!(search.len(), u64::from(next));
    if let Some(last) = next.checked_sub(1) {
        assert_eq!(total(search, docs, &format!("number{last}")), 1);
    }
    assert_eq!(total(search, docs, &format!("number{next}")), 0);
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            // Files of segments that were merged away may vanish meanwhile.
            let _ = std::fs::copy(entry.path(), target);
        }
    }
}

#[test]
fn an_index_goes_on_where_its_last_commit_was() {
    let dir = tempfile::tempdir().unwrap();
    let docs: Vec<Doc> = (0..60).map(doc).collect();
    let numbered = || docs.iter().enumerate().map(|(at, doc)| (at as u32, doc));
    let search = Search::open(dir.path(), SearchSettings::default()).unwrap();
    assert_eq!((search.next().unwrap(), search.rebuilt()), (0, None));
    feed(&search, numbered().take(20), &[5]);
    for (number, doc) in numbered().skip(20) {
        search.add(number, doc.line().as_bytes()).unwrap();
    }
    assert_eq!(search.next().unwrap(), 60);
    // As a killed process would leave it.
    let copied = tempfile::tempdir().unwrap();
    copy(dir.path(), copied.path());
    let again = Search::open(copied.path(), SearchSettings::default()).unwrap();
    assert_eq!((again.next().unwrap(), again.rebuilt()), (20, None));
    check_whole(&again, &docs);
    // What is there already may come again.
    feed(&again, numbered(), &[]);
    again.skip_to(70);
    again.commit().unwrap();
    drop(again);
    let again = Search::open(copied.path(), SearchSettings::default()).unwrap();
    assert_eq!((again.next().unwrap(), again.len()), (70, 60));
    assert_eq!(total(&again, &docs, "common"), 60);
}

#[test]
fn an_index_that_was_never_written_to_is_no_damage() {
    let dir = tempfile::tempdir().unwrap();
    drop(Search::open(dir.path(), SearchSettings::default()).unwrap());
    let search = Search::open(dir.path(), SearchSettings::default()).unwrap();
    assert_eq!((search.next().unwrap(), search.rebuilt()), (0, None));
}

#[test]
fn other_settings_begin_anew_and_say_so() {
    let dir = tempfile::tempdir().unwrap();
    let docs: Vec<Doc> = (0..5).map(doc).collect();
    let numbered = || docs.iter().enumerate().map(|(at, doc)| (at as u32, doc));
    feed(&Search::open(dir.path(), SearchSettings::default()).unwrap(), numbered(), &[]);
    let generation = SearchSettings { generation: 1, ..SearchSettings::default() };
    let text_field = SearchSettings { text_field: "body".to_owned(), ..generation.clone() };
    let facets = SearchSettings { facets: vec!["year".to_owned()], ..generation.clone() };
    for settings in [generation, text_field, facets, SearchSettings::default()] {
        let search = Search::open(dir.path(), settings).unwrap();
        let reason = search.rebuilt().unwrap();
        assert!(reason.contains("generation"), "{reason}");
        assert_eq!((search.next().unwrap(), search.len()), (0, 0));
        feed(&search, numbered(), &[]);
    }
}

#[test]
fn harmed_files_are_made_anew_and_never_an_error() {
    let whole = tempfile::tempdir().unwrap();
    let docs: Vec<Doc> = (0..50).map(doc).collect();
    let search = Search::open(whole.path(), SearchSettings::default()).unwrap();
    feed(&search, docs.iter().enumerate().map(|(at, doc)| (at as u32, doc)), &[20]);
    search.remove(&[3]).unwrap();
    search.commit().unwrap();
    drop(search);
    let files =
        std::fs::read_dir(whole.path().join("words")).unwrap().map(|entry| entry.unwrap().file_name());
    let (mut rebuilt, mut tried) = (0, 0);
    for file in files {
        for harm in 0..4 {
            let dir = tempfile::tempdir().unwrap();
            copy(whole.path(), dir.path());
            let path = dir.path().join("words").join(&file);
            let mut bytes = std::fs::read(&path).unwrap();
            match harm {
                0 => std::fs::remove_file(&path).unwrap(),
                1 => std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap(),
                2 => std::fs::write(&path, b"").unwrap(),
                _ => {
                    let at = bytes.len() / 3;
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte ^= 0x55;
                    }
                    std::fs::write(&path, bytes).unwrap();
                }
            }
            let search = Search::open(dir.path(), SearchSettings::default()).unwrap();
            let reason = search.rebuilt();
            let next = search.next().unwrap();
            // Lock files and the list of files do not matter; whatever does begins anew.
            assert_eq!(next, if reason.is_some() { 0 } else { 50 }, "{file:?} {harm} {reason:?}");
            assert_eq!(total(&search, &docs, "common"), if reason.is_some() { 0 } else { 49 });
            feed(&search, docs.iter().enumerate().map(|(at, doc)| (at as u32, doc)), &[]);
            assert!(total(&search, &docs, "common") >= 49, "{file:?} {harm}");
            rebuilt += u32::from(reason.is_some());
            tried += 1;
        }
    }
    assert!(rebuilt * 2 > tried, "{rebuilt} of {tried}");
}

const FOLDER: &str = "LOOKALIKE_SEARCH_TEST_FOLDER";

/// Not a test: what the next one starts and kills.
#[test]
#[ignore = "feeds an index until it is killed"]
fn feeder() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let search = Search::open(Path::new(&folder), SearchSettings::default()).unwrap();
    println!("\nopened {} {:?}", search.next().unwrap(), search.rebuilt());
    for number in search.next().unwrap().. {
        search.add(number, doc(number).line().as_bytes()).unwrap();
        if number % 7 == 0 {
            search.commit().unwrap();
            println!("\ncommitted {}", search.next().unwrap());
        }
    }
}

#[test]
fn a_killed_process_leaves_what_it_committed() {
    let dir = tempfile::tempdir().unwrap();
    let docs: Vec<Doc> = (0..100_000).map(doc).collect();
    let mut before = 0;
    for round in 0..6 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "restart::feeder", "--ignored", "--nocapture"])
            .env(FOLDER, dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut committed = 0;
        let mut commits = 0;
        // Kept open until it is dead: it must be killed, not fail to write.
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        for line in lines.by_ref() {
            if let Some(opened) = line.strip_prefix("opened ") {
                assert_eq!(opened, format!("{before} None"), "round {round}");
            } else if let Some(number) = line.strip_prefix("committed ") {
                committed = number.parse().unwrap();
                commits += 1;
            }
            // At another moment of its work each time.
            if commits > round {
                (0..round * 3000).for_each(|_| std::thread::yield_now());
                break;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(committed > before, "round {round}");
        let search = Search::open(dir.path(), SearchSettings::default()).unwrap();
        assert_eq!(search.rebuilt(), None);
        before = search.next().unwrap();
        assert!(before >= committed, "{before} and {committed}");
        let eyes = Eyes { docs: &docs[..before as usize + 1], labels: None };
        let found = search.query(&Query::new("common"), &eyes).unwrap();
        assert_eq!((found.total, search.len()), (u64::from(before), u64::from(before)));
    }
}
