//! Upkeep that fails takes no change back, and is told; what is dead makes room.

use lookalike_core::Error;

use super::super::{DocumentAction, Index, IndexLimits, Policy, View};
use super::*;

#[test]
fn a_change_is_answered_as_done_though_the_upkeep_after_it_fails() {
    let folder = TempDir::new().unwrap();
    let limits = IndexLimits { head_entries: 1, ..IndexLimits::default() };
    let index = Index::create_with(folder.path(), &recipe(""), registry(), limits).unwrap();
    let made = |name: &str, family| Made {
        streams: String::new(),
        id: name.to_owned(),
        text: text(family, 0, 0),
        labels: Vec::new(),
    };
    // The keys in memory are due to be moved to a file, and something is in its place, whatever its number.
    let in_the_way = (1..40).map(|number| folder.path().join(format!("generation-1/run-{number}")));
    let in_the_way: Vec<_> = in_the_way.collect();
    in_the_way.iter().for_each(|path| std::fs::create_dir(path).unwrap());
    let answer = index.writer().add(&made("a", 1).line(), Policy::Report, &at(1000)).unwrap();
    assert_eq!(answer.action, DocumentAction::Inserted);
    index.writer().add(&made("b", 2).line(), Policy::Report, &at(1000)).unwrap();
    let told = index.writer().tick(1000).unwrap_err();
    assert!(matches!(told, Error::Io { .. }) && told.to_string().contains("run-"), "{told}");
    assert!(index.writer().remove(&id("a"), &View::All).unwrap());
    in_the_way.iter().for_each(|path| std::fs::remove_dir(path).unwrap());
    index.writer().add(&made("c", 3).line(), Policy::Report, &at(1000)).unwrap();
    assert!(index.writer().tick(1000).is_err(), "that of the removal failed, too, and nobody was told yet");
    index.writer().tick(1000).unwrap();
    drop(index);
    let index = Index::open(folder.path(), registry()).unwrap();
    for (name, known) in [("a", false), ("b", true), ("c", true)] {
        assert_eq!(index.reader().get(&id(name), &View::All).unwrap().is_some(), known, "{name}");
    }
}

#[test]
fn room_is_made_when_more_is_dead_than_alive() {
    let folder = TempDir::new().unwrap();
    let limits = IndexLimits { dead_documents: 20, dead_bytes: 1 << 20, ..IndexLimits::default() };
    let index = Index::create_with(folder.path(), &recipe(""), registry(), limits).unwrap();
    let documents = corpus(90, 13);
    for made in &documents {
        index.writer().add(&made.line(), Policy::Report, &at(1000)).unwrap();
    }
    let gone = |from: usize, to: usize| {
        let ids: Vec<Id> = documents[from..to].iter().map(|made| id(&made.id)).collect();
        index.writer().remove_many(&ids, &View::All).unwrap();
    };
    let slots = || index.generation().store.state().population.documents.len();
    gone(0, 40);
    assert!(!index.should_compact(), "more live than are dead");
    let before = index.generation_number();
    index.writer().compact().unwrap();
    assert_eq!((slots(), index.generation_number()), (90, before), "texts make room, the documents stay");
    assert_eq!(index.reader().stats(&View::All).unwrap().dead_bytes, 0);
    gone(40, 60);
    assert!(index.should_compact());
    let (next, living) = (index.next_number(), &documents[60..]);
    let known = by_index(&index, living, &View::All);
    index.writer().compact().unwrap();
    assert!(!index.should_compact());
    assert_eq!((slots(), index.next_number()), (30, next), "places are given back, numbers are not");
    assert_eq!(by_index(&index, living, &View::All), known);
    assert_eq!(index.reader().stats(&View::All).unwrap().dead_bytes, 0);
    drop(index);
    let index = Index::open(folder.path(), registry()).unwrap();
    assert_eq!((by_index(&index, living, &View::All), index.next_number()), (known, next));
}

#[test]
fn documents_come_and_go_while_room_is_made() {
    let folder = TempDir::new().unwrap();
    let limits = IndexLimits { segment_bytes: 4000, ..IndexLimits::default() };
    let index = Index::create_with(folder.path(), &recipe(""), registry(), limits).unwrap();
    let documents = corpus(400, 17);
    let is_kept = |place: usize| place % 5 == 4;
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for (place, made) in documents.iter().enumerate() {
                index.writer().add(&made.line(), Policy::Report, &at(1000)).unwrap();
                if place >= 10 && !is_kept(place - 10) {
                    assert!(index.writer().remove(&id(&documents[place - 10].id), &View::All).unwrap());
                }
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        while !done.load(std::sync::atomic::Ordering::Relaxed) {
            index.writer().compact().unwrap();
        }
    });
    index.writer().compact().unwrap();
    let living: Vec<Made> = (0..)
        .zip(&documents)
        .filter(|(place, _)| *place >= 390 || is_kept(*place))
        .map(|(_, made)| made.clone())
        .collect();
    assert_eq!(index.reader().stats(&View::All).unwrap().documents, living.len() as u64);
    let known = by_index(&index, &living, &View::All);
    assert_eq!(known, by_batch(&living, ""));
    drop(index);
    let index = Index::open(folder.path(), registry()).unwrap();
    for made in &living {
        let stored = index.reader().get(&id(&made.id), &View::All).unwrap().unwrap();
        assert_eq!(stored.document.get().as_bytes(), made.line());
    }
    assert_eq!(by_index(&index, &living, &View::All), known);
}
