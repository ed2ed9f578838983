//! The power fails: of what was written since the last forcing to disk, the disk has any part.

use std::path::{Path, PathBuf};

use lookalike::index::IndexLimits;

use super::damage::{files, restore};
use super::model::{LIMITS, Model, Operation, Random, carry_out, create, open, operation};

/// No upkeep, so that each step changes the journal and the texts only.
const QUIET: IndexLimits = IndexLimits {
    head_entries: u64::MAX,
    operations: u64::MAX,
    own_bytes: u64::MAX,
    segment_bytes: 1 << 30,
    ..LIMITS
};

fn is_named(path: &Path, start: &str) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start))
}

#[test]
fn what_was_acknowledged_before_a_power_cut_is_there_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("index");
    let mut random = Random(11);
    let mut model = Model::default();
    let index = create(&folder, QUIET).unwrap();
    let changes = (0..).map(|step| operation(2000, step)).filter(|operation| {
        matches!(operation, Operation::Add(_) | Operation::Remove(_) | Operation::Decide(..))
    });
    let mut opened = 0;
    for operation in changes.take(30) {
        let before = files(&folder);
        carry_out(&index, &operation).unwrap();
        let after = files(&folder);
        let states = model.states(&operation);
        for _ in 0..6 {
            let mut left = after.clone();
            for (path, bytes) in &mut left {
                let old = before.get(path).map_or(&[][..], Vec::as_slice);
                if is_named(path, "journal-") || is_named(path, "000") {
                    lose(bytes, old.len(), &mut random);
                } else if is_named(path, "acknowledged") {
                    // It is not forced to disk, so it may be older still.
                    *bytes = if random.below(2) == 0 { old.to_vec() } else { vec![0; 16] };
                }
            }
            let elsewhere = tempfile::tempdir().unwrap();
            let moved = left.into_iter().map(|(path, bytes)| {
                (elsewhere.path().join("index").join(path.strip_prefix(&folder).unwrap()), bytes)
            });
            let moved = moved.collect();
            let path: PathBuf = elsewhere.path().join("index");
            restore(&path, &moved);
            let index = open(&path).unwrap_or_else(|error| panic!("{operation:?}: {error}"));
            let state = states.iter().find(|state| state.is_in(&index).unwrap());
            let state = state.unwrap_or_else(|| panic!("{operation:?}: not one of its states"));
            assert!(state.agrees(&index).unwrap(), "{operation:?}");
            // It goes on, and what comes now is kept.
            carry_out(&index, &operation).unwrap();
            drop(index);
            let then = state.after(&operation);
            assert!(then.agrees(&open(&path).unwrap()).unwrap(), "{operation:?}");
            opened += 1;
        }
        model = model.after(&operation);
    }
    assert_eq!(opened, 180);
}

/// What is behind `safe` was not forced to disk: it may be cut off, or parts of it were never written.
fn lose(bytes: &mut Vec<u8>, safe: usize, random: &mut Random) {
    let new = (bytes.len() - safe) as u64;
    if new == 0 {
        return;
    }
    match random.below(3) {
        0 => bytes.truncate(safe + random.below(new + 1) as usize),
        1 => {
            let from = random.below(new);
            let to = from + 1 + random.below(new - from);
            bytes[safe + from as usize..safe + to as usize].fill(0);
        }
        _ => {}
    }
}

#[test]
fn texts_that_were_acknowledged_and_are_gone_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("index");
    let index = create(&folder, QUIET).unwrap();
    let mut model = Model::default();
    for id in 0..6 {
        let one = Operation::Add(vec![(id, format!("document number {id} with some words of its own"))]);
        carry_out(&index, &one).unwrap();
        model = model.after(&one);
    }
    drop(index);
    let whole = files(&folder);
    let texts = folder.join("texts/000000");
    let bytes = &whole[&texts];
    for cut in 0..bytes.len() {
        std::fs::write(&texts, &bytes[..cut]).unwrap();
        let told = open(&folder).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(told.contains("000000"), "cut to {cut}: {told}");
        assert_eq!(std::fs::read(&texts).unwrap(), bytes[..cut], "it is left as it is");
    }
    std::fs::write(&texts, bytes).unwrap();
    assert!(model.agrees(&open(&folder).unwrap()).unwrap());
}
