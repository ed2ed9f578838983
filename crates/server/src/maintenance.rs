//! Long work on the whole index, one at a time and in the background: `compact` and `resign`.
//!
//! The index goes on answering meanwhile. What was last done is remembered until the service ends. A `resign`
//! that was interrupted goes on where it was when the service starts again: a file tells of it until it ends. A
//! `compact` also starts by itself when more is dead than alive.

use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use axum::http::StatusCode;
use lookalike::index::Index;
use lookalike::whole::{read_json, sync_folder, write_json};
use lookalike::{Error, Recipe};
use serde::{Deserialize, Serialize};

use crate::error::{ApiError, ApiResult};
use crate::state::App;

#[derive(Default)]
pub struct Maintenance(Mutex<Option<Task>>);

/// What runs, or ran last.
#[derive(Clone, Debug, Serialize)]
pub struct Task {
    pub task: &'static str,
    pub state: State,
    /// Seconds since 1970.
    pub started: u64,
    /// Absent while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<serde_json::Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Running,
    Done,
    Failed,
}

impl Maintenance {
    pub fn last(&self) -> Option<Task> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, task: Task) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
    }
}

/// Seconds from one `compact` that nobody asked for to the next.
const PAUSE: u64 = 3600;
/// Tells of a `resign` that has not ended.
const UNFINISHED: &str = "resign.json";
/// The same as earlier versions wrote it: the recipe alone, so one that was cut may still look like one.
const UNFINISHED_BEFORE: &str = "resign.toml";

#[derive(Serialize, Deserialize)]
struct Note {
    recipe: String,
}

/// Builds the index anew by another recipe, and remembers to go on with it.
pub fn resign(app: &App, recipe: Recipe) -> ApiResult<Task> {
    let data = app.config.data.clone();
    start(app, "resign", move |index| {
        write_json(&data.join(UNFINISHED), &Note { recipe: recipe.to_toml() })?;
        let outcome = index.resign(&recipe);
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

/// Goes on with what the last service was at when it ended.
pub fn resume(app: &App) {
    let resumed = match unfinished(app) {
        Ok(None) => return,
        Ok(Some(text)) => Recipe::from_toml(&text, &app.registry),
        Err(error) => Err(error),
    };
    let failed = match resumed {
        Ok(recipe) => match resign(app, recipe) {
            Ok(_) => return,
            Err(error) => error.json(),
        },
        Err(error) => {
            tracing::error!(%error, "an unfinished resign cannot go on; the recipe stays as it is");
            let message = "the note of an unfinished resign cannot be used, so the index keeps its recipe: \
                           send the new recipe again";
            ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "damaged", message).json()
        }
    };
    let task =
        Task { task: "resign", state: State::Failed, started: now(), seconds: None, error: Some(failed) };
    app.maintenance.set(task);
}

/// The recipe of a `resign` that was interrupted.
fn unfinished(app: &App) -> lookalike::Result<Option<String>> {
    let (note, before) = (app.config.data.join(UNFINISHED), app.config.data.join(UNFINISHED_BEFORE));
    if note.exists() {
        return read_json::<Note>(&note).map(|note| Some(note.recipe));
    }
    match std::fs::read_to_string(&before) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(before)(error)),
        // It has no checksum, but the index wrote down the same when it began.
        Ok(text) if app.index.unfinished().is_some_and(|begun| begun == text) => Ok(Some(text)),
        Ok(_) => {
            let what =
                "is empty, cut off, or of a resign that never began: send the recipe again, or remove it";
            Err(Error::damaged(before, what))
        }
    }
}

/// Frees the space of removed documents.
pub fn compact(app: &App) -> ApiResult<Task> {
    start(app, "compact", Index::compact)
}

/// Does so when that is worth it, unless something else runs or it was tried a short while ago.
pub fn compact_if_due(app: &App) {
    let recently = |task: &Task| task.task == "compact" && task.started + PAUSE > now();
    if app.index.is_wasteful()
        && !app.maintenance.last().as_ref().is_some_and(recently)
        && compact(app).is_ok()
    {
        tracing::info!("more is dead than alive: compacting");
    }
}

/// Starts a task on a thread of its own, unless one runs; gives its first state.
pub fn start(
    app: &App,
    name: &'static str,
    work: impl FnOnce(&Index) -> lookalike::Result<()> + Send + 'static,
) -> ApiResult<Task> {
    let task = Task { task: name, state: State::Running, started: now(), seconds: None, error: None };
    {
        let mut last = app.maintenance.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = last.as_ref().filter(|last| last.state == State::Running) {
            let message = format!("`{}` is running already", running.task);
            return Err(ApiError::new(StatusCode::CONFLICT, "busy-maintenance", message).retry(30));
        }
        *last = Some(task.clone());
    }
    let (ours, mut ended) = (app.clone(), task.clone());
    // Not by the gate: this would keep one of its places for a long time.
    tokio::task::spawn_blocking(move || {
        let clock = Instant::now();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&ours.index)));
        let error = match outcome {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(ApiError::from(error)),
            Err(_) => Some(ApiError::internal()),
        };
        if let Some(error) = &error {
            ours.health.note(error.code);
        }
        ended.state = if error.is_some() { State::Failed } else { State::Done };
        ended.seconds = Some(clock.elapsed().as_secs_f64());
        ended.error = error.map(|error| error.json());
        tracing::info!(task = name, state = ?ended.state, "maintenance ended");
        ours.maintenance.set(ended);
    });
    Ok(task)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
