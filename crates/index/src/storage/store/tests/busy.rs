//! Upkeep that happens by itself, on a thread of its own.

use std::path::PathBuf;

use super::both::{Both, LIMITS, files_in, opened, told};
use super::*;

/// Small enough that there is always something to do.
const BUSY: IndexLimits = IndexLimits { head_entries: 20, operations: 30, own_bytes: 1, ..LIMITS };
/// All of it with threads, as it is in use.
#[test]
fn changes_go_on_while_files_are_exchanged_all_the_time() {
    let mut both = Both::with(7, BUSY);
    let (mut snapshots, mut pinned) = (std::collections::BTreeSet::new(), Vec::new());
    for round in 0..400 {
        both.change();
        let mut writer = both.store.write().unwrap();
        writer.maintain().unwrap();
        let most = 2 * 30u64.max(both.expected.population.documents.len() as u64 / 4);
        assert!(writer.writing.operations <= most, "{} operations", writer.writing.operations);
        snapshots.extend(writer.writing.manifest.snapshot.clone());
        if round % 100 == 50 {
            pinned.push((writer.pin_files(both.folder.path()).unwrap(), told(&both.expected)));
        }
        drop(writer);
        if round % 20 == 0 {
            both.check("busy");
            both.sync();
        }
    }
    assert!(snapshots.len() > 3, "{snapshots:?}");
    for (files, then) in &pinned {
        assert!(told(&opened(files).1.state()) == *then);
    }
    both.store.background.end_for_good();
    both.check("at the end");
    both.check_killed("at the end");
}

/// What cannot be written is told once and left for a while; the store goes on with its old files.
#[test]
fn work_that_fails_is_told_and_tried_again_later() {
    for kind in ["run", "state", "journal"] {
        let mut both = Both::with(9, IndexLimits { operations: 10, ..LIMITS });
        (0..30).for_each(|_| both.change());
        let own = both.folder.path().join("generation-1");
        // A folder in the place of a file that is not complete yet, or of the whole one, cannot be replaced.
        let names = (1..60).map(|number| match kind {
            "journal" => format!("{kind}-{number}"),
            _ => format!(".{kind}-{number}.partial"),
        });
        let in_the_way: Vec<PathBuf> = names.map(|name| own.join(name)).collect();
        in_the_way.iter().for_each(|path| std::fs::create_dir(path).unwrap());
        let maintained = |both: &Both| {
            let done = both.store.write().unwrap().maintain();
            both.store.background.wait();
            done
        };
        maintained(&both).unwrap();
        let error = maintained(&both).unwrap_err();
        assert!(
            matches!(error, lookalike_core::Error::Io { .. }) && error.to_string().contains(kind),
            "{error}"
        );
        let named = both.store.writer.lock().unwrap().manifest.clone();
        for _ in 0..5 {
            both.change();
            maintained(&both).unwrap();
        }
        both.check(kind);
        both.sync();
        in_the_way.iter().for_each(|path| std::fs::remove_dir(path).unwrap());
        both.check_killed(kind);
        maintained(&both).unwrap();
        let is_same = |both: &Both| both.store.writer.lock().unwrap().manifest.snapshot == named.snapshot;
        assert!(is_same(&both), "it is not tried again so soon");
        both.store.background.forget_failure();
        maintained(&both).unwrap();
        assert!(!is_same(&both), "it is tried again later");
        both.check(kind);
        both.check_killed(kind);
        assert_eq!(files_in(&own).len(), 4 + both.store.state().keys.runs.len(), "nothing else is left");
    }
}

/// A process that ends, or a folder that is to be removed, waits for no checkpoint.
#[test]
fn work_ends_when_the_store_is_closed() {
    let mut both = Both::with(11, IndexLimits { operations: 40, ..LIMITS });
    (0..60).for_each(|_| both.change());
    both.store.write().unwrap().maintain().unwrap();
    let held = both.store.hold_work();
    let before = both.store.writer.lock().unwrap().manifest.clone();
    both.store.write().unwrap().maintain().unwrap();
    both.store.background.wait();
    assert!(both.store.writer.lock().unwrap().manifest == before, "none begins while it is held");
    drop(held);
    both.check_killed("held");
    // It may have been done before it was held.
    (0..60).for_each(|_| both.change());
    both.store.write().unwrap().maintain().unwrap();
    both.store.background.wait();
    assert!(both.store.writer.lock().unwrap().manifest != before, "it is done then");
    both.check("after");
}
