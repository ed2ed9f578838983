//! A store beside a state to which the same happens without any files, and what a kill or a power cut leaves of the store.

use std::path::PathBuf;

use lookalike_core::hash::mix;

use super::*;
use crate::storage::pinned_file::PinnedFile;
use crate::storage::snapshot;

/// So large that nothing is done by itself; segments of texts are small.
pub(super) const LIMITS: IndexLimits = IndexLimits {
    head_entries: 1 << 18,
    operations: 50_000,
    own_bytes: u64::MAX,
    segment_bytes: 300,
    dead_documents: 0,
    dead_bytes: 0,
};

/// What a state is, byte for byte, without its keys.
pub(super) fn told(state: &State) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    snapshot::write(&path, state, &mut || Ok(())).unwrap();
    std::fs::read(path).unwrap()
}

/// The living contents by key.
pub(super) fn buckets(state: &State) -> Vec<Vec<ContentNumber>> {
    let mut buckets = Vec::new();
    let living = |&content: &ContentNumber| state.population.is_alive(content);
    state
        .keys
        .for_each_bucket(|bucket| buckets.push(bucket.iter().copied().filter(living).collect()))
        .unwrap();
    buckets.retain(|bucket: &Vec<ContentNumber>| !bucket.is_empty());
    buckets
}

/// A store, and the state that the same operations make without any files.
pub(super) struct Both {
    pub folder: tempfile::TempDir,
    pub store: OpenStore,
    pub expected: State,
    random: u64,
    /// What the state was after each commit since the last sync, and how long the journal then was.
    since: Vec<Vec<u8>>,
    synced: u64,
}

impl Both {
    pub(super) fn new(seed: u64) -> Both {
        Both::with(seed, LIMITS)
    }

    pub(super) fn with(seed: u64, limits: IndexLimits) -> Both {
        let folder = tempfile::tempdir().unwrap();
        let parts = StoreParts { limits, ..parts(folder.path()) };
        let store = Store::create(&folder.path().join("generation-1"), parts).unwrap();
        let since = vec![told(&State::new(LAYOUT))];
        Both { folder, store, expected: State::new(LAYOUT), random: seed << 32, since, synced: 0 }
    }

    pub(super) fn random(&mut self, below: usize) -> usize {
        self.random += 1;
        (mix(self.random) % below.max(1) as u64) as usize
    }

    /// One commit of anything that may happen.
    pub(super) fn change(&mut self) {
        let documents = self.expected.population.documents.len();
        let some = document(self.random(documents));
        let (kind, other) = (self.random(12), self.random(40) as u128 + 1);
        let mut end = None;
        let mut writer = self.store.write().unwrap();
        let operation = match kind {
            0..=1 if documents > 0 => Operation::Remove { document: some },
            2 if documents > 0 => Operation::Touch(Touch {
                document: some,
                seen: 9,
                expires: other as u32,
                hits: 1,
                unchanged: 2,
                interval: 3,
            }),
            3 if documents > 0 => Operation::Prefer(Prefer {
                document: some,
                preferred: other > 20,
                by: "me".to_owned(),
                time: 4,
            }),
            4 if documents > 0 => Operation::Decide(Decide {
                digests: (other, other / 2 + 1),
                ids: ("\"a\"".to_owned(), "\"b\"".to_owned()),
                duplicate: Some(other > 20),
                by: "me".to_owned(),
                time: 11,
                link: (other > 20).then_some(0.25),
                texts: None,
                labels: None,
            }),
            _ => {
                let id = format!("\"{other}\"");
                let appended = writer.append_lines(&[id.as_bytes()]).unwrap();
                end = Some(appended.end);
                let contents = &self.expected.population.contents;
                let is_new = self.expected.population.content_of(other).is_none();
                let link =
                    (is_new && contents.len() > 0).then(|| ContentNumber::from_index(contents.len() - 1));
                let links: Vec<_> = link.iter().map(|&content| (content, 0.75)).collect();
                let replaced = self.expected.population.ids.find(&id).next();
                let continues = replaced.map(|document| Continues {
                    document,
                    replaces: kind > 8,
                    before: None,
                    version: Version { time: 7, ..version() },
                });
                let keys = vec![mix(other as u64), mix(other as u64 % 5)];
                Operation::Put(Put {
                    place: appended.places[0],
                    continues,
                    keys,
                    expires: (other % 3) as u32,
                    ..put(&id, other, &links)
                })
            }
        };
        let _ = writer.commit(end, std::slice::from_ref(&operation)).unwrap();
        drop(writer);
        self.expected.apply(&Star, &operation);
        self.since.push(told(&self.expected));
    }

    pub(super) fn sync(&mut self) {
        self.store.sync_all().unwrap();
        self.synced = self.store.writer.lock().unwrap().journal.bytes();
        self.since.drain(..self.since.len() - 1);
    }

    /// Changes happen, some of which are synced, and what is on disk then is looked at.
    pub(super) fn go_on(&mut self, step: &str) {
        for _ in 0..3 + self.random(8) {
            self.change();
            if self.random(4) == 0 {
                self.sync();
            }
        }
        self.check(step);
        self.check_killed(step);
        self.check_power(step);
    }

    pub(super) fn check(&self, step: &str) {
        let state = self.store.state();
        assert!(told(&state) == told(&self.expected), "{step}: it is another state");
        assert_eq!(buckets(&state), buckets(&self.expected), "{step}");
    }

    /// The files as they are now, opened as after a kill.
    pub(super) fn check_killed(&self, step: &str) {
        let copy = copy_of(self.folder.path());
        let opened = Store::open(&copy.path().join("generation-1"), parts(copy.path()), true).unwrap();
        assert!(told(&opened.state()) == told(&self.expected), "{step}: another state was opened");
        assert_eq!(buckets(&opened.state()), buckets(&self.expected), "{step}");
        let named = Manifest::read(&copy.path().join("generation-1")).unwrap();
        let files = std::fs::read_dir(copy.path().join("generation-1")).unwrap().count();
        let expected = 3 + named.runs.len() + usize::from(named.snapshot.is_some());
        assert_eq!(files, expected, "{step}: nothing else is left");
    }

    /// Of the journal there is any part of what was not synced, and nothing of files that have no name yet.
    pub(super) fn check_power(&mut self, step: &str) {
        let copy = copy_of(self.folder.path());
        let own = copy.path().join("generation-1");
        let named = Manifest::read(&own).unwrap();
        let journal = std::fs::OpenOptions::new().write(true).open(own.join(&named.journal)).unwrap();
        let length = journal.metadata().unwrap().len();
        let cut = self.synced + self.random((length - self.synced) as usize + 1) as u64;
        journal.set_len(cut).unwrap();
        for path in files_in(&own) {
            let name = path.file_name().unwrap().to_str().unwrap();
            let known = named.runs.iter().chain(&named.snapshot).chain([&named.journal]);
            if !known.into_iter().any(|known| known == name)
                && name != manifest::NAME
                && name != "acknowledged"
            {
                std::fs::write(&path, "").unwrap();
            }
        }
        let opened = Store::open(&own, parts(copy.path()), true).unwrap();
        let found = told(&opened.state());
        assert!(self.since.contains(&found), "{step}: what was acknowledged is gone");
    }
}

pub(super) fn files_in(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

pub(super) fn copy_of(folder: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for part in ["texts", "generation-1"] {
        std::fs::create_dir(copy.path().join(part)).unwrap();
        for path in files_in(&folder.join(part)) {
            std::fs::copy(&path, copy.path().join(part).join(path.file_name().unwrap())).unwrap();
        }
    }
    copy
}

/// Copies what was pinned, and opens it.
pub(super) fn opened(pinned: &[PinnedFile]) -> (tempfile::TempDir, OpenStore) {
    use std::os::unix::fs::FileExt;
    let copy = tempfile::tempdir().unwrap();
    for file in pinned {
        let path = copy.path().join(&file.name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut bytes = vec![0; file.length as usize];
        file.file.read_exact_at(&mut bytes, 0).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let store = Store::open(&copy.path().join("generation-1"), parts(copy.path()), true).unwrap();
    (copy, store)
}
