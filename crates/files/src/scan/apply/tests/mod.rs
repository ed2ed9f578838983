//! Real files in temporary folders.

mod applying;
mod killed;
mod planning;
mod property;
mod trashing;
mod undoing;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::check::modified_nanos;
use super::plan::plan_with;
use super::trash::Wastebaskets;
use super::*;
use crate::scan::{ScanCluster, ScanMember, ScanReport};

thread_local! {
    static CHANGES_LEFT: Cell<Option<u32>> = const { Cell::new(None) };
}

struct Killed;

/// Stops the work after the changes that `killed_after` allows.
pub(super) fn checkpoint() {
    match CHANGES_LEFT.get() {
        None => {}
        Some(0) => std::panic::resume_unwind(Box::new(Killed)),
        Some(left) => CHANGES_LEFT.set(Some(left - 1)),
    }
}

/// Runs the work up to the given number of changes to the disk; `None` if it was killed there. It
/// has no destructors that clean up, so unwinding leaves the same state as a kill.
fn killed_after<T>(changes: u32, work: impl FnOnce() -> T) -> Option<T> {
    CHANGES_LEFT.set(Some(changes));
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    CHANGES_LEFT.set(None);
    match outcome {
        Ok(value) => Some(value),
        Err(payload) if payload.is::<Killed>() => None,
        Err(payload) => std::panic::resume_unwind(payload),
    }
}

/// A folder with `docs` to scan, and places for the results of actions.
struct Fixture {
    dir: tempfile::TempDir,
    /// Where duplicates are moved to.
    aside: PathBuf,
    clusters: Vec<Vec<String>>,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let aside = dir.path().join("aside");
        std::fs::create_dir(dir.path().join("docs")).unwrap();
        Fixture { dir, aside, clusters: Vec::new() }
    }

    fn docs(&self) -> PathBuf {
        self.dir.path().join("docs")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.docs().join(name)
    }

    /// Writes a file with a time in the past, so that any change shows.
    fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        let age =
            std::time::Duration::from_nanos(1_000_000_000_123_456_789 + 1_000_000_000 * name.len() as u64);
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + age).unwrap();
        path
    }

    /// A cluster of files with the first as master; files that are not there yet get one content.
    fn cluster(&mut self, names: &[&str]) {
        let content = format!("the same in cluster {}", self.clusters.len());
        for name in names {
            if std::fs::symlink_metadata(self.path(name)).is_err() {
                self.file(name, &content);
            }
        }
        self.clusters.push(names.iter().map(|name| (*name).to_owned()).collect());
    }

    fn member(&self, name: &str) -> ScanMember {
        let path = self.path(name).display().to_string();
        let metadata = std::fs::metadata(&path).unwrap();
        ScanMember {
            id: path.clone(),
            path,
            similarity: 1.0,
            bytes: metadata.len(),
            modified_nanos: modified_nanos(&metadata),
            ..ScanMember::default()
        }
    }

    fn report(&self) -> ScanReport {
        let clusters = self.clusters.iter().enumerate().map(|(number, names)| {
            let members: Vec<ScanMember> = names.iter().map(|name| self.member(name)).collect();
            let (master, size) = (members[0].id.clone(), members.len() as u64);
            ScanCluster { cluster: number as u64 + 1, master, size, members, ..ScanCluster::default() }
        });
        ScanReport { clusters: clusters.collect(), ..ScanReport::default() }
    }

    fn request(&self, action: Action) -> ActionRequest {
        let to = (action == Action::Move).then(|| self.aside.clone());
        ActionRequest { action, to, roots: vec![self.docs()], containers: BTreeSet::new() }
    }

    fn baskets(&self) -> Wastebaskets {
        let user = rustix::process::getuid().as_raw();
        Wastebaskets { home: Some(self.dir.path().join("data/Trash")), user }
    }

    fn plan(&self, action: Action) -> ActionPlan {
        self.plan_of(&self.report(), action)
    }

    fn plan_of(&self, report: &ScanReport, action: Action) -> ActionPlan {
        plan_with(report, &self.request(action), &self.baskets()).unwrap()
    }

    fn log(&self) -> PathBuf {
        self.dir.path().join("undo.jsonl")
    }

    fn apply(&self, action: Action) -> Summary {
        apply(&self.plan(action), &self.log()).unwrap()
    }

    /// Everything in the scanned folder and in the one to move to.
    fn tree(&self) -> BTreeMap<PathBuf, FileState> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.docs(), self.aside.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                let metadata = std::fs::symlink_metadata(&path).unwrap();
                let is_folder = metadata.is_dir();
                let content = if metadata.is_file() { std::fs::read(&path).unwrap() } else { Vec::new() };
                let modified = if is_folder { 0 } else { modified_nanos(&metadata) };
                found.insert(path.clone(), FileState { content, modified, mode: metadata.mode() });
                if is_folder {
                    folders.push(path);
                }
            }
        }
        found
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct FileState {
    content: Vec<u8>,
    modified: u64,
    mode: u32,
}

/// A folder on another file system than the temporary one, if there is one.
fn elsewhere(fixture: &Fixture) -> Option<tempfile::TempDir> {
    let other = tempfile::tempdir_in("/dev/shm").ok()?;
    let device = |path: &Path| std::fs::metadata(path).unwrap().dev();
    (device(other.path()) != device(fixture.dir.path())).then_some(other)
}

fn inode(path: &Path) -> u64 {
    std::fs::symlink_metadata(path).unwrap().ino()
}

/// The reasons by file name.
fn reasons(passed_over: &[SkippedFile]) -> BTreeMap<String, String> {
    let name = |path: &str| path.rsplit_once('/').map_or(path, |(_, name)| name).to_owned();
    passed_over.iter().map(|passed| (name(&passed.path), passed.reason.clone())).collect()
}

fn reason(passed_over: &[SkippedFile], name: &str) -> String {
    reasons(passed_over).get(name).cloned().unwrap_or_default()
}
