//! Upkeep that fails takes no change back, and is told.

use lookalike_core::Error;

use super::super::{Action, Index, Limits, Policy, View};
use super::*;

#[test]
fn a_change_is_answered_as_done_though_the_upkeep_after_it_fails() {
    let folder = TempDir::new().unwrap();
    let limits = Limits { head_entries: 1, ..Limits::default() };
    let index = Index::create_with(folder.path(), &recipe(""), registry(), limits).unwrap();
    let made =
        |name: &str, family| Made { id: name.to_owned(), text: text(family, 0, 0), labels: Vec::new() };
    // The keys in memory are due to be moved to a file, and something is in its place.
    let in_the_way = folder.path().join("generation-1/run-1");
    std::fs::create_dir(&in_the_way).unwrap();
    let answer = index.add(&made("a", 1).line(), Policy::Report, &at(1000)).unwrap();
    assert_eq!(answer.action, Action::Inserted);
    index.add(&made("b", 2).line(), Policy::Report, &at(1000)).unwrap();
    let told = index.tick(1000).unwrap_err();
    assert!(matches!(told, Error::Io { .. }) && told.to_string().contains("run-1"), "{told}");
    assert!(index.remove(&id("a"), &View::All).unwrap());
    std::fs::remove_dir(&in_the_way).unwrap();
    index.add(&made("c", 3).line(), Policy::Report, &at(1000)).unwrap();
    assert!(index.tick(1000).is_err(), "that of the removal failed, too, and nobody was told yet");
    index.tick(1000).unwrap();
    drop(index);
    let index = Index::open(folder.path(), registry()).unwrap();
    for (name, known) in [("a", false), ("b", true), ("c", true)] {
        assert_eq!(index.get(&id(name), &View::All).unwrap().is_some(), known, "{name}");
    }
}
