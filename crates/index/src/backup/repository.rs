//! A folder of snapshots. Every file is kept once, under its SHA-256, however many snapshots have it; so a snapshot costs
//! what has changed since the last one.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::FileExt;
use std::path::Path;

use lookalike_core::{Error, Result};
use lookalike_io::depot::Depot;
use lookalike_io::remote::is_address;
use lookalike_plumbing::clock::now;
use lookalike_plumbing::lock::LockFile;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::pin::PinnedIndex;
use crate::storage::pinned_file::PinnedFile;

const FORMAT: u32 = 1;
/// Tells that a folder is one of snapshots.
const HEAD: &str = "lookalike-snapshots.json";
const PIECE: usize = 1 << 20;

/// Snapshots in a folder or a store.
pub struct Repository {
    /// As it was named.
    place: String,
    head: Depot,
    pub(super) files: Depot,
    snapshots: Depot,
}

/// What a snapshot consists of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Snapshot {
    format: u32,
    /// The time in UTC, by which snapshots are named and sorted.
    pub name: String,
    /// The same in seconds since 1970.
    pub taken: u64,
    /// The version of the program that took it.
    pub program: String,
    /// Living documents.
    pub documents: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// What is in it.
    pub files: Vec<SnapshotFile>,
}

/// A file of a snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SnapshotFile {
    /// Its path.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Under which it is kept, in hexadecimal digits.
    pub sha256: String,
}

/// What there is to tell of a snapshot.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SnapshotInfo {
    /// Its name, which is its time in UTC.
    pub snapshot: String,
    /// Seconds since 1970.
    pub taken: u64,
    /// Living documents.
    pub documents: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// How many files it has.
    pub files: u64,
    /// The version of the program that took it.
    pub program: String,
}

impl From<&Snapshot> for SnapshotInfo {
    fn from(snapshot: &Snapshot) -> SnapshotInfo {
        SnapshotInfo {
            snapshot: snapshot.name.clone(),
            taken: snapshot.taken,
            documents: snapshot.documents,
            bytes: snapshot.bytes,
            files: snapshot.files.len() as u64,
            program: snapshot.program.clone(),
        }
    }
}

/// A snapshot that was just taken.
#[derive(Debug)]
pub struct Taken {
    /// What it is.
    pub snapshot: Snapshot,
    /// Bytes that no earlier snapshot had.
    pub new_bytes: u64,
}

/// Which snapshots are kept; at least the newest one is, always.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Retention {
    /// So many of the newest.
    pub newest: Option<usize>,
    /// Those that are no older, in seconds.
    pub seconds: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    format: u32,
}

impl Repository {
    /// The snapshots in a folder or at an address. A place that has none gets some with the first [`Repository::take`].
    pub fn open(place: &str) -> Result<Repository> {
        let head = Depot::open(place, "")?;
        let (files, snapshots) = (Depot::open(place, "files")?, Depot::open(place, "snapshots")?);
        let repository = Repository { place: place.to_owned(), head, files, snapshots };
        if let Some(bytes) = repository.head.read(HEAD)? {
            let found: Head = parse(&repository.head, HEAD, &bytes)?;
            check_format(&repository.head, HEAD, found.format)?;
        }
        Ok(repository)
    }

    /// All snapshots, the oldest first.
    pub fn list(&self) -> Result<Vec<Snapshot>> {
        let names = self.snapshots.names()?;
        names.iter().filter(|name| name.ends_with(".json")).map(|name| self.read(name)).collect()
    }

    /// The snapshot of this name, or the newest one.
    pub fn find(&self, name: Option<&str>) -> Result<Snapshot> {
        let names = self.snapshots.names()?;
        let mut names: Vec<&str> = names.iter().filter_map(|name| name.strip_suffix(".json")).collect();
        if let Some(name) = name {
            names.retain(|known| *known == name);
        }
        match (names.pop(), name) {
            (Some(found), _) => self.read(&format!("{found}.json")),
            (None, Some(name)) => Err(Error::config(format!(
                "{} has no snapshot {name}; `lookalike index snapshots {}` lists them",
                self.place, self.place
            ))),
            (None, None) => Err(Error::config(format!("{} has no snapshot", self.place))),
        }
    }

    /// Keeps files as a snapshot. Nothing of it is seen before all of it is there. `sent` is told how many bytes were
    /// looked at, and may stop it.
    pub fn take(&self, index: &PinnedIndex, mut sent: impl FnMut(u64) -> Result<()>) -> Result<Taken> {
        let _lock = self.lock()?;
        self.put_json(&self.head, HEAD, &Head { format: FORMAT })?;
        let mut known = self.files.names()?;
        let (mut entries, mut new_bytes) = (Vec::new(), 0);
        for pinned in &index.files {
            let sha256 = digest(pinned, &mut sent)?;
            if known.insert(sha256.clone()) {
                self.files.put(&sha256, &pinned.path, &pinned.file, pinned.length, |_| sent(0))?;
                new_bytes += pinned.length;
            }
            entries.push(SnapshotFile { name: pinned.name.clone(), bytes: pinned.length, sha256 });
        }
        let taken = now();
        // Names rise even if the clock does not.
        let last = self.snapshots.names()?.last().and_then(|name| seconds_of(name.strip_suffix(".json")?));
        let snapshot = Snapshot {
            format: FORMAT,
            name: name_of(last.map_or(taken, |last| taken.max(last + 1))),
            taken,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            documents: index.documents,
            bytes: entries.iter().map(|entry| entry.bytes).sum(),
            files: entries,
        };
        self.put_json(&self.snapshots, &format!("{}.json", snapshot.name), &snapshot)?;
        Ok(Taken { snapshot, new_bytes })
    }

    /// Removes the snapshots that are not to be kept, and the files that only they had. Returns their names.
    pub fn prune(&self, keep: Retention) -> Result<Vec<String>> {
        let _lock = self.lock()?;
        let (all, now) = (self.list()?, now());
        let is_old = |(place, snapshot): (usize, &Snapshot)| {
            let newer = all.len() - 1 - place;
            let too_many = keep.newest.is_some_and(|newest| newer >= newest);
            let too_old = keep.seconds.is_some_and(|seconds| now.saturating_sub(snapshot.taken) > seconds);
            newer > 0 && (too_many || too_old)
        };
        let (old, kept): (Vec<_>, Vec<_>) = all.iter().enumerate().partition(|&entry| is_old(entry));
        for (_, snapshot) in &old {
            self.snapshots.remove(&format!("{}.json", snapshot.name))?;
        }
        // Also what an interrupted snapshot left.
        let used: BTreeSet<&str> =
            kept.iter().flat_map(|(_, kept)| &kept.files).map(|file| file.sha256.as_str()).collect();
        for name in self.files.names()?.iter().filter(|name| is_digest(name) && !used.contains(name.as_str()))
        {
            self.files.remove(name)?;
        }
        Ok(old.into_iter().map(|(_, snapshot)| snapshot.name.clone()).collect())
    }

    /// Nobody else may add to a folder while files that no snapshot has are removed. In a store nothing is locked: there
    /// one program at a time is the user's part.
    fn lock(&self) -> Result<Option<LockFile>> {
        if is_address(&self.place) {
            return Ok(None);
        }
        let folder = Path::new(&self.place);
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let foreign = self.head.read(HEAD)?.is_none()
            && std::fs::read_dir(folder)
                .map_err(Error::io(folder))?
                .any(|entry| entry.is_ok_and(|entry| entry.file_name() != "lock"));
        if foreign {
            let what = "holds other things; snapshots need a folder of their own";
            return Err(Error::config(format!("{} {what}", self.place)));
        }
        let lock = LockFile::try_take(&folder.join("lock"))?;
        let busy = || Error::config(format!("a snapshot is being taken in {}", self.place));
        lock.map(Some).ok_or_else(busy)
    }

    fn read(&self, name: &str) -> Result<Snapshot> {
        let bytes = self.snapshots.read(name)?.unwrap_or_default();
        let snapshot: Snapshot = parse(&self.snapshots, name, &bytes)?;
        check_format(&self.snapshots, name, snapshot.format)?;
        Ok(snapshot)
    }

    fn put_json(&self, depot: &Depot, name: &str, content: &impl Serialize) -> Result<()> {
        let path = depot.name(name);
        let file = tempfile::tempfile().map_err(Error::io(&path))?;
        let bytes = serde_json::to_vec(content).map_err(|error| Error::Internal(error.to_string()))?;
        file.write_all_at(&bytes, 0).map_err(Error::io(&path))?;
        depot.put(name, &path, &file, bytes.len() as u64, |_| Ok(()))
    }
}

fn parse<T: serde::de::DeserializeOwned>(depot: &Depot, name: &str, bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes)
        .map_err(|error| Error::damaged(depot.name(name), format!("is damaged: {error}")))
}

fn check_format(depot: &Depot, name: &str, format: u32) -> Result<()> {
    if format == FORMAT {
        return Ok(());
    }
    let path = depot.name(name);
    Err(Error::Incompatible(format!(
        "{} has format {format}, this program reads format {FORMAT}",
        path.display()
    )))
}

/// Whether this is the name of a file that is kept.
pub(super) fn is_digest(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The SHA-256 of a file.
fn digest(pinned: &PinnedFile, sent: &mut impl FnMut(u64) -> Result<()>) -> Result<String> {
    let (mut hasher, mut buffer) = (Sha256::new(), vec![0; PIECE]);
    for at in (0..pinned.length).step_by(PIECE) {
        let piece = &mut buffer[..(pinned.length - at).min(PIECE as u64) as usize];
        pinned.file.read_exact_at(piece, at).map_err(Error::io(&pinned.path))?;
        hasher.update(&piece);
        sent(piece.len() as u64)?;
    }
    Ok(hex(&hasher.finalize()))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

const NAME: &str = "%Y%m%dT%H%M%SZ";

/// Such as `20261118T114402Z`.
fn name_of(seconds: u64) -> String {
    let time = jiff::Timestamp::from_second(i64::try_from(seconds).unwrap_or_default()).unwrap_or_default();
    time.strftime(NAME).to_string()
}

/// The time by which a snapshot is named.
fn seconds_of(name: &str) -> Option<u64> {
    let time = jiff::civil::DateTime::strptime(NAME, name).ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    u64::try_from(time.timestamp().as_second()).ok()
}

impl Snapshot {
    /// The files by name, if all names are such as a snapshot may have: none leads out of the folder.
    pub(super) fn checked_files(&self) -> Result<BTreeMap<&str, &SnapshotFile>> {
        let is_plain = |name: &str| {
            name.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
                && !name.contains('\0')
        };
        let mut files = BTreeMap::new();
        for file in &self.files {
            if !is_plain(&file.name)
                || !is_digest(&file.sha256)
                || files.insert(file.name.as_str(), file).is_some()
            {
                let what = format!("snapshot {} is damaged: it has a file {:?}", self.name, file.name);
                return Err(Error::Incompatible(what));
            }
        }
        Ok(files)
    }
}
