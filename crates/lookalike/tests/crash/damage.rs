//! Files are damaged, cut off or gone. Each time that is told in one sentence that names the file, nothing wrong
//! is answered, and with the file restored everything is there again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lookalike::Error;
use lookalike::index::{Index, IndexLimits};

use super::model::{
    LIMITS, Model, NATIVE, Operation, Random, answers, carry_out, create, open, operation, registry,
};

type Files = BTreeMap<PathBuf, Vec<u8>>;

/// All files of a folder.
pub fn files(folder: &Path) -> Files {
    let mut found = Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap();
                found.insert(path, bytes);
            }
        }
    }
    found
}

/// Makes a folder have these files and no others.
pub fn restore(folder: &Path, whole: &Files) {
    if folder.exists() {
        std::fs::remove_dir_all(folder).unwrap();
    }
    for (path, bytes) in whole {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

/// An index with files of every kind: two generations long, several segments of texts and runs, a snapshot, a
/// journal with operations in it, and a generation that was never finished.
fn with_all_files(folder: &Path) -> Model {
    let index = create(folder, LIMITS).unwrap();
    let mut model = Model::default();
    let steps = (0..60).map(|step| operation(1000, step)).chain([Operation::Resign(NATIVE)]);
    for operation in steps {
        carry_out(&index, &operation).unwrap();
        model = model.after(&operation);
    }
    drop(index);
    // From here on keys come into several runs and operations stay in the journal.
    let limits = IndexLimits {
        head_entries: 1,
        operations: u64::MAX,
        own_bytes: u64::MAX,
        segment_bytes: 3000,
        ..LIMITS
    };
    let index = Index::open_with(folder, registry(), limits).unwrap();
    let only_changes = (0..).filter(|&step| {
        matches!(operation(1001, step), Operation::Add(_) | Operation::Decide(..) | Operation::Remove(_))
    });
    for step in only_changes.take(25) {
        let operation = operation(1001, step);
        carry_out(&index, &operation).unwrap();
        model = model.after(&operation);
    }
    model
}

/// Whether an error is of the kinds for damage and names the file.
fn names(error: &Error, path: &Path) -> bool {
    let name = path.file_name().unwrap().to_str().unwrap();
    let told = error.to_string();
    matches!(error, Error::Damaged { .. } | Error::Incompatible(_) | Error::Io { .. })
        && told.contains(name)
        && !told.contains('\n')
}

#[test]
fn damage_is_told_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("index");
    let model = with_all_files(&folder);
    let whole = files(&folder);
    let kinds = [
        "index.json",
        "manifest.json",
        "state-",
        "journal-",
        "run-",
        "000",
        "acknowledged",
        "lock",
        "native.lexicon",
        "lexicons.json",
    ];
    for kind in kinds {
        let of_kind = |path: &&PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with(kind);
        assert!(whole.keys().any(|path| of_kind(&path)), "no file {kind} among {:?}", whole.keys());
    }
    let expected = {
        let index = open(&folder).unwrap();
        assert!(model.agrees(&index).unwrap());
        answers(&index).unwrap()
    };
    let mut random = Random(3);
    let (mut refused, mut told_later, mut harmless) = (0, 0, 0);
    for (path, bytes) in &whole {
        for damage in damages(bytes, &mut random) {
            restore(&folder, &whole);
            match &damage {
                Some(bytes) => std::fs::write(path, bytes).unwrap(),
                None => std::fs::remove_file(path).unwrap(),
            }
            let damaged = files(&folder);
            let what =
                format!("{} of {} bytes, now {:?}", path.display(), bytes.len(), damage.map(|b| b.len()));
            match open(&folder) {
                Err(error) => {
                    assert!(names(&error, path), "{what}: {error}");
                    assert_eq!(unlocked(files(&folder)), unlocked(damaged), "{what}: opening changed files");
                    refused += 1;
                }
                Ok(index) => match answers(&index) {
                    Ok(found) => {
                        assert_eq!(found, expected, "{what}");
                        harmless += 1;
                    }
                    Err(error) => {
                        assert!(names(&error, path), "{what}: {error}");
                        told_later += 1;
                    }
                },
            }
            std::fs::write(path, bytes).unwrap();
            let index = open(&folder).unwrap_or_else(|error| panic!("{what}, restored: {error}"));
            assert_eq!(answers(&index).unwrap(), expected, "{what}, restored");
        }
    }
    println!("{} files: {refused} refused, {told_later} told later, {harmless} harmless", whole.len());
    assert!(refused > 50 && told_later > 5);
}

/// Opening takes a lock, which is a file without content.
fn unlocked(mut files: Files) -> Files {
    files.retain(|path, _| path.file_name().is_some_and(|name| name != "lock"));
    files
}

/// Flips bits, cuts, and removes.
fn damages(bytes: &[u8], random: &mut Random) -> Vec<Option<Vec<u8>>> {
    let mut damages = vec![None];
    let length = bytes.len() as u64;
    if length > 0 {
        let ends = [0, 1, length / 2, length.saturating_sub(2), length - 1];
        let places = (0..10).map(|_| random.below(length)).collect::<Vec<_>>();
        for place in ends.into_iter().chain(places) {
            let mut flipped = bytes.to_vec();
            flipped[place as usize] ^= 1 << random.below(8);
            damages.push(Some(flipped));
        }
        for cut in [0, length / 3, length / 2, length.saturating_sub(17), length - 1] {
            damages.push(Some(bytes[..cut as usize].to_vec()));
        }
    }
    damages
}
