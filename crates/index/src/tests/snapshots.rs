//! Snapshots while an index changes, and what becomes of damaged ones.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::super::{IndexLimits, Policy, Repository, Retention, Snapshot};
use super::*;

/// Small enough that runs, checkpoints and segments come and go.
const SMALL: IndexLimits = IndexLimits {
    head_entries: 200,
    operations: 60,
    own_bytes: 1,
    segment_bytes: 4000,
    dead_documents: 30,
    dead_bytes: 2000,
};

fn add(index: &Index, made: &Made) {
    index.writer().add(&made.line(), Policy::Report, &at(1000)).unwrap();
}

fn open_repository(folder: &TempDir) -> Repository {
    Repository::open(folder.path().join("kept").to_str().unwrap()).unwrap()
}

/// Everything below a folder of files that snapshots have.
fn kept_files(folder: &TempDir) -> Vec<PathBuf> {
    let files = fs::read_dir(folder.path().join("kept/files")).unwrap();
    files.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_snapshot_is_the_index_at_one_moment_whatever_happens_meanwhile() {
    let folder = TempDir::new().unwrap();
    let index = Index::create_with(&folder.path().join("index"), &recipe(""), registry(), SMALL).unwrap();
    let repository = open_repository(&folder);
    let (documents, done) = (corpus(400, 3), AtomicBool::new(false));
    let taken = std::thread::scope(|scope| {
        scope.spawn(|| {
            for (number, made) in documents.iter().enumerate() {
                add(&index, made);
                if number % 3 == 2 {
                    let gone = id(&documents[number / 2].id);
                    index.writer().remove(&gone, &View::All).unwrap();
                }
                index.writer().tick(1000).unwrap();
                if index.should_compact() {
                    index.writer().compact().unwrap();
                }
            }
            done.store(true, Ordering::Release);
        });
        let (mut taken, mut next) = (Vec::new(), 0);
        while !done.load(Ordering::Acquire) {
            // A few at different moments.
            if index.reader().stats(&View::All).unwrap().documents < next {
                continue;
            }
            next += 30;
            taken.push(repository.take(&index.pin().unwrap(), |_| Ok(())).unwrap().snapshot);
        }
        taken
    });
    assert!(taken.len() > 2, "some were taken meanwhile");
    let mut seen = Vec::new();
    for (number, snapshot) in taken.iter().enumerate() {
        let restored = folder.path().join(format!("restored-{number}"));
        let found = repository.restore(snapshot, &restored, &registry(), |_| Ok(())).unwrap();
        assert_eq!(found.damage, Vec::<String>::new());
        let restored = Index::open(&restored, registry()).unwrap();
        let living: Vec<Made> = documents
            .iter()
            .filter(|made| restored.reader().get(&id(&made.id), &View::All).unwrap().is_some())
            .cloned()
            .collect();
        assert_eq!(living.len() as u64, snapshot.documents);
        assert_eq!(by_index(&restored, &living, &View::All), by_batch(&living, ""), "snapshot {number}");
        seen.push(living.len());
    }
    assert!(seen.is_sorted() && seen.first() < seen.last(), "they are of different moments: {seen:?}");
}

#[test]
fn what_is_unchanged_is_kept_once_and_what_nobody_has_goes() {
    let folder = TempDir::new().unwrap();
    let index = Index::create_with(&folder.path().join("index"), &recipe(""), registry(), SMALL).unwrap();
    let repository = open_repository(&folder);
    let documents = corpus(200, 5);
    documents[..150].iter().for_each(|made| add(&index, made));
    // What is done in the background would change files between two snapshots.
    let generation = index.generation();
    let _held = generation.store.hold_work();
    let take = || repository.take(&index.pin().unwrap(), |_| Ok(())).unwrap();
    let first = take();
    assert_eq!(first.new_bytes, first.snapshot.bytes, "nothing was there");
    assert_eq!(take().new_bytes, 0, "all was there");
    documents[150..].iter().for_each(|made| add(&index, made));
    let last = take();
    assert!(last.new_bytes > 0 && last.new_bytes < last.snapshot.bytes, "closed segments were there");
    assert_eq!(repository.list().unwrap().len(), 3);
    let before = kept_files(&folder).len();
    let gone = repository.prune(Retention { newest: Some(1), seconds: None }).unwrap();
    assert_eq!((gone.len(), gone[0] == first.snapshot.name), (2, true));
    assert!(kept_files(&folder).len() < before);
    repository.restore(&last.snapshot, &folder.path().join("again"), &registry(), |_| Ok(())).unwrap();
    let none = repository.prune(Retention { newest: None, seconds: Some(0) }).unwrap();
    assert_eq!(none, Vec::<String>::new(), "the newest stays, however old");
    let told = repository.find(Some(&first.snapshot.name)).unwrap_err().to_string();
    assert!(told.contains("has no snapshot"), "{told}");
}

#[test]
fn a_damaged_snapshot_is_not_restored_and_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    let index = Index::create_with(&folder.path().join("index"), &recipe(""), registry(), SMALL).unwrap();
    corpus(60, 7).iter().for_each(|made| add(&index, made));
    let repository = open_repository(&folder);
    let mut snapshot = repository.take(&index.pin().unwrap(), |_| Ok(())).unwrap().snapshot;
    let restored = folder.path().join("restored");
    let restore = |snapshot: &Snapshot| repository.restore(snapshot, &restored, &registry(), |_| Ok(()));
    for file in kept_files(&folder) {
        let whole = fs::read(&file).unwrap();
        let (mut other, mut longer) = (whole.clone(), whole.clone());
        if let Some(byte) = other.last_mut() {
            *byte ^= 1;
            longer.push(0);
            for (bytes, expected) in [
                (other, "is damaged"),
                (whole[..whole.len() - 1].to_vec(), "is cut off"),
                (longer, "is longer"),
            ] {
                fs::write(&file, bytes).unwrap();
                let told = restore(&snapshot).unwrap_err().to_string();
                assert!(told.contains(expected) && told.contains(file.to_str().unwrap()), "{told}");
                assert!(!restored.exists() && !folder.path().join(".restored.restoring").exists());
            }
        }
        fs::write(&file, whole).unwrap();
    }
    for name in ["../out", "/out", "a//b", "a/./b", ""] {
        let good = std::mem::replace(&mut snapshot.files[0].name, name.to_owned());
        assert!(restore(&snapshot).unwrap_err().to_string().contains("has a file"), "{name}");
        snapshot.files[0].name = good;
    }
    assert!(!folder.path().join("out").exists());
    let stopped =
        repository.restore(&snapshot, &restored, &registry(), |_| Err(lookalike_core::Error::Cancelled));
    assert!(stopped.is_err() && !restored.exists());
    assert_eq!(restore(&snapshot).unwrap().damage, Vec::<String>::new());
    let told = restore(&snapshot).unwrap_err().to_string();
    assert!(told.contains("is not empty"), "{told}");
}

#[test]
fn a_folder_of_other_things_gets_no_snapshots() {
    let folder = TempDir::new().unwrap();
    let index = create(&folder.path().join("index"), "");
    fs::create_dir_all(folder.path().join("kept/files")).unwrap();
    fs::write(folder.path().join("kept/thesis.odt"), "years of work").unwrap();
    let told = open_repository(&folder).take(&index.pin().unwrap(), |_| Ok(())).unwrap_err().to_string();
    assert!(told.contains("holds other things"), "{told}");
    assert!(open_repository(&folder).prune(Retention { newest: Some(1), seconds: None }).is_err());
    assert_eq!(fs::read_dir(folder.path().join("kept")).unwrap().count(), 2, "nothing was written");
}

#[test]
fn what_was_damaged_before_is_restored_as_it_was_and_told() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("index");
    let index = Index::create_with(&path, &recipe(""), registry(), SMALL).unwrap();
    corpus(60, 7).iter().for_each(|made| add(&index, made));
    // Texts that the journal tells of are read when an index is opened.
    index.writer().checkpoint().unwrap();
    let segment = path.join("texts/000001");
    let mut bytes = fs::read(&segment).unwrap();
    bytes[20] ^= 1;
    fs::write(&segment, bytes).unwrap();
    let repository = open_repository(&folder);
    let snapshot = repository.take(&index.pin().unwrap(), |_| Ok(())).unwrap().snapshot;
    let restored = folder.path().join("restored");
    let found = repository.restore(&snapshot, &restored, &registry(), |_| Ok(())).unwrap();
    assert!(found.damage.len() == 1 && found.damage[0].contains("texts/000001"), "{found:?}");
    assert_eq!(found.documents, snapshot.documents - 1);
    assert!(Index::open(&restored, registry()).is_ok(), "all other documents are there");
}

/// Damages every file of an index in turn: reading all of it finds each, and names it.
#[test]
fn damage_is_found_wherever_it_is() {
    for is_closed in [true, false] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("index");
        let index = Index::create_with(&path, &recipe(""), registry(), SMALL).unwrap();
        corpus(80, 11).iter().for_each(|made| add(&index, made));
        let living = index.reader().stats(&View::All).unwrap().documents;
        if is_closed {
            index.writer().checkpoint().unwrap();
        }
        let generation = index.generation();
        let held = generation.store.hold_work();
        let files: Vec<PathBuf> = index.pin().unwrap().files.iter().map(|file| file.path.clone()).collect();
        drop(held);
        drop((generation, index));
        let found = Index::verify(&path, &registry()).unwrap();
        assert_eq!((found.documents, found.damage.as_slice()), (living, &[][..]));
        let mut texts = 0;
        for file in &files {
            let whole = fs::read(file).unwrap();
            // How lexicons are used is only a count, and the journal of a closed index is empty.
            if whole.is_empty() || file.ends_with("lexicons.json") {
                continue;
            }
            let mut bytes = whole.clone();
            bytes[whole.len() / 2] ^= 0x20;
            fs::write(file, &bytes).unwrap();
            let found = Index::verify(&path, &registry()).unwrap();
            let name = file.file_name().unwrap().to_str().unwrap();
            assert_eq!(found.damage.len(), 1, "{name}: {found:?}");
            assert!(found.damage[0].contains(name), "{name}: {found:?}");
            if file.parent().unwrap().ends_with("texts") && is_closed {
                assert_eq!(found.documents, living - 1, "one document is damaged, the others were read");
                texts += 1;
            }
            fs::write(file, whole).unwrap();
        }
        assert!(texts > 2 || !is_closed, "several segments");
        let again = Index::verify(&path, &registry()).unwrap();
        assert_eq!((again.documents, again.damage.len()), (living, 0), "looking changed nothing");
    }
}
