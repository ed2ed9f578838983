//! Work on the whole index, for its administrators.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use lookalike::Recipe;
use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::Accepted;
use super::empty_body::{EmptyBody, read_nothing};
use super::route::Route;
use crate::access::Role;
use crate::body::JsonBody;
use crate::error::{ApiError, ApiResult};
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
            Operation::new("task", "What compact, resign or refresh last did").may_be_missing(),
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

async fn compact(State(app): State<App>, body: JsonBody<EmptyBody>) -> ApiResult<Accepted<Task>> {
    read_nothing(body, &app).await?;
    let task = app.maintenance.compact()?;
    Ok(Accepted(task))
}

async fn resign(State(app): State<App>, body: JsonBody<NewRecipe>) -> ApiResult<Accepted<Task>> {
    let (new, _held) = body.read(&app).await?;
    let ours = app.clone();
    let work = move || -> lookalike::Result<Recipe> {
        let stored = Recipe::from_toml(&ours.index.recipe(), &ours.registry)?;
        let accepts = |recipe: &Recipe| ours.index.can_resign(recipe);
        NamedAssets::new(&ours.config.data).changed_recipe(&new.recipe, &stored, &ours.registry, accepts)
    };
    let recipe = app.work.run(work).await??;
    let task = app.maintenance.resign(recipe)?;
    Ok(Accepted(task))
}

async fn task(State(app): State<App>) -> ApiResult<Json<Task>> {
    let none =
        || ApiError::new(StatusCode::NOT_FOUND, "not-found", "nothing was started since the service began");
    app.maintenance.last().map(Json).ok_or_else(none)
}
