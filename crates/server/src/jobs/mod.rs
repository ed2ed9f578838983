//! Offline runs in the background: they are queued, can be watched and cancelled, and survive a restart.
//!
//! Every job has a folder with `job.json`, which is replaced whenever its state changes. One job runs at a time, on
//! all cores. Jobs that were queued or running when the process ended are queued again; batch runs continue where
//! they were, others start again.

mod adopt;
mod allowed_paths;
mod apply;
mod assets;
mod spec;
mod summary;
mod uploads;
mod work;

pub use assets::NamedAssets;
pub use spec::NewJob;
pub use uploads::Upload;

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use lookalike::Registry;
use lookalike::{Error, Result};
use lookalike_core::threads::caught;
use lookalike_plumbing::clock::now;
use lookalike_plumbing::files::sync_tree;
use lookalike_plumbing::json::{read_json, write_json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::adopt::{Adopted, adopted_recipe};
use self::spec::JobKind;
use self::summary::JobSummary;
use self::work::{JobContext, JobControl, carry_out};
use lookalike::Recipe;
use lookalike::index::Index;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JobState {
    Queued,
    Running,
    Done,
    Failed,
    Cancelled,
}

/// A job as its folder has it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Job")]
pub struct JobRecord {
    pub id: u64,
    pub spec: NewJob,
    pub state: JobState,
    /// Seconds since 1970.
    pub created: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The result in short; the files are in the folder of the job.
    // Summaries of earlier versions may lack fields of today, so they are kept as they are.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[schemars(with = "JobSummary")]
    pub summary: Value,
    /// The progress of a running job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<JobProgress>,
    /// Whether the index has the recipe of this job.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adopted: bool,
}

/// The progress of a running job.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct JobProgress {
    pub stage: String,
    /// From 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub done: f64,
}

pub struct Jobs {
    folder: PathBuf,
    allowed: Vec<PathBuf>,
    assets: NamedAssets,
    index: Arc<Index>,
    registry: Registry,
    shared: Mutex<Shared>,
    changed: Condvar,
}

#[derive(Default)]
struct Shared {
    jobs: BTreeMap<u64, JobRecord>,
    queue: VecDeque<u64>,
    running: Option<(u64, Arc<JobControl>)>,
    closed: bool,
}

impl Jobs {
    /// Opens the folder of jobs. Corpora may only be read from the allowed folders; recipes may name the lexicons
    /// and models of the data folder, and uploads.
    pub fn open(
        data: &Path,
        folder: &Path,
        allowed: Vec<PathBuf>,
        index: Arc<Index>,
        registry: Registry,
    ) -> Result<Arc<Jobs>> {
        for part in ["", "uploads"] {
            let path = folder.join(part);
            std::fs::create_dir_all(&path).map_err(Error::io(path))?;
        }
        let mut shared = Shared::default();
        for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
            let path = entry.map_err(Error::io(folder))?.path().join("job.json");
            if !path.exists() {
                continue;
            }
            let mut job: JobRecord = read_json(&path).map_err(|error| match error {
                Error::Damaged { path, what } => {
                    let what = format!("{what}, or remove the job's folder to go on without it");
                    Error::Damaged { path, what }
                }
                other => other,
            })?;
            if matches!(job.state, JobState::Queued | JobState::Running) {
                job.state = JobState::Queued;
                shared.queue.push_back(job.id);
            }
            shared.jobs.insert(job.id, job);
        }
        shared.queue.make_contiguous().sort_unstable();
        let folder = folder.to_owned();
        Ok(Arc::new(Jobs {
            assets: NamedAssets::with_uploads(data, &folder.join("uploads")),
            folder,
            allowed,
            index,
            registry,
            shared: Mutex::new(shared),
            changed: Condvar::new(),
        }))
    }

    /// Runs the jobs of the queue until [`Jobs::close`]; for a thread of its own. `failed` gets every error in
    /// full.
    pub fn work(&self, failed: &dyn Fn(&Error)) {
        while let Some((id, spec, control)) = self.next() {
            let context = JobContext {
                index: &self.index,
                uploads: self.uploads_folder(),
                allowed: &self.allowed,
                registry: &self.registry,
                assets: &self.assets,
                folder: self.folder_of(id),
                followed: spec.of.map(|of| (of, self.folder_of(of))),
            };
            // A job is only done when its results are on disk.
            let kept = |summary| sync_tree(&context.folder).map(|()| summary);
            // The next job runs even if this one panics.
            let outcome = caught(|| carry_out(&spec, &context, &control)).and_then(kept);
            let mut shared = self.lock();
            shared.running = None;
            let closed = shared.closed;
            if let Some(job) = shared.jobs.get_mut(&id) {
                match outcome {
                    Ok(summary) => (job.state, job.summary) = (JobState::Done, summary),
                    // The service is stopping: the next one continues the job.
                    Err(_) if closed && control.cancelled.load(Ordering::Relaxed) => {
                        job.state = JobState::Queued
                    }
                    Err(_) if control.cancelled.load(Ordering::Relaxed) => job.state = JobState::Cancelled,
                    Err(error) => {
                        failed(&error);
                        let told = match error {
                            // The path is for the log, not for callers.
                            Error::Damaged { .. } => {
                                "the stored data is damaged; the log has where".to_owned()
                            }
                            error => context.shown(&error.to_string()),
                        };
                        (job.state, job.error) = (JobState::Failed, Some(told));
                    }
                }
                if job.state != JobState::Queued {
                    job.finished = Some(now());
                }
                let job = job.clone();
                drop(shared);
                // If the disk takes no results, it takes no record of the failure either.
                let _ = self.write(&job);
            }
            self.changed.notify_all();
        }
    }

    /// Waits for the next job; `None` when the service stops.
    fn next(&self) -> Option<(u64, NewJob, Arc<JobControl>)> {
        let mut shared = self.lock();
        loop {
            if shared.closed {
                return None;
            }
            if let Some(id) = shared.queue.pop_front() {
                let control = Arc::new(JobControl::default());
                shared.running = Some((id, Arc::clone(&control)));
                let job = shared.jobs.get_mut(&id)?;
                (job.state, job.started) = (JobState::Running, Some(now()));
                let job = job.clone();
                let _ = self.write(&job);
                return Some((id, job.spec, control));
            }
            shared = self.changed.wait(shared).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Queues a job; it is on disk when this returns.
    pub fn submit(&self, spec: NewJob) -> Result<JobRecord> {
        spec.check(&self.registry, &self.assets)?;
        if let Some(of) = spec.of {
            let followed = self.lock().jobs.get(&of).cloned();
            let has_pairs = |job: &JobRecord| {
                job.state == JobState::Done && job.spec.kind == JobKind::Dedup && job.spec.testing.index
            };
            if !followed.as_ref().is_some_and(has_pairs) {
                return Err(Error::config(format!(
                    "job {of} is none that has found duplicates among the documents of the index"
                )));
            }
        }
        let mut shared = self.lock();
        let id = shared.jobs.last_key_value().map_or(1, |(id, _)| id + 1);
        let job = JobRecord {
            id,
            spec,
            state: JobState::Queued,
            created: now(),
            started: None,
            finished: None,
            error: None,
            summary: Value::Null,
            progress: None,
            adopted: false,
        };
        std::fs::create_dir_all(self.folder_of(id)).map_err(Error::io(self.folder_of(id)))?;
        self.write(&job)?;
        shared.jobs.insert(id, job.clone());
        shared.queue.push_back(id);
        drop(shared);
        self.changed.notify_all();
        Ok(job)
    }

    pub fn get(&self, id: u64) -> Option<JobRecord> {
        let shared = self.lock();
        let mut job = shared.jobs.get(&id)?.clone();
        if let Some((_, control)) = shared.running.as_ref().filter(|(running, _)| *running == id) {
            let (stage, done) = control.progress();
            job.progress = Some(JobProgress { stage, done });
        }
        drop(shared);
        let adopted = Adopted::read(&self.folder_of(id)).ok().flatten();
        job.adopted = adopted.is_some_and(|adopted| adopted.recipe == self.index.recipe());
        Some(job)
    }

    /// The recipe of a job that has ended well, for the index to take over. What it names is copied to the files of the
    /// service.
    pub fn adopt(&self, id: u64) -> Result<Recipe> {
        let job = self.get(id).filter(|job| job.state == JobState::Done);
        let job = job.ok_or_else(|| Error::config("this job has not ended well"))?;
        let folder = self.folder_of(id);
        let recipe = adopted_recipe(id, &job.spec, &folder, &self.registry, &self.assets)
            .map_err(|error| self.assets.shown(error))?;
        let adopted = Adopted { recipe: recipe.to_stored(), before: self.index.recipe() };
        if adopted.recipe == adopted.before {
            return Err(Error::config("the index has the recipe of this job already"));
        }
        adopted.write(&folder)?;
        Ok(recipe)
    }

    /// The recipe that the index had before it took over that of a job; `None` if it does not have that one.
    pub fn before_adoption(&self, id: u64) -> Result<Option<Recipe>> {
        let adopted = Adopted::read(&self.folder_of(id))?;
        let adopted = adopted.filter(|adopted| adopted.recipe == self.index.recipe());
        adopted.map(|adopted| Recipe::from_toml(&adopted.before, &self.registry)).transpose()
    }

    /// The newest first.
    pub fn list(&self) -> Vec<JobRecord> {
        let ids: Vec<u64> = self.lock().jobs.keys().rev().copied().collect();
        ids.into_iter().filter_map(|id| self.get(id)).collect()
    }

    /// Stops a job that is queued or running; deletes a finished one with its results. Returns `false` if it is
    /// unknown.
    pub fn cancel(&self, id: u64) -> Result<bool> {
        let mut shared = self.lock();
        if let Some((_, control)) = shared.running.as_ref().filter(|(running, _)| *running == id) {
            control.cancelled.store(true, Ordering::Relaxed);
            return Ok(true);
        }
        let Some(job) = shared.jobs.get_mut(&id) else { return Ok(false) };
        if job.state == JobState::Queued {
            (job.state, job.finished) = (JobState::Cancelled, Some(now()));
            let job = job.clone();
            shared.queue.retain(|&waiting| waiting != id);
            self.write(&job)?;
            return Ok(true);
        }
        shared.jobs.remove(&id);
        let folder = self.folder_of(id);
        std::fs::remove_dir_all(&folder).map_err(Error::io(folder))?;
        Ok(true)
    }

    /// The names of a job's result files.
    pub fn files(&self, id: u64) -> Vec<String> {
        let root = self.folder_of(id).join("results");
        let mut found = Vec::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let hidden = entry.file_name().to_string_lossy().starts_with('.');
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() && !hidden => folders.push(path),
                    Ok(kind) if kind.is_file() && !hidden => {
                        let name = path.strip_prefix(&root).map(|name| name.to_string_lossy().into_owned());
                        found.extend(name.ok());
                    }
                    _ => {}
                }
            }
        }
        found.sort();
        found
    }

    /// The path of a result file; `None` unless [`Jobs::files`] lists the name.
    pub fn file(&self, id: u64, name: &str) -> Option<PathBuf> {
        let known = self.files(id).iter().any(|file| file == name);
        known.then(|| self.folder_of(id).join("results").join(name))
    }

    /// The path for an upload with this name.
    pub fn upload(&self, name: &str) -> Result<PathBuf> {
        uploads::place(&self.uploads_folder(), name)
    }

    /// The upload with this name.
    pub fn uploaded(&self, name: &str) -> Result<Upload> {
        uploads::about(&self.uploads_folder(), name)
    }

    /// Deletes an upload; returns whether there was one.
    pub fn delete_upload(&self, name: &str) -> Result<bool> {
        let path = self.upload(name)?;
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            removed => removed.map(|()| true).map_err(Error::io(path)),
        }
    }

    /// All uploads, the newest first.
    pub fn uploads(&self) -> Result<Vec<Upload>> {
        uploads::list(&self.uploads_folder())
    }

    fn uploads_folder(&self) -> PathBuf {
        self.folder.join("uploads")
    }

    /// Stops the running job. It is queued again when the folder is opened the next time.
    pub fn close(&self) {
        let mut shared = self.lock();
        shared.closed = true;
        if let Some((_, control)) = &shared.running {
            control.cancelled.store(true, Ordering::Relaxed);
        }
        drop(shared);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn folder_of(&self, id: u64) -> PathBuf {
        self.folder.join(id.to_string())
    }

    fn write(&self, job: &JobRecord) -> Result<()> {
        write_json(&self.folder_of(job.id).join("job.json"), job)
    }
}

#[cfg(test)]
mod tests;
