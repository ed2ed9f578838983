//! Offline runs: batch deduplication, training and evaluation in the background, for administrators.
//!
//! Jobs see all documents, whatever their labels, so only administrators may start and read them.

use std::io::Write;
use std::sync::Arc;

use crate::jobs::{JobRecord, Jobs, NewJob, Upload};
use axum::Json;
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, NoContent, Response};
use lookalike::{Error, Recipe};
use lookalike_plumbing::files::{folder_of, sync_folder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::admin::record;
use super::answer::Accepted;
use super::empty_body::{EmptyBody, read_nothing};
use super::extract::QueryParams;
use super::route::Route;
use crate::access::{Caller, Role};
use crate::body::{self, JsonBody, LINES, require_type, send_file};
use crate::document::DocumentFields;
use crate::error::{ApiError, ApiResult};
use crate::guard::Authenticated;
use crate::maintenance::Task;
use crate::openapi::Operation;
use crate::state::App;

const PARQUET: &[&str] = &["application/vnd.apache.parquet", "application/x-parquet"];
/// Files of labels.
const CSV: &[&str] = &["text/csv"];

pub fn routes() -> Vec<Route> {
    let upload = Operation::new("uploadCorpus", "Store a corpus or a file of labels for jobs");
    let upload = LINES.iter().fold(upload, |about, kind| about.body::<DocumentFields<'_>>(kind));
    let upload = PARQUET.iter().chain(CSV).fold(upload, |about, kind| about.body_binary(kind));
    let routes = vec![
        Route::get("/api/jobs", list, Operation::new("listJobs", "All jobs, the newest first")),
        Route::post(
            "/api/jobs",
            submit,
            Operation::new("submitJob", "Start an offline run: dedup, train, evaluate, ask, apply or undo"),
        ),
        Route::get(
            "/api/jobs/{id}",
            get,
            Operation::new("getJob", "State, progress and result of a job").may_be_missing(),
        ),
        Route::delete(
            "/api/jobs/{id}",
            cancel,
            Operation::new("cancelJob", "Stop a job; remove one that has ended, with its results")
                .may_be_missing(),
        ),
        Route::post(
            "/api/jobs/{id}/adopt",
            adopt,
            Operation::new(
                "adoptJob",
                "Build the index anew by the recipe of a job, with the classifier and clusters it made",
            )
            .may_be_missing()
            .conflicts(),
        ),
        Route::delete(
            "/api/jobs/{id}/adopt",
            give_back,
            Operation::new("undoAdoption", "Give the index the recipe back that it had before a job's")
                .may_be_missing()
                .conflicts(),
        ),
        Route::get(
            "/api/jobs/{id}/files",
            files,
            Operation::new("listJobFiles", "The names of a job's files").may_be_missing(),
        ),
        Route::get(
            "/api/jobs/{id}/file",
            file,
            Operation::new("getJobFile", "One file of a job's result")
                .answer_text("application/octet-stream")
                .may_be_missing(),
        ),
        Route::delete(
            "/api/uploads",
            delete_upload,
            Operation::new("deleteUpload", "Delete an upload").may_be_missing(),
        ),
        Route::get(
            "/api/uploads",
            uploads,
            Operation::new("listUploads", "What was uploaded, the newest first"),
        ),
        Route::post("/api/uploads", store, upload),
    ];
    routes.into_iter().map(|route| route.needs(Role::Admin)).collect()
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Jobs")]
struct JobList {
    jobs: Vec<JobRecord>,
}

#[derive(Serialize, JsonSchema)]
struct JobFiles {
    files: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Uploads {
    uploads: Vec<Upload>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FileQuery {
    /// As the list of files has it
    name: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UploadQuery {
    /// The name that jobs call it by
    name: Option<String>,
}

fn no_such_job() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "not-found", "there is no such job, or no such file of it")
}

/// A path names a job by its number; anything else names none.
fn number(id: &str) -> ApiResult<u64> {
    id.parse().map_err(|_| no_such_job())
}

async fn list(State(app): State<App>) -> ApiResult<Json<JobList>> {
    let jobs = app.jobs.clone();
    Ok(Json(JobList { jobs: app.work.run(move || jobs.list()).await? }))
}

async fn submit(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    body: JsonBody<NewJob>,
) -> ApiResult<Accepted<JobRecord>> {
    let (spec, _held) = body.read(&app).await?;
    let jobs = app.jobs.clone();
    let job = app.work.run(move || jobs.submit(spec)).await?.map_err(unusable)?;
    record(&app, caller, "start-job", json!({ "job": job.id })).await?;
    Ok(Accepted(job))
}

fn unusable(error: Error) -> ApiError {
    match error {
        Error::Config(message) => ApiError::unusable(message),
        other => other.into(),
    }
}

async fn get(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Json<JobRecord>> {
    app.jobs.get(number(&id)?).map(Json).ok_or_else(no_such_job)
}

async fn cancel(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Path(id): Path<String>,
) -> ApiResult<NoContent> {
    let (jobs, id) = (app.jobs.clone(), number(&id)?);
    if !app.work.run(move || jobs.cancel(id)).await?? {
        return Err(no_such_job());
    }
    record(&app, caller, "end-job", json!({ "job": id })).await?;
    Ok(NoContent)
}

async fn adopt(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Path(id): Path<String>,
    body: JsonBody<EmptyBody>,
) -> ApiResult<Accepted<Task>> {
    read_nothing(body, &app).await?;
    resign_for(&app, caller, &id, "adopt-job", |jobs, id| jobs.adopt(id).map_err(unusable)).await
}

async fn give_back(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Path(id): Path<String>,
) -> ApiResult<Accepted<Task>> {
    let none = "the index does not have the recipe of this job";
    let none = move || ApiError::new(StatusCode::NOT_FOUND, "not-found", none);
    let recipe = move |jobs: &Jobs, id| jobs.before_adoption(id)?.ok_or_else(none);
    resign_for(&app, caller, &id, "undo-adoption", recipe).await
}

/// Starts to build the index anew by the recipe that a job gives.
async fn resign_for(
    app: &App,
    caller: Arc<Caller>,
    id: &str,
    action: &'static str,
    recipe: impl FnOnce(&Jobs, u64) -> ApiResult<Recipe> + Send + 'static,
) -> ApiResult<Accepted<Task>> {
    let (jobs, id) = (app.jobs.clone(), number(id)?);
    jobs.get(id).ok_or_else(no_such_job)?;
    let recipe = app.work.run(move || recipe(&jobs, id)).await??;
    let task = app.maintenance.resign(recipe)?;
    record(app, caller, action, json!({ "job": id })).await?;
    Ok(Accepted(task))
}

async fn delete_upload(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    QueryParams(query): QueryParams<UploadQuery>,
) -> ApiResult<NoContent> {
    let name = query.name.unwrap_or_default();
    let (jobs, upload) = (app.jobs.clone(), name.clone());
    if !app.work.run(move || jobs.delete_upload(&upload)).await?.map_err(unusable)? {
        return Err(ApiError::new(StatusCode::NOT_FOUND, "not-found", "there is no such upload"));
    }
    record(&app, caller, "delete-upload", json!({ "upload": name })).await?;
    Ok(NoContent)
}

async fn files(State(app): State<App>, Path(id): Path<String>) -> ApiResult<Json<JobFiles>> {
    let (jobs, id) = (app.jobs.clone(), number(&id)?);
    jobs.get(id).ok_or_else(no_such_job)?;
    Ok(Json(JobFiles { files: app.work.run(move || jobs.files(id)).await? }))
}

async fn file(
    State(app): State<App>,
    Path(id): Path<String>,
    QueryParams(query): QueryParams<FileQuery>,
) -> ApiResult<Response> {
    let (jobs, id) = (app.jobs.clone(), number(&id)?);
    let name = query.name.ok_or_else(|| ApiError::bad_request("`name` is missing"))?;
    let path = app.work.run(move || jobs.file(id, &name)).await?.ok_or_else(no_such_job)?;
    let kind = [(header::CONTENT_TYPE, "application/octet-stream")];
    let open = move || std::fs::File::open(&path).map_err(Error::io(&path));
    let file = app.work.run(open).await??;
    Ok((kind, send_file(file)).into_response())
}

async fn uploads(State(app): State<App>) -> ApiResult<Json<Uploads>> {
    let jobs = app.jobs.clone();
    Ok(Json(Uploads { uploads: app.work.run(move || jobs.uploads()).await?? }))
}

async fn store(
    State(app): State<App>,
    QueryParams(query): QueryParams<UploadQuery>,
    request: Request,
) -> ApiResult<Json<Upload>> {
    require_type(request.headers(), &[LINES, PARQUET, CSV].concat())?;
    let name = query.name.ok_or_else(|| ApiError::bad_request("`name` is missing"))?;
    let path = app.jobs.upload(&name).map_err(|error| ApiError::unusable(error.to_string()))?;
    let _place = app.bulk_streams.clone().try_acquire_owned().map_err(|_| ApiError::busy())?;
    let failed = |source: std::io::Error| ApiError::from(Error::Io { path: "an upload".into(), source });
    // A name of its own for each, since two may upload the same at once.
    let mut file = tempfile::NamedTempFile::new_in(folder_of(&path)).map_err(failed)?;
    let mut stream = request.into_body();
    let mut bytes = 0;
    loop {
        let data = tokio::time::timeout(app.config.request_time, body::next(&mut stream)).await;
        let Some(data) = data.map_err(|_| ApiError::slow_body())?? else { break };
        bytes += data.len() as u64;
        if bytes > app.config.max_upload {
            return Err(ApiError::too_large(app.config.max_upload));
        }
        let written = tokio::task::spawn_blocking(move || file.write_all(&data).map(|()| file)).await;
        file = written.map_err(|_| ApiError::internal())?.map_err(failed)?;
    }
    // An acknowledged upload is complete and survives a power cut.
    let keep = move || {
        file.as_file().sync_all().map_err(Error::io(&path))?;
        file.persist(&path).map_err(|error| Error::io(&path)(error.error))?;
        sync_folder(folder_of(&path))
    };
    tokio::task::spawn_blocking(keep).await.map_err(|_| ApiError::internal())??;
    let jobs = app.jobs.clone();
    Ok(Json(app.work.run(move || jobs.uploaded(&name)).await??))
}
