//! Erases documents: nothing of them is left in the files of the service.
//!
//! They leave the index and the search, whose files are then written anew without what is dead; what is kept to undo
//! removals; notes and batches of reviewers; and the snapshots, in place of which one of the present is taken. Results of jobs and uploads are files in
//! many formats that an administrator put there: they are not looked into, and have to be deleted before.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use lookalike::Id;
use lookalike::index::{DocumentName, View};

use crate::error::{ApiError, ApiResult};
use crate::maintenance::{Task, TaskKind};
use crate::state::App;

/// A document to be erased: its id, and its labels if several have the id.
pub struct Erased {
    pub id: Id,
    pub labels: Option<Vec<String>>,
}

/// Begins to erase documents. Those that are not in the index any more may have left something all the same.
pub fn begin(app: &App, documents: Vec<Erased>) -> ApiResult<Task> {
    let jobs = app.jobs.list();
    let uploads = app.jobs.uploads()?;
    if !jobs.is_empty() || !uploads.is_empty() {
        let message = format!(
            "results of {} jobs and {} uploads may hold the documents, and are not looked into: delete them first",
            jobs.len(),
            uploads.len()
        );
        return Err(ApiError::new(StatusCode::CONFLICT, "held-by-jobs", message));
    }
    let ours = app.clone();
    app.maintenance.start(TaskKind::Erase, move |index| {
        let names = documents.iter().map(|one| DocumentName { id: &one.id, labels: one.labels.as_deref() });
        index.writer().remove_many(names, &View::All)?;
        let ids: BTreeSet<Id> = documents.iter().map(|one| one.id.clone()).collect();
        index.writer().purge(&ids)?;
        ours.search.purge()?;
        ours.removals.erase(&ids)?;
        ours.review.erase(&ids)?;
        ours.snapshots.replace_all(index)
    })
}
