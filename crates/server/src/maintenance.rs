//! Long tasks on the whole index, one at a time and in the background: `compact`, `resign`, `refresh`, `snapshot` and `erase`.
//!
//! The index keeps answering meanwhile. The last task is remembered until the service ends. An interrupted `resign`
//! continues when the service starts again: a file records it until it ends. `compact` also starts by itself when
//! more is dead than alive, and `refresh`, which counts the native lexicon again, only by itself.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::http::StatusCode;
use lookalike::index::Index;
use lookalike::{Error, Recipe, Registry};
use lookalike_core::threads::{self, caught};
use lookalike_plumbing::clock::now;
use lookalike_plumbing::files::sync_folder;
use lookalike_plumbing::json::{read_json, write_json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{ApiError, ApiResult, ErrorBody};
use crate::health::Health;

pub struct Maintenance {
    index: Arc<Index>,
    health: Arc<Health>,
    /// The folder of the service.
    data: PathBuf,
    last: Mutex<Option<Task>>,
}

/// The running task, or the last one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Task {
    pub task: TaskKind,
    pub state: TaskState,
    /// Seconds since 1970.
    pub started: u64,
    /// Absent while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorBody>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TaskKind {
    Compact,
    Resign,
    Refresh,
    Snapshot,
    Erase,
}

impl TaskKind {
    fn name(self) -> &'static str {
        match self {
            TaskKind::Compact => "compact",
            TaskKind::Resign => "resign",
            TaskKind::Refresh => "refresh",
            TaskKind::Snapshot => "snapshot",
            TaskKind::Erase => "erase",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TaskState {
    Running,
    Done,
    Failed,
}

/// The least seconds between two automatic calls of `compact`, and before a `refresh` that failed is tried again.
const PAUSE: u64 = 3600;
/// Records an unfinished `resign`.
const UNFINISHED: &str = "resign.json";
/// The same as written by earlier versions: the bare recipe, so one that was cut off may still look valid.
const UNFINISHED_BEFORE: &str = "resign.toml";

#[derive(Serialize, Deserialize)]
struct Note {
    recipe: String,
}

impl Maintenance {
    pub fn new(index: Arc<Index>, health: Arc<Health>, data: PathBuf) -> Arc<Maintenance> {
        Arc::new(Maintenance { index, health, data, last: Mutex::default() })
    }

    pub fn last(&self) -> Option<Task> {
        self.lock().clone()
    }

    /// Starts to sign the index again by another recipe, and records that, so that it continues after a restart.
    pub fn resign(self: &Arc<Self>, recipe: Recipe) -> ApiResult<Task> {
        let data = self.data.clone();
        self.start(TaskKind::Resign, move |index| {
            write_json(&data.join(UNFINISHED), &Note { recipe: recipe.to_stored() })?;
            let outcome = index.writer().resign(&recipe);
            for name in [UNFINISHED, UNFINISHED_BEFORE] {
                let note = data.join(name);
                match std::fs::remove_file(&note) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        return outcome.and(Err(Error::io(note)(error)));
                    }
                    _ => {}
                }
            }
            outcome.and(sync_folder(&data))
        })
    }

    /// Continues a `resign` that had not ended when the last service did.
    pub fn resume(self: &Arc<Self>, registry: &Registry) {
        let resumed = match self.unfinished() {
            Ok(None) => return,
            Ok(Some(text)) => Recipe::from_toml(&text, registry),
            Err(error) => Err(error),
        };
        let failed = match resumed {
            Ok(recipe) => match self.resign(recipe) {
                Ok(_) => return,
                Err(error) => error.body(),
            },
            Err(error) => {
                tracing::error!(%error, "an unfinished resign cannot go on; the recipe stays as it is");
                let message = "the note of an unfinished resign cannot be used, so the index keeps its recipe: \
                               send the new recipe again";
                ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "damaged", message).body()
            }
        };
        let (task, state) = (TaskKind::Resign, TaskState::Failed);
        *self.lock() = Some(Task { task, state, started: now(), seconds: None, error: Some(failed) });
    }

    /// The recipe of an interrupted `resign`.
    fn unfinished(&self) -> lookalike::Result<Option<String>> {
        let (note, before) = (self.data.join(UNFINISHED), self.data.join(UNFINISHED_BEFORE));
        if note.exists() {
            return read_json::<Note>(&note).map(|note| Some(note.recipe));
        }
        match std::fs::read_to_string(&before) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io(before)(error)),
            // It has no checksum, but the index recorded the same recipe when it began.
            Ok(text) if self.index.unfinished().is_some_and(|begun| begun == text) => Ok(Some(text)),
            Ok(_) => {
                let what =
                    "is empty, cut off, or of a resign that never began: send the recipe again, or remove it";
                Err(Error::damaged(before, what))
            }
        }
    }

    /// Frees the space of removed documents.
    pub fn compact(self: &Arc<Self>) -> ApiResult<Task> {
        self.start(TaskKind::Compact, |index| index.writer().compact())
    }

    /// Starts `compact` if it is worth it, unless another task runs or it was tried recently.
    pub fn compact_if_due(self: &Arc<Self>) {
        let recently = |task: &Task| task.task == TaskKind::Compact && task.started + PAUSE > now();
        if self.index.should_compact()
            && !self.last().as_ref().is_some_and(recently)
            && self.compact().is_ok()
        {
            tracing::info!("more is dead than alive: compacting");
        }
    }

    /// Counts the native lexicon again if that is due, unless another task runs or it failed recently.
    pub fn refresh_if_due(self: &Arc<Self>) {
        let failed = |task: &Task| {
            task.task == TaskKind::Refresh && task.state == TaskState::Failed && task.started + PAUSE > now()
        };
        let Some(reason) = self.index.refresh_due() else { return };
        // Nobody waits for this work, so half of the cores stay free for queries.
        let work = |index: &Index| index.writer().refresh(threads::available() / 2).map(drop);
        if !self.last().as_ref().is_some_and(failed) && self.start(TaskKind::Refresh, work).is_ok() {
            tracing::info!(%reason, "the lexicon is counted again");
        }
    }

    /// Starts a task on a thread of its own, unless one is running; returns its first state.
    pub fn start(
        self: &Arc<Self>,
        kind: TaskKind,
        work: impl FnOnce(&Index) -> lookalike::Result<()> + Send + 'static,
    ) -> ApiResult<Task> {
        let task = Task { task: kind, state: TaskState::Running, started: now(), seconds: None, error: None };
        {
            let mut last = self.lock();
            if let Some(running) = last.as_ref().filter(|last| last.state == TaskState::Running) {
                let message = format!("`{}` is running already", running.task.name());
                return Err(ApiError::new(StatusCode::CONFLICT, "busy-maintenance", message).retry(30));
            }
            *last = Some(task.clone());
        }
        let (ours, mut ended) = (Arc::clone(self), task.clone());
        // Not through the work limiter: it would occupy one of its places for a long time.
        tokio::task::spawn_blocking(move || {
            let clock = Instant::now();
            let error = caught(|| work(&ours.index)).err().map(ApiError::from);
            if let Some(error) = &error {
                ours.health.note(error.code);
            }
            ended.state = if error.is_some() { TaskState::Failed } else { TaskState::Done };
            ended.seconds = Some(clock.elapsed().as_secs_f64());
            ended.error = error.map(|error| error.body());
            tracing::info!(task = kind.name(), state = ?ended.state, "maintenance ended");
            *ours.lock() = Some(ended);
        });
        Ok(task)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Task>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
