//! Snapshots of what the service keeps, taken while it goes on: the index, removals that may be undone, notes and batches
//! of reviewers, and the files that recipes name. Jobs, uploads, tokens and the search, which is made again from the index, are not in them.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use lookalike::index::{Index, PinnedFile, PinnedIndex, Repository, Retention, SnapshotInfo};
use lookalike::{Error, Result};
use lookalike_plumbing::clock::now;

use crate::config::Config;
use crate::error::{ApiError, ApiResult};
use crate::jobs::NamedAssets;
use crate::maintenance::{Maintenance, Task, TaskKind};
use crate::removals::Removals;
use crate::review::ReviewStore;

/// The seconds before one that failed is tried again.
const PAUSE: u64 = 600;
/// Between two pieces of what is copied.
const LONGEST_REST: Duration = Duration::from_millis(200);
/// It is not known yet when one was taken.
const UNKNOWN: u64 = u64::MAX;

pub struct Snapshots {
    place: Option<String>,
    every: Option<u64>,
    keep: Retention,
    data: PathBuf,
    maintenance: Arc<Maintenance>,
    removals: Arc<Removals>,
    review: Arc<ReviewStore>,
    /// When the last one was taken or tried, in seconds since 1970.
    tried: AtomicU64,
    /// When the last one was taken; 0 if there is none.
    taken: AtomicU64,
}

impl Snapshots {
    pub fn new(
        config: &Config,
        maintenance: &Arc<Maintenance>,
        removals: &Arc<Removals>,
        review: &Arc<ReviewStore>,
    ) -> Result<Arc<Snapshots>> {
        let seconds = |time: Duration| time.as_secs();
        if config.snapshots.is_none() && config.snapshot_every.is_some() {
            return Err(Error::config(
                "`snapshot_every` needs `snapshots`: the folder or store that takes them",
            ));
        }
        // A place that cannot be one is told now.
        config.snapshots.as_deref().map(Repository::open).transpose()?;
        Ok(Arc::new(Snapshots {
            place: config.snapshots.clone(),
            every: config.snapshot_every.map(seconds),
            keep: Retention { newest: config.snapshot_keep, seconds: config.snapshot_keep_for.map(seconds) },
            data: config.data.clone(),
            maintenance: Arc::clone(maintenance),
            removals: Arc::clone(removals),
            review: Arc::clone(review),
            tried: AtomicU64::new(UNKNOWN),
            taken: AtomicU64::new(0),
        }))
    }

    /// When the last one was taken, in seconds since 1970; 0 if that is not known.
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Begins one.
    pub fn take(self: &Arc<Self>) -> ApiResult<Task> {
        let place = self.place()?;
        let ours = Arc::clone(self);
        self.maintenance.start(TaskKind::Snapshot, move |index| ours.take_now(&place, index))
    }

    pub fn list(&self) -> ApiResult<Vec<SnapshotInfo>> {
        let all = Repository::open(&self.place()?)?.list()?;
        Ok(all.iter().map(SnapshotInfo::from).collect())
    }

    /// Begins one if it is time, unless another task runs.
    pub fn take_if_due(self: &Arc<Self>) {
        let (Some(every), Some(place)) = (self.every, self.place.clone()) else { return };
        let tried = self.tried.load(Ordering::Relaxed);
        let pause = if self.taken() == tried { every } else { every.min(PAUSE) };
        if tried != UNKNOWN && now() < tried.saturating_add(pause) {
            return;
        }
        let ours = Arc::clone(self);
        let begun = self.maintenance.start(TaskKind::Snapshot, move |index| {
            if tried == UNKNOWN {
                // A service that was started again goes on as if it had not been.
                let last = Repository::open(&place)?.list()?.pop().map_or(0, |last| last.taken);
                ours.note(last, true);
                if now() < last.saturating_add(every) {
                    return Ok(());
                }
            }
            ours.take_now(&place, index)
        });
        if begun.is_ok() && tried != UNKNOWN {
            tracing::info!("it is time for a snapshot");
        }
    }

    /// Takes one in the place of all there are, if there is a place for them.
    pub fn replace_all(&self, index: &Index) -> Result<()> {
        let Some(place) = &self.place else { return Ok(()) };
        self.take_now(place, index)?;
        Repository::open(place)?.prune(Retention { newest: Some(1), seconds: None }).map(drop)
    }

    fn take_now(&self, place: &str, index: &Index) -> Result<()> {
        self.note(now(), false);
        let repository = Repository::open(place)?;
        let pinned = self.removals.while_idle(|removals| {
            let others = NamedAssets::new(&self.data).all()?.into_iter().chain(removals);
            let PinnedIndex { files, documents } = index.pin()?;
            let mut files: Vec<PinnedFile> = files.into_iter().map(|file| file.below("index")).collect();
            files.extend(self.review.pin(&self.data)?);
            for path in others {
                files.push(PinnedFile::open(&self.data, &path)?);
            }
            Ok(PinnedIndex { files, documents })
        })?;
        let mut since = Instant::now();
        let taken = repository.take(&pinned, |_| {
            // Requests have the disk and the processor for as long as each piece took.
            std::thread::sleep(since.elapsed().min(LONGEST_REST));
            since = Instant::now();
            Ok(())
        })?;
        self.note(taken.snapshot.taken, true);
        let (snapshot, new_bytes) = (&taken.snapshot.name, taken.new_bytes);
        tracing::info!(snapshot, documents = taken.snapshot.documents, new_bytes, "a snapshot was taken");
        if self.keep != Retention::default() {
            let removed = repository.prune(self.keep)?;
            tracing::info!(?removed, "old snapshots were removed");
        }
        Ok(())
    }

    fn note(&self, time: u64, is_taken: bool) {
        self.tried.store(time, Ordering::Relaxed);
        if is_taken {
            self.taken.store(time, Ordering::Relaxed);
        }
    }

    fn place(&self) -> ApiResult<String> {
        let message = "this service has no place for snapshots: set `snapshots` to a folder or a store";
        self.place.clone().ok_or_else(|| ApiError::new(StatusCode::NOT_FOUND, "no-snapshots", message))
    }
}
