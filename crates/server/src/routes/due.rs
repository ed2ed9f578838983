//! What should be fetched again.

use axum::Json;
use axum::extract::State;
use lookalike::index::DueQueue;
use lookalike_plumbing::clock::now;
use schemars::JsonSchema;
use serde::Deserialize;

use super::extract::{QueryParams, limit};
use super::route::Route;
use crate::error::ApiResult;
use crate::guard::Authenticated;
use crate::openapi::Operation;
use crate::state::App;

pub fn routes() -> Vec<Route> {
    let about = Operation::new("listDue", "Documents that should be fetched again, the most urgent first");
    vec![Route::get("/api/due", due, about)]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DueQuery {
    /// Documents to list, at most 1000 [100]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// What is due by then, in seconds since 1970 [now]
    at: Option<u64>,
}

async fn due(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    QueryParams(query): QueryParams<DueQuery>,
) -> ApiResult<Json<DueQueue>> {
    let (limit, at) = (limit(query.limit, 100)?, query.at.unwrap_or_else(now));
    let index = app.index.clone();
    Ok(Json(app.work.run(move || index.reader().due(&caller.view, at, limit)).await??))
}
