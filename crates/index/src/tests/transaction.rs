//! Several questions to one state.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{Made, id, recipe, registry, text};
use crate::{Index, IndexLimits, PinnedDocument, Policy, QueryOptions, View};

fn made(id: &str, family: u64, changes: u64) -> Made {
    Made { streams: String::new(), id: id.to_owned(), text: text(family, changes, 1), labels: Vec::new() }
}

fn with(folder: &std::path::Path, all: &[Made]) -> Index {
    // One document a segment, so that each is copied away or dropped by `compact`.
    let limits = IndexLimits { segment_bytes: 1, ..IndexLimits::default() };
    let index = Index::create_with(folder, &recipe("[decide]\nthreshold = 0.5"), registry(), limits).unwrap();
    for one in all {
        index.writer().add(&one.line(), Policy::Report, &QueryOptions::default()).unwrap();
    }
    index
}

#[test]
fn nothing_changes_between_the_first_question_and_the_last() {
    let folder = tempfile::tempdir().unwrap();
    let index = with(&folder.path().join("index"), &[made("a", 1, 0), made("b", 1, 1), made("c", 2, 0)]);
    let decided = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let decide = || {
            index.writer().decide(&id("a"), &id("b"), Some(false), "me", &View::All).unwrap();
            decided.store(true, Ordering::Release);
        };
        let held = index.reader().transaction(&View::All, |transaction| {
            let masters = transaction.masters(&[0, 1, 2, 9]);
            scope.spawn(decide);
            std::thread::sleep(Duration::from_millis(200));
            let members = transaction.members(masters[0].unwrap(), 9).unwrap().len();
            Ok((masters, transaction.masters(&[0, 1, 2, 9]), members))
        });
        let (masters, again, members) = held.unwrap();
        assert_eq!((&masters, members), (&again, 1), "a and b are together");
        assert_eq!(masters[0], masters[1]);
        assert_eq!((masters[2], masters[3]), (Some(2), None));
        while !decided.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        let after =
            index.reader().transaction(&View::All, |transaction| Ok(transaction.masters(&[0, 1]))).unwrap();
        assert_ne!(after[0], after[1], "what waited is done");
    });
}

#[test]
fn texts_that_are_moved_or_gone_meanwhile_are_read_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let all: Vec<Made> = (0..8).map(|number| made(&format!("d{number}"), number, 0)).collect();
    let index = with(&folder.path().join("index"), &all);
    let held = index.reader().transaction(&View::All, |transaction| {
        let number = |one: &Made| transaction.number_of(&id(&one.id)).unwrap().unwrap();
        Ok(all
            .iter()
            .map(|one| transaction.document(number(one)).unwrap().unwrap())
            .collect::<Vec<PinnedDocument>>())
    });
    let held = held.unwrap();
    for one in all.iter().step_by(2) {
        index.writer().remove(&id(&one.id), &View::All).unwrap();
    }
    index.writer().compact().unwrap();
    for (one, held) in all.iter().zip(&held) {
        assert_eq!(held.line().unwrap(), one.line(), "{}", one.id);
    }
}
