//! Work on the whole index, for its administrators.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use lookalike::index::SnapshotInfo;
use lookalike::{Id, Recipe};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::answer::Accepted;
use super::empty_body::{EmptyBody, read_nothing};
use super::extract::{QueryParams, limit};
use super::route::Route;
use crate::access::{Caller, Role};
use crate::audit::{AuditEntry, id_value};
use crate::body::JsonBody;
use crate::document::id_of;
use crate::erasure::{self, Erased};
use crate::error::{ApiError, ApiResult};
use crate::guard::Authenticated;
use crate::jobs::NamedAssets;
use crate::maintenance::Task;
use crate::openapi::Operation;
use crate::state::App;

pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/api/admin/compact",
            compact,
            Operation::new("compact", "Free the space of removed documents, in the background").conflicts(),
        )
        .needs(Role::Admin),
        Route::post(
            "/api/admin/resign",
            resign,
            Operation::new("resign", "Build the index anew by another recipe, in the background").conflicts(),
        )
        .needs(Role::Admin),
        Route::get(
            "/api/admin/task",
            task,
            Operation::new("task", "What compact, resign, refresh or snapshot last did").may_be_missing(),
        )
        .needs(Role::Admin),
        Route::post(
            "/api/admin/erase",
            erase,
            Operation::new("erase", "Leave nothing of documents in any file, in the background").conflicts(),
        )
        .needs(Role::Admin),
        Route::get(
            "/api/admin/audit",
            audit,
            Operation::new("audit", "Who removed, decided and changed what, the newest first"),
        )
        .needs(Role::Admin),
        Route::post(
            "/api/admin/snapshot",
            snapshot,
            Operation::new("snapshot", "Copy the index to the place for snapshots, in the background")
                .conflicts()
                .may_be_missing(),
        )
        .needs(Role::Admin),
        Route::get(
            "/api/admin/snapshots",
            snapshots,
            Operation::new("snapshots", "The snapshots there are, the oldest first").may_be_missing(),
        )
        .needs(Role::Admin),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewRecipe {
    /// TOML, as in a recipe file; without a `method` what is to be changed of the recipe that the index has. A lexicon
    /// `native` is counted from the documents of the index.
    recipe: String,
}

async fn compact(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    body: JsonBody<EmptyBody>,
) -> ApiResult<Accepted<Task>> {
    read_nothing(body, &app).await?;
    let task = app.maintenance.compact()?;
    record(&app, caller, "compact", json!({})).await?;
    Ok(Accepted(task))
}

async fn resign(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    body: JsonBody<NewRecipe>,
) -> ApiResult<Accepted<Task>> {
    let (new, _held) = body.read(&app).await?;
    let ours = app.clone();
    let work = move || -> lookalike::Result<Recipe> {
        let stored = Recipe::from_toml(&ours.index.recipe(), &ours.registry)?;
        let accepts = |recipe: &Recipe| ours.index.can_resign(recipe);
        NamedAssets::new(&ours.config.data).changed_recipe(&new.recipe, &stored, &ours.registry, accepts)
    };
    let recipe = app.work.run(work).await??;
    let what = json!({ "recipe": recipe.to_toml() });
    let task = app.maintenance.resign(recipe)?;
    record(&app, caller, "resign", what).await?;
    Ok(Accepted(task))
}

async fn snapshot(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    body: JsonBody<EmptyBody>,
) -> ApiResult<Accepted<Task>> {
    read_nothing(body, &app).await?;
    let task = app.snapshots.take()?;
    record(&app, caller, "snapshot", json!({})).await?;
    Ok(Accepted(task))
}

#[derive(Serialize, JsonSchema)]
struct Snapshots {
    snapshots: Vec<SnapshotInfo>,
}

async fn snapshots(State(app): State<App>) -> ApiResult<Json<Snapshots>> {
    let snapshots = app.snapshots.clone();
    // A store may take its time, which no worker of the index should wait for.
    let listed = tokio::task::spawn_blocking(move || snapshots.list()).await;
    let snapshots = listed.unwrap_or_else(|_| Err(ApiError::internal()))?;
    Ok(Json(Snapshots { snapshots }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Erasure {
    documents: Vec<ErasedDocument>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ErasedDocument {
    #[schemars(with = "Id")]
    id: Box<RawValue>,
    /// All its access labels, where several documents have the id
    labels: Option<Vec<String>>,
}

async fn erase(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    body: JsonBody<Erasure>,
) -> ApiResult<Accepted<Task>> {
    let (asked, _held) = body.read(&app).await?;
    let documents =
        asked.documents.into_iter().map(|one| Ok(Erased { id: id_of(&one.id)?, labels: one.labels }));
    let documents = documents.collect::<ApiResult<Vec<Erased>>>()?;
    if documents.is_empty() {
        return Err(ApiError::unusable("`documents` names none"));
    }
    let what = json!({ "ids": documents.iter().map(|one| id_value(&one.id)).collect::<Vec<_>>() });
    let ours = app.clone();
    let task = app.work.run(move || erasure::begin(&ours, documents)).await??;
    record(&app, caller, "erase", what).await?;
    Ok(Accepted(task))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AuditQuery {
    /// How many entries to list at most [100]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct AuditEntries {
    entries: Vec<AuditEntry>,
}

async fn audit(
    State(app): State<App>,
    QueryParams(query): QueryParams<AuditQuery>,
) -> ApiResult<Json<AuditEntries>> {
    let count = limit(query.limit, 100)?;
    let ours = app.clone();
    Ok(Json(AuditEntries { entries: app.work.run(move || ours.audit.last(count)).await?? }))
}

/// Records what a caller began, without blocking the thread that serves it.
pub async fn record(app: &App, caller: Arc<Caller>, action: &'static str, what: Value) -> ApiResult<()> {
    let ours = app.clone();
    app.work.run(move || ours.record(&caller, action, what)).await
}

async fn task(State(app): State<App>) -> ApiResult<Json<Task>> {
    let none =
        || ApiError::new(StatusCode::NOT_FOUND, "not-found", "nothing was started since the service began");
    app.maintenance.last().map(Json).ok_or_else(none)
}
