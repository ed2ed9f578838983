//! Work on the whole index, for its administrators.

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use lookalike::Recipe;
use serde::Deserialize;

use super::Route;
use crate::access::Role;
use crate::body;
use crate::document::parse_error;
use crate::error::{ApiError, ApiResult};
use crate::maintenance::{self, Task};
use crate::openapi::Operation;
use crate::shelf;
use crate::state::App;

pub fn routes() -> Vec<Route> {
    let started = |about: Operation| about.accepted("Task").conflicts();
    vec![
        Route::post(
            "/api/admin/compact",
            compact,
            started(
                Operation::new("compact", "Free the space of removed documents, in the background")
                    .body("application/json", "Nothing"),
            ),
        )
        .needs(Role::Admin),
        Route::post(
            "/api/admin/resign",
            resign,
            started(
                Operation::new("resign", "Build the index anew by another recipe, in the background")
                    .body("application/json", "NewRecipe"),
            ),
        )
        .needs(Role::Admin),
        Route::get(
            "/api/admin/task",
            task,
            Operation::new("task", "What compact or resign last did").answer("Task").may_miss(),
        )
        .needs(Role::Admin),
    ]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewRecipe {
    /// TOML, as in a recipe file; without a `method` what is to be changed of the recipe that the index has.
    recipe: String,
}

async fn compact(State(app): State<App>, request: Request) -> ApiResult<(StatusCode, Json<Task>)> {
    let held = body::json(&app, request).await?;
    if !held.bytes.is_empty() {
        serde_json::from_slice::<Nothing>(&held.bytes).map_err(|error| parse_error(&error))?;
    }
    let task = maintenance::compact(&app)?;
    Ok((StatusCode::ACCEPTED, Json(task)))
}

async fn resign(State(app): State<App>, request: Request) -> ApiResult<(StatusCode, Json<Task>)> {
    let held = body::json(&app, request).await?;
    let new: NewRecipe = serde_json::from_slice(&held.bytes).map_err(|error| parse_error(&error))?;
    let ours = app.clone();
    let work = move || -> lookalike::Result<Recipe> {
        let stored = Recipe::from_toml(&ours.index.recipe(), &ours.registry)?;
        shelf::recipe(&new.recipe, &stored, &ours.config.data, &ours.registry)
    };
    let recipe = app.gate.run(work).await??;
    let task = maintenance::resign(&app, recipe)?;
    Ok((StatusCode::ACCEPTED, Json(task)))
}

async fn task(State(app): State<App>) -> ApiResult<Json<Task>> {
    let none =
        || ApiError::new(StatusCode::NOT_FOUND, "not-found", "nothing was started since the service began");
    app.maintenance.last().map(Json).ok_or_else(none)
}
